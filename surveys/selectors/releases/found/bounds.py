"""Between which bands the numbers lie."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.privacy.mechanisms.bounds import ApproximateBounds
from surveys.selectors.releases.terms import PartTerms


@dataclass(frozen=True, slots=True)
class Bounds:
    """The first and the last band that certainly are not empty, and the noisy counts they were read from.

    Attributes
    ----------
    low, high : str or None
        The first and the last band whose noisy count passes; None where none does.
    certainty : Fraction or None
        With which probability no empty band passes, in any of the draws that this one may have been chosen from.
    counts : tuple of (str, int)
        Each report and its noisy count.
    places : tuple of int or None
        The codes of both bands.
    """

    low: str | None
    high: str | None
    certainty: Fraction | None
    counts: tuple[tuple[str, int], ...]
    places: tuple[int, int] | None

    @property
    def family(self) -> str:
        """How it is shown."""
        return "bounds"

    @property
    def says_nothing(self) -> bool:
        """Whether no band passed."""
        return self.places is None


def bounds_found(terms: PartTerms, output: Mapping[str, Any]) -> Bounds:
    """Return what approximate bounds say: read again from the noisy counts, which costs nothing."""
    mechanism, labels = terms.mechanism, terms.asked.first.labels
    if not isinstance(mechanism, ApproximateBounds):
        raise TypeError(f"mechanism must find bounds, got {mechanism!r}")
    found = terms.offer.restored(output)
    counts = tuple(zip(labels, found.noisy_counts, strict=True))
    if found.low is None:
        return Bounds(None, None, None, counts, None)
    certainty = max(Fraction(0), 1 - terms.chosen_from * (1 - found.confidence))
    return Bounds(labels[found.low], labels[found.high], certainty, counts, (found.low, found.high))
