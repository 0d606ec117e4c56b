"""Where to begin, as a likelihood of randomized answers may have several maxima."""

from dataclasses import dataclass
from typing import Generic, Protocol

import numpy as np
import numpy.typing as npt

from surveys.estimation.regression.scoring import AnyGround, Ground_co, Model, Summit, ascend
from surveys.estimation.regression.testing import Heights
from surveys.estimation.validation import Floats

MOST_ROWS = 2000
"""As many rows are enough to find the maxima; the others join for the last steps from there."""
FARTHEST = 8.0
"""No start puts a linear predictor farther from 0 than this."""
SAME = 1e-6
"""Two summits whose log-likelihoods differ by a smaller share are one."""


class DivisibleModel(Model[Ground_co], Protocol[Ground_co]):
    """A model of rows that can also be one of some of them."""

    @property
    def n(self) -> int:
        """Return the number of rows."""

    def of(self, rows: npt.NDArray[np.int64]) -> "DivisibleModel[Ground_co]":
        """Return the model of these rows."""

    def step(self, starts: list[Floats]) -> Floats:
        """Return the best step function found from these directions, the likeliest first."""


@dataclass(frozen=True, slots=True, eq=False)
class Summits(Generic[AnyGround]):
    """Where all ascents ended.

    Attributes
    ----------
    best : Summit
        The highest finite maximum; where there is none, the highest place.
    bound : float
        The log-likelihood at infinity if it is clearly higher there than at `best`, else that of `best`.
    others : list of arrays of floats
        The places of other maxima, and of what is higher at infinity.
    """

    best: Summit[AnyGround]
    bound: float
    others: list[Floats]

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
    few = model if model.n <= MOST_ROWS else model.of(judging_rows(model.n))
    starts = starting_points(few, p)
    ascents = [ascend(few, start) for start in starts]
    highest = max(ascents, key=lambda summit: summit.ground.log_likelihood)
    ascents.append(ascend(few, few.step([highest.parameters, *starts[1:]])))
    found = summits(ascents)
    if few is model:
        return found
    places = [found.best.parameters if found.best.converged else np.zeros(p), *found.others]
    return summits([ascend(model, place) for place in places])


def summits(ascents: list[Summit[AnyGround]]) -> Summits[AnyGround]:
    """Return the best of some summits, and what others there are."""
    ranked = sorted(ascents, key=lambda summit: (not summit.converged, -summit.ground.log_likelihood))
    best, highest = ranked[0], max(ascents, key=lambda summit: summit.ground.log_likelihood)
    height, top = best.ground.log_likelihood, highest.ground.log_likelihood
    others, last = [], height
    for summit in ranked[1:]:
        lower = last - summit.ground.log_likelihood
        if summit.converged and lower > SAME * abs(last):
            others.append(summit.parameters)
            last = summit.ground.log_likelihood
    higher = top - height > SAME * abs(height)
    return Summits(best, top if higher else height, [*others, highest.parameters] if higher else others)


def starting_points(model: Model[AnyGround], p: int) -> list[Floats]:
    """Return the starts: nowhere, one Fisher step from there, and far out along it and each parameter, both ways."""
    nowhere = np.zeros(p)
    ground = model.at(nowhere)
    # The rows tried may not tell all parameters, in which case the shortest step of many is taken.
    linear = np.linalg.pinv(ground.definite()) @ ground.score()
    near = linear * min(1.0, FARTHEST / max(model.movement(linear), FARTHEST))
    starts = [nowhere, near]
    for direction in (linear, *np.eye(p)):
        reach = model.movement(direction)
        if reach > 0:
            far = direction * (FARTHEST / reach)
            starts += [far, -far]
    return starts


def judging_rows(n: int) -> npt.NDArray[np.int64]:
    """Return which of n rows the starts are tried on, spread evenly over whatever order the rows have.

    The multiples of the golden ratio leave no gap and fall in step with no period of the rows.
    """
    golden = (np.sqrt(5) - 1) / 2
    rows: npt.NDArray[np.int64] = (np.arange(MOST_ROWS) * golden % 1 * n).astype(np.int64)
    return rows
