"""Where the likelihood of a logistic regression of truths is highest, for many noisy tables at once.

The predictors' truths z have free shares γ_z ≥ 0, and the outcome's truth is Yes with probability σ_z = σ(x_z·b). So
the report cells have the means

    μ = n·Σ_z γ_z·((1 − σ_z)·P_z0 + σ_z·P_z1),

P_zo being a column of the Kronecker product of the design matrices. Fisher scoring climbs in b and γ together. A share
that is 0 and should fall stays where it is (Bertsekas' projected method), and so do coefficients about which
nothing is known. Each step is halved until it wins a share of what its slope promises.

References
----------
Bertsekas (1982), Projected Newton methods for optimization problems with simple constraints.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from surveys.estimation.learning.likelihood import NoisyCounts, normal_information
from surveys.estimation.validation import Floats

FARTHEST = 12.0
"""Coefficients beyond it, odds ratios of 160,000, are not told from infinity."""
MOST_STEPS = 200
MOST_HALVINGS = 30
_NEAR = 1e-9
"""A share below this that should fall is put to 0."""
_CONVERGED = 1e-16
"""After a step that promised to raise ℓ by less, eight digits of a coefficient stay as they are."""
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
        The probabilities of the report cells under each truth of the predictors, and No or Yes.
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
        return _information(self.slopes(places), self.means(places), variance)

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


def climb_tables(model: TruthModel, tables: NoisyCounts, starts: Floats) -> Maxima:
    """Climb in each of B tables from its own start (b, γ), where all report cells are possible."""
    places = starts.copy()
    heights, scores = tables.at(model.means(places))
    converged = np.zeros(len(places), dtype=bool)
    going = np.arange(len(places))
    for _ in range(MOST_STEPS):
        there = tables.of(going)
        slopes = model.slopes(places[going])
        gradients = np.einsum("bc,bcq->bq", scores[going], slopes)
        information = _information(slopes, model.means(places[going]), tables.variance)
        steps = _steps(model.width, places[going], gradients, information)
        gains = (gradients * steps).sum(axis=1)
        done = gains <= _CONVERGED
        converged[going[done]] = True
        moved, found, slope = _raised(model, there, (places[going], heights[going], gradients), steps)
        better = ~done & np.isfinite(found)
        kept = going[better]
        places[kept], heights[kept], scores[kept] = moved[better], found[better], slope[better]
        going = kept[np.abs(places[kept, : model.width]).max(axis=1, initial=0.0) <= 2 * FARTHEST]
        if not going.size:
            break
    return Maxima(places, heights, converged)


def _information(slopes: Floats, means: Floats, variance: float) -> Floats:
    """Return the information about the parameters of which these are the derivatives of μ."""
    weights, along = normal_information(means, variance)
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
    for _ in range(4):
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


def _raised(
    model: TruthModel, tables: NoisyCounts, here: tuple[Floats, Floats, Floats], steps: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return where the longest of each step, its half, … leads that wins enough, with ℓ and its derivatives by μ.

    What is known here is the places, ℓ and its gradients. ℓ is −∞ where no step wins enough.
    """
    places, heights, gradients = here
    moved, found, slope = places.copy(), np.full(len(places), -np.inf), np.zeros(tables.counts.shape)
    bounded = np.arange(places.shape[1]) >= model.width
    waiting, size = np.arange(len(places)), 1.0
    for _ in range(MOST_HALVINGS):
        there = places[waiting] + size * steps[waiting]
        there = np.where(bounded, np.maximum(there, 0.0), there)
        value, score = tables.of(waiting).at(model.means(there))
        promised = (gradients[waiting] * (there - places[waiting])).sum(axis=1)
        least = heights[waiting] + _LEAST_GAIN * promised - _ROUNDING * np.abs(heights[waiting])
        enough = value >= least
        moved[waiting[enough]], found[waiting[enough]] = there[enough], value[enough]
        slope[waiting[enough]] = score[enough]
        waiting, size = waiting[~enough], size / 2
        if not waiting.size:
            break
    return moved, found, slope
