"""The mechanisms as releasers meet them: what each publishes, what else it needs, why it may not suit."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers import OFFERS
from surveys.selectors.releases.wanted import units_for

SENTENCES: dict[str, Promise] = {
    Mechanism.LAPLACE_HISTOGRAM: gettext_lazy(
        "Publishes how many reports there are of each answer, each count with noise added, "
        "and the shares of people that follow."
    ),
    Mechanism.GAUSSIAN_HISTOGRAM: gettext_lazy(
        "Publishes the same counts with noise of another shape: less of it for many answers or several options, "
        "at the price of a δ."
    ),
    Mechanism.ONE_COUNT: gettext_lazy(
        "Publishes how many reports there are of one answer against all others: half the noise of all counts."
    ),
    Mechanism.MOST_COMMON: gettext_lazy(
        "Publishes the name of one answer, drawn so that common answers are far more likely; no count."
    ),
    Mechanism.PERMUTE_AND_FLIP: gettext_lazy(
        "Publishes the same at the same ε and errs no more often: an answer that was passed over is not tried again. "
        "Its tighter totals are larger."
    ),
    Mechanism.TOP: gettext_lazy(
        "Publishes the names of the most common answers in order, each drawn like the first; no count."
    ),
    Mechanism.QUANTILE: gettext_lazy(
        "Publishes the answer below which about this share of people is: 0.5 is the median."
    ),
    Mechanism.BEST_PRICE: gettext_lazy(
        "Publishes one price among the bands’ lower edges, drawn so that a large revenue is far more likely."
    ),
    Mechanism.TOTAL: gettext_lazy("Publishes the total of the number over all people, with noise added."),
    Mechanism.MEAN: gettext_lazy("Publishes the total of the number with noise added, and the mean that follows."),
    Mechanism.VARIANCE: gettext_lazy(
        "Publishes two noisy sums, and how far apart people’s numbers are (their variance)."
    ),
    Mechanism.BOUNDS: gettext_lazy(
        "Publishes noisy counts of the bands, and the lowest and the highest band in which people seem to be."
    ),
    Mechanism.SMOOTH_MEDIAN: gettext_lazy(
        "Publishes the median with noise that is small where many people are near it, and how far off it may be."
    ),
    Mechanism.STABLE_MODE: gettext_lazy(
        "Publishes the most common answer exactly where it leads clearly, and otherwise says that it does not; "
        "it is charged in both cases."
    ),
    Mechanism.STABLE_MEDIAN: gettext_lazy(
        "Publishes the median with noise where it is stable, and otherwise says that it is not; "
        "it is charged in both cases."
    ),
}

NEEDS: dict[str, Promise] = {
    "answer": gettext_lazy("which answer"),
    "share": gettext_lazy("which share of people (0.5 for the median)"),
    "how_many": gettext_lazy("how many answers"),
    "bound": gettext_lazy("how far one response may move the median"),
}


@dataclass(frozen=True, slots=True)
class OfferedMechanism:
    """One mechanism for the chosen questions."""

    offer: Offer
    why_not: str

    @property
    def name(self) -> str:
        """The stored name."""
        return str(self.offer.name)

    @property
    def label(self) -> str:
        """What it is called."""
        return str(self.offer.name.label)

    @property
    def sentence(self) -> str:
        """What it publishes."""
        return str(SENTENCES[self.name])

    @property
    def needs(self) -> str:
        """What must be typed besides ε, in words."""
        needed = [str(NEEDS[option]) for option in self.offer.options]
        return _("; ").join([*needed, _("a δ above 0")] if self.offer.uses_delta else needed)

    @property
    def units(self) -> str:
        """The names of the units in which its accuracy can be wanted, for the same script."""
        return " ".join(units_for(self.offer))

    @property
    def fields(self) -> str:
        """The names of the fields that it reads besides ε, for the script that hides the others."""
        return " ".join([*self.offer.options, *(["delta"] if self.offer.uses_delta else [])])


def offered_for(asked: Sequence[AskedQuestion]) -> list[OfferedMechanism]:
    """Return every mechanism, each with why it does not suit, or "" where it suits all of these questions."""
    return [OfferedMechanism(offer, _why_not(offer, asked)) for offer in OFFERS.values()]


def _why_not(offer: Offer, asked: Sequence[AskedQuestion]) -> str:
    return next((why for question in asked if (why := offer.unsuitable(question))), "")
