"""How two randomized questions, or several groups, relate."""

from surveys.estimation.association.correlation import CorrelationEstimate
from surveys.estimation.association.difference import Difference
from surveys.estimation.association.equality import EqualityTest
from surveys.estimation.association.groups import GroupComparison, Pair, compare_groups
from surveys.estimation.association.independence import IndependenceTest, drop_empty, test_independence
from surveys.estimation.association.joint import JointEstimate, estimate_joint, product
from surveys.estimation.association.odds import OddsRatio
from surveys.estimation.association.shares import ShareEstimate

__all__ = [
    "CorrelationEstimate",
    "Difference",
    "EqualityTest",
    "GroupComparison",
    "IndependenceTest",
    "JointEstimate",
    "OddsRatio",
    "Pair",
    "ShareEstimate",
    "compare_groups",
    "drop_empty",
    "estimate_joint",
    "product",
    "test_independence",
]
