"""The likelihood of an outcome, and of a randomized yes/no answer that helps to predict it.

A respondent truly has the trait (z = 1) with probability σ(η), η = tα. Nobody sees z, only its report, which has the
probability P_z. The outcome y, which was not randomized, has the density f(y; xβ + zτ): Bernoulli with these log odds,
or normal with this mean. With an anchor question the respondent also attends with probability σ(ζ), ζ = uθ, and else
reports at random. Each state c of z and attention, with m_c attentive reports of M, adds to

    L = Σ_c P_c · σ(η)^z_c (1−σ(η))^(1−z_c) · σ(ζ)^m_c (1−σ(ζ))^(M−m_c) · f(y; xβ + z_c·τ),

where P_c is the known probability of the reports. There are two states without an anchor; four where attention lasts
(M = 1); eight where it is drawn anew for each report (M = 2), which makes L the product of two terms, that of outcome
and report and that of the anchor.

With the posterior probabilities of the states the score is the mean of their scores, and the observed information the
mean of theirs less the variance of those scores (Louis 1982).

References
----------
Blair, Imai & Zhou (2015), Design and analysis of the randomized response technique.
Atsusaka & Stevenson (2023), A bias-corrected estimator for the crosswise model with inattentive respondents.
Louis (1982), Finding the observed information matrix when using the EM algorithm.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.mixture import LEAST
from surveys.estimation.regression.outcome import gram, not_impossible
from surveys.estimation.regression.steps import certain, highest_step, soften_place
from surveys.estimation.validation import Floats


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """The states of trait and attention.

    Attributes
    ----------
    trait : array of C integers
        z_c.
    attentive : array of C integers
        m_c.
    draws : int
        M: how many reports attention is drawn for.
    """

    trait: npt.NDArray[np.int64]
    attentive: npt.NDArray[np.int64]
    draws: int


@dataclass(frozen=True, slots=True, eq=False)
class TraitModel:
    """The data; the parameters are β, τ, α, θ and, of a normal outcome, the logarithm of its standard deviation.

    Attributes
    ----------
    y : array of n floats
        The outcome.
    normal : bool
        Whether it is normal, or else 0 or 1.
    rows, trait, attention : arrays of n × p, n × t and n × q floats
        The predictors of the outcome, of the trait and of attention.
    effect : array of n × 1 floats
        What τ is multiplied with where z = 1; n × 0 without an effect.
    states : States
        The states of trait and attention.
    reported : array of n × C floats
        The logarithm of P_c.
    weights : array of n floats
        How often each row counts.
    """

    y: Floats
    normal: bool
    rows: Floats
    trait: Floats
    attention: Floats
    effect: Floats
    states: States
    reported: Floats
    weights: Floats

    @property
    def unit(self) -> float:
        """The rows' mean weight."""
        return float(self.weights.mean())

    @property
    def blocks(self) -> list[Floats]:
        """What each part of the parameters is multiplied with."""
        parts = [self.rows, self.effect, self.trait, self.attention]
        return [*parts, np.ones((len(self.y), 1))] if self.normal else parts

    def parts(self, parameters: Floats) -> list[Floats]:
        """Return the parameters of each block."""
        return np.split(parameters, np.cumsum([block.shape[1] for block in self.blocks])[:-1])

    def at(self, parameters: Floats) -> "TraitGround":
        """Return what the log-likelihood looks like at these parameters."""
        beta, tau, alpha, theta, *log_sigma = self.parts(parameters)
        eta, zeta = self.trait @ alpha, self.attention @ theta
        both = (self.rows @ beta)[:, np.newaxis] + np.multiply.outer(self.effect @ tau, [0.0, 1.0])
        # Where a few rows could be fitted without error, the logarithm may sink without end.
        sigma = float(np.exp(max(log_sigma[0][0], LEAST))) if self.normal else 1.0
        residuals = (self.y[:, np.newaxis] - (both if self.normal else scipy.special.expit(both))) / sigma
        if self.normal:
            heights = -(residuals**2) / 2 - np.log(sigma) - np.log(2 * np.pi) / 2
        else:
            heights = scipy.special.log_expit(np.where(self.y[:, np.newaxis] == 1, both, -both))
        logs = (
            self.reported
            + heights[:, self.states.trait]
            + np.multiply.outer(eta, self.states.trait)
            + np.multiply.outer(zeta, self.states.attentive)
        )
        logs -= (np.logaddexp(0.0, eta) + self.states.draws * np.logaddexp(0.0, zeta))[:, np.newaxis]
        highest = logs.max(axis=1)
        posterior = np.exp(logs - highest[:, np.newaxis])
        sums = posterior @ np.ones(posterior.shape[1])
        return TraitGround(
            model=self,
            trait=scipy.special.expit(eta),
            attentive=scipy.special.expit(zeta),
            sigma=sigma,
            residuals=residuals,
            posterior=posterior / sums[:, np.newaxis],
            log_likelihood=float(self.weights @ (highest + np.log(sums))),
        )

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function of the trait found, with all else as in the first start, and a softened one."""
        ends = np.cumsum([block.shape[1] for block in self.blocks])[1:3]
        first = starts[0].copy()
        first[slice(*ends)] = 0.0
        trait = self.at(first).trait_posterior
        gains = self.weights * np.log(not_impossible(trait) / not_impossible(1 - trait))
        place = highest_step(self.trait, gains, [start[slice(*ends)] for start in starts])
        certainty, softened = first, first.copy()
        certainty[slice(*ends)] = certain(self.trait, place)
        softened[slice(*ends)] = soften_place(self.trait, place, self.weights)
        return certainty, softened

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor or of a logarithm."""
        beta, tau, *others = self.parts(step)
        outcome = np.abs(self.rows @ beta) + np.abs(self.effect @ tau)
        changes = [block @ part for block, part in zip(self.blocks[2:], others, strict=True)]
        return float(max(np.abs(change).max(initial=0.0) for change in [outcome, *changes]))


