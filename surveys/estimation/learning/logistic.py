"""Logistic regression of true answers, from one released joint table of reports.

The likelihood includes both kinds of randomness, the designs' and the noise's (`likelihood`, `climbing`). The
distribution of the predictors' true answers is free. Where the likelihood is regular, standard errors from the expected
information serve: no share of true answers is estimated as 0, and every log odds ratio is known to within `ROUGH`.
Elsewhere intervals are the quantiles of fits to replicated tables (parametric bootstrap), which only the published
numbers decide; a replicate's coefficient beyond `FARTHEST`, or of an answer that nobody has there, stands for infinity.

In 2,000 simulated releases each of three designs and three ε, the 95% intervals of every coefficient held the truth in
at least .947 of them (the table stands in `tests/estimation/learning/test_coverage.py`).

References
----------
Carroll, Ruppert, Stefanski & Crainiceanu (2006), Measurement Error in Nonlinear Models.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.learning.climbing import FARTHEST, NEARLY, TruthModel, climb_tables
from surveys.estimation.learning.likelihood import MOST_TERMS, noisy_counts
from surveys.estimation.learning.precision import ReleasePrecision, precision_behind
from surveys.estimation.learning.replicates import replicate_tables
from surveys.estimation.learning.table import (
    Channel,
    ReleasedTable,
    TableRegression,
    each_axis,
    expected_table,
    rearranged,
    regression_of,
)
from surveys.estimation.regression.covariance import Limits
from surveys.estimation.regression.outcome import LogisticModel, Outcomes
from surveys.estimation.regression.scoring import ascend
from surveys.estimation.released.histogram import nearest_distribution
from surveys.estimation.released.noise import CountNoise
from surveys.estimation.validation import Floats, level, read_only
from surveys.privacy.designs.design import Design

METHODS = ("wald", "bootstrap")
MOST_TRUTHS = 1024
"""Combinations of true answers that are distinguished."""
ROUGH = 1.0
"""Wald's interval is kept for log odds ratios with a standard error up to this."""
REPLICATES = 399
_MIXED = 0.1
"""So much of the uniform distribution is mixed into the moment estimate for a start."""
_DETERMINED = 1e-11
_AT_ONCE = 2**22
"""So many terms of the likelihoods of replicates are summed at once."""


