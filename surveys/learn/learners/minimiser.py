"""What learners of the parameters of least risk share."""

from dataclasses import dataclass

from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.learning.learner import NoisyLearner
from surveys.privacy.mechanisms.mechanism import Output


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskMinimiser(NoisyLearner[Output]):
    """A noisy learner of the parameters of least risk.

    Parameters
    ----------
    epsilon, delta, relation
        As of a `NoisyLearner`.
    risk : EmpiricalRisk, optional
        What is minimised; only a release, and its utility, need it.
    """

    risk: EmpiricalRisk | None = None

    @property
    def minimised(self) -> EmpiricalRisk:
        """The risk; ValueError where none was given."""
        if self.risk is None:
            raise ValueError("risk must be given for a release, and for its utility")
        return self.risk
