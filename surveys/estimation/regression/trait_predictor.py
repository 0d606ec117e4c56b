"""Regression of an outcome on a trait that was asked with a randomized yes/no question, and on known predictors."""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.adherence.anchor import anchor_contrast
from surveys.estimation.adherence.logistic import ATTENTION
from surveys.estimation.regression.covariance import Information, inverse_or_nan, no_information
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.linear import EXACT, LinearData, linear_data
from surveys.estimation.regression.normal_linear import NormalMisfit, effects_p_value, skewness_p_value
from surveys.estimation.regression.outcome import not_impossible
from surveys.estimation.regression.rows import (
    Lines,
    basis_of,
    codes,
    frequency_weights,
    predictors,
    real_numbers,
    report_lines,
)
from surveys.estimation.regression.scoring import ascend
from surveys.estimation.regression.starts import Summits, certainty, summits
from surveys.estimation.regression.testing import Heights
from surveys.estimation.regression.trait import States, TraitGround, TraitModel
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.designs.design import Design

OUTCOMES = ("logistic", "normal")
NO_ERROR = 1e-6
"""A number of whose deviation beside X less than this is left is fitted without error: climbs go no farther."""
LARGE = 3.0
"""An effect to begin with: in log odds, or in standard deviations of a number."""


@dataclass(frozen=True, slots=True, eq=False)
class TraitFit(BoundedFit):
    """A regression of an outcome fitted together with one of the trait that predicts it, and of who is attentive.

    Its covariances are ``"observed"``, ``"opg"`` and ``"sandwich"``: the expected information has no closed form.

    Attributes
    ----------
    coefficients : array of p + 1 floats
        Those of X's p columns, then the trait's: log odds ratios of the outcome, or differences of its mean. A local
        maximum, the highest found; where `separated`, a place on the way to infinity.
    trait_coefficients : array of t floats
        Log odds ratios of the trait.
    attention_coefficients : array of q floats
        Log odds ratios of being attentive; none without an anchor.
    residual_deviation : float
        The standard deviation of a normal outcome, whose square divides by n; NaN of a logistic one.
    log_likelihood : float
        Of outcome and reports together.
    log_likelihood_bound : float
        The highest found anywhere, infinity included.
    fitted : array of n × 2 floats
        Each row's probability that the outcome is 1, or its mean, without the trait and with it.
    trait, attentive : arrays of n floats
        Each row's probability of the trait, and of being attentive (1 without an anchor).
    converged : bool
        Whether this is a maximum. If not, every standard error is NaN.
    separated : bool
        Whether no finite maximum was found: some outcomes, traits or attention are fitted as certainties.
    misfit : NormalMisfit
        Of a normal outcome, whether its effects can be believed: `effects` against corrected scores where nobody is
        weighted and there is one design and no anchor, else NaN. Both NaN of a logistic outcome.
    information : Information
        What the covariances are computed from.
    x, model, taken, unit
        The rows with a weight that is not 0; what was taken off the outcome before the fit, in its unit, and that unit.
    """

    coefficients: Floats
    trait_coefficients: Floats
    attention_coefficients: Floats
    residual_deviation: float
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    trait: Floats
    attentive: Floats
    converged: bool
    separated: bool
    misfit: NormalMisfit
    information: Information
    x: Floats
    model: TraitModel
    taken: Floats
    unit: float

    @property
    def estimates(self) -> Floats:
        """The p + 1 coefficients, then the t of the trait and the q of attention."""
        return np.concatenate([self.coefficients, self.trait_coefficients, self.attention_coefficients])

    def _heights_without(self, columns: list[int]) -> Heights:
        p, weights = self.x.shape[1], self.model.weights
        rows = self.x[:, [column for column in range(p) if column not in columns]]
        rows = basis_of(rows, weights).rows
        # What was taken off the outcome may be no combination of the columns that are left.
        back = self.taken - rows @ (rows.T @ (weights * self.taken)) / weights.sum()
        effect = self.model.effect[:, : int(p not in columns)]
        found = find_maxima(replace(self.model, y=self.model.y + back, rows=rows, effect=effect)).heights
        scale = _scale(weights, self.unit)
        return Heights(found.maximum - scale, found.bound - scale)