@dataclass(frozen=True, eq=False)
class ReleasedLogisticFit:
    """A logistic regression of true answers, fitted to a released table.

    Attributes
    ----------
    regression : TableRegression
        The outcome, the predictors, and the table of both.
    coefficients : array of p floats
        Log odds ratios of the true answers: intercept, then for each predictor its codes but the first. ±∞ beyond
        odds ratios of 160,000, NaN where nobody seems to have the answer in question.
    place : array of p + Z floats
        Where the likelihood is highest: coefficients, and the shares of the predictors' true answers.
    log_likelihood : float
        But for a constant.
    converged : bool
        Whether that is a maximum.
    exact : bool
        Whether the likelihood was convolved throughout; else the sum of all noise was taken to be normal.
    """

    regression: TableRegression
    coefficients: Floats
    place: Floats
    log_likelihood: float
    converged: bool
    exact: bool

    @property
    def n(self) -> int:
        """The number of respondents."""
        return self.regression.table.n

    @property
    def truths(self) -> Floats:
        """The shares of the combinations of the predictors' true answers, one axis a predictor."""
        shares = self.place[self.coefficients.size :]
        return read_only((shares / shares.sum()).reshape(self.regression.table.shape[1:]))

    @property
    def fitted(self) -> Floats:
        """The joint distribution of all true answers, the outcome's first."""
        return read_only(_joint(self.regression.rows, self.place).reshape(self.regression.table.shape))

    def standard_errors(self) -> Floats:
        """Return the coefficients' standard errors, for sampling, coins and noise: infinite where undetermined."""
        return self.precision.released

    @cached_property
    def precision(self) -> ReleasePrecision:
        """How precise the coefficients are, beside those without noise and those of direct answers."""
        return _precision(self.regression.table.channel, self.regression.rows, self.place, self.coefficients)

    @property
    def regular(self) -> bool:
        """Whether Wald's intervals can be relied on: no share at the edge, no coefficient without a bound."""
        shares = self.place[self.coefficients.size :]
        return bool(self.converged and (shares > 0).all() and (self.standard_errors() <= ROUGH).all())

    def interval(self, confidence_level: float = 0.95, method: str | None = None) -> Limits:
        """Return an interval for each coefficient, from −∞ to ∞ where nothing is known.

        Parameters
        ----------
        confidence_level : float
            Of each by itself.
        method : str, optional
            ``"wald"``: estimate ± z standard errors; ``"bootstrap"``: quantiles of fits to replicated tables. By
            default, Wald's where the fit is `regular`. So few replicates say nothing of levels above 199/200.
        """
        chosen = method or ("wald" if self.regular else "bootstrap")
        if chosen not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        if chosen == "bootstrap":
            return self._bootstrap(level(confidence_level))
        known = np.isfinite(self.standard_errors())
        middle = np.where(known, self.coefficients, 0.0)
        half = normal_quantile(confidence_level) * self.standard_errors()
        return Limits(read_only(middle - half), read_only(middle + half), confidence_level, "wald")

    def shares(self, confidence_level: float = 0.95) -> Floats:
        """Return the share of Yes, and its limits, among all with one answer to one item and the first to all others.

        Each row is that of a coefficient together with the constant; the first is of those with the first answers only.
        """
        log_odds = _with_constant(self.coefficients)
        if self.regular:
            table, rows = self.regression.table, self.regression.rows
            sums = _with_constant(np.eye(rows.shape[1])).T
            errors = _errors(truth_model(table.channel, rows), self.place, table.channel.variance, sums)
            half = normal_quantile(confidence_level) * errors
            low, high = log_odds - half, log_odds + half
        else:
            limits = self._bootstrap(level(confidence_level), _with_constant)
            low, high = limits.low, limits.high
        return np.asarray(scipy.special.expit(np.column_stack([log_odds, low, high])))

    def _bootstrap(
        self, confidence_level: float, of: Callable[[Floats], Floats] = lambda coefficients: coefficients
    ) -> Limits:
        tail = (1 - confidence_level) / 2
        if not (self.converged and tail * (REPLICATES + 1) >= 1 - _DETERMINED):
            # So rare a tail is none that so few replicates have; and where a climb was given up is no estimate.
            unknown = np.full(self.coefficients.size, np.inf)
            return Limits(read_only(-unknown), read_only(unknown), confidence_level, "bootstrap")
        low, high = map(of, self._replicates)
        lowest = np.quantile(np.where(np.isnan(low), -np.inf, low), tail, axis=0, method="lower")
        highest = np.quantile(np.where(np.isnan(high), np.inf, high), 1 - tail, axis=0, method="higher")
        silent = np.isnan(of(self.coefficients))
        return Limits(
            read_only(np.where(silent, -np.inf, lowest)),
            read_only(np.where(silent, np.inf, highest)),
            confidence_level,
            "bootstrap",
        )

    @cached_property
    def _replicates(self) -> tuple[Floats, Floats]:
        """The coefficients of fits to replicated tables; what is not known is −∞ in the first, ∞ in the second."""
        table, rows = self.regression.table, self.regression.rows
        model = truth_model(table.channel, rows)
        shares = np.maximum(model.means(self.place[np.newaxis])[0], 0.0)
        tables = replicate_tables(table.counts, table.n, shares / shares.sum(), table.noise, REPLICATES)
        terms = shares.size * (2 * table.noise.reach + 1)
        parts = np.array_split(tables, math.ceil(REPLICATES * terms / _AT_ONCE))
        # A fit inside the edges is near the maxima of its replicates; one at an edge may be at none of them.
        inside = bool(np.isfinite(self.coefficients).all() and (self.place[rows.shape[1] :] > 0).all())
        blocks = [
            climb_tables(
                model,
                noisy_counts(part, table.n, table.noise, exact=False),
                np.array([self.place if inside else _start(table, rows, counts) for counts in part]),
                NEARLY,
            ).places
            for part in parts
        ]
        coefficients, silent = _coefficients(rows, np.concatenate(blocks))
        return np.where(silent, -np.inf, coefficients), np.where(silent, np.inf, coefficients)


