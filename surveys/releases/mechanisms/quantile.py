"""A median or another quantile: an ordered answer, chosen by the exponential mechanism."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import IntervalChart, IntervalRow, Table, share_axis
from surveys.estimation.released.choices import rank_distance_of_truth
from surveys.models import Mechanism
from surveys.numbers.words import exact_number, level_words, percent, percent_limits
from surveys.privacy.mechanisms.quantile import Quantile, QuantileScore
from surveys.releases.families.choices import ChoicePlan, OneAnswerPlan, choice_note
from surveys.releases.families.finding import (
    CONFIDENCE_LEVEL,
    Candidate,
    Finding,
    candidates_with_drawn,
    down,
    facts_table,
    people_words,
    up,
)
from surveys.releases.families.medians import RankPlan
from surveys.releases.families.options import DecimalField, Option, share
from surveys.releases.families.plan import EXPONENTIAL_MECHANISM, RELATION
from surveys.releases.families.questions import labels_of, no_order, saying_answers

SHARE = Option(
    name="share",
    place=2,
    needs=gettext_lazy("which share of people (0.5 for the median)"),
    help="1/2 for a median",
    field=lambda _questions: DecimalField(
        label=gettext_lazy("Share of people"),
        required=False,
        initial="0.5",
        help_text=gettext_lazy(
            "A number above 0 and below 1: 0.5 for the median, 0.9 for the answer with nine in ten people below it."
        ),
    ),
    read=lambda _questions, value: str(share("share", value)),
    words=lambda _plan, value: (
        _("the target share of people below the answer: %(share)s") % {"share": exact_number(Fraction(value))}
    ),
)


@dataclass(frozen=True, slots=True)
class ChosenQuantile(Finding):
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
        Whether “prefer not to say” is protected, so that the share is of the others.
    """

    label: str
    labels: tuple[str, ...]
    share: Fraction
    distance: float
    n: int
    among_those_who_say: bool

    family = "quantile"

    @property
    def name(self) -> str:
        named = {
            Fraction(1, 4): _("lower quartile"),
            Fraction(1, 2): _("median"),
            Fraction(3, 4): _("upper quartile"),
        }
        return named.get(self.share) or _("%(share)s quantile") % {"share": self._share_words}

    @property
    def _share_words(self) -> str:
        return percent(float(self.share), 0 if 100 * self.share % 1 == 0 else 1)

    @property
    def points(self) -> float:
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
    def is_uninformative(self) -> bool:
        """Whether any answer may be as far from the rank."""
        return self.below_at_most >= 1 and self.up_to_at_least <= 0

    @property
    def title(self) -> str:
        return _("Chosen as the %(what)s: “%(answer)s”") % {"what": self.name, "answer": self.label}

    @property
    def note(self) -> str:
        return choice_note()

    def numbers(self) -> dict[str, Any]:
        of_all = not self.among_those_who_say
        return {
            "chosen": self.label,
            "among": list(self.labels),
            "share": str(self.share),
            "among_those_who_say": self.among_those_who_say,
            "people_between_at_most": self.distance,
            "share_below_at_most": up(self.below_at_most) if of_all else None,
            "share_up_to_at_least": down(self.up_to_at_least) if of_all else None,
        }

    def candidates(self) -> list[Candidate]:
        return candidates_with_drawn(self.labels, self.label)

    def tables(self) -> list[Table]:
        rows = [
            (_("Chosen answer"), self.label),
            (_("Target share of people below this answer"), self._share_words),
            (_("Maximum true distance from the target rank (confidence 95%)"), people_words(self.distance, self.n)),
        ]
        return [facts_table(rows)]

    def chart(self, name: str) -> IntervalChart | None:
        """Return what is known of the shares of people below it, and up to it; none where they are of some only."""
        if self.among_those_who_say:
            return None
        answer = {"answer": self.label}
        # Nobody is below the lowest answer, and everybody at the highest or below.
        rows = []
        if self.label != self.labels[0]:
            rows.append(_limits_row(_("below “%(answer)s”") % answer, 0.0, self.below_at_most))
        if self.label != self.labels[-1]:
            rows.append(_limits_row(_("“%(answer)s” or below") % answer, self.up_to_at_least, 1.0))
        words = {"level": level_words(CONFIDENCE_LEVEL)}
        return self.interval_chart(
            name,
            title=_("People below this answer, and people at or below it"),
            axis=share_axis(_("Of 100 people")),
            rows=rows,
            interval_label=_("%(level)s interval of the share") % words,
        )


def _limits_row(words: str, low: float, high: float) -> IntervalRow:
    limits = percent_limits(low, high)
    return IntervalRow(
        label=words,
        says=_("%(what)s: %(low)s to %(high)s") % {"what": words, "low": limits[0], "high": limits[1]},
        value="",
        point=None,
        low=low,
        high=high,
    )


class QuantilePlan(ChoicePlan, OneAnswerPlan, RankPlan):
    """The answer that a share of those who say theirs is below, by how many people it is away from that rank."""

    name = Mechanism.QUANTILE
    unit = "rank"
    fields = (SHARE,)
    sentence = gettext_lazy("Publishes an answer with about the chosen share of people below it (0.5 for the median).")
    explanation = gettext_lazy(
        "This mechanism scores each answer by how many people seem to lie between it and the target rank, then "
        "draws an answer at random. The fewer people, the more likely the answer."
    )
    unsuitable_if = (no_order,)
    accuracy_sentence = gettext_lazy(
        "With probability %(level)s, at most %(amount)s people (%(points)s percentage points) are between "
        "the chosen answer and the target rank, as estimated from the reports."
    )
    references = (
        (
            "Smith (2011)",
            "Privacy-preserving statistical estimation with optimal convergence rates, STOC.",
        ),
        EXPONENTIAL_MECHANISM,
    )

    @cached_property
    def mechanism(self) -> Quantile:
        """The choice, by the distance to the rank: at the best answer it is 0."""
        return Quantile(
            epsilon=self.loss.epsilon,
            relation=RELATION,
            design=self.question.design,
            share=Fraction(self.options["share"]),
            score=QuantileScore.DISTANCE,
            ordered=saying_answers(self.question),
        )

    @property
    def rank(self) -> Fraction:
        return Fraction(self.options["share"])

    def read(self, output: Mapping[str, Any]) -> ChosenQuantile:
        mechanism, chosen = self.mechanism, self.restored(output)
        labels = labels_of(self.question)[: len(mechanism.scored.forms)]
        risk, of_noise = self.risk_of_reports, self.bound_of_noise
        return ChosenQuantile(
            label=labels[chosen],
            labels=labels,
            share=mechanism.share,
            distance=rank_distance_of_truth(mechanism.scored, chosen, n=self.n, risk=risk, of_reports=of_noise),
            n=self.n,
            among_those_who_say=self.question.protects_leaving_out,
        )


PLAN = QuantilePlan
