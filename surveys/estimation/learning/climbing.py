"""Where the likelihood of a logistic regression of true answers is highest, for many noisy tables at once.

The predictors' true answers z have free shares γ_z ≥ 0, and the outcome's truth is Yes with probability σ_z = σ(x_z·b).
So the report cells have the means

    μ = n·Σ_z γ_z·((1 − σ_z)·P_z0 + σ_z·P_z1),

P_zo being a column of the Kronecker product of the design matrices. One climbs in b and γ together, with the observed
information about μ in the place of that about b and γ (Gauss and Newton's method). A share that is 0 and should fall
stays where it is (Bertsekas' projected method), and so do coefficients about which nothing is known. Each step is
halved until it wins a share of what its slope promises.

References
----------
Bertsekas (1982), Projected Newton methods for optimization problems with simple constraints.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.learning.likelihood import LocalLikelihood, NoisyCounts, normal_information
from surveys.estimation.validation import Floats

FARTHEST = 12.0
"""Coefficients beyond it, odds ratios of 160,000, are not distinguished from infinity."""
MOST_STEPS = 200
MOST_HALVINGS = 30
_NEAR = 1e-9
"""A share below this that should fall is put to 0."""
CONVERGED = 1e-16
"""After a step that promised to raise ℓ by less, eight digits of a coefficient stay as they are."""
NEARLY = 1e-8
"""After such a step coefficients move by a ten-thousandth of a standard error: enough for quantiles."""
_RIDGE = 1e-10
"""What is added to the information's diagonal, as a share of it."""
_ROUNDING = 1e-13
_LARGEST_MOVE = 3.0
"""No step moves a coefficient by more."""
_LEAST_GAIN = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class TruthModel:
    """What b and γ lead to.

    Attributes
    ----------
    rows : array of Z × p floats
        x.
    if_no, if_yes : arrays of C × Z floats
        The probabilities of the report cells under each true answer of the predictors, and No or Yes.
    n : int
        The number of responses.
    """

    rows: Floats
    if_no: Floats
    if_yes: Floats
    n: int

    @property
    def width(self) -> int:
        """How many coefficients there are."""
        return int(self.rows.shape[1])

    def means(self, places: Floats) -> Floats:
        """Return μ at B places (b, γ), B × C."""
        eta, shares = self._parts(places)
        no, yes = scipy.special.expit(-eta), scipy.special.expit(eta)
        return np.asarray(self.n * ((shares * no) @ self.if_no.T + (shares * yes) @ self.if_yes.T))

    def slopes(self, places: Floats) -> Floats:
        """Return the derivatives of μ at B places, B × C × (p + Z)."""
        eta, shares = self._parts(places)
        no, yes = scipy.special.expit(-eta)[:, np.newaxis], scipy.special.expit(eta)[:, np.newaxis]
        by_eta = (self.if_yes - self.if_no) * (shares[:, np.newaxis] * yes * no)
        return self.n * np.concatenate([by_eta @ self.rows, self.if_no * no + self.if_yes * yes], axis=2)

    def information(self, places: Floats, variance: float) -> Floats:
        """Return the expected information about b and γ at B places."""
        return information_of(self.slopes(places), *normal_information(self.means(places), variance))

    def _parts(self, places: Floats) -> tuple[Floats, Floats]:
        return places[:, : self.width] @ self.rows.T, places[:, self.width :]


@dataclass(frozen=True, slots=True, eq=False)
class Maxima:
    """The places where climbs in B tables ended.

    Attributes
    ----------
    places : array of B × (p + Z) floats
        b and γ.
    heights : array of B floats
        ℓ.
    converged : array of B booleans
        Whether no step gained anything any more.
    """

    places: Floats
    heights: Floats
    converged: npt.NDArray[np.bool_]


