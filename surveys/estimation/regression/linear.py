"""Linear regression of a measured number on randomized answers, by corrected scores.

The model is y = xβ + dγ + error. Here d indicates which answers a respondent truly has, all but the first of each
question, and the error has mean 0 given x and d. Nothing else is assumed: not its distribution, not that its variance
is everywhere the same, not that the true answers are as common at one x as at another. Were the true answers seen, θ =
(β, γ) would solve the normal equations of least squares, Σ (v − Mθ) = 0 with v = (x, d)·y and M = (x, d)(x, d)ᵀ, one
term a row.

True answers are not seen, but the probabilities P_j[r, t] of the reports on question j are known exactly. With G_j·P_j
= I, column r of G_j is an unbiased *surrogate* u_j of the indicators e_t of the answers to that question:

    E[u_j | t] = Σ_r P_j[r, t]·G_j[:, r] = (G_j·P_j)[:, t] = e_t,

and as y and x say no more about a report than the true answers do, also given them. Of u_j, as of d, the first entry
is omitted. Each term that holds true answers then has a surrogate too:

- d·y and d·xᵀ are linear in d: u·y and u·xᵀ.
- Answers to one question exclude each other, so d_j·d_jᵀ = diag(d_j): the surrogate is diag(u_j). It is not u_j·u_jᵀ,
  whose mean holds the variance of the coins as well and would draw γ towards 0.
- Reports on two questions are drawn independently given the true answers, so E[u_j·u_lᵀ | t] = d_j·d_lᵀ: it is
u_j·u_lᵀ.

With these in v and M, ψ(θ) = v − Mθ is the *corrected score*: given x, y and the true answers, its mean is the score
that the true answers would have given, hence 0 on average at the true θ. It is linear, so the estimate is θ̂ =
(ΣM)⁻¹Σv. Its covariance is the sandwich n/(n−p−q)·Σ (Aψ)(Aψ)ᵀ with A = (ΣM)⁻¹ and ψ taken at θ̂: it holds what the
coins add and errors of whatever variance. For direct answers all this is ordinary least squares with White's standard
errors.

ΣM is an estimate as well, and so θ̂ a ratio of two, of which Wald's interval knows nothing. Therefore an interval is all
values c of a coefficient that its score does not reject. With the other coefficients solved for, given c, a row's
efficient score, in the unit in which its slopes add up to 1, is

    s(c) = a − h·(c − θ̂_j),      a = (Aψ)_j,      h = A_jᵀ·M·A_j / A_jj,      Σa = 0,      Σh = 1,

A_j being column j of A. So all c with (Σs)² ≤ z²·n/(n−p−q)·Σs² are those where a quadratic is at most 0 (Fieller). If
the sum of the slopes itself does not differ from 0 beyond chance, the reports hardly tell that true answers vary, and
values without bound are among them.

References
----------
Nakamura (1990), Corrected score function for errors-in-variables models.
Akazawa, Kinukawa & Nakamura (1998), A note on the corrected score function adjusting for misclassification.
Stefanski & Carroll (1987), Conditional scores and optimal scores for generalized linear measurement-error models.
van den Hout & Kooiman (2006), Estimating the linear regression model with categorical covariates subject to randomized
response.
White (1980), A heteroskedasticity-consistent covariance matrix estimator and a direct test for heteroskedasticity.
Fieller (1954), Some problems in interval estimation.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.covariance import (
    Limits,
    inverse_or_nan,
    score_interval,
    standard_errors_of,
    wald_interval,
)
from surveys.estimation.regression.rows import Basis, basis_of, predictors, real_numbers
from surveys.estimation.regression.truths import report_codes
from surveys.estimation.validation import Floats, as_float, as_list, read_only
from surveys.privacy.designs.design import Design

METHODS = ("score", "wald")
EXACT = 1e-9
"""Residuals smaller than this share of y's own spread are none."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearFit:
    """A linear regression on known and on randomized predictors, by corrected scores.

    All estimates are NaN where the reports do not even tell that the true answers vary, apart from X and from each
    other: where the corrected moments of the predictors are not positive definite.

    Attributes
    ----------
    coefficients : array of p + q floats
        Those of X's p columns; then, for each randomized predictor in turn, the effect of each true answer but the
        first (for yes/no: of Yes).
    sandwich : array of (p + q) × (p + q) floats
        Their covariance.
    slope_covariances, slope_variances : arrays of p + q floats
        Of the slopes of each coefficient's score with the coefficient, in the unit in which they add up to 1, and of
        their sum.
    residual_deviation : float
        The root of the errors' mean square, which is estimated without bias: NaN where that is below 0.
    """

    coefficients: Floats
    sandwich: Floats
    slope_covariances: Floats
    slope_variances: Floats
    residual_deviation: float

    def covariance(self) -> Floats:
        """Return the coefficients' estimated covariance."""
        return self.sandwich

    def standard_errors(self) -> Floats:
        """Return the coefficients' standard errors."""
        return standard_errors_of(self.sandwich)

    def p_values(self, value: float = 0.0) -> Floats:
        """Return, for each coefficient, the p-value of the two-sided score test that it is this number.

        NaN where there is no estimate, and for the estimate itself where it is without error.
        """
        supposed = as_float(value)
        if not math.isfinite(supposed):
            raise ValueError(f"value must be a finite number, got {value!r}")
        away = supposed - self.coefficients
        variances = np.diagonal(self.sandwich) - 2 * self.slope_covariances * away + self.slope_variances * away**2
        # Direct answers may leave no error at all: then nothing compares with the number itself.
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.abs(away) / np.sqrt(variances)
        return read_only(2 * scipy.special.ndtr(-z))

    def interval(self, confidence_level: float = 0.95, method: str = "score") -> Limits:
        """Return limits for each coefficient.

        Parameters
        ----------
        confidence_level : float
            Between 0 and 1.
        method : str
            ``"score"``: all values that `p_values` does not reject; from minus infinity to infinity where these have no
            bound, and where there is no estimate. ``"wald"``: estimate ± z standard errors.
        """
        if method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
        if method == "wald":
            return wald_interval(self.coefficients, self.sandwich, confidence_level)
        variances = np.diagonal(self.sandwich)
        return score_interval(
            self.coefficients, variances, self.slope_covariances, self.slope_variances, confidence_level
        )


