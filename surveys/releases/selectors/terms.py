"""What is known of a whole release before anything is drawn: its mechanism, its parts, what it costs."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surveys.models.definition import Definition
from surveys.privacy.accounting import compose, local_then_central
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.mechanism import Offer, PartTerms
from surveys.releases.families.questions import groups_in

LARGEST_EPSILON = 10
"""Above it noise protects next to nothing: one answer's odds may change by e¹⁰, 22,000-fold."""


@dataclass(frozen=True)
class Terms:
    """The terms of a release: one mechanism, one part for each question."""

    definition: Definition
    offer: Offer[Any]
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
    def groups_apart(self) -> bool:
        """Whether groups are counted apart: moving one response could change which of them are."""
        return any(groups_in(part.asked) for part in self.parts)

    @property
    def truth_epsilon(self) -> float:
        """What the release reveals about all true answers of one response together."""
        return local_then_central(self.definition.epsilon_of_truths, self.epsilon)
