"""A penalty for likelihoods whose maximum lies at infinity, and limits and tests by the penalized likelihood.

With a rare answer or few people the reports may be likeliest if some true answers are certain. Half the logarithm of
the determinant of the expected information, Jeffreys' prior, is added to the log-likelihood of any model (Firth 1993).
It falls without end towards every certainty, so that there is a finite maximum. It knows no units: coding a predictor
in another way changes it by a constant.

The information is that of randomized reports, not that of a plain logistic regression. With P_r the probability of
report r, a under No and b under Yes, σ = σ(η), v = σ(1−σ) and δ = b−a, a row has

    W(η) = Σ_r (δv)²/P_r,      P_r = a + δσ,

and the penalty is ½ log|Σ W(η) x xᵀ|. As true answers become certain W falls with the square of v and not with v: a few
certainties behind coins are hardly seen in the reports.

A model with several linear predictors has one such term for each, in which all that is estimated besides is held where
the likelihood without the penalty has it: then reports are still a straight line in σ.

References
----------
Firth (1993), Bias reduction of maximum likelihood estimates.
Heinze & Schemper (2002), A solution to the problem of separation in logistic regression.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
import scipy

from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.regression.outcome import gram, over
from surveys.estimation.regression.profiles import limits
from surveys.estimation.regression.scoring import (
    AnyGround,
    Ground_co,
    LikelihoodModel,
    Summit,
    ascend,
    clearly_positive,
)
from surveys.estimation.regression.starts import FARTHEST, starting_points
from surveys.estimation.regression.testing import LikelihoodRatioTest, ratio_test
from surveys.estimation.validation import Floats

NEAREST = 0.25
"""A penalized profile is looked at from so many standard errors from the maximum."""
FAR_BELOW = 4.0
"""It is left where it has fallen this far below the level of the limits: behind, the penalty falls without end."""
MOST_DOUBLINGS = 60


@dataclass(frozen=True, slots=True, eq=False)
class LinearPredictor:
    """A linear predictor that the penalty keeps from infinity.

    Attributes
    ----------
    rows : array of n × p floats
        What its p coefficients are of.
    weights : array of n floats
        How often each row counts.
    if_no, if_yes : array of n × R floats, or of what is broadcast to it
        How probable each of R reports is under either truth.
    """

    rows: Floats
    weights: Floats
    if_no: Floats
    if_yes: Floats

    def at(self, coefficients: Floats) -> "PenaltyTerm":
        """Return the penalty, its gradient, and its negative second derivatives."""
        p, weights = self.rows.shape[1], self.weights
        row, by_eta, by_eta_twice = self._row_information(self.rows @ coefficients)
        # A root of the information: far out its own entries differ too much for eigenvalues to have any digits.
        root = np.asarray(np.linalg.qr(self.rows * np.sqrt(weights * row)[:, np.newaxis], mode="r"))
        sizes = np.abs(np.diagonal(root))
        if not clearly_positive(sizes).all():
            return PenaltyTerm(-np.inf, np.zeros(p), np.zeros((p, p)))
        # On axes where the information is 1.
        turned = self.rows @ np.linalg.inv(root)
        leverages = (turned**2).sum(axis=1)
        score = (weights * by_eta * leverages) @ self.rows / 2
        slopes = np.array([gram(turned, weights * by_eta * column) for column in self.rows.T])
        bend = np.einsum("jab,kab->jk", slopes, slopes) - gram(self.rows, weights * by_eta_twice * leverages)
        return PenaltyTerm(float(np.log(sizes).sum()), score, bend / 2)

    def _row_information(self, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return W, and its first and second derivatives."""
        yes, no = (scipy.special.expit(side)[:, np.newaxis] for side in (eta, -eta))
        spread, change = yes * no, no - yes
        slope = self.if_yes - self.if_no
        reported = no * self.if_no + yes * self.if_yes
        each = over((slope * spread) ** 2, reported)
        relative = over(slope * spread, reported)
        # The derivative of log W, term by term, and the derivative of that.
        growth = 2 * change - relative
        curved = -4 * spread - relative * (change - relative)
        first, second = each * growth, each * (growth**2 + curved)
        return each.sum(axis=1), first.sum(axis=1), second.sum(axis=1)