def climb_tables(model: TruthModel, tables: NoisyCounts, starts: Floats, least_gain: float = CONVERGED) -> Maxima:
    """Climb in each of B tables from its own start (b, γ), until a step promises no more than this.

    At the starts all report cells are possible.
    """
    places = starts.copy()
    here = tables.at(model.means(places))
    heights, converged = here.heights.copy(), np.zeros(len(places), dtype=bool)
    going = np.arange(len(places))
    for _ in range(MOST_STEPS):
        slopes, means = model.slopes(places[going]), model.means(places[going])
        gradients = np.einsum("bc,bcq->bq", here.scores, slopes)
        weights, _ = normal_information(means, tables.variance)
        # Where a table bends up, or hardly down, its expected bend keeps the step in bounds.
        information = information_of(slopes, np.maximum(here.bends, weights / 4), here.along)
        steps = _steps(model.width, places[going], gradients, information)
        done = (gradients * steps).sum(axis=1) <= least_gain
        converged[going[done]] = True
        going, here, gradients, steps = going[~done], here.of(~done), gradients[~done], steps[~done]
        moved, here, better = _raise_steps(model, tables.of(going), places[going], here, (gradients, steps))
        places[going], heights[going] = moved, here.heights
        better &= np.abs(moved[:, : model.width]).max(axis=1, initial=0.0) <= 2 * FARTHEST
        going, here = going[better], here.of(better)
        if not going.size:
            break
    return Maxima(places, heights, converged)


def information_of(slopes: Floats, weights: Floats, along: Floats) -> Floats:
    """Return the information about the parameters of which these are the derivatives of μ."""
    rank_one = np.einsum("bc,bcq->bq", along, slopes)
    outer = rank_one[:, :, np.newaxis] * rank_one[:, np.newaxis, :]
    return np.asarray(slopes.transpose(0, 2, 1) @ (slopes * weights[:, :, np.newaxis]) + outer)


def _steps(width: int, places: Floats, gradients: Floats, information: Floats) -> Floats:
    """Return each table's scoring step, in which no share of 0 falls."""
    bounded = np.arange(places.shape[1]) >= width
    edge = bounded & (places <= _NEAR)
    pinned = edge & (gradients < 0)
    diagonal = np.einsum("bqq->bq", information)
    ridge = _RIDGE * np.maximum(diagonal, _RIDGE * diagonal.max(axis=1, keepdims=True))
    while True:
        free = ~pinned
        matrix = information * (free[:, :, np.newaxis] & free[:, np.newaxis, :])
        np.einsum("bqq->bq", matrix)[...] += np.where(free, ridge, 1.0)
        steps = np.linalg.solve(matrix, np.where(free, gradients, 0.0)[:, :, np.newaxis])[:, :, 0]
        falling = edge & free & (steps < 0)
        if not falling.any():
            break
        pinned = pinned | falling
    steps = np.where(pinned, np.where(bounded, -places, 0.0), steps)
    largest = np.abs(steps[:, :width]).max(axis=1, initial=0.0, keepdims=True)
    return np.asarray(steps * np.minimum(1.0, _LARGEST_MOVE / np.maximum(largest, _LARGEST_MOVE)))


def _raise_steps(
    model: TruthModel,
    tables: NoisyCounts,
    places: Floats,
    here: LocalLikelihood,
    ways: tuple[Floats, Floats],
) -> tuple[Floats, LocalLikelihood, npt.NDArray[np.bool_]]:
    """Return where the longest of each step, its half, … leads that wins enough, what is there, and whether one does.

    The ways are the gradients and the steps. Where no step wins enough, nothing moves.
    """
    gradients, steps = ways
    moved, better = places.copy(), np.zeros(len(places), dtype=bool)
    raised = LocalLikelihood(here.heights.copy(), here.scores.copy(), here.bends.copy(), here.along.copy())
    bounded = np.arange(places.shape[1]) >= model.width
    waiting, size = np.arange(len(places)), 1.0
    for _ in range(MOST_HALVINGS):
        there = places[waiting] + size * steps[waiting]
        there = np.where(bounded, np.maximum(there, 0.0), there)
        value = tables.of(waiting).at(model.means(there))
        promised = (gradients[waiting] * (there - places[waiting])).sum(axis=1)
        least = here.heights[waiting] + _LEAST_GAIN * promised - _ROUNDING * np.abs(here.heights[waiting])
        enough = value.heights >= least
        chosen = waiting[enough]
        moved[chosen], better[chosen], value = there[enough], True, value.of(enough)
        raised.heights[chosen], raised.scores[chosen] = value.heights, value.scores
        raised.bends[chosen], raised.along[chosen] = value.bends, value.along
        waiting, size = waiting[~enough], size / 2
        if not waiting.size:
            break
    return moved, raised, better
