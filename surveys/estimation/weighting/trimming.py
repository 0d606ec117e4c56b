"""Weights of which none is far from the others: a few large ones make estimates scatter, cutting them biases.

References
----------
Potter (1990), A study of procedures to identify and trim extreme sampling weights.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import Counts, Floats, as_float, read_only, report_counts
from surveys.estimation.weighting.raking import effective_n, require_weights


@dataclass(frozen=True, slots=True, eq=False)
class TrimmedWeights:
    """Weights cut to a range, with what that took.

    Attributes
    ----------
    weights : array of floats
        Of one respondent of each row; with the same sum over all respondents as before. They meet the margins that they
        were raked to no more.
    counts : array of integers
        How many respondents each row stands for.
    trimmed : int
        How many respondents' weights were cut, at either end.
    moved : float
        How much weight, of all respondents together, was taken from those cut (less what was given to those raised).
    """

    weights: Floats
    counts: npt.NDArray[np.int64]
    trimmed: int
    moved: float

    @property
    def effective_n(self) -> float:
        """Kish's effective number of respondents; see `RakedWeights`."""
        return effective_n(self.weights, self.counts)


def trim_weights(weights: Floats, counts: Counts, *, largest: float, smallest: float = 0.0) -> TrimmedWeights:
    """Return the weights cut to a range, what was cut given in equal parts to all respondents who were not.

    That can take others beyond the range: they are cut in turn, until none is beyond.

    Parameters
    ----------
    weights : array of floats
        Of one respondent of each row, above 0.
    counts : sequence of integers
        How many respondents each row stands for.
    largest : float
        The largest weight, as a multiple of the mean weight; above 1.
    smallest : float, optional
        The smallest one, as a multiple of the mean weight, from 0 to below 1.

    Returns
    -------
    TrimmedWeights
        With `weights`, how many were `trimmed`, and `effective_n`.

    Raises
    ------
    ValueError
        If an argument is not as described, or nobody is left to take what was cut.

    Examples
    --------
    >>> import numpy as np
    >>> from surveys.estimation import trim_weights
    >>> trim_weights(np.array([1.0, 1.0, 8.0]), [50, 49, 1], largest=5).weights.round(3).tolist()
    [1.027, 1.027, 5.35]
    """
    given = require_weights(weights, len(weights))
    received = report_counts(counts, given.size)
    if not 1 < (most := as_float(largest)) < math.inf:
        raise ValueError(f"largest must be above 1 and finite, got {largest!r}")
    if not 0 <= (least := as_float(smallest)) < 1:
        raise ValueError(f"smallest must be from 0 to below 1, got {smallest!r}")
    mean = float(received @ given / received.sum())
    kept, moved, cut = given.copy(), 0.0, np.zeros(given.size, dtype=bool)
    while True:
        beyond = ~cut & ((kept > most * mean * (1 + 1e-12)) | (kept < least * mean * (1 - 1e-12)))
        if not (received[beyond] > 0).any():
            return TrimmedWeights(read_only(kept), received, int(received[cut].sum()), moved)
        cut |= beyond
        left = int(received[~cut].sum())
        if not left:
            raise ValueError("largest and smallest leave nobody to take what is cut")
        excess = float(received[beyond] @ (kept[beyond] - kept[beyond].clip(least * mean, most * mean)))
        kept[beyond] = kept[beyond].clip(least * mean, most * mean)
        kept[~cut] += excess / left
        moved += excess
