"""The log-likelihood of reports that depend on a true answer with predictors, and on one share common to all.

A row has the truth Yes with probability σ = σ(η), and independently something else with q = σ(φ): a Yes to an unrelated
question, telling the truth, or following no instruction. With c_zu the probability of the report that came under either
(z the truth, u the other) and L = Σ c_zu·σ_z·q_u its own, where v = σ(1−σ), w = q(1−q),

- scores ∂log L/∂η = v·D/L with D = Σ_u q_u(c_1u − c_0u), and ∂log L/∂φ = w·E/L with E = Σ_z σ_z(c_z1 − c_z0),
- observed information: the product of two scores, less (1−2σ) times the score on η's diagonal, (1−2q) times the score
  on φ's, and v·w·(c_11 − c_10 − c_01 + c_00)/L between them,
- expected information: the product of two derivatives of L over L(1−L).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.outcome import Outcomes, gram, not_impossible, over
from surveys.estimation.regression.steps import certain, highest_step, soften_place
from surveys.estimation.validation import Floats


@dataclass(frozen=True, slots=True, eq=False)
class TwoShares:
    """Reports of two answers each; the parameters are the coefficients of `rows`, then φ.

    Attributes
    ----------
    rows : array of n × p floats
        Predictors of the truth.
    probabilities : array of n × 2 × 2 floats
        c: how probable what was reported is, by the truth and by the other.
    weights : array of n floats
        How often the row counts.
    """

    rows: Floats
    probabilities: Floats
    weights: Floats

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def unit(self) -> float:
        """The rows' mean weight."""
        return float(self.weights.mean())

    def of(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> "TwoShares":
        """Return those of some rows."""
        return TwoShares(self.rows[rows], self.probabilities[rows], self.weights[rows])

    def with_rows(self, rows: Floats) -> "TwoShares":
        """Return the same reports with other predictors."""
        return TwoShares(rows, self.probabilities, self.weights)

    def at(self, parameters: Floats) -> "TwoSharesGround":
        """Return what the log-likelihood looks like at these parameters."""
        eta, phi = self.rows @ parameters[:-1], parameters[-1]
        truths = scipy.special.expit(np.column_stack([-eta, eta]))
        others = scipy.special.expit(np.array([-phi, phi]))
        likelihood = not_impossible(np.einsum("nzu,nz,u->n", self.probabilities, truths, others))
        return TwoSharesGround(self, truths, others, likelihood)

    def by_truth(self, phi: float) -> Floats:
        """Return how probable each report is under a No and under a Yes truth, for this φ."""
        by_truth: Floats = self.probabilities @ scipy.special.expit(np.array([-phi, phi]))
        return by_truth

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function found from these directions, with φ as in the first of them, and another."""
        phi = starts[0][-1]
        by_truth = self.by_truth(phi)
        outcomes = Outcomes(by_truth[:, 0], by_truth[:, 1], self.weights)
        place = highest_step(self.rows, outcomes.gains(), [start[:-1] for start in starts])
        return np.append(certain(self.rows, place), phi), np.append(soften_place(self.rows, place, self.weights), phi)

    def movement(self, step: Floats) -> float:
        """Return the largest change of η or φ."""
        return float(max(np.abs(self.rows @ step[:-1]).max(), abs(step[-1])))


@dataclass(frozen=True, slots=True, eq=False)
class TwoSharesGround:
    """The log-likelihood where each row's truth, and the other, have these probabilities of No and of Yes."""

    data: TwoShares
    truths: Floats
    others: Floats
    likelihood: Floats

    @property
    def log_likelihood(self) -> float:
        """The weighted sum of log L."""
        return float(self.data.weights @ np.log(self.likelihood))

    def score(self) -> Floats:
        """Return the gradient."""
        by_eta, by_phi = self._row_scores()
        weights = self.data.weights
        return np.append((weights * by_eta) @ self.data.rows, weights @ by_phi)

    def observed(self) -> Floats:
        """Return the observed information."""
        by_eta, by_phi = self._row_scores()
        (no, yes), (without, with_) = self.truths.T, self.others
        probabilities = self.data.probabilities
        both = probabilities[:, 1, 1] - probabilities[:, 1, 0] - probabilities[:, 0, 1] + probabilities[:, 0, 0]
        mixed = no * yes * without * with_ * both / self.likelihood
        return self._block(
            by_eta**2 - (no - yes) * by_eta, by_eta * by_phi - mixed, by_phi**2 - (without - with_) * by_phi
        )

    def definite(self) -> Floats:
        """Return the expected information."""
        by_eta, by_phi = self._slopes()
        chance = self.likelihood * (1 - self.likelihood)
        return self._block(over(by_eta**2, chance), over(by_eta * by_phi, chance), over(by_phi**2, chance))

    def opg(self) -> Floats:
        """Return the sum of the outer products of the rows' scores."""
        by_eta, by_phi = self._row_scores()
        return self._block(by_eta**2, by_eta * by_phi, by_phi**2)

    def _slopes(self) -> tuple[Floats, Floats]:
        """Return the derivatives of each report's probability by η and φ."""
        by_truth = self.data.probabilities @ self.others
        by_other = np.einsum("nzu,nz->nu", self.data.probabilities, self.truths)
        by_eta = self.truths.prod(axis=1) * (by_truth[:, 1] - by_truth[:, 0])
        return by_eta, self.others.prod() * (by_other[:, 1] - by_other[:, 0])

    def _row_scores(self) -> tuple[Floats, Floats]:
        by_eta, by_phi = self._slopes()
        return by_eta / self.likelihood, by_phi / self.likelihood

    def _block(self, etas: Floats, mixed: Floats, phis: Floats) -> Floats:
        """Return the matrix that weights of η with itself, with φ, and of φ with itself sum up to."""
        rows, weights = self.data.rows, self.data.weights
        corner = (weights * mixed) @ rows
        return np.block([[gram(rows, weights * etas), corner[:, np.newaxis]], [corner[np.newaxis, :], weights @ phis]])
