"""The prevalences of k options from the totals of their perturbed bits (unary encoding).

References
----------
Wang, Blocki, Li & Jha (2017), Locally differentially private protocols for frequency estimation.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import AffineMap
from surveys.estimation.intervals.interval import Interval
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval
from surveys.estimation.released.histogram import nearest_distribution
from surveys.estimation.validation import Counts, Floats, read_only, responses, whole_numbers
from surveys.privacy.designs.unary import UnaryDesign


@dataclass(frozen=True, slots=True, eq=False)
class UnaryEstimate:
    """Estimated prevalences of the k options of one question, of which every respondent has exactly one.

    Attributes
    ----------
    ones : array of k integers
        How many respondents reported each option's bit as set.
    n : int
        The number of respondents.
    design : UnaryDesign
        The design of the bits.
    point : array of k floats
        The moment estimate: unbiased; it may leave [0, 1], and sums to 1 only in the mean.
    covariance : array of k × k floats
        Its unbiasedly estimated covariance, for sampling and randomization together; NaN for a single response.
    nearest : array of k floats
        The distribution at the smallest Euclidean distance from the moment estimate. It is not the one of maximum
        likelihood, which needs the whole reports and not only the totals of their bits.
    """

    ones: npt.NDArray[np.int64]
    n: int
    design: UnaryDesign
    point: Floats
    covariance: Floats
    nearest: Floats

    @property
    def standard_error(self) -> Floats:
        """Standard errors of the moment estimate; NaN for a single response."""
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def interval_methods(self) -> tuple[str, ...]:
        """The methods of `interval`, the default first."""
        return MAPPED_METHODS

    def interval(self, confidence_level: float = 0.95, method: str = "wilson", simultaneous: bool = False) -> Interval:
        """Return a confidence interval for each option's prevalence, cut to [0, 1].

        The total of one option's bits is binomial, so these are the binomial intervals of a two-answer design.

        Parameters
        ----------
        confidence_level : float
            Of each option's interval by itself, or of all k together (Bonferroni).
        method : str
            ``"wilson"``, ``"clopper_pearson"``, ``"jeffreys"``, ``"agresti_coull"``, ``"wald"``,
            ``"likelihood_ratio"`` or ``"confidence_sequence"``, which holds at every look at once.
        simultaneous : bool
            Whether all options' intervals are to hold at once.
        """
        number = self.design.k if simultaneous else 1
        return mapped_interval(self.ones, self.n, line_of(self.design), confidence_level, method, number=number)


def estimate_unary(ones: Counts, n: int, design: UnaryDesign) -> UnaryEstimate:
    """Estimate how frequent each option is from how often its bit was reported as set.

    With x_i such bits of n, c = p − q and λ̂_i = x_i/n, the estimate is π̂_i = (λ̂_i − q)/c.

    Parameters
    ----------
    ones : sequence of k integers
        How many respondents reported each option's bit as set.
    n : int
        The number of respondents, at least 1 and at most 10^15.
    design : UnaryDesign
        Optimized, symmetric or any other unary encoding.

    Returns
    -------
    UnaryEstimate
        With `point`, `standard_error` and `interval`, one entry an option.

    Raises
    ------
    ValueError
        If n is not an integer in that range, or ones are not k integers from 0 to n.

    Examples
    --------
    >>> from surveys.estimation import estimate_unary
    >>> from surveys.privacy import optimized_unary
    >>> design = optimized_unary("2", 3)
    >>> estimate_unary([90, 70, 65], 300, design).point.round(2).tolist()
    [0.47, 0.3, 0.26]
    """
    if not isinstance(design, UnaryDesign):
        raise ValueError(f"design must be a UnaryDesign, got {design!r}")  # noqa: TRY004 - one kind of error for all wrong arguments
    n = responses(n)
    observed = whole_numbers(ones, design.k, "ones")
    if not (observed.min() >= 0 and observed.max() <= n):
        raise ValueError(f"ones must be from 0 to n = {n}, got {ones!r}")
    line = line_of(design)
    shares = observed / n
    point = (shares - line.offset) / line.slope
    covariance = unary_covariance(shares, point, line.slope, n)
    nearest = nearest_distribution(point)
    return UnaryEstimate(observed, n, design, read_only(point), read_only(covariance), read_only(nearest))


def unary_covariance(shares: Floats, point: Floats, slope: float, n: int) -> Floats:
    """Return the unbiased estimate of the covariance of the moment estimate.

    Var(π̂_i) = λ_i(1−λ_i)/(nc²). Given the true answer the bits are independent, so two of them vary together only
    through it: Cov(π̂_i, π̂_j) = −π_iπ_j/n. Of both, the plug-in values over n − 1 are unbiased. The variance called
    VAR* in the literature on local differential privacy is smaller by π_i(1−π_i)/n: it is of the noise alone, for
    the share among these respondents, not in the population they were drawn from.
    """
    if n == 1:
        return np.full((point.size, point.size), np.nan)
    covariance = -np.outer(point, point)
    np.fill_diagonal(covariance, shares * (1 - shares) / slope**2)
    return covariance / (n - 1)


def line_of(design: UnaryDesign) -> AffineMap:
    """Return the straight line from each option's prevalence to the probability of its bit."""
    return AffineMap(np.full(design.k, float(design.q)), float(design.p - design.q))
