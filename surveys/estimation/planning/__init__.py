"""How precise and how decisive a survey will be, before it is run."""

from surveys.estimation.planning.arms import ArmsPlan, plan_arms
from surveys.estimation.planning.comparison import DesignPrecision, compare_designs
from surveys.estimation.planning.deviation import variance_ratio
from surveys.estimation.planning.lists import ListPlan, independent_items, list_plan
from surveys.estimation.planning.means import MeanPrecision, compare_means
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width, expected_mean_half_width, mean_sample_size
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import (
    TwoGroupPlan,
    cheating_detection_plan,
    lie_detector_plan,
    unrelated_unknown_plan,
)

__all__ = [
    "ArmsPlan",
    "DesignPrecision",
    "ListPlan",
    "MeanPrecision",
    "TwoGroupPlan",
    "cheating_detection_plan",
    "compare_designs",
    "compare_means",
    "expected_half_width",
    "expected_mean_half_width",
    "independent_items",
    "lie_detector_plan",
    "list_plan",
    "mean_sample_size",
    "plan_arms",
    "power",
    "sample_size",
    "unrelated_unknown_plan",
    "variance_ratio",
]
