"""The mean and the variance of a number, from reports that stand for values (`GridMean`)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.general import likely_loss
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.intervals.reported import accepted_ratios
from surveys.estimation.intervals.sequence import SEQUENCE
from surveys.estimation.validation import Counts, Floats, as_float, as_list, read_only, report_counts
from surveys.privacy.designs.grid import LARGEST_REPORTS, GridMean
from surveys.privacy.rationals import probability

METHODS = ("likelihood_ratio", "wald", SEQUENCE)
_OF_TWO_GROUPS = METHODS[:2]


@dataclass(frozen=True, slots=True, eq=False)
class ValueMean:
    """The mean of numbers v_j that came n_j times, of which nothing else is known.

    Attributes
    ----------
    counts : array of m integers
        How often each number came.
    values : array of m floats
        The numbers.
    """

    counts: npt.NDArray[np.int64]
    values: Floats

    @property
    def point(self) -> float:
        """The mean."""
        return float(self.counts @ self.values / self.counts.sum())

    @property
    def variance(self) -> float:
        """The unbiased estimate of the mean's variance; NaN for a single number."""
        return variance_of_mean(self.counts, self.values)

    def limits(self, confidence_level: float, method: str = "likelihood_ratio") -> tuple[float, float]:
        """Return the means that an empirical likelihood-ratio test does not reject [Owen 1988], at one look or any."""
        least, most = float(self.values.min()), float(self.values.max())
        parts = (self.values - least) / (most - least)
        loss = likely_loss(int(self.counts.sum()), confidence_level, method)
        low, high, _ = accepted_ratios(self.counts, parts, np.ones(parts.size), loss)
        return (1 - low) * least + low * most, (1 - high) * least + high * most


def variance_of_mean(counts: npt.NDArray[np.int64], values: Floats) -> float:
    """Return Σn_j(v_j − v̄)²/(n(n−1)), NaN for n = 1."""
    n = int(counts.sum())
    if n == 1:
        return math.nan
    return float(counts @ (values - counts @ values / n) ** 2 / (n * (n - 1)))


