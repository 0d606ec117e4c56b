"""The log-likelihood of reports to one of two questions, when the innocuous one's Yes-rate is not known.

With probability p of the sensitive question in a row's group, λ = pσ(η) + (1−p)q, and the innocuous rate q = σ(φ) is
one more parameter. For the probability L of the report that came, with s = 1 for Yes and −1 for No, and v = σ(1−σ):

- scores ∂log L/∂η = s·p·v(η)/L and ∂log L/∂φ = s·(1−p)·v(φ)/L,
- observed information: the product of two scores, less s·p·v(η)(1−2σ(η))/L on η's diagonal, and alike for φ,
- expected information: the product of two derivatives of λ over λ(1−λ).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.outcome import Outcomes, gram, not_impossible, over
from surveys.estimation.regression.steps import certain, highest_step, soften_place
from surveys.estimation.validation import Floats


@dataclass(frozen=True, slots=True, eq=False)
class TwoQuestions:
    """Reports to one of two questions; the parameters are the coefficients of `rows`, then φ.

    Attributes
    ----------
    rows : array of n × p floats
        Predictors of the sensitive question.
    sides : array of n floats
        1 for Yes, −1 for No.
    p : array of n floats
        The probability of the sensitive question.
    weights : array of n floats
        How often the row counts.
    """

    rows: Floats
    sides: Floats
    p: Floats
    weights: Floats

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def unit(self) -> float:
        """The rows' mean weight."""
        return float(self.weights.mean())

    def of(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> "TwoQuestions":
        """Return those of some rows."""
        return TwoQuestions(self.rows[rows], self.sides[rows], self.p[rows], self.weights[rows])

    def with_rows(self, rows: Floats) -> "TwoQuestions":
        """Return the same reports with other predictors."""
        return TwoQuestions(rows, self.sides, self.p, self.weights)

    def at(self, parameters: Floats) -> "TwoQuestionsGround":
        """Return what the log-likelihood looks like at these parameters."""
        sensitive = scipy.special.expit(self.sides * (self.rows @ parameters[:-1]))
        innocuous = scipy.special.expit(self.sides * parameters[-1])
        likelihood = not_impossible(self.p * sensitive + (1 - self.p) * innocuous)
        return TwoQuestionsGround(self, sensitive, innocuous, likelihood)

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function found from these directions, with φ as in the first of them, and another."""
        phi = starts[0][-1]
        innocuous = (1 - self.p) * scipy.special.expit(self.sides * phi)
        sensitive = np.where(self.sides > 0, self.p, 0.0)
        outcomes = Outcomes(innocuous + self.p - sensitive, innocuous + sensitive, self.weights)
        place = highest_step(self.rows, outcomes.gains(), [start[:-1] for start in starts])
        return np.append(certain(self.rows, place), phi), np.append(soften_place(self.rows, place, self.weights), phi)

    def movement(self, step: Floats) -> float:
        """Return the largest change of η or φ."""
        return float(max(np.abs(self.rows @ step[:-1]).max(), abs(step[-1])))


@dataclass(frozen=True, slots=True, eq=False)
class TwoQuestionsGround:
    """The log-likelihood where each report's probabilities to the two questions are these."""

    data: TwoQuestions
    sensitive: Floats
    innocuous: Floats
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
        # The derivative of v is v(1−2σ), and σ of the report's side turns the sign of η twice.
        side_eta = by_eta * self.data.sides * (1 - 2 * self.sensitive)
        side_phi = by_phi * self.data.sides * (1 - 2 * self.innocuous)
        return self._block(by_eta**2 - side_eta, by_eta * by_phi, by_phi**2 - side_phi)

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
        """Return the derivatives of each report's probability by η and φ, without their common sign."""
        p = self.data.p
        return p * self.sensitive * (1 - self.sensitive), (1 - p) * self.innocuous * (1 - self.innocuous)

    def _row_scores(self) -> tuple[Floats, Floats]:
        by_eta, by_phi = self._slopes()
        over = self.data.sides / self.likelihood
        return by_eta * over, by_phi * over

    def _block(self, etas: Floats, mixed: Floats, phis: Floats) -> Floats:
        """Return the matrix that weights of η with itself, with φ, and of φ with itself sum up to."""
        rows, weights = self.data.rows, self.data.weights
        corner = (weights * mixed) @ rows
        return np.block([[gram(rows, weights * etas), corner[:, np.newaxis]], [corner[np.newaxis, :], weights @ phis]])