def fit_released_logistic(
    table: ReleasedTable, *, outcome: SupportsIndex = 0, predictors: Sequence[SupportsIndex] | None = None
) -> ReleasedLogisticFit:
    """Fit Pr(outcome's truth is Yes) = σ(b₀ + Σ_j b_{j,z_j}) where z are the predictors' true answers.

    Parameters
    ----------
    table : ReleasedTable
        What was published.
    outcome : int
        The item whose truth is modelled: one of two answers.
    predictors : sequence of ints, optional
        The items that it depends on; all others are added up. By default, these are all but the outcome.

    Returns
    -------
    ReleasedLogisticFit
        With `coefficients`, `standard_errors`, `interval` and `precision`, for sampling, coins and noise.

    Raises
    ------
    ValueError
        If an item is none of the table's, comes twice, or is outcome and predictor; the outcome has not two answers; or
        there are too many combinations of true answers.

    Examples
    --------
    >>> from surveys.estimation import ReleasedTable, fit_released_logistic
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> table = ReleasedTable([[342, 261], [258, 337]], 1200, (coins, coins), DiscreteLaplace(1, 2))
    >>> fit_released_logistic(table).coefficients.round(2).tolist()
    [-1.22, 2.38]
    """
    regression = _logistic_regression(table, outcome, predictors)
    released, rows = regression.table, regression.rows
    model = truth_model(released.channel, rows)
    moment = _start(released, rows, released.counts.ravel())
    level_start = np.concatenate([_level_start(released, rows.shape[1]), moment[rows.shape[1] :]])
    if released.counts.size * (2 * released.noise.reach + 1) > MOST_TERMS:
        unknown = np.full(rows.shape[1], np.nan)
        return ReleasedLogisticFit(regression, read_only(unknown), read_only(moment), math.nan, False, False)
    counts = np.tile(released.counts.ravel(), (2, 1))
    likelihood = noisy_counts(counts, released.n, released.noise)
    maxima = climb_tables(model, likelihood, np.array([moment, level_start]))
    best = int(maxima.heights[1] > maxima.heights[0] + 1e-9)
    coefficients, silent = _coefficients(rows, maxima.places[[best]])
    return ReleasedLogisticFit(
        regression,
        read_only(np.where(silent, np.nan, coefficients)[0]),
        read_only(maxima.places[best]),
        float(maxima.heights[best]),
        bool(maxima.converged[best]),
        bool(likelihood.size),
    )


def expect_logistic_precision(
    truths: npt.ArrayLike,
    *,
    n: int,
    designs: Sequence[Design | None],
    noise: CountNoise,
    outcome: SupportsIndex = 0,
    predictors: Sequence[SupportsIndex] | None = None,
) -> ReleasePrecision:
    """Return how precise a logistic regression from a release will be, from public numbers only.

    Parameters
    ----------
    truths : array of k₁ × … × k_q floats
        What is assumed of the joint distribution of the true answers.
    n, designs, noise
        As of a `ReleasedTable`.
    outcome, predictors
        As of `fit_released_logistic`.

    Returns
    -------
    ReleasePrecision
        Standard errors of the coefficients: `released`, `without_noise` and `direct`.

    Raises
    ------
    ValueError
        If the table or the regression would be refused, the true answers are no distribution of this shape, or they
        make an outcome certain or leave an answer to nobody.

    Examples
    --------
    >>> from surveys.estimation import expect_logistic_precision
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> precision = expect_logistic_precision(
    ...     [[0.4, 0.1], [0.1, 0.4]], n=1200, designs=[coins, coins], noise=DiscreteLaplace(1, 2)
    ... )
    >>> precision.released.round(2).tolist()
    [0.41, 0.72]
    """
    table, assumed = expected_table(truths, n, designs, noise)
    regression = _logistic_regression(table, outcome, predictors)
    joint = rearranged(assumed, regression.items).reshape(2, -1)
    rows, some = regression.rows, joint.ravel() > 0
    yes = np.repeat([0.0, 1.0], joint.shape[1])[some]
    stacked = np.vstack([rows, rows])[some]
    summit = ascend(
        LogisticModel(stacked, np.zeros(len(stacked)), Outcomes(1 - yes, yes, joint.ravel()[some])),
        np.zeros(rows.shape[1]),
    )
    if not summit.converged:
        raise ValueError("truths must leave both outcomes possible, and somebody to every answer")
    place = np.concatenate([summit.parameters, joint.sum(axis=0)])
    return _precision(regression.table.channel, rows, place, read_only(summit.parameters))


def truth_model(channel: Channel, rows: Floats) -> TruthModel:
    """Return what coefficients and shares lead to behind a channel whose first item is the outcome."""
    predictors: Floats = np.ones((1, 1))
    for matrix in channel.matrices[1:]:
        predictors = np.asarray(np.kron(predictors, matrix), dtype=np.float64)
    no, yes = (np.kron(column[:, np.newaxis], predictors) for column in channel.matrices[0].T)
    return TruthModel(rows, no, yes, channel.n)


