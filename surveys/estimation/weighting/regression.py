"""Regressions of samples with weights, clusters and strata: the likelihood weighted, the variance by linearization.

The coefficients solve Σw·s = 0 of the scores s of the reports: those of the population's fit, were all of it asked. A
respondent's derivative is u = I⁻¹s with the weighted information I, and the variance of the coefficients that of Σwu
over clusters and strata. Where the shares of true predictors are fitted as well, s is the efficient score.

References
----------
Binder (1983), On the variances of asymptotically normal estimators from complex surveys.
Korn & Graubard (1990), Simultaneous testing of regression coefficients with complex survey data.
Lumley & Scott (2017), Fitting regression models to survey data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.patterns import MISSING
from surveys.estimation.regression.covariance import Limits, inverse_or_nan, standard_errors_of
from surveys.estimation.regression.logistic import LogisticFit, fit_logistic
from surveys.estimation.regression.randomized_predictors import (
    RandomizedPredictorsFit,
    fit_logistic_randomized_predictors,
    model_of,
)
from surveys.estimation.regression.reported_patterns import distinct_rows, given_columns, outcome_of
from surveys.estimation.regression.rows import Lines, predictors, report_lines
from surveys.estimation.regression.testing import column_numbers
from surveys.estimation.validation import Counts, Floats, as_list, integer_array, read_only, require_design
from surveys.estimation.weighting.raking import Margin
from surveys.estimation.weighting.sample import WeightedSample, sample_of, t_quantile
from surveys.privacy.designs.design import Design

INFORMATION = ("observed", "expected")


@dataclass(frozen=True, slots=True)
class WaldTest:
    """A test that some coefficients are all 0, by the variance of the sample's design.

    Attributes
    ----------
    statistic : float
        Wald's quadratic form over the number of these coefficients.
    degrees_of_freedom : pair of int
        That number, and the degrees of freedom of the variance.
    p_value : float
        By the F distribution; NaN where there is no such test, as with more coefficients than clusters.
    """

    statistic: float
    degrees_of_freedom: tuple[int, int]
    p_value: float


@dataclass(frozen=True, slots=True, eq=False)
class WeightedRegression:
    """A regression of weighted rows.

    Attributes
    ----------
    fit : LogisticFit or RandomizedPredictorsFit
        The fit to the weighted rows; its own standard errors and tests are not those of the sample.
    sandwich : array of p × p floats
        The coefficients' covariance over samples and coins; NaN where the fit has no maximum.
    n : int
        The number of respondents who answered.
    degrees_of_freedom : int
        Clusters less strata, less the coefficients but one.
    """

    fit: LogisticFit | RandomizedPredictorsFit
    sandwich: Floats
    n: int
    degrees_of_freedom: int

    @property
    def coefficients(self) -> Floats:
        """Log odds ratios of a Yes truth in the population."""
        return self.fit.coefficients

    def covariance(self) -> Floats:
        """Return the coefficients' estimated covariance."""
        return self.sandwich

    def standard_errors(self) -> Floats:
        """Return the coefficients' standard errors."""
        return standard_errors_of(self.sandwich)

    def p_values(self) -> Floats:
        """Return, for each coefficient, the p-value of the two-sided t-test that it is 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            distances = np.abs(self.coefficients) / self.standard_errors()
        return read_only(2 * scipy.special.stdtr(self._freedom, -distances))

    def interval(self, confidence_level: float = 0.95) -> Limits:
        """Return Wald's intervals, coefficient ± t standard errors; NaN without a degree of freedom."""
        half = t_quantile(self._freedom, confidence_level) * self.standard_errors()
        low, high = self.coefficients - half, self.coefficients + half
        return Limits(read_only(low), read_only(high), confidence_level, "wald")

    def wald_test(self, columns: SupportsIndex | Sequence[SupportsIndex]) -> WaldTest:
        """Test whether the coefficients of one or several columns are all 0."""
        numbers = column_numbers(columns, self.coefficients.size)
        tested = self.coefficients[numbers]
        statistic = float(tested @ inverse_or_nan(self.sandwich[np.ix_(numbers, numbers)]) @ tested) / len(numbers)
        p_value = float(scipy.special.fdtrc(len(numbers), self._freedom, statistic))
        return WaldTest(statistic, (len(numbers), self.degrees_of_freedom), p_value)

    @property
    def _freedom(self) -> float:
        return self.degrees_of_freedom if self.degrees_of_freedom > 0 else math.nan


