"""What the same protection costs a mean under different designs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.validation import responses
from surveys.privacy.designs.grid import (
    LARGEST_REPORTS,
    GridMean,
    even_grid,
    hybrid_mean,
    piecewise_mean,
    simple_odds,
    window_mean,
)
from surveys.privacy.rationals import distribution, exact, whole_number

EVEN = 21
"""So many numbers at equal distances, equally often, stand for numbers that are spread evenly."""


@dataclass(frozen=True, slots=True)
class MeanPrecision:
    """How precise one design for a mean is among others with the same epsilon.

    Attributes
    ----------
    name : str
        ``"one_bit"``, ``"three_values"``, ``"piecewise"``, ``"hybrid"``, or ``"bands"``: a k-ary report of the number's
        band.
    grid : GridMean
        Its matrix and values.
    half_width : float
        Expected of the mean's interval, for the numbers assumed.
    worst_half_width : float
        Expected where everybody has the number at which the design is least precise.
    largest_bias : float
        By how much the mean may be off however many answer: half a band, 0 for all others.
    """

    name: str
    grid: GridMean
    half_width: float
    worst_half_width: float
    largest_bias: float


def compare_means(
    *,
    epsilon: object,
    low: object,
    high: object,
    n: int,
    bands: int = 10,
    numbers: Sequence[tuple[object, object]] | None = None,
    reports: int = LARGEST_REPORTS,
    confidence_level: float = 0.95,
) -> tuple[MeanPrecision, ...]:
    """Return what designs for a mean make of n responses at one epsilon, the most precise for these numbers first.

    Parameters
    ----------
    epsilon : exact number or float
        Above 0 and finite; each design's is at most this and at least 99% of it.
    low, high : exact numbers
        The limits.
    n : int
        The number of responses.
    bands : int, optional
        Of the banded design, from 2 to 36.
    numbers : sequence of pairs (value, share), optional
        What is assumed to be answered; by default 21 values at equal distances, equally often.
    reports : int, optional
        The most that the piecewise and the hybrid design may have.
    confidence_level : float, optional
        Of the margins of error.
    """
    n, z, odds = responses(n), normal_quantile(confidence_level), simple_odds(epsilon)
    grid = even_grid(low, high, EVEN)
    assumed = numbers if numbers is not None else [(value, Fraction(1, len(grid))) for value in grid]
    values = [exact(value, "numbers") for value, _ in assumed]
    shares = distribution([share for _, share in assumed], len(values), "numbers")
    width = (grid[-1] - grid[0]) / whole_number(bands, "bands", 2, LARGEST_REPORTS)
    banded = window_mean(grid[0] + width / 2, grid[-1] - width / 2, reports=bands, window=1, odds=odds)
    middles = [banded.truths[min(int((value - grid[0]) / width), bands - 1)] for value in values]
    designs = {
        "one_bit": window_mean(low, high, reports=2, window=1, odds=odds),
        "three_values": window_mean(low, high, reports=3, window=1, odds=odds),
        "piecewise": piecewise_mean(epsilon, low, high, reports),
        "hybrid": hybrid_mean(epsilon, low, high, reports),
        "bands": banded,
    }
    rows = []
    for name, design in designs.items():
        answers = middles if name == "bands" else values
        mean = sum((x * share for x, share in zip(answers, shares, strict=True)), Fraction(0))
        spread = sum(
            ((design.variance(x) + (x - mean) ** 2) * share for x, share in zip(answers, shares, strict=True)),
            Fraction(0),
        )
        rows.append(
            MeanPrecision(
                name,
                design,
                z * math.sqrt(spread / n),
                z * math.sqrt(design.worst_variance / n),
                float(width / 2) if name == "bands" else 0.0,
            )
        )
    return tuple(sorted(rows, key=lambda row: row.half_width))
