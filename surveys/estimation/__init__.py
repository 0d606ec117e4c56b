"""What can be learned from randomized reports: pure mathematics on counts, never on a queryset."""

from surveys.estimation.patterns import item_counts
from surveys.estimation.planning import expected_half_width, sample_size
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.released import ReleasedEstimate, estimate_released_histogram

__all__ = [
    "PrevalenceEstimate",
    "ReleasedEstimate",
    "estimate_prevalence",
    "estimate_released_histogram",
    "expected_half_width",
    "item_counts",
    "sample_size",
]
