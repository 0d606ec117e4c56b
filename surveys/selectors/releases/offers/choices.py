"""Answers chosen by their scores: the most common one, or several in order."""

from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

from surveys.models import Mechanism
from surveys.models.definition import AskedQuestion
from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.choice import ScoredMechanism
from surveys.privacy.mechanisms.most_common import FlippedMostCommon, MostCommon
from surveys.privacy.mechanisms.top import TopAnswers
from surveys.selectors.releases.counting import counted_of, design_counted
from surveys.selectors.releases.numbers import said
from surveys.selectors.releases.offer import Offer
from surveys.selectors.releases.offers.options import whole
from surveys.selectors.releases.offers.reports import half_width_of_scores
from surveys.selectors.releases.offers.suitable import two_limits


class ChoiceOffer(Offer):
    """Any mechanism that chooses by scores which are numbers of people."""

    unit = "people"
    in_points = True

    def whole(self, asked: AskedQuestion, options: Mapping[str, Any], n: int) -> Fraction:
        """Return all people."""
        return Fraction(n)

    def points_from_reports(
        self, asked: AskedQuestion, options: Mapping[str, Any], n: int, confidence_level: float
    ) -> float:
        """Return it for the scores."""
        scored = self.mechanism(asked, options, PrivacyLoss(Fraction(1)), NeighbouringRelation.REPLACE_ONE)
        return 100 * half_width_of_scores(scored, n, confidence_level) / n

    @abstractmethod
    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> ScoredMechanism[Any]:
        """Return the choice."""


class MostCommonOffer(ChoiceOffer):
    """The most common true answer, "prefer not to say" set aside; or the option that most people tick."""

    name = Mechanism.MOST_COMMON
    kind: ClassVar[type[MostCommon]] = MostCommon

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its reports are not answers."""
        return two_limits(asked)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> MostCommon:
        """Return the choice among its answers."""
        return self.kind(
            epsilon=loss.epsilon,
            relation=relation,
            design=design_counted(asked),
            counted=counted_of(asked),
            candidates=candidates(asked),
        )

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the chosen answer."""
        return {"index": output, "label": labels_of(asked)[output]}

    def restored(self, stored: Mapping[str, Any]) -> int:
        """Return its code."""
        return int(stored["index"])


class PermuteAndFlipOffer(MostCommonOffer):
    """The same by permute-and-flip."""

    name = Mechanism.PERMUTE_AND_FLIP
    kind = FlippedMostCommon


class TopOffer(ChoiceOffer):
    """The most common answers in order."""

    name = Mechanism.TOP
    options = ("how_many",)

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why its reports are not answers."""
        return two_limits(asked)

    def read_option(self, asked: AskedQuestion, name: str, value: object) -> int:
        """Return how many answers are to be named."""
        return whole(name, value, 1, candidates(asked))

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> TopAnswers:
        """Return the choices among its answers."""
        return TopAnswers(
            epsilon=loss.epsilon,
            relation=relation,
            design=design_counted(asked),
            counted=counted_of(asked),
            candidates=candidates(asked),
            s=options["how_many"],
        )

    def stored(self, output: Any, asked: AskedQuestion) -> dict[str, Any]:  # noqa: ANN401 - Offer's signature
        """Return the chosen answers."""
        return {"indices": list(output), "labels": [labels_of(asked)[code] for code in output]}

    def restored(self, stored: Mapping[str, Any]) -> tuple[int, ...]:
        """Return their codes."""
        return tuple(stored["indices"])


def candidates(asked: AskedQuestion) -> int:
    """Return how many answers can be chosen: options of several, or all answers that say something."""
    return len(asked.items) if counted_of(asked) is Counted.BITS else said(asked)


def labels_of(asked: AskedQuestion) -> tuple[str, ...]:
    """Return what can be chosen, in the words of the survey."""
    if counted_of(asked) is Counted.BITS:
        return tuple(item.option for item in asked.items)
    return asked.first.labels
