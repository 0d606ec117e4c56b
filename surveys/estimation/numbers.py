"""What randomized reports say about a number: its mean, or its distribution over bands."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import affine_map
from surveys.estimation.association.within import MeanWithin, mean_within
from surveys.estimation.intervals.general import wald_limits
from surveys.estimation.intervals.interval import Interval, ScalarInterval, cut_interval, each_level
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval
from surveys.estimation.intervals.sequence import SEQUENCE, each_side
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.validation import (
    LARGEST_NUMBER,
    Counts,
    Floats,
    as_float,
    as_list,
    read_only,
    require_design,
    share_inside,
)
from surveys.privacy.designs.design import Design

MEAN_METHODS = ("likelihood_ratio", "wald", SEQUENCE)
"""What the mean of numbers in bands has an interval by, the default first."""


@dataclass(frozen=True, slots=True, eq=False)
class MeanEstimate:
    """The mean of a number that each respondent rounded at random to one of two values and then randomized.

    Attributes
    ----------
    prevalence : PrevalenceEstimate
        Of the two values among the rounded numbers: code 0 is the lower, code 1 the higher.
    low, high : float
        The two values; the numbers are between them.
    """

    prevalence: PrevalenceEstimate
    low: float
    high: float

    @property
    def point(self) -> float:
        """The unbiased estimate, which may leave the range of the numbers."""
        return self._value(self.prevalence.point[1])

    @property
    def constrained(self) -> float:
        """The estimate of maximum likelihood within the range."""
        return self._value(self.prevalence.constrained[1])

    @property
    def standard_error(self) -> float:
        """Of `point`: for sampling, rounding and randomization together; NaN for a single response."""
        return (self.high - self.low) * float(self.prevalence.standard_error[1])

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return the interval for the mean: that for the prevalence of the higher value, on the numbers' scale."""
        interval = self.prevalence.interval(confidence_level, method)
        low, high = self._value(interval.low[1]), self._value(interval.high[1])
        return ScalarInterval(low, high, confidence_level, interval.method, bool(interval.outside[1]))

    def _value(self, share: float) -> float:
        # Not low + range·share: at 1 that could miss high by a rounding error.
        return float((1 - share) * self.low + share * self.high)


def estimate_mean(counts: Counts, design: Design, low: float | Fraction, high: float | Fraction) -> MeanEstimate:
    """Estimate the mean of numbers between two values from one randomized bit a respondent.

    A number x was rounded to `high` with probability (x − low)/(high − low), else to `low`; that is a two-answer
    question whose prevalence of `high` is (mean − low)/(high − low).

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        A design for two answers.
    low, high : float
        The smallest and the largest number possible, from −1e100 to 1e100.

    Returns
    -------
    MeanEstimate
        With `point`, `constrained`, `standard_error` and `interval`, in the numbers' units.

    Raises
    ------
    ValueError
        If low and high are not such numbers and in order, the design is not for two answers, or the counts are wrong.

    References
    ----------
    Ding, Kulkarni & Yekhanin (2017), Collecting telemetry data privately.

    Examples
    --------
    >>> from surveys.estimation import estimate_mean
    >>> from surveys.privacy import warner
    >>> estimate = estimate_mean([130, 70], warner("3/4"), 0, 24)
    >>> [round(estimate.point, 2), round(estimate.standard_error, 2)]
    [4.8, 1.62]
    """
    least, most = require_ordered(low, high)
    if require_design(design).k != 2:
        raise ValueError(f"design must be for two answers, the lower and the higher value, it is for {design.k}")
    return MeanEstimate(estimate_prevalence(counts, design), least, most)


def require_ordered(low: float | Fraction, high: float | Fraction) -> tuple[float, float]:
    """Return the two ends of a range as floats, or refuse them."""
    least, most = as_float(low), as_float(high)
    if not -LARGEST_NUMBER <= least < most <= LARGEST_NUMBER:
        raise ValueError(
            f"low and high must be from -{LARGEST_NUMBER} to {LARGEST_NUMBER} and low below high, got {low!r}, {high!r}"
        )
    return least, most


