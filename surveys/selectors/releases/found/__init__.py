"""What a part of a release says, by mechanism: everything after the draw is arithmetic and costs nothing."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from surveys.models import Mechanism
from surveys.selectors.releases.found.bounds import Bounds, bounds_found
from surveys.selectors.releases.found.choice import Choice, Ranking, choice_found, ranking_found
from surveys.selectors.releases.found.counts import Counts, counts_found
from surveys.selectors.releases.found.median import (
    Median,
    Refused,
    smooth_median_found,
    stable_median_found,
    stable_mode_found,
)
from surveys.selectors.releases.found.number import Number, mean_found, total_found, variance_found
from surveys.selectors.releases.found.price import Price, price_found
from surveys.selectors.releases.found.quantile import Quantile, quantile_found
from surveys.selectors.releases.terms import PartTerms


class Found(Protocol):
    """What pages show of one part; `family` names the templates in templates/release/found/."""

    @property
    def family(self) -> str:
        """How it is shown."""

    @property
    def says_nothing(self) -> bool:
        """Whether so much chance was added, or so few answers came, that nothing follows with confidence."""


FINDERS: dict[str, Callable[[PartTerms, Mapping[str, Any]], Found]] = {
    Mechanism.LAPLACE_HISTOGRAM: counts_found,
    Mechanism.GAUSSIAN_HISTOGRAM: counts_found,
    Mechanism.ONE_COUNT: counts_found,
    Mechanism.MOST_COMMON: choice_found,
    Mechanism.PERMUTE_AND_FLIP: choice_found,
    Mechanism.TOP: ranking_found,
    Mechanism.QUANTILE: quantile_found,
    Mechanism.BEST_PRICE: price_found,
    Mechanism.TOTAL: total_found,
    Mechanism.MEAN: mean_found,
    Mechanism.VARIANCE: variance_found,
    Mechanism.BOUNDS: bounds_found,
    Mechanism.SMOOTH_MEDIAN: smooth_median_found,
    Mechanism.STABLE_MODE: stable_mode_found,
    Mechanism.STABLE_MEDIAN: stable_median_found,
}
"""What makes a finding of the stored output, by mechanism."""

__all__ = [
    "FINDERS",
    "Bounds",
    "Choice",
    "Counts",
    "Found",
    "Median",
    "Number",
    "Price",
    "Quantile",
    "Ranking",
    "Refused",
]