@dataclass(frozen=True, slots=True, eq=False)
class GridMeanEstimate:
    """The estimated mean of a number, and how much it varies between respondents.

    Attributes
    ----------
    grid : GridMean
        How it was asked.
    reports : ValueMean
        The reports' values.
    """

    grid: GridMean
    reports: ValueMean

    @property
    def n(self) -> int:
        """The number of responses."""
        return int(self.reports.counts.sum())

    @property
    def point(self) -> float:
        """The mean of the reports' values: unbiased, and may leave the range of the numbers."""
        return self.reports.point

    @property
    def constrained(self) -> float:
        """The same, cut to the range."""
        return min(max(self.point, float(self.grid.low)), float(self.grid.high))

    @property
    def standard_error(self) -> float:
        """Of `point`: for sampling, rounding and randomization together; NaN for a single response."""
        return math.sqrt(self.reports.variance)

    @property
    def variance(self) -> float:
        """The unbiased estimate of the numbers' variance, which may be negative; NaN where reports do not tell.

        Of numbers rounded to the grid: rounding to steps of h adds h²/4 at most.
        """
        squares = self._squares()
        return float(self.reports.counts @ squares / self.n) - self.point**2 + self.reports.variance

    @property
    def variance_standard_error(self) -> float:
        """Of `variance`, by the delta method."""
        derivative = self._squares() - 2 * self.point * self.reports.values
        return math.sqrt(variance_of_mean(self.reports.counts, derivative))

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return a confidence interval for the mean, cut to the range of the numbers.

        Parameters
        ----------
        confidence_level : float, optional
            Strictly between 0 and 1.
        method : str, optional
            ``"likelihood_ratio"``, the default: the means that a likelihood-ratio test among all distributions of the
            reports does not reject; ``"wald"``, NaN for a single response; or ``"confidence_sequence"``, which holds
            at every look at once.

        References
        ----------
        Owen (1988), Empirical likelihood ratio confidence intervals for a single functional.
        """
        chosen = require_method(method, METHODS)
        if chosen == "wald":
            half = normal_quantile(confidence_level) * self.standard_error
            low, high = self.point - half, self.point + half
        else:
            low, high = self.reports.limits(confidence_level, chosen)
        least, most = float(self.grid.low), float(self.grid.high)
        outside = high < least or low > most
        low, high = np.clip([low, high], least, most).tolist()
        return ScalarInterval(low, high, confidence_level, chosen, outside)

    def _squares(self) -> Floats:
        """Return what each report adds to the mean of the squares, NaN where the reports do not determine it."""
        try:
            weights = self.grid.design.left_inverse
        except ValueError:
            return np.full(self.grid.design.m, np.nan)
        truths = [truth**2 for truth in self.grid.truths]
        return np.array(
            [float(sum(t * w for t, w in zip(truths, column, strict=True))) for column in zip(*weights, strict=True)]
        )


def require_method(method: str | None, methods: Sequence[str]) -> str:
    """Return the method, the usual one for None, or refuse what is none."""
    chosen = methods[0] if method is None else method
    if chosen not in methods:
        raise ValueError(f"method must be one of {', '.join(methods)}, got {method!r}")
    return chosen


def estimate_grid_mean(counts: Counts, grid: GridMean) -> GridMeanEstimate:
    """Estimate the mean of numbers from reports that stand for values.

    Parameters
    ----------
    counts : sequence of m integers
        How often each report was received.
    grid : GridMean
        The design with its values: one bit, a window, scrambling, an unrelated number.

    Returns
    -------
    GridMeanEstimate
        With `point`, `standard_error`, `interval` and `variance`.

    Raises
    ------
    ValueError
        If the counts are not m integers of at least 0 with a sum of at least 1.

    Examples
    --------
    >>> from surveys.estimation import estimate_grid_mean
    >>> from surveys.privacy import grid_of, number_window
    >>> grid = grid_of(number_window(3, "1/2", window=2), 0, 10)
    >>> round(estimate_grid_mean([20, 30, 35, 15], grid).point, 2)
    4.5
    """
    if not isinstance(grid, GridMean):
        raise ValueError(f"grid must be a GridMean, got {grid!r}")  # noqa: TRY004 - one kind of error for all wrong arguments
    received = report_counts(counts, grid.design.m)
    return GridMeanEstimate(grid, ValueMean(received, read_only(np.array(grid.values, dtype=np.float64))))


@dataclass(frozen=True, slots=True, eq=False)
class UnrelatedMean:
    """The mean of one of two numbers that two groups answered in different proportions.

    Attributes
    ----------
    groups : pair of ValueMean
        The answers of both groups.
    weights : pair of floats
        What each group's mean counts in the estimate, and its mean square in that of the mean square.
    """

    groups: tuple[ValueMean, ValueMean]
    weights: tuple[float, float]

    @property
    def point(self) -> float:
        """The unbiased estimate, which may leave the range of the numbers."""
        return sum(w * group.point for w, group in zip(self.weights, self.groups, strict=True))

    @property
    def standard_error(self) -> float:
        """Of `point`; NaN where a group has a single response."""
        return math.sqrt(sum(w**2 * group.variance for w, group in zip(self.weights, self.groups, strict=True)))

    @property
    def variance(self) -> float:
        """The unbiased estimate of the number's variance between respondents; it may be negative."""
        squares = sum(
            w * float(group.counts @ group.values**2 / group.counts.sum())
            for w, group in zip(self.weights, self.groups, strict=True)
        )
        return squares - self.point**2 + self.standard_error**2

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> ScalarInterval:
        """Return a confidence interval for the mean, cut to the range of the numbers.

        Parameters
        ----------
        confidence_level : float, optional
            Of this interval by itself.
        method : str, optional
            ``"likelihood_ratio"``, the default: the limits of both groups' means, combined by MOVER; or ``"wald"``.
        """
        chosen, point = require_method(method, _OF_TWO_GROUPS), self.point
        if chosen == "wald":
            half = normal_quantile(confidence_level) * self.standard_error
            low, high = point - half, point + half
        else:
            below = above = 0.0
            for weight, group in zip(self.weights, self.groups, strict=True):
                ends = sorted(weight * (limit - group.point) for limit in group.limits(confidence_level))
                below, above = below + ends[0] ** 2, above + ends[1] ** 2
            low, high = point - math.sqrt(below), point + math.sqrt(above)
        least, most = float(self.groups[0].values.min()), float(self.groups[0].values.max())
        outside = high < least or low > most
        low, high = np.clip([low, high], least, most).tolist()
        return ScalarInterval(low, high, confidence_level, chosen, outside)


