"""The most common answer of the reports exactly, where it is stable, or a refusal."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.stable_mode import ReleasedMode, StableMode
from surveys.releases.families.accuracy import Accuracy
from surveys.releases.families.choices import ChosenAnswer, OneAnswerOffer, chosen_answer
from surveys.releases.families.mechanism import PartTerms
from surveys.releases.families.noise import Source, stability
from surveys.releases.families.questions import first_of, not_saying, several_answers, two_limits
from surveys.releases.families.references import STABILITY
from surveys.releases.families.stability import StabilityRefusal, refusal_words, says_nothing_else


class StableModeOffer(OneAnswerOffer[StableMode]):
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
    references = (
        STABILITY,
        (
            "Thakurta & Smith (2013)",
            "Differentially private feature selection via stability arguments, COLT.",
        ),
    )

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its reports are not answers, or not all of them."""
        return first_of(asked, several_answers, two_limits, not_saying)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> StableMode:
        """Return the test."""
        return StableMode(epsilon=loss.epsilon, delta=loss.delta, relation=relation, design=asked.design)

    def noise(self, mechanism: StableMode) -> list[Source]:
        """Return the noise of the test."""
        return [stability(mechanism.test)]

    def largest_error(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> None:
        """Return None: only a refusal is an error, and it is without limit."""
        return

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the answer, or nulls where it was refused."""
        label = None if output.answer is None else asked.first.labels[output.answer]
        return {"index": output.answer, "label": label}

    def restored(self, stored: Mapping[str, Any]) -> ReleasedMode:
        """Return it as it was drawn."""
        return ReleasedMode(stored["index"])

    def refused(self, output: Mapping[str, Any]) -> bool:
        """Whether the test was not passed."""
        return says_nothing_else(output)

    def finding(self, terms: PartTerms, output: Mapping[str, Any]) -> ChosenAnswer | StabilityRefusal:
        """Return what a most common answer says that was tested first: by the reports, it is the most common one.

        All of the risk is for the reports. It is that of publishing a wrong bound at all, passed tests and refusals
        together.
        """
        mechanism, chosen = self.drawn_on(terms), self.restored(output).answer
        if chosen is None:
            return StabilityRefusal()
        return chosen_answer(terms, mechanism.scores, chosen, 1 - terms.level(), 0.0)

    def accuracy_words(self, accuracy: Accuracy) -> str:
        """Say how likely a refusal is."""
        if accuracy.is_uninformative:
            return refusal_words()
        return _(
            "The published answer is exactly the most common one in the reports. If all reports are the same "
            "answer, this answer is published with probability %(level)s. The closer the answers’ counts are, "
            "the more likely the test is to fail. A failed test costs the same."
        )

    def sensitivity_words(self) -> str:
        """Say it of the distance to another answer."""
        return _("%(value)s for the number of reports that can change while the answer certainly stays the same")


OFFER = StableModeOffer()