DIRECT = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
"""How probable No and Yes are under either truth where answers are seen: the penalty of all that is no true answer."""


def channel(if_no: Floats, if_yes: Floats) -> tuple[Floats, Floats]:
    """Return, from how probable what was reported is under either truth, the same for that report and the other one."""
    return np.column_stack([if_no, 1 - if_no]), np.column_stack([if_yes, 1 - if_yes])


@dataclass(frozen=True, slots=True, eq=False)
class PenaltyTerm:
    """A penalty at one place: its value, its gradient, and its negative second derivatives."""

    value: float
    score: Floats
    bend: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PenalizedModel(Generic[Ground_co]):
    """Any log-likelihood with a penalty on its linear predictors, at the places origin + directions·parameters.

    Attributes
    ----------
    model : LikelihoodModel
        The log-likelihood, of q parameters.
    predictors : tuple of LinearPredictors
        Of its first parameters, in their order; the parameters after theirs are not penalized.
    origin : array of q floats
        Where the parameters are 0.
    directions : array of q × r floats
        Where each parameter leads, with orthonormal columns.
    """

    model: LikelihoodModel[Ground_co]
    predictors: tuple[LinearPredictor, ...]
    origin: Floats
    directions: Floats

    @property
    def unit(self) -> float:
        """What a row weighs on average."""
        return self.model.unit

    def place(self, parameters: Floats) -> Floats:
        """Return the place in the model's own parameters."""
        return self.origin + self.directions @ parameters

    def at(self, parameters: Floats) -> "PenalizedGround[Ground_co]":
        """Return what the penalized log-likelihood looks like there."""
        place = self.place(parameters)
        parts = np.split(place, np.cumsum([predictor.rows.shape[1] for predictor in self.predictors]))
        terms = [predictor.at(part) for predictor, part in zip(self.predictors, parts, strict=False)]
        free = parts[-1].size
        penalty = PenaltyTerm(
            sum(term.value for term in terms),
            np.concatenate([*(term.score for term in terms), np.zeros(free)]),
            np.asarray(scipy.linalg.block_diag(*(term.bend for term in terms), np.zeros((free, free)))),
        )
        return PenalizedGround(self.model.at(place), penalty, self.directions)

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor."""
        return self.model.movement(self.directions @ step)


@dataclass(frozen=True, slots=True, eq=False)
class PenalizedGround(Generic[AnyGround]):
    """A penalized log-likelihood at one place, as it goes along some directions."""

    ground: AnyGround
    penalty: PenaltyTerm
    directions: Floats

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood and the penalty."""
        return self.ground.log_likelihood + self.penalty.value

    def score(self) -> Floats:
        """Return the gradient."""
        return self.directions.T @ (self.ground.score() + self.penalty.score)

    def observed(self) -> Floats:
        """Return the negative second derivatives."""
        return self.directions.T @ self.curvature() @ self.directions

    def definite(self) -> Floats:
        """Return the positive definite stand-in of the log-likelihood alone."""
        return self.directions.T @ self.ground.definite() @ self.directions

    def curvature(self) -> Floats:
        """Return the negative second derivatives by all parameters of the model."""
        return self.ground.observed() + self.penalty.bend


