"""Linear regression of numbers that true answers stand for, from one released joint table of reports.

With v the value of the outcome's truth and x the indicators of the predictors' (behind a constant), θ solves the normal
equations E[xxᵀ]θ = E[xv]. Both sides are linear in the joint distribution π of the true answers, whose moment estimate
π̂ from the noisy table is unbiased (`table`). So θ̂ = S⁻¹Σπ̂·xv with S = Σπ̂·xxᵀ is the corrected score's solution
(`regression.linear`), and its influence on a true answer is a = S⁻¹x(v − xθ̂). Variances follow from π̂'s exactly,
those of the designs, of sampling and of the noise together; an interval is all values that the score does not reject
(Fieller), the whole line where the release does not even tell that the predictors vary. Nothing is assumed of the
errors.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from surveys.estimation.learning.precision import ReleasePrecision, precision_behind
from surveys.estimation.learning.table import (
    Channel,
    ReleasedTable,
    TableRegression,
    expected_table,
    rearranged,
    regression_of,
)
from surveys.estimation.regression.covariance import inverse_or_nan
from surveys.estimation.regression.linear import LinearFit
from surveys.estimation.regression.rows import real_numbers
from surveys.estimation.released.noise import CountNoise
from surveys.estimation.validation import LARGEST_NUMBER, Floats, read_only
from surveys.privacy.designs.design import Design


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedLinearFit(LinearFit):
    """A linear regression of true answers, fitted to a released table by corrected scores.

    Attributes
    ----------
    coefficients, sandwich, slope_covariances, slope_variances, residual_deviation
        As of a `LinearFit`: the intercept first, then for each predictor its codes but the first.
    regression : TableRegression
        The outcome, the predictors, and the table of both.
    precision : ReleasePrecision
        How precise the coefficients are, beside those without noise and those of direct answers, if the true answers
        are distributed as the constrained estimate.
    """

    regression: TableRegression
    precision: ReleasePrecision


def fit_released_linear(
    table: ReleasedTable,
    values: npt.ArrayLike,
    *,
    outcome: SupportsIndex = 0,
    predictors: Sequence[SupportsIndex] | None = None,
) -> ReleasedLinearFit:
    """Fit E[value of the outcome's truth] = b₀ + Σ_j b_{j,z_j} where z are the predictors' true answers.

    Parameters
    ----------
    table : ReleasedTable
        What was published.
    values : sequence of k floats
        What each answer of the outcome stands for.
    outcome : int
        The item whose values are modelled.
    predictors : sequence of ints, optional
        The items that they depend on; all others are added up. By default, these are all but the outcome.

    Returns
    -------
    ReleasedLinearFit
        With `coefficients`, `standard_errors`, `interval` and `precision`.

    Raises
    ------
    ValueError
        If an item is none of the table's, comes twice, or is outcome and predictor; or the values are not finite
        numbers, one an answer and not all equal.

    Examples
    --------
    >>> from surveys.estimation import ReleasedTable, fit_released_linear
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> table = ReleasedTable([[342, 261], [258, 337]], 1200, (coins, coins), DiscreteLaplace(1, 2))
    >>> fit_released_linear(table, [0, 1]).coefficients.round(2).tolist()
    [0.23, 0.53]
    """
    regression = regression_of(table, outcome, predictors)
    numbers = _outcome_values(values, regression)
    released, rows = regression.table, regression.rows
    theta, inverse = _solution(released.point, numbers, rows)
    residuals, leverage = _influences(theta, inverse, numbers, rows, released.shape)
    p = theta.size
    corrected = released.n / (released.n - p)
    covariance = corrected * released.channel.covariance(np.concatenate([residuals, leverage]), released.constrained)
    spread = corrected * float((released.point.reshape(len(numbers), -1) * _errors(theta, numbers, rows) ** 2).sum())
    return ReleasedLinearFit(
        coefficients=read_only(theta),
        sandwich=read_only(covariance[:p, :p].copy()),
        slope_covariances=read_only(np.diagonal(covariance[:p, p:]).copy()),
        slope_variances=read_only(np.diagonal(covariance[p:, p:]).copy()),
        residual_deviation=math.sqrt(spread) if spread > 0 else math.nan,
        regression=regression,
        precision=_precision(released.channel, released.constrained, numbers, rows),
    )


def expect_linear_precision(
    truths: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    n: int,
    designs: Sequence[Design | None],
    noise: CountNoise,
    outcome: SupportsIndex = 0,
    predictors: Sequence[SupportsIndex] | None = None,
) -> ReleasePrecision:
    """Return how precise a linear regression from a release will be, from public numbers only.

    Parameters
    ----------
    truths : array of k₁ × … × k_q floats
        What is assumed of the joint distribution of the true answers.
    n, designs, noise
        As of a `ReleasedTable`.
    values, outcome, predictors
        As of `fit_released_linear`.

    Returns
    -------
    ReleasePrecision
        Standard errors of the coefficients: `released`, `without_noise` and `direct`.

    Raises
    ------
    ValueError
        If the table or the regression would be refused, the true answers are no distribution of this shape, or they
        leave an answer to nobody.

    Examples
    --------
    >>> from surveys.estimation import expect_linear_precision
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> precision = expect_linear_precision(
    ...     [[0.4, 0.1], [0.1, 0.4]], [0, 1], n=1200, designs=[coins, coins], noise=DiscreteLaplace(1, 2)
    ... )
    >>> precision.released.round(2).tolist()
    [0.07, 0.12]
    """
    table, assumed = expected_table(truths, n, designs, noise)
    regression = regression_of(table, outcome, predictors)
    numbers = _outcome_values(values, regression)
    precision = _precision(regression.table.channel, rearranged(assumed, regression.items), numbers, regression.rows)
    if np.isnan(precision.coefficients).any():
        raise ValueError("truths must leave somebody to every answer")
    return precision


def _outcome_values(values: npt.ArrayLike, regression: TableRegression) -> Floats:
    numbers, k = real_numbers(values, "values"), regression.table.shape[0]
    if not (numbers.shape == (k,) and (np.abs(numbers) <= LARGEST_NUMBER).all() and np.ptp(numbers) > 0):
        raise ValueError(f"values must be {k} finite numbers, one an answer of the outcome, not all equal")
    return numbers


def _solution(truths: Floats, values: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """Return θ and S⁻¹; NaN where S is not positive definite."""
    shares = truths.reshape(values.size, -1)
    inverse = inverse_or_nan((rows * shares.sum(axis=0)[:, np.newaxis]).T @ rows)
    return inverse @ (rows.T @ (values @ shares)), inverse


def _errors(theta: Floats, values: Floats, rows: Floats) -> Floats:
    """Return v − xθ of each true answer of the outcome, k, and of the predictors, Z."""
    return np.asarray(values[:, np.newaxis] - rows @ theta)


def _influences(
    theta: Floats, inverse: Floats, values: Floats, rows: Floats, shape: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Return a truth's influence on each coefficient, and on the slope of its score, p × k₁ × k₂ × … each."""
    towards = inverse @ rows.T
    influence = towards[:, np.newaxis, :] * _errors(theta, values, rows)
    slopes = towards**2 / np.diagonal(inverse)[:, np.newaxis]
    both = np.broadcast_to(slopes[:, np.newaxis, :], influence.shape)
    return influence.reshape(-1, *shape), both.reshape(-1, *shape)


def _precision(channel: Channel, truths: Floats, values: Floats, rows: Floats) -> ReleasePrecision:
    """Return how precise the coefficients are behind a channel, beside the same without noise and direct answers."""
    theta, inverse = _solution(truths, values, rows)
    influence, _ = _influences(theta, inverse, values, rows, truths.shape)

    def errors(each: Channel) -> Floats:
        variances = np.diagonal(each.covariance(influence, truths))
        return np.where(np.isnan(variances), np.inf, np.sqrt(variances))

    return precision_behind(channel, theta, errors)
