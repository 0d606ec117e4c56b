"""Logistic regression of a randomized yes/no answer beside an anchor question, which shows who is attentive.

A respondent is attentive with probability γ = σ(zθ), and then has a Yes truth with probability σ = σ(xβ). With u the
probability of the report under No (u₀) and under Yes (u₁), v that of the anchor's report from somebody attentive, and κ
those of both reports from somebody who is not, the two reports have the probability

    (γ(u₀(1−σ) + u₁σ) + (1−γ)κ)·(γv + (1−γ)κ′)             if attention comes and goes between them,
    γ·(u₀(1−σ) + u₁σ)·v + (1−γ)·κκ′                        if who is attentive is so at both questions.

Both are products of terms L = γA + (1−γ)B with A = a₀(1−σ) + a₁σ: two terms a respondent, or one. Of each term

- the scores are γ(a₁−a₀)σ(1−σ)/L by η = xβ and γ(1−γ)(A−B)/L by ζ = zθ,
- the observed information is the product of two scores, less (1−2σ) times the score on η's diagonal, (1−2γ) times the
  score on ζ's, and (1−γ) times the score by η between them.

References
----------
Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.adherence.anchor import anchor_contrast
from surveys.estimation.regression.covariance import Information, no_information
from surveys.estimation.regression.fits import BoundedFit
from surveys.estimation.regression.outcome import Outcomes, gram, not_impossible
from surveys.estimation.regression.penalized import DIRECT, LinearPredictor, Penalized, channel, penalize
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
from surveys.estimation.regression.steps import certain, highest_step, soften_place
from surveys.estimation.regression.testing import Heights, split
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.designs.design import Design

ATTENTION = ("at_each_question", "throughout")


@dataclass(frozen=True, slots=True, eq=False)
class AttentionModel:
    """Terms of a likelihood; the parameters are the coefficients of `rows`, then those of `attention`.

    Attributes
    ----------
    rows, attention : arrays of n × p and n × q floats
        Predictors of the truth, and of attention.
    if_no, if_yes, if_random : arrays of n floats
        How probable what was reported is from the attentive under either truth, and from others.
    weights : array of n floats
        How often the term counts.
    respondents : array of n integers
        Whose it is.
    """

    rows: Floats
    attention: Floats
    if_no: Floats
    if_yes: Floats
    if_random: Floats
    weights: Floats
    respondents: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        """The number of terms."""
        return len(self.rows)

    @property
    def unit(self) -> float:
        """The terms' mean weight."""
        return float(self.weights.mean())

    def of(self, rows: npt.NDArray[np.int64]) -> "AttentionModel":
        """Return some terms."""
        return AttentionModel(
            self.rows[rows],
            self.attention[rows],
            self.if_no[rows],
            self.if_yes[rows],
            self.if_random[rows],
            self.weights[rows],
            self.respondents[rows],
        )

    def at(self, parameters: Floats) -> "AttentionGround":
        """Return what the log-likelihood looks like at these parameters."""
        p = self.rows.shape[1]
        yes = scipy.special.expit(self.rows @ parameters[:p])
        attentive = scipy.special.expit(self.attention @ parameters[p:])
        followed = self.if_no + (self.if_yes - self.if_no) * yes
        likelihood = not_impossible(attentive * followed + (1 - attentive) * self.if_random)
        return AttentionGround(self, yes, attentive, followed, likelihood)

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function of true answers found, with attention as in the first start, and another."""
        p = self.rows.shape[1]
        theta = starts[0][p:]
        attentive = scipy.special.expit(self.attention @ theta)
        random = (1 - attentive) * self.if_random
        outcomes = Outcomes(random + attentive * self.if_no, random + attentive * self.if_yes, self.weights)
        place = highest_step(self.rows, outcomes.gains(), [start[:p] for start in starts])
        ends = certain(self.rows, place), soften_place(self.rows, place, self.weights)
        return np.append(ends[0], theta), np.append(ends[1], theta)

    def movement(self, step: Floats) -> float:
        """Return the largest change of η or ζ."""
        p = self.rows.shape[1]
        return float(max(np.abs(self.rows @ step[:p]).max(), np.abs(self.attention @ step[p:]).max()))


@dataclass(frozen=True, slots=True, eq=False)
class AttentionGround:
    """The log-likelihood where σ, γ, A and L are these."""

    model: AttentionModel
    yes: Floats
    attentive: Floats
    followed: Floats
    likelihood: Floats

    @property
    def log_likelihood(self) -> float:
        """The weighted sum of log L."""
        return float(self.model.weights @ np.log(self.likelihood))

    def score(self) -> Floats:
        """Return the gradient."""
        by_eta, by_zeta = self._scores()
        weights = self.model.weights
        return np.append((weights * by_eta) @ self.model.rows, (weights * by_zeta) @ self.model.attention)

    def observed(self) -> Floats:
        """Return the observed information."""
        by_eta, by_zeta = self._scores()
        rows, attention, weights = self.model.rows, self.model.attention, self.model.weights
        etas = gram(rows, weights * (by_eta**2 - by_eta * (1 - 2 * self.yes)))
        zetas = gram(attention, weights * (by_zeta**2 - by_zeta * (1 - 2 * self.attentive)))
        mixed = (rows * (weights * by_eta * (by_zeta - (1 - self.attentive)))[:, np.newaxis]).T @ attention
        return np.block([[etas, mixed], [mixed.T, zetas]])

    def definite(self) -> Floats:
        """Return the outer products of the scores."""
        return self.opg()

    def opg(self) -> Floats:
        """Return the sum of the outer products of the respondents' scores."""
        by_eta, by_zeta = self._scores()
        scores = np.column_stack(
            [self.model.rows * by_eta[:, np.newaxis], self.model.attention * by_zeta[:, np.newaxis]]
        )
        respondents, first, which = np.unique(self.model.respondents, return_index=True, return_inverse=True)
        sums = np.zeros((respondents.size, scores.shape[1]))
        np.add.at(sums, which, scores)
        return gram(sums, self.model.weights[first])

    def _scores(self) -> tuple[Floats, Floats]:
        """Return the derivatives of log L by η and ζ."""
        gamma, model = self.attentive, self.model
        by_eta = gamma * (model.if_yes - model.if_no) * self.yes * (1 - self.yes) / self.likelihood
        by_zeta = gamma * (1 - gamma) * (self.followed - model.if_random) / self.likelihood
        return by_eta, by_zeta


