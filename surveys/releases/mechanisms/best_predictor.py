"""Which of several questions goes most with an outcome: one name, and no count."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Table
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.models import Mechanism
from surveys.numbers.words import three_digits
from surveys.privacy.learning.prediction import PredictorChoice
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.finding import CONFIDENCE_LEVEL, Candidate, Finding, candidates_with_drawn, facts_table
from surveys.releases.families.joint import JointPlan
from surveys.releases.families.noise import Source, choice
from surveys.releases.families.plan import EXPONENTIAL_MECHANISM, RELATION
from surveys.releases.families.questions import has_numbers, reported_numbers

MOST_PATTERNS = 100_000


@dataclass(frozen=True, slots=True)
class BestPredictor(Finding):
    """The question that was drawn as going most with the outcome.

    Attributes
    ----------
    outcome, chosen : str
        The questions.
    among : tuple of str
        All that could have been drawn.
    short : float
        By how many people another one may go with it more, in the reports.
    from_reports : float
        How far off sampling and the respondents' coins make each, about.
    most : float
        How many it can be at most, in expectation.
    uneven : bool
        Whether the coins hide more of some of the questions.
    """

    outcome: str
    chosen: str
    among: tuple[str, ...]
    short: float
    from_reports: float
    most: float
    uneven: bool

    family = "predictor"

    @property
    def is_uninformative(self) -> bool:
        """Whether any of them may go most with it, or who answered and the coins alone could make it seem so."""
        return not max(self.short, self.from_reports) < self.most

    @property
    def title(self) -> str:
        return _("Chosen as most closely associated: “%(question)s”") % {"question": self.chosen}

    @property
    def short_words(self) -> str:
        return three_digits(self.short)

    @property
    def note(self) -> str:
        how = _(
            "Each figure shows how many more (or fewer) people give both reports than if the reports were "
            "unrelated. It is n times the covariance, with each report coded from 0 to 1. The bound is for the "
            "noise of this release. Sampling and the coins move each figure by up to about ±%(people)s people."
        ) % {"people": three_digits(self.from_reports)}
        if not self.uneven:
            return how
        limit = _(
            "The coins randomize some of these questions more than others. The more a question is randomized, "
            "the less likely it is to be chosen."
        )
        return f"{how} {limit}"

    def numbers(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome,
            "chosen": self.chosen,
            "among": list(self.among),
            "people_short_in_reports_at_most": self.short,
            "people_from_reports": self.from_reports,
        }

    def candidates(self) -> list[Candidate]:
        return candidates_with_drawn(self.among, self.chosen)

    def tables(self) -> list[Table]:
        behind = _("Maximum lead of another question in the reports (confidence 95%)")
        return [facts_table([(_("Chosen question"), self.chosen), (behind, self.short_words)])]


class BestPredictorPlan(JointPlan):
    """One of several questions, those that go more with the outcome being far likelier to be drawn."""

    name = Mechanism.BEST_PREDICTOR
    unit = "people"
    predictors_at_least = 2
    stored_names: ClassVar = {
        "index": gettext_lazy("Position of the question, counting from 0"),
        "label": gettext_lazy("Question"),
    }
    sentence = gettext_lazy(
        "Publishes the name of one question, chosen at random so that the questions most closely associated "
        "with the outcome are more likely. No count is published."
    )
    explanation = gettext_lazy(
        "This mechanism computes how closely each question’s reports are associated with the outcome’s (their "
        "covariance, with each report coded from 0 to 1). It then draws one question at random. The larger the "
        "covariance, positive or negative, the more likely the question."
    )
    accuracy_sentence = gettext_lazy(
        "With probability %(level)s, the chosen question is at most %(amount)s people behind the question "
        "most closely associated with the outcome, as estimated from the reports."
    )
    sensitivity_sentence = gettext_lazy("%(value)s for each question’s score, in people")
    references = (EXPONENTIAL_MECHANISM,)

    def too_few(self) -> str:
        """Return why there are more patterns than are counted; few answers a pattern do no harm here."""
        if self.cells <= MOST_PATTERNS:
            return ""
        return _("Together, these questions have more than 100,000 patterns of reports. Choose fewer questions.")

    @cached_property
    def mechanism(self) -> PredictorChoice:
        """The choice; before they are counted, of the fewest responses that there may be."""
        outcome, *predictors = self.questions
        return PredictorChoice(
            n=self.n or 2,
            outcome=_outcome_weights(outcome),
            predictors=tuple(question.design.left_inverse for question in predictors),
            epsilon=self.loss.epsilon,
            relation=RELATION,
        )

    def noise(self) -> list[Source]:
        return [choice(self.mechanism.selection)]

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        _outcome, *predictors = self.questions
        return {"index": output, "label": predictors[output].text}

    def restored(self, stored: Mapping[str, Any]) -> int:
        return int(stored["index"])

    def read(self, output: Mapping[str, Any]) -> BestPredictor:
        mechanism = self.mechanism
        outcome, *predictors = (question.text for question in self.questions)
        return BestPredictor(
            outcome=outcome,
            chosen=predictors[self.restored(output)],
            among=tuple(predictors),
            short=mechanism.error_bound(self.n, self.level()).at_most,
            from_reports=self.error_from_reports(self.level()),
            most=float(mechanism.largest_expected),
            uneven=mechanism.differs_in_coins,
        )

    @property
    def largest_error(self) -> Fraction:
        """N times the largest covariance that the reports can be expected to have."""
        return self.mechanism.largest_expected

    def error_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return z·√n/2 times the range that one response adds to a question's score (Popoviciu's inequality)."""
        z = normal_quantile(confidence_level)
        return z * math.sqrt(self.mechanism.n) * float(self.mechanism.sensitivity.value) / 2


def _outcome_weights(outcome: AskedQuestion) -> tuple[Fraction, ...]:
    """Return what each report counts for: from 0 for the smallest number, or No, to 1 for the largest, or Yes."""
    if has_numbers(outcome):
        numbers = reported_numbers(outcome)
        width = numbers.high - numbers.low
        values = [((number or Fraction(0)) - numbers.low) / width for number in numbers.numbers]
    else:
        values = [Fraction(0), Fraction(1)]
    rows = outcome.design.left_inverse
    return tuple(
        sum((value * row[report] for value, row in zip(values, rows, strict=True)), Fraction(0))
        for report in range(outcome.design.m)
    )


PLAN = BestPredictorPlan
