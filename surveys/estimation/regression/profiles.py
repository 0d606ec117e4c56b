"""The limits that the profile likelihood of one coefficient sets.

The profile of a value is the least upper bound of the log-likelihood over all other coefficients, infinity included.
With randomized answers it may have several hills: where it has fallen it may rise again, at the latest towards a step
function of the predictors in which the coefficient itself is infinite. The limits are therefore not the first places
where it is low enough but the outermost: a likelihood-ratio test rejects every value outside them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from surveys.estimation.regression.rows import basis_of
from surveys.estimation.regression.scoring import TOO_FAR
from surveys.estimation.regression.steps import CERTAIN
from surveys.estimation.validation import Floats

NEAREST, FARTHEST = 2.0**-3, 2.0**12
"""A profile is looked at from this to at most that many units of the coefficient on both sides of 0."""
PRECISION = 1e-10
"""A limit is found up to this share of it."""


@dataclass(frozen=True, slots=True, eq=False)
class CoefficientValues:
    """The values of one coefficient.

    Attributes
    ----------
    others : array of n × (p − 1) floats
        An orthogonal basis of the other predictors.
    residual : array of n floats
        What is left of its own when the others are regressed out, with a mean square of 1.
    unit : float
        The coefficient that moves the linear predictors by this.
    slope : array of p − 1 floats
        What is regressed out: its own predictor is residual/unit + others·slope.
    """

    others: Floats
    residual: Floats
    unit: float
    slope: Floats

    def values(self, farthest: float = FARTHEST) -> Floats:
        """Return where a profile is looked at: 0, and on both sides distances each about twice the last.

        They end at so many units.
        """
        octaves = np.log2(farthest / NEAREST)
        distances = self.unit * NEAREST * np.exp2(np.linspace(0.0, octaves, int(np.ceil(octaves)) + 1))
        return np.concatenate([-distances[::-1], [0.0], distances])

    def certain(self) -> float:
        """Return how many units make every true answer that the coefficient affects certain, at most `FARTHEST`."""
        sizes = np.abs(self.residual)
        return min(2 * CERTAIN / float(sizes[sizes > 1 / FARTHEST].min()), FARTHEST)

    def place_of(self, eta: Floats) -> tuple[float, Floats]:
        """Return the coefficient that comes nearest to these linear predictors, and the others' parameters."""
        rows = np.column_stack([self.residual / self.unit, self.others])
        place: Floats = np.linalg.lstsq(rows, eta, rcond=None)[0].astype(np.float64)
        return float(place[0]), place[1:]

    def carried(self, place: Floats, value: float, to: float) -> list[Floats]:
        """Return where the others' parameters may go as the coefficient goes from one value to another.

        They stay; or their coefficients do; or the linear predictors grow in proportion, as on the way to infinity.
        """
        carried = [place + (to - value) * self.slope]
        if value:
            carried.append(place * (to / value))
        return [place, *(moved for moved in carried if np.abs(self.others @ moved).max(initial=0.0) <= TOO_FAR)]


def line_of(rows: Floats, weights: Floats, column: int) -> CoefficientValues:
    """Return the values of the coefficient of one of these columns."""
    last = np.append(np.delete(np.arange(rows.shape[1]), column), column)
    basis = basis_of(rows[:, last], weights)
    unit = float(basis.to_coefficients[-1, -1])
    others = basis.rows[:, :-1]
    slope: Floats = np.linalg.lstsq(others, rows[:, column], rcond=None)[0].astype(np.float64)
    return CoefficientValues(others, basis.rows[:, -1] * np.sign(unit), abs(unit), slope)


def limits(known: dict[float, float], level: float, height: Callable[[float], float]) -> tuple[float, float]:
    """Return the outermost values at which a profile is as high as the level.

    Parameters
    ----------
    known : dict of floats
        How high it is at some values, from −∞ to ∞. A limit is infinite where it is as high at infinity, or at the last
        finite value.
    level : float
        How high it is at the limits.
    height : callable
        How high it is at any finite value.
    """
    excess = {value: known[value] - level for value in sorted(known)}

    def exceeds(value: float) -> float:
        if value not in excess:
            excess[value] = height(value) - level
        return excess[value]

    rising = list(excess)
    return _last(rising[::-1], exceeds), _last(rising, exceeds)


def _last(values: list[float], exceeds: Callable[[float], float]) -> float:
    """Return the last place with an excess of 0 or more; infinity is the last of the values."""
    high = [place for place, value in enumerate(values) if exceeds(value) >= 0]
    if not high or high[-1] >= len(values) - 2:
        # Where nothing is as high, the highest place of all lies on no way that was looked at: nothing is ruled out.
        return values[-1]
    inside, outside = values[high[-1]], values[high[-1] + 1]
    if np.isinf(inside):
        # Only the infinity opposite is as high, so the limit lies beyond the farthest finite value on that side.
        return outside
    # A profile is about a parabola: the root of how far it has fallen is about a line, which is soon followed down.
    top = max(exceeds(value) for value in values)
    root = scipy.optimize.brentq(
        lambda value: math.sqrt(top) - math.sqrt(max(top - exceeds(value), 0.0)),
        inside,
        outside,
        xtol=PRECISION * max(abs(inside), abs(outside)),
    )
    return float(root)
