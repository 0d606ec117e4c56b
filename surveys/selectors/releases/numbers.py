"""The numbers that answers stand for: points of a scale, middles of bands, ends of a range. Exact."""

from fractions import Fraction
from itertools import pairwise

from surveys.models.definition import AskedQuestion
from surveys.privacy.mechanisms.reported_numbers import (
    ReportedNumbers,
    numbers_of_bands,
    numbers_of_limits,
)


def has_numbers(asked: AskedQuestion) -> bool:
    """Whether its answers are numbers: each one, or the ends that chance rounds to."""
    return bool(asked.values) or asked.first.range is not None


def limits_of(asked: AskedQuestion) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest number that can be meant."""
    numbers = reported_numbers(asked)
    return numbers.low, numbers.high


def reported_numbers(asked: AskedQuestion) -> ReportedNumbers:
    """Return what each report counts for in sums; “prefer not to say” counts for no number."""
    if asked.edges:
        return numbers_of_bands(asked.edges, asked.design)
    if asked.first.range:
        return numbers_of_limits(asked.first.range.low, asked.first.range.high, asked.design)
    points = asked.values
    return ReportedNumbers((*points, *(None,) * asked.protects_leaving_out), points[0], points[-1], asked.design)


def smallest_difference(asked: AskedQuestion) -> Fraction:
    """Return how far the two nearest ordered answers are apart."""
    return min(high - low for low, high in pairwise(asked.values))


def said(asked: AskedQuestion) -> int:
    """Return how many of the answers say something: all but a protected “prefer not to say”, which is the last."""
    return asked.design.k - asked.protects_leaving_out
