"""Gradient perturbation: descent along sums of clipped gradients, each sum with its own integer noise.

What one response adds to the sum depends on its pattern and the current parameters, which are public, and is an integer
vector: its gradient, shortened to the length C and rounded towards 0 on a grid, which lengthens nothing. So a replaced
response moves the sum by at most Δ = 2C, exactly (not by L, or C, as one slide has it: those are for a response more or
less). What follows a noisy sum (the step, the projection, the mean of all parameters) looks at no data.

*Utility.* Where C ≥ L nothing is clipped; with steps of length η in a ball of radius R, the mean of the parameters has
on average at most R²/(2ηT) + ηG²/2 more risk than the best in the ball, G² = (C + ΛR)² + dσ²/n², to which rounding adds
at most 2R times its size. The step R/(G√T) makes it RG/√T.

References
----------
Bassily, Smith & Thakurta (2014), Private empirical risk minimization: efficient algorithms and tight error bounds.
Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar & Zhang (2016), Deep learning with differential privacy.
"""

import math
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from surveys.learn.learners.noise import (
    analytic_variance,
    concentrated_allowance,
    concentrated_variance,
    require_accountable,
)
from surveys.learn.learners.risk import RiskMinimiser, Vector
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.decimals import float_not_below
from surveys.privacy.learning.learner import LearningCertificate, NoisyLearner
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.mechanism import ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.rationals import positive, root_not_below, whole_number

ACCOUNTINGS = ("analytic", "concentrated")
_FINEST = Fraction(1, 2**40)
"""What parameters are multiples of."""

_PARTS_OF_CLIP = 2**16


