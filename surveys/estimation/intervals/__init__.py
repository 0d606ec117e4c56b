"""Confidence intervals: for a binomial proportion, and by way of it or of the likelihood for a prevalence."""

from surveys.estimation.intervals.binomial import binomial_limits, normal_quantile
from surveys.estimation.intervals.coverage import least_coverage
from surveys.estimation.intervals.general import GENERAL_METHODS, general_interval
from surveys.estimation.intervals.interval import Interval, ScalarInterval, cut_interval, each_level
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval

__all__ = [
    "GENERAL_METHODS",
    "MAPPED_METHODS",
    "Interval",
    "ScalarInterval",
    "binomial_limits",
    "cut_interval",
    "each_level",
    "general_interval",
    "least_coverage",
    "mapped_interval",
    "normal_quantile",
]
