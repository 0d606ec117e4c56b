"""The likelihood of a measured y and randomized reports of some of its predictors.

Each row has a true answer t, one of the finitely many combinations of the randomized predictors' answers, that nobody
saw. Given it, y is normal with mean xβ + d_tγ and standard deviation σ, and the reports have probability P_it; t itself
has prevalence θ_t. So a row contributes L = Σ_t θ_t·P_it·N(y; xβ + d_tγ, σ²).

With w_it = Pr(t | y, reports) the score is the mean of the complete data's score under w, and the observed information
the complete data's less the variance of that score (Louis 1982).

References
----------
Louis (1982), Finding the observed information matrix when using the EM algorithm.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.outcome import gram
from surveys.estimation.validation import Floats

LEAST = -100.0
"""The logarithm of the smallest σ."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """The data; the parameters are β, γ, log σ, and log θ_t/θ_0 of all true answers t but the first.

    Attributes
    ----------
    y : array of n floats
        What was measured.
    rows : array of n × p floats
        The known predictors.
    effects : array of T × q floats
        d_t: the predictors that truth t stands for.
    reported : array of n × T floats
        P_it.
    """

    y: Floats
    rows: Floats
    effects: Floats
    reported: Floats

    @property
    def unit(self) -> float:
        """What a row weighs."""
        return 1.0

    def of_truths(self, truths: npt.NDArray[np.bool_]) -> "Mixture":
        """Return the mixture of some true answers only."""
        return Mixture(self.y, self.rows, self.effects[truths], self.reported[:, truths])

    def at(self, parameters: Floats) -> "MixtureGround":
        """Return what the log-likelihood looks like at these parameters."""
        p, q = self.rows.shape[1], self.effects.shape[1]
        beta, gamma, log_sigma, logits = np.split(parameters, [p, p + q, p + q + 1])
        # Where a few rows could be fitted without error, the logarithm may sink without end.
        sigma = float(np.exp(max(log_sigma[0], LEAST)))
        logs = np.append(0.0, logits)
        prevalence = np.exp(logs - scipy.special.logsumexp(logs))
        return ground(self, beta, gamma, sigma, prevalence)

    def movement(self, step: Floats) -> float:
        """Return the largest change of a mean or of a logarithm."""
        p, q = self.rows.shape[1], self.effects.shape[1]
        means = np.abs(self.rows @ step[:p]).max() + np.abs(self.effects @ step[p : p + q]).max(initial=0.0)
        return float(max(means, np.abs(step[p + q :]).max()))


@dataclass(frozen=True, slots=True, eq=False)
class MixtureGround:
    """The log-likelihood at one place.

    Attributes
    ----------
    residuals : array of n × T floats
        (y − xβ − d_tγ)/σ.
    posterior : array of n × T floats
        w_it.
    """

    data: Mixture
    beta: Floats
    gamma: Floats
    sigma: float
    prevalence: Floats
    residuals: Floats
    posterior: Floats
    log_likelihood: float

    def score(self) -> Floats:
        """Return the gradient."""
        score: Floats = self.row_scores().sum(axis=0)
        return score

    def observed(self) -> Floats:
        """Return the observed information."""
        means = self.row_scores()
        information = means.T @ means
        for truth, weights in enumerate(self.posterior.T):
            scores = self._scores_if(truth)
            information += self._bend_if(truth) - (scores * weights[:, np.newaxis]).T @ scores
        return information

    def definite(self) -> Floats:
        """Return the expected information of the complete data, were the true answers as probable as they now look."""
        p, q = self.data.rows.shape[1], self.data.effects.shape[1]
        information = np.zeros((p + q + self.prevalence.size,) * 2)
        for truth in range(self.prevalence.size):
            information += self._bend_if(truth)
        information[p + q, : p + q] = information[: p + q, p + q] = 0.0
        information[p + q, p + q] = 2 * len(self.data.y)
        return information

    def opg(self) -> Floats:
        """Return the sum of the outer products of the rows' scores."""
        scores = self.row_scores()
        outer: Floats = scores.T @ scores
        return outer

    def row_scores(self) -> Floats:
        """Return each row's score: the mean of what it were if the truth were known."""
        scores = np.zeros(
            (len(self.data.y), self.data.rows.shape[1] + self.data.effects.shape[1] + self.prevalence.size)
        )
        for truth, weights in enumerate(self.posterior.T):
            scores += weights[:, np.newaxis] * self._scores_if(truth)
        return scores

    def _scores_if(self, truth: int) -> Floats:
        """Return each row's score if this were its truth."""
        residual = self.residuals[:, truth, np.newaxis]
        n, others = len(residual), np.arange(1, self.prevalence.size)
        known = (others == truth) - self.prevalence[1:]
        return np.hstack(
            [
                self.data.rows * residual / self.sigma,
                self.data.effects[truth] * residual / self.sigma,
                residual**2 - 1,
                np.broadcast_to(known, (n, others.size)),
            ]
        )

    def _bend_if(self, truth: int) -> Floats:
        """Return the complete data's information from the share of each row that has this truth."""
        rows, effects, weights = self.data.rows, self.data.effects[truth], self.posterior[:, truth]
        predictors = np.hstack([rows, np.broadcast_to(effects, (len(rows), effects.size))]) / self.sigma
        residual = self.residuals[:, truth]
        side = 2 * (weights * residual) @ predictors
        normal = np.block(
            [[gram(predictors, weights), side[:, np.newaxis]], [side[np.newaxis, :], 2 * weights @ residual**2]]
        )
        theta = self.prevalence[1:]
        multinomial = weights.sum() * (np.diag(theta) - np.outer(theta, theta))
        return np.asarray(scipy.linalg.block_diag(normal, multinomial))