class NoisyGradients(NamedTuple):
    """What was drawn, and the parameters that follow from it.

    Attributes
    ----------
    sums : tuple of tuples of int
        One vector a step, in units of the grid.
    parameters : tuple of Fraction
        The mean of the parameters on the way.
    """

    sums: tuple[tuple[int, ...], ...]
    parameters: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientPerturbation(RiskMinimiser[NoisyGradients]):
    """So many noisy sums of clipped gradients, and the mean of the parameters on the way.

    Parameters
    ----------
    epsilon, delta, relation, risk
        As of a `RiskMinimiser`, for all steps together: ε from 1e-9 to 100, and δ above 0.
    steps : int
        T, at most a million.
    sensitivity : exact number, or Sensitivity in squared L2
        Δ = 2C: gradients are clipped at half of it.
    accounting : str
        "analytic" or "concentrated": `noise` proves both.
    radius : exact number
        R: parameters are kept no longer.
    unit : Fraction, optional
        The grid of gradients. By default, a power of 2 of about C/65,536.
    rate : Fraction, optional
        The length of a step. By default, the one of the theorem.

    Examples
    --------
    >>> from surveys.learn.learners import EmpiricalRisk, GradientPerturbation
    >>> from surveys.privacy import CodedItem, PatternDomain
    >>> domain = PatternDomain(
    ...     outcome=CodedItem(name="copied", codes=2), predictors=(CodedItem(name="year", codes=2),)
    ... )
    >>> risk = EmpiricalRisk(domain=domain, n=400)
    >>> learner = GradientPerturbation(epsilon=1, delta="1/1000000", risk=risk, steps=5, sensitivity=2)
    >>> len(learner.release([120, 80, 90, 110]).parameters)
    2
    """

    steps: int
    sensitivity: Sensitivity = field()
    accounting: str = "analytic"
    radius: Fraction = Fraction(4)
    unit: Fraction | None = None
    rate: Fraction | None = None

    def __post_init__(self) -> None:
        NoisyLearner.__post_init__(self)
        object.__setattr__(self, "sensitivity", _in_squared_l2(self.sensitivity, self.relation))
        if not self.delta > 0:
            raise ValueError("delta must be between 0 and 1, both excluded, for Gaussian noise")
        require_accountable(self.epsilon, self.steps)
        if self.accounting not in ACCOUNTINGS:
            raise ValueError(f"accounting must be one of {', '.join(ACCOUNTINGS)}, got {self.accounting!r}")
        object.__setattr__(self, "radius", positive(self.radius, "radius"))
        if not self.clip > 0:
            raise ValueError("sensitivity must be above 2^-39: half of it is told from 0 on a grid of 2^-40 only")
        if self.unit is None:
            exponent = math.floor(math.log2(self.clip))
            object.__setattr__(self, "unit", Fraction(2) ** exponent / _PARTS_OF_CLIP)
        object.__setattr__(self, "unit", positive(self.unit, "unit"))
        if not self._unit <= self.clip:
            raise ValueError(f"unit must be at most half of the sensitivity, or all gradients are 0, got {self.unit}")
        if self.rate is not None:
            object.__setattr__(self, "rate", positive(self.rate, "rate"))
        if self.risk is not None:
            require_accountable(self.epsilon, self.steps, self.risk.domain.dimension)

    @property
    def clip(self) -> Fraction:
        """C, half of the largest rational in the grid of roots that is not above Δ."""
        square = self.sensitivity.value / 4
        exact = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        if exact * exact == square:
            return exact
        return root_not_below(square, _FINEST) - _FINEST

    @property
    def concentrated(self) -> ConcentratedLoss:
        """The same as zero-concentrated privacy, TΔ²/(2σ²), of the noise that is drawn."""
        return ConcentratedLoss(self.steps * self._squared / (2 * self.noise.variance_parameter))

    @property
    def sigma(self) -> float:
        """σ in the unit of gradients, of continuous noise: for plans; `noise` is what is drawn."""
        squared = float(self.steps * self.sensitivity.value)
        if self.accounting == "analytic":
            return analytic_gaussian_sigma(float(self.epsilon), float(self.delta), squared)
        return math.sqrt(squared / (2 * concentrated_allowance(self.epsilon, self.delta).rho))

    @property
    def noise(self) -> DiscreteGaussian:
        """What is added to each integer of a sum."""
        variance = analytic_variance if self.accounting == "analytic" else concentrated_variance
        return DiscreteGaussian(variance(self.epsilon, self.delta, self._squared, self.steps))

    @property
    def step_length(self) -> Fraction:
        """η: as given, or R/(G√T), hardly rounded down."""
        if self.rate is not None:
            return self.rate
        return self.radius / root_not_below(self.steps * self._mean_square, _FINEST)

    @property
    def utility(self) -> float:
        """How much more regularised risk than the best in the ball the parameters have, on average at most.

        Infinite where gradients may be clipped, as nobody knows where that leads.
        """
        loss, eta = self.minimised.training_loss, self.step_length
        if loss.lipschitz is None or not loss.lipschitz <= self.clip:
            return math.inf
        if loss.radius is not None and not self.radius <= loss.radius:
            return math.inf
        root = root_not_below(Fraction(self.minimised.domain.dimension), _FINEST)
        rounding = 2 * self.radius * root * (self._unit + 2 * _FINEST / eta)
        return float(self.radius**2 / (2 * eta * self.steps) + eta * self._mean_square / 2 + rounding)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> NoisyGradients:
        """Draw all noisy sums, one after the other."""
        received, noise, eta = self._received(counts), self.noise, self.step_length
        theta, path, sums = self._start, [], []
        for _ in range(self.steps):
            path.append(theta)
            sums.append(noise.add_noise(self._sum(received, theta), randbelow))
            theta = self._moved(theta, sums[-1], eta)
        return NoisyGradients(tuple(sums), _mean(path))

    def probability(self, output: NoisyGradients, counts: Sequence[int]) -> float:
        """Return the probability of these noisy sums; 0 if they do not lead to these parameters."""
        received, noise = self._received(counts), self.noise
        if len(output.sums) != self.steps or self.parameters(output.sums) != output.parameters:
            return 0.0
        chance = 1.0
        for theta, noisy in zip(self.path(output.sums), output.sums, strict=True):
            exact = self._sum(received, theta)
            chance *= math.prod(noise.probability(drawn - one) for drawn, one in zip(noisy, exact, strict=True))
        return chance

    def path(self, sums: Sequence[Sequence[int]]) -> Iterator[Vector]:
        """Yield the parameters that each of these noisy sums was drawn at."""
        theta, eta = self._start, self.step_length
        for noisy in sums:
            yield theta
            theta = self._moved(theta, noisy, eta)

    def parameters(self, sums: Sequence[Sequence[int]]) -> Vector:
        """Return the mean of the parameters on the path of these noisy sums."""
        return _mean(list(self.path(sums)))

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far all numbers of all noisy sums are from the exact ones at most, in the unit of gradients."""
        whole_number(n, "n")
        numbers = self.steps * self.minimised.domain.dimension
        return ErrorBound(
            float_not_below(self.noise.error_bound(confidence_level, numbers) * self._unit), confidence_level
        )

    def certificate(self, output: NoisyGradients) -> LearningCertificate:
        """Return how far rounding moved any gradient at most, and the share of gradients that were shortened.

        That share is of all patterns in all steps, at parameters that are public: how many responses had one of these
        patterns is not released.
        """
        if len(output.sums) != self.steps or self.parameters(output.sums) != output.parameters:
            raise ValueError("output must have noisy sums that lead to its parameters")
        shortened = sum(
            _squared_length(gradient) > self.clip**2
            for theta in self.path(output.sums)
            for gradient in self._gradients(theta)
        )
        root = root_not_below(Fraction(self.minimised.domain.dimension), _FINEST)
        return LearningCertificate(
            rounding=self._unit * root, clipped=Fraction(shortened, self.steps * self.minimised.domain.cells)
        )

    def integers(self, theta: Vector) -> list[tuple[int, ...]]:
        """Return each pattern's clipped and rounded gradient at these parameters, in units of the grid."""
        clip, unit = self.clip, self._unit
        steps = []
        for gradient in self._gradients(theta):
            squared = _squared_length(gradient)
            kept = Fraction(1) if squared <= clip**2 else clip / root_not_below(squared, _FINEST)
            steps.append(tuple(int(number * kept / unit) for number in gradient))
        return steps

    def _gradients(self, theta: Vector) -> Iterator[Vector]:
        """Yield each pattern's gradient at these parameters, in the middle of what is known of it."""
        for x, y in self.minimised.rows:
            score = sum((a * b for a, b in zip(x, theta, strict=True)), Fraction(0))
            low, high = self.minimised.training_loss.slope_limits(score, y)
            slope = _FINEST * round((low + high) / 2 / _FINEST)
            yield tuple(slope * feature for feature in x)

    def _sum(self, received: Sequence[int], theta: Vector) -> list[int]:
        columns = zip(*self.integers(theta), strict=True)
        return [sum(count * part for count, part in zip(received, column, strict=True)) for column in columns]

    def _moved(self, theta: Vector, noisy: Sequence[int], eta: Fraction) -> Vector:
        """Return the next parameters: a step, then back to the ball."""
        ridge, scale = self.minimised.ridge, self._unit / self.minimised.n
        tried = [old - eta * (scale * drawn + ridge * old) for old, drawn in zip(theta, noisy, strict=True)]
        squared = _squared_length(tried)
        kept = Fraction(1) if squared <= self.radius**2 else self.radius / root_not_below(squared, _FINEST)
        return tuple(_FINEST * int(number * kept / _FINEST) for number in tried)

    def _received(self, counts: Sequence[int]) -> tuple[int, ...]:
        return self.minimised.domain.read_counts(counts, self.minimised.n)

    @property
    def _start(self) -> Vector:
        return (Fraction(0),) * self.minimised.domain.dimension

    @property
    def _mean_square(self) -> Fraction:
        """G²."""
        noise = self.minimised.domain.dimension * self.noise.variance_parameter * self._unit**2 / self.minimised.n**2
        return (self.clip + self.minimised.ridge * self.radius) ** 2 + noise

    @property
    def _squared(self) -> Fraction:
        """Δ² in units of the grid, where it is an integer."""
        return Fraction(math.floor(self.sensitivity.value / self._unit**2))

    @property
    def _unit(self) -> Fraction:
        return self.unit or Fraction(0)


def _in_squared_l2(sensitivity: object, relation: NeighbouringRelation) -> Sensitivity:
    if not isinstance(sensitivity, Sensitivity):
        return Sensitivity(positive(sensitivity, "sensitivity") ** 2, Norm.L2_SQUARED, relation)
    if sensitivity.norm is not Norm.L2_SQUARED or sensitivity.relation is not relation or not sensitivity.value > 0:
        raise ValueError(f"sensitivity must be above 0 in squared L2 under {relation.name}, got {sensitivity!r}")
    return sensitivity


def _squared_length(vector: Sequence[Fraction]) -> Fraction:
    return sum((number * number for number in vector), Fraction(0))


def _mean(path: Sequence[Vector]) -> Vector:
    return tuple(sum(column, Fraction(0)) / len(path) for column in zip(*path, strict=True))
