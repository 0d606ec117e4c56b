"""Losses of models, with the constants that guarantees and theorems need.

All constants hold for features no longer than 1 and outcomes between −1 and 1: a loss is L-Lipschitz in the parameters
if no gradient is longer than L, c-smooth if gradients change at most c times as fast as parameters. A loss of a
linear model depends on the parameters through their score alone, z = θ·x, so that its gradient is its slope in z
times x.

References
----------
Chaudhuri, Monteleoni & Sarwate (2011), Differentially private empirical risk minimization, section 3.4.
Bassily, Smith & Thakurta (2014), Private empirical risk minimization: efficient algorithms and tight error bounds.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from surveys.privacy.decimals import decimal, many_digits
from surveys.privacy.mechanisms.directed import exp_limits
from surveys.privacy.rationals import exact, positive

Floats = npt.NDArray[np.float64]

_DIGITS = 60
_VALUE_UNIT = Fraction(1, 10**30)

_NEEDED = {
    "lipschitz": "a Lipschitz constant",
    "smoothness": "a smooth gradient",
    "linear_model": "a linear model",
    "convex": "a convex loss",
}


class TrainingLoss(ABC):
    """What a model loses by one response, and the constants of it; None where there is no such constant."""

    __slots__ = ()

    @property
    @abstractmethod
    def lipschitz(self) -> Fraction | None:
        """L: no gradient is longer, with parameters no longer than `radius`."""

    @property
    @abstractmethod
    def smoothness(self) -> Fraction | None:
        """c: the largest second derivative in any direction."""

    @property
    def radius(self) -> Fraction | None:
        """The longest parameters for which `lipschitz` holds; None for all."""
        return None

    @property
    def strong_convexity(self) -> Fraction:
        """The smallest second derivative in every direction: 0 of one response, as a ridge alone makes it more."""
        return Fraction(0)

    @property
    def linear_model(self) -> bool:
        """Whether parameters matter through θ·x alone."""
        return False

    @property
    def convex(self) -> bool:
        """Whether it is convex in the parameters."""
        return False

    @abstractmethod
    def gradients(self, parameters: Floats, features: Floats, outcomes: Floats) -> Floats:
        """Return the gradient of each row in floats, for plans and the lab: one row each."""

    def require(self, learner: str, *properties: str) -> None:
        """Refuse a loss without one of these properties, by a ValueError that says which and for what learner."""
        for name in properties:
            if getattr(self, name) in {None, False}:
                raise ValueError(f"training_loss must have {_NEEDED[name]} for {learner}, got {self!r}")


class LinearLoss(TrainingLoss):
    """A convex loss of a score and an outcome."""

    __slots__ = ()

    @property
    def needs_signs(self) -> bool:
        """Whether an outcome is −1 or 1, not a number between."""
        return True

    @property
    def linear_model(self) -> bool:
        """Whether parameters matter through θ·x alone: they do."""
        return True

    @property
    def convex(self) -> bool:
        """Whether it is convex in the parameters: it is."""
        return True

    def gradients(self, parameters: Floats, features: Floats, outcomes: Floats) -> Floats:
        """Return the slope of each row times its features."""
        return self.slopes(features @ parameters, outcomes)[:, None] * features

    @abstractmethod
    def value(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return the loss, rounded to 30 digits after the point where it is not rational."""

    @abstractmethod
    def slope_limits(self, score: Fraction, outcome: Fraction) -> tuple[Fraction, Fraction]:
        """Return two numbers between which the slope in the score lies: the same where it is rational."""

    @abstractmethod
    def curvature(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return about the second derivative in the score: it finds the way to a minimum, and proves nothing."""

    @abstractmethod
    def values(self, scores: Floats, outcomes: Floats) -> Floats:
        """Return losses in floats, for plans and the lab."""

    @abstractmethod
    def slopes(self, scores: Floats, outcomes: Floats) -> Floats:
        """Return slopes in floats, for plans and the lab."""


@dataclass(frozen=True, slots=True)
class LogisticLoss(LinearLoss):
    """ln(1 + exp(−y·z)) of an outcome y of −1 or 1: slopes below 1, second derivatives of at most 1/4."""

    @property
    def lipschitz(self) -> Fraction:
        """L = 1."""
        return Fraction(1)

    @property
    def smoothness(self) -> Fraction:
        """The second derivative at 0, c = 1/4."""
        return Fraction(1, 4)

    def value(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return ln(1 + e^−m) = max(0, −m) + ln(1 + e^−|m|), rounded."""
        margin = score * outcome
        with many_digits():
            rest = (1 + decimal(-abs(margin)).exp()).ln()
        return _VALUE_UNIT * round((max(Fraction(0), -margin) + Fraction(rest)) / _VALUE_UNIT)

    def slope_limits(self, score: Fraction, outcome: Fraction) -> tuple[Fraction, Fraction]:
        """Return limits of −y/(1 + e^(y·z))."""
        low, high = (1 / (1 + Fraction(power)) for power in exp_limits(score * outcome, _DIGITS))
        return (-low, -high) if outcome > 0 else (high, low)

    def curvature(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return p(1 − p) with p the size of the slope."""
        p = abs(self.slope_limits(score, outcome)[0])
        return p * (1 - p)

    def values(self, scores: Floats, outcomes: Floats) -> Floats:
        """Return losses in floats."""
        return np.asarray(np.logaddexp(0, -scores * outcomes))

    def slopes(self, scores: Floats, outcomes: Floats) -> Floats:
        """Return slopes in floats, as −y·(1 − tanh(y·z/2))/2, which cannot overflow."""
        return np.asarray(-outcomes * (1 - np.tanh(scores * outcomes / 2)) / 2)


@dataclass(frozen=True, slots=True)
class SquaredLoss(LinearLoss):
    """(z − y)²/2, of linear regression.

    Parameters
    ----------
    bounded_by : exact number, optional
        The longest parameters that are considered. Without such a bound no Lipschitz constant exists.
    """

    bounded_by: Fraction | None = None

    def __post_init__(self) -> None:
        if self.bounded_by is not None:
            object.__setattr__(self, "bounded_by", positive(self.bounded_by, "bounded_by"))

    @property
    def radius(self) -> Fraction | None:
        """The longest parameters considered."""
        return self.bounded_by

    @property
    def lipschitz(self) -> Fraction | None:
        """The longest parameters and the largest outcome, as |z − y| ≤ ‖θ‖ + 1."""
        return None if self.bounded_by is None else self.bounded_by + 1

    @property
    def smoothness(self) -> Fraction:
        """The second derivative, c = 1."""
        return Fraction(1)

    @property
    def needs_signs(self) -> bool:
        """Whether an outcome is −1 or 1: any number between will do."""
        return False

    def value(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return the exact loss."""
        return (score - outcome) ** 2 / 2

    def slope_limits(self, score: Fraction, outcome: Fraction) -> tuple[Fraction, Fraction]:
        """Return the exact slope, twice."""
        return score - outcome, score - outcome

    def curvature(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return 1."""
        return Fraction(1)

    def values(self, scores: Floats, outcomes: Floats) -> Floats:
        """Return losses in floats."""
        return (scores - outcomes) ** 2 / 2

    def slopes(self, scores: Floats, outcomes: Floats) -> Floats:
        return scores - outcomes


@dataclass(frozen=True, slots=True)
class GeneralLinearLoss(LinearLoss):
    """Any convex loss whose slope is made of straight lines, in the margin y·z or in the residual z − y.

    It is exact in rationals, and its constants are read from it. Hinge loss is one (`hinge_loss`), and so are absolute
    and Huber's loss.

    Parameters
    ----------
    knots : sequence of pairs of exact numbers
        Places in ascending order, each with the slope there, which never falls. Between two places the slope is a
        straight line, beyond the outermost it stays as it is; a place given twice is a jump.
    of_margin : bool
        Whether the loss is one of the margin, for outcomes of −1 and 1; else of the residual.
    """

    knots: tuple[tuple[Fraction, Fraction], ...]
    of_margin: bool = True

    def __post_init__(self) -> None:
        knots = tuple((exact(place, "knots"), exact(slope, "knots")) for place, slope in self.knots)
        rising = all(a <= c and b <= d and (a, b) != (c, d) for (a, b), (c, d) in pairwise(knots))
        if not (len(knots) >= 2 and rising):
            raise ValueError(
                f"knots must be at least two places in ascending order, with slopes that never fall: {knots}"
            )
        object.__setattr__(self, "knots", knots)

    @property
    def lipschitz(self) -> Fraction:
        """The steepest slope."""
        return max(abs(self.knots[0][1]), abs(self.knots[-1][1]))

    @property
    def smoothness(self) -> Fraction | None:
        """How fast the slope rises at most; None where it jumps."""
        if any(left == right for (left, _), (right, _) in pairwise(self.knots)):
            return None
        return max((above - below) / (right - left) for (left, below), (right, above) in pairwise(self.knots))

    @property
    def needs_signs(self) -> bool:
        """Whether an outcome is −1 or 1: for a margin."""
        return self.of_margin

    def value(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return the exact loss, up to a constant: 0 at the first knot."""
        place = self._place(score, outcome)
        (first, slope), (last, final) = self.knots[0], self.knots[-1]
        total = slope * min(place - first, Fraction(0)) + final * max(place - last, Fraction(0))
        for (left, below), (right, above) in pairwise(self.knots):
            if left < place and left < right:
                run = min(place, right) - left
                total += run * below + run * run * (above - below) / (right - left) / 2
        return total

    def slope_limits(self, score: Fraction, outcome: Fraction) -> tuple[Fraction, Fraction]:
        """Return the exact slope twice; at a jump, the slopes on either side."""
        place = self._place(score, outcome)
        slopes = [slope for knot, slope in self.knots if knot == place] or [self._slope(place)]
        sign = outcome if self.of_margin else Fraction(1)
        low, high = sorted((sign * slopes[0], sign * slopes[-1]))
        return low, high

    def curvature(self, score: Fraction, outcome: Fraction) -> Fraction:
        """Return how fast the slope rises to the right of this place; 0 beyond the knots."""
        place = self._place(score, outcome)
        for (left, below), (right, above) in pairwise(self.knots):
            if left <= place < right:
                return (above - below) / (right - left)
        return Fraction(0)

    def values(self, scores: Floats, outcomes: Floats) -> Floats:
        """Return losses in floats."""
        places = scores * outcomes if self.of_margin else scores - outcomes
        knots = np.array(self.knots, dtype=np.float64)
        total = knots[0, 1] * np.minimum(places - knots[0, 0], 0) + knots[-1, 1] * np.maximum(places - knots[-1, 0], 0)
        for (left, below), (right, above) in pairwise(knots):
            run = np.clip(places, left, right) - left
            total += run * below + (run * run * (above - below) / (right - left) / 2 if left < right else 0)
        return np.asarray(total)

    def slopes(self, scores: Floats, outcomes: Floats) -> Floats:
        """Return slopes in floats; at a jump, the one to its right."""
        places = scores * outcomes if self.of_margin else scores - outcomes
        slopes = np.interp(places, *np.array(self.knots, dtype=np.float64).T)
        return np.asarray(slopes * outcomes if self.of_margin else slopes)

    def _place(self, score: Fraction, outcome: Fraction) -> Fraction:
        return score * outcome if self.of_margin else score - outcome

    def _slope(self, place: Fraction) -> Fraction:
        """Return the slope at what is no knot."""
        for (left, below), (right, above) in pairwise(self.knots):
            if left < place < right:
                return below + (above - below) * (place - left) / (right - left)
        return self.knots[0][1] if place < self.knots[0][0] else self.knots[-1][1]


def hinge_loss(smoothing: object = 0) -> GeneralLinearLoss:
    """Return max(0, 1 − y·z), of support vector machines; rounded off within this distance of 1 where it is above 0.

    The rounded one has c = 1/(2·smoothing); the other is not smooth.

    Parameters
    ----------
    smoothing : exact number, optional
        The distance, at least 0.

    Returns
    -------
    GeneralLinearLoss
        For an `EmpiricalRisk`.

    Raises
    ------
    ValueError
        Naming the argument that is not as above.

    Examples
    --------
    >>> from surveys.learn.learners import hinge_loss
    >>> hinge_loss().smoothness is None
    True
    >>> str(hinge_loss("1/2").smoothness)
    '1'
    """
    width = exact(smoothing, "smoothing")
    if not 0 <= width < math.inf:
        raise ValueError(f"smoothing must be at least 0, got {width}")
    return GeneralLinearLoss(((1 - width, Fraction(-1)), (1 + width, Fraction(0))))
