"""How rarely an interval may hold the true prevalence, whatever that is."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.intervals.binomial import limits_within
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats, responses
from surveys.privacy.designs.design import Design

_Whole = npt.NDArray[np.int64]
MOST = 2_000
"""More responses are taken for so many, of which as many are expected to be alike: coverage is least where few are."""


@lru_cache(maxsize=1024)
def least_coverage(design: Design, n: int, confidence_level: float, method: str) -> tuple[float, float]:
    """Return the least coverage of the interval for one option's prevalence, and a prevalence at which it has it.

    A count X of one report is binomial, and its limits rise with it: the counts whose interval holds a probability are
    those from one to another, and Pr(a ≤ X ≤ b) has a single peak. So between two neighbouring limits the coverage is
    least beside one of them. It is the greatest lower bound over the prevalences between 0 and 1, of all options. (At
    exactly 0 and 1 cut intervals hold more often.)

    Of more than 2,000 responses the coverage is that of so many, which differs by .003 at most, and where a thousand
    reports of either kind come whatever the truth is, the confidence level.

    Parameters
    ----------
    design : Design
        A design in which each report depends on one prevalence.
    n : int
        The number of responses.
    confidence_level : float
        Of each interval by itself.
    method : str
        ``"wilson"``, ``"clopper_pearson"``, ``"jeffreys"``, ``"agresti_coull"``, ``"wald"``,
        ``"likelihood_ratio"``, or ``"confidence_sequence"``, whose coverage here is that of one look.

    Returns
    -------
    tuple of two floats
        The coverage, and a prevalence at which it is so small.

    Raises
    ------
    ValueError
        If a report depends on more than one prevalence, or an argument is none of these.

    References
    ----------
    Wang (2007), Exact confidence coefficients of confidence intervals for a binomial proportion.

    Examples
    --------
    >>> from surveys.estimation import least_coverage
    >>> from surveys.privacy import forced_response
    >>> coverage, prevalence = least_coverage(forced_response(), 30, 0.95, "wald")
    >>> round(coverage, 3)
    0.887
    """
    size, line = responses(n), require_affine_map(design)
    # Two answers' intervals mirror each other.
    offsets = dict.fromkeys(line.offset.tolist() if design.k > 2 else line.offset[1:].tolist())
    return min(_least(AffineMap(np.array([offset]), line.slope), size, confidence_level, method) for offset in offsets)


def _least(line: AffineMap, n: int, confidence_level: float, method: str) -> tuple[float, float]:
    """Return the least coverage for the option of this line, and where."""
    fewer = min(1.0, MOST / n)
    smallest, largest = (_stretched(float(edge[0]), 1 / fewer) for edge in line.edges())
    if smallest == largest:  # a thousand reports of either kind, or more, come in any case
        return confidence_level, 0.5
    counts = np.arange(min(n, MOST) + 1)
    low, high = limits_within(counts, int(counts[-1]), confidence_level, method, (smallest, largest))
    limits = np.unique(np.concatenate([[smallest, largest], low, high]).clip(smallest, largest))
    first, last = limits[:-1], limits[1:]
    after = _between(np.searchsorted(high, first, "right"), np.searchsorted(low, first, "right") - 1, counts, first)
    before = _between(np.searchsorted(high, last, "left"), np.searchsorted(low, last, "left") - 1, counts, last)
    coverage, places = np.concatenate([after, before]), np.concatenate([first, last])
    least = int(np.argmin(coverage))
    reported = _stretched(float(places[least]), fewer)
    return float(coverage[least]), float(np.clip((reported - line.offset[0]) / line.slope, 0.0, 1.0))


def _stretched(probability: float, factor: float) -> float:
    """Return a probability so many times as far from 0 or from 1, whichever is nearer, but not beyond one half."""
    distance = min(probability, 1 - probability)
    return min(factor * distance, 0.5) if probability <= 0.5 else 1 - min(factor * distance, 0.5)


def _between(first: _Whole, last: _Whole, counts: _Whole, probabilities: Floats) -> Floats:
    """Return how probable the counts from the first to the last are, none where the last comes before the first."""
    n = int(counts[-1])
    return np.maximum(at_most(last, n, probabilities) - at_most(first - 1, n, probabilities), 0.0)
