"""Exact limits for how probable a report is, from one noisy count of it.

With X ~ Binomial(n, λ) and Z the noise, the released count is Y = X + Z; n is public.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import numpy as np
import scipy

from surveys.estimation.released.likely import likely_counts, likely_values
from surveys.estimation.released.noise import CountNoise, likely_noise
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats

_COST = 20
"""A value of the noise takes about so many times as long as a value of the count."""


def rate_limits(
    count: float, n: int, noise: CountNoise, tail: float, possible: Sequence[Fraction]
) -> tuple[float, float]:
    """Return the smallest and the largest λ under which this noisy count is in neither tail.

    Neither Pr(Y ≥ count) nor Pr(Y ≤ count) is below `tail` between them, as Clopper and Pearson have it for a count
    without noise. A count beyond what the possible λ can lead to is read as the nearest one that they can: that makes
    no interval smaller, and none empty.

    Parameters
    ----------
    possible : sequence of Fraction
        The probabilities of the report, one per true answer.
    """
    count = min(max(count, math.floor(n * min(possible))), math.ceil(n * max(possible)))
    low = high = None
    if likely := likely_values(count, n, noise, tail):
        low = likely.limit(noise.at_least(count - likely.x), tail, upper=False)
        high = likely.limit(noise.at_least(likely.x - count), tail, upper=True)
    if low is None:
        low = _root(partial(upper_tail, count, n, noise), tail)
    if high is None:
        # Counting the other outcomes turns the lower tail at λ into the upper tail at 1 − λ: the noise is symmetric.
        high = 1 - _root(partial(upper_tail, n - count, n, noise), tail)
    return low, max(low, high)


def _root(increasing: Callable[[float], float], target: float) -> float:
    """Return where an increasing function on [0, 1] reaches the target: at 0 where it begins above it.

    It ends above it: with probability 1 the count is n, and half of the noise leaves it there or higher.
    """
    if increasing(0.0) >= target:
        return 0.0
    root: float = scipy.optimize.brentq(lambda probability: increasing(probability) - target, 0.0, 1.0)
    return root


def upper_tail(count: float, n: int, noise: CountNoise, probability: float) -> float:
    """Return Pr(X + Z ≥ count) for X ~ Binomial(n, probability).

    It is a sum over the likely values of X, or over those of Z where they are far fewer.
    """
    low, high = likely_counts(n, probability)
    if (high - low) > _COST * (2 * noise.reach + 1):
        return over_noise(count, n, noise, probability)
    return over_counts(count, n, noise, probability, np.arange(low, high + 1, dtype=np.float64))


def over_counts(count: float, n: int, noise: CountNoise, probability: float, x: Floats) -> float:
    """Return Σ Pr(X = x)·Pr(Z ≥ count − x)."""
    logarithms = (
        scipy.special.xlogy(x, probability)
        + scipy.special.xlog1py(n - x, -probability)
        - scipy.special.gammaln(x + 1)
        - scipy.special.gammaln(n - x + 1)
    )
    # Relative to the likeliest value: the binomial coefficient's n! is omitted, and nothing overflows.
    weights = np.exp(logarithms - logarithms.max())
    return float(weights @ noise.at_least(count - x) / weights.sum())


def over_noise(count: float, n: int, noise: CountNoise, probability: float) -> float:
    """Return Σ Pr(Z = z)·Pr(X ≥ count − z)."""
    z, weights = likely_noise(noise)
    # Of whole numbers X ≥ count − z is n − X ≤ n − count + z.
    return float(weights @ at_most(n - math.ceil(count) + z, n, 1 - probability))
