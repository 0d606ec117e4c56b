"""What releases say about the true answers: estimates and intervals for both kinds of randomness, reports and noise."""

from surveys.estimation.released.histogram import ReleasedEstimate, estimate_released_histogram, nearest_distribution
from surveys.estimation.released.noise import CountNoise
from surveys.estimation.released.numbers import (
    ReleasedMean,
    ReleasedTotal,
    ReleasedVariance,
    estimate_released_mean,
    estimate_released_total,
    estimate_released_variance,
)
from surveys.estimation.released.options import ReleasedOptions, estimate_released_options

__all__ = [
    "CountNoise",
    "ReleasedEstimate",
    "ReleasedMean",
    "ReleasedOptions",
    "ReleasedTotal",
    "ReleasedVariance",
    "estimate_released_histogram",
    "estimate_released_mean",
    "estimate_released_options",
    "estimate_released_total",
    "estimate_released_variance",
    "nearest_distribution",
]
