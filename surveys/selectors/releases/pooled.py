"""Several draws of the same counts as one, which costs nothing and is closer to them than any of the draws."""

from collections.abc import Iterable
from dataclasses import dataclass

from surveys.estimation.released import PooledNoise, pooled_counts
from surveys.models import Release, ReleasePart
from surveys.releases.families.counts import Counts, CountsOffer
from surveys.releases.mechanism import PartTerms

CountsDraw = tuple[Release, ReleasePart, PartTerms]

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


def pooled_from(draws: Iterable[CountsDraw]) -> Pooled | None:
    """Return the draws of one question pooled: those of the latest reports that were counted in the same way.

    None where there are not two, or they are not of counts. Noise is independent from draw to draw, and the reports
    are the same; so no draw of them may be left out by what it says, and all that are given are used.
    """
    counting = [draw for draw in draws if isinstance(draw[2].offer, CountsOffer)]
    if not counting:
        return None
    latest = max(counting, key=_number)
    alike = sorted(
        (draw for draw in counting if _same_counts(draw, latest) and draw[2].mechanism.noise.reach <= _FARTHEST_REACH),
        key=_number,
    )
    if not len(alike) >= 2:
        return None
    terms = latest[2]
    offer, one_count = terms.offer, terms.mechanism.is_one_count
    if not isinstance(offer, CountsOffer):
        raise TypeError(f"draws must be of counts, got {offer!r}")
    noise = PooledNoise(tuple(each.mechanism.noise for _release, _part, each in alike))
    drawn = [each.offer.restored(part.output) for _release, part, each in alike]
    counts = pooled_counts(drawn, noise, terms.n if one_count else None)
    found = offer.said_by(terms, counts, noise, one_count=one_count)
    return Pooled(tuple(release.pk for release, *_rest in alike), terms.n, noise, found)


def _number(draw: CountsDraw) -> int:
    return draw[0].entry.number


def _same_counts(one: CountsDraw, other: CountsDraw) -> bool:
    """Whether two draws are of the same counts of the same reports: options say which one answer is counted."""
    (release, _part, terms), (last, _its_part, its_terms) = one, other
    return release.data_version == last.data_version and (terms.options, terms.n) == (its_terms.options, its_terms.n)
