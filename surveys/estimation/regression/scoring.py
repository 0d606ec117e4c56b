"""One way up a log-likelihood: Newton where it bends down, Fisher scoring elsewhere, halved until it rises.

Likelihoods of randomized answers are not concave. Newton's method is fast near a maximum but elsewhere may point
downhill; there a matrix that is always positive definite takes the place of the observed information: the expected one
(Fisher scoring) or that of the complete data (the EM gradient algorithm, Lange 1995). No step lowers the likelihood.
"""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import Floats

MAX_STEPS = 200
MAX_HALVINGS = 60
LARGEST_MOVE = 5.0
"""No step moves a linear predictor by more than this plus the largest there is, so that infinity is soon reached."""
NO_GAIN = 1e-8
"""A step that promises to raise twice the log-likelihood of rows of weight 1 by less is worth nothing to anybody."""
CONVERGED = 1e-20
"""After a step that promised less, the first ten digits of a coefficient stay as they are."""
STILL_MOVING = 0.1
STUCK = 1e-4
"""Where the log-likelihood is flat in some direction, a step that wins less of its promise ends the way to infinity."""
TOO_FAR = 1e10
"""Where a linear predictor is moved farther, rounding takes the place of what the others are moved by."""
SINGULAR = 1e-13
"""An information whose eigenvalues differ by more has no inverse to speak of."""


class Ground(Protocol):
    """What a log-likelihood looks like at one place."""

    @property
    def log_likelihood(self) -> float:
        """Return its value."""

    def score(self) -> Floats:
        """Return its gradient."""

    def observed(self) -> Floats:
        """Return the observed information, its negative second derivatives."""

    def definite(self) -> Floats:
        """Return a positive definite stand-in for the observed information."""


AnyGround = TypeVar("AnyGround", bound=Ground)
Ground_co = TypeVar("Ground_co", bound=Ground, covariant=True)


class LikelihoodModel(Protocol[Ground_co]):
    """A log-likelihood of some parameters."""

    @property
    def unit(self) -> float:
        """Return what one row weighs on average: what a gain is worth is measured in it."""

    def at(self, parameters: Floats) -> Ground_co:
        """Return what it looks like there."""

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor that this step makes."""


@dataclass(frozen=True, slots=True, eq=False)
class Summit(Generic[AnyGround]):
    """Where an ascent ended.

    Attributes
    ----------
    parameters : array of p floats
        The place.
    ground : Ground
        The log-likelihood there.
    converged : bool
        Whether it is a maximum: the observed information is positive definite and no step gains anything.
    at_infinity : bool
        Whether the log-likelihood had levelled off while a linear predictor was still moving: there is no finite
        maximum, as with separated data.
    """

    parameters: Floats
    ground: AnyGround
    converged: bool
    at_infinity: bool


def ascend(model: LikelihoodModel[AnyGround], start: Floats) -> Summit[AnyGround]:
    """Climb to a local maximum from parameters with a finite log-likelihood."""
    parameters, here, unit = start, model.at(start), model.unit
    for _ in range(MAX_STEPS):
        score = here.score()
        step, bends_down, levelled_off = _step(here, score)
        gain, move = float(score @ step) / unit, model.movement(step)
        if gain <= CONVERGED:
            return Summit(parameters, here, converged=bends_down, at_infinity=levelled_off)
        if (gain <= NO_GAIN and (levelled_off or move > STILL_MOVING)) or model.movement(parameters) > TOO_FAR:
            return Summit(parameters, here, converged=False, at_infinity=True)
        higher = _halved(model, parameters, step * min(1.0, (LARGEST_MOVE + model.movement(parameters)) / move), here)
        if higher is None:
            break
        won = 2 * (higher[1].log_likelihood - here.log_likelihood) / unit
        parameters, here = higher
        if levelled_off and won <= STUCK * gain:
            return Summit(parameters, here, converged=False, at_infinity=True)
    return Summit(parameters, here, converged=False, at_infinity=False)


def _halved(
    model: LikelihoodModel[AnyGround], parameters: Floats, step: Floats, here: AnyGround
) -> tuple[Floats, AnyGround] | None:
    """Return where the longest of the step, its half, its quarter, … leads that does not lower the likelihood."""
    # Near the maximum the gain is less than the sum's own rounding.
    wanted = here.log_likelihood - 1e-13 * abs(here.log_likelihood)
    for halvings in range(MAX_HALVINGS):
        place = parameters + step / 2**halvings
        there = model.at(place)
        if there.log_likelihood >= wanted:
            return place, there
    return None


def _step(here: Ground, score: Floats) -> tuple[Floats, bool, bool]:
    """Return the step, whether the log-likelihood bends down in all directions, and whether it is flat in some."""
    bends, axes = np.linalg.eigh(here.observed())
    if clearly_positive(bends).all():
        return axes @ (axes.T @ score / bends), True, False
    bends, axes = np.linalg.eigh(here.definite())
    told = clearly_positive(bends)
    axes = axes[:, told]
    return axes @ (axes.T @ score / bends[told]), False, not told.all()


def clearly_positive(eigenvalues: Floats) -> npt.NDArray[np.bool_]:
    """Tell which eigenvalues are not 0 up to rounding."""
    positive: npt.NDArray[np.bool_] = eigenvalues > SINGULAR * np.abs(eigenvalues).max(initial=0.0)
    return positive
