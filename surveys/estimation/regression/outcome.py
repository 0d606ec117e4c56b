"""The log-likelihood of randomized reports whose true answers follow a logistic model.

A row whose report has probability a if the truth is No and b if it is Yes contributes, with σ = σ(η) the probability
of a Yes truth, log L = log(a(1−σ) + bσ). That is log(a + b·exp η) − log(1 + exp η), the difference of two convex
functions, so it is concave in η only where a or b is 0. With τ = bσ/L, the probability of a Yes truth given the report,

- its score is τ − σ,
- its observed information σ(1−σ) − τ(1−τ),
- its expected information (b−a)²σ²(1−σ)²/(L(1−L)), the same for both reports.

References
----------
van den Hout, van der Heijden & Gilchrist (2007), The logistic regression model with response variables subject to
randomized response.
Blair, Imai & Zhou (2015), Design and analysis of the randomized response technique.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.regression.starts import MOST_HILLS, hills
from surveys.estimation.regression.steps import certain, highest_step, soften_place
from surveys.estimation.validation import Floats

LEAST = 1e-300
"""No report is less probable than this."""
LEAST_LOGIT = -700.0
"""The odds beyond are no numbers any more."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """For each row, how probable its report is under either truth, and how often the row counts."""

    if_no: Floats
    if_yes: Floats
    weights: Floats

    def of(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> "Outcomes":
        """Return those of some rows."""
        return Outcomes(self.if_no[rows], self.if_yes[rows], self.weights[rows])

    def gains(self) -> Floats:
        """Return by how much each row's log-likelihood is higher if its truth is Yes."""
        gains: Floats = self.weights * np.log(not_impossible(self.if_yes) / not_impossible(self.if_no))
        return gains


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """Randomized outcomes whose true answers have the linear predictor shift + rows·parameters."""

    rows: Floats
    shift: Floats
    outcomes: Outcomes

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def unit(self) -> float:
        """The rows' mean weight."""
        return float(self.outcomes.weights.mean())

    def of(self, rows: npt.NDArray[np.int64]) -> "LogisticModel":
        """Return the model of these rows."""
        return LogisticModel(self.rows[rows], self.shift[rows], self.outcomes.of(rows))

    def at(self, parameters: Floats) -> "LogisticGround":
        """Return what the log-likelihood looks like at these parameters."""
        # One exponential gives both, each to its last digits.
        odds_of_no = np.exp(-np.maximum(self.shift + self.rows @ parameters, LEAST_LOGIT))
        yes = 1 / (1 + odds_of_no)
        no = odds_of_no * yes
        likelihood = not_impossible(no * self.outcomes.if_no + yes * self.outcomes.if_yes)
        height = float(self.outcomes.weights @ np.log(likelihood))
        return LogisticGround(self.rows, self.outcomes, yes, no, likelihood, height)

    def hills(self, places: Floats, most: int = MOST_HILLS) -> Floats:
        """Return the highest of some places, one a row, each on a hill of its own."""
        yes = scipy.special.expit(self.shift + places @ self.rows.T)
        return hills(places, self._heights(yes), yes, most)

    def heights(self, places: Floats) -> Floats:
        """Return the log-likelihood at each of some places, one a row."""
        return self._heights(scipy.special.expit(self.shift + places @ self.rows.T))

    def _heights(self, yes: Floats) -> Floats:
        likelihoods = not_impossible(self.outcomes.if_no + (self.outcomes.if_yes - self.outcomes.if_no) * yes)
        heights: Floats = np.log(likelihoods) @ self.outcomes.weights
        return heights

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function found from these directions, and a softened one."""
        place = highest_step(self.rows, self.outcomes.gains(), starts)
        return certain(self.rows, place), soften_place(self.rows, place, self.outcomes.weights)

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor."""
        return float(np.abs(self.rows @ step).max())


@dataclass(frozen=True, slots=True, eq=False)
class LogisticGround:
    """The log-likelihood of randomized outcomes whose true answers have the probabilities `yes` and `no`."""

    rows: Floats
    outcomes: Outcomes
    yes: Floats
    no: Floats
    likelihood: Floats
    log_likelihood: float

    def score(self) -> Floats:
        """Return the gradient."""
        score: Floats = (self.outcomes.weights * self._row_scores()) @ self.rows
        return score

    def observed(self) -> Floats:
        """Return the observed information."""
        # σ(1−σ)/L·(L − ab/L)
        left = self.likelihood - self.outcomes.if_no * self.outcomes.if_yes / self.likelihood
        return gram(self.rows, self.outcomes.weights * self._spread() * left)

    def definite(self) -> Floats:
        """Return the expected information."""
        slope = (self.outcomes.if_yes - self.outcomes.if_no) * self.yes * self.no
        other = self.no * (1 - self.outcomes.if_no) + self.yes * (1 - self.outcomes.if_yes)
        return gram(self.rows, self.outcomes.weights * over(slope**2, self.likelihood * other))

    def opg(self) -> Floats:
        """Return the sum of the outer products of the rows' scores."""
        return gram(self.rows, self.outcomes.weights * self._row_scores() ** 2)

    def _row_scores(self) -> Floats:
        """Return τ − σ, in the form that does not cancel."""
        return (self.outcomes.if_yes - self.outcomes.if_no) * self._spread()

    def _spread(self) -> Floats:
        """Return σ(1−σ)/L, of factors that are numbers even where the product of two is 0."""
        return self.yes * (self.no / self.likelihood)


def not_impossible(likelihood: Floats) -> Floats:
    """Return likelihoods that have a logarithm: a direct answer may contradict its truth to the last bit.

    The place is still so bad that no step leads there.
    """
    return np.maximum(likelihood, LEAST)


def over(numerator: Floats, chance: Floats) -> Floats:
    """Return the quotient, 0 where the probability is 0 to the last bit, as the numerator then is."""
    return np.divide(numerator, chance, out=np.zeros_like(chance), where=chance > 0)


def gram(rows: Floats, weights: Floats) -> Floats:
    """Return rowsᵀ·diag(weights)·rows."""
    columns = rows.T
    # One column after the other: of long columns the product of matrices takes more than twice the time.
    weighted = columns * weights
    return np.array([weighted @ column for column in columns]).reshape(2 * columns.shape[:1])
