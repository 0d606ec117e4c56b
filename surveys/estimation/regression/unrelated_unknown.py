"""Logistic regression when the unrelated question's Yes-rate is not known: two or more groups tell it.

References
----------
Greenberg, Abul-Ela, Simmons & Horvitz (1969), The unrelated question randomized response model.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import StandardizedFit
from surveys.estimation.regression.rows import Basis, basis_of, codes, frequency_weights, predictors, real_numbers
from surveys.estimation.regression.starts import Summits, maximum
from surveys.estimation.regression.testing import Heights, split
from surveys.estimation.regression.two_questions import TwoQuestions, TwoQuestionsGround
from surveys.estimation.validation import Floats, read_only


@dataclass(frozen=True, slots=True, eq=False)
class UnrelatedUnknownFit(StandardizedFit):
    """A logistic regression fitted together with the unrelated question's rate.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of a Yes truth: a local maximum, the highest found.
    innocuous_rate : float
        The Yes-rate q of the unrelated question.
    log_likelihood : float
        Of the reports.
    log_likelihood_bound : float
        The highest found anywhere, infinity included.
    fitted : array of n floats
        Each row's probability of a Yes truth.
    converged : bool
        Whether this is a maximum. If not, every standard error is NaN.
    separated : bool
        Whether a truth, or the unrelated question, is fitted as a certainty.
    information : Information
        What the covariances are computed from.
    x, data
        The rows with a weight that is not 0.
    """

    coefficients: Floats
    innocuous_rate: float
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    converged: bool
    separated: bool
    information: Information
    x: Floats
    data: TwoQuestions

    @property
    def estimates(self) -> Floats:
        """The p coefficients and, last, the innocuous rate: standard errors and intervals are of these p + 1."""
        return np.append(self.coefficients, self.innocuous_rate)

    @property
    def people(self) -> tuple[Floats, Floats]:
        """The rows that count: predictors, and weights."""
        return self.x, self.data.weights

    def _heights_without(self, columns: list[int]) -> Heights:
        found, _ = _highest(split(self.x, columns)[0], self.data)
        return found.heights


def fit_logistic_unrelated_unknown(
    reports: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    p: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
) -> UnrelatedUnknownFit:
    """Fit Pr(truth Yes) = σ(xβ) and the unrelated question's Yes-rate q to reports with λ = pσ(xβ) + (1−p)q.

    Parameters
    ----------
    reports : sequence of n codes 0 and 1
        What was reported.
    X : array of n × k finite floats
        The predictors, with a column of ones for the intercept.
    p : sequence of n probabilities
        That the sensitive question was asked, by the row's group; not all the same.
    weights : sequence of n floats, optional
        How often each row counts.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.
    """
    y = codes(reports, 2, "reports")
    x = predictors(X, y.size, "reports")
    asked = real_numbers(p, "p")
    if asked.shape != y.shape or not ((asked >= 0) & (asked <= 1)).all():
        raise ValueError(f"p must be {y.size} probabilities, one a report")
    counted = frequency_weights(weights, y.size)
    kept = counted > 0
    if not np.ptp(asked[kept]) > 0:
        raise ValueError("p must differ between groups: one group alone does not tell the unrelated question's rate")
    data = TwoQuestions(x, np.where(y == 1, 1.0, -1.0), asked, counted).of(kept)
    rows = data.rows
    found, basis = _highest(rows, data)
    summit, here = found.best, found.best.ground
    coefficients = basis.to_coefficients @ summit.parameters[:-1]
    rate = float(scipy.special.expit(summit.parameters[-1]))
    information = no_information(x.shape[1] + 1)
    if summit.converged:
        jacobian = scipy.linalg.block_diag(basis.to_coefficients, rate * (1 - rate))
        information = Information(here.observed(), here.definite(), here.opg(), jacobian)
    return UnrelatedUnknownFit(
        coefficients=read_only(coefficients),
        innocuous_rate=rate,
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=found.bound,
        fitted=read_only(scipy.special.expit(x @ coefficients)),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        x=rows,
        data=data,
    )


def _highest(x: Floats, data: TwoQuestions) -> tuple[Summits[TwoQuestionsGround], Basis]:
    """Return the maxima over the coefficients of X and φ, and the basis of X."""
    basis = basis_of(x, data.weights)
    return maximum(data.with_rows(basis.rows), x.shape[1] + 1), basis