@dataclass(frozen=True, slots=True, eq=False)
class Penalized(Generic[Ground_co]):
    """The maximum of a penalized likelihood, with its limits and tests.

    Attributes
    ----------
    model : PenalizedModel
        The penalized log-likelihood of the r parameters that the reports tell anything about.
    to_coefficients : array of p × q floats
        The coefficients from a place.
    parameters : array of r floats
        The maximum.
    height : float
        The penalized log-likelihood there.
    converged : bool
        Whether it is a maximum.
    """

    model: PenalizedModel[Ground_co]
    to_coefficients: Floats
    parameters: Floats
    height: float
    converged: bool

    @property
    def summit(self) -> Summit[Ground_co]:
        """The maximum in the model's own parameters, and what the log-likelihood without the penalty is like there."""
        place = self.model.place(self.parameters)
        return Summit(place, self.model.model.at(place), converged=self.converged, at_infinity=False)

    def observed(self) -> Floats:
        """Return the negative second derivatives of the penalized log-likelihood by the model's own parameters."""
        return self.model.at(self.parameters).curvature()

    def likelihood_ratio_test(self, columns: Sequence[int]) -> LikelihoodRatioTest:
        """Compare with the highest place where these coefficients are 0, under the same penalty."""
        starts = [self.parameters, np.zeros(self.parameters.size)]
        _, height = self._highest(columns, np.zeros(len(columns)), starts)
        return ratio_test(2 * (self.height - height), len(columns))

    def interval(self, column: int, confidence_level: float, farthest: float = np.inf) -> ScalarInterval:
        """Return the outermost values of a coefficient that the test does not reject; infinite beyond `farthest`."""
        level = self.height - normal_quantile(confidence_level) ** 2 / 2
        along = self.to_coefficients[column] @ self.model.directions
        bends = self.model.at(self.parameters).observed()
        error = float(np.sqrt(along @ np.linalg.pinv(bends, hermitian=True) @ along))
        estimate = float(along @ self.parameters)
        known = {estimate: (self.parameters, self.height)}

        def height(value: float) -> float:
            nearest = min(known, key=lambda other: abs(other - value))
            known[value] = self._highest([column], np.array([value]), [known[nearest][0]])
            return known[value][1]

        for side in (-1, 1):
            for doubling in range(MOST_DOUBLINGS):
                if height(estimate + side * error * NEAREST * 2**doubling) < level - FAR_BELOW:
                    break
        heights = {value: place[1] for value, place in known.items()}
        low, high = limits(heights | {-np.inf: -np.inf, np.inf: -np.inf}, level, height)
        low, high = low if low >= -farthest else -np.inf, high if high <= farthest else np.inf
        return ScalarInterval(low, high, confidence_level, "penalized_profile")

    def _highest(self, columns: Sequence[int], values: Floats, starts: Sequence[Floats]) -> tuple[Floats, float]:
        """Return where the penalized likelihood is highest if some coefficients have these values, and how high."""
        own = self.to_coefficients[list(columns)] @ self.model.directions
        nearest, free = np.linalg.pinv(own) @ values, scipy.linalg.null_space(own)
        held = replace(self.model, origin=self.model.place(nearest), directions=self.model.directions @ free)
        ascents = [ascend(held, free.T @ (start - nearest)) for start in starts]
        best = max(ascents, key=lambda summit: summit.ground.log_likelihood)
        return nearest + free @ best.parameters, best.ground.log_likelihood


def penalize(
    model: LikelihoodModel[AnyGround],
    predictors: tuple[LinearPredictor, ...],
    without: Floats,
    to_coefficients: Floats,
    idle: Floats | None = None,
) -> Penalized[AnyGround]:
    """Return the highest maximum of a penalized likelihood that several starts lead to.

    Parameters
    ----------
    model : LikelihoodModel
        The log-likelihood.
    predictors : tuple of LinearPredictors
        What is penalized.
    without : array of q floats
        Where the likelihood without the penalty is highest, maybe far out.
    to_coefficients : array of p × q floats
        The coefficients from the q parameters.
    idle : array of q × i floats, optional
        An orthonormal basis of the directions that the reports tell nothing about.
    """
    q = without.size
    directions = np.eye(q) if idle is None or not idle.size else scipy.linalg.null_space(idle.T)
    penalized = PenalizedModel(model, predictors, np.zeros(q), directions)
    nearer = directions.T @ without
    nearer = nearer * min(1.0, FARTHEST / max(penalized.movement(nearer), FARTHEST))
    starts = [*starting_points(penalized, directions.shape[1]), nearer]
    ascents = [ascend(penalized, start) for start in starts if np.isfinite(penalized.at(start).log_likelihood)]
    best = min(ascents, key=lambda summit: (not summit.converged, -summit.ground.log_likelihood))
    return Penalized(penalized, to_coefficients, best.parameters, best.ground.log_likelihood, best.converged)