def ground(data: Mixture, beta: Floats, gamma: Floats, sigma: float, prevalence: Floats) -> MixtureGround:
    """Return the log-likelihood at β, γ, σ and θ."""
    residuals = ((data.y - data.rows @ beta)[:, np.newaxis] - data.effects @ gamma) / sigma
    # A row far from all true answers has densities that are 0 to the last bit, so their ratio to the largest is taken.
    exponents = -(residuals**2) / 2
    possible = np.where(data.reported * prevalence > 0, exponents, -np.inf)
    largest = possible.max(axis=1, keepdims=True)
    joint = prevalence * data.reported * np.exp(possible - largest)
    total = joint.sum(axis=1, keepdims=True)
    value = float(np.sum(np.log(total) + largest) - len(data.y) * (np.log(sigma) + np.log(2 * np.pi) / 2))
    return MixtureGround(data, beta, gamma, sigma, prevalence, residuals, joint / total, value)


def maximization(data: Mixture, posterior: Floats) -> MixtureGround:
    """Return the EM algorithm's next place: the complete data's maximum when true answers are as probable as this.

    It is least squares on each row once for each true answer, weighted by the truth's probability.
    """
    p = data.rows.shape[1]
    n = len(data.y)
    likely = posterior @ data.effects
    cross = data.rows.T @ likely
    weights = posterior.sum(axis=0)
    normal = np.block([[data.rows.T @ data.rows, cross], [cross.T, (data.effects.T * weights) @ data.effects]])
    right = np.append(data.rows.T @ data.y, likely.T @ data.y)
    # An answer that nobody seems to have leaves its effect undetermined: the shortest solution gives it none.
    solution = np.linalg.lstsq(normal, right, rcond=None)[0]
    beta, gamma = solution[:p], solution[p:]
    residuals = (data.y - data.rows @ beta)[:, np.newaxis] - data.effects @ gamma
    sigma = float(np.sqrt((posterior * residuals**2).sum() / n))
    return ground(data, beta, gamma, sigma, weights / n)
