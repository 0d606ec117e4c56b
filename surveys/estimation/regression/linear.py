"""Linear regression of a measured number on randomized answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import WaldFit
from surveys.estimation.regression.mixture import Mixture, MixtureGround, ground, maximization
from surveys.estimation.regression.rows import Basis, basis_of, predictors, real_numbers
from surveys.estimation.regression.scoring import Summit, ascend
from surveys.estimation.regression.truths import indicators, report_codes, truth_likelihoods
from surveys.estimation.validation import Floats, as_list, read_only
from surveys.privacy.designs.design import Design

EM_STEPS = 100
"""Enough to come near a maximum, from where `ascend` is faster."""
NEVER = 1e-3
"""A truth that fewer rows than this seem to have is ruled out."""
EXACT = 1e-9
"""Residuals smaller than this share of y's own spread are none."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """What the fit was made in: an orthogonal basis of X, y's coefficients in it, and a unit for the rest of y."""

    basis: Basis
    known: Floats
    unit: float


@dataclass(frozen=True, slots=True, eq=False)
class LinearFit(WaldFit):
    """A fitted linear regression on known and on randomized predictors.

    Its covariances are ``"observed"``, ``"opg"`` and ``"sandwich"``: the expected information has no closed form. A
    truth whose estimated prevalence is 0 is taken to be impossible.

    Attributes
    ----------
    coefficients : array of p + q floats
        Those of X's p columns; then, for each randomized predictor in turn, the effect of each true answer but the
        first (for yes/no: of Yes).
    residual_deviation : float
        σ, the maximum likelihood estimate: its square divides by n.
    prevalence : array of k1 × k2 × … floats
        The shares of the combinations of truths.
    log_likelihood : float
        Of y and the reports together, given X.
    converged : bool
        Whether this is a maximum. If not, every standard error is NaN.
    information : Information
        What the covariances are computed from.
    """

    coefficients: Floats
    residual_deviation: float
    prevalence: Floats
    log_likelihood: float
    converged: bool
    information: Information


def fit_linear(
    y: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    reports: Sequence[npt.ArrayLike],
    designs: Sequence[Design],
) -> LinearFit:
    """Fit y = xβ + zγ + N(0, σ²) where the answers z were randomized, by maximum likelihood.

    It is assumed that the errors are normal with one variance, that y and x tell no more about the reports than the
    truths do, and that the truths' joint prevalences, which are estimated too, do not depend on x. Least squares with
    the reports in the truths' place would draw γ towards 0. The likelihood is not concave: the estimates are a local
    maximum, the highest found from several fixed starts.

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

    Raises
    ------
    ValueError
        Naming the argument that is not as above; or if y has too few rows, or is fitted without error, which makes the
        likelihood infinite.

    References
    ----------
    Heck & Moshagen (2018), RRreg: an R package for correlation and regression analyses of randomized response data.
    """
    measured = real_numbers(y, "y")
    if measured.ndim != 1 or not measured.size >= 1 or not np.isfinite(measured).all():
        raise ValueError("y must be a sequence of finite numbers")
    x = predictors(X, measured.size, "y")
    if not (as_list(reports) and as_list(designs) and len(reports) == len(designs)):
        raise ValueError("reports and designs must be sequences of one array and one design for each predictor")
    reported = truth_likelihoods(report_codes(reports, designs, measured.size), designs, measured.size)
    shape = tuple(design.k for design in designs)
    effects = indicators(shape)
    if not measured.size > x.shape[1] + effects.shape[1]:
        raise ValueError(f"y must have more than {x.shape[1] + effects.shape[1]} rows, one a coefficient")
    basis = basis_of(x, np.ones(measured.size))
    # Measured from its regression on X alone, and in units of what is left, no scale of y matters.
    known = basis.rows.T @ measured / measured.size
    rest = measured - basis.rows @ known
    unit = math.sqrt(float(rest @ rest) / rest.size)
    if not unit > EXACT * np.abs(measured).max():
        raise ValueError("y is a linear function of X without any error, so there is nothing to fit")
    summit, truths = highest(Mixture(rest / unit, basis.rows, effects, reported))
    return _result(summit, truths, Scale(basis, known, unit), shape)


def highest(data: Mixture) -> tuple[Summit[MixtureGround], npt.NDArray[np.bool_]]:
    """Return the highest maximum that the starts lead to, and which truths it does not rule out."""
    found = [climb(data, start) for start in starting_points(data)]
    return max(found, key=lambda pair: pair[0].ground.log_likelihood)


def starting_points(data: Mixture) -> list[MixtureGround]:
    """Return the regression on what reports alone say of truths, its effects as they are, larger, and turned.

    Its effects are too small, and to turn the sign of one is to exchange what two answers stand for, the other maximum
    that a mixture tends to have.
    """
    n, truths = data.reported.shape
    prevalence = np.full(truths, 1 / truths)
    for _ in range(EM_STEPS):
        posterior = data.reported * prevalence
        posterior /= posterior.sum(axis=1, keepdims=True)
        prevalence = posterior.sum(axis=0) / n
    base = maximization(data, posterior)
    signs = np.ones((base.gamma.size,) * 2) - 2 * np.eye(base.gamma.size)
    factors = [1.0, 3.0, -1.0, *signs]
    return [ground(data, base.beta, factor * base.gamma, base.sigma, base.prevalence) for factor in factors]


def climb(data: Mixture, place: MixtureGround) -> tuple[Summit[MixtureGround], npt.NDArray[np.bool_]]:
    """Follow the EM algorithm, then leave out the truths that it rules out, as long as there are any, and ascend."""
    for _ in range(EM_STEPS):
        place = not_exact(maximization(data, place.posterior))
    possible = np.ones(place.prevalence.size, dtype=np.bool_)
    while True:
        likely = place.posterior.sum(axis=0) > NEVER
        possible[possible] = likely
        summit = ascend(data.of_truths(possible), parameters_of(place, likely))
        place = not_exact(summit.ground)
        if (place.posterior.sum(axis=0) > NEVER).all():
            return summit, possible


def not_exact(place: MixtureGround) -> MixtureGround:
    """Return the place, or refuse one where the answers leave no error: the likelihood is infinite there."""
    if not place.sigma > EXACT:
        raise ValueError("y is fitted by the answers without any error, so the likelihood has no maximum")
    return place


def parameters_of(place: MixtureGround, truths: npt.NDArray[np.bool_]) -> Floats:
    """Return the parameters of a place in the mixture of these truths."""
    logs = np.log(place.prevalence[truths])
    return np.concatenate([place.beta, place.gamma, [np.log(place.sigma)], logs[1:] - logs[0]])


def _result(
    summit: Summit[MixtureGround], truths: npt.NDArray[np.bool_], scale: Scale, shape: tuple[int, ...]
) -> LinearFit:
    """Return the fit in the units of y and X."""
    here, basis, known, unit = summit.ground, scale.basis, scale.known, scale.unit
    coefficients = np.append(basis.to_coefficients @ (known + unit * here.beta), unit * here.gamma)
    prevalence = np.zeros(truths.size)
    prevalence[truths] = here.prevalence
    information = no_information(coefficients.size)
    if summit.converged:
        back = unit * scipy.linalg.block_diag(basis.to_coefficients, np.eye(here.gamma.size))
        nuisance = np.zeros((coefficients.size, here.prevalence.size))
        information = Information(here.observed(), None, here.opg(), np.hstack([back, nuisance]))
    return LinearFit(
        coefficients=read_only(coefficients),
        residual_deviation=unit * here.sigma,
        prevalence=read_only(prevalence.reshape(shape)),
        log_likelihood=here.log_likelihood - here.data.y.size * math.log(unit),
        converged=summit.converged,
        information=information,
    )
