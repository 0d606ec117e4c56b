"""Between which bands the numbers lie: approximate bounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from surveys.charts import Table
from surveys.models import Mechanism
from surveys.numbers.words import percent
from surveys.privacy.mechanisms.bounds import ApproximateBounds, FoundBounds
from surveys.releases.families.counts import NoisyCountsPlan
from surveys.releases.families.finding import Candidate, Finding, facts_table, noisy_counts_table
from surveys.releases.families.plan import RELATION, Plan
from surveys.releases.families.questions import no_bands, saying_answers


@dataclass(frozen=True, slots=True)
class Bounds(Finding):
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

    family = "bounds"

    @property
    def is_uninformative(self) -> bool:
        return self.places is None

    @property
    def certainty_words(self) -> str:
        if self.certainty is None:
            return ""
        return percent(float(self.certainty), 0 if 100 * self.certainty % 1 == 0 else 1)

    @property
    def title(self) -> str:
        return _("Numbers range from “%(low)s” to “%(high)s”") % {"low": self.low, "high": self.high}

    def numbers(self) -> dict[str, Any]:
        certainty = None if self.certainty is None else str(self.certainty)
        return {"first_band": self.low, "last_band": self.high, "certainty": certainty}

    def candidates(self) -> list[Candidate]:
        """Return all bands, with a mark at those that passed and between them."""
        if self.places is None:
            return []
        low, high = self.places
        return [
            Candidate(label, _mark(place, low, high) if low <= place <= high else "")
            for place, (label, _noisy) in enumerate(self.counts)
        ]

    def tables(self) -> list[Table]:
        if self.low is None or self.high is None:
            rows = [(_("Bands above the threshold"), pgettext("bands", "none"))]
        else:
            rows = [
                (_("First band above the threshold"), self.low),
                (_("Last band above the threshold"), self.high),
                (_("Probability that no empty band’s count exceeds the threshold"), self.certainty_words),
            ]
        return [facts_table(rows), noisy_counts_table(self.counts)]


def _mark(place: int, low: int, high: int) -> str:
    if low == high:
        return _("the only one above the threshold")
    return {low: _("first above the threshold"), high: _("last above the threshold")}.get(
        place, _("between first and last")
    )


class BoundsPlan(NoisyCountsPlan):
    """Noisy counts of the reports, and the first and the last band that passes; not saying is no band."""

    name = Mechanism.BOUNDS
    stored_names: ClassVar = {
        **NoisyCountsPlan.stored_names,
        "low": gettext_lazy("Lowest band, counting from 0"),
        "high": gettext_lazy("Highest band, counting from 0"),
        "certainty": gettext_lazy("Confidence level achieved"),
    }
    sentence = gettext_lazy(
        "Publishes noisy counts of the bands, and the lowest and highest bands that do not seem to be empty."
    )
    explanation = gettext_lazy(
        "This mechanism counts the reports in each band and adds a random whole number to each count. The "
        "bounds are the first and last bands whose noisy count is higher than an empty band’s noisy count is "
        "likely to be."
    )
    unsuitable_if = (no_bands,)
    sensitivity_sentence = gettext_lazy(
        "%(value)s (L1): one changed report lowers one band’s count and raises another’s"
    )
    references = (
        (
            "Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo & Gipson (2020)",
            "Differentially private SQL with bounded user contribution, PoPETs.",
        ),
    )

    @cached_property
    def mechanism(self) -> ApproximateBounds:
        return ApproximateBounds(
            epsilon=self.loss.epsilon,
            relation=RELATION,
            bins=saying_answers(self.question),
            design=self.question.design,
        )

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        certainty = None if output.confidence is None else str(output.confidence)
        return {
            "noisy_counts": list(output.noisy_counts),
            "low": output.low,
            "high": output.high,
            "certainty": certainty,
        }

    def restored(self, stored: Mapping[str, Any]) -> Any:  # noqa: ANN401 - NoisyCountsPlan's signature
        certainty = stored["certainty"]
        return FoundBounds(
            tuple(stored["noisy_counts"]),
            stored["low"],
            stored["high"],
            None if certainty is None else Fraction(certainty),
        )

    def read(self, output: Mapping[str, Any]) -> Bounds:
        """Return what approximate bounds say: read again from the noisy counts, which costs nothing."""
        bounds, labels = self.restored(output), self.question.first.labels
        counts = tuple(zip(labels, bounds.noisy_counts, strict=True))
        if bounds.low is None:
            return Bounds(None, None, None, counts, None)
        certainty = max(Fraction(0), 1 - self.chosen_from * (1 - bounds.confidence))
        return Bounds(labels[bounds.low], labels[bounds.high], certainty, counts, (bounds.low, bounds.high))

    def answers(self, new: Plan) -> bool:
        """Return True: whatever is self.question for can be computed from all counts."""
        return True


PLAN = BoundsPlan
