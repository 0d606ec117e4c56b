"""Six confidence intervals for a binomial proportion, the base of most intervals for a prevalence.

Each takes counts out of n and a confidence level and returns the lower and the upper limits, for all counts at once.

References
----------
Brown, Cai & DasGupta (2001), Interval estimation for a binomial proportion.
"""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals.sequence import SEQUENCE, mixture_loss
from surveys.estimation.validation import Floats, level

_Whole = npt.NDArray[np.int64]
_MAX_STEPS = 100
_LAST_STEP = 1e-9
"""Each of Newton's steps doubles the number of right digits: after one this short the next would change nothing."""


def normal_quantile(confidence_level: float) -> float:
    """Return z such that a standard normal variable lies in [−z, z] with this probability."""
    return NormalDist().inv_cdf(0.5 + level(confidence_level) / 2)


def wilson(counts: _Whole | Floats, n: int | Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Return Wilson's score limits: all proportions that a score test does not reject."""
    z2 = normal_quantile(confidence_level) ** 2
    share = counts / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # Rounding must not move the limits that are exactly 0 and 1.
    return np.where(counts == 0, 0.0, centre - half), np.where(counts == n, 1.0, centre + half)


def clopper_pearson(counts: _Whole, n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return the exact equal-tailed limits, whose coverage is never below the confidence level."""
    tail = (1 - level(confidence_level)) / 2
    # The quantile at none (or all) of n is NaN, and not used.
    low = np.where(counts == 0, 0.0, scipy.special.betaincinv(counts, n - counts + 1, tail))
    return low, np.where(counts == n, 1.0, scipy.special.betaincinv(counts + 1, n - counts, 1 - tail))


def jeffreys(counts: _Whole, n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return the equal-tailed limits of the posterior Beta(x + ½, n − x + ½).

    None of n has the lower limit 0 and all of n the upper limit 1, as Brown, Cai & DasGupta do: otherwise a proportion
    of exactly 0 or 1 is never in the interval.
    """
    tail = (1 - level(confidence_level)) / 2
    a, b = counts + 0.5, n - counts + 0.5
    low = np.where(counts == 0, 0.0, scipy.special.betaincinv(a, b, tail))
    return low, np.where(counts == n, 1.0, scipy.special.betaincinv(a, b, 1 - tail))


def agresti_coull(counts: _Whole, n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return Wald's limits after z²/2 successes and z²/2 failures are added; they may leave [0, 1]."""
    z = normal_quantile(confidence_level)
    size = n + z**2
    share = (counts + z**2 / 2) / size
    half = z * np.sqrt(share * (1 - share) / size)
    return share - half, share + half


def wald(counts: _Whole, n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Return share ± z·√(share(1−share)/n), which may leave [0, 1]; for comparison, as its coverage is poor."""
    share = counts / n
    half = normal_quantile(confidence_level) * np.sqrt(share * (1 - share) / n)
    return share - half, share + half


def likelihood_ratio(
    counts: _Whole, n: int, confidence_level: float, smallest: Floats | float = 0.0, largest: Floats | float = 1.0
) -> tuple[Floats, Floats]:
    """Return all proportions from `smallest` to `largest` that a likelihood-ratio test does not reject.

    With ℓ the log-likelihood and λ_c its maximum between the two, these are the λ with
    2(ℓ(λ_c) − ℓ(λ)) ≤ χ²₁'s quantile: never an empty set, whatever the counts.
    """
    return _likely(counts, n, np.full(counts.shape, likelihood_loss(confidence_level)), smallest, largest)


def confidence_sequence(
    counts: _Whole, n: int, confidence_level: float, smallest: Floats | float = 0.0, largest: Floats | float = 1.0
) -> tuple[Floats, Floats]:
    """Return the same limits with the loss that holds at every look at once, as `sequence.mixture_loss` has it."""
    return _likely(counts, n, mixture_loss(counts, n, confidence_level, smallest, largest), smallest, largest)


def likelihood_loss(confidence_level: float) -> float:
    """Return by how much the log-likelihood may fall at one look: half of χ²₁'s quantile."""
    return normal_quantile(confidence_level) ** 2 / 2


def _likely(
    counts: _Whole, n: int, loss: Floats, smallest: Floats | float, largest: Floats | float
) -> tuple[Floats, Floats]:
    """Return all proportions between the two whose log-likelihood is at most the loss below the largest there."""
    best = np.clip(counts / n, smallest, largest)
    least = scipy.special.xlogy(counts, best) + scipy.special.xlog1py(n - counts, -best) - loss
    # Counting the others turns the lower limit into an upper one: solve both in one go.
    upper = _largest_with(np.concatenate([counts, n - counts]), n, np.concatenate([least, least]))
    high, low = upper[: counts.size], 1 - upper[counts.size :]
    # The maximum is in the interval in any case: with n of n, and where rounding exceeds the width (10^15 responses).
    return np.clip(low, smallest, best), np.clip(high, best, largest)


def _largest_with(counts: _Whole, n: int, least: Floats) -> Floats:
    """Return the largest proportions at which the log-likelihood is still `least`; anything for n of n.

    On the logit scale minus the log-likelihood is n·ln(1 + e^θ) − xθ: convex, and never below (n − x)θ. So Newton's
    method that starts where this line reaches −least comes down to the solution and never passes it.
    """
    theta = -least / np.maximum(n - counts, 1)
    for _ in range(_MAX_STEPS):
        slope = n * scipy.special.expit(theta) - counts
        excess = n * np.logaddexp(0.0, theta) - counts * theta + least
        # No slope upwards: n of n, where the likelihood only rises, or a level so low that the maximum is the limit.
        step = excess / np.where(slope > 0, slope, np.inf)
        theta = theta - step
        if step.max() <= _LAST_STEP:
            break
    shares: Floats = scipy.special.expit(theta)
    return shares


METHODS: dict[str, Callable[[_Whole, int, float], tuple[Floats, Floats]]] = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "agresti_coull": agresti_coull,
    "wald": wald,
    "likelihood_ratio": likelihood_ratio,
}
_WITHIN = {"likelihood_ratio": likelihood_ratio, SEQUENCE: confidence_sequence}


def binomial_limits(counts: _Whole, n: int, confidence_level: float, method: str) -> tuple[Floats, Floats]:
    """Return the limits for each count out of n by the method of this name."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    return METHODS[method](counts, n, confidence_level)


def limits_within(
    counts: _Whole, n: int, confidence_level: float, method: str, edges: tuple[Floats | float, Floats | float]
) -> tuple[Floats, Floats]:
    """Return the limits by one of these methods or ``"confidence_sequence"``, for proportions between two edges.

    The two methods that compare likelihoods compare them among these proportions.
    """
    if method in _WITHIN:
        return _WITHIN[method](counts, n, confidence_level, *edges)
    return binomial_limits(counts, n, confidence_level, method)
