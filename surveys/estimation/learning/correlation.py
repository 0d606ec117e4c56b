"""How the true answers of several items hang together: their correlations, from one released table.

All moments of the true answers are linear in their joint distribution, so the noisy table's moment estimate gives them
without bias; neither designs nor noise draw them towards 0. They cost nothing beyond the release.

A correlation is r = c/√(vw), the covariance over the root of two variances, and noise is in all three. In units in
which the estimates of v and w are 1, √(vw) is about (v + w)/2; so an interval is all r at which c − r·(v + w)/2 is not
beyond chance (Fieller), and the whole of [−1, 1] unless each variance is above 0 beyond chance: one that may be noise
alone goes with any correlation.

References
----------
Fieller (1954), Some problems in interval estimation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.learning.table import ReleasedTable
from surveys.estimation.regression.correlation import CorrelationMatrix
from surveys.estimation.regression.covariance import Limits, score_interval
from surveys.estimation.regression.rows import real_numbers
from surveys.estimation.validation import LARGEST_NUMBER, Floats, as_list, read_only


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedCorrelations(CorrelationMatrix):
    """Estimated correlations between the true answers of p items of a released table.

    Attributes
    ----------
    n, point, standard_errors
        As of a `CorrelationMatrix`.
    slope_covariances, slope_variances : arrays of p × p floats
        Of each correlation's score with the mean of its two variances, in units in which their estimates are 1, and of
        that mean.
    spread_errors : array of p floats
        The standard error of each item's variance, as a share of it.
    """

    slope_covariances: Floats
    slope_variances: Floats
    spread_errors: Floats

    def interval(self, confidence_level: float = 0.95) -> Limits:
        """Return the limits of the score, cut to [−1, 1]: all of it where a variance may be noise alone.

        How often they hold the truth stands in `tests/estimation/learning/test_coverage.py`.
        """
        known = normal_quantile(confidence_level) * self.spread_errors < 1
        both = known & known[:, np.newaxis]
        limits = score_interval(
            self.point, self.standard_errors**2, self.slope_covariances, self.slope_variances, confidence_level
        )
        low, high = (np.where(both, limits.low, -1.0), np.where(both, limits.high, 1.0))
        return Limits(read_only(low.clip(-1.0, 1.0)), read_only(high.clip(-1.0, 1.0)), confidence_level, limits.method)


def correlate_released(
    table: ReleasedTable,
    items: Sequence[SupportsIndex] | None = None,
    values: Sequence[npt.ArrayLike] | None = None,
) -> ReleasedCorrelations:
    """Estimate the correlations between the true answers of several items.

    Parameters
    ----------
    table : ReleasedTable
        What was published.
    items : sequence of ints, optional
        Which of its items, at least two; by default all.
    values : sequence of sequences of floats, optional
        What each answer of these items stands for; by default its code.

    Returns
    -------
    ReleasedCorrelations
        With `point`, `standard_errors` and `interval`.

    Raises
    ------
    ValueError
        If an item is none of the table's or comes twice, there are fewer than two, or the values are not finite
        numbers, one an answer.

    Examples
    --------
    >>> from surveys.estimation import ReleasedTable, correlate_released
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> table = ReleasedTable([[342, 261], [258, 337]], 1200, (coins, coins), DiscreteLaplace(1, 2))
    >>> correlate_released(table).point.round(2).tolist()
    [[1.0, 0.53], [0.53, 1.0]]
    """
    marginal = table if items is None else table.marginal(items)
    columns = _columns(marginal, values)
    if len(columns) < 2:
        raise ValueError("items must be at least two")
    truths = marginal.point.ravel()
    centred = columns - (columns @ truths)[:, np.newaxis]
    moments = (centred * truths) @ centred.T
    variances = np.diagonal(moments)
    scaled = centred / np.sqrt(np.where(variances > 0, variances, np.nan))[:, np.newaxis]
    point = (scaled * truths) @ scaled.T
    p = len(columns)
    chance = np.zeros((3, p, p))
    for a in range(p):
        for b in range(a):
            mean = (scaled[a] ** 2 + scaled[b] ** 2) / 2
            both = np.array([scaled[a] * scaled[b] - point[a, b] * mean, mean - 1]).reshape(2, *marginal.shape)
            (variance, with_slope), (_, of_slope) = marginal.channel.covariance(both, marginal.constrained)
            chance[:, a, b] = chance[:, b, a] = np.sqrt(variance), with_slope, of_slope
    errors, with_slopes, of_slopes = np.where(np.isnan(point), np.nan, chance)
    spread = marginal.channel.covariance((scaled**2 - 1).reshape(p, *marginal.shape), marginal.constrained)
    return ReleasedCorrelations(
        marginal.n,
        read_only(point),
        read_only(errors),
        read_only(with_slopes),
        read_only(of_slopes),
        read_only(np.sqrt(np.diagonal(spread))),
    )


def _columns(table: ReleasedTable, values: Sequence[npt.ArrayLike] | None) -> Floats:
    """Return the value of each item under each combination of true answers."""
    given = [np.arange(k) for k in table.shape] if values is None else as_list(values)
    if given is None or len(given) != len(table.shape):
        raise ValueError(f"values must be {len(table.shape)} sequences of numbers, one an item")
    numbers = [real_numbers(row, f"values[{item}]") for item, row in enumerate(given)]
    for item, (row, k) in enumerate(zip(numbers, table.shape, strict=True)):
        if not (row.shape == (k,) and (np.abs(row) <= LARGEST_NUMBER).all()):
            raise ValueError(f"values[{item}] must be {k} finite numbers, one an answer")
    return np.array([grid.ravel() for grid in np.meshgrid(*numbers, indexing="ij")])
