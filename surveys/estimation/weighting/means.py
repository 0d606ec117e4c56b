"""The weighted mean of a number: of values that true answers stand for, or that reports do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.validation import Counts, Floats, read_only
from surveys.estimation.weighting.raking import Margin
from surveys.estimation.weighting.sample import WeightedSample, sample_of, t_quantile
from surveys.privacy.designs.grid import GridMean

_NOBODY = 1e-12
"""A share of so few is one of nobody, but for rounding."""

_UNVARYING = 1e-15
"""Reports whose scatter is a smaller part of their range's square are all the same, but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class WeightedMean:
    """A weighted mean of numbers, among all or among those who have some of the true answers.

    It is the quotient A/B of the weighted means of what reports stand for: a in the numerator and b in the denominator,
    which is 1 of a mean among all.

    Attributes
    ----------
    low, high : float
        The smallest and the largest number possible.
    stands_for : array of m × 2 floats
        The a and b of each report.
    moments : array of 2 floats
        A and B.
    covariance, scatter : arrays of 2 × 2 floats
        The covariance of A and B over samples and coins by linearization, and the weighted one of a and b.
    n : int
        The number of respondents who answered.
    effective_n, most : float
        Kish's effective number of them; as how many respondents of equal weight they may count at most.
    degrees_of_freedom : int
        Clusters less strata.
    """

    low: float
    high: float
    stands_for: Floats
    moments: Floats
    covariance: Floats
    scatter: Floats
    n: int
    effective_n: float
    most: float
    degrees_of_freedom: int

    @property
    def share(self) -> float:
        """The weighted share of those whom it is a mean among."""
        return float(self.moments[1])

    @property
    def point(self) -> float:
        """Unbiased but for the linearization; may leave the numbers' range. NaN where it is of nobody or of fewer."""
        return float(self.moments[0]) / self.share if self.share > _NOBODY else math.nan

    @property
    def standard_error(self) -> float:
        """Over samples and coins, and no less than that of `most` respondents of equal weight."""
        return math.sqrt(self._variances(self.point)[0]) / self.share

    @property
    def design_effect(self) -> float:
        """The variance over that of as many respondents of equal weight and no clusters; NaN where that is 0."""
        variance, scatter = self._variances(self.point)
        return self.n * variance / scatter if scatter > 0 else math.nan

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return Agresti and Coull's interval of as many reports as these tell as much as, cut to the numbers' range.

        All of the range where `limits` has none.
        """
        low, high = self.limits(confidence_level)
        outside = bool(high < self.low or low > self.high)
        low, high = np.clip([low, high], self.low, self.high).tolist()
        return ScalarInterval(low, high, confidence_level, "agresti_coull", outside)

    def limits(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the interval before they are cut.

        With z of the normal distribution and t of the degrees of freedom, n is (z/t)² times the scatter over the
        variance, at most `most`. z² reports are added, half at each end of what a report can stand for; of the n + z²
        the interval holds each R for which the mean of a − Rb is within z standard errors of 0. The limits are infinite
        where as many standard errors of the share reach 0, as the quotient of hardly anybody can be anything.

        References
        ----------
        Agresti & Coull (1998), Approximate is better than "exact" for interval estimation of binomial proportions.
        Fieller (1954), Some problems in interval estimation.
        """
        z, t = normal_quantile(confidence_level), t_quantile(self.degrees_of_freedom, confidence_level)
        if math.isnan(self.point):
            return -math.inf, math.inf
        likely = min(max(self.point, self.low), self.high)
        residuals = self.stands_for @ [1.0, -likely]
        ends = self.stands_for[[residuals.argmin(), residuals.argmax()]]
        variance, scatter = self._variances(likely)
        # Where all reports are the same, nothing says how they vary: Kish's number stands in.
        varying = variance > 0 and scatter > _UNVARYING * float(np.ptp(residuals)) ** 2
        n = (scatter / variance if varying else self.effective_n) * (z / t) ** 2
        size = n + z**2
        a, b = mean = (n * self.moments + z**2 / 2 * ends.sum(axis=0)) / size
        away, beyond = self.moments - mean, ends - mean
        spread = (n * (self.scatter + np.outer(away, away)) + z**2 / 2 * beyond.T @ beyond) / size
        reach = z**2 / size * spread
        room = b**2 - reach[1, 1]
        if not (room > 0 and b > 0):
            return -math.inf, math.inf
        centre = a * b - reach[0, 1]
        half = math.sqrt(max(0.0, centre**2 - room * (a**2 - reach[0, 0])))
        return (centre - half) / room, (centre + half) / room

    def _variances(self, ratio: float) -> tuple[float, float]:
        """Return the variance of A − RB, no less than that of `most` respondents, and the scatter of a − Rb."""
        contrast = np.array([1.0, -ratio])
        variance, scatter = (float(contrast @ each @ contrast) for each in (self.covariance, self.scatter))
        return max(variance, scatter / self.most), scatter


