"""Likelihood-ratio limits among all distributions of the reports, those that no true shares lead to included.

The most likely distribution of m reports is the observed one. What it costs to move it until some weighted sum of the
probabilities is 0 is compared with a χ² of one degree of freedom: the empirical likelihood ratio. The limits are cut
to what is possible afterwards. A maximum over possible true answers alone would be less likely where several shares are
0: measured against that, intervals become too short (.70 in the place of .95 for the mean of a scale of ten points with
two points in use).

With more reports than true answers, the distributions are those that shares of any sign lead to: with as many of either
these are all. A restriction is what such a distribution must fulfil, Σ r_jλ_j = 0, and what the restrictions cost by
themselves is no evidence for one ratio rather than another.

References
----------
Owen (1988), Empirical likelihood ratio confidence intervals for a single functional.
Owen (2001), Empirical Likelihood, sections 2.4 and 2.9.
"""

import math

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.likelihood import log_gain
from surveys.estimation.limits import limit_towards
from surveys.estimation.validation import Floats

_NOBODY = 1e-12
_PRECISION = 1e-15
_BARRIERS = tuple(10.0**-power for power in range(0, 11, 2))
_MOST_STEPS = 100


def lost_likelihood(counts: npt.NDArray[np.int64], weights: Floats) -> float:
    """Return by how much the log-likelihood falls where the distribution of the reports must have Σ w_jλ_j = 0.

    The likeliest such distribution has λ_j = n_j/(n(1 + θw_j)), with θ such that the sum is 0. Where that takes θ to
    where 1 + θw_j would be negative for a report that nobody sent, θ stays at its last value, 1 + θw_j = 0, and such
    reports get the rest of the probability.

    Parameters
    ----------
    counts : array of m integers
        How often each report was received.
    weights : array of m floats
        The weights w.
    """
    seen = counts > 0
    received, seen_weights = counts[seen], weights[seen]
    if weights.min() >= 0 or weights.max() <= 0:
        return math.inf if seen_weights.any() else 0.0
    if received @ seen_weights < 0:
        seen_weights, weights = -seen_weights, -weights
    seen_weights = seen_weights / -float(weights.min())

    def excess(theta: float) -> float:
        return float(received @ (seen_weights / (1 + theta * seen_weights)))

    if excess(0.0) <= 0:
        return 0.0  # observed exactly, but for rounding
    # No λ_j is more than 1. Up to that the sum gets to 0, unless a report that nobody sent is there before.
    below = seen_weights < 0
    end = float(((1 - received[below] / received.sum()) / -seen_weights[below]).min(initial=1.0))
    theta = end if excess(end) >= 0 else scipy.optimize.brentq(excess, 0.0, end, xtol=_PRECISION)
    return max(0.0, float(received @ np.log1p(theta * seen_weights)))


def restricted_likelihood(
    counts: npt.NDArray[np.int64], conditions: Floats, enough: float = math.inf
) -> tuple[float, Floats]:
    """Return by how much the log-likelihood falls where several weighted sums must be 0, and the likeliest reports.

    The likeliest distribution has λ_j = n_j/(n(1 + θᵀw_j)), with θ where Σ n_j·ln(1 + θᵀw_j) is largest: a concave
    function, whose value at any θ says how much is lost at least. A report that nobody sent keeps 1 + θᵀw_j from being
    negative: it counts as a small part of a response, down to 10⁻¹⁰ of one, which is how much more may be lost.

    Parameters
    ----------
    counts : array of m integers
        How often each report was received.
    conditions : array of m × q floats
        The weights w_j, one row a report.
    enough : float
        A loss from which on it need not be known how large it is; where no distribution fulfils the conditions, it is
        infinite.
    """
    seen, rest = counts > 0, np.ones(counts.size)  # what is left of 1 + θᵀw_j
    for barrier in _BARRIERS:
        sizes = np.where(seen, counts, barrier)
        for _ in range(_MOST_STEPS):
            scaled = conditions / rest[:, np.newaxis]
            slope = sizes @ scaled
            step = np.linalg.lstsq((scaled.T * sizes) @ scaled, slope, rcond=None)[0]
            promised, change, size = float(slope @ step), scaled @ step, 1.0
            if promised <= barrier * 1e-12:
                break
            # Where little is promised, Newton's whole step is right, and what it gains is below rounding.
            while (
                promised > barrier / 100 and size > 1e-12 and not log_gain(sizes, size * change) >= size * promised / 4
            ):
                size /= 2
            rest = rest * (1 + size * change)
            lost = float(counts @ np.log(rest))
            if lost > enough:
                return lost, sizes / rest
    chances = sizes / rest
    return max(0.0, float(counts @ np.log(rest))), chances / chances.sum()


def accepted_ratios(
    counts: npt.NDArray[np.int64],
    over: Floats,
    under: Floats,
    loss: float,
    restrictions: Floats | None = None,
) -> tuple[float, float, bool]:
    """Return the smallest and the largest ratio Σ a_jλ_j/Σ b_jλ_j from 0 to 1 that is not rejected.

    A ratio t is that of the distributions with Σ (a_j − t·b_j)λ_j = 0. Those whose likelihood is high enough are a
    convex set: on the way from the observed ratio to either end, what is rejected once stays so. Where the denominator
    may be 0 or less, values on both sides can be kept and some between them rejected; then all between counts as kept.

    Parameters
    ----------
    counts : array of m integers
        How often each report was received.
    over, under : arrays of m floats
        What each report counts for in the numerator and in the denominator; ones in `under` for a mean of all.
    loss : float
        By how much the log-likelihood may fall.
    restrictions : array of m × q floats, optional
        What else must be 0, one column a sum.

    Returns
    -------
    low, high : float
        The limits.
    outside : bool
        Whether none from 0 to 1 is kept. The limits are then both 0 or both 1.
    """
    likeliest, own_loss, others = counts / counts.sum(), 0.0, restrictions
    if others is not None:
        own_loss, likeliest = restricted_likelihood(counts, others)
    denominator = float(likeliest @ under)
    if denominator <= _NOBODY:
        return 0.0, 1.0, False  # a ratio to nobody can be anything

    def spare(part: float) -> float:
        weights = over - part * under
        if others is None:
            return loss - lost_likelihood(counts, weights)
        enough = own_loss + 2 * loss + 1
        return own_loss + loss - restricted_likelihood(counts, np.column_stack([others, weights]), enough)[0]

    observed = float(likeliest @ over) / denominator
    nearest = min(max(observed, 0.0), 1.0)
    if nearest != observed and spare(nearest) < 0:
        # Kept ones can still reach the other end by way of infinity, where the denominator can be 0.
        return (0.0, 1.0, False) if spare(1 - nearest) >= 0 else (nearest, nearest, True)
    low, high = (limit_towards(end, nearest, spare, precision=_PRECISION) for end in (0.0, 1.0))
    return low, high, False
