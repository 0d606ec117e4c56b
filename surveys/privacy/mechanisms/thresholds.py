"""How high a noisy count must be that an empty bin's is not, with a stated probability.

An empty bin's noisy count is B + Z with B ~ Binomial(n, q), where q is how often somebody of another bin is reported
in it at most, and Z the noise; where reports are the true answers themselves q is 0, and Z is all. This draws nothing:
it needs numpy, which `bounds` loads only to compare what was drawn.
"""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from surveys.privacy.decimals import float_not_below
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

Floats = npt.NDArray[np.float64]

_NEGLIGIBLE = 1e-15
"""What the two tails that are omitted from a sum over the likely counts have together at most."""


@lru_cache(maxsize=1024)
def threshold(n: int, q: Fraction, noise: DiscreteLaplace, exceeded: float) -> int:
    """Return the smallest t of at least 0 with Pr(B + Z > t) at most `exceeded`, by a sum over the likely B.

    Parameters
    ----------
    n : int
        The number of responses.
    q : Fraction
        The largest probability of a report of this bin for anybody of another one.
    noise : DiscreteLaplace
        Of one count.
    exceeded : float
        From 1e-12 to 1.
    """
    if not 1e-12 <= exceeded <= 1:
        raise ValueError(f"exceeded must be from 1e-12 to 1, got {exceeded!r}")
    counts, weights = likely_counts(n, q)
    left_out = _NEGLIGIBLE if counts.size > 1 else 0.0

    def tail(t: int) -> float:
        """Return Pr(B + Z > t), rounded up by what was omitted."""
        return left_out + float(weights @ noise.at_least(t + 1 - counts))

    low, high = 0, math.ceil(n * q) + 1
    while tail(high) > exceeded:
        low, high = high + 1, 2 * high
    while low < high:
        between = (low + high) // 2
        if tail(between) > exceeded:
            low = between + 1
        else:
            high = between
    return low


def likely_counts(n: int, q: Fraction) -> tuple[Floats, Floats]:
    """Return all x but those farther from the mean than nine standard deviations and 40, and Pr(B = x) for each.

    By Bernstein's inequality those together have a probability of at most 2·exp(−h²/(2(v + h/3))), h = 9√v + 40,
    below 1e-15 for every variance v. The others follow from Pr(B = x) = Pr(B = x − 1)·(n − x + 1)/x·q/(1 − q), so
    that n! is not needed, and nothing overflows.
    """
    rate = float_not_below(q)
    if not 0 < rate < 1:
        return np.array([float(n if rate else 0)]), np.ones(1)
    mean, reach = n * rate, 9 * math.sqrt(n * rate * (1 - rate)) + 40
    first, last = max(0, math.floor(mean - reach)), min(n, math.ceil(mean + reach))
    x = np.arange(first, last + 1, dtype=np.float64)
    odds = math.log(rate) - math.log1p(-rate)
    logarithms = np.concatenate(([0.0], np.cumsum(np.log((n - x[1:] + 1) / x[1:]) + odds)))
    # Relative to the likeliest.
    weights = np.exp(logarithms - logarithms.max())
    return x, weights / weights.sum()