def fit_linear(
    y: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    reports: Sequence[npt.ArrayLike],
    designs: Sequence[Design],
) -> LinearFit:
    """Fit y = xβ + dγ + error, where the answers that d indicates were randomized, by corrected least squares.

    The errors have mean 0 given x and the true answers; their distribution may be any, and their variance may differ.
    It is assumed that y and x say no more about a report than the truth does, and that reports on several questions
    are drawn independently. Least squares with the reports in the true answers' place would draw γ towards 0; a
    likelihood (`fit_linear_normal`) is more precise where errors are normal and effects large, but takes skewed errors
    for effects.

    Parameters
    ----------
    y : sequence of n floats
        What was measured.
    X : array of n × p finite floats
        The known predictors, with a column of ones for the intercept.
    reports : sequence of arrays of n codes
        The reports, one array a randomized predictor.
    designs : sequence of Designs
        Theirs, in the same order.

    Returns
    -------
    LinearFit
        With `coefficients`, `standard_errors`, `p_values` and `interval`: those of X, then of the answers from code 1
        on.

    Raises
    ------
    ValueError
        Naming the argument that is not as above; or if the reports of a design do not determine the prevalences of its
        true answers, y has too few rows, or y is a linear function of X without error.

    References
    ----------
    Nakamura (1990), Corrected score function for errors-in-variables models. The derivation is at the top of
    `linear.py`.

    Examples
    --------
    >>> from surveys.estimation import fit_linear
    >>> from surveys.privacy import warner
    >>> y = [1.0, 3.1, 0.9, 2.9, 3.2, 1.2, 2.8, 1.1, 3.0, 0.8]
    >>> reports = [0, 1, 0, 1, 1, 0, 1, 0, 0, 1]
    >>> fit = fit_linear(y, [[1]] * 10, [reports], [warner("4/5")])
    >>> fit.coefficients.round(2).tolist()
    [1.07, 1.87]
    """
    data = linear_data(y, X, reports, designs)
    solution = solve(data)
    n, width = solution.influence.shape
    corrected = n / (n - width)
    return LinearFit(
        coefficients=read_only(solution.coefficients),
        sandwich=read_only(corrected * solution.influence.T @ solution.influence),
        slope_covariances=read_only(corrected * (solution.influence * solution.slopes).sum(axis=0)),
        slope_variances=read_only(corrected * (solution.slopes**2).sum(axis=0)),
        residual_deviation=math.sqrt(corrected * solution.mean_square) if solution.mean_square > 0 else math.nan,
    )


@dataclass(frozen=True, slots=True, eq=False)
class LinearData:
    """What a linear regression is given, in units in which no scale of y or X matters.

    Attributes
    ----------
    y : array of n floats
        What is left of y after its regression on X alone, divided by its own size.
    basis : Basis
        An orthogonal basis of X.
    known : array of p floats
        y's coefficients in that basis.
    unit : float
        What the rest was divided by.
    reports : list of arrays of n codes
        The reports.
    designs : tuple of Designs
        Theirs, each with a left inverse.
    """

    y: Floats
    basis: Basis
    known: Floats
    unit: float
    reports: list[npt.NDArray[np.int64]]
    designs: tuple[Design, ...]

    def coefficients(self, beta: Floats, gamma: Floats) -> Floats:
        """Return the coefficients of X and of the answers, in the units of y and X, from those of this data."""
        return np.append(self.basis.to_coefficients @ (self.known + self.unit * beta), self.unit * gamma)

    @property
    def back(self) -> Floats:
        """The derivatives of these coefficients."""
        effects = sum(design.k - 1 for design in self.designs)
        return self.unit * np.asarray(scipy.linalg.block_diag(self.basis.to_coefficients, np.eye(effects)))


