"""The tails of a weighted sum of independent noise, bounded by Chernoff's argument; never for a draw or a guarantee.

For every h > 0, Pr(Σ w_i·Z_i ≥ t) ≤ Π E e^(h·w_i·Z_i)/e^(ht). As every h is valid, a grid of them loses some width and
no confidence.
"""

import math
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from surveys.privacy.mechanisms.histogram import Noise

Floats = npt.NDArray[np.float64]

_FARTHEST = 12.0
"""Exponents up to so many divided by the standard deviation: what they are best for has a probability below 1e-30."""

_LEAST = 1e-12
"""A variance below it is that of no noise at all."""
_POINTS, _RATIO = 400, 1000.0


@dataclass(frozen=True)
class WeightedNoise:
    """Σ w_i·Z_i, all Z_i independent and of one distribution.

    Parameters
    ----------
    noise : Noise
        Of each Z_i.
    weights : iterable of Fraction
        The w_i; not all of them 0.

    Examples
    --------
    >>> from surveys.privacy.mechanisms.laplace import DiscreteLaplace
    >>> from surveys.privacy.mechanisms.weighted import WeightedNoise
    >>> both = WeightedNoise(DiscreteLaplace(1, 2), (1, -1))
    >>> both.at_least([0, 20]).round(4).tolist()
    [1.0, 0.0025]
    """

    noise: Noise
    weights: Iterable[Fraction | int]

    @cached_property
    def _sizes(self) -> Counter[float]:
        """How often each weight comes, whatever its sign: the noise is symmetric."""
        sizes = Counter(abs(float(weight)) for weight in self.weights if weight)
        if not sizes:
            raise ValueError("weights must not all be 0")
        return sizes

    @property
    def variance(self) -> float:
        """The variance of the sum."""
        return self.noise.variance * math.fsum(times * size**2 for size, times in self._sizes.items())

    @property
    def reach(self) -> int:
        """An integer that is beyond all values: this noise is not of whole numbers, so nothing is summed over it."""
        return sys.maxsize

    @cached_property
    def _lines(self) -> tuple[Floats, Floats, Floats]:
        """The exponents with 0, the logarithms of the products, and from which t on each exponent is the best.

        ln Pr(…) is at most ln Π − ht for each h: straight lines in t, whose lowest is found by its place, as the
        logarithm of the product is convex in h.
        """
        last = _FARTHEST / math.sqrt(max(self.variance, _LEAST))
        last = min(last, self.noise.steepest * (1 - 1e-9) / max(self._sizes))
        grid = np.concatenate([[0.0], last * np.geomspace(1 / _RATIO, 1, _POINTS)])
        logs = np.zeros_like(grid)
        for size, times in self._sizes.items():
            logs[1:] += times * self.noise.log_mgf(size * grid[1:])
        return grid, logs, np.diff(logs) / np.diff(grid)

    def at_least(self, t: npt.ArrayLike) -> Floats:
        """Return for each number t what Pr(Σ w_i·Z_i ≥ t) is at most."""
        exponents, logs, from_here = self._lines
        wanted = np.asarray(t, dtype=np.float64)
        best = np.searchsorted(from_here, wanted)
        bound: Floats = np.exp(np.minimum(logs[best] - exponents[best] * wanted, 0.0))
        return bound
