"""What is known of a release before anything is drawn: mechanism, parameters, cost and expected error of each part."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from surveys.models import ReleasePart
from surveys.models.definition import AskedQuestion, Definition
from surveys.privacy.accounting import compose, local_then_central
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism
from surveys.selectors.releases.offer import Accuracy, Offer

CONFIDENCE_LEVEL = 0.95
LEVELS = (0.9, 0.95, 0.99)
RELATION = NeighbouringRelation.REPLACE_ONE
"""The number of answers is shown, so neighbours replace one answer: docs/decisions/0004-neighbouring-relation.md."""

LARGEST_EPSILON = 10
"""Above it noise protects next to nothing: one answer's odds may change by e¹⁰, 22,000-fold."""


@dataclass(frozen=True)
class PartTerms:
    """The terms on which one question is released: everything but the draw.

    Attributes
    ----------
    asked : AskedQuestion
        The question.
    offer : Offer
        The mechanism as the product offers it.
    options : mapping
        What else the mechanism needs, as `Offer.read_options` returned it: exact, and fit for JSON.
    loss : PrivacyLoss
        The central ε and δ charged for the reports of this question.
    n : int
        The answers counted; public.
    chosen_from : int
        Among how many draws of the question this one may have been chosen to be shown; see `Draws`.
    """

    asked: AskedQuestion
    offer: Offer
    options: Mapping[str, Any]
    loss: PrivacyLoss
    n: int
    chosen_from: int = 1

    @cached_property
    def mechanism(self) -> CentralMechanism[Any]:
        """What happens, with all its parameters."""
        return self.offer.mechanism(self.asked, self.options, self.loss, RELATION)

    def level(self, confidence_level: float = CONFIDENCE_LEVEL) -> float:
        """Return how sure each of the draws must be for the one that is shown to be as sure as this."""
        return 1 - (1 - confidence_level) / self.chosen_from

    def accuracy(self, confidence_level: float = CONFIDENCE_LEVEL) -> Accuracy:
        """Return what the mechanism alone may change, from public numbers only; worked out once a level."""
        if confidence_level not in self._accuracies:
            self._accuracies[confidence_level] = self.offer.accuracy(
                self.mechanism, self.asked, self.options, self.n, self.level(confidence_level)
            )
        return self._accuracies[confidence_level]

    @cached_property
    def _accuracies(self) -> dict[float, Accuracy]:
        return {}

    @property
    def design(self) -> Design:
        """What leads from the true answers to what is counted: "is it this answer?" where one answer is."""
        return self.offer.design(self.asked, self.options)

    def points_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float | None:
        """Return how far off chance in the reports makes the result, in percentage points; None where that is not it.

        It comes from sampling and from the respondents' coins, whatever the release costs.
        """
        return self.offer.points_from_reports(self.asked, self.options, self.n, confidence_level)

    def number_from_reports(self, confidence_level: float = CONFIDENCE_LEVEL) -> float | None:
        """Return the same in the unit of `accuracy`; None where that is not known beforehand."""
        return self.offer.number_from_reports(self.asked, self.options, self.n, confidence_level)

    @property
    def local_epsilon(self) -> float:
        """What one response's reports to this question tell about their truths."""
        return self.asked.epsilon

    @property
    def report_proves(self) -> bool:
        """Whether a report can prove an answer, so that the release's own ε is the only bound."""
        return self.local_epsilon == math.inf

    @property
    def truth_epsilon(self) -> float:
        """What this part tells about the truth of one response; it reaches the truth only through the report."""
        return self.truth_epsilon_together_with(Fraction(0))

    def truth_epsilon_together_with(self, earlier: Fraction) -> float:
        """Return the same for this part and earlier ones of the question, whose central ε come to `earlier`."""
        return local_then_central(self.local_epsilon, self.loss.epsilon + earlier)

    @property
    def truth_odds(self) -> float:
        """By which factor the part changes the odds between two true answers of one response at most."""
        return math.exp(self.truth_epsilon)


def part_terms(part: ReleasePart, asked: AskedQuestion, offer: Offer, chosen_from: int = 1) -> PartTerms:
    """Return the terms on which a stored part was drawn, and among how many draws it may have been chosen."""
    return PartTerms(
        asked=asked,
        offer=offer,
        options=part.parameters["options"],
        loss=PrivacyLoss(part.epsilon, part.delta),
        n=part.n,
        chosen_from=chosen_from,
    )


@dataclass(frozen=True)
class Terms:
    """The terms of a release: one mechanism, one part for each question."""

    definition: Definition
    offer: Offer
    parts: tuple[PartTerms, ...]

    @property
    def loss(self) -> PrivacyLoss:
        """What the release costs: the parts' losses add up, as one response can be in all of them."""
        return compose(part.loss for part in self.parts)

    @property
    def epsilon(self) -> Fraction:
        """The central ε of all parts."""
        return self.loss.epsilon

    @property
    def delta(self) -> Fraction:
        """The central δ of all parts."""
        return self.loss.delta

    @property
    def truth_epsilon(self) -> float:
        """What the release tells about all truths of one response together."""
        return local_then_central(self.definition.epsilon, self.epsilon)
