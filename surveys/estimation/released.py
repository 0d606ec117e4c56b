"""What a released histogram of randomized reports says about the truths.

Two sources of chance lie between the truths and a release: each report was randomized, and noise was added to each
count. With X ~ Binomial(n, λ_j) and Z discrete Laplace, the released count is Y = X + Z; n is public.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.affine import require_affine_map
from surveys.estimation.intervals import Interval, cut_interval
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Counts, Floats, level, read_only, require_design, responses, whole_numbers
from surveys.privacy.designs.design import Design
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_UNLIKELY = 37.0
"""Noise of so many times its scale has a probability below 1e-16."""

_COST = 20
"""A value of the noise takes about so many times as long as a value of the count."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedEstimate:
    """Prevalences of the k true answers, as far as one release tells.

    Attributes
    ----------
    noisy_counts : array of m integers
        The release; entries may be negative or exceed n.
    n : int
        The public number of responses.
    design : Design
        The design of the reports.
    mechanism : DiscreteLaplace
        What added the noise.
    point : array of k floats
        The moment estimate: unbiased; it may leave [0, 1] and need not sum to 1.
    constrained : array of k floats
        The distribution nearest to it. Going there never increases the squared error.
    standard_error : array of k floats
        Of the moment estimate, for sampling, randomization and noise together.
    """

    noisy_counts: npt.NDArray[np.int64]
    n: int
    design: Design
    mechanism: DiscreteLaplace
    point: Floats
    constrained: Floats
    standard_error: Floats

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return a confidence interval for each option's prevalence, cut to [0, 1].

        It holds all prevalences under which neither tail of the released count's exact distribution is below half of
        1 − confidence_level, as Clopper and Pearson do for a count without noise. So its coverage is never below the
        confidence level, at any n. A count beyond what the design can lead to is read as the nearest one that it can:
        that makes no interval smaller, and none empty. What it takes grows with √n or with the scale of the noise,
        whichever is less.

        Raises
        ------
        ValueError
            If the design does not tie each report's probability to one prevalence.
        """
        line = require_affine_map(self.design)
        tail = (1 - level(confidence_level)) / 2
        possible = [
            min(max(int(count), math.floor(self.n * min(row))), math.ceil(self.n * max(row)))
            for count, row in zip(self.noisy_counts, self.design.matrix, strict=True)
        ]
        limits = np.array([_limits(count, self.n, self.mechanism, tail) for count in possible])
        return cut_interval(*line.to_prevalence(limits[:, 0], limits[:, 1]), confidence_level, "exact")


def estimate_released_histogram(
    noisy_counts: Counts, n: int, design: Design, mechanism: DiscreteLaplace, *, one_count: bool = False
) -> ReleasedEstimate:
    """Estimate how frequent each true answer is, from a noisy histogram of the reports.

    Parameters
    ----------
    noisy_counts : sequence of m integers
        The histogram after noise.
    n : int
        The number of responses, without noise: at least 1, at most 10^15.
    design : Design
        The design of the reports.
    mechanism : DiscreteLaplace
        What added the noise.
    one_count : bool
        Whether noise was drawn for one count of two, and the other is n minus it.

    Raises
    ------
    ValueError
        If the counts are not m integers, n is not an integer in that range, the design matrix has no inverse, or the
        counts of one draw are not two that sum to n.
    """
    released = whole_numbers(noisy_counts, require_design(design).m, "noisy_counts")
    n = responses(n)
    if one_count and not (design.m == 2 and int(released.sum()) == n):
        raise ValueError(f"noisy_counts must be two that sum to n = {n} when one count was drawn, got {noisy_counts!r}")
    inverse = np.array(design.inverse, dtype=np.float64)
    point = inverse @ (released / n)
    constrained = nearest_distribution(point)
    # The shares that the constrained estimate leads to are proportions, which the noisy ones need not be.
    shares = np.array(design.matrix, dtype=np.float64) @ constrained
    # One draw moves two counts in opposite directions.
    together = np.array([[1.0, -1.0], [-1.0, 1.0]]) if one_count else np.eye(design.m)
    of_shares = (np.diag(shares) - np.outer(shares, shares)) / n + together * mechanism.variance / n**2
    variance = np.maximum(np.diagonal(inverse @ of_shares @ inverse.T), 0.0)
    return ReleasedEstimate(
        released, n, design, mechanism, read_only(point), read_only(constrained), read_only(np.sqrt(variance))
    )


def nearest_distribution(point: Floats) -> Floats:
    """Return the distribution at the smallest Euclidean distance.

    It is max(point − t, 0) with the t that makes it sum to 1. A projection onto a convex set is never farther from
    any member of that set, so not from the true prevalences either.

    References
    ----------
    Held, Wolfe & Crowder (1974), Validation of subgradient optimization.
    """
    descending = np.sort(point)[::-1]
    shifts = (np.cumsum(descending) - 1) / np.arange(1, point.size + 1)
    shift = shifts[np.flatnonzero(descending > shifts)[-1]]
    nearest: Floats = np.maximum(point - shift, 0.0)
    return nearest


def _limits(count: int, n: int, mechanism: DiscreteLaplace, tail: float) -> tuple[float, float]:
    """Return the smallest and the largest λ under which this noisy count is not in either tail."""
    low = _root(partial(_upper_tail, count, n, mechanism), tail)
    # Counting the other outcomes turns the lower tail at λ into the upper tail at 1 − λ: the noise is symmetric.
    high = 1 - _root(partial(_upper_tail, n - count, n, mechanism), tail)
    return low, max(low, high)


def _root(increasing: Callable[[float], float], target: float) -> float:
    """Return where an increasing function on [0, 1] reaches the target: at 0 where it begins above it.

    It ends above it: with probability 1 the count is n, and half of the noise leaves it there or higher.
    """
    if increasing(0.0) >= target:
        return 0.0
    found: float = scipy.optimize.brentq(lambda probability: increasing(probability) - target, 0.0, 1.0)
    return found


def _upper_tail(count: int, n: int, mechanism: DiscreteLaplace, probability: float) -> float:
    """Return Pr(X + Z ≥ count) for X ~ Binomial(n, probability) and Z discrete Laplace.

    It is a sum over the likely values of X, or over those of Z where they are far fewer.
    """
    low, high = _likely_counts(n, probability)
    reach = math.ceil(_UNLIKELY / mechanism.rate)
    if (high - low) > _COST * (2 * reach + 1):
        return _over_noise(count, n, mechanism.rate, probability, reach)
    return _over_counts(count, n, mechanism.rate, probability, np.arange(low, high + 1, dtype=np.float64))


def _likely_counts(n: int, probability: float) -> tuple[int, int]:
    """Return between which values a binomial variable lies but for a probability below 1e-15."""
    mean = n * probability
    reach = 9 * math.sqrt(mean * (1 - probability)) + 40
    return max(0, int(mean - reach)), min(n, int(mean + reach))


def _over_counts(count: int, n: int, rate: float, probability: float, x: Floats) -> float:
    """Return Σ Pr(X = x)·Pr(Z ≥ count − x)."""
    logarithms = (
        scipy.special.xlogy(x, probability)
        + scipy.special.xlog1py(n - x, -probability)
        - scipy.special.gammaln(x + 1)
        - scipy.special.gammaln(n - x + 1)
    )
    # Relative to the likeliest value: the binomial coefficient's n! is left out, and nothing overflows.
    weights = np.exp(logarithms - logarithms.max())
    return float(weights @ _noise_at_least(count - x, rate) / weights.sum())


def _over_noise(count: int, n: int, rate: float, probability: float, reach: int) -> float:
    """Return Σ Pr(Z = z)·Pr(X ≥ count − z)."""
    z = np.arange(-reach, reach + 1)
    weights = np.exp(-rate * np.abs(z))
    # X ≥ count − z is n − X ≤ n − count + z.
    return float(weights @ at_most(n - count + z, n, 1 - probability) / weights.sum())


def _noise_at_least(t: Floats, rate: float) -> Floats:
    """Return Pr(Z ≥ t) for integers t: q^t/(1+q) above 0, and by symmetry 1 − q^(1−t)/(1+q) elsewhere."""
    beyond: Floats = np.exp(-rate * np.where(t > 0, t, 1 - t)) / (1 + np.exp(-rate))
    return np.where(t > 0, beyond, 1 - beyond)
