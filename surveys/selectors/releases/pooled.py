"""Several draws of the same counts as one, which costs nothing and is closer to them than any of the draws."""

from collections.abc import Iterable
from dataclasses import dataclass

from surveys.estimation.released import PooledNoise, pooled_counts
from surveys.models import Release, ReleasePart
from surveys.privacy.mechanisms.histogram import NoisyHistogram
from surveys.privacy.mechanisms.one_count import OneCount
from surveys.selectors.releases.found.counts import Counts, said_by_counts
from surveys.selectors.releases.terms import PartTerms

_FARTHEST_REACH = 1_000_000
"""Noise that reaches farther hides whoever answers; its table would be as long."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """What several draws of a question say together.

    Attributes
    ----------
    releases : tuple of str
        The draws, in the order of the ledger.
    n : int
        Of how many answers.
    noise : PooledNoise
        On each count.
    found : Counts
        The estimates, with intervals.
    """

    releases: tuple[str, ...]
    n: int
    noise: PooledNoise
    found: Counts


def pooled_from(draws: Iterable[tuple[Release, ReleasePart, PartTerms]]) -> Pooled | None:
    """Return the draws of one question pooled: those of the latest reports that were counted in the same way.

    None where there are not two, or they are not of counts. Noise is independent from draw to draw, and the reports
    are the same; so no draw of them may be left out by what it says, and all that are given are used.
    """
    counting = [
        (release, part, terms, terms.mechanism)
        for release, part, terms in draws
        if isinstance(terms.mechanism, NoisyHistogram | OneCount)
    ]
    if not counting:
        return None
    latest = max(counting, key=lambda draw: draw[0].entry.number)
    alike = sorted(
        (draw for draw in counting if _same_counts(draw, latest) and draw[3].noise.reach <= _FARTHEST_REACH),
        key=lambda draw: draw[0].entry.number,
    )
    if not len(alike) >= 2:
        return None
    noise = PooledNoise(tuple(mechanism.noise for _release, _part, _terms, mechanism in alike))
    _release, _part, terms, mechanism = latest
    drawn = [each.offer.restored(part.output) for _release, part, each, _mechanism in alike]
    counts = pooled_counts(drawn, noise, terms.n if mechanism.is_one_count else None)
    found = said_by_counts(terms, counts, noise, one_count=mechanism.is_one_count)
    return Pooled(tuple(release.pk for release, *_rest in alike), terms.n, noise, found)


def _same_counts(one: tuple[Release, ReleasePart, PartTerms, object], other: tuple[object, ...]) -> bool:
    """Whether two draws are of the same counts of the same reports."""
    release, _part, terms, mechanism = one
    last, _its_part, its_terms, its_mechanism = other
    return (
        isinstance(last, Release)
        and isinstance(its_terms, PartTerms)
        and release.data_version == last.data_version
        and isinstance(mechanism, OneCount) == isinstance(its_mechanism, OneCount)
        and (terms.options, terms.n) == (its_terms.options, its_terms.n)
    )
