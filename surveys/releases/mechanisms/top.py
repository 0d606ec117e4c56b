"""The most common answers in order, by peeling."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.released.choices import shortfall_of_truth
from surveys.models import Mechanism
from surveys.privacy.mechanisms.top import TopAnswers
from surveys.releases.families.choices import ChoicePlan, LargestPlan, Shortfall, candidates
from surveys.releases.families.finding import Candidate, facts_table, people_words
from surveys.releases.families.noise import Source, choice
from surveys.releases.families.options import LONGEST, Option, read_whole_number
from surveys.releases.families.plan import EXPONENTIAL_MECHANISM, RELATION
from surveys.releases.families.questions import counted_of, design_counted, labels_of, two_limits

HOW_MANY = Option(
    name="how_many",
    place=3,
    needs=gettext_lazy("how many answers to draw"),
    field=lambda _questions: forms.CharField(
        label=gettext_lazy("Number of answers"),
        required=False,
        max_length=LONGEST,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 12, "autocomplete": "off"}),
    ),
    read=lambda questions, value: read_whole_number("how_many", value, 1, candidates(questions[0])),
    words=lambda _plan, number: _("the number of answers to draw: %(count)s") % {"count": number},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Shortfall):
    """The most common answers in the order drawn; the shortfall is of any of them behind any that comes later or not.

    Attributes
    ----------
    chosen : tuple of str
        The answers, the first one drawn first.
    """

    chosen: tuple[str, ...]

    family = "ranking"

    @property
    def title(self) -> str:
        return _("Chosen as most common: “%(answer)s”") % {"answer": self.chosen[0]}

    def numbers(self) -> dict[str, Any]:
        return {"chosen": list(self.chosen), "among": list(self.labels), "people_short_at_most": self.shortfall}

    def candidates(self) -> list[Candidate]:
        places = {label: str(place) for place, label in enumerate(self.chosen, 1)}
        marks = {label: _("drawn as number %(place)s") % {"place": place} for label, place in places.items()}
        return [Candidate(label, marks.get(label, "")) for label in self.labels]

    def tables(self) -> list[Table]:
        places = [(_("Number %(place)s") % {"place": place}, label) for place, label in enumerate(self.chosen, 1)]
        behind = _("Maximum true lead of a later or unlisted answer (confidence 95%)")
        return [facts_table([*places, (behind, people_words(self.shortfall, self.n))])]


class TopPlan(ChoicePlan, LargestPlan):
    name = Mechanism.TOP
    fields = (HOW_MANY,)
    stored_names: ClassVar = {
        "indices": gettext_lazy("Positions of the answers, counting from 0"),
        "labels": gettext_lazy("Answers"),
    }
    sentence = gettext_lazy(
        "Publishes the names of the most common answers in order, each drawn so that common answers are more "
        "likely. No count is published."
    )
    explanation = gettext_lazy(
        "This mechanism draws one answer at random, favouring common answers. It then draws the next answer "
        "from the rest, and so on. All draws favour common answers equally strongly, and together they spend ε."
    )
    unsuitable_if = (two_limits,)
    accuracy_sentence = gettext_lazy(
        "With probability %(level)s, each listed answer is at most %(amount)s people (%(points)s "
        "percentage points) behind the most common answer not listed before it. Answers are compared as "
        "estimated from the reports."
    )
    references = (
        (
            "Durfee & Rogers (2019)",
            "Practical differentially private top-k selection with pay-what-you-get composition, NeurIPS.",
        ),
        EXPONENTIAL_MECHANISM,
    )

    @cached_property
    def mechanism(self) -> TopAnswers:
        return TopAnswers(
            epsilon=self.loss.epsilon,
            relation=RELATION,
            design=design_counted(self.question),
            counted=counted_of(self.question),
            candidates=candidates(self.question),
            s=self.options["how_many"],
        )

    @property
    def how_many(self) -> int:
        return int(self.options["how_many"])

    def noise(self) -> list[Source]:
        return [choice(self.mechanism.one_round, rounds=self.mechanism.rounds)]

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {"indices": list(output), "labels": [labels_of(self.question)[code] for code in output]}

    def restored(self, stored: Mapping[str, Any]) -> tuple[int, ...]:
        return tuple(stored["indices"])

    def read(self, output: Mapping[str, Any]) -> Ranking:
        """Return what several answers in order say: each beat those after it and those not listed."""
        scores, chosen = self.mechanism.scored, list(self.restored(output))
        labels = labels_of(self.question)[: len(scores.forms)]
        risk, of_noise = self.risk_of_reports, self.bound_of_noise
        shortfall = max(
            shortfall_of_truth(
                scores, code, _beaten(chosen[: place + 1], len(labels)), n=self.n, risk=risk, of_reports=of_noise
            )
            for place, code in enumerate(chosen)
        )
        return Ranking(chosen=tuple(labels[code] for code in chosen), labels=labels, shortfall=shortfall, n=self.n)


def _beaten(drawn: Sequence[int], among: int) -> list[int]:
    return [code for code in range(among) if code not in drawn]


PLAN = TopPlan
