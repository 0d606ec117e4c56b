"""The test of propose-test-release: whether data are far enough from others that would be answered differently.

References
----------
Dwork & Lei (2009), Differential privacy and robust statistics.
"""

import math
import secrets
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.decimals import decimal, many_digits
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import Randbelow
from surveys.privacy.rationals import exact, positive, show_value

_ALLOWANCE = Fraction(1, 10**40)
"""More than a logarithm to 60 digits can be off by, absolutely where it is below 1, else relatively."""

_NEVER = Fraction(1000)
"""An exponent whose probability no float can hold."""


@dataclass(frozen=True, slots=True)
class StabilityTest:
    """Compare a stability, an integer of at least 0 that differs by at most 1 between neighbours, with a threshold.

    Both of its outcomes cost epsilon; where the stability is 0, it is passed with a probability of at most delta.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    delta : Fraction
        Above 0 and below 1/2.
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", exact(self.delta, "delta"))
        if not 0 < self.delta < Fraction(1, 2):
            raise ValueError(f"delta must be above 0 and below 1/2, got {show_value(self.delta, str)}")

    @property
    def noise(self) -> DiscreteLaplace:
        """What is added to the stability."""
        return DiscreteLaplace(self.epsilon, 1)

    @property
    def threshold(self) -> int:
        """The smallest integer T with Pr(Z ≥ T) = q^T/(1 + q) ≤ delta for the noise Z, q = e^(−epsilon).

        That is the first at or above ln(1/(delta·(1 + q)))/epsilon; for continuous noise it is ln(1/(2·delta))/epsilon.
        The logarithm is rounded up.
        """
        with many_digits():
            q = decimal(-self.epsilon).exp()
            exponent = Fraction(-(decimal(self.delta) * (1 + q)).ln())
        return math.ceil((exponent + _ALLOWANCE * max(Fraction(1), exponent)) / self.epsilon)

    def passes(self, stability: int, randbelow: Randbelow = secrets.randbelow) -> bool:
        """Draw whether the stability with its noise reaches the threshold, exactly."""
        return stability + self.noise.sample(randbelow) >= self.threshold

    def probability(self, stability: int) -> float:
        """Return the probability of passing."""
        needed = self.threshold - stability
        tail = self._power(max(needed, 1 - needed)) / (1 + self._power(1))
        return tail if needed > 0 else 1 - tail

    def stability_needed(self, confidence_level: float) -> int:
        """Return a stability from which on the test is passed with this confidence; no smaller one does from 1/2 on."""
        if not 0 < confidence_level < 1:
            raise ValueError(f"confidence_level must be between 0 and 1, got {confidence_level!r}")
        rest = (1 - confidence_level) * (1 + self._power(1))
        return self.threshold + max(0, math.ceil(-Fraction(math.log(rest)) / self.epsilon) - 1)

    def _power(self, t: int) -> float:
        """Return q^t."""
        return math.exp(-min(self.epsilon * t, _NEVER))
