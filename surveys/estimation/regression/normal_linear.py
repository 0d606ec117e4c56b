"""Linear regression of a measured number on randomized answers, by the likelihood of normal errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.association.independence import chi_square_p_value
from surveys.estimation.diagnostics import LEVEL
from surveys.estimation.regression.covariance import Information, inverse_or_nan, no_information
from surveys.estimation.regression.fits import WaldFit
from surveys.estimation.regression.linear import EXACT, LinearData, linear_data, solve
from surveys.estimation.regression.mixture import Mixture, MixtureGround, ground, maximization
from surveys.estimation.regression.scoring import Summit, ascend
from surveys.estimation.regression.truths import indicators, truth_likelihoods
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.designs.design import Design

EM_STEPS = 100
"""Enough to come near a maximum, from where `ascend` is faster."""
NEVER = 1e-3
"""A truth that fewer rows than this seem to have is ruled out."""
SAME = 1e-8
"""Two estimates whose difference varies by a smaller share of an estimate's own variance are one."""


@dataclass(frozen=True, slots=True)
class NormalMisfit:
    """Whether the model of a regression with normal errors seems not to hold, so that its effects may be invented.

    Attributes
    ----------
    effects : float
        The p-value of the effects against those by corrected scores, which do not need normal errors; NaN where one of
        the two does not exist.
    skewness : float
        The p-value of the errors' skewness under the model; NaN where the fit has not converged.
    """

    effects: float
    skewness: float

    @property
    def p_value(self) -> float:
        """The smaller of the two, doubled (Bonferroni)."""
        return float(np.minimum(1.0, 2 * np.fmin(self.effects, self.skewness)))

    @property
    def suspicious(self) -> bool:
        """Whether `fit_linear` should be believed instead."""
        return self.p_value <= LEVEL


@dataclass(frozen=True, slots=True, eq=False)
class NormalLinearFit(WaldFit):
    """A linear regression with normal errors on known and on randomized predictors.

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
        The shares of the combinations of true answers.
    log_likelihood : float
        Of y and the reports together, given X.
    converged : bool
        Whether this is a maximum. If not, every standard error is NaN.
    information : Information
        What the covariances are computed from.
    misfit : NormalMisfit
        Whether these effects can be believed.
    """

    coefficients: Floats
    residual_deviation: float
    prevalence: Floats
    log_likelihood: float
    converged: bool
    information: Information
    misfit: NormalMisfit


def fit_linear_normal(
    y: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    reports: Sequence[npt.ArrayLike],
    designs: Sequence[Design],
) -> NormalLinearFit:
    """Fit y = xβ + dγ + N(0, σ²), where the answers that d indicates were randomized, by maximum likelihood.

    It is assumed that the errors are normal with one variance, that y and x tell no more about the reports than the
    true answers do, and that the true answers' joint prevalences, which are estimated too, do not depend on x. Where
    large effects part y into heaps, this is more precise than `fit_linear`. But the likelihood takes any other shape of
    y for heaps as well, and invents effects where errors are skewed: look at `misfit`. It is not concave either: the
    estimates are a local maximum, the highest found from several fixed starts.

    Parameters
    ----------
    y, X, reports, designs
        As for `fit_linear`.

    Returns
    -------
    NormalLinearFit
        With `coefficients`, `standard_errors`, `interval`, `residual_deviation` and `misfit`.

    Raises
    ------
    ValueError
        As `fit_linear`; or if y is fitted without error, which makes the likelihood infinite.

    References
    ----------
    Heck & Moshagen (2018), RRreg: an R package for correlation and regression analyses of randomized response data.

    Examples
    --------
    >>> from surveys.estimation import fit_linear_normal
    >>> from surveys.privacy import warner
    >>> y = [1.0, 3.1, 0.9, 2.9, 3.2, 1.2, 2.8, 1.1, 3.0, 0.8]
    >>> reports = [0, 1, 0, 1, 1, 0, 1, 0, 0, 1]
    >>> fit = fit_linear_normal(y, [[1]] * 10, [reports], [warner("4/5")])
    >>> fit.coefficients.round(2).tolist()
    [1.0, 2.0]
    """
    data = linear_data(y, X, reports, designs)
    shape = tuple(design.k for design in designs)
    reported = truth_likelihoods(data.reports, designs, data.y.size)
    summit, truths = find_highest_maximum(Mixture(data.y, data.basis.rows, indicators(shape), reported))
    return _result(summit, truths, data, shape)


