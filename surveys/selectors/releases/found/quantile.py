"""An ordered answer that was chosen as a quantile."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.estimation.released.choices import rank_distance_of_truth
from surveys.privacy.mechanisms.quantile import Quantile as QuantileMechanism
from surveys.privacy.mechanisms.quantile import QuantileScore
from surveys.selectors.releases.found.risk import of_noise, of_reports
from surveys.selectors.releases.offers.choices import labels_of
from surveys.selectors.releases.terms import PartTerms


@dataclass(frozen=True, slots=True)
class Quantile:
    """A chosen answer, and how far the rank of its people may be from the one that was wanted.

    Attributes
    ----------
    label : str
        The answer.
    labels : tuple of str
        All that could have been chosen, in order.
    share : Fraction
        The share of people who were to be below it.
    distance : float
        How many people there may truly be between the answer and the wanted rank.
    n : int
        Of how many answers.
    among_those_who_say : bool
        Whether chance hides who does not say, so that the share is of the others.
    """

    label: str
    labels: tuple[str, ...]
    share: Fraction
    distance: float
    n: int
    among_those_who_say: bool

    @property
    def family(self) -> str:
        """How it is shown."""
        return "quantile"

    @property
    def points(self) -> float:
        """The distance in percentage points of all who answered."""
        return 100 * self.distance / self.n

    @property
    def below_at_most(self) -> float:
        """Which share of people is truly below the answer at most."""
        return min(1.0, float(self.share) + self.distance / self.n)

    @property
    def up_to_at_least(self) -> float:
        """Which share of people truly gives the answer or one below it at least."""
        return max(0.0, float(self.share) - self.distance / self.n)

    @property
    def says_nothing(self) -> bool:
        """Whether any answer may be as far from the rank."""
        return self.below_at_most >= 1 and self.up_to_at_least <= 0


def quantile_found(terms: PartTerms, output: Mapping[str, Any]) -> Quantile:
    """Return what a chosen quantile says."""
    mechanism = terms.mechanism
    if not (isinstance(mechanism, QuantileMechanism) and mechanism.score is QuantileScore.DISTANCE):
        raise TypeError(f"mechanism must choose a quantile by its rank, got {mechanism!r}")
    chosen, noise = int(terms.offer.restored(output)), of_noise(terms)
    labels = labels_of(terms.asked)[: len(mechanism.scored.forms)]
    return Quantile(
        label=labels[chosen],
        labels=labels,
        share=mechanism.share,
        distance=rank_distance_of_truth(mechanism.scored, chosen, n=terms.n, risk=of_reports(terms), of_reports=noise),
        n=terms.n,
        among_those_who_say=terms.asked.protects_leaving_out,
    )
