"""Integrals over [0, 1] of a function with one peak, however narrow, and with powers of x and 1 − x at the ends.

Panels end where the logarithm of the peak has fallen by ½, 2, 4½, ...: at its standard deviations if it is normal, and
where they are wanted if it is cut off at an end. On every panel Gauss's rule of 40 points is exact to rounding; where a
panel touches an end, the power there is the rule's weight (Gauss–Jacobi). Positions are counted from the peak, so that
a peak at either end loses no digits.

References
----------
Davis & Rabinowitz (1984), Methods of numerical integration, section 2.7.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import scipy

from surveys.estimation.validation import Floats, read_only

_POINTS = 40
_FALLS = np.arange(1, 10) ** 2 / 2
_HALVINGS = 100
_RATIO = 4.0
"""Beside an end with a power, a panel's far side is at most so many times as far from the end as its near side."""


@dataclass(frozen=True, slots=True, eq=False)
class Integrand:
    """The function x^at_0·(1 − x)^at_1·Π(1 + slope·t)^power, with t = x − mode; the product is at most 1.

    Attributes
    ----------
    mode : float
        Where the product has its maximum.
    powers, slopes : arrays of floats
        Of the product's factors, which are not negative on [0, 1].
    at_0, at_1 : float
        Above −1.
    """

    mode: float
    powers: Floats
    slopes: Floats
    at_0: float
    at_1: float

    def log_peak(self, t: Floats) -> Floats:
        """Return the logarithm of the product."""
        with np.errstate(divide="ignore"):
            # Rounding must not make a factor that is 0 at an end negative there.
            factors = np.log1p(np.maximum(np.multiply.outer(t, self.slopes), -1.0))
        total: Floats = factors @ self.powers
        return total

    def values(self, t: Floats) -> Floats:
        """Return the function itself."""
        peak = np.exp(self.log_peak(t))
        with np.errstate(divide="ignore", invalid="ignore"):
            heights: Floats = peak * (self.mode + t) ** self.at_0 * ((1 - self.mode) - t) ** self.at_1
        # A factor that is 0 at an end is so to the power 1 at least, and the power there is above −1.
        return np.where(peak > 0, heights, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Panels:
    """A curve and where it is cut.

    Attributes
    ----------
    curve : Curve
        The function to integrate.
    edges : array of floats
        Positions t from −mode to 1 − mode.
    sums : array of floats
        The integrals up to each edge but the first.
    """

    curve: Integrand
    edges: Floats
    sums: Floats

    @property
    def total(self) -> float:
        """The integral over all panels."""
        return float(self.sums[-1])

    def moment(self, weight: Callable[[Floats], Floats]) -> float:
        """Return the integral of the curve times a function of t."""
        return sum(self._integral(low, high, weight) for low, high in pairwise(self.edges.tolist()))

    def below(self, t: float) -> float:
        """Return the integral up to t."""
        panel = int(np.searchsorted(self.edges[1:-1], t))
        return self._before(panel) + self._within(panel, t)

    def quantile(self, probability: float) -> float:
        """Return the t below which this share of the total lies."""
        panel = int(np.searchsorted(self.sums[:-1], probability * self.total))
        low, high = self.edges[panel : panel + 2].tolist()
        # Rounding must not ask for more than the whole panel.
        missing = min(probability * self.total - self._before(panel), self._within(panel, high))
        root: float = scipy.optimize.brentq(
            lambda t: self._within(panel, t) - missing, low, high, xtol=1e-30, rtol=1e-15, maxiter=1000
        )
        return root

    def _before(self, panel: int) -> float:
        return float(self.sums[panel - 1]) if panel else 0.0

    def _within(self, panel: int, t: float) -> float:
        """Return the integral from the panel's lower edge to t."""
        low, high = self.edges[panel : panel + 2].tolist()
        if panel == self.sums.size - 1 and t > (low + high) / 2:
            # What is integrated must touch the end whose power is not smooth.
            return self._integral(low, high) - self._integral(t, high)
        return self._integral(low, t)

    def _integral(self, low: float, high: float, weight: Callable[[Floats], Floats] = np.ones_like) -> float:
        return integral(self.curve, low, high, weight)


def integral(curve: Integrand, low: float, high: float, weight: Callable[[Floats], Floats] = np.ones_like) -> float:
    """Return the integral of a curve times a smooth function over one panel, or over a part of it beside an edge."""
    at_low = curve.at_0 if low == -curve.mode else 0.0
    at_high = curve.at_1 if high == 1 - curve.mode else 0.0
    points, weights = _rule(at_high, at_low)
    width = high - low
    t = low + width * points
    # The rule has those powers that belong to an edge of this panel; all others are smooth here.
    smooth = np.exp(curve.log_peak(t)) * weight(t)
    if not at_low:
        smooth *= (curve.mode + t) ** curve.at_0
    if not at_high:
        smooth *= ((1 - curve.mode) - t) ** curve.at_1
    return float(width ** (1 + at_low + at_high) * (weights @ smooth))


def panels_of(curve: Integrand) -> Panels:
    """Cut a curve into panels on which one rule is exact."""
    left, right = -curve.mode, 1 - curve.mode
    edges = np.unique(np.concatenate([[left, 0.0, right], _falls(curve, left), _falls(curve, right)]))
    edges = np.array([left, *(high for panel in pairwise(edges.tolist()) for high in _graded(curve, *panel))])
    masses = [integral(curve, low, high) for low, high in pairwise(edges.tolist())]
    return Panels(curve, read_only(edges), read_only(np.cumsum(masses)))


def _falls(curve: Integrand, end: float) -> Floats:
    """Return where between the mode and an end the peak has fallen so far, the end itself where it never does."""
    inside, outside = np.zeros(_FALLS.size), np.full(_FALLS.size, end)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        high = curve.log_peak(middle) >= -_FALLS
        inside, outside = np.where(high, middle, inside), np.where(high, outside, middle)
    return np.where(curve.log_peak(np.array([end])) >= -_FALLS, end, inside)


def _graded(curve: Integrand, low: float, high: float) -> list[float]:
    """Return the upper edges of the parts of a panel, none of them too wide for the powers at the ends.

    A part that touches an end may have any width as far as that end's power goes. It is cut for the other end's sake,
    and what then no longer touches is cut again for this one's.
    """
    left, right = -curve.mode, 1 - curve.mode
    edges, parts = [], [(low, high)]
    while parts:
        low, high = parts.pop()
        cut = high
        if curve.at_0 and low > left:
            cut = min(cut, left + _RATIO * (low - left))
        if curve.at_1 and cut == high < right and right - low > _RATIO * (right - high):
            cut = right - _RATIO * (right - high)
        if low < cut < high:
            parts += [(cut, high), (low, cut)]
        else:
            edges.append(high)
    return edges


@lru_cache(maxsize=64)
def _rule(at_high: float, at_low: float) -> tuple[Floats, Floats]:
    """Return the points and weights of Gauss's rule on [0, 1] for the weight x^at_low·(1 − x)^at_high."""
    points, weights = scipy.special.roots_jacobi(_POINTS, at_high, at_low)
    return read_only((1 + points) / 2), read_only(weights / 2 ** (1 + at_high + at_low))
