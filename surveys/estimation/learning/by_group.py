"""Figures of one question in the groups that another's true answers make, from one released table of their reports.

With π the joint distribution of both true answers and w what an answer counts for, the figure of a group g is the ratio
θ = N/D of N = Σ_a w_a·π(a, g) and the group's share D = Σ_a π(a, g). Both are linear in π, whose moment estimate from
the noisy table is unbiased (`table`). So N − θD has the mean 0 and a variance that follows exactly from the designs,
sampling and the noise. An interval is all θ at which N − θD is within z standard deviations of 0 (Fieller): where the
release does not even tell that anybody is in the group, that is everything possible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import Interval, cut_interval
from surveys.estimation.learning.table import Channel, ReleasedTable, expected_table
from surveys.estimation.regression.rows import real_numbers
from surveys.estimation.released.noise import CountNoise
from surveys.estimation.validation import LARGEST_NUMBER, Floats, level, read_only
from surveys.privacy.designs.design import Design

METHOD = "fieller"
NOBODY = 1e-9
"""A share so small is 0 but for rounding: shares of counts are coarser."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupLimits:
    """Limits for each figure of each group.

    Attributes
    ----------
    low, high : array of figures × groups
        Within what is possible.
    confidence_level : float
        Of each by itself.
    method : str
        How they were found.
    """

    low: Floats
    high: Floats
    confidence_level: float
    method: str = METHOD