@dataclass(frozen=True, slots=True, eq=False)
class DistributionEstimate:
    """The distribution of a number over k bands.

    Attributes
    ----------
    bands : PrevalenceEstimate
        The shares of the bands.
    edges : array of k + 1 floats
        Band i holds the numbers from edge i to edge i + 1.
    """

    bands: PrevalenceEstimate
    edges: Floats

    @property
    def mean(self) -> float:
        """The mean if each number were in the middle of its band, unbiased for that."""
        return float(self._midpoints() @ self.bands.point)

    @property
    def constrained_mean(self) -> float:
        """The mean if each number were in the middle of its band, from the constrained shares: within the edges."""
        return float(self._midpoints() @ self.bands.constrained)

    @property
    def mean_standard_error(self) -> float:
        """Of `mean`; NaN for a single response."""
        middle = self._midpoints()
        return float(np.sqrt(np.maximum(middle @ self.bands.covariance @ middle, 0.0)))

    @property
    def mean_bounds(self) -> tuple[float, float]:
        """The smallest and largest mean that the constrained shares allow, wherever in their bands the numbers are."""
        shares = self.bands.constrained
        return float(self.edges[:-1] @ shares), float(self.edges[1:] @ shares)

    @property
    def distribution_function(self) -> Floats:
        """The shares below each inner edge: nondecreasing, from the constrained shares of the bands."""
        return np.minimum(np.cumsum(self.bands.constrained)[:-1], 1.0)

    def mean_interval(self, confidence_level: float = 0.95, method: str = "likelihood_ratio") -> ScalarInterval:
        """Return an interval for the mean of the numbers themselves, wherever in their bands they are.

        It goes from the lower limit for the mean with all numbers at the left edges of their bands to the upper limit
        with all at the right edges. So it does not shrink below the width of the bands, and holds the true mean about
        as often as the confidence level says, or more: the limits themselves are approximate. With five respondents, a
        triangular design, two bands and all numbers at an edge it can be .857 instead of .95. By the likelihood ratio
        it is outside where none of the means with all numbers at the left edges is left, nor of those at the right.

        Parameters
        ----------
        confidence_level : float
            Strictly between 0 and 1.
        method : str
            ``"likelihood_ratio"``, ``"wald"`` or ``"confidence_sequence"``, which holds at every look at once.
        """
        if method not in MEAN_METHODS:
            raise ValueError(f"method must be one of {', '.join(MEAN_METHODS)}, got {method!r}")
        if method != "wald":
            return likely_mean_of_bands(
                self._mean(self.edges[:-1]), self._mean(self.edges[1:]), confidence_level, method
            )
        low, high = self._wald(np.stack([self.edges[:-1], self.edges[1:]]), confidence_level)
        first, last = float(self.edges[0]), float(self.edges[-1])
        return ScalarInterval(
            float(np.clip(low[0], first, last)),
            float(np.clip(high[1], first, last)),
            confidence_level,
            method,
            bool(high[1] < first or low[0] > last),
        )

    def distribution_interval(
        self, confidence_level: float = 0.95, method: str | None = None, simultaneous: bool = False
    ) -> Interval:
        """Return an interval for the share below each inner edge.

        Where each report depends on one band's share only, the reports of the first bands taken as one are binomial
        with a probability that is a straight line of the share below: the binomial intervals hold for it as for one
        option. Elsewhere it is ``"likelihood_ratio"``, ``"wald"`` or ``"confidence_sequence"``.

        Parameters
        ----------
        confidence_level : float
            Of each interval by itself, or of all k − 1 together (Bonferroni).
        method : str, optional
            As for the bands themselves but ``"bootstrap"``; by default their default.
        simultaneous : bool
            Whether all intervals are to hold at once.
        """
        chosen = self.bands.interval_methods[0] if method is None else method
        methods = tuple(name for name in self.bands.interval_methods if name != "bootstrap")
        if chosen not in methods:
            raise ValueError(f"method must be one of {', '.join(methods)} for this design, got {method!r}")
        inner = self.bands.design.k - 1
        number = inner if simultaneous else 1
        line = affine_map(self.bands.design)
        if line is not None and chosen in MAPPED_METHODS:
            below = np.cumsum(self.bands.counts)[:-1]
            return mapped_interval(below, self.bands.n, line.of_merged(), confidence_level, chosen, number=number)
        shares, each = np.tri(inner, inner + 1), each_level(confidence_level, number)
        if chosen == "wald":
            return cut_interval(*self._wald(shares, each), confidence_level, chosen, simultaneous=number > 1)
        return join_intervals([self._mean(share).interval(each, chosen) for share in shares], confidence_level, number)

    def quantile(self, probability: float) -> float:
        """Return the value that this share of the numbers is below, if numbers spread evenly within their bands."""
        return quantile_of(self.distribution_function, self.edges, probability)

    def quantile_interval(
        self, probability: float, confidence_level: float = 0.95, method: str | None = None
    ) -> ScalarInterval:
        """Return edges that the quantile is between, by inverting the intervals for the shares below them.

        The lower one is the last edge up to which every upper limit is below the probability, the upper one the first
        edge from which every lower limit is above it. Each is wrong only if one interval, that at the true quantile's
        band, misses to one side, whatever the others do; nothing is assumed about where in a band the numbers are.

        Parameters
        ----------
        probability : float
            Strictly between 0 and 1; one half for the median.
        confidence_level : float
            Strictly between 0 and 1.
        method : str, optional
            As for `distribution_interval`.
        """
        probability = share_inside(probability, "probability")
        below = self.distribution_interval(each_side(confidence_level, method), method)
        low, high = quantile_edges(below.high < probability, below.low > probability, self.edges)
        return ScalarInterval(low, high, confidence_level, below.method)

    def _midpoints(self) -> Floats:
        return (self.edges[:-1] + self.edges[1:]) / 2

    def _mean(self, values: Floats) -> MeanWithin:
        return mean_within(self.bands, values.tolist())

    def _wald(self, functionals: Floats, confidence_level: float) -> tuple[Floats, Floats]:
        """Return limits for each row of weights times the bands' shares."""
        weights = np.array(self.bands.design.left_inverse, dtype=np.float64)
        return wald_limits(functionals @ weights, self.bands.observed, self.bands.n, confidence_level)