@dataclass(frozen=True, slots=True, eq=False)
class MeanTerm:
    """Whose mean is taken, and of what.

    Attributes
    ----------
    reports : sequence of integers
        The report's code in each row, 255 in rows that the mean is not about, such as those of another arm.
    stands_for : array of m × 2 floats
        What each report counts for in the numerator and in the denominator; a denominator of 1 makes a mean.
    low, high : float
        The smallest and the largest number possible.
    """

    reports: Counts
    stands_for: Floats
    low: float
    high: float

    def __post_init__(self) -> None:
        given = np.array(self.stands_for, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != 2 or not np.isfinite(given).all():
            raise ValueError(f"stands_for must be pairs of finite numbers, one a report, got {self.stands_for!r}")
        if not self.low < self.high:
            raise ValueError(f"low must be below high, got {self.low!r} and {self.high!r}")
        object.__setattr__(self, "stands_for", read_only(given))


def grid_term(reports: Counts, grid: GridMean) -> MeanTerm:
    """Return the mean of a number whose reports stand for values.

    Parameters
    ----------
    reports : sequence of integers
        The report's code in each row, 255 where the question was skipped or not asked.
    grid : GridMean
        How it was asked.

    Returns
    -------
    MeanTerm
        For `estimate_weighted_contrast`.

    Examples
    --------
    >>> from surveys.estimation import grid_term
    >>> from surveys.privacy import grid_of, number_window
    >>> grid_term([0, 1, 255], grid_of(number_window(3, "1/2", window=2), 0, 10)).high
    10.0
    """
    if not isinstance(grid, GridMean):
        raise ValueError(f"grid must be a GridMean, got {grid!r}")  # noqa: TRY004 - one kind of error for all wrong arguments
    values = np.array(grid.values, dtype=np.float64)
    return MeanTerm(reports, np.column_stack([values, np.ones_like(values)]), float(grid.low), float(grid.high))


def weighted_means(
    terms: Sequence[MeanTerm], samples: Sequence[WeightedSample]
) -> tuple[tuple[WeightedMean, ...], Floats]:
    """Return several means of the same rows, and the covariance of their numerators and denominators in turn.

    The rows that a mean is not about stay in their clusters with derivatives of 0: who belongs to it is up to chance.
    """
    covariance, freedom = samples[0].covariance(np.hstack([sample.linear for sample in samples]), 0.0)
    means = tuple(
        WeightedMean(
            float(term.low),
            float(term.high),
            term.stands_for,
            read_only(sample.mean),
            read_only(covariance[2 * place : 2 * place + 2, 2 * place : 2 * place + 2]),
            read_only(sample.scatter),
            int(sample.answers.sum()),
            sample.effective_n,
            sample.most,
            freedom,
        )
        for place, (term, sample) in enumerate(zip(terms, samples, strict=True))
    )
    return means, covariance


def estimate_weighted_grid_mean(
    reports: Counts,
    counts: Counts,
    grid: GridMean,
    weights: Sequence[float] | Floats | None = None,
    *,
    strata: Counts | None = None,
    clusters: Counts | None = None,
    margins: Sequence[Margin] = (),
) -> WeightedMean:
    """Estimate the weighted mean Σwv/Σw of a number whose reports stand for values v.

    Each value's expectation is the number itself, so it takes the number's place; the variance is that of
    `estimate_weighted` with v in the place of r. Clusters are drawn with replacement.

    Parameters
    ----------
    reports : sequence of integers
        The report's code in each row, 255 where the question was skipped.
    counts : sequence of integers
        How many respondents each row stands for.
    grid : GridMean
        How it was asked.
    weights, strata, clusters, margins
        As of `estimate_weighted`.

    Returns
    -------
    WeightedMean
        With `point`, `standard_error`, `interval` and `design_effect`.

    Raises
    ------
    ValueError
        If an argument is not as described, nobody answered, or naming the stratum that has a single cluster.

    Examples
    --------
    >>> from surveys.estimation import estimate_weighted_grid_mean
    >>> from surveys.privacy import grid_of, number_window
    >>> grid = grid_of(number_window(3, "1/2", window=2), 0, 10)
    >>> round(estimate_weighted_grid_mean([0, 1, 2, 3], [20, 30, 35, 15], grid, [1, 1, 2, 2]).point, 2)
    7.33
    """
    term = grid_term(reports, grid)
    sample = sample_of(reports, counts, term.stands_for, weights, strata=strata, clusters=clusters, margins=margins)
    [mean], _ = weighted_means([term], [sample])
    return mean
