"""Beta distributions: what somebody believes of a share before any report came."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from surveys.estimation.validation import Floats, as_float, as_list, share, share_inside

SMALLEST, LARGEST = 0.01, 1e9


@dataclass(frozen=True, slots=True)
class BetaDistribution:
    """The density ∝ π^(a−1)·(1−π)^(b−1) on [0, 1].

    Attributes
    ----------
    a, b : float
        From 0.01 to 1e9: 1 and 1 is the uniform distribution, ½ and ½ Jeffreys' prior for a direct question.
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        for parameter in (self.a, self.b):
            if not SMALLEST <= as_float(parameter) <= LARGEST:
                raise ValueError(f"a and b must be from {SMALLEST} to {LARGEST:g}, got {self.a!r} and {self.b!r}")

    @property
    def mean(self) -> float:
        """The mean, a/(a + b)."""
        return self.a / (self.a + self.b)

    def density(self, grid: Sequence[float] | Floats) -> Floats:
        """Return the density at shares from 0 to 1; it is infinite at an end whose parameter is below 1."""
        shares = np.array([share(value, "grid") for value in as_list(grid) or ()])
        logarithm = scipy.special.xlogy(self.a - 1, shares) + scipy.special.xlog1py(self.b - 1, -shares)
        densities: Floats = np.exp(logarithm - scipy.special.betaln(self.a, self.b))
        return densities

    def cdf(self, value: float) -> float:
        """Return the probability that the share is at most this one."""
        return float(scipy.special.betainc(self.a, self.b, share(value, "value")))

    def quantile(self, probability: float) -> float:
        """Return the share that is not exceeded with this probability, strictly between 0 and 1."""
        return float(scipy.special.betaincinv(self.a, self.b, share_inside(probability, "probability")))
