"""The most common answer of the reports exactly, where it is stable, or a refusal."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.mechanisms.stable_mode import ReleasedMode, StableMode
from surveys.releases.families.choices import ChosenAnswer, LargestPlan, OneAnswerPlan, chosen_answer
from surveys.releases.families.finding import StabilityRefusal, refusal_words
from surveys.releases.families.noise import Source, stability
from surveys.releases.families.plan import RELATION, STABILITY, Accuracy
from surveys.releases.families.questions import not_saying, several_answers, two_limits


class StableModePlan(OneAnswerPlan, LargestPlan):
    """The answer with the largest debiased count, or nothing."""

    name = Mechanism.STABLE_MODE
    unit = "refusal"
    uses_delta = True
    sentence = gettext_lazy(
        "Publishes the exact most common answer if a test finds its lead clear. Otherwise shows only that the "
        "test was not passed. The budget is charged in both cases."
    )
    explanation = gettext_lazy(
        "A randomized test first checks whether many reports would have to change before another answer became "
        "the most common. If so, the answer is published as it is. If not, nothing is published."
    )
    unsuitable_if = (several_answers, two_limits, not_saying)
    sensitivity_sentence = gettext_lazy(
        "%(value)s for the number of reports that can change while the answer certainly stays the same"
    )
    references = (
        STABILITY,
        (
            "Thakurta & Smith (2013)",
            "Differentially private feature selection via stability arguments, COLT.",
        ),
    )

    @cached_property
    def mechanism(self) -> StableMode:
        return StableMode(
            epsilon=self.loss.epsilon, delta=self.loss.delta, relation=RELATION, design=self.question.design
        )

    def noise(self) -> list[Source]:
        return [stability(self.mechanism.test)]

    @property
    def largest_error(self) -> None:
        """None: only a refusal is an error, and it is without limit."""
        return

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        label = None if output.answer is None else self.question.first.labels[output.answer]
        return {"index": output.answer, "label": label}

    def restored(self, stored: Mapping[str, Any]) -> ReleasedMode:
        return ReleasedMode(stored["index"])

    def read(self, output: Mapping[str, Any]) -> ChosenAnswer | StabilityRefusal:
        """Return what a most common answer says that was tested first: by the reports, it is the most common one.

        All of the risk is for the reports. It is that of publishing a wrong bound at all, passed tests and refusals
        together.
        """
        mechanism, chosen = self.mechanism, self.restored(output).answer
        if chosen is None:
            return StabilityRefusal()
        return chosen_answer(self, mechanism.scores, chosen, 1 - self.level(), 0.0)

    @classmethod
    def accuracy_words(cls, accuracy: Accuracy) -> str:
        if accuracy.is_uninformative:
            return refusal_words()
        return _(
            "The published answer is exactly the most common one in the reports. If all reports are the same "
            "answer, this answer is published with probability %(level)s. The closer the answers’ counts are, "
            "the more likely the test is to fail. A failed test costs the same."
        )


PLAN = StableModePlan