@dataclass(frozen=True, eq=False)
class ReleasedGroups:
    """The shares of each answer, or the mean of a number, in each group.

    Attributes
    ----------
    table : ReleasedTable
        Of the question, then the groups.
    weights : array of figures × answers
        What each answer counts for: one row an answer for shares, one row of numbers for a mean.
    """

    table: ReleasedTable
    weights: Floats

    @cached_property
    def sizes(self) -> Floats:
        """The estimated share of people in each group: unbiased, and may leave [0, 1]."""
        return read_only(self.table.point.sum(axis=0))

    @cached_property
    def point(self) -> Floats:
        """The estimated figures, figures × groups; NaN where the estimate leaves nobody to a group."""
        return read_only(_ratios(self.weights, self.table.point))

    @cached_property
    def constrained(self) -> Floats:
        """The same of the nearest distribution of true answers, so within what is possible; NaN for no people."""
        return read_only(_ratios(self.weights, self.table.constrained))

    @property
    def standard_error(self) -> Floats:
        """Of each figure, figures × groups; infinite where the estimate leaves nobody to a group."""
        return read_only(np.sqrt(_variances(self.table.channel, self.weights, self.table.constrained)))

    def interval(self, confidence_level: float = 0.95) -> GroupLimits:
        """Return limits for each figure of each group by itself, cut to what is possible.

        An estimate beyond what is possible is read as the nearest that is, so that no interval is a single value.

        Raises
        ------
        ValueError
            If the confidence level is not strictly between 0 and 1.
        """
        z = normal_quantile(level(confidence_level))
        low, high = np.empty_like(self.point), np.empty_like(self.point)
        for row, weights in enumerate(self.weights):
            for group in range(self.table.shape[1]):
                low[row, group], high[row, group] = self._limits(weights, group, z)
        return GroupLimits(read_only(low), read_only(high), confidence_level)

    def size_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return an interval for the share of people in each group by itself, from its standard error."""
        z = normal_quantile(level(confidence_level))
        of_groups = np.array([_in_group(self.table.shape, group) for group in range(self.table.shape[1])])
        shares = (of_groups * self.table.constrained).sum(axis=(1, 2))
        centred = of_groups - shares[:, np.newaxis, np.newaxis]
        covariance = self.table.channel.covariance(centred, self.table.constrained)
        half = z * np.sqrt(np.diagonal(covariance))
        nearest = self.sizes.clip(0.0, 1.0)
        return cut_interval(nearest - half, nearest + half, confidence_level, "wald")

    def _limits(self, weights: Floats, group: int, z: float) -> tuple[float, float]:
        least, most = float(weights.min()), float(weights.max())
        truths, inside = self.table.constrained, _in_group(self.table.shape, group)
        size, mean = float(self.sizes[group]), float(_ratios(weights[np.newaxis], truths)[0, group])
        if not size > NOBODY or np.isnan(mean):
            return least, most
        # At θ: N − θD = (N − mD) − (θ − m)D, both with functionals of mean 0 under these true answers.
        pull, slope = inside * (weights[:, np.newaxis] - mean), inside - float((inside * truths).sum())
        (own, both), (_both, bend) = self.table.channel.covariance(np.array([pull, slope]), truths)
        # What no shares lead to is read as the nearest that they can: that makes no interval smaller, and none empty.
        raw = float(_ratios(weights[np.newaxis], self.table.point)[0, group])
        surplus = (min(max(raw, least), most) - mean) * size
        # (surplus − δ·size)² ≤ z²(own − 2δ·both + δ²·bend), a quadratic inequality in δ = θ − m.
        a, b, c = size**2 - z**2 * bend, surplus * size - z**2 * both, surplus**2 - z**2 * own
        if not a > 0:
            return least, most
        root = float(np.sqrt(max(b * b - a * c, 0.0)))
        low, high = mean + (b - root) / a, mean + (b + root) / a
        return min(max(low, least), most), max(min(high, most), least)


def estimate_released_groups(table: ReleasedTable, values: npt.ArrayLike | None = None) -> ReleasedGroups:
    """Estimate figures of a question in each group of people who give the same true answer to another.

    Parameters
    ----------
    table : ReleasedTable
        Of two items: the question, then the groups.
    values : sequence of k floats, optional
        What each answer to the question stands for: then the figure is the mean. By default, there is one figure for
        each answer, its share.

    Returns
    -------
    ReleasedGroups
        With `point`, `constrained`, `standard_error`, `interval`, and the `sizes` of the groups.

    Raises
    ------
    ValueError
        If the table is not of two items, or the values are not finite numbers, one an answer and not all equal.

    Examples
    --------
    >>> from surveys.estimation import ReleasedTable, estimate_released_groups
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> table = ReleasedTable([[342, 261], [258, 337]], 1200, (coins, coins), DiscreteLaplace(1, 2))
    >>> groups = estimate_released_groups(table)
    >>> groups.point[1].round(2).tolist()
    [0.23, 0.76]
    """
    if table.counts.ndim != 2:
        raise ValueError(f"table must be of two items, the question and the groups, got {table.counts.ndim}")
    return ReleasedGroups(table, _weights(values, table.shape[0]))


def expect_group_precision(
    truths: npt.ArrayLike,
    values: npt.ArrayLike | None = None,
    *,
    n: int,
    designs: Sequence[Design | None],
    noise: CountNoise,
) -> tuple[Floats, Floats, Floats]:
    """Return how precise figures by group will be, from public numbers only.

    Parameters
    ----------
    truths : array of k₁ × k₂ floats
        What is assumed of the joint distribution of the true answers.
    values : sequence of k₁ floats, optional
        As of `estimate_released_groups`.
    n, designs, noise
        As of a `ReleasedTable`.

    Returns
    -------
    tuple of three arrays of figures × groups
        Standard errors: of this release, of the same without its noise, and of direct answers.

    Raises
    ------
    ValueError
        If a `ReleasedTable` would be refused, the true answers are no distribution, or the values do not fit.

    Examples
    --------
    >>> from surveys.estimation import expect_group_precision
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins, even = forced_response(), [[0.25, 0.25], [0.25, 0.25]]
    >>> errors = expect_group_precision(even, n=1200, designs=[coins, coins], noise=DiscreteLaplace("1/5", 2))
    >>> [each[1].round(3).tolist() for each in errors]
    [[0.083, 0.083], [0.065, 0.065], [0.02, 0.02]]
    """
    table, assumed = expected_table(truths, n, designs, noise)
    if table.counts.ndim != 2:
        raise ValueError(f"truths must be of two items, the question and the groups, got {table.counts.ndim}")
    weights, channel = _weights(values, assumed.shape[0]), table.channel
    released, without_noise, direct = (
        read_only(np.sqrt(_variances(each, weights, assumed)))
        for each in (channel, channel.without_noise(), channel.direct())
    )
    return released, without_noise, direct


def _weights(values: npt.ArrayLike | None, k: int) -> Floats:
    if values is None:
        return read_only(np.eye(k))
    numbers = real_numbers(values, "values")
    if not (numbers.shape == (k,) and (np.abs(numbers) <= LARGEST_NUMBER).all() and np.ptp(numbers) > 0):
        raise ValueError(f"values must be {k} finite numbers, one an answer of the question, not all equal")
    return read_only(numbers[np.newaxis])


def _ratios(weights: Floats, truths: Floats) -> Floats:
    sizes = truths.sum(axis=0)
    return np.asarray(np.where(sizes > NOBODY, weights @ truths / np.where(sizes > NOBODY, sizes, 1.0), np.nan))


def _in_group(shape: tuple[int, ...], group: int) -> Floats:
    inside = np.zeros(shape)
    inside[:, group] = 1.0
    return inside


def _variances(channel: Channel, weights: Floats, truths: Floats) -> Floats:
    """Return the variance of each ratio by its influence, (w − θ)/D in the group."""
    figures, sizes = _ratios(weights, truths), truths.sum(axis=0)
    variances = np.full(figures.shape, np.inf)
    for (row, group), figure in np.ndenumerate(figures):
        if sizes[group] > NOBODY:
            pull = _in_group(truths.shape, group) * (weights[row][:, np.newaxis] - figure) / sizes[group]
            variances[row, group] = channel.covariance(pull[np.newaxis], truths)[0, 0]
    return variances
