"""Which release answers what another mechanism would be asked for, and how accurately: free post-processing."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from surveys.models import Mechanism
from surveys.privacy.decimals import not_below
from surveys.privacy.mechanisms.choice import ScoredMechanism
from surveys.privacy.mechanisms.mean import BoundedMean
from surveys.privacy.mechanisms.shared_sums import SharedSums
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.privacy.mechanisms.variance import BoundedVariance
from surveys.selectors.releases.numbers import reported_numbers
from surveys.selectors.releases.terms import PartTerms

ALL_COUNTS = frozenset({Mechanism.LAPLACE_HISTOGRAM, Mechanism.GAUSSIAN_HISTOGRAM, Mechanism.BOUNDS})
"""Whose noisy counts are all that any other mechanism would read, but for the noise."""

_LARGEST = frozenset({Mechanism.MOST_COMMON, Mechanism.PERMUTE_AND_FLIP, Mechanism.STABLE_MODE, Mechanism.TOP})
_MEDIANS = frozenset({Mechanism.QUANTILE, Mechanism.SMOOTH_MEDIAN, Mechanism.STABLE_MEDIAN})
_TOLD_BY = {
    Mechanism.TOTAL: {Mechanism.MEAN},
    Mechanism.MEAN: {Mechanism.TOTAL},
    Mechanism.VARIANCE: {Mechanism.TOTAL, Mechanism.MEAN},
}
_WITH_COUNT = frozenset({Mechanism.MEAN, Mechanism.VARIANCE})
"""Which also draw how many say their number, where not everybody does."""

_HALF = Fraction(1, 2)


def answers(earlier: PartTerms, output: Mapping[str, Any], new: PartTerms) -> bool:
    """Whether what a part has said says what a new part of the same question would, without any further cost."""
    had, wanted = earlier.offer.name, new.offer.name
    if None in {output.get("index", 0), output.get("value", 0)}:
        return False  # a refusal
    if had in ALL_COUNTS:
        return True
    if had in _LARGEST and wanted in _LARGEST:
        return _how_many(earlier) >= _how_many(new)
    if had in _MEDIANS and wanted in _MEDIANS:
        return _rank(earlier) == _rank(new)
    same = had == wanted and earlier.options == new.options
    return same or (wanted in _TOLD_BY.get(had, ()) and (had in _WITH_COUNT or not new.asked.protects_leaving_out))


def derived_accuracy(earlier: PartTerms, new: PartTerms, confidence_level: float) -> float | None:
    """Return how far off it is then, in the unit of the new part's accuracy; None where no bound is known.

    Of counts that are all off by at most t, a weighted sum is off by at most t times its weights' absolute sum.
    """
    own = earlier.accuracy(confidence_level).at_most
    if earlier.offer.name not in ALL_COUNTS:
        factor = {
            (Mechanism.MEAN, Mechanism.TOTAL): Fraction(earlier.n),
            (Mechanism.TOTAL, Mechanism.MEAN): Fraction(1, earlier.n),
        }.get((earlier.offer.name, new.offer.name))
        if factor is not None and not new.asked.protects_leaving_out:
            return not_below(Fraction(own) * factor)
        return own if earlier.offer.unit == new.offer.unit else None
    of_counts = _from_counts(Fraction(own), earlier.n, new)
    return None if of_counts is None else not_below(of_counts)


def _from_counts(t: Fraction, n: int, new: PartTerms) -> Fraction | None:
    """Return how far off what a mechanism estimates is when it is computed from counts off by at most t."""
    mechanism = new.mechanism
    if new.offer.unit == "answers":
        return t
    if isinstance(mechanism, ScoredMechanism):
        # The best of the noisy scores is not the best, and neither of the two is where it seems.
        return 2 * t * max(_absolute(form) for forms in mechanism.scored.forms for form in forms)
    if isinstance(mechanism, BoundedTotal):
        numbers = reported_numbers(new.asked)
        return t * _absolute(numbers.deviations if numbers.everybody_says else numbers.values)
    if isinstance(mechanism, BoundedMean | BoundedVariance) and mechanism.numbers.everybody_says:
        return _of_shared(mechanism, mechanism.parts, t / n)
    return None


def _of_shared(mechanism: BoundedMean | BoundedVariance, parts: SharedSums, t: Fraction) -> Fraction:
    """Return how far off a mean or a variance is when each share is by at most t; see `BoundedVariance`."""
    *squares, mean = (_absolute(one.values) * t for one in parts.sums)
    if not squares:
        return mean
    farthest = parts.sums[-1].largest + abs(mechanism.numbers.middle - mechanism.numbers.centre)
    return squares[0] + mean * (2 * farthest + mean)


def _absolute(weights: tuple[Fraction, ...]) -> Fraction:
    return sum(map(abs, weights), Fraction(0))


def _how_many(part: PartTerms) -> int:
    return int(part.options.get("how_many", 1))


def _rank(part: PartTerms) -> Fraction:
    return Fraction(part.options.get("share", _HALF))
