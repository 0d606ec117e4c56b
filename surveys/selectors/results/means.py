"""The mean of a number, from reports of which end chance rounded it to."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation import MeanEstimate, StatedMeanEstimate, estimate_mean, estimate_stated_mean
from surveys.models.definition import Item
from surveys.models.kinds import Range
from surveys.selectors.results.estimated import with_interval
from surveys.selectors.results.intervals import Wanted


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
    no_width: bool  # the method has no interval for reports that do not vary

    @property
    def limited(self) -> bool:
        """Whether limiting changed the estimate visibly."""
        if self.moment is None or self.estimate is None:
            return False
        return abs(self.moment - self.estimate) >= 0.0005 * float(self.range.high - self.range.low)

    @property
    def claimed(self) -> bool:
        """Whether there is an estimate with an interval to show."""
        return self.estimate is not None and not self.outside and not self.no_width


def mean_result(item: Item, counts: npt.NDArray[np.int64], *, method: str, confidence_level: float) -> MeanResult:
    """Return the mean of an item that asks for a number; of those who say it, where not saying is an answer."""
    limits, wanted = item.range, Wanted(method, confidence_level)
    if limits is None:
        raise ValueError(f"item {item.key} asks for no number")
    stated = item.design.k == 3
    estimate: MeanEstimate | StatedMeanEstimate
    if stated:
        estimate = estimate_stated_mean(counts, item.design, limits.low, limits.high)
        # A share of some has no binomial interval.
        found = estimate.interval(confidence_level, wanted.one_of(("likelihood_ratio", "wald")))
    else:
        estimate = estimate_mean(counts, item.design, limits.low, limits.high)
        found = estimate.interval(confidence_level, wanted.one_of(estimate.prevalence.interval_methods))
    mean = with_interval(
        estimate.point,
        estimate.constrained,
        estimate.standard_error,
        found,
        (float(limits.low), float(limits.high)),
    )
    return MeanResult(
        range=limits,
        among_those_who_say=stated,
        method=mean.method,
        observed=_observed(limits, counts),
        moment=mean.moment,
        estimate=mean.estimate,
        low=mean.low,
        high=mean.high,
        standard_error=mean.standard_error,
        outside=mean.outside,
        no_width=mean.no_width,
    )


def _observed(limits: Range, counts: npt.NDArray[np.int64]) -> float | None:
    numbers = int(counts[0] + counts[1])
    share = int(counts[1]) / numbers if numbers else None
    return None if share is None else float(limits.low) + share * float(limits.high - limits.low)
