"""One answer that was chosen, or several in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surveys.estimation.released.choices import shortfall_of_truth
from surveys.privacy.mechanisms.choice import ScoredMechanism
from surveys.selectors.releases.found.risk import of_noise, of_reports
from surveys.selectors.releases.offers.choices import labels_of
from surveys.selectors.releases.terms import PartTerms


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer that a mechanism chose, among all that it could have chosen.

    Attributes
    ----------
    label : str
        The answer.
    labels : tuple of str
        All that could have been chosen.
    shortfall : float
        By how many people another answer may be more common in truth.
    n : int
        Of how many answers.
    """

    label: str
    labels: tuple[str, ...]
    shortfall: float
    n: int

    @property
    def family(self) -> str:
        """How it is shown."""
        return "choice"

    @property
    def points(self) -> float:
        """The shortfall in percentage points."""
        return 100 * self.shortfall / self.n

    @property
    def says_nothing(self) -> bool:
        """Whether any answer may be more common by any number of people."""
        return not self.shortfall < self.n


@dataclass(frozen=True, slots=True)
class Ranking:
    """The most common answers in the order drawn; the shortfall is of any of them behind any that comes later or not.

    Attributes
    ----------
    chosen : tuple of str
        The answers, the first one drawn first.
    labels, shortfall, n
        As in `Choice`.
    """

    chosen: tuple[str, ...]
    labels: tuple[str, ...]
    shortfall: float
    n: int

    @property
    def family(self) -> str:
        """How it is shown."""
        return "ranking"

    @property
    def points(self) -> float:
        """The shortfall in percentage points."""
        return 100 * self.shortfall / self.n

    @property
    def says_nothing(self) -> bool:
        """Whether any answer may be more common by any number of people."""
        return not self.shortfall < self.n


def choice_found(terms: PartTerms, output: Mapping[str, Any]) -> Choice:
    """Return what one chosen answer says."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, ScoredMechanism):
        raise TypeError(f"mechanism must choose by scores, got {mechanism!r}")
    scores, chosen = mechanism.scored, int(terms.offer.restored(output))
    labels = labels_of(terms.asked)[: len(scores.forms)]
    others = [other for other in range(len(labels)) if other != chosen]
    shortfall = shortfall_of_truth(
        scores, chosen, others, n=terms.n, risk=of_reports(terms), of_reports=of_noise(terms)
    )
    return Choice(labels[chosen], labels, shortfall, terms.n)


def ranking_found(terms: PartTerms, output: Mapping[str, Any]) -> Ranking:
    """Return what several answers in order say: each beat those after it and those left out."""
    mechanism = terms.mechanism
    if not isinstance(mechanism, ScoredMechanism):
        raise TypeError(f"mechanism must choose by scores, got {mechanism!r}")
    scores, chosen = mechanism.scored, list(terms.offer.restored(output))
    labels = labels_of(terms.asked)[: len(scores.forms)]
    noise = of_noise(terms)
    shortfall = max(
        shortfall_of_truth(
            scores,
            code,
            _beaten(chosen[: place + 1], len(labels)),
            n=terms.n,
            risk=of_reports(terms),
            of_reports=noise,
        )
        for place, code in enumerate(chosen)
    )
    return Ranking(tuple(labels[code] for code in chosen), labels, shortfall, terms.n)


def _beaten(drawn: Sequence[int], candidates: int) -> list[int]:
    return [code for code in range(candidates) if code not in drawn]
