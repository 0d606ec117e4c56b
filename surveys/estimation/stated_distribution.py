"""The distribution of a number over bands among those who would say it; nobody knows who they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.association.within import MeanWithin, mean_within
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import Interval, ScalarInterval, each_level
from surveys.estimation.intervals.sequence import each_side
from surveys.estimation.numbers import band_edges, join_intervals, likely_mean_of_bands, quantile_edges, quantile_of
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.validation import Counts, Floats, require_design, share_inside
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class StatedDistributionEstimate:
    """The distribution among those who would say their number; it has what `DistributionEstimate` has.

    Attributes
    ----------
    bands : PrevalenceEstimate
        Of the k bands and, as the last code, of those who prefer not to say.
    edges : array of k + 1 floats
        Band i holds the numbers from edge i to edge i + 1.
    """

    bands: PrevalenceEstimate
    edges: Floats

    @property
    def mean(self) -> float:
        """The mean if each number were in the middle of its band; NaN where no more than nobody would say."""
        return self._middle.point

    @property
    def constrained_mean(self) -> float:
        """The same from the constrained shares: within the edges, and NaN where nobody would say."""
        return self._middle.constrained

    @property
    def mean_standard_error(self) -> float:
        """Of `mean`, by the delta method; NaN for a single response, and where there is no mean."""
        return self._middle.standard_error

    @property
    def mean_bounds(self) -> tuple[float, float]:
        """The smallest and largest mean that the constrained shares allow, wherever in their bands the numbers are."""
        return self._mean(self.edges[:-1]).constrained, self._mean(self.edges[1:]).constrained

    @property
    def distribution_function(self) -> Floats:
        """The shares below each inner edge, from the constrained shares; NaN where nobody would say."""
        return np.array([below.constrained for below in self._below()])

    def mean_interval(self, confidence_level: float = 0.95, method: str = "likelihood_ratio") -> ScalarInterval:
        """Return an interval for the mean of the numbers themselves, wherever in their bands they are.

        From the lower limit with all numbers at the left edges of their bands to the upper limit with all at the right
        ones; by ``"likelihood_ratio"``, by ``"confidence_sequence"``, or by ``"wald"``, whose limits are NaN where
        there is no standard error.
        """
        left, right = self._mean(self.edges[:-1]), self._mean(self.edges[1:])
        if method != "wald":
            return likely_mean_of_bands(left, right, confidence_level, method)
        z, first, last = normal_quantile(confidence_level), float(self.edges[0]), float(self.edges[-1])
        low, high = left.point - z * left.standard_error, right.point + z * right.standard_error
        cut_low, cut_high = np.clip([low, high], first, last).tolist()
        return ScalarInterval(cut_low, cut_high, confidence_level, method, high < first or low > last)

    def distribution_interval(
        self, confidence_level: float = 0.95, method: str | None = None, simultaneous: bool = False
    ) -> Interval:
        """Return an interval for the share below each inner edge, by one of the methods of a ratio (`MeanWithin`).

        Parameters
        ----------
        confidence_level : float
            Of each interval by itself, or of all k − 1 together (Bonferroni).
        method : str, optional
            By default, it is ``"likelihood_ratio"``.
        simultaneous : bool
            Whether all intervals are to hold at once.
        """
        below = self._below()
        number = len(below) if simultaneous else 1
        chosen = "likelihood_ratio" if method is None else method
        each = each_level(confidence_level, number)
        return join_intervals([share.interval(each, chosen) for share in below], confidence_level, number)

    def quantile(self, probability: float) -> float:
        """Return the value that this share of the numbers is below; NaN where nobody would say."""
        reached = self.distribution_function
        if np.isnan(reached).any():
            share_inside(probability, "probability")
            return math.nan
        return quantile_of(reached, self.edges, probability)

    def quantile_interval(
        self, probability: float, confidence_level: float = 0.95, method: str | None = None
    ) -> ScalarInterval:
        """Return edges that the quantile is between, as `DistributionEstimate` does."""
        probability = share_inside(probability, "probability")
        below = self.distribution_interval(each_side(confidence_level, method), method)
        low, high = quantile_edges(below.high < probability, below.low > probability, self.edges)
        return ScalarInterval(low, high, confidence_level, below.method)

    @property
    def _middle(self) -> MeanWithin:
        return self._mean((self.edges[:-1] + self.edges[1:]) / 2)

    def _mean(self, values: Floats) -> MeanWithin:
        return mean_within(self.bands, values.tolist(), range(values.size))

    def _below(self) -> list[MeanWithin]:
        number = self.edges.size - 1
        return [self._mean((np.arange(number) < edge).astype(np.float64)) for edge in range(1, number)]


def estimate_stated_distribution(
    counts: Counts, design: Design, edges: Sequence[float | Fraction]
) -> StatedDistributionEstimate:
    """Estimate the distribution of a number among those who would say it, from randomized reports of its band.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        A design with one true answer a band and one more, the last, for not saying.
    edges : sequence of k + 1 numbers
        The limits of the k bands, ascending, from −1e100 to 1e100; floats or exact.

    Returns
    -------
    StatedDistributionEstimate
        With what a `DistributionEstimate` has, among those who would say.

    Raises
    ------
    ValueError
        If the edges are not k + 1 such numbers, or the counts are wrong.

    Examples
    --------
    >>> from surveys.estimation import estimate_stated_distribution
    >>> from surveys.privacy import k_ary
    >>> round(estimate_stated_distribution([60, 80, 60], k_ary(3), [0, 5, 10]).mean, 2)
    5.68
    """
    if require_design(design).k < 3:
        raise ValueError(f"design must be for at least two bands and not saying, it is for {design.k} answers")
    limits = band_edges(edges, design.k - 1)
    return StatedDistributionEstimate(estimate_prevalence(counts, design), limits)
