"""What may be claimed of an estimate: a number with its interval, and what is done where a way has none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from surveys.estimation.affine import affine_map
from surveys.estimation.association.joint import JointEstimate
from surveys.estimation.association.within import MeanWithin
from surveys.estimation.intervals.coverage import least_coverage
from surveys.estimation.intervals.interval import Interval, ScalarInterval, each_level
from surveys.estimation.intervals.sequence import SEQUENCE
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.privacy.designs import Design

METHODS = ("wilson", "clopper_pearson", SEQUENCE)  # what can be chosen
LEVELS = (0.80, 0.90, 0.95, 0.99, 0.999)
# They take their width from how much the reports vary.
_BY_VARIATION = frozenset({"wald", "welch", "fitted"})
_BY_ERROR = frozenset({"wald", "welch"})
_NO_WIDTH = 1e-9  # rounding leaves less
_MISSES = 1.4  # an interval that misses so many times as often as it says is said to: of 95%, one that may hold in 93%


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """How figures are to be computed."""

    method: str = "wilson"
    confidence_level: float = 0.95
    simultaneous: bool = True  # all options' intervals hold at once, by Bonferroni's inequality
    forged: int | None = None  # how many reports are taken to be forged; None: one of a hundred

    @property
    def at_every_look(self) -> bool:
        """Whether intervals of shares and means are to hold however often somebody looks."""
        return self.method == SEQUENCE

    @property
    def at_one_look(self) -> str:
        """The method, or the usual one for what has no interval that holds at every look, such as a difference."""
        return METHODS[0] if self.at_every_look else self.method

    def one_of(self, methods: Sequence[str]) -> str:
        """Return the method wanted, or where it does not exist the first of these, which is the usual one."""
        return self.method if self.method in methods else methods[0]

    def each(self, items: int) -> float:
        """Return the level of the intervals of one of so many items that stand together."""
        return each_level(self.confidence_level, items) if self.simultaneous else self.confidence_level

    def forged_of(self, n: int) -> int:
        """Return how many of n reports are taken to be forged: at least one, and no more than there are."""
        return min(n, self.forged if self.forged is not None else max(1, round(n / 100)))


def has_no_width(method: str, low: float, high: float, standard_error: float | None, *, outside: bool) -> bool:
    """Whether a method found no width, as where all reports are the same: that is no certainty but no interval.

    Cut to what is possible an interval outside of it has no width either, whatever it had: of Wald's and Welch's the
    standard error shows.
    """
    if method not in _BY_VARIATION:
        return False
    unvarying = method in _BY_ERROR and standard_error is not None and standard_error < _NO_WIDTH
    return unvarying or (not outside and high - low < _NO_WIDTH)


def rarely_holds(design: Design, n: int, method: str, confidence_level: float) -> tuple[float, float] | None:
    """Return how rarely an interval for a share may hold it, and which share, where that is less often than it says.

    None too where it is not known, as a report depends on several shares.
    """
    if affine_map(design) is None or method == SEQUENCE:  # which is never rarer than it says
        return None
    least, share = least_coverage(design, n, confidence_level, method)
    return (least, share) if least < 1 - _MISSES * (1 - confidence_level) else None


# One estimated number with its interval, where the reports determine them.


@dataclass(frozen=True, slots=True)
class NumberEstimate:
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


def estimate_number(mean: MeanWithin, wanted: FigureOptions) -> NumberEstimate:
    """Return a mean, or a share, with the interval wanted or the usual one where that does not exist."""
    interval = mean.interval(wanted.confidence_level, wanted.one_of(mean.interval_methods))
    return with_interval(mean.point, mean.constrained, mean.standard_error, interval, (mean.low, mean.high))


def with_interval(
    moment: float, constrained: float, standard_error: float, interval: ScalarInterval, limits: tuple[float, float]
) -> NumberEstimate:
    """Return a number with an interval: where Wald's has no standard error to go by, nothing is excluded."""
    known = not (math.isnan(interval.low) or math.isnan(interval.high))
    return NumberEstimate(
        moment=known_or_none(moment),
        estimate=known_or_none(constrained) if known else None,
        low=interval.low if known else limits[0],
        high=interval.high if known else limits[1],
        standard_error=known_or_none(standard_error),
        method=interval.method,
        outside=interval.outside,
        no_width=has_no_width(interval.method, interval.low, interval.high, standard_error, outside=interval.outside),
    )


def known_or_none(value: float) -> float | None:
    """Return None for NaN, which no page and no file may show."""
    return None if math.isnan(value) else float(value)


def share_at(
    place: int | tuple[int, int],
    estimate: PrevalenceEstimate | JointEstimate,
    interval: Interval,
) -> NumberEstimate:
    """Return one of the shares that were estimated together."""
    low, high, outside = float(interval.low[place]), float(interval.high[place]), bool(interval.outside[place])
    error = known_or_none(float(estimate.standard_error[place]))
    return NumberEstimate(
        moment=float(estimate.point[place]),
        # Rounding may leave a share of all a hair above 1.
        estimate=min(1.0, float(estimate.constrained[place])),
        low=low,
        high=high,
        standard_error=error,
        method=interval.method,
        outside=outside,
        no_width=has_no_width(interval.method, low, high, error, outside=outside),
    )
