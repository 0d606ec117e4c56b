"""The most common answer of the reports exactly, where it is stable, or a refusal."""

from collections.abc import Mapping
from typing import Any

from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism
from surveys.privacy.mechanisms.stable_mode import ReleasedMode, StableMode
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers.suitable import first_of, not_saying, several_answers, two_limits


class StableModeOffer(Offer):
    """The answer with the largest debiased count, or nothing."""

    name = Mechanism.STABLE_MODE
    unit = "refusal"
    uses_delta = True

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its reports are not answers, or not all of them."""
        return first_of(asked, several_answers, two_limits, not_saying)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> CentralMechanism[ReleasedMode]:
        """Return the test."""
        return StableMode(epsilon=loss.epsilon, delta=loss.delta, relation=relation, design=asked.design)

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> None:
        """Return None: only a refusal is an error, and it is without limit."""
        return

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the answer, or nulls where it was refused."""
        label = None if output.answer is None else asked.first.labels[output.answer]
        return {"index": output.answer, "label": label}

    def restored(self, stored: Mapping[str, Any]) -> ReleasedMode:
        """Return it as it was drawn."""
        return ReleasedMode(stored["index"])