def fit_on_trait(
    y: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    reports: npt.ArrayLike,
    design_or_slope_offset: Lines,
    *,
    outcome: str = "logistic",
    trait_X: npt.ArrayLike | None = None,  # noqa: N803 - as above
    anchor_reports: npt.ArrayLike | None = None,
    anchor_design: Design | None = None,
    anchor_prevalence: object = 0,
    random_share: object = "1/2",
    attention_X: npt.ArrayLike | None = None,  # noqa: N803 - as above
    attention: str = "at_each_question",
    weights: npt.ArrayLike | None = None,
) -> TraitFit:
    """Fit an outcome that was not randomized to known predictors x and to a trait z whose report was.

    The trait's log odds are linear in its predictors, and the outcome depends on x and on z, but not further on the
    report. All is fitted at once by the likelihood of outcome and report. To take the report, or the likelier answer,
    for the trait would draw its coefficient towards 0. `fit_logistic_randomized_predictors` lets the trait depend on x
    in any way instead, where x has few distinct rows; `fit_linear` does so for any x and any errors, but is less
    precise.

    Parameters
    ----------
    y : sequence of n codes 0 and 1, or of n floats
        The outcome.
    X : array of n × p finite floats
        The predictors x, with a column of ones for the intercept.
    reports : sequence of n codes 0 and 1
        To the question about the trait.
    design_or_slope_offset
        How true answers became reports, as of `fit_logistic`.
    outcome : str, optional
        ``"logistic"``: Pr(y = 1) = σ(xβ + zτ). ``"normal"``: y = xβ + zτ + N(0, σ²). Errors of another shape are
        taken for effects: look at `misfit`.
    trait_X : array of n × t finite floats, optional
        The predictors of the trait; X by default.
    anchor_reports, anchor_design, anchor_prevalence, random_share, attention_X, attention
        An anchor question, which shows who is attentive, as of `fit_logistic_anchored`. The R package cWise fits
        ``attention="throughout"`` with `attention_X` equal to X.
    weights : sequence of n floats, optional
        How often each row counts.

    Returns
    -------
    TraitFit
        With `coefficients` of X's columns and of the trait, `standard_errors`, `interval` and `likelihood_ratio_test`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above; or if a normal y is fitted without error.

    References
    ----------
    Blair, Imai & Zhou (2015), Design and analysis of the randomized response technique.
    Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.

    Examples
    --------
    >>> from surveys.estimation import fit_on_trait
    >>> from surveys.privacy import forced_response
    >>> y, reports, counts = [0, 0, 1, 1], [0, 1, 0, 1], [340, 260, 260, 340]
    >>> fit = fit_on_trait(y, [[1]] * 4, reports, forced_response(), weights=counts)
    >>> fit.coefficients.round(2).tolist()
    [-0.55, 1.09]
    """
    if outcome not in OUTCOMES:
        raise ValueError(f"outcome must be one of {', '.join(OUTCOMES)}, got {outcome!r}")
    reported = codes(reports, 2, "reports")
    n, normal = reported.size, outcome == "normal"
    measured = real_numbers(y, "y") if normal else codes(y, 2, "y").astype(np.float64)
    if measured.shape != (n,) or not np.isfinite(measured).all():
        raise ValueError(f"y must be {n} finite numbers, one a report")
    x = predictors(X, n, "reports")
    traits = x if trait_X is None else predictors(trait_X, n, "reports", "trait_X")
    likely = _likelihoods(reported, *report_lines(design_or_slope_offset, n))
    if anchor_reports is None:
        if anchor_design is not None or attention_X is not None:
            raise ValueError("anchor_reports must be given, as anchor_design or attention_X is")
        attending, states = np.empty((n, 0)), States(np.array([0, 1]), np.array([0, 0]), 0)
    else:
        chance, of_anchor = _anchor(anchor_reports, anchor_design, anchor_prevalence, random_share, n)
        attending = np.ones((n, 1)) if attention_X is None else predictors(attention_X, n, "reports", "attention_X")
        likely, states = anchored_states(likely, _likelihoods(reported, chance), of_anchor, attention)
    counted = frequency_weights(weights, n)
    kept = counted > 0
    often = counted[kept]
    bases = [basis_of(each[kept], often) for each in (x, traits, attending)]
    known, unit = _known(measured[kept], bases[0].rows, often) if normal else (np.zeros(x.shape[1]), 1.0)
    taken = bases[0].rows @ known / unit
    model = TraitModel(
        y=measured[kept] / unit - taken,
        normal=normal,
        rows=bases[0].rows,
        trait=bases[1].rows,
        attention=bases[2].rows,
        effect=np.ones((taken.size, 1)),
        states=states,
        reported=np.log(not_impossible(likely[kept])),
        weights=often,
    )
    maxima = find_maxima(model)
    best = maxima.best
    if normal and not best.ground.sigma > NO_ERROR:
        raise ValueError("y is fitted by the trait without any error, so the likelihood has no maximum")
    of_outcome, of_trait, of_attention = (each.to_coefficients for each in bases)
    jacobian = scipy.linalg.block_diag(unit * of_outcome, unit, of_trait, of_attention, np.empty((0, int(normal))))
    estimates = jacobian @ best.parameters
    estimates[: known.size] += of_outcome @ known
    coefficients, trait_coefficients, attention_coefficients = np.split(
        estimates, np.cumsum([known.size + 1, traits.shape[1]])
    )
    information, misfit = no_information(len(jacobian)), NormalMisfit(np.nan, np.nan)
    if best.converged:
        information = Information(best.ground.observed(), None, best.ground.opg(), jacobian)
    if best.converged and normal:
        corrected = None
        if weights is None and anchor_reports is None and isinstance(design_or_slope_offset, Design):
            corrected = linear_data(measured, x, [reported], [design_or_slope_offset])
        misfit = _misfit(best.ground, information, coefficients, corrected)
    both = np.add.outer(x @ coefficients[:-1], [0.0, coefficients[-1]])
    return TraitFit(
        coefficients=read_only(coefficients),
        trait_coefficients=read_only(trait_coefficients),
        attention_coefficients=read_only(attention_coefficients),
        residual_deviation=unit * best.ground.sigma if normal else np.nan,
        log_likelihood=best.ground.log_likelihood - _scale(often, unit),
        log_likelihood_bound=maxima.bound - _scale(often, unit),
        fitted=read_only(both if normal else scipy.special.expit(both)),
        trait=read_only(scipy.special.expit(traits @ trait_coefficients)),
        attentive=read_only(scipy.special.expit(attending @ attention_coefficients) if attending.size else np.ones(n)),
        converged=best.converged,
        separated=best.at_infinity,
        misfit=misfit,
        information=information,
        x=read_only(x[kept]),
        model=model,
        taken=taken,
        unit=unit,
    )


