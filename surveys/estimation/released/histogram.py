"""What a released histogram of randomized reports says about the true answers.

Two sources of randomness lie between the true answers and a release: each report was randomized, and noise was added to
each count. With X ~ Binomial(n, λ_j) and Z the noise, the released count is Y = X + Z; n is public.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import require_affine_map
from surveys.estimation.intervals.interval import Interval, cut_interval
from surveys.estimation.released.counts import rate_limits
from surveys.estimation.released.noise import CountNoise
from surveys.estimation.validation import Counts, Floats, level, read_only, require_design, responses, whole_numbers
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedEstimate:
    """Prevalences of the k true answers, as far as one release shows.

    Attributes
    ----------
    noisy_counts : array of m integers
        The release; entries may be negative or exceed n.
    n : int
        The public number of responses.
    design : Design
        The design of the reports.
    mechanism : CountNoise
        The noise on each count.
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
    mechanism: CountNoise
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
        limits = np.array(
            [
                rate_limits(int(count), self.n, self.mechanism, tail, row)
                for count, row in zip(self.noisy_counts, self.design.matrix, strict=True)
            ]
        )
        return cut_interval(*line.to_prevalence(limits[:, 0], limits[:, 1]), confidence_level, "exact")


def estimate_released_histogram(
    noisy_counts: Counts, n: int, design: Design, mechanism: CountNoise, *, one_count: bool = False
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
    mechanism : CountNoise
        The noise on each count.
    one_count : bool
        Whether noise was drawn for one count of two, and the other is n minus it.

    Returns
    -------
    ReleasedEstimate
        With `point`, `constrained`, `standard_error` and `interval`, for both the reports' randomness and the noise.

    Raises
    ------
    ValueError
        If the counts are not m integers, n is not an integer in that range, the design matrix has no inverse, or the
        counts of one draw are not two that sum to n.

    Examples
    --------
    >>> from surveys.estimation import estimate_released_histogram
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> estimate = estimate_released_histogram([58, 42], 100, forced_response(), DiscreteLaplace(1, 1), one_count=True)
    >>> estimate.point.round(3).tolist()
    [0.66, 0.34]
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
