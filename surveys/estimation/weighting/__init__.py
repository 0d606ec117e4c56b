"""Weights: what they are made of, and what they do to the estimates from randomized reports."""

from surveys.estimation.weighting.design_based import WeightedEstimate, estimate_weighted, estimate_weighted_total
from surveys.estimation.weighting.means import WeightedMean, estimate_weighted_grid_mean
from surveys.estimation.weighting.raking import Margin, RakedWeights, effective_n, rake
from surveys.estimation.weighting.trimming import TrimmedWeights, trim_weights

__all__ = [
    "Margin",
    "RakedWeights",
    "TrimmedWeights",
    "WeightedEstimate",
    "WeightedMean",
    "effective_n",
    "estimate_weighted",
    "estimate_weighted_grid_mean",
    "estimate_weighted_total",
    "rake",
    "trim_weights",
]