def likely_mean_of_bands(left: MeanWithin, right: MeanWithin, confidence_level: float, method: str) -> ScalarInterval:
    """Return the limits for the mean wherever in their bands the numbers are, from those with all at either edge.

    It is outside where no distribution over the bands has a mean that is kept, at either edges.
    """
    first, last = (mean.interval(each_side(confidence_level, method), method) for mean in (left, right))
    return ScalarInterval(first.low, last.high, confidence_level, first.method, first.outside and last.outside)


def join_intervals(intervals: Sequence[ScalarInterval], confidence_level: float, number: int) -> Interval:
    """Return intervals for shares as one, of which so many are to hold at once."""
    low, high, outside = (
        np.array([getattr(interval, name) for interval in intervals]) for name in ("low", "high", "outside")
    )
    return Interval(
        read_only(low),
        read_only(high),
        confidence_level,
        intervals[0].method,
        read_only(outside),
        simultaneous=number > 1,
    )


def quantile_of(distribution_function: Floats, edges: Floats, probability: float) -> float:
    """Return the value that this share is below, if numbers spread evenly within their bands."""
    probability = share_inside(probability, "probability")
    reached = np.concatenate([[0.0], distribution_function, [1.0]])
    band = int(np.flatnonzero(reached >= probability)[0]) - 1
    part = (probability - reached[band]) / (reached[band + 1] - reached[band])
    return float(edges[band] + part * (edges[band + 1] - edges[band]))


def quantile_edges(
    too_low: npt.NDArray[np.bool_], too_high: npt.NDArray[np.bool_], edges: Floats
) -> tuple[float, float]:
    """Return the edges that a quantile is between.

    Given, for each inner edge, whether the share below it is certainly below the quantile's probability, or above it.
    """
    first = int(np.logical_and.accumulate(too_low).sum())
    last = too_high.size + 1 - int(np.logical_and.accumulate(too_high[::-1]).sum())
    return float(edges[first]), float(edges[last])


def estimate_distribution(counts: Counts, design: Design, edges: Sequence[float | Fraction]) -> DistributionEstimate:
    """Estimate the distribution of a number from randomized reports of its band.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    design : Design
        A design with one true answer a band.
    edges : sequence of k + 1 numbers
        The limits of the bands, ascending, from −1e100 to 1e100; floats or exact.

    Returns
    -------
    DistributionEstimate
        With the prevalences of the `bands`, `mean`, `mean_interval`, `quantile` and their intervals.

    Raises
    ------
    ValueError
        If the edges are not k + 1 such numbers, or the counts are wrong.

    Examples
    --------
    >>> from surveys.estimation import estimate_distribution
    >>> from surveys.privacy import k_ary
    >>> estimate = estimate_distribution([30, 45, 25], k_ary(3), [0, 5, 10, 20])
    >>> round(estimate.mean, 2)
    7.42
    """
    limits = band_edges(edges, require_design(design).k)
    return DistributionEstimate(estimate_prevalence(counts, design), limits)


def band_edges(edges: Sequence[float | Fraction], number: int) -> Floats:
    """Return the limits of so many bands as floats, or refuse them."""
    given = as_list(edges)
    if given is None or len(given) != number + 1:
        raise ValueError(f"edges must be {number + 1} numbers for {number} bands, got {edges!r}")
    limits = np.array([as_float(edge) for edge in given])
    if not ((np.abs(limits) <= LARGEST_NUMBER).all() and (np.diff(limits) > 0).all()):
        raise ValueError(f"edges must be ascending numbers from -{LARGEST_NUMBER} to {LARGEST_NUMBER}, got {edges!r}")
    return read_only(limits)