def find_maxima(model: TraitModel) -> Summits[TraitGround]:
    """Return the maxima that climbs from several places lead to, and whether a step function of the trait is higher.

    The climbs begin without an effect and with large ones of either sign. To turn the sign of the effect is to exchange
    what the two answers stand for, the other maximum that a mixture tends to have.
    """
    sizes = [block.shape[1] for block in model.blocks]
    starts = [np.zeros(sum(sizes))]
    if model.effect.size:
        effect = LARGE * np.eye(sum(sizes))[sizes[0]]
        starts += [effect, -effect]
    ascents = [ascend(model, start) for start in starts]
    highest = max(ascents, key=lambda summit: summit.ground.log_likelihood)
    step, softened = model.step([highest.parameters, *(ascent.parameters for ascent in ascents)])
    return summits([*ascents, certainty(step, model.at(step)), ascend(model, softened)])


def anchored_states(likely: Floats, random: Floats, anchor: Floats, attention: str) -> tuple[Floats, States]:
    """Return the states of trait and attention, and how probable both reports are in each of them.

    Parameters
    ----------
    likely : array of n × 2 floats
        How probable the report is from attentive respondents without the trait and with it.
    random : array of n × 1 floats
        How probable it is from others.
    anchor : array of n × 2 floats
        How probable the anchor's report is from others and from attentive respondents.
    attention : str
        Whether it is drawn for each report or lasts.
    """
    if attention not in ATTENTION:
        raise ValueError(f"attention must be one of {', '.join(ATTENTION)}, got {attention!r}")
    lasts = attention == "throughout"
    # Of each state: whether there is the trait, and attention at the question and at the anchor.
    states = [state for state in product((0, 1), repeat=3) if not lasts or state[1] == state[2]]
    reported = np.column_stack(
        [(likely[:, z] if first else random[:, 0]) * anchor[:, last] for z, first, last in states]
    )
    trait, first, last = np.array(states).T
    return reported, States(trait, first if lasts else first + last, 1 if lasts else 2)


def _anchor(
    anchor_reports: npt.ArrayLike, anchor_design: Design | None, anchor_prevalence: object, random_share: object, n: int
) -> tuple[float, Floats]:
    """Return how probable code 1 is from the inattentive, and each anchor's report from them and from the attentive."""
    anchor = codes(anchor_reports, 2, "anchor_reports")
    if anchor.size != n:
        raise ValueError(f"anchor_reports must be {n} codes, one a report, got {anchor.size}")
    if anchor_design is None:
        raise ValueError("anchor_design must be given, as anchor_reports are")
    chance, contrast = anchor_contrast(anchor_design, anchor_prevalence, random_share)
    return chance, _likelihoods(anchor, chance, chance + contrast)


def _misfit(
    here: TraitGround, information: Information, coefficients: Floats, corrected: LinearData | None
) -> NormalMisfit:
    """Return whether the normal model seems not to hold; the effect is compared with corrected scores, if there are."""
    scores, trait = here.row_scores(), coefficients.size - 1
    third = (here.posterior * here.residuals[:, here.model.states.trait] ** 3).sum(axis=1)
    effects = np.nan
    if corrected is not None:
        influence = scores @ inverse_or_nan(information.observed) @ information.to_coefficients[[trait]].T
        effects = effects_p_value(corrected, coefficients[[trait]], influence)
    return NormalMisfit(effects, skewness_p_value(third, scores, here.model.weights))


def _likelihoods(reported: npt.NDArray[np.int64], *of_yes: Floats | float) -> Floats:
    """Return how probable each report is where that of code 1 has these probabilities."""
    return np.column_stack([np.where(reported == 1, of_one, 1 - np.asarray(of_one)) for of_one in of_yes])


def _known(y: Floats, rows: Floats, weights: Floats) -> tuple[Floats, float]:
    """Return y's regression on orthogonal columns alone, and the standard deviation of what that leaves."""
    known = rows.T @ (weights * y) / weights.sum()
    unit = float(np.sqrt(weights @ (y - rows @ known) ** 2 / weights.sum()))
    if not unit > EXACT * np.abs(y).max():
        raise ValueError("y is a linear function of X without any error, so there is nothing to fit")
    return known, unit


def _scale(weights: Floats, unit: float) -> float:
    """Return by how much a log-likelihood is less in the outcome's own unit."""
    return float(weights.sum() * np.log(unit))
