"""How randomized answers depend on other variables, and others on them."""

from surveys.estimation.regression.correlation import CorrelationMatrix, correlate
from surveys.estimation.regression.linear import LinearFit, fit_linear
from surveys.estimation.regression.logistic import LogisticFit, fit_logistic
from surveys.estimation.regression.normal_linear import NormalLinearFit, NormalMisfit, fit_linear_normal
from surveys.estimation.regression.randomized_predictors import (
    RandomizedPredictorsFit,
    fit_logistic_randomized_predictors,
)
from surveys.estimation.regression.two_groups import TwoGroupFit, fit_logistic_two_groups

__all__ = [
    "CorrelationMatrix",
    "LinearFit",
    "LogisticFit",
    "NormalLinearFit",
    "NormalMisfit",
    "RandomizedPredictorsFit",
    "TwoGroupFit",
    "correlate",
    "fit_linear",
    "fit_linear_normal",
    "fit_logistic",
    "fit_logistic_randomized_predictors",
    "fit_logistic_two_groups",
]
