"""The empirical risk of a linear model: what learning minimises, with minima that are certified.

J(θ) = Σ count·ℓ(θ·x, y)/n + Λ/2·‖θ‖². With a ridge Λ above 0 it is Λ-strongly convex, so that ‖∇J(θ)‖ ≥ Λ‖θ − θ*‖: the
gradient at any point says how far the minimum is at most, however the point was found. Gradients are formed in
integers, with a slope rounded down and one rounded up where it is irrational.

*The search ends.* With c-smooth losses all second derivatives lie between Λ and β = c + Λ. A step leads along Newton's
direction p = −H⁻¹∇J to where the slope of J along p is still below 0, and at most half as steep as at the start,
a = −p·∇J ≥ ‖∇J‖²/β; or all along p, if the slope is below 0 there. As it rises by at most M = β‖p‖² ≤ β‖∇J‖²/Λ² on the
way, J falls by a²/(8M) or a/2 at least: a fixed share of ‖∇J‖²/(2Λ), which is no less than what J is above its minimum.
A step that halves the shortest gradient so far is taken whatever J does, and there are few of these. (The gradient's
own length is no guide: where a slope has corners Newton's step makes it longer at first, and steps along the gradient
shrink it by 1 − Λ/β each.)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from surveys.learn.learners.losses import LinearLoss, LogisticLoss
from surveys.privacy.decimals import decimal, many_digits
from surveys.privacy.learning.domain import PatternDomain
from surveys.privacy.learning.learner import NoisyLearner
from surveys.privacy.mechanisms.mechanism import Output
from surveys.privacy.rationals import exact, root_not_below

_UNIT = Fraction(1, 2**160)
"""What parameters and slopes are multiples of on the way to a minimum."""

_SMALLEST_RIDGE = Fraction(1, 10**9)

SMALLEST_GRADIENT = Fraction(1, 10**24)
"""Slopes are known to so many digits that a gradient of this length is surely reached."""

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

    Examples
    --------
    >>> from fractions import Fraction
    >>> from surveys.learn.learners import EmpiricalRisk
    >>> from surveys.privacy import CodedItem, PatternDomain
    >>> domain = PatternDomain(
    ...     outcome=CodedItem(name="copied", codes=2), predictors=(CodedItem(name="year", codes=2),)
    ... )
    >>> risk = EmpiricalRisk(domain=domain, n=400, ridge="1/100")
    >>> point, distance = risk.minimum([120, 80, 90, 110], Fraction(1, 10**6))
    >>> [round(float(number), 2) for number in point]
    [-0.27, 0.61]
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
            If the loss is not smooth, the ridge is 0, or the distance too small.
        """
        self.training_loss.require("a certified minimum", "smoothness")
        if not self.ridge:
            raise ValueError("ridge must be above 0 for a certified minimum")
        if not within * self.ridge >= SMALLEST_GRADIENT:
            raise ValueError(f"within must be at least 1e-24/ridge, got {float(within):.3g}")
        received = self.domain.read_counts(counts, self.n)
        cells = [(x, y, count) for (x, y), count in zip(self.rows, received, strict=True) if count]
        point: Vector = (Fraction(0),) * self.domain.dimension
        slope, length = self._gradient(cells, point)
        shortest = length
        while length > within * self.ridge:
            point, slope, length = self._step(cells, point, slope, shortest)
            shortest = min(shortest, length)
        return point, length / self.ridge

    def _step(
        self, cells: Sequence[tuple[Vector, Fraction, int]], point: Vector, slope: Vector, shortest: Fraction
    ) -> tuple[Vector, Vector, Fraction]:
        """Return the next point, and its gradient, of a gradient and the length of the shortest so far."""
        way = self._newton(cells, point, slope)
        steepness, low, high, size = _dot(slope, way), Fraction(0), Fraction(1), Fraction(1)
        while True:
            there = tuple(_rounded(theta + size * move) for theta, move in zip(point, way, strict=True))
            gradient, length = self._gradient(cells, there)
            along = _dot(gradient, way)
            falls = along <= 0 and (size == 1 or along >= steepness / 2)
            if falls or length <= shortest / 2:
                return there, gradient, length
            low, high = (low, size) if along > 0 else (size, high)
            size = (low + high) / 2

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
        """Return the way to the minimum of the parabola that fits at this point, about."""
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
            return tuple(-_rounded(Fraction(move)) for move in step)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskMinimiser(NoisyLearner[Output]):
    """A noisy learner of the parameters of least risk.

    Parameters
    ----------
    epsilon, delta, relation
        As of a `NoisyLearner`.
    risk : EmpiricalRisk, optional
        What is minimised; only a release, and its utility, need it.
    """

    risk: EmpiricalRisk | None = None

    @property
    def minimised(self) -> EmpiricalRisk:
        """The risk; ValueError where none was given."""
        if self.risk is None:
            raise ValueError("risk must be given for a release, and for its utility")
        return self.risk


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
