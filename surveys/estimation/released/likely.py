"""Where the tails of a noisy count reach a given probability, quickly: by Newton's method over its likely values.

With weights w(x) = Pr(X = x) and t(x) a tail of the noise, both tails of Y = X + Z are f(λ) = Σ w(x)·t(x). As
∂w/∂λ = w·(x − nλ)/(λ(1 − λ)), the slope of ln f comes with the same sum, and a few steps are enough.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy

from surveys.estimation.released.noise import CountNoise
from surveys.estimation.validation import Floats

_LARGEST = 200_000
"""Values of the count that are summed over at most."""

_STEPS = 12
_CLOSE = 1e-9
"""How close a limit is, in standard deviations of the count."""


def likely_counts(n: int, probability: float) -> tuple[int, int]:
    """Return between which values a binomial variable lies but for a probability below 1e-15."""
    mean = n * probability
    reach = 9 * math.sqrt(mean * (1 - probability)) + 40
    return max(0, int(mean - reach)), min(n, int(mean + reach))


@dataclass(frozen=True, slots=True, eq=False)
class LikelyCounts:
    """The values that the count can have near both limits, prepared once for all λ there.

    Attributes
    ----------
    n : int
        The public number of responses.
    x : array of floats
        Consecutive values.
    log_choose : array of floats
        The logarithms of n over x, but for a constant.
    guesses : pair of floats
        Both limits, were everything normal.
    """

    n: int
    x: Floats
    log_choose: Floats
    guesses: tuple[float, float]

    def limit(self, tails: Floats, target: float, *, upper: bool) -> float | None:
        """Return λ with f(λ) = target, off outwards by no more than a billionth of a standard deviation.

        Both sides of it are looked at, so that it is no matter how it was found; None where it is not found.

        Parameters
        ----------
        tails : array of floats
            A tail of the noise at each value, so that f rises with λ for the lower limit and falls for the upper.
        """
        outwards = 1 if upper else -1
        goal, rate = math.log(target), self.guesses[upper]
        for _ in range(_STEPS):
            if not self._holds(rate):
                return None
            spread = math.sqrt(rate * (1 - rate) / self.n)
            log_tail, slope = self._tail(tails, rate)
            if not slope * outwards < 0:
                return None
            step = min(max((goal - log_tail) / slope, -spread), spread)
            rate += step
            close = _CLOSE * spread
            if abs(step) > close:
                continue
            outside, inside = rate + outwards * close, rate - outwards * close
            certain = self._holds(rate) and self._tail(tails, outside)[0] <= goal <= self._tail(tails, inside)[0]
            return outside if certain else None
        return None

    def _holds(self, rate: float) -> bool:
        """Whether all values that are likely at this λ are there."""
        if not 0 < rate < 1:
            return False
        low, high = likely_counts(self.n, rate)
        return bool(self.x[0] <= low and high <= self.x[-1])

    def _tail(self, tails: Floats, rate: float) -> tuple[float, float]:
        """Return ln f and its slope."""
        logarithms = self.log_choose + self.x * math.log(rate) + (self.n - self.x) * math.log1p(-rate)
        weights = np.exp(logarithms - logarithms.max())
        weights /= weights.sum()
        parts = weights * tails
        tail = float(parts.sum())
        if not tail > 0:
            return -math.inf, 0.0
        return math.log(tail), (float(parts @ self.x) / tail - self.n * rate) / (rate * (1 - rate))


def likely_values(count: float, n: int, noise: CountNoise, tail: float) -> LikelyCounts | None:
    """Return the values that matter for both limits; None where they are too many, or the noise is beyond all."""
    z_squared, variance = float(scipy.special.ndtri(tail)) ** 2, noise.variance
    if not math.isfinite(variance):
        return None
    guesses = tuple(_normal_limit(count, n, variance, z_squared, sign) for sign in (-1, 1))
    # Wide enough for λ that is a standard deviation farther.
    ends = [likely_counts(n, guess) for guess in guesses]
    widths = [(high - low) // 9 for low, high in ends]
    low, high = max(0, ends[0][0] - widths[0]), min(n, ends[1][1] + widths[1])
    if high - low >= _LARGEST:
        return None
    x = np.arange(low, high + 1, dtype=np.float64)
    log_choose = -scipy.special.gammaln(x + 1) - scipy.special.gammaln(n - x + 1)
    return LikelyCounts(n, x, log_choose, (guesses[0], guesses[1]))


def _normal_limit(count: float, n: int, variance: float, z_squared: float, sign: int) -> float:
    """Return λ with (count ± ½ − nλ)² = z²·(nλ(1 − λ) + variance), limited to what a count can have."""
    y = count + sign / 2
    a, b, c = n * (n + z_squared), n * (2 * y + z_squared), y * y - z_squared * variance
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return min(max((b + sign * root) / (2 * a), 0.5 / (n + 1)), 1 - 0.5 / (n + 1))
