"""List experiments: how many items hold, counted with and without the sensitive one, by two arms of respondents."""

from surveys.estimation.list_experiment.combined import CombinedListEstimate, combine_with_direct
from surveys.estimation.list_experiment.denial import DenialEstimate, estimate_denial
from surveys.estimation.list_experiment.design_effect import DesignEffectTest, find_design_effect
from surveys.estimation.list_experiment.double import DoubleListEstimate, estimate_double_list
from surveys.estimation.list_experiment.regression import ListFit, fit_list
from surveys.estimation.list_experiment.types import ListEstimate, estimate_list
from surveys.estimation.list_experiment.welch import WelchEstimate

__all__ = [
    "CombinedListEstimate",
    "DenialEstimate",
    "DesignEffectTest",
    "DoubleListEstimate",
    "ListEstimate",
    "ListFit",
    "WelchEstimate",
    "combine_with_direct",
    "estimate_denial",
    "estimate_double_list",
    "estimate_list",
    "find_design_effect",
    "fit_list",
]
