"""One estimated number with its interval, where the reports determine them."""

import math
from dataclasses import dataclass
from typing import Protocol

from surveys.estimation.intervals import ScalarInterval
from surveys.selectors.results.intervals import Wanted, without_width


@dataclass(frozen=True, slots=True)
class Estimated:
    """A number in its own units; None stands for what these reports do not determine."""

    moment: float | None  # unbiased, or nearly; before limiting to what can be
    estimate: float | None  # limited
    low: float
    high: float
    standard_error: float | None
    method: str  # how the interval was found
    outside: bool  # no possible value is in the interval: the limits say nothing
    no_width: bool = False  # the method has no interval for reports that do not vary

    @property
    def claimed(self) -> bool:
        """Whether there is an estimate with an interval to show."""
        return self.estimate is not None and not self.outside and not self.no_width


class _Mean(Protocol):
    """What `MeanWithin` has."""

    @property
    def point(self) -> float: ...
    @property
    def constrained(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def interval_methods(self) -> tuple[str, ...]: ...
    def interval(self, confidence_level: float, method: str | None) -> ScalarInterval: ...


def estimated(mean: _Mean, wanted: Wanted) -> Estimated:
    """Return a mean, or a share, with the interval wanted or the usual one where that does not exist."""
    found = mean.interval(wanted.confidence_level, wanted.one_of(mean.interval_methods))
    return with_interval(mean.point, mean.constrained, mean.standard_error, found, (mean.low, mean.high))


def with_interval(
    moment: float, constrained: float, standard_error: float, found: ScalarInterval, limits: tuple[float, float]
) -> Estimated:
    """Return a number with an interval: where Wald's has no standard error to go by, nothing is excluded."""
    known = not (math.isnan(found.low) or math.isnan(found.high))
    return Estimated(
        moment=known_or_none(moment),
        estimate=known_or_none(constrained) if known else None,
        low=found.low if known else limits[0],
        high=found.high if known else limits[1],
        standard_error=known_or_none(standard_error),
        method=found.method,
        outside=found.outside,
        no_width=without_width(found.method, found.low, found.high, standard_error, outside=found.outside),
    )


def known_or_none(value: float) -> float | None:
    """Return None for NaN, which no page and no file may show."""
    return None if math.isnan(value) else float(value)