@dataclass(frozen=True, slots=True, eq=False)
class AnchoredFit(BoundedFit):
    """A logistic regression fitted together with one of who is attentive.

    Attributes
    ----------
    coefficients : array of p floats
        Log odds ratios of a Yes truth: a local maximum, the highest found.
    attention_coefficients : array of q floats
        Log odds ratios of being attentive.
    log_likelihood : float
        Of both reports.
    log_likelihood_bound : float
        The highest found anywhere, infinity included.
    fitted, attentive : arrays of n floats
        Each row's probability of a Yes truth, and of being attentive.
    converged : bool
        Whether this is a maximum. If not, every standard error is NaN.
    separated : bool
        Whether true answers or attention are fitted as certainties, as where nobody seems inattentive.
    information : Information
        What the covariances are computed from; no expected one.
    x, model
        The rows with a weight that is not 0.
    penalized : Penalized or None
        The penalized likelihood, where the fit is its maximum.
    """

    coefficients: Floats
    attention_coefficients: Floats
    log_likelihood: float
    log_likelihood_bound: float
    fitted: Floats
    attentive: Floats
    converged: bool
    separated: bool
    information: Information
    x: Floats
    model: AttentionModel
    penalized: Penalized[AttentionGround] | None = None

    @property
    def estimates(self) -> Floats:
        """The p coefficients, then the q of attention: standard errors and intervals are of these p + q."""
        return np.append(self.coefficients, self.attention_coefficients)

    def _heights_without(self, columns: list[int]) -> Heights:
        maxima, _ = _highest(split(self.x, columns)[0], self.model)
        return maxima.heights


