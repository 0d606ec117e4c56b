"""Intervals for prevalences by way of binomial ones: exact where each report depends on one prevalence only."""

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import AffineMap
from surveys.estimation.intervals.binomial import METHODS, limits_within
from surveys.estimation.intervals.interval import Interval, cut_interval, each_level
from surveys.estimation.intervals.sequence import SEQUENCE

MAPPED_METHODS = (*METHODS, SEQUENCE)


def mapped_interval(
    counts: npt.NDArray[np.int64], n: int, line: AffineMap, confidence_level: float, method: str, *, number: int = 1
) -> Interval:
    """Return intervals for prevalences whose reports' probabilities are straight lines.

    A set of proportions that holds λ_j maps to the set of prevalences that holds π_j, so the coverage is that of the
    binomial interval. The likelihood-ratio interval and the confidence sequence are found among the proportions that
    the design allows; the others are found among all and cut afterwards.

    Parameters
    ----------
    counts : array of integers
        Out of n, one for each line, or any number for the only line.
    n : int
        The number of responses.
    line : AffineMap
        From prevalences to the proportions.
    confidence_level : float
        Of each interval by itself, or of all at once.
    method : str
        One of the names of `MAPPED_METHODS`.
    number : int
        How many different intervals are to hold at once.
    """
    each = each_level(confidence_level, number)
    low, high = limits_within(counts, n, each, method, line.edges())
    return cut_interval(*line.to_prevalence(low, high), confidence_level, method, simultaneous=number > 1)
