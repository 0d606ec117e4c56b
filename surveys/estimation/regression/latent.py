"""The log-likelihood of a randomized outcome whose logistic predictors were randomized too.

A respondent of stratum s has the unseen true predictors z with probability γ_s(z), which is free, and the true outcome
Yes with probability σ = σ(η_sz), η_sz = d_sz·b. With P_rz the probability of the reported predictors and a_r, b_r that
of the reported outcome under No and Yes, report r comes with probability

    L_sr = Σ_z γ_s(z)·P_rz·m_srz,      m_srz = a_r(1−σ_sz) + b_r·σ_sz.

For each b the shares γ are put where the likelihood is highest, so that b is all there is to climb in. By the envelope
theorem the gradient of that profile likelihood is the score for b; its observed information is what is left of that of
b after regression on the scores of the shares, I_bb − I_bγ·I_γγ⁻¹·I_γb, whose inverse is b's part of the inverse of
the whole information. A share that is 0 has no score: that truth is taken to be impossible in its stratum.

References
----------
Carroll, Ruppert, Stefanski & Crainiceanu (2006), Measurement Error in Nonlinear Models.
van den Hout, van der Heijden & Gilchrist (2007), The logistic regression model with response variables subject to
randomized response.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from surveys.estimation.regression.latent_shares import likeliest_shares
from surveys.estimation.regression.outcome import not_impossible
from surveys.estimation.regression.scoring import SINGULAR
from surveys.estimation.regression.starts import hills
from surveys.estimation.regression.steps import certain, highest_step, soften_place
from surveys.estimation.validation import Floats

FARTHEST = 16.0
"""No softened step puts a linear predictor farther from 0: beyond, the likelihood is level and no way leads up."""


@dataclass(frozen=True, slots=True, eq=False)
class LatentReports:
    """R different reports of outcome and predictors.

    Attributes
    ----------
    if_no, if_yes : array of R floats
        a and b: how probable the reported outcome is under either truth.
    predictors : array of R × T floats
        P: how probable the reported predictors are under each combination of true answers.
    """

    if_no: Floats
    if_yes: Floats
    predictors: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LatentModel:
    """Counts of reports in S strata, and the linear predictors of T true answers.

    Attributes
    ----------
    counts : array of S × R floats
        How often each report came in each stratum; no stratum is empty.
    reports : Reports
        What they are.
    every : Reports or None
        All reports that can be, unless they are too many to sum over.
    rows : array of S·T × p floats
        d: the predictors of each true answer in each stratum.
    shift : array of S·T floats
        What is added to every linear predictor.
    unit : float
        What a row weighs on average.
    start : array of S × T floats
        Shares to begin with.
    """

    counts: Floats
    reports: LatentReports
    every: LatentReports | None
    rows: Floats
    shift: Floats
    unit: float
    start: Floats

    def at(self, parameters: Floats) -> "LatentGround":
        """Return what the profile log-likelihood looks like at these coefficients."""
        return look_at_latent([self], [parameters])[0]

    def hills(self, places: Floats) -> Floats:
        """Return the highest of some places, one a row, each on a hill of its own."""
        here = self.landscape(places, self.shift)
        return hills(places, here.log_likelihoods, here.yes.reshape(len(places), -1))

    def landscape(self, places: Floats, shifts: Floats) -> "LatentLandscape":
        """Return what the profile log-likelihood looks like at several places, one a row, each with its own shift."""
        # Each place has strata of its own, so that all shares are found at once.
        eta = (shifts + places @ self.rows.T).reshape(-1, self.start.shape[1])
        counts, start = np.tile(self.counts, (len(places), 1)), np.tile(self.start, (len(places), 1))
        yes, no = scipy.special.expit(eta), scipy.special.expit(-eta)
        likelihoods = joint_likelihoods(self.reports, yes, no)
        shares = likeliest_shares(likelihoods, counts / counts.sum(axis=1, keepdims=True), start)
        return LatentLandscape(self, counts, yes, no, shares, likelihoods)

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function found from these directions, and a softened one.

        What it would gain is judged by which true answers the reports look like in the first of these places.
        """
        here = self.at(starts[0])
        truths = here.posterior_counts()
        logs = np.log(not_impossible(self.reports.if_yes) / not_impossible(self.reports.if_no))
        gains, weights = np.einsum("srt,r->st", truths, logs).ravel(), truths.sum(axis=1).ravel()
        place = highest_step(self.rows, gains, starts)
        soft = soften_place(self.rows, place, weights)
        return certain(self.rows, place), soft * min(1.0, FARTHEST / max(self.movement(soft), FARTHEST))

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor."""
        return float(np.abs(self.rows @ step).max())


@dataclass(frozen=True, eq=False)
class LatentLandscape:
    """The profile log-likelihood at K places, where true answers have these shares and outcomes.

    Attributes
    ----------
    model : LatentModel
        What the log-likelihood is of; each place may have a shift of its own.
    counts : array of K·S × R floats
        How often each report came in each stratum, the same at all places.
    yes, no, shares : array of K·S × T floats
        σ, 1 − σ and γ.
    likelihoods : array of K·S × R × T floats
        P·m.
    """

    model: LatentModel
    counts: Floats
    yes: Floats
    no: Floats
    shares: Floats
    likelihoods: Floats

    def places(self) -> "list[LatentGround]":
        """Return each place."""
        return [LatentGround(self, place) for place in range(len(self.shares) // len(self.model.start))]

    @cached_property
    def log_likelihoods(self) -> Floats:
        """The weighted sums of log L."""
        logs = self.counts * np.log(self._reported(self.likelihoods))
        return np.asarray(logs.reshape(-1, self.model.counts.size).sum(axis=1))

    @cached_property
    def scores(self) -> Floats:
        """The gradients, one a row."""
        scores = self._eta_scores(self.model.reports, self._reported(self.likelihoods))
        sums = np.einsum("sr,srt->st", self.counts, scores)
        return np.asarray(sums.reshape(-1, len(self.model.rows)) @ self.model.rows)

    @cached_property
    def observed(self) -> Floats:
        """The observed informations of the coefficients, the shares profiled out.

        In a direction that only moves true answers nobody seems to have, the log-likelihood is level. Something
        is filled in there, so that they stay where they are.
        """
        etas, mixed, shares = self._observed_parts()
        information = self._to_coefficients(etas - mixed @ pseudo_inverse(shares) @ mixed.transpose(0, 2, 1))
        return information + self.filling

    @cached_property
    def opg(self) -> Floats:
        """The outer products of the scores, what the shares' scores explain of them taken out."""
        return self._regressed(self.counts, self.model.reports)

    @cached_property
    def expected(self) -> Floats | None:
        """The expected informations of the coefficients, the means over all reports that can be."""
        every = self.model.every
        if every is None:
            return None
        likelihoods = joint_likelihoods(every, self.yes, self.no)
        total = self.counts.sum(axis=1, keepdims=True)
        return self._regressed(total * np.matmul(likelihoods, self.shares[:, :, np.newaxis])[:, :, 0], every)

    @cached_property
    def spread(self) -> Floats:
        """The outer products of the efficient scores: the middle of the sandwich."""
        _, mixed, shares = self._observed_parts()
        by_eta, by_both, by_share = self._outer_parts(self.counts, self.model.reports)
        slope = mixed @ pseudo_inverse(shares)
        back = slope.transpose(0, 2, 1)
        side = slope @ by_both.transpose(0, 2, 1)
        return self._to_coefficients(by_eta - side - side.transpose(0, 2, 1) + slope @ by_share @ back)

    @cached_property
    def efficient_scores(self) -> Floats:
        """The efficient scores of each report in each stratum, K·S × R × p: what `spread` is the spread of."""
        _, mixed, shares = self._observed_parts()
        reported = self._reported(self.likelihoods)
        by_share = self._relative(self.likelihoods, reported) - (self.shares > 0)[:, np.newaxis, :]
        slope = mixed @ pseudo_inverse(shares)
        left = self._eta_scores(self.model.reports, reported) - by_share @ slope.transpose(0, 2, 1)
        strata, truths = self.model.start.shape
        return np.asarray(left @ np.tile(self.model.rows.reshape(strata, truths, -1), (len(left) // strata, 1, 1)))

    @cached_property
    def filling(self) -> Floats:
        """What makes informations positive definite in the idle directions, and leaves the others alone."""
        seen = (self.shares > 0).reshape(-1, len(self.model.rows))
        patterns = {pattern.tobytes(): pattern for pattern in seen}
        idle = {key: idle_directions(self.model.rows[pattern]) for key, pattern in patterns.items()}
        fillings = {key: self.model.unit * axes @ axes.T for key, axes in idle.items()}
        return np.array([fillings[pattern.tobytes()] for pattern in seen])

    def _reported(self, likelihoods: Floats) -> Floats:
        """Return L, S × R."""
        return not_impossible(np.matmul(likelihoods, self.shares[:, :, np.newaxis])[:, :, 0])

    def _by_eta(self, reports: LatentReports) -> Floats:
        """Return the derivatives of P·m by η."""
        slope = (reports.if_yes - reports.if_no)[:, np.newaxis] * reports.predictors
        return np.asarray(slope * (self.yes * self.no)[:, np.newaxis, :])

    def _eta_scores(self, reports: LatentReports, reported: Floats) -> Floats:
        """Return the derivatives of log L by η, S × R × T."""
        return np.asarray(self.shares[:, np.newaxis, :] * self._by_eta(reports) / reported[:, :, np.newaxis])

    def _observed_parts(self) -> tuple[Floats, Floats, Floats]:
        """Return the observed informations of η, of η with the shares above 0, and of these, S × T × T each."""
        counts, reports, reported = self.counts, self.model.reports, self._reported(self.likelihoods)
        relative = self._relative(self.likelihoods, reported)
        by_eta = self._by_eta(reports) / reported[:, :, np.newaxis]
        scores = by_eta * self.shares[:, np.newaxis, :]
        curvature = np.einsum("sr,srt->st", counts, scores)
        etas = _outer(scores, counts, scores) - _diagonal(curvature * (1 - 2 * self.yes))
        sides = np.where(self.shares > 0, np.einsum("sr,srt->st", counts, by_eta), 0.0)
        return etas, _outer(scores, counts, relative) - _diagonal(sides), _outer(relative, counts, relative)

    def _outer_parts(self, counts: Floats, reports: LatentReports) -> tuple[Floats, Floats, Floats]:
        """Return the sums of the outer products of the scores of η, with those of the shares above 0, and of these."""
        likelihoods = joint_likelihoods(reports, self.yes, self.no)
        reported = self._reported(likelihoods)
        by_eta = self._eta_scores(reports, reported)
        by_share = self._relative(likelihoods, reported) - (self.shares > 0)[:, np.newaxis, :]
        return _outer(by_eta, counts, by_eta), _outer(by_eta, counts, by_share), _outer(by_share, counts, by_share)

    def _regressed(self, counts: Floats, reports: LatentReports) -> Floats:
        """Return the outer products of what is left of the coefficients' scores after regression on the shares'."""
        by_eta, by_both, by_share = self._outer_parts(counts, reports)
        left = by_eta - by_both @ pseudo_inverse(by_share) @ by_both.transpose(0, 2, 1)
        return self._to_coefficients(left) + self.filling

    def _relative(self, likelihoods: Floats, reported: Floats) -> Floats:
        """Return the derivatives of log L by the shares above 0."""
        possible = np.where((self.shares > 0)[:, np.newaxis, :], likelihoods, 0.0)
        return np.asarray(possible / reported[:, :, np.newaxis])

    def _to_coefficients(self, blocks: Floats) -> Floats:
        """Return what blocks of T × T for η, one a stratum of each place, are for the coefficients."""
        strata, truths = self.model.start.shape
        rows = self.model.rows.reshape(strata, truths, -1)
        information = (rows.transpose(0, 2, 1) @ blocks.reshape(-1, strata, truths, truths) @ rows).sum(axis=1)
        return np.asarray(information + information.transpose(0, 2, 1)) / 2


@dataclass(frozen=True, slots=True, eq=False)
class LatentGround:
    """The profile log-likelihood at one place of a landscape."""

    landscape: LatentLandscape
    place: int

    @property
    def log_likelihood(self) -> float:
        """The weighted sum of log L."""
        return float(self.landscape.log_likelihoods[self.place])

    @property
    def yes(self) -> Floats:
        """How probable a Yes is, S × T."""
        return self._of_place(self.landscape.yes)

    @property
    def no(self) -> Floats:
        """How probable a No is, S × T."""
        return self._of_place(self.landscape.no)

    @property
    def shares(self) -> Floats:
        """The shares of true answers, S × T."""
        return self._of_place(self.landscape.shares)

    def score(self) -> Floats:
        """Return the gradient."""
        return np.asarray(self.landscape.scores[self.place])

    def observed(self) -> Floats:
        """Return the observed information of the coefficients, the shares profiled out."""
        return np.asarray(self.landscape.observed[self.place])

    def definite(self) -> Floats:
        """Return the expected information, or the outer products of the scores where that is too long a sum."""
        expected = self.expected()
        return self.opg() if expected is None else expected

    def opg(self) -> Floats:
        """Return the outer products of the scores, what the shares' scores explain of them taken out."""
        return np.asarray(self.landscape.opg[self.place])

    def expected(self) -> Floats | None:
        """Return the expected information of the coefficients, the mean over all reports that can be."""
        expected = self.landscape.expected
        return None if expected is None else np.asarray(expected[self.place])

    def spread(self) -> Floats:
        """Return the outer products of the efficient scores: the middle of the sandwich."""
        return np.asarray(self.landscape.spread[self.place])

    def efficient_scores(self) -> Floats:
        """Return the efficient score of each report in each stratum, S × R × p: without what the shares explain."""
        return self._of_place(self.landscape.efficient_scores)

    def idle(self) -> Floats:
        """Return an orthonormal basis (columns) of the directions that move only true answers nobody seems to have."""
        return idle_directions(self.landscape.model.rows[self.shares.ravel() > 0])

    def posterior_counts(self) -> Floats:
        """Return how many respondents of each stratum, report and truth there seem to be, S × R × T."""
        likelihoods, shares = self._of_place(self.landscape.likelihoods), self.shares
        reported = not_impossible(np.matmul(likelihoods, shares[:, :, np.newaxis])[:, :, 0])
        weights = self.landscape.model.counts / reported
        return np.asarray(weights[:, :, np.newaxis] * shares[:, np.newaxis, :] * likelihoods)

    def _of_place(self, strata: Floats) -> Floats:
        """Return the part of this place."""
        number = len(self.landscape.model.start)
        return strata[self.place * number : (self.place + 1) * number]


def look_at_latent(models: Sequence[LatentModel], places: Sequence[Floats]) -> list[LatentGround]:
    """Return what each of several models that differ in nothing but their shifts looks like at a place of its own."""
    return models[0].landscape(np.array(places), np.array([model.shift for model in models])).places()


def idle_directions(rows: Floats) -> Floats:
    """Return an orthonormal basis, in columns, of the directions that move none of these rows."""
    sizes, axes = np.linalg.eigh(rows.T @ rows)
    return np.asarray(axes[:, sizes <= SINGULAR * sizes.max(initial=0.0)])


def joint_likelihoods(reports: LatentReports, yes: Floats, no: Floats) -> Floats:
    """Return P·m, S × R × T."""
    if_no, if_yes = reports.if_no[:, np.newaxis], reports.if_yes[:, np.newaxis]
    outcome = if_no * no[:, np.newaxis, :] + if_yes * yes[:, np.newaxis, :]
    return np.asarray(reports.predictors * outcome)


def pseudo_inverse(matrices: Floats) -> Floats:
    """Return the Moore–Penrose inverse of each of several symmetric matrices without negative eigenvalues."""
    sizes, axes = np.linalg.eigh(matrices)
    determined = sizes > SINGULAR * sizes.max(axis=-1, keepdims=True, initial=0.0)
    inverses = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=determined)
    return np.asarray((axes * inverses[..., np.newaxis, :]) @ axes.swapaxes(-1, -2))


def _outer(left: Floats, weights: Floats, right: Floats) -> Floats:
    """Return Σ_r weight·left_r·right_rᵀ of each stratum."""
    return np.asarray(np.matmul((left * weights[:, :, np.newaxis]).transpose(0, 2, 1), right))


def _diagonal(vectors: Floats) -> Floats:
    """Return the diagonal matrix of each stratum's vector."""
    return np.asarray(vectors[:, :, np.newaxis] * np.eye(vectors.shape[1]))