def fit_logistic_anchored(
    reports: npt.ArrayLike,
    anchor_reports: npt.ArrayLike,
    X: npt.ArrayLike,  # noqa: N803 - the field's name for the matrix of predictors
    design_or_slope_offset: Lines,
    anchor_design: Design,
    *,
    anchor_prevalence: object = 0,
    random_share: object = "1/2",
    attention_X: npt.ArrayLike | None = None,  # noqa: N803 - as above
    attention: str = "at_each_question",
    weights: npt.ArrayLike | None = None,
    penalized: bool = False,
) -> AnchoredFit:
    """Fit Pr(truth Yes) = σ(xβ) and Pr(attentive) = σ(zθ) to the reports of a question and of an anchor.

    Parameters
    ----------
    reports, anchor_reports : sequences of n codes 0 and 1
        To the sensitive question, and to the anchor.
    X : array of n × p finite floats
        The predictors, with a column of ones for the intercept.
    design_or_slope_offset
        How true answers became reports, as of `fit_logistic`.
    anchor_design : Design
        Of two answers.
    anchor_prevalence, random_share : exact probabilities, optional
        As of `estimate_anchored`.
    attention_X : array of n × q finite floats, optional
        The predictors z of attention; an intercept alone by default.
    attention : str, optional
        ``"at_each_question"``: attention is drawn anew, as in the R package cWise. Where it lasts, this is a composite
        likelihood: the coefficients are found all the same, and ``kind="sandwich"``, in which a respondent's two scores
        are added up, has the right standard errors; the tests are nearly right. ``"throughout"``: who is attentive is
        so at both questions, which adds a little information where it is true and biases the coefficients where it is
        not.
    weights : sequence of n floats, optional
        How often each row counts.
    penalized : bool, optional
        Whether to maximize the likelihood with Jeffreys' penalty, as of `fit_logistic`.

    Returns
    -------
    AnchoredFit
        With `coefficients`, `attention_coefficients`, `standard_errors` and `interval` of all of them.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    References
    ----------
    Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.

    Examples
    --------
    >>> from surveys.estimation import fit_logistic_anchored
    >>> from surveys.privacy import crosswise
    >>> design = crosswise("3/20")
    >>> reports, anchor, counts = [0, 0, 1, 1], [0, 1, 0, 1], [148, 425, 311, 1116]
    >>> fit = fit_logistic_anchored(reports, anchor, [[1]] * 4, design, design, weights=counts)
    >>> round(float(fit.fitted[0]), 4)
    0.1054
    """
    if attention not in ATTENTION:
        raise ValueError(f"attention must be one of {', '.join(ATTENTION)}, got {attention!r}")
    y, anchor = codes(reports, 2, "reports"), codes(anchor_reports, 2, "anchor_reports")
    if anchor.size != y.size:
        raise ValueError(f"anchor_reports must be {y.size} codes, one a report, got {anchor.size}")
    x = predictors(X, y.size, "reports")
    z = np.ones((y.size, 1)) if attention_X is None else predictors(attention_X, y.size, "reports", "attention_X")
    if_no, if_yes = report_lines(design_or_slope_offset, y.size)
    chance, contrast = anchor_contrast(anchor_design, anchor_prevalence, random_share)
    counted = frequency_weights(weights, y.size)
    kept = counted > 0
    number, attending = int(kept.sum()), basis_of(z[kept], counted[kept])
    no, yes, random = (np.where(y == 1, value, 1 - value)[kept] for value in (if_no, if_yes, chance))
    followed, other = (np.where(anchor == 1, value, 1 - value)[kept] for value in (chance + contrast, chance))
    if attention == "throughout":
        times, terms = 1, (no * followed, yes * followed, random * other)
    else:
        times, terms = 2, (np.append(no, followed), np.append(yes, followed), np.append(random, other))
    model = AttentionModel(
        rows=np.empty((times * number, 0)),
        attention=np.tile(attending.rows, (times, 1)),
        if_no=terms[0],
        if_yes=terms[1],
        if_random=terms[2],
        weights=np.tile(counted[kept], times),
        respondents=np.tile(np.arange(number), times),
    )
    rows = x[kept]
    maxima, basis = _highest(rows, model)
    p = x.shape[1]
    carried = None
    if penalized:
        attentive = scipy.special.expit(attending.rows @ maxima.best.parameters[p:])
        sent = [attentive * by_truth + (1 - attentive) * random for by_truth in (no, yes)]
        truth = LinearPredictor(basis.rows, counted[kept], *channel(*sent))
        attends = LinearPredictor(attending.rows, counted[kept], *DIRECT)
        to_coefficients = np.column_stack([basis.to_coefficients, np.zeros((p, z.shape[1]))])
        with_rows = _with_rows(model, basis)
        carried = penalize(with_rows, (truth, attends), maxima.best.parameters, to_coefficients)
    summit = carried.summit if carried else maxima.best
    here = summit.ground
    coefficients = basis.to_coefficients @ summit.parameters[:p]
    attention_coefficients = attending.to_coefficients @ summit.parameters[p:]
    information = no_information(p + z.shape[1])
    if summit.converged:
        jacobian = scipy.linalg.block_diag(basis.to_coefficients, attending.to_coefficients)
        information = Information((carried or here).observed(), None, here.opg(), jacobian)
    return AnchoredFit(
        coefficients=read_only(coefficients),
        attention_coefficients=read_only(attention_coefficients),
        log_likelihood=here.log_likelihood,
        log_likelihood_bound=maxima.bound,
        fitted=read_only(scipy.special.expit(x @ coefficients)),
        attentive=read_only(scipy.special.expit(z @ attention_coefficients)),
        converged=summit.converged,
        separated=summit.at_infinity,
        information=information,
        x=rows,
        model=model,
        penalized=carried,
    )


def _highest(x: Floats, model: AttentionModel) -> tuple[Summits[AttentionGround], Basis]:
    """Return the maxima over the coefficients of X and those of attention, and the basis of X."""
    basis = basis_of(x, model.weights[: len(x)])
    return maximum(_with_rows(model, basis), x.shape[1] + model.attention.shape[1]), basis


def _with_rows(model: AttentionModel, basis: Basis) -> AttentionModel:
    """Return the model with these predictors of the truth, of one or two terms a respondent."""
    return replace(model, rows=np.tile(basis.rows, (model.n // len(basis.rows), 1)))
