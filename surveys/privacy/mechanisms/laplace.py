"""The discrete Laplace mechanism (two-sided geometric noise) for counts.

Pr(X = x) = (1−q)/(1+q)·q^|x| with q = exp(−ε/Δ). Integers only: the bits of a float drawn from a continuous
Laplace distribution can reveal the count that it was added to.

References
----------
Ghosh, Roughgarden & Sundararajan (2012), Universally utility-maximizing privacy mechanisms.
Canonne, Kamath & Steinke (2020), The Discrete Gaussian for Differential Privacy, Algorithm 2.
"""

import math
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import TYPE_CHECKING

from surveys.privacy.decimals import LARGEST
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.randomness import bernoulli_exp
from surveys.privacy.rationals import positive

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class DiscreteLaplace:
    """Discrete Laplace noise of scale sensitivity/epsilon.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    sensitivity : int or Fraction
        The L1 sensitivity of the counts under the neighbouring relation in use.

    Examples
    --------
    >>> from surveys.privacy import DiscreteLaplace
    >>> noise = DiscreteLaplace(1, 1)
    >>> round(noise.probability(0), 4)
    0.4621
    >>> noise.error_bound(0.95)
    3
    """

    epsilon: Fraction
    sensitivity: int | Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", positive(self.sensitivity, "sensitivity"))

    @property
    def loss(self) -> PrivacyLoss:
        """What one vector of noisy counts costs."""
        return PrivacyLoss(self.epsilon)

    @property
    def rate(self) -> float:
        """The rate ε/Δ at which the logarithm of the probability falls, within what floats can hold."""
        return float(min(self.epsilon / self.sensitivity, Fraction(LARGEST)))

    @property
    def variance(self) -> float:
        """The variance of the noise on one count, 2q/(1−q)²; infinite beyond all floats."""
        fall = -math.expm1(-self.rate)
        scale = math.exp(-self.rate / 2) / fall if fall else math.inf
        return 2 * scale * scale

    def probability(self, x: int) -> float:
        """Return Pr(X = x): 0 for what is no integer."""
        rate = self.rate
        return 0.0 if x % 1 else math.tanh(rate / 2) * math.exp(-rate * abs(x))

    def probability_of_kept(self, output: int, number: int, last: int) -> float:
        """Return the probability of this output where number + noise is kept from 0 to last: ends stand for all beyond.

        The number is within these limits too.
        """
        if output % 1 or not 0 <= output <= last:
            return 0.0
        shift = abs(output - number)
        beyond = 0 if 0 < output < last else self.survival(shift) / 2
        return self.probability(shift) + beyond

    @property
    def reach(self) -> int:
        """An integer that the noise exceeds on either side with a probability below 1e-15."""
        return math.ceil(37 * self.sensitivity / self.epsilon)

    def at_least(self, t: "npt.ArrayLike") -> "npt.NDArray[np.float64]":
        """Return Pr(X ≥ t) for every one of these integers."""
        from surveys.privacy.mechanisms.tails import laplace_at_least  # noqa: PLC0415 - draws need no numpy

        return laplace_at_least(self.rate, t)

    @property
    def steepest(self) -> float:
        """Below which exponents `log_mgf` is finite."""
        return self.rate

    def log_mgf(self, h: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
        """Return ln E e^(hX) for exponents between 0 and `steepest`."""
        from surveys.privacy.mechanisms.tails import laplace_log_mgf  # noqa: PLC0415 - draws need no numpy

        return laplace_log_mgf(self.rate, h)

    def survival(self, t: int) -> float:
        """Return the probability that the noise exceeds t on either side, t an integer of at least 0."""
        return 2 * math.exp(-self.rate * (t + 1)) / (1 + math.exp(-self.rate))

    def error_bound(self, confidence_level: float, counts: int = 1) -> int:
        """Return the smallest t such that all of so many counts are within ±t with this confidence."""
        each = risk_of_each(confidence_level, counts)
        exponent = Fraction(math.log(2 / ((1 + math.exp(-self.rate)) * each)))
        return max(0, math.ceil(exponent * self.sensitivity / self.epsilon) - 1)

    def sample(self, randbelow: Callable[[int], int] = secrets.randbelow) -> int:
        """Draw the noise for one count, exactly.

        A geometric variable with ratio exp(−1/t), t the scale's numerator, is put together from its remainder
        and its quotient by t; dividing it by the scale's denominator gives one with ratio q. The sign is a fair
        coin, and a negative zero is drawn again.
        """
        scale = self.sensitivity / self.epsilon
        while True:
            remainder = randbelow(scale.numerator)
            if not bernoulli_exp(Fraction(remainder, scale.numerator), randbelow):
                continue
            quotient = 0
            while bernoulli_exp(_ONE, randbelow):
                quotient += 1
            magnitude = (remainder + scale.numerator * quotient) // scale.denominator
            negative = randbelow(2) == 1
            if magnitude or not negative:
                return -magnitude if negative else magnitude

    def add_noise(self, counts: Iterable[int], randbelow: Callable[[int], int] = secrets.randbelow) -> tuple[int, ...]:
        """Return the counts, each with its own noise; they may be negative."""
        return tuple(index(count) + self.sample(randbelow) for count in counts)


def risk_of_each(confidence_level: float, counts: int) -> float:
    """Return how likely one of several independent errors may be to exceed a bound that all keep with this confidence.

    That is 1 − confidence_level^(1/counts).
    """
    if not 0 < confidence_level < 1:
        raise ValueError(f"confidence_level must be between 0 and 1, got {confidence_level!r}")
    if not counts >= 1:
        raise ValueError(f"counts must be at least 1, got {counts!r}")
    return -math.expm1(math.log(confidence_level) / counts)
