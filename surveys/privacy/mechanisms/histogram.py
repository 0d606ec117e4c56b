"""Noisy counts: of every code, or of every one of several options.

A histogram of d counts that one response changes by at most 1 each has L1 sensitivity d and squared L2 sensitivity d.
Where n is public and there are two codes, one count says it all: noise is drawn for the count of code 1, and the other
is n minus it. That is sensitivity 1 instead of 2, and no inconsistent release.
"""

import math
import secrets
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from surveys.privacy.accounting.gaussian import gaussian_variance
from surveys.privacy.adjacency import Counted, NeighbouringRelation, count_sensitivity, histogram_sensitivity
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Norm, Randbelow, Sensitivity
from surveys.privacy.rationals import positive, probability, show_value, whole_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


# What estimates and error bounds need to know of the noise on a count, whichever it is.


class Noise(Protocol):
    """Integer noise, symmetric around 0, drawn for every count by itself."""

    @property
    def variance(self) -> float:
        """The variance of the noise on one count; infinite beyond all floats."""

    @property
    def reach(self) -> int:
        """An integer that the noise exceeds on either side with a probability below 1e-15."""

    def probability(self, x: int) -> float:
        """Return Pr(X = x): 0 for what is no integer."""

    def at_least(self, t: "npt.ArrayLike") -> "npt.NDArray[np.float64]":
        """Return Pr(X ≥ t) for every one of these integers."""

    @property
    def steepest(self) -> float:
        """Below which exponents `log_mgf` is finite."""

    def log_mgf(self, h: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
        """Return ln E e^(hX), or what it is at most, for exponents between 0 and `steepest`."""

    def survival(self, t: int) -> float:
        """Return Pr(|X| > t) for an integer of at least 0."""

    def error_bound(self, confidence_level: float, counts: int = 1) -> int:
        """Return a t such that all of so many counts are within ±t with this confidence, the smallest there is."""

    def sample(self, randbelow: Randbelow = secrets.randbelow) -> int:
        """Draw the noise for one count, exactly."""

    def add_noise(self, counts: Iterable[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, ...]:
        """Return the counts, each with its own noise; they may be negative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyHistogram(CentralMechanism[tuple[int, ...]]):
    """Every count with its own noise; of two codes under a public n, one count and the rest of n.

    Parameters
    ----------
    relation : NeighbouringRelation
        Which data sets are neighbours.
    counted : Counted
        What one response adds to the counts.
    length : int
        How many counts there are: at least 1 bit, at least 2 codes.
    """

    relation: NeighbouringRelation
    counted: Counted
    length: int

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """What is added to each count drawn."""

    @property
    def is_one_count(self) -> bool:
        """Whether one count is drawn, and the other is the rest of the public n."""
        replaced = self.relation is NeighbouringRelation.REPLACE_ONE
        return replaced and self.counted is Counted.CODES and self.length == 2

    @property
    def draws(self) -> int:
        """How many counts get noise of their own."""
        return 1 if self.is_one_count else self.length

    @property
    def changed(self) -> int:
        """How many of the counts drawn one response changes at most, each by 1."""
        if self.is_one_count:
            return count_sensitivity(self.relation)
        return histogram_sensitivity(self.relation, self.counted, self.length)

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, ...]:
        """Return the counts, each with its own noise; they may be negative, and one may exceed n."""
        exact = self._checked(counts)
        if not self.is_one_count:
            return self.noise.add_noise(exact, randbelow)
        [noisy] = self.noise.add_noise(exact[1:], randbelow)
        return sum(exact) - noisy, noisy

    def probability(self, output: tuple[int, ...], counts: Sequence[int]) -> float:
        """Return the probability of these noisy counts: a product, as every draw is independent."""
        errors = [noisy - count for noisy, count in zip(output, self._checked(counts), strict=True)]
        if self.is_one_count and sum(errors) != 0:
            return 0.0
        noise = self.noise
        return math.prod(noise.probability(error) for error in errors[-self.draws :])

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far all counts at once are from the true ones at most, in responses; n does not matter."""
        whole_number(n, "n")
        return ErrorBound(self.noise.error_bound(confidence_level, self.draws), confidence_level)

    def _require_kind(self) -> None:
        """Refuse a relation, a `counted` or a length that is none."""
        histogram_sensitivity(self.relation, self.counted, self.length)

    def _checked(self, counts: Sequence[int]) -> list[int]:
        if len(counts) != self.length:
            raise ValueError(f"counts must hold {self.length} integers, got {show_value(counts)}")
        return [whole_number(count, "counts") for count in counts]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceHistogram(NoisyHistogram):
    """Discrete Laplace noise of scale d/ε on every count, d the number of counts that one response changes.

    Neighbours differ by v, and by the triangle inequality the probabilities of any output by at most
    exp(ε·‖v‖₁/d) ≤ e^ε, which an output beyond all counts attains.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.

    Examples
    --------
    >>> from surveys.privacy import Counted, LaplaceHistogram, NeighbouringRelation
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = LaplaceHistogram(epsilon="1/2", relation=relation, counted=Counted.CODES, length=2)
    >>> str(mechanism.loss.epsilon)
    '1/2'
    >>> sum(mechanism.release([60, 40]))
    100
    >>> mechanism.error_bound(100, 0.95).at_most
    6
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        self._require_kind()

    @property
    def loss(self) -> PrivacyLoss:
        """What one histogram costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        """In L1, of the counts that get noise of their own."""
        return Sensitivity(Fraction(self.changed), Norm.L1, self.relation)

    @property
    def noise(self) -> DiscreteLaplace:
        """What is added to each count drawn."""
        return DiscreteLaplace(self.epsilon, self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianHistogram(NoisyHistogram):
    """Discrete Gaussian noise on every count, with the smallest variance on a grid that is (ε, δ)-private.

    `accounting.gaussian` says why it is, and where δ is exact.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    delta : Fraction
        Between 0 and 1, both excluded.

    Examples
    --------
    >>> from surveys.privacy import Counted, GaussianHistogram, NeighbouringRelation
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = GaussianHistogram(
    ...     epsilon=1, delta="1/1000000", relation=relation, counted=Counted.CODES, length=3
    ... )
    >>> mechanism.error_bound(100, 0.95).at_most
    14
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", probability(self.delta, "delta"))
        if not 0 < self.delta < 1:
            raise ValueError(f"delta must be between 0 and 1, both excluded, got {self.delta}")
        self._require_kind()

    @property
    def loss(self) -> PrivacyLoss:
        """What one histogram costs."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def concentrated(self) -> ConcentratedLoss:
        """The same as zero-concentrated privacy, which needs no δ: ρ = d/(2σ²)."""
        return self.noise.concentrated_loss(self.changed)

    @property
    def sensitivity(self) -> Sensitivity:
        """In squared L2, of the counts that get noise of their own."""
        return Sensitivity(Fraction(self.changed), Norm.L2_SQUARED, self.relation)

    @property
    def noise(self) -> DiscreteGaussian:
        """What is added to each count drawn."""
        return DiscreteGaussian(gaussian_variance(self.epsilon, self.delta, self.changed))
