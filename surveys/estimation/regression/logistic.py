"""Logistic regression of a randomized yes/no answer on known predictors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.intervals import ScalarInterval, normal_quantile
from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.outcome import LogisticGround, LogisticModel, Outcomes
from surveys.estimation.regression.rows import (
    Basis,
    Lines,
    basis_of,
    codes,
    frequency_weights,
    predictors,
    report_lines,
)
from surveys.estimation.regression.starts import Summits, maximum
from surveys.estimation.regression.testing import (
    LikelihoodRatioTest,
    column_numbers,
    likelihood_ratio,
    profile_limit,
    split,
)
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit(BoundedFit):
    """A fitted logistic regression.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of a Yes *truth*: a local maximum, the highest found. Where `separated`, a place on the way to
        infinity.
    log_likelihood : float
        Of the reports, there.
    log_likelihood_bound : float
        The highest found anywhere, infinity included: above `log_likelihood` where `higher_at_infinity`.
    fitted : array of n floats
        Each row's probability of a Yes truth.
    converged : bool
        Whether the coefficients are a maximum. If not, every standard error is NaN: then the fit is `separated` or, in
        rare small samples, the ascent was given up.
    separated : bool
        Whether no finite maximum was found: some truths are fitted as certainties.
    information : Information
        What the covariances are computed from.
    x, outcomes
        The rows with a weight that is not 0.
    """

    coefficients: Floats
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    converged: bool
    separated: bool
    information: Information
    x: Floats
    outcomes: Outcomes

    def likelihood_ratio_test(self, columns: SupportsIndex | Sequence[SupportsIndex]) -> LikelihoodRatioTest:
        """Test whether the coefficients of one or several columns are all 0, by fitting without them.

        Finite maxima are compared, or the least upper bounds if one of the two fits has no finite maximum.
        """
        numbers = column_numbers(columns, self.x.shape[1])
        others, _ = split(self.x, numbers)
        nested, _ = highest(others, self.outcomes)
        return likelihood_ratio(self.heights, nested.heights, len(numbers))

    def profile_interval(self, column: SupportsIndex, confidence_level: float = 0.95) -> ScalarInterval:
        """Return all values of one coefficient that a likelihood-ratio test does not reject.

        A limit is infinite where the likelihood levels off before it is low enough, as it does when a few randomized
        answers cannot tell a strong effect from a certainty. Both are NaN if the fit has not converged.
        """
        number = whole_number(column, "column", largest=self.x.shape[1] - 1)
        others, own = split(self.x, [number])
        allowed = normal_quantile(confidence_level) ** 2 / 2

        def drop(value: float) -> float:
            constrained, _ = highest(others, self.outcomes, value * own[:, 0])
            return self.log_likelihood - constrained.best.ground.log_likelihood

        point, error = float(self.coefficients[number]), float(self.standard_errors()[number])
        low, high = (
            profile_limit(drop, point, side * error, allowed) if self.converged else np.nan for side in (-1, 1)
        )
        return ScalarInterval(low, high, confidence_level, "profile")


def fit_logistic(
    reports: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    design_or_slope_offset: Lines,
    *,
    weights: npt.ArrayLike | None = None,
) -> LogisticFit:
    """Fit Pr(truth Yes) = σ(xβ) to randomized reports, Pr(report Yes) = offset + slope·σ(xβ), by maximum likelihood.

    The likelihood is not concave. The coefficients are a local maximum, the highest found from several fixed starts;
    with more than 2,000 rows the starts are first followed on 2,000 of them. A step function of the predictors, which
    fits every truth as a certainty, may be likelier still in small samples: `higher_at_infinity` then says so, and
    `log_likelihood_bound` by how much, but it is no estimate that has a standard error. The best step is found exactly
    for an intercept and one predictor; for more predictors a better one may be missed.

    Parameters
    ----------
    reports : sequence of n codes 0 and 1
        What was reported.
    X : array of n × p finite floats
        The predictors, with a column of ones for the intercept.
    design_or_slope_offset : Design, sequence of n Designs, or pair (slope, offset)
        How truths became reports: one design of two answers for all, one a report, or the straight line as two numbers
        or two arrays of n. A direct answer has slope 1 and offset 0; the slope may be negative.
    weights : sequence of n floats, optional
        How often each row counts: a weight of 3 is the row three times, and 0 leaves it out.

    Raises
    ------
    ValueError
        Naming the argument that is not as above, or the column of X that depends on those before it.

    References
    ----------
    van den Hout, van der Heijden & Gilchrist (2007), The logistic regression model with response variables subject to
    randomized response.
    """
    y = codes(reports, 2, "reports")
    x = predictors(X, y.size, "reports")
    if_no, if_yes = report_lines(design_or_slope_offset, y.size)
    counted = frequency_weights(weights, y.size)
    outcomes = Outcomes(np.where(y == 1, if_no, 1 - if_no), np.where(y == 1, if_yes, 1 - if_yes), counted)
    kept = counted > 0
    rows, outcomes = (x, outcomes) if kept.all() else (x[kept], outcomes.of(kept))
    found, basis = highest(rows, outcomes)
    summit, here = found.best, found.best.ground
    coefficients = basis.to_coefficients @ summit.parameters
    information = (
        Information(here.observed(), here.definite(), here.opg(), basis.to_coefficients)
        if summit.converged
        else no_information(x.shape[1])
    )
    return LogisticFit(
        coefficients=read_only(coefficients),
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=found.bound,
        fitted=read_only(scipy.special.expit(x @ coefficients)),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        x=rows,
        outcomes=outcomes,
    )


def highest(x: Floats, outcomes: Outcomes, shift: Floats | None = None) -> tuple[Summits[LogisticGround], Basis]:
    """Return the maxima over the coefficients of X, of which there may be none, and the basis they are in.

    Parameters
    ----------
    x : array of n × p floats
        The predictors.
    outcomes : Outcomes
        The n reports.
    shift : array of n floats, optional
        What is added to every linear predictor.
    """
    basis = basis_of(x, outcomes.weights)
    model = LogisticModel(basis.rows, np.zeros(len(x)) if shift is None else shift, outcomes)
    return maximum(model, x.shape[1]), basis