def fit_logistic_weighted(
    reports: Counts,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    design_or_slope_offset: Lines,
    *,
    counts: Counts,
    weights: Sequence[float] | Floats | None = None,
    information: str = "observed",
    strata: Counts | None = None,
    clusters: Counts | None = None,
    margins: Sequence[Margin] = (),
) -> WeightedRegression:
    """Fit `fit_logistic` to weighted rows, with the variance of the way in which respondents were chosen.

    Parameters
    ----------
    reports : sequence of n codes 0 and 1
        What was reported, 255 in rows that the regression is not about: they stay in their clusters.
    X : array of n × p finite floats
        The predictors, with a column of ones for the intercept.
    design_or_slope_offset : Design, sequence of n Designs, or pair (slope, offset)
        As of `fit_logistic`.
    counts : sequence of n integers
        How many respondents each row stands for; all of them in one stratum and one cluster.
    weights : sequence of n floats, optional
        Of one respondent of each row, raked ones too; by default 1.
    information : str, optional
        Which is inverted: ``"observed"``, or ``"expected"`` as in Fisher scoring, which programs for generalized linear
        models invert. Of direct answers they are the same.
    strata, clusters, margins
        As of `estimate_weighted`; clusters are drawn with replacement.

    Returns
    -------
    WeightedRegression
        With `coefficients`, `standard_errors`, `interval`, `p_values` and `wald_test`.

    Raises
    ------
    ValueError
        As `fit_logistic` and `estimate_weighted`.

    References
    ----------
    Binder (1983), On the variances of asymptotically normal estimators from complex surveys.

    Examples
    --------
    >>> from surveys.estimation import fit_logistic_weighted
    >>> from surveys.privacy import forced_response
    >>> reports, groups, counts = [0, 1, 0, 1], [0, 0, 1, 1], [300, 200, 240, 260]
    >>> x = [[1, group] for group in groups]
    >>> fit = fit_logistic_weighted(reports, x, forced_response(), counts=counts, weights=[1, 1, 2, 2])
    >>> fit.standard_errors().round(3).tolist()
    [0.209, 0.276]
    """
    if information not in INFORMATION:
        raise ValueError(f"information must be one of {', '.join(INFORMATION)}, got {information!r}")
    sample = sample_of(reports, counts, np.zeros((2, 1)), weights, strata=strata, clusters=clusters, margins=margins)
    rows = sample.answered.size
    x, (if_no, if_yes) = predictors(X, rows, "reports"), report_lines(design_or_slope_offset, rows)
    kept, codes = sample.answers > 0, _integers(reports)
    lines = (if_yes - if_no)[kept], if_no[kept]
    fit = fit_logistic(codes[kept], x[kept], lines, weights=(sample.answers * sample.weights)[kept])
    yes = fit.fitted
    chance = np.where(codes[kept] == 1, if_no[kept] + lines[0] * yes, 1 - if_no[kept] - lines[0] * yes)
    towards = np.where(codes[kept] == 1, lines[0], -lines[0]) * yes * (1 - yes) / chance
    scores = np.zeros(x.shape)
    scores[kept] = towards[:, np.newaxis] * x[kept]
    return _weighted(fit, sample, scores, fit.covariance(information))


