"""A total, a mean or a variance with an interval for both kinds of chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.estimation.intervals import ScalarInterval
from surveys.estimation.released import (
    estimate_released_mean,
    estimate_released_total,
    estimate_released_variance,
)
from surveys.models.definition import AskedQuestion
from surveys.privacy.mechanisms.mean import BoundedMean
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.privacy.mechanisms.variance import BoundedVariance
from surveys.selectors.releases.found.figure import Figure, Scale, squared
from surveys.selectors.releases.numbers import reported_numbers
from surveys.selectors.releases.terms import PartTerms


@dataclass(frozen=True, slots=True)
class Number:
    """A released number.

    Attributes
    ----------
    what : str
        ``"total"``, ``"mean"`` or ``"variance"``.
    figure : Figure
        The number with its interval; a variance in the squared unit.
    middles : bool
        Whether numbers are known by their bands only, so that each counts as the middle of its band.
    method : str
        Of the interval: ``"exact"`` or ``"chernoff"``.
    """

    what: str
    figure: Figure
    middles: bool
    method: str

    @property
    def family(self) -> str:
        """How it is shown."""
        return "number"

    @property
    def says_nothing(self) -> bool:
        """Whether the interval leaves all but everything possible."""
        return self.figure.says_nothing


def total_found(terms: PartTerms, output: Mapping[str, Any]) -> Number:
    """Return what a released total says."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, BoundedTotal):
        raise TypeError(f"mechanism must sum, got {mechanism!r}")
    numbers = reported_numbers(terms.asked)
    found = estimate_released_total(terms.offer.restored(output), terms.n, mechanism, numbers)
    ends = (numbers.low, numbers.high, *(() if numbers.everybody_says else (Fraction(0),)))
    low, high = terms.n * min(ends), terms.n * max(ends)
    limited = min(max(found.point, float(low)), float(high))
    interval = found.interval(terms.level())
    return _number("total", terms, raw=found.point, value=limited, interval=interval, limits=(low, high))


def mean_found(terms: PartTerms, output: Mapping[str, Any]) -> Number:
    """Return what a released mean says."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, BoundedMean):
        raise TypeError(f"mechanism must draw a mean, got {mechanism!r}")
    found = estimate_released_mean(terms.offer.restored(output), terms.n, mechanism)
    limits = mechanism.numbers.low, mechanism.numbers.high
    interval = found.interval(terms.level())
    return _number("mean", terms, raw=found.point, value=found.constrained, interval=interval, limits=limits)


def variance_found(terms: PartTerms, output: Mapping[str, Any]) -> Number:
    """Return what a released variance says."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, BoundedVariance):
        raise TypeError(f"mechanism must draw a variance, got {mechanism!r}")
    found = estimate_released_variance(terms.offer.restored(output), terms.n, mechanism)
    limits = Fraction(0), mechanism.largest
    interval = found.interval(terms.level())
    return _number("variance", terms, raw=found.point, value=found.constrained, interval=interval, limits=limits)


def _number(
    what: str,
    terms: PartTerms,
    *,
    raw: float,
    value: float,
    interval: ScalarInterval,
    limits: tuple[Fraction, Fraction],
) -> Number:
    asked = terms.asked
    unit = squared(unit_of(asked)) if what == "variance" else unit_of(asked)
    figure = Figure(
        raw=raw,
        value=value,
        low=interval.low,
        high=interval.high,
        scale=Scale(*limits, unit),
        # Who says no number counts for 0 in a total, which is of all.
        among_those_who_say=asked.protects_leaving_out and what != "total",
    )
    return Number(what, figure, bool(asked.edges), interval.method)


def unit_of(asked: AskedQuestion) -> str:
    """Return the unit of a question's numbers; points of a scale have none."""
    return str(asked.details.get("unit", ""))
