"""Designs for the mean of a number whose reports stand for values: the expected value of a report is the truth.

A number between two neighbours of a grid of values is rounded to either at random, so that its mean stays; the grid
value's code goes through a design, and each report has a value. One bit is the case of two reports. All are matrices
of Fractions: their epsilon is that of the matrix, and what is drawn is an integer, as everywhere.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from surveys.privacy.designs.at_epsilon import truth_for
from surveys.privacy.designs.design import Design
from surveys.privacy.designs.family import INTEGER, PAIR, DesignFamily, Parameters
from surveys.privacy.designs.two_answer import refuse
from surveys.privacy.rationals import exact, probability, whole_number

LARGEST_REPORTS = 36
"""A report is stored as one character."""


class OutsideLimitsError(ValueError):
    """A number was answered that is not within the question's limits; the message does not repeat it."""


@dataclass(frozen=True)
class GridMean:
    """A number on a grid, a design for its codes, and the value that each report stands for.

    Parameters
    ----------
    truths : tuple of exact numbers
        The grid, increasing; one value per true answer of the design.
    values : tuple of exact numbers
        What each report stands for.
    design : Design
        From the grid's codes to the reports.

    Raises
    ------
    ValueError
        If the grid does not increase, a length is not the design's, or the expected value of the report is not exactly
        the truth.
    """

    truths: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    design: Design

    def __post_init__(self) -> None:
        object.__setattr__(self, "truths", tuple(exact(truth, "truths") for truth in self.truths))
        object.__setattr__(self, "values", tuple(exact(value, "values") for value in self.values))
        if not all(left < right for left, right in pairwise(self.truths)):
            raise ValueError("truths must increase")
        if (len(self.truths), len(self.values)) != (self.design.k, self.design.m):
            raise ValueError(f"truths and values must be {self.design.k} and {self.design.m} numbers for this design")
        for truth, mean in zip(self.truths, self._means(self.values), strict=True):
            if truth != mean:
                raise ValueError(f"values must have the expected value {truth} where that is the truth, not {mean}")

    @property
    def low(self) -> Fraction:
        """The smallest number possible."""
        return self.truths[0]

    @property
    def high(self) -> Fraction:
        """The largest number possible."""
        return self.truths[-1]

    @property
    def epsilon(self) -> float:
        """The local epsilon between any two numbers within the limits, as those between grid values mix two columns."""
        return self.design.epsilon

    @property
    def excluded(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each report, the grid values that it proves not to be the truth: with any epsilon is infinite."""
        return tuple(
            tuple(truth for truth, chance in zip(self.truths, row, strict=True) if not chance)
            for row in self.design.matrix
        )

    def column(self, value: object) -> tuple[Fraction, ...]:
        """Return Pr(report | value), one probability a report."""
        code, part = self.place(value)
        return tuple((1 - part) * row[code] + part * row[code + 1] for row in self.design.matrix)

    def variance(self, value: object) -> Fraction:
        """Return the variance of the report's value where this number is the truth: of rounding and design together."""
        code, part = self.place(value)
        squares = self._means([number**2 for number in self.values])
        return (1 - part) * squares[code] + part * squares[code + 1] - exact(value, "value") ** 2

    def spread(self, numbers: Sequence[object]) -> Fraction:
        """Return the variance of the reports' values where people have these numbers, equally often."""
        squares = self._means([value**2 for value in self.values])
        placed = [self.place(number) for number in numbers]
        total = sum(((1 - part) * squares[code] + part * squares[code + 1] for code, part in placed), Fraction(0))
        mean = sum((exact(number, "numbers") for number in numbers), Fraction(0)) / len(placed)
        return total / len(placed) - mean**2

    def place(self, value: object) -> tuple[int, Fraction]:
        """Return the code of the grid value at or below a number, and how far it is on the way to the next."""
        number = within(value, self.low, self.high)
        code = min(bisect_right(self.truths, number), len(self.truths) - 1) - 1
        return code, (number - self.truths[code]) / (self.truths[code + 1] - self.truths[code])

    def _means(self, numbers: Sequence[Fraction]) -> list[Fraction]:
        columns = zip(*self.design.matrix, strict=True)
        return [sum((n * p for n, p in zip(numbers, column, strict=True)), Fraction(0)) for column in columns]


def within(value: object, low: Fraction, high: Fraction) -> Fraction:
    """Return the exact number that was answered; no message repeats it."""
    try:
        number = exact(value, "value")
    except ValueError:
        raise OutsideLimitsError("value must be an exact number") from None
    if not low <= number <= high:
        raise OutsideLimitsError(f"value must be from {low} to {high}")
    return number


def even_grid(low: object, high: object, k: int) -> tuple[Fraction, ...]:
    """Return k values at equal distances, the limits among them."""
    least, most = exact(low, "low"), exact(high, "high")
    if not least < most:
        raise ValueError(f"low must be below high, got {least} and {most}")
    k = whole_number(k, "k", 2)
    return tuple(least + (most - least) * code / (k - 1) for code in range(k))


USUAL_GRID, USUAL_WINDOW = 9, 4
"""Twelve reports: at an epsilon from 1 to 2 one of the best windows that so many allow."""


def number_window(k: int, truth: object, grid: int | None = None, window: int = USUAL_WINDOW) -> Design:
    """Return the design of a window: with probability t one of the w reports around the truth, else any report.

    For truth i these are the reports i, …, i + w − 1 of m = k + w − 1. So they have the probability t/w + (1 − t)/m
    each, all others (1 − t)/m, and odds change at most (1 + t·m/((1 − t)w))-fold.

    Parameters
    ----------
    k : int
        The number of grid values.
    truth : exact probability
        t; not 0. At 1 each report rules all true answers out but those it is near to: epsilon is infinite.
    grid : int, optional
        The same as k: what is stored says how fine the grid is.
    window : int, optional
        w, from 1; there are 36 reports at most.

    Returns
    -------
    Design
        For k grid values, with k + w − 1 reports; `grid_of` gives them values.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.privacy import number_window
    >>> design = number_window(9, "1/2")
    >>> [design.m, round(design.epsilon, 3)]
    [12, 1.386]
    """
    kept = probability(truth, "truth")
    refuse(kept, "truth", 0)
    if whole_number(k if grid is None else grid, "grid", 2, LARGEST_REPORTS) != k:
        raise ValueError(f"grid must be the number of truths, which is {k}, got {grid}")
    w = whole_number(window, "window", 1, LARGEST_REPORTS + 1 - k)
    m = k + w - 1
    rare = (1 - kept) / m
    rows = tuple(
        tuple(rare + (kept / w if code <= report < code + w else 0) for code in range(k)) for report in range(m)
    )
    return Design("number_window", rows, (("truth", kept), ("grid", k), ("window", w)))


def window_grid(design: Design, low: object, high: object) -> GridMean:
    """Return a window's design with values on a grid: the mean code is a straight line in the truth.

    For truth i it is t(i + (w − 1)/2) + (1 − t)(m − 1)/2, so that values at equal distances are exactly unbiased.
    """
    given = dict(design.exact_parameters)
    kept, w = exact(given["truth"], "truth"), exact(given["window"], "window")
    grid = even_grid(low, high, design.k)
    step = (grid[1] - grid[0]) / kept
    first = (kept * (w - 1) + (1 - kept) * (design.m - 1)) / 2
    return GridMean(grid, tuple(grid[0] + step * (report - first) for report in range(design.m)), design)


def _truth_of_window(odds: Fraction, k: int, others: Parameters) -> Fraction:
    w = whole_number(others.get("window", USUAL_WINDOW), "window", 1, LARGEST_REPORTS)
    return truth_for(odds, Fraction(w, k + w - 1))


NUMBER_WINDOW = DesignFamily(
    "number_window",
    number_window,
    {"truth": PAIR, "grid": INTEGER, "window": INTEGER},
    for_any_k=True,
    turned_by="truth",
    probability_at=_truth_of_window,
    # Its reports are no answers: it is compared for means alone.
    option_at=lambda _epsilon, _k: {},
    grid=window_grid,
)
