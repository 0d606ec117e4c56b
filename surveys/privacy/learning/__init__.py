"""Private learning: models from counts, each with what it costs and how good it is known to be.

Learners are exact: integers and Fractions on the way of the data.
"""

from surveys.privacy.learning.domain import CodedItem, ModelTerm, PatternDomain
from surveys.privacy.learning.joint import NoisyJointTable
from surveys.privacy.learning.learner import Learner, LearningCertificate

__all__ = ["CodedItem", "Learner", "LearningCertificate", "ModelTerm", "NoisyJointTable", "PatternDomain"]
