"""Where a profile likelihood falls below what a likelihood-ratio test accepts."""

import math
from collections.abc import Callable

import scipy


def limit_towards(edge: float, estimate: float, spare: Callable[[float], float], *, precision: float = 2e-12) -> float:
    """Return the last value from the estimate to the edge that is not rejected.

    Parameters
    ----------
    edge : float
        The outermost value possible; it is the limit if it is not rejected itself.
    estimate : float
        A value that is not rejected.
    spare : function of a value
        By how much the log-likelihood there is above what is accepted; it changes sign once at most on the way.
    precision : float
        How far from the limit the answer may be.
    """
    if spare(edge) >= 0:
        return edge

    def relative(value: float) -> float:
        # The likelihood relative to what is accepted, less 1: bounded even where something seen is impossible.
        return math.expm1(spare(value))

    return float(scipy.optimize.brentq(relative, edge, estimate, xtol=precision))
