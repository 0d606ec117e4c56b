"""What all choices by scores share: the scores, their sensitivity, what a choice costs and is worth."""

import secrets
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation, require_member
from surveys.privacy.designs.design import Design
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.exponential import ExponentialMechanism, Selection
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Output, Randbelow, Sensitivity
from surveys.privacy.mechanisms.scores import Scores
from surveys.privacy.rationals import positive, whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredMechanism(CentralMechanism[Output]):
    """A mechanism that prefers candidates with high scores.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats: what one output costs.
    relation : NeighbouringRelation
        Which data sets are neighbours.
    design : Design
        Through which the counted reports were drawn; its left inverse makes the scores unbiased.
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    design: Design
    scored: Scores = field(init=False, repr=False, compare=False)
    largest_change: Sensitivity = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        require_member(NeighbouringRelation, self.relation, "relation")
        object.__setattr__(self, "scored", self._scored())
        object.__setattr__(self, "largest_change", self.scored.sensitivity(self.relation))

    @abstractmethod
    def _scored(self) -> Scores:
        """Check the mechanism's further arguments, and return its scores."""

    @property
    def loss(self) -> PrivacyLoss:
        """What one output costs, under `relation`."""
        return PrivacyLoss(self.epsilon)

    @property
    def sensitivity(self) -> Sensitivity:
        """Of every candidate's score, under `relation`."""
        return self.largest_change

    def scores(self, counts: Sequence[int]) -> tuple[Fraction, ...]:
        """Return the exact score of each candidate."""
        return self.scored.values(counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(ScoredMechanism[Output]):
    """One candidate, chosen by the exponential mechanism unless a subclass says otherwise."""

    @property
    @abstractmethod
    def outputs(self) -> Sequence[Output]:
        """What each candidate is called, in the order of the scores."""

    @property
    def selection(self) -> Selection:
        """How a candidate is chosen."""
        return ExponentialMechanism(self.epsilon, self.sensitivity.value)

    @property
    def concentrated(self) -> ConcentratedLoss | None:
        """The same as zero-concentrated privacy: ε²/8 for the exponential mechanism."""
        return self.selection.concentrated

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> Output:
        """Draw one candidate."""
        return self.outputs[self.selection.choose(self.scores(counts), randbelow)]

    def probability(self, output: Output, counts: Sequence[int]) -> float:
        """Return the probability of this candidate; 0 for what is none."""
        chances = self.selection.probabilities(self.scores(counts))
        return chances[self.outputs.index(output)] if output in self.outputs else 0.0

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return by how much the score of what is chosen at most falls short of the best; n does not matter."""
        whole_number(n, "n")
        return ErrorBound(self.selection.error_bound(len(self.outputs), confidence_level), confidence_level)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceOfCode(Choice[int]):
    """One code."""

    @property
    def outputs(self) -> Sequence[int]:
        """The codes of all candidates."""
        return range(len(self.scored.forms))