@dataclass(frozen=True, slots=True, eq=False)
class UnrelatedNumberEstimate:
    """The sensitive number and the unrelated one, of which nothing was known.

    Attributes
    ----------
    sensitive, unrelated : UnrelatedMean
        The means of the two numbers.
    """

    sensitive: UnrelatedMean
    unrelated: UnrelatedMean


def estimate_unrelated_number(
    counts1: Counts, counts2: Counts, values: Sequence[float | Fraction], p1: object, p2: object
) -> UnrelatedNumberEstimate:
    """Estimate two numbers from two groups of which each answered the sensitive one with a probability of its own.

    With z̄ the groups' means, μ̂_X = [(1−p₂)z̄₁ − (1−p₁)z̄₂]/(p₁−p₂) and μ̂_Y = (p₁z̄₂ − p₂z̄₁)/(p₁−p₂), with the
    variances [(1−p₂)²V₁ + (1−p₁)²V₂]/(p₁−p₂)² and [p₁²V₂ + p₂²V₁]/(p₁−p₂)², V = s²/n. Mean squares are separated
    likewise. What a report gives away depends on the unrelated number, whose rarest value has the share g: with
    probability p of the sensitive question epsilon is ln(1 + p/((1−p)g)), infinite where a value never comes.

    Parameters
    ----------
    counts1, counts2 : sequences of m integers
        How many of each group answered each value.
    values : sequence of m numbers
        The values that both numbers may have, increasing; at most 36.
    p1, p2 : exact probabilities
        Of the sensitive number in each group; they must differ.

    Returns
    -------
    UnrelatedNumberEstimate
        With `sensitive` and `unrelated`, each with `point`, `standard_error` and `interval`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Greenberg, Kuebler, Abernathy & Horvitz (1971), Application of the randomized response technique in obtaining
    quantitative data.

    Examples
    --------
    >>> from surveys.estimation import estimate_unrelated_number
    >>> estimate = estimate_unrelated_number([50, 30, 20], [30, 30, 40], [0, 1, 2], "4/5", "3/10")
    >>> [round(estimate.sensitive.point, 2), round(estimate.unrelated.point, 2)]
    [0.54, 1.34]
    """
    numbers = np.array([as_float(value) for value in as_list(values) or ()])
    if not (2 <= numbers.size <= LARGEST_REPORTS and (np.diff(numbers) > 0).all()):
        raise ValueError(f"values must be 2 to {LARGEST_REPORTS} increasing numbers, got {values!r}")
    first, second = probability(p1, "p1"), probability(p2, "p2")
    if first == second:
        raise ValueError(f"p1 and p2 must differ, or the groups tell nothing about each other, got {first} twice")
    groups = (
        ValueMean(report_counts(counts1, numbers.size, "counts1"), read_only(numbers)),
        ValueMean(report_counts(counts2, numbers.size, "counts2"), read_only(numbers)),
    )
    apart = first - second
    sensitive = float((1 - second) / apart), float((first - 1) / apart)
    unrelated = float(-second / apart), float(first / apart)
    return UnrelatedNumberEstimate(UnrelatedMean(groups, sensitive), UnrelatedMean(groups, unrelated))
