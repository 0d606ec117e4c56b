"""The empirical risk of a linear model: what learning minimises, with minima that are certified.

J(θ) = Σ count·ℓ(θ·x, y)/n + Λ/2·‖θ‖². With a ridge Λ above 0 it is Λ-strongly convex, so that ‖∇J(θ)‖ ≥ Λ‖θ − θ*‖: the
gradient at any point says how far the minimum is at most, however the point was found. Gradients are formed in
integers, with a slope rounded down and one rounded up where it is irrational.

*The search ends.* With c-smooth losses, J is β-smooth, β = c + Λ, and for a step of 1/β along the gradient
∇J(θ⁺) = (I − H/β)∇J(θ), H a mean of second derivatives with all eigenvalues between Λ and β. So the gradient shrinks by
the factor 1 − Λ/β at least. A step by Newton's method is taken where it shrinks it as much, and this one elsewhere.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from surveys.privacy.decimals import decimal, many_digits
from surveys.privacy.learning.domain import PatternDomain
from surveys.privacy.learning.losses import LinearLoss, LogisticLoss
from surveys.privacy.rationals import exact, root_not_below

_UNIT = Fraction(1, 2**160)
"""What parameters and slopes are multiples of on the way to a minimum."""

_SMALLEST_RIDGE = Fraction(1, 10**9)

Vector = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmpiricalRisk:
    """The mean loss of so many responses, and a ridge.

    Parameters
    ----------
    domain : PatternDomain
        The patterns that responses can have, one for every five responses at most.
    n : int
        How many responses there are, which is public.
    training_loss : LinearLoss
        Of one response.
    ridge : exact number
        Λ, 0 or at least 1e-9.
    """

    domain: PatternDomain
    n: int
    training_loss: LinearLoss = field(default_factory=LogisticLoss)
    ridge: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self.domain.require_responses(self.n)
        ridge = exact(self.ridge, "ridge")
        if not (ridge == 0 or ridge >= _SMALLEST_RIDGE):
            raise ValueError(f"ridge must be 0 or at least 1e-9, got {ridge}")
        object.__setattr__(self, "ridge", ridge)
        if not isinstance(self.training_loss, LinearLoss):
            raise TypeError(f"training_loss must be of a linear model, got {self.training_loss!r}")
        targets = self.domain.targets
        if not targets:
            raise ValueError(f"outcome {self.domain.outcome.name} must have a value for each of its codes")
        if self.training_loss.needs_signs and not set(targets) <= {-1, 1}:
            raise ValueError(f"outcome {self.domain.outcome.name} must have the values -1 and 1 for this loss")

    @property
    def rows(self) -> tuple[tuple[Vector, Fraction], ...]:
        """The features and the outcome of each pattern, in the domain's order."""
        return tuple((x, y) for y in self.domain.targets for x in self.domain.features)

    def minimum(self, counts: Sequence[int], within: Fraction) -> tuple[Vector, Fraction]:
        """Return a point and a bound on its distance to the minimum, which is not above the one asked for.

        Parameters
        ----------
        counts : sequence of int
            How often each pattern was reported; they sum to n.
        within : Fraction
            Above 0, at least 1e-24/Λ.

        Raises
        ------
        ValueError
            If the loss is not smooth, or the ridge is 0.
        """
        self.training_loss.require("a certified minimum", "smoothness")
        if not self.ridge:
            raise ValueError("ridge must be above 0 for a certified minimum")
        smoothness = (self.training_loss.smoothness or 0) + self.ridge
        received = self.domain.read_counts(counts, self.n)
        cells = [(x, y, count) for (x, y), count in zip(self.rows, received, strict=True) if count]
        point: Vector = (Fraction(0),) * self.domain.dimension
        slope, length = self._gradient(cells, point)
        while length > within * self.ridge:
            tried = self._newton(cells, point, slope)
            tried_slope, tried_length = self._gradient(cells, tried)
            if not tried_length <= length * (1 - self.ridge / smoothness):
                tried = tuple(_rounded(t - g / smoothness) for t, g in zip(point, slope, strict=True))
                tried_slope, tried_length = self._gradient(cells, tried)
            point, slope, length = tried, tried_slope, tried_length
        return point, length / self.ridge

    def _gradient(self, cells: Sequence[tuple[Vector, Fraction, int]], point: Vector) -> tuple[Vector, Fraction]:
        """Return about the gradient, and a bound on the length of the exact one."""
        total, unsure = [Fraction(0)] * len(point), 0
        for x, y, count in cells:
            low, high = self.training_loss.slope_limits(_dot(x, point), y)
            down, up = math.floor(low / _UNIT), math.ceil(high / _UNIT)
            unsure += count * (up - down)
            # Of the middle of the two, which is off by half their distance at most, along a feature no longer than 1.
            total = [so_far + count * (down + up) * feature for so_far, feature in zip(total, x, strict=True)]
        gradient = tuple(
            sum_ * _UNIT / (2 * self.n) + self.ridge * theta for sum_, theta in zip(total, point, strict=True)
        )
        length = root_not_below(_dot(gradient, gradient), _UNIT)
        return gradient, length + unsure * _UNIT / (2 * self.n)

    def _newton(self, cells: Sequence[tuple[Vector, Fraction, int]], point: Vector, gradient: Vector) -> Vector:
        """Return the minimum of the parabola that fits at this point, about."""
        size = len(point)
        with many_digits():
            matrix = [[Decimal(0)] * size for _ in range(size)]
            for x, y, count in cells:
                bent = decimal(count * self.training_loss.curvature(_dot(x, point), y))
                features = [decimal(feature) for feature in x]
                for row, one in zip(matrix, features, strict=True):
                    for column, other in enumerate(features):
                        row[column] += bent * one * other
            system = [[entry / self.n for entry in row] for row in matrix]
            for place in range(size):
                system[place][place] += decimal(self.ridge)
                system[place].append(decimal(gradient[place]))
            step = _solved(system)
            return tuple(_rounded(theta - Fraction(move)) for theta, move in zip(point, step, strict=True))


def _solved(system: list[list[Decimal]]) -> list[Decimal]:
    """Solve a positive definite system of rows, each with its right side, which needs no pivots."""
    size = len(system)
    for place in range(size):
        pivot = system[place]
        for row in system[place + 1 :]:
            factor = row[place] / pivot[place]
            for column in range(place, size + 1):
                row[column] -= factor * pivot[column]
    solution = [Decimal(0)] * size
    for place in reversed(range(size)):
        known = sum((system[place][column] * solution[column] for column in range(place + 1, size)), Decimal(0))
        solution[place] = (system[place][size] - known) / system[place][place]
    return solution


def _rounded(value: Fraction) -> Fraction:
    return _UNIT * round(value / _UNIT)


def _dot(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))
