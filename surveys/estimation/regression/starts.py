"""Where to begin, as a likelihood of randomized answers may have several maxima."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from surveys.estimation.regression.scoring import AnyGround, Ground_co, Model, Summit, ascend
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


def maximum(model: DivisibleModel[AnyGround], p: int) -> Summit[AnyGround]:
    """Return the highest maximum that the starts lead to.

    Of many rows, some tell where the maxima are; all rows then start from each of these.

    Parameters
    ----------
    model : DivisibleModel
        The likelihood.
    p : int
        How many parameters it has.
    """
    few = model if model.n <= MOST_ROWS else model.of(judging_rows(model.n))
    found = summits(few, starting_points(few, p))
    if few is model:
        return found[0]
    places = [summit.parameters for summit in found if summit.converged]
    return summits(model, places or [np.zeros(p)])[0]


def summits(model: Model[AnyGround], starts: list[Floats]) -> list[Summit[AnyGround]]:
    """Ascend from every start and return the different summits, the highest first."""
    found = [ascend(model, start) for start in starts]
    found.sort(key=lambda summit: -summit.ground.log_likelihood)
    heights = np.array([summit.ground.log_likelihood for summit in found])
    new = -np.diff(heights, prepend=np.inf) > SAME * np.abs(heights)
    return [summit for summit, is_new in zip(found, new, strict=True) if is_new]


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
