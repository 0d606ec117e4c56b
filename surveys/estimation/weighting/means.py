"""The weighted mean of a number: of values that true answers stand for, or that reports do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surveys.estimation.intervals import ScalarInterval
from surveys.estimation.validation import Counts, Floats
from surveys.estimation.weighting.raking import Margin
from surveys.estimation.weighting.sample import design_effects_of, sample_of, t_quantile
from surveys.privacy.designs.grid import GridMean


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """A weighted mean of numbers, among all or among those who have some of the true answers.

    Attributes
    ----------
    point : float
        Unbiased but for the linearization; may leave the numbers' range. NaN where it is of nobody or of fewer.
    standard_error : float
        Over samples and coins, of a quotient by linearization.
    low, high : float
        The smallest and the largest number possible.
    design_effect : float
        The variance over that of as many respondents of equal weight and no clusters; NaN where that is 0.
    degrees_of_freedom : int
        Clusters less strata.
    share : float
        The weighted share of those whom it is a mean among; 1 of all.
    share_variance, share_covariance : float
        Of that share, and its covariance with Σw(a − Rb)/Σw, a being what a report stands for in the numerator, b in
        the denominator, and R the point; 0 of a mean among all.
    """

    point: float
    standard_error: float
    low: float
    high: float
    design_effect: float
    degrees_of_freedom: int
    share: float = 1.0
    share_variance: float = 0.0
    share_covariance: float = 0.0

    def interval(self, confidence_level: float = 0.95) -> ScalarInterval:
        """Return the means that a t test does not reject, cut to the numbers' range.

        Among all it is the point ± t times the standard error, ``"wald"``. Of a quotient it is Fieller's set, the R for
        which |A − RB| is at most t standard errors of A − RB; all of the range where as many standard errors of the
        share reach 0, as the quotient of hardly anybody can be anything.

        References
        ----------
        Fieller (1954), Some problems in interval estimation.
        """
        t = t_quantile(self.degrees_of_freedom, confidence_level)
        method = "fieller" if self.share_variance else "wald"
        room = self.share**2 - t**2 * self.share_variance
        if math.isnan(self.point) or not room > 0:
            return ScalarInterval(self.low, self.high, confidence_level, method)
        shift = t**2 * self.share_covariance
        half = t * math.sqrt(self.share_covariance**2 * t**2 + room * (self.share * self.standard_error) ** 2)
        low, high = self.point + (-shift - half) / room, self.point + (-shift + half) / room
        outside = high < self.low or low > self.high
        low, high = np.clip([low, high], self.low, self.high).tolist()
        return ScalarInterval(low, high, confidence_level, method, outside)


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
        The report's code in each row, 255 where the question was left out.
    counts : sequence of integers
        How many respondents each row stands for.
    grid : GridMean
        How it was asked.
    weights, strata, clusters, margins
        As of `estimate_weighted`.

    Raises
    ------
    ValueError
        If an argument is not as described, nobody answered, or naming the stratum that has a single cluster.
    """
    if not isinstance(grid, GridMean):
        raise ValueError(f"grid must be a GridMean, got {grid!r}")  # noqa: TRY004 - one kind of error for all wrong arguments
    values = np.array(grid.values, dtype=np.float64)[:, np.newaxis]
    sample = sample_of(reports, counts, values, weights, strata=strata, clusters=clusters, margins=margins)
    variance, freedom = sample.covariance(sample.linear, 1 / sample.population)
    return WeightedMean(
        float(sample.mean[0]),
        math.sqrt(variance[0, 0]),
        float(grid.low),
        float(grid.high),
        float(design_effects_of(variance, sample.simple_covariance)[0, 0]),
        freedom,
    )
