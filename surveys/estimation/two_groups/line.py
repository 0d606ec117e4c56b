"""Two groups' Yes-rates as two mixtures of the same two shares, and what these mean in a model.

Where each group has one probability p, its Yes-rate is (1−p)·E₀ + p·E₁: two points on a straight line, whose ends are
the two shares. Where a design can also ask for No, the two weights no longer sum to 1; all else is the same.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from surveys.estimation.segment import log_likelihood
from surveys.estimation.validation import Counts, Floats, read_only, report_counts
from surveys.privacy.rationals import probability, show_value

Ends: TypeAlias = tuple[Fraction, Fraction] | tuple[float, float]
"""The line's heights at p = 0 and at p = 1."""

ToEnds: TypeAlias = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
"""The matrix that takes the two Yes-rates to the ends of the line."""

EndWeights: TypeAlias = tuple[Fraction, Fraction]
"""The weights of the two ends in a group's Yes-rate; at the probability p they are 1−p and p."""


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


def weights_at(p: Fraction) -> EndWeights:
    """Return the weights of the two ends in the Yes-rate of a group with this probability."""
    return 1 - p, p


def to_ends(first: EndWeights, second: EndWeights) -> ToEnds:
    """Return the matrix that takes the Yes-rates of two groups to the ends: the inverse of their weights."""
    determinant = first[0] * second[1] - first[1] * second[0]
    return (second[1] / determinant, -first[1] / determinant), (-second[0] / determinant, first[0] / determinant)


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
    """What two groups reported, and with which weights their Yes-rates mix the two ends.

    Attributes
    ----------
    counts : array of 2 × 2 integers
        No and Yes, one row a group.
    weights : pair of pairs of Fraction
        Of the ends at p = 0 and at p = 1, one pair a group.
    """

    counts: npt.NDArray[np.int64]
    weights: tuple[EndWeights, EndWeights]

    @property
    def rates(self) -> tuple[Fraction, Fraction]:
        """The observed Yes-rates, exactly."""
        first, second = (Fraction(int(yes), int(no + yes)) for no, yes in self.counts)
        return first, second

    @property
    def to_ends(self) -> ToEnds:
        """The matrix that takes the two Yes-rates to the ends of the line."""
        return to_ends(*self.weights)

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
        probabilities = []
        at_0, at_1 = float(ends[0]), float(ends[1])
        for weight_0, weight_1 in self.weights:
            yes = float(weight_0) * at_0 + float(weight_1) * at_1
            probabilities += [1 - yes, yes]
        return probabilities

    def log_likelihood(self, ends: Ends) -> float:
        """Return the log-likelihood of the counts when the line has these ends."""
        return log_likelihood(self.counts.ravel().tolist(), self.report_probabilities(ends))


def two_groups(counts1: Counts, counts2: Counts, p1: object, p2: object) -> TwoGroups:
    """Return the two groups, or refuse what is no count, no probability, or the same probability twice."""
    return mixed_groups(counts1, counts2, weights_at(probability(p1, "p1")), weights_at(probability(p2, "p2")))


def mixed_groups(counts1: Counts, counts2: Counts, weights1: EndWeights, weights2: EndWeights) -> TwoGroups:
    """Return the two groups by the weights of the two ends in their Yes-rates."""
    counts = np.stack([report_counts(counts1, 2, "counts1"), report_counts(counts2, 2, "counts2")])
    return TwoGroups(read_only(counts), require_identified(weights1, weights2))


def require_identified(weights1: EndWeights, weights2: EndWeights) -> tuple[EndWeights, EndWeights]:
    """Return the weights of two groups; ValueError where their Yes-rates do not tell both ends."""
    if not identified(weights1, weights2):
        raise ValueError(
            "p1 and p2 must differ, or the groups tell nothing about each other: their Yes-rates mix the same, got the "
            f"weights {show_value((weights1, weights2))}"
        )
    return weights1, weights2


def identified(weights1: EndWeights, weights2: EndWeights) -> bool:
    """Whether two groups' Yes-rates tell both ends: neither pair of weights is a multiple of the other."""
    return weights1[0] * weights2[1] != weights1[1] * weights2[0]
