"""How far a few forged reports could have moved an estimate.

No respondent's report can be checked: anyone who wants a result can send the report that favours it most.

References
----------
Cheu, Smith & Ullman (2021), Manipulation attacks in local differential privacy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from surveys.estimation.grid_mean import GridMeanEstimate
from surveys.estimation.prevalence import PrevalenceEstimate
from surveys.estimation.validation import Floats, read_only
from surveys.privacy.rationals import whole_number


@dataclass(frozen=True, slots=True, eq=False)
class PoisoningBand:
    """Where the moment estimate could be, had the forged reports been honest.

    Attributes
    ----------
    forged : int
        How many reports are taken to be forged.
    low, high : array of k floats
        The moment estimate ∓ (forged/n)·(max_j − min_j of the option's row of the left inverse), whatever the reports;
        like the estimate itself they may leave [0, 1].
    attainable_low, attainable_high : array of k floats
        The same for the very counts observed, from which no more reports of a kind can be forged than there are: never
        outside low and high, and attained.
    """

    forged: int
    low: Floats
    high: Floats
    attainable_low: Floats
    attainable_high: Floats


def poisoning_band(estimate: PrevalenceEstimate, forged: int) -> PoisoningBand:
    """Return the band of an estimate of which some reports, nobody knows which, were forged.

    Parameters
    ----------
    estimate : PrevalenceEstimate
        From all reports, the forged ones among them.
    forged : int
        How many: from 0 to n.

    Returns
    -------
    PoisoningBand
        With `low` and `high`, one entry a true answer.

    Raises
    ------
    ValueError
        If forged is not an integer from 0 to n.

    Examples
    --------
    >>> from surveys.estimation import estimate_prevalence, poisoning_band
    >>> from surveys.privacy import forced_response
    >>> estimate = estimate_prevalence([60, 40], forced_response())
    >>> band = poisoning_band(estimate, 5)
    >>> [round(float(band.low[1]), 2), round(float(band.high[1]), 2)]
    [0.2, 0.4]
    """
    forged = whole_number(forged, "forged", 0, estimate.n)
    counts = estimate.counts.tolist()
    lowered, raised, widest = [], [], []
    for weights in estimate.design.left_inverse:
        smallest, largest = min(weights), max(weights)
        lowered.append(_moved(counts, [weight - smallest for weight in weights], forged))
        raised.append(_moved(counts, [largest - weight for weight in weights], forged))
        widest.append(float(forged * (largest - smallest) / estimate.n))
    point, most = estimate.point, np.array(widest)
    return PoisoningBand(
        forged,
        read_only(point - most),
        read_only(point + most),
        read_only(point - np.array(lowered)),
        read_only(point + np.array(raised)),
    )


def poisoned_mean(estimate: GridMeanEstimate, forged: int) -> tuple[float, float]:
    """Return where the mean of values could be, had the forged reports been honest.

    Of the very counts observed, as `attainable_low` and `attainable_high` of a band: either limit is attained, and both
    may leave the range of the numbers.

    Parameters
    ----------
    estimate : GridMeanEstimate
        From all reports, the forged ones among them.
    forged : int
        How many: from 0 to n.

    Raises
    ------
    ValueError
        If forged is not an integer from 0 to n.
    """
    forged = whole_number(forged, "forged", 0, estimate.n)
    counts, values = estimate.reports.counts.tolist(), estimate.grid.values
    lowered = _moved(counts, [value - min(values) for value in values], forged)
    raised = _moved(counts, [max(values) - value for value in values], forged)
    return estimate.point - lowered, estimate.point + raised


def _moved(counts: Sequence[int], gains: Sequence[Fraction], forged: int) -> float:
    """Return how far the mean moves if the reports with the largest gains, this many in all, are exchanged."""
    moved, left = Fraction(0), forged
    for gain, count in sorted(zip(gains, counts, strict=True), reverse=True):
        exchanged = min(left, count)
        moved, left = moved + exchanged * gain, left - exchanged
    return float(moved / sum(counts))
