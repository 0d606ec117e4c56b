"""One way up a log-likelihood: Newton where it bends down, Fisher scoring elsewhere, halved until it rises.

Likelihoods of randomized answers are not concave. Newton's method is fast near a maximum but elsewhere may point
downhill; there a matrix that is always positive definite takes the place of the observed information: the expected one
(Fisher scoring) or that of the complete data (the EM gradient algorithm, Lange 1995). On its axes a step is shorter
where the log-likelihood bends down more than it says: across a ridge it says too little, and steps by it alone would
go from one side to the other. No step lowers the likelihood, and each wins a share of what its slope promises: two
places on both sides of a hill that are equally high would lead to each other for ever.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

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
ENOUGH = 0.1
"""A step has to win this share of what the slope promises."""
STUCK = 1e-4
"""Where the log-likelihood is flat in some direction, a step that wins less of its promise ends the way to infinity."""
TOO_FAR = 1e10
"""Where a linear predictor is moved farther, rounding takes the place of what the others are moved by."""
ROUNDING = 1e-13
"""A log-likelihood is known up to this share of it."""
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


AnyResult = TypeVar("AnyResult")


class LikelihoodModel(Protocol[Ground_co]):
    """A log-likelihood of some parameters."""

    @property
    def unit(self) -> float:
        """Return what one row weighs on average: what a gain is worth is measured in it."""

    def at(self, parameters: Floats) -> Ground_co:
        """Return what it looks like there."""

    def movement(self, step: Floats) -> float:
        """Return the largest change of a linear predictor that this step makes."""


AnyModel = TypeVar("AnyModel", bound=LikelihoodModel[Ground])


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


Way: TypeAlias = Generator[Floats, AnyGround, AnyResult]
"""A computation that asks what a log-likelihood looks like at one place after another."""


def ascend(model: LikelihoodModel[AnyGround], start: Floats) -> Summit[AnyGround]:
    """Climb to a local maximum from parameters with a finite log-likelihood."""
    return ascend_together([model], [start], look_at_each)[0]


def look_at_each(models: Sequence[LikelihoodModel[AnyGround]], places: Sequence[Floats]) -> list[AnyGround]:
    """Return what each of several log-likelihoods looks like at a place of its own, one after the other."""
    return [model.at(place) for model, place in zip(models, places, strict=True)]


def ascend_together(
    models: Sequence[AnyModel],
    starts: Sequence[Floats],
    look: Callable[[Sequence[AnyModel], Sequence[Floats]], Sequence[AnyGround]],
) -> list[Summit[AnyGround]]:
    """Climb in each of several log-likelihoods from a start of its own, as `ascend` does, all in step.

    Parameters
    ----------
    models : sequence of LikelihoodModels
        The log-likelihoods.
    starts : sequence of arrays of p floats
        Parameters at which these are finite.
    look : callable
        What some of these look like at a place of their own: at many at once in little more time than at one.
    """
    ways = [_way_up(model, start) for model, start in zip(models, starts, strict=True)]
    wanted = {number: next(way) for number, way in enumerate(ways)}
    summits: dict[int, Summit[AnyGround]] = {}
    while wanted:
        grounds = look([models[number] for number in wanted], list(wanted.values()))
        for number, ground in zip(list(wanted), grounds, strict=True):
            try:
                wanted[number] = ways[number].send(ground)
            except StopIteration as end:
                summits[number] = end.value
                del wanted[number]
    return [summits[number] for number in range(len(ways))]


def _way_up(model: LikelihoodModel[AnyGround], start: Floats) -> Way[AnyGround, Summit[AnyGround]]:
    """Return where the climb from a start ends."""
    parameters, here, unit = start, (yield start), model.unit
    for _ in range(MAX_STEPS):
        score = here.score()
        step, bends_down, levelled_off = _step(here, score)
        gain, move = float(score @ step) / unit, model.movement(step)
        if gain <= CONVERGED:
            return Summit(parameters, here, converged=bends_down, at_infinity=levelled_off)
        farthest = model.movement(parameters)
        if (gain <= NO_GAIN and (levelled_off or move > STILL_MOVING)) or farthest > TOO_FAR:
            return Summit(parameters, here, converged=False, at_infinity=True)
        allowed = min(1.0, (LARGEST_MOVE + farthest) / move)
        higher = yield from _halved(parameters, step * allowed, here, gain * unit * allowed)
        if higher is None:
            break
        won = 2 * (higher[1].log_likelihood - here.log_likelihood) / unit
        parameters, here = higher
        if levelled_off and won <= STUCK * gain:
            return Summit(parameters, here, converged=False, at_infinity=True)
    return Summit(parameters, here, converged=False, at_infinity=False)


def _halved(
    parameters: Floats, step: Floats, here: AnyGround, promise: float
) -> Way[AnyGround, tuple[Floats, AnyGround] | None]:
    """Return where the longest of the step, its half, its quarter, … leads that wins enough of what it promises."""
    # Near the maximum the gain is less than the sum's own rounding.
    least = here.log_likelihood - ROUNDING * abs(here.log_likelihood)
    for halvings in range(MAX_HALVINGS):
        place = parameters + step / 2**halvings
        there = yield place
        if there.log_likelihood >= least + ENOUGH * promise / 2**halvings:
            return place, there
    return None


def _step(here: Ground, score: Floats) -> tuple[Floats, bool, bool]:
    """Return the step, whether the log-likelihood bends down in all directions, and whether it is flat in some."""
    observed = here.observed()
    bends, axes = np.linalg.eigh(observed)
    if clearly_positive(bends).all():
        return axes @ (axes.T @ score / bends), True, False
    sizes, axes = np.linalg.eigh(here.definite())
    curved = clearly_positive(sizes)
    scaled = axes[:, curved] / np.sqrt(sizes[curved])
    # On axes in which the stand-in bends by 1.
    bends, turned = np.linalg.eigh(scaled.T @ observed @ scaled)
    axes = scaled @ turned
    return axes @ (axes.T @ score / np.maximum(bends, 1.0)), False, not curved.all()


def clearly_positive(eigenvalues: Floats) -> npt.NDArray[np.bool_]:
    """Tell which eigenvalues are not 0 up to rounding."""
    positive: npt.NDArray[np.bool_] = eigenvalues > SINGULAR * np.abs(eigenvalues).max(initial=0.0)
    return positive
