"""How precise and how decisive a survey will be, before it is run."""

from surveys.estimation.planning.comparison import DesignPrecision, compare_designs
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import UnrelatedUnknownPlan

__all__ = [
    "DesignPrecision",
    "UnrelatedUnknownPlan",
    "compare_designs",
    "expected_half_width",
    "power",
    "sample_size",
]
