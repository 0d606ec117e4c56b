"""Confidence intervals: for a binomial proportion, and by way of it or of the likelihood for a prevalence."""

from surveys.estimation.intervals.binomial import binomial_limits, normal_quantile
from surveys.estimation.intervals.interval import Interval, ScalarInterval, cut_interval

__all__ = ["Interval", "ScalarInterval", "binomial_limits", "cut_interval", "normal_quantile"]
