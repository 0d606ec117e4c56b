"""What is chosen by scores: an answer, or several in order; and by how much it may fall short of the best."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.released.choices import shortfall_of_truth
from surveys.privacy.adjacency import Counted
from surveys.privacy.mechanisms.choice import ScoredMechanism
from surveys.privacy.mechanisms.most_common import MostCommon
from surveys.privacy.mechanisms.scores import Scores
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.finding import (
    CONFIDENCE_LEVEL,
    Candidate,
    Finding,
    candidates_with_drawn,
    facts_table,
    people_words,
)
from surveys.releases.families.noise import Source, choice
from surveys.releases.families.plan import RELATION, Plan
from surveys.releases.families.questions import counted_of, design_counted, labels_of, saying_answers, two_limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall(Finding):
    """Any finding that another answer may be more common in truth, by so many people at most.

    Attributes
    ----------
    labels : tuple of str
        All that could have been chosen.
    shortfall : float
        By how many people another answer may be more common in truth.
    n : int
        Of how many answers.
    """

    labels: tuple[str, ...]
    shortfall: float
    n: int

    @property
    def points(self) -> float:
        return 100 * self.shortfall / self.n

    @property
    def is_uninformative(self) -> bool:
        """Whether any answer may be more common by any number of people."""
        return not self.shortfall < self.n

    @property
    def note(self) -> str:
        return choice_note()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenAnswer(Shortfall):
    """The answer that a mechanism chose, among all that it could have chosen."""

    label: str

    family = "choice"

    @property
    def title(self) -> str:
        return _("Chosen as most common: “%(answer)s”") % {"answer": self.label}

    def numbers(self) -> dict[str, Any]:
        return {"chosen": self.label, "among": list(self.labels), "people_short_at_most": self.shortfall}

    def candidates(self) -> list[Candidate]:
        return candidates_with_drawn(self.labels, self.label)

    def tables(self) -> list[Table]:
        behind = _("Maximum true lead of another answer (confidence 95%)")
        return [facts_table([(_("Chosen answer"), self.label), (behind, people_words(self.shortfall, self.n))])]


def choice_note() -> str:
    return _(
        "The bound allows for both this release’s noise and the respondents’ coins, each with half of the risk "
        "of error. The bound is computed only from public numbers, so it does not depend on the reports."
    )


class ScoredPlan(Plan):
    # How the choice is made, as JSON names it.
    selection: ClassVar[str] = "exponential_mechanism"
    sensitivity_sentence = gettext_lazy("%(value)s for each candidate’s score")

    @property
    @abstractmethod
    def mechanism(self) -> ScoredMechanism[Any]:
        """The choice."""

    def noise(self) -> list[Source]:
        mechanism: Any = self.mechanism
        return [choice(mechanism.selection, self.selection)]

    def error_from_counts(self, t: Fraction, n: int) -> Fraction:
        """Return how far the best of the noisy scores is from the best: neither of the two is where it seems."""
        forms = self.mechanism.scored.forms
        return 2 * t * max(sum(map(abs, form), Fraction(0)) for each in forms for form in each)

    def half_width_of_scores(self, confidence_level: float) -> float:
        """Return at most z·√n/2 times the range that one response adds to a score.

        What n independent responses add to a form has n times the variance of what one adds, and that is at most a
        quarter of its range squared (Popoviciu's inequality). Under REPLACE_ONE the range is the sensitivity.
        """
        return normal_quantile(confidence_level) * math.sqrt(self.n) * float(self.mechanism.sensitivity.value) / 2


class ChoicePlan(ScoredPlan):
    """Any mechanism that chooses by scores which are numbers of people."""

    unit = "people"
    in_points = True

    @property
    def largest_error(self) -> Fraction:
        return Fraction(self.n)

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        return 100 * self.half_width_of_scores(confidence_level) / self.n


class LargestPlan(Plan):
    """Any mechanism that names the most common answers: naming more of them includes what fewer would."""

    @property
    def how_many(self) -> int:
        return 1

    def answers(self, new: Plan) -> bool:
        return isinstance(new, LargestPlan) and self.how_many >= new.how_many


class OneAnswerPlan(Plan):
    """Any mechanism whose output is one answer, by its code."""

    stored_names: ClassVar = {
        "index": gettext_lazy("Position of the answer, counting from 0"),
        "label": gettext_lazy("Answer"),
    }

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {"index": output, "label": labels_of(self.question)[output]}

    def restored(self, stored: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Plan's signature
        return int(stored["index"])


class MostCommonAnswerPlan(ChoicePlan, OneAnswerPlan, LargestPlan):
    """The most common true answer, "prefer not to say" set aside; or the option that most people tick."""

    kind: ClassVar[type[MostCommon]]
    unsuitable_if = (two_limits,)
    accuracy_sentence = gettext_lazy(
        "With probability %(level)s, the chosen answer is at most %(amount)s people (%(points)s percentage "
        "points) behind the most common answer, as estimated from the reports."
    )

    @cached_property
    def mechanism(self) -> MostCommon:
        return self.kind(
            epsilon=self.loss.epsilon,
            relation=RELATION,
            design=design_counted(self.question),
            counted=counted_of(self.question),
            candidates=candidates(self.question),
        )

    def read(self, output: Mapping[str, Any]) -> ChosenAnswer:
        scores = self.mechanism.scored
        return chosen_answer(self, scores, self.restored(output), self.risk_of_reports, self.bound_of_noise)


def chosen_answer(plan: Plan, scores: Scores, chosen: int, risk: float, of_noise: float) -> ChosenAnswer:
    """Return what an answer says that was chosen by its score, at this risk and bound of the noise."""
    labels = labels_of(plan.question)[: len(scores.forms)]
    others = [other for other in range(len(labels)) if other != chosen]
    shortfall = shortfall_of_truth(scores, chosen, others, n=plan.n, risk=risk, of_reports=of_noise)
    return ChosenAnswer(label=labels[chosen], labels=labels, shortfall=shortfall, n=plan.n)


def candidates(asked: AskedQuestion) -> int:
    """Return how many answers can be chosen: options of several, or all answers that say something."""
    return len(asked.items) if counted_of(asked) is Counted.BITS else saying_answers(asked)