def linear_data(
    y: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803
    reports: Sequence[npt.ArrayLike],
    designs: Sequence[Design],
) -> LinearData:
    """Return checked data; the arguments and what is raised are those of `fit_linear`."""
    measured = real_numbers(y, "y")
    if measured.ndim != 1 or not measured.size >= 1 or not np.isfinite(measured).all():
        raise ValueError("y must be a sequence of finite numbers")
    x = predictors(X, measured.size, "y")
    if not (as_list(reports) and as_list(designs) and len(reports) == len(designs)):
        raise ValueError("reports and designs must be sequences of one array and one design for each predictor")
    reported = report_codes(reports, designs, measured.size)
    for number, design in enumerate(designs):
        _refuse_undetermined(design, number)
    width = x.shape[1] + sum(design.k - 1 for design in designs)
    if not measured.size > width:
        raise ValueError(f"y must have more than {width} rows, one a coefficient")
    basis = basis_of(x, np.ones(measured.size))
    known = basis.rows.T @ measured / measured.size
    rest = measured - basis.rows @ known
    unit = math.sqrt(float(rest @ rest) / rest.size)
    if not unit > EXACT * np.abs(measured).max():
        raise ValueError("y is a linear function of X without any error, so there is nothing to fit")
    return LinearData(rest / unit, basis, known, unit, reported, tuple(designs))


def _refuse_undetermined(design: Design, number: int) -> None:
    """Refuse a design whose reports do not determine some true answers: only the shape of y would show them."""
    try:
        _ = design.left_inverse
    except ValueError as undetermined:
        raise ValueError(f"designs[{number}] cannot be used: {undetermined}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Surrogates:
    """Each row's predictors, surrogates in the place of true answers.

    Attributes
    ----------
    rows : array of n × (p + q) floats
        (x, u), x in its orthogonal basis.
    questions : tuple of slices
        The columns of each randomized predictor.
    """

    rows: Floats
    questions: tuple[slice, ...]

    def products(self, left: Floats, right: Floats) -> Floats:
        """Return leftᵀ·M·right of each row, for each column of left and right."""
        total = (self.rows @ left) * (self.rows @ right)
        for columns in self.questions:
            u, a, b = self.rows[:, columns], left[columns], right[columns]
            total += u @ (a * b) - (u @ a) * (u @ b)
        return np.asarray(total)

    def moments(self) -> Floats:
        """Return the sum of M over the rows."""
        moments = self.rows.T @ self.rows
        for columns in self.questions:
            moments[columns, columns] = np.diag(self.rows[:, columns].sum(axis=0))
        return np.asarray(moments)


def surrogates(data: LinearData) -> Surrogates:
    """Return the predictors of these data."""
    guesses = [
        np.array(design.left_inverse, dtype=np.float64)[1:, report].T
        for report, design in zip(data.reports, data.designs, strict=True)
    ]
    ends = list(itertools.accumulate((len(guess.T) for guess in guesses), initial=data.basis.rows.shape[1]))
    questions = tuple(slice(start, end) for start, end in itertools.pairwise(ends))
    return Surrogates(np.hstack([data.basis.rows, *guesses]), questions)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Where the corrected score is 0, and what each row's adds; NaN where its slopes are not those of a minimum.

    Attributes
    ----------
    coefficients : array of p + q floats
        θ̂, in the units of y and X.
    influence, slopes : arrays of n × (p + q) floats
        a and h of each row and coefficient.
    mean_square : float
        Of the errors, over n.
    """

    coefficients: Floats
    influence: Floats
    slopes: Floats
    mean_square: float


def solve(data: LinearData) -> Solution:
    """Return where the corrected score is 0."""
    predicting = surrogates(data)
    # The normal equations' right side: that of X's basis is 0, since y is what X leaves.
    right = predicting.rows.T @ data.y
    inverse = inverse_or_nan(predicting.moments())
    theta = inverse @ right
    towards = inverse @ data.back.T
    variances = (data.back * towards.T).sum(axis=1)
    scores = (predicting.rows @ towards) * data.y[:, np.newaxis] - predicting.products(towards, theta[:, np.newaxis])
    p = data.basis.rows.shape[1]
    return Solution(
        coefficients=data.coefficients(theta[:p], theta[p:]),
        influence=scores,
        slopes=predicting.products(towards, towards) / variances,
        mean_square=data.unit**2 * float(data.y @ data.y - theta @ right) / data.y.size,
    )