def find_highest_maximum(data: Mixture) -> tuple[Summit[MixtureGround], npt.NDArray[np.bool_]]:
    """Return the highest maximum that the starts lead to, and which true answers it does not rule out."""
    maxima = [climb(data, start) for start in starting_points(data)]
    return max(maxima, key=lambda pair: pair[0].ground.log_likelihood)


def starting_points(data: Mixture) -> list[MixtureGround]:
    """Return the regression on what reports alone say of true answers, its effects as they are, larger, and turned.

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
    """Follow the EM algorithm, then drop the true answers that it rules out, while there are any, and ascend."""
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
    """Return the parameters of a place in the mixture of these true answers."""
    logs = np.log(place.prevalence[truths])
    return np.concatenate([place.beta, place.gamma, [np.log(place.sigma)], logs[1:] - logs[0]])


def _result(
    summit: Summit[MixtureGround], truths: npt.NDArray[np.bool_], data: LinearData, shape: tuple[int, ...]
) -> NormalLinearFit:
    """Return the fit in the units of y and X."""
    here = summit.ground
    coefficients = data.coefficients(here.beta, here.gamma)
    prevalence = np.zeros(truths.size)
    prevalence[truths] = here.prevalence
    information = no_information(coefficients.size)
    misfit = NormalMisfit(np.nan, np.nan)
    if summit.converged:
        nuisance = np.zeros((coefficients.size, here.prevalence.size))
        information = Information(here.observed(), None, here.opg(), np.hstack([data.back, nuisance]))
        influences = here.row_scores() @ inverse_or_nan(information.observed) @ information.to_coefficients.T
        p = here.beta.size
        third = (here.posterior * here.residuals**3).sum(axis=1)
        skewness = skewness_p_value(third, here.row_scores())
        misfit = NormalMisfit(effects_p_value(data, coefficients[p:], influences[:, p:]), skewness)
    return NormalLinearFit(
        coefficients=read_only(coefficients),
        residual_deviation=data.unit * here.sigma,
        prevalence=read_only(prevalence.reshape(shape)),
        log_likelihood=here.log_likelihood - data.y.size * float(np.log(data.unit)),
        converged=summit.converged,
        information=information,
        misfit=misfit,
    )


def effects_p_value(data: LinearData, effects: Floats, influence: Floats) -> float:
    """Compare effects, and each row's influence on them, with those by corrected scores.

    If the model holds both estimate the same. The covariance of the difference is that of the differing influences, so
    that neither of the two need be efficient. Where answers are direct the two are one, and the p-value is 1.

    References
    ----------
    Hausman (1978), Specification tests in econometrics.
    """
    other, p = solve(data), data.basis.rows.shape[1]
    scale = np.sqrt((other.influence[:, p:] ** 2).sum(axis=0))
    difference = (effects - other.coefficients[p:]) / scale
    apart = (influence - other.influence[:, p:]) / scale
    if not np.isfinite(apart).all():
        return np.nan
    variances, axes = np.linalg.eigh(apart.T @ apart)
    differ = variances > SAME
    statistic = float(((axes.T @ difference)[differ] ** 2 / variances[differ]).sum())
    return chi_square_p_value(statistic, int(differ.sum()))


def skewness_p_value(third: Floats, scores: Floats, weights: Floats | float = 1.0) -> float:
    """Test that ε³ has mean 0, ε being the standardized error under each true answer, as probable as that is.

    Its variance is that of what is left of it after a regression on the scores, since all parameters were estimated.

    Parameters
    ----------
    third : array of n floats
        Each row's ε³.
    scores : array of n × p floats
        Each row's score.
    weights : array of n floats, optional
        How often each row counts.

    References
    ----------
    Newey (1985), Maximum likelihood specification testing and conditional moment tests.
    """
    often = np.sqrt(np.broadcast_to(weights, third.shape))
    weighted = scores * often[:, np.newaxis]
    residuals = third * often - weighted @ np.linalg.lstsq(weighted, third * often, rcond=None)[0]
    return 2 * float(scipy.special.ndtr(-abs(third @ often**2) / np.linalg.norm(residuals)))
