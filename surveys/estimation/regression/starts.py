"""Where to begin, as a likelihood of randomized answers may have several maxima."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from surveys.estimation.regression.scoring import (
    AnyGround,
    Ground,
    Ground_co,
    LikelihoodModel,
    Summit,
    ascend,
    ascend_together,
    look_at_each,
)
from surveys.estimation.regression.testing import Heights
from surveys.estimation.validation import Floats

MOST_ROWS = 2000
"""As many rows are enough to find the maxima; the others join for the last steps from there."""
FARTHEST = 8.0
"""No start puts a linear predictor farther from 0 than this."""
LEAST = 1e-150
"""Less information than this is none."""
SAME = 1e-6
"""Two summits whose log-likelihoods differ by a smaller share are one."""
MOST_CORNERS = 128
"""So many places where some linear predictors are given are tried."""
FLAT = 1e-3
"""Rows whose determinant is less do not determine the parameters."""
SIMILAR = 0.05
"""Places whose true answers are Yes with probabilities that differ by less on average belong to one hill."""
MOST_HILLS = 4
"""So many of the places tried are climbed from."""


class SteppingModel(LikelihoodModel[Ground_co], Protocol[Ground_co]):
    """A model that knows what it comes to at infinity."""

    def step(self, starts: list[Floats]) -> tuple[Floats, Floats]:
        """Return the best step function found from these directions, the likeliest first, and a softened one."""


AnySteppingModel = TypeVar("AnySteppingModel", bound=SteppingModel[Ground])


class DivisibleModel(SteppingModel[Ground_co], Protocol[Ground_co]):
    """A model of rows that can also be one of some of them."""

    @property
    def n(self) -> int:
        """Return the number of rows."""

    def of(self, rows: npt.NDArray[np.int64]) -> "DivisibleModel[Ground_co]":
        """Return the model of these rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Summits(Generic[AnyGround]):
    """Where all ascents ended.

    Attributes
    ----------
    best : Summit
        The highest finite maximum; where there is none, the highest place.
    bound : float
        The log-likelihood at infinity if it is clearly higher there than at `best`, else that of `best`.
    maxima : list of arrays of floats
        Where the finite maxima are, the highest first.
    infinity : list of arrays of floats
        A place far out, if the bound is at infinity.
    """

    best: Summit[AnyGround]
    bound: float
    maxima: list[Floats]
    infinity: list[Floats]

    @property
    def heights(self) -> Heights:
        """Return what a likelihood-ratio test compares."""
        return Heights(self.best.ground.log_likelihood if self.best.converged else np.nan, self.bound)


def maximum(model: DivisibleModel[AnyGround], p: int) -> Summits[AnyGround]:
    """Return the highest maximum that the starts lead to, and whether a step function is higher.

    Of many rows, some tell where the maxima are; all rows then start from each of these.

    Parameters
    ----------
    model : DivisibleModel
        The likelihood.
    p : int
        How many parameters it has.
    """
    if model.n <= MOST_ROWS:
        return explore_starts(model, p)
    exploration = explore_starts(model.of(judging_rows(model.n)), p)
    ascents = [ascend(model, place) for place in exploration.maxima or [np.zeros(p)]]
    return summits([*ascents, *(certainty(place, model.at(place)) for place in exploration.infinity)])


def explore_starts(model: SteppingModel[AnyGround], p: int) -> Summits[AnyGround]:
    """Return where the ascents from all starts end, and what the best step found comes to."""
    return explore_together([model], p, look_at_each)[0]


def explore_together(
    models: Sequence[AnySteppingModel],
    p: int,
    look: Callable[[Sequence[AnySteppingModel], Sequence[Floats]], Sequence[AnyGround]],
) -> list[Summits[AnyGround]]:
    """Explore several models of p parameters each, as `explore_starts` does, looking at many places at once."""
    starts = [starting_points(model, p) for model in models]
    every = [(model, start) for model, model_starts in zip(models, starts, strict=True) for start in model_starts]
    climbed = iter(ascend_together([model for model, _ in every], [start for _, start in every], look))
    ascents = [[next(climbed) for _ in model_starts] for model_starts in starts]
    steps = []
    for model, model_starts, reached in zip(models, starts, ascents, strict=True):
        highest = max(reached, key=lambda summit: summit.ground.log_likelihood)
        steps.append(model.step([highest.parameters, *model_starts[1:]]))
    certain = look(models, [step for step, _ in steps])
    softened = ascend_together(models, [soft for _, soft in steps], look)
    return [
        summits([*reached, certainty(step, ground), soft])
        for reached, (step, _), ground, soft in zip(ascents, steps, certain, softened, strict=True)
    ]