@dataclass(frozen=True, slots=True, eq=False)
class TraitGround:
    """The log-likelihood at one place.

    Attributes
    ----------
    trait, attentive : arrays of n floats
        σ(η) and σ(ζ).
    sigma : float
        The standard deviation of a normal outcome, else 1.
    residuals : array of n × 2 floats
        What the outcome is beyond its mean, in standard deviations if it is normal, for either z.
    posterior : array of n × C floats
        How probable each state is, given the reports and the outcome.
    """

    model: TraitModel
    trait: Floats
    attentive: Floats
    sigma: float
    residuals: Floats
    posterior: Floats
    log_likelihood: float

    @property
    def trait_posterior(self) -> Floats:
        """How probable the trait is, given the reports and the outcome."""
        return np.asarray(self.posterior @ self.model.states.trait)

    def score(self) -> Floats:
        """Return the gradient."""
        return np.asarray(self.model.weights @ self.row_scores())

    def row_scores(self) -> Floats:
        """Return each row's score: the mean of what it were if trait and attention were known."""
        means = [self._mean(slopes) for slopes in self._slopes()]
        blocks = zip(self.model.blocks, means, strict=True)
        return np.hstack([block * mean[:, np.newaxis] for block, mean in blocks])

    def observed(self) -> Floats:
        """Return the observed information."""
        slopes, bends = self._slopes(), self._bends()
        means = [self._mean(each) for each in slopes]

        def left(one: int, other: int) -> Floats:
            bend = self._mean(bends[one, other]) if (one, other) in bends else 0.0
            return np.asarray(bend - self._mean(slopes[one] * slopes[other]) + means[one] * means[other])

        return self._information(left)

    def definite(self) -> Floats:
        """Return the expected information if trait and attention were known, were they as probable as they now look."""
        bends, nothing = self._bends(), np.zeros(len(self.model.y))
        last = len(self.model.blocks) - 1 if self.model.normal else -1

        def left(one: int, other: int) -> Floats:
            if last in {one, other}:
                return np.full(len(self.model.y), 2.0) if one == other else nothing
            return self._mean(bends[one, other]) if (one, other) in bends else nothing

        return self._information(left)

    def opg(self) -> Floats:
        """Return the sum of the outer products of the rows' scores."""
        return gram(self.row_scores(), self.model.weights)

    def _mean(self, values: Floats) -> Floats:
        """Return the mean over the states."""
        # Of a few columns a product is summed faster than by `sum`.
        return np.asarray((self.posterior * values) @ np.ones(self.posterior.shape[1]))

    def _slopes(self) -> list[Floats]:
        """Return, for each block, the derivative of each state's log-likelihood by its linear predictor, n × C."""
        states, residuals = self.model.states, self.residuals[:, self.model.states.trait]
        slopes = [
            residuals / self.sigma,
            residuals / self.sigma * states.trait,
            states.trait - self.trait[:, np.newaxis],
            states.attentive - states.draws * self.attentive[:, np.newaxis],
        ]
        return [*slopes, residuals**2 - 1] if self.model.normal else slopes

    def _bends(self) -> dict[tuple[int, int], Floats]:
        """Return the negative second derivatives of two blocks, the first no later than the second, n × C or n × 1."""
        states, residuals = self.model.states, self.residuals[:, self.model.states.trait]
        if self.model.normal:
            outcome = np.full(residuals.shape, self.sigma**-2)
        else:
            yes = self.model.y[:, np.newaxis] - residuals
            outcome = yes * (1 - yes)
        attentive = states.draws * self.attentive * (1 - self.attentive)
        bends = {
            (0, 0): outcome,
            (0, 1): outcome * states.trait,
            (1, 1): outcome * states.trait,
            (2, 2): (self.trait * (1 - self.trait))[:, np.newaxis],
            (3, 3): attentive[:, np.newaxis],
        }
        if self.model.normal:
            side = 2 * residuals / self.sigma
            bends |= {(0, 4): side, (1, 4): side * states.trait, (4, 4): 2 * residuals**2}
        return bends

    def _information(self, left: Callable[[int, int], Floats]) -> Floats:
        """Return Σ weight · left(k, l) · rowsₖᵀ·rowsₗ of all pairs of blocks."""
        blocks, weights = self.model.blocks, self.model.weights
        ends = np.cumsum([0, *(block.shape[1] for block in blocks)])
        information = np.zeros((ends[-1], ends[-1]))
        for one, first in enumerate(blocks):
            for other, second in enumerate(blocks[one:], start=one):
                product = (first * (weights * left(one, other))[:, np.newaxis]).T @ second
                information[ends[one] : ends[one + 1], ends[other] : ends[other + 1]] = product
                information[ends[other] : ends[other + 1], ends[one] : ends[one + 1]] = product.T
        return information
