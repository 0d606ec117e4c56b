"""Whether respondents follow the instructions, and what can be estimated if some do not."""

from surveys.estimation.adherence.anchor import (
    AnchoredEstimate,
    AnchoredShare,
    estimate_anchored,
    estimate_anchored_weighted,
)
from surveys.estimation.adherence.arms import ArmsEstimate, estimate_arms, estimate_extended_crosswise
from surveys.estimation.adherence.attention import AttentionCurve, attention_curve, dilute_design
from surveys.estimation.adherence.fixed_reports import FixedReportEstimate, estimate_fixed_reports
from surveys.estimation.adherence.logistic import AnchoredFit, fit_logistic_anchored

__all__ = [
    "AnchoredEstimate",
    "AnchoredFit",
    "AnchoredShare",
    "ArmsEstimate",
    "AttentionCurve",
    "FixedReportEstimate",
    "attention_curve",
    "dilute_design",
    "estimate_anchored",
    "estimate_anchored_weighted",
    "estimate_arms",
    "estimate_extended_crosswise",
    "estimate_fixed_reports",
    "fit_logistic_anchored",
]
