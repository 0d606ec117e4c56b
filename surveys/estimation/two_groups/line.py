"""Two groups' Yes-rates as two points on a straight line, and what its ends mean in a model."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from surveys.estimation.segment import log_likelihood
from surveys.estimation.validation import Counts, Floats, read_only, report_counts
from surveys.privacy.rationals import probability

Ends: TypeAlias = tuple[Fraction, Fraction] | tuple[float, float]
"""The line's heights at p = 0 and at p = 1."""

ToEnds: TypeAlias = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
"""The matrix that takes the two Yes-rates to the ends of the line."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A model's parameter as a quotient of two affine functions of the line's ends.

    Attributes
    ----------
    numerator, denominator : tuple of 3 integers
        A constant, and the factors of the heights at p = 0 and at p = 1. The denominator 1 makes it linear.
    """

    numerator: tuple[int, int, int]
    denominator: tuple[int, int, int] = (1, 0, 0)

    @property
    def linear(self) -> bool:
        """Whether nothing is divided."""
        return self.denominator == (1, 0, 0)

    def weights(self, to_ends: ToEnds) -> tuple[Fraction, Fraction]:
        """Return the weights of the two Yes-rates in a linear parameter."""
        (a, b), (c, d) = to_ends
        _, at_0, at_1 = self.numerator
        return at_0 * a + at_1 * c, at_0 * b + at_1 * d

    def excess(self, ends: Ends, value: Fraction | float) -> Fraction | float:
        """Return numerator − value·denominator, which is 0 where the parameter has this value."""
        return affine(self.numerator, ends) - value * affine(self.denominator, ends)

    def at(self, ends: Ends) -> Fraction | float:
        """Return the parameter's value for these ends, NaN where nobody is in the denominator."""
        below = affine(self.denominator, ends)
        return affine(self.numerator, ends) / below if below else math.nan


def affine(factors: tuple[int, int, int], ends: Ends) -> Fraction | float:
    """Return an affine function of the two ends."""
    return factors[0] + factors[1] * ends[0] + factors[2] * ends[1]


def to_ends(p1: Fraction, p2: Fraction) -> ToEnds:
    """Return the matrix that takes the Yes-rates at two chances to the ends of the line."""
    return (p2 / (p2 - p1), -p1 / (p2 - p1)), (-(1 - p2) / (p2 - p1), (1 - p1) / (p2 - p1))


@dataclass(frozen=True, slots=True)
class LineModel:
    """What the two ends of the line mean, and where they can be.

    Attributes
    ----------
    quantities : dict from str to Quantity
        The parameters by name, the prevalence first.
    corners : tuple of pairs of integers
        The possible pairs of ends are the convex polygon with these corners, anticlockwise.
    """

    quantities: dict[str, Quantity]
    corners: tuple[tuple[int, int], ...]

    def possible(self, ends: Ends) -> bool:
        """Whether the ends lie in the polygon: on the left of every edge, or on it."""
        return all(
            (b[0] - a[0]) * (ends[1] - a[1]) >= (b[1] - a[1]) * (ends[0] - a[0])
            for a, b in zip(self.corners, self.corners[1:] + self.corners[:1], strict=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class TwoGroups:
    """What two groups reported, and the chances they were given.

    Attributes
    ----------
    counts : array of 2 × 2 integers
        No and Yes, one row a group.
    chances : pair of Fraction
        p of each group.
    """

    counts: npt.NDArray[np.int64]
    chances: tuple[Fraction, Fraction]

    @property
    def rates(self) -> tuple[Fraction, Fraction]:
        """The observed Yes-rates, exactly."""
        first, second = (Fraction(int(yes), int(no + yes)) for no, yes in self.counts)
        return first, second

    @property
    def to_ends(self) -> ToEnds:
        """The matrix that takes the two Yes-rates to the ends of the line."""
        return to_ends(*self.chances)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The ends of the line through the observed Yes-rates; they may leave [0, 1]."""
        (a, b), (c, d) = self.to_ends
        first, second = self.rates
        return a * first + b * second, c * first + d * second

    def rate_variances(self) -> Floats:
        """Return the unbiased estimates λ̂(1−λ̂)/(n−1), NaN for a group of one."""
        return np.array(
            [
                float(rate * (1 - rate) / (int(row.sum()) - 1)) if row.sum() > 1 else np.nan
                for rate, row in zip(self.rates, self.counts, strict=True)
            ]
        )

    def report_probabilities(self, ends: Ends) -> list[float]:
        """Return the probabilities of No and Yes in the first group, then in the second."""
        found = []
        at_0, at_1 = float(ends[0]), float(ends[1])
        for p in map(float, self.chances):
            yes = (1 - p) * at_0 + p * at_1
            found += [1 - yes, yes]
        return found

    def log_likelihood(self, ends: Ends) -> float:
        """Return the log-likelihood of the counts when the line has these ends."""
        return log_likelihood(self.counts.ravel().tolist(), self.report_probabilities(ends))


def two_groups(counts1: Counts, counts2: Counts, p1: object, p2: object) -> TwoGroups:
    """Return the two groups, or refuse what is no count, no probability, or the same chance twice."""
    counts = np.stack([report_counts(counts1, 2, "counts1"), report_counts(counts2, 2, "counts2")])
    first, second = probability(p1, "p1"), probability(p2, "p2")
    if first == second:
        raise ValueError(f"p1 and p2 must differ, or the groups tell nothing about each other, got {first} twice")
    return TwoGroups(read_only(counts), (first, second))