def _logistic_regression(
    table: ReleasedTable, outcome: SupportsIndex, predictors: Sequence[SupportsIndex] | None
) -> TableRegression:
    regression = regression_of(table, outcome, predictors)
    shape = regression.table.shape
    if shape[0] != 2:
        raise ValueError(f"outcome must have two answers, item {regression.items[0]} has {shape[0]}")
    if math.prod(shape) > MOST_TRUTHS:
        raise ValueError(f"predictors must leave at most {MOST_TRUTHS} combinations of truths, got {math.prod(shape)}")
    return regression


def _start(table: ReleasedTable, rows: Floats, counts: npt.NDArray[np.int64]) -> Floats:
    """Return the coefficients and shares that the moment estimate from these counts leads to."""
    shares = (counts - (counts.sum() - table.n) / counts.size) / table.n
    point = each_axis(table.channel.inverses, shares.reshape(table.counts.shape))
    nearest = nearest_distribution(point.ravel())
    no, yes = ((1 - _MIXED) * nearest + _MIXED / nearest.size).reshape(2, -1)
    root = np.sqrt(no * yes / (no + yes))
    line = np.linalg.lstsq(rows * root[:, np.newaxis], root * np.log(yes / no), rcond=None)[0]
    return np.concatenate([line, no + yes])


def _level_start(table: ReleasedTable, width: int) -> Floats:
    """Return the coefficients of an outcome that depends on nothing."""
    yes = float(np.clip(table.point[1].sum(), _MIXED, 1 - _MIXED))
    return np.append(math.log(yes / (1 - yes)), np.zeros(width - 1))


def _joint(rows: Floats, place: Floats) -> Floats:
    """Return the joint distribution of all true answers, No and then Yes."""
    eta, shares = rows @ place[: rows.shape[1]], place[rows.shape[1] :] / place[rows.shape[1] :].sum()
    return np.concatenate([shares * scipy.special.expit(-eta), shares * scipy.special.expit(eta)])


def _coefficients(rows: Floats, places: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the coefficients of several places, infinite beyond `FARTHEST`, and which move nobody's true answers."""
    width = rows.shape[1]
    coefficients, seen = places[:, :width], places[:, width:] > 0
    sizes, axes = np.linalg.eigh(np.einsum("bz,zp,zq->bpq", seen, rows, rows))
    idle = sizes <= _DETERMINED * sizes[:, -1:]
    silent = (axes**2 * idle[:, np.newaxis, :]).sum(axis=2) > _DETERMINED
    return np.where(np.abs(coefficients) > FARTHEST, np.copysign(np.inf, coefficients), coefficients), silent


def _precision(channel: Channel, rows: Floats, place: Floats, coefficients: Floats) -> ReleasePrecision:
    """Return how precise the coefficients are behind a channel, beside the same without noise and direct answers."""
    known = np.isfinite(coefficients)
    return precision_behind(
        channel,
        coefficients,
        lambda each: np.where(
            known, _errors(truth_model(each, rows), place, each.variance, np.eye(known.size)), np.inf
        ),
    )


def _with_constant(coefficients: Floats) -> Floats:
    """Return the constant, and what it is together with each other coefficient; NaN where they are infinitely apart."""
    constant, others = coefficients[..., :1], coefficients[..., 1:]
    with np.errstate(invalid="ignore"):
        return np.concatenate([constant, constant + others], axis=-1)


def _errors(model: TruthModel, place: Floats, variance: float, sums: Floats) -> Floats:
    """Return the standard errors of sums of coefficients, infinite where the information of one is singular."""
    information = model.information(place[np.newaxis], variance)[0]
    diagonal = np.diagonal(information)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    sizes, axes = np.linalg.eigh(information / np.outer(scale, scale))
    determined = sizes > _DETERMINED
    scaled = (sums / scale[: model.width]) @ axes[: model.width]
    variances = (scaled**2 / np.where(determined, sizes, np.inf)).sum(axis=1)
    undetermined = (axes[: model.width] ** 2 * ~determined).sum(axis=1) > _DETERMINED
    return np.asarray(np.where((sums != 0) @ undetermined, np.inf, np.sqrt(variances)))
