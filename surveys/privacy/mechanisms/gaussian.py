"""Discrete Gaussian noise for counts: integers, Pr(X = x) ∝ exp(−x²/(2σ²)).

No float of a normal variable is drawn: its bits can reveal the count that it was added to. What the noise costs stands
in `accounting.gaussian`.

References
----------
Canonne, Kamath & Steinke (2020), The Discrete Gaussian for Differential Privacy, Algorithm 3.
"""

import math
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import TYPE_CHECKING

from surveys.privacy.accounting.concentrated import concentrated_from_gaussian
from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.laplace import DiscreteLaplace, risk_of_each
from surveys.privacy.mechanisms.mechanism import Randbelow
from surveys.privacy.randomness import bernoulli_exp
from surveys.privacy.rationals import positive

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_EXTREME = Fraction(10**100)
"""Variance parameters beyond it, or below its inverse, are refused: nobody counts so many people."""

_SMOOTH = 3.0
"""From this σ on, sums over all integers are integrals, to a relative 8·π²·σ²·exp(−2π²σ²) < 1e-70."""


@dataclass(frozen=True, slots=True)
class DiscreteGaussian:
    """Discrete Gaussian noise with parameter σ².

    Parameters
    ----------
    variance_parameter : Fraction
        σ², above 0. The variance is nearly that, and never more.

    Examples
    --------
    >>> from surveys.privacy import DiscreteGaussian, gaussian_variance
    >>> noise = DiscreteGaussian(gaussian_variance(1, "1/1000000"))
    >>> noise.error_bound(0.95)
    8
    """

    variance_parameter: Fraction

    def __post_init__(self) -> None:
        variance = positive(self.variance_parameter, "variance_parameter")
        if not 1 / _EXTREME <= variance <= _EXTREME:
            raise ValueError("variance_parameter must be between 10^-100 and 10^100")
        object.__setattr__(self, "variance_parameter", variance)

    @property
    def sigma(self) -> float:
        """σ, the root of the parameter."""
        return math.sqrt(self.variance_parameter)

    @property
    def variance(self) -> float:
        """The variance of the noise on one count."""
        sigma = self.sigma
        if sigma >= _SMOOTH:
            return float(self.variance_parameter)
        return 2 * math.fsum(x * x * self.probability(x) for x in range(1, math.ceil(40 * sigma) + 1))

    @property
    def reach(self) -> int:
        """An integer that the noise exceeds on either side with a probability below 1e-15."""
        return math.ceil(8.5 * self.sigma)

    def concentrated_loss(self, squared_sensitivity: object) -> ConcentratedLoss:
        """Return ρ = Δ²/(2σ²), Δ² the squared L2 sensitivity of all counts together."""
        return concentrated_from_gaussian(squared_sensitivity, self.variance_parameter)

    def probability(self, x: int) -> float:
        """Return Pr(X = x): 0 for what is no integer."""
        exponent = x * x / (2 * self.variance_parameter)
        return 0.0 if x % 1 or not exponent < 1000 else math.exp(-exponent) / _total(self.variance_parameter)

    def at_least(self, t: "npt.ArrayLike") -> "npt.NDArray[np.float64]":
        """Return Pr(X ≥ t) for every one of these integers."""
        from surveys.privacy.mechanisms.tails import gaussian_at_least  # noqa: PLC0415 - draws need no numpy

        return gaussian_at_least(self.sigma, t)

    @property
    def steepest(self) -> float:
        """Below which exponents `log_mgf` is finite."""
        return math.inf

    def log_mgf(self, h: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
        """Return h²σ²/2, which ln E e^(hX) is at most.

        E e^(hX) is e^(h²σ²/2) times Σ exp(−(x − hσ²)²/(2σ²)) over Σ exp(−x²/(2σ²)), and by Poisson summation no shift
        makes such a sum larger.
        """
        return h * h * (float(self.variance_parameter) / 2)

    def survival(self, t: int) -> float:
        """Return the probability that the noise exceeds t on either side, t an integer of at least 0."""
        return float(2 * self.at_least(t + 1))

    def error_bound(self, confidence_level: float, counts: int = 1) -> int:
        """Return the smallest t such that all of so many counts are within ±t with this confidence."""
        each = risk_of_each(confidence_level, counts)
        too_small, enough = -1, math.ceil(40 * self.sigma)
        while enough - too_small > 1:
            middle = (enough + too_small) // 2
            too_small, enough = (too_small, middle) if self.survival(middle) <= each else (middle, enough)
        return enough

    def sample(self, randbelow: Randbelow = secrets.randbelow) -> int:
        """Draw the noise for one count, exactly.

        Discrete Laplace noise Y of scale t = ⌊σ⌋ + 1 is drawn and kept with probability exp(−(|Y| − σ²/t)²/(2σ²)).
        As y²/(2σ²) = (|y| − σ²/t)²/(2σ²) + |y|/t − σ²/(2t²), what is kept has probabilities ∝ exp(−y²/(2σ²)).
        """
        variance = self.variance_parameter
        scale = math.isqrt(math.floor(variance)) + 1
        proposal = DiscreteLaplace(Fraction(1), scale)
        while True:
            proposed = proposal.sample(randbelow)
            if bernoulli_exp((abs(proposed) - variance / scale) ** 2 / (2 * variance), randbelow):
                return proposed

    def add_noise(self, counts: Iterable[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, ...]:
        """Return the counts, each with its own noise; they may be negative."""
        return tuple(index(count) + self.sample(randbelow) for count in counts)


def _total(variance: Fraction) -> float:
    """Return Σ exp(−x²/(2σ²)) over all integers; by Poisson summation it is √(2πσ²) unless σ is small."""
    sigma = math.sqrt(variance)
    if sigma >= _SMOOTH:
        return math.sqrt(2 * math.pi) * sigma
    return 1 + 2 * math.fsum(math.exp(-((x / sigma) ** 2) / 2) for x in range(1, math.ceil(40 * sigma) + 1))