def certainty(place: Floats, ground: AnyGround) -> Summit[AnyGround]:
    """Return a place that stands for infinity, and what it is like there."""
    return Summit(place, ground, converged=False, at_infinity=True)


def summits(ascents: list[Summit[AnyGround]]) -> Summits[AnyGround]:
    """Return the best of some summits, and what others there are."""
    best, *others = sorted(ascents, key=lambda summit: (not summit.converged, -summit.ground.log_likelihood))
    highest = max(ascents, key=lambda summit: summit.ground.log_likelihood)
    maxima = [best] if best.converged else []
    for other in others:
        if other.converged and clearly_higher(maxima[-1], other):
            maxima.append(other)
    infinity = [highest] if clearly_higher(highest, best) or not best.converged else []
    return Summits(
        best,
        (infinity or [best])[0].ground.log_likelihood,
        [summit.parameters for summit in maxima],
        [summit.parameters for summit in infinity],
    )


def clearly_higher(one: Summit[AnyGround], other: Summit[AnyGround]) -> bool:
    """Tell whether a log-likelihood is higher than another beyond rounding."""
    low = other.ground.log_likelihood
    return one.ground.log_likelihood - low > SAME * abs(low)


def starting_points(model: LikelihoodModel[AnyGround], p: int) -> list[Floats]:
    """Return the starts: nowhere, one Fisher step from there, and far out along it and each parameter, both ways."""
    origin = np.zeros(p)
    ground = model.at(origin)
    # The rows tried may not tell all parameters, in which case the shortest step of many is taken. Beside a large shift
    # they may tell nothing up to the smallest numbers there are.
    information = ground.definite()
    size = float(np.abs(information).max(initial=LEAST))
    linear = np.linalg.pinv(information / size) @ (ground.score() / size)
    near = linear * min(1.0, FARTHEST / max(model.movement(linear), FARTHEST))
    starts = [origin, near]
    for direction in (linear, *np.eye(p)):
        reach = model.movement(direction)
        if reach > LEAST:
            far = direction * (FARTHEST / reach)
            starts += [far, -far]
    return starts


def corners(rows: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return sets of as many rows as determine the parameters, spread evenly over all, and their inverses."""
    n, p = rows.shape
    sets = (spread(MOST_CORNERS, p) * n).astype(np.int64)
    independent = np.abs(np.linalg.det(rows[sets])) > FLAT
    return sets[independent], np.linalg.inv(rows[sets[independent]])


def spread(number: int, dimensions: int) -> Floats:
    """Return so many points of the unit cube, one a row, that fill it evenly."""
    # Multiples of the powers of the root of x^(d+1) = x + 1 fill a cube evenly, as those of the golden ratio do a line.
    root = 2.0
    for _ in range(60):
        root = (root + 1) ** (1 / (dimensions + 1))
    points: Floats = np.arange(1, number + 1)[:, np.newaxis] * root ** -np.arange(1.0, dimensions + 1) % 1
    return points


def hills(places: Floats, heights: Floats, yes: Floats, most: int = MOST_HILLS) -> Floats:
    """Return the highest of some places, but none whose true answers are much those of a higher one.

    Parameters
    ----------
    places : array of m × p floats
        The places.
    heights : array of m floats
        The log-likelihood at each.
    yes : array of m × n floats
        How probable a Yes truth is there, one column a row of the model.
    most : int
        No more than so many.
    """
    left, chosen = heights.copy(), list[int]()
    while len(chosen) < most and left.max(initial=-np.inf) > -np.inf:
        chosen.append(int(np.argmax(left)))
        left[np.abs(yes - yes[chosen[-1]]).mean(axis=1) < SIMILAR] = -np.inf
    return places[chosen]


def judging_rows(n: int) -> npt.NDArray[np.int64]:
    """Return which of n rows the starts are tried on, spread evenly over whatever order the rows have.

    The multiples of the golden ratio leave no gap and fall in step with no period of the rows.
    """
    golden = (np.sqrt(5) - 1) / 2
    rows: npt.NDArray[np.int64] = (np.arange(MOST_ROWS) * golden % 1 * n).astype(np.int64)
    return rows
