"""The mean of a number, from reports of which end chance rounded it to."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation import MeanEstimate, StatedMeanEstimate, estimate_mean, estimate_stated_mean
from surveys.models.definition import Item, Range


@dataclass(frozen=True, slots=True)
class MeanResult:
    """The mean in the numbers' units, with its interval; None stands for what these reports do not determine."""

    range: Range
    among_those_who_say: bool  # “prefer not to say” was an answer, so the mean is that of the others
    method: str  # how the interval was found
    observed: float | None  # what the reports would average to if chance had only rounded
    moment: float | None  # before limiting to the range
    estimate: float | None
    low: float
    high: float
    standard_error: float | None
    outside: bool  # no mean within the range is in the interval: the limits say nothing

    @property
    def limited(self) -> bool:
        """Whether limiting changed the estimate visibly."""
        if self.moment is None or self.estimate is None:
            return False
        return abs(self.moment - self.estimate) >= 0.0005 * float(self.range.high - self.range.low)

    @property
    def has_observed(self) -> bool:
        """Whether any report was of a number."""
        return self.observed is not None

    @property
    def claimed(self) -> bool:
        """Whether there is an estimate with an interval to show."""
        return self.estimate is not None and not self.outside

    def share(self, value: float | None) -> float:
        """Return how far up the range a value is, between 0 and 1; 0 for none, which is not drawn."""
        if value is None:
            return 0.0
        low, high = float(self.range.low), float(self.range.high)
        return min(1.0, max(0.0, (value - low) / (high - low)))


def mean_result(item: Item, counts: npt.NDArray[np.int64], *, method: str, confidence_level: float) -> MeanResult:
    """Return the mean of an item that asks for a number; of those who say it, where not saying is an answer."""
    limits = item.range
    if limits is None:
        raise ValueError(f"item {item.key} asks for no number")
    stated = item.design.k == 3
    estimate: MeanEstimate | StatedMeanEstimate
    if stated:
        estimate = estimate_stated_mean(counts, item.design, limits.low, limits.high)
        # A share of some has no binomial interval.
        found = estimate.interval(confidence_level, "wald" if method == "wald" else "likelihood_ratio")
    else:
        estimate = estimate_mean(counts, item.design, limits.low, limits.high)
        found = estimate.interval(confidence_level, method)
    # Where Wald's has no standard error to go by, nothing is excluded.
    known = not (math.isnan(found.low) or math.isnan(found.high))
    return MeanResult(
        range=limits,
        among_those_who_say=stated,
        method=found.method,
        observed=_observed(limits, counts),
        moment=_known(estimate.point),
        estimate=_known(estimate.constrained) if known else None,
        low=found.low if known else float(limits.low),
        high=found.high if known else float(limits.high),
        standard_error=_known(estimate.standard_error),
        outside=found.outside,
    )


def _observed(limits: Range, counts: npt.NDArray[np.int64]) -> float | None:
    numbers = int(counts[0] + counts[1])
    share = int(counts[1]) / numbers if numbers else None
    return None if share is None else float(limits.low) + share * float(limits.high - limits.low)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
