"""Confidence intervals for a binomial proportion, the base of every interval for a prevalence.

References
----------
Brown, Cai & DasGupta (2001), Interval estimation for a binomial proportion.
"""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.validation import Floats, level


def normal_quantile(confidence_level: float) -> float:
    """Return z such that a standard normal variable lies in [−z, z] with this probability."""
    return NormalDist().inv_cdf(0.5 + level(confidence_level) / 2)


def wilson(counts: npt.NDArray[np.int64], n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return Wilson's score limits: all proportions that a score test does not reject."""
    z2 = normal_quantile(confidence_level) ** 2
    share = counts / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # Rounding must not move the limits that are exactly 0 and 1.
    return np.where(counts == 0, 0.0, centre - half), np.where(counts == n, 1.0, centre + half)


def clopper_pearson(counts: npt.NDArray[np.int64], n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return the exact equal-tailed limits, whose coverage is never below the confidence level."""
    tail = (1 - level(confidence_level)) / 2
    inside = np.clip(counts, 1, n)
    low = np.where(counts == 0, 0.0, scipy.special.betaincinv(inside, n - inside + 1, tail))
    inside = np.clip(counts, 0, n - 1)
    high = np.where(counts == n, 1.0, scipy.special.betaincinv(inside + 1, n - inside, 1 - tail))
    return low, high


def wald(counts: npt.NDArray[np.int64], n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return share ± z·√(share(1−share)/n), which may leave [0, 1]; for comparison, as its coverage is poor."""
    share = counts / n
    half = normal_quantile(confidence_level) * np.sqrt(share * (1 - share) / n)
    return share - half, share + half


_METHODS: dict[str, Callable[[npt.NDArray[np.int64], int, float], tuple[Floats, Floats]]] = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "wald": wald,
}


def binomial_limits(
    counts: npt.NDArray[np.int64], n: int, confidence_level: float, method: str
) -> tuple[Floats, Floats]:
    """Return the limits for each count out of n by the method of this name."""
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(_METHODS)}, got {method!r}")
    return _METHODS[method](counts, n, confidence_level)
