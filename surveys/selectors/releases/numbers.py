"""The numbers that answers stand for: points of a scale, middles of bands, ends of a range. Exact."""

from fractions import Fraction
from itertools import pairwise

from surveys.models.definition import AskedQuestion
from surveys.models.kinds import Kind
from surveys.privacy.mechanisms.reported_numbers import (
    ReportedNumbers,
    numbers_of_bands,
    numbers_of_limits,
)

ORDERED = frozenset({Kind.SCALE, Kind.NUMBER_BANDS})
"""Whose answers have an order, and a number each."""

NUMBERS = ORDERED | {Kind.NUMBER_MEAN}
"""Whose answers are numbers."""


def edges_of(asked: AskedQuestion) -> tuple[Fraction, ...]:
    """Return the limits of the bands."""
    return tuple(Fraction(*edge) for edge in asked.details["edges"])


def values_of(asked: AskedQuestion) -> tuple[Fraction, ...]:
    """Return the number of each ordered answer: 1, 2, … of a scale, the middles of bands."""
    if asked.kind == Kind.SCALE:
        return tuple(Fraction(point) for point in range(1, asked.details["points"] + 1))
    return tuple((low + high) / 2 for low, high in pairwise(edges_of(asked)))


def limits_of(asked: AskedQuestion) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest number that can be meant."""
    numbers = reported_numbers(asked)
    return numbers.low, numbers.high


def reported_numbers(asked: AskedQuestion) -> ReportedNumbers:
    """Return what each report counts for in sums; “prefer not to say” counts for no number."""
    if asked.kind == Kind.NUMBER_BANDS:
        return numbers_of_bands(edges_of(asked), asked.design)
    if asked.first.range:
        return numbers_of_limits(asked.first.range.low, asked.first.range.high, asked.design)
    points = values_of(asked)
    return ReportedNumbers((*points, *(None,) * asked.protects_leaving_out), points[0], points[-1], asked.design)


def smallest_difference(asked: AskedQuestion) -> Fraction:
    """Return how far the two nearest ordered answers are apart."""
    return min(high - low for low, high in pairwise(values_of(asked)))


def said(asked: AskedQuestion) -> int:
    """Return how many of the answers say something: all but a protected “prefer not to say”, which is the last."""
    return asked.design.k - asked.protects_leaving_out