def fit_logistic_randomized_predictors_weighted(
    y: Counts,
    design: Design,
    predictors: Sequence[Counts],  # the name it has in `fit_logistic_randomized_predictors`
    designs: Sequence[Design],
    x: npt.ArrayLike | None = None,
    *,
    counts: Counts,
    weights: Sequence[float] | Floats | None = None,
    option: int = 1,
    strata: Counts | None = None,
    clusters: Counts | None = None,
    margins: Sequence[Margin] = (),
) -> WeightedRegression:
    """Fit `fit_logistic_randomized_predictors` to weighted rows, with the variance of the sample's design.

    Parameters
    ----------
    y, design, predictors, designs, x, option
        As of `fit_logistic_randomized_predictors`; rows in which y or a predictor is 255 are not in the regression, but
        stay in their clusters.
    counts : sequence of n integers
        How many respondents each row stands for.
    weights, strata, clusters, margins
        As of `fit_logistic_weighted`.

    Returns
    -------
    WeightedRegression
        With `coefficients`, `standard_errors`, `interval`, `p_values` and `wald_test`.

    Raises
    ------
    ValueError
        As `fit_logistic_randomized_predictors` and `estimate_weighted`.

    References
    ----------
    Binder (1983), On the variances of asymptotically normal estimators from complex surveys.

    Examples
    --------
    >>> from surveys.estimation import fit_logistic_randomized_predictors_weighted
    >>> from surveys.privacy import forced_response
    >>> coins, counts = forced_response(), [340, 260, 260, 340]
    >>> y, z, weights = [0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1.1]
    >>> fit = fit_logistic_randomized_predictors_weighted(y, coins, [z], [coins], counts=counts, weights=weights)
    >>> fit.coefficients.round(2).tolist()
    [-1.41, 2.95]
    """
    if as_list(predictors) is None:
        raise ValueError("predictors must be a sequence of one array a predictor")
    reported = [_integers(y), *map(_integers, predictors)]
    if len({column.size for column in reported}) > 1:
        raise ValueError(f"predictors must have {reported[0].size} codes each, as y has")
    complete = np.all([column != MISSING for column in reported], axis=0)
    sample = sample_of(
        np.where(complete, reported[0], MISSING),
        counts,
        np.zeros((require_design(design).m, 1)),
        weights,
        strata=strata,
        clusters=clusters,
        margins=margins,
    )
    kept, known = sample.answers > 0, given_columns(x, complete.size)
    outcome, *others = (column[kept] for column in reported)
    fit = fit_logistic_randomized_predictors(
        outcome, design, others, designs, known[kept], option=option, weights=(sample.answers * sample.weights)[kept]
    )
    scores = np.zeros((complete.size, fit.coefficients.size))
    if fit.converged:
        _, stratum = distinct_rows(known[kept])
        _, pattern = distinct_rows(np.column_stack([outcome_of(outcome, design, option)[1], *others]))
        scores[kept] = _efficient_scores(fit)[stratum, pattern]
    return _weighted(fit, sample, scores, fit.information.to_coefficients @ inverse_or_nan(fit.information.observed))


def _efficient_scores(fit: RandomizedPredictorsFit) -> Floats:
    """Return those of each report in each stratum, by the parameters that the fit's information is about."""
    model, to_coefficients = model_of(fit.patterns, fit.patterns.rows, fit.patterns.known)
    # What cannot be estimated moves nothing.
    parameters = np.linalg.solve(to_coefficients, np.nan_to_num(fit.coefficients))
    return model.at(np.asarray(parameters, dtype=np.float64)).efficient_scores()


def _weighted(
    fit: LogisticFit | RandomizedPredictorsFit, sample: WeightedSample, scores: Floats, inverse: Floats
) -> WeightedRegression:
    """Return the regression whose coefficients are moved by the inverse times the rows' scores."""
    middle, freedom = sample.covariance(scores, 0.0)
    return WeightedRegression(
        fit,
        read_only(inverse @ middle @ inverse.T),
        int(sample.answers.sum()),
        freedom + 1 - fit.coefficients.size,
    )


def _integers(given: Counts) -> npt.NDArray[np.int64]:
    codes = integer_array(given)
    if codes is None or codes.ndim != 1:
        raise ValueError(f"reports must be codes, or {MISSING}, got {given!r}")
    return codes
