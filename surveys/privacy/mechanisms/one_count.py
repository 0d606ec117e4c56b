"""One noisy count: how many responses report one answer, and how many report any other.

Reading m counts as two, "this answer" and "another", is a function of each single response, so neighbours stay
neighbours and the two counts cost what a histogram of two codes costs. Where n is public that is one draw of
sensitivity 1, half of what all m counts would need.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.adjacency import Counted, NeighbouringRelation, require_member
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import LaplaceHistogram
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.mechanism import CentralMechanism, ErrorBound, Randbelow, Sensitivity
from surveys.privacy.rationals import positive, show_value, whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class OneCount(CentralMechanism[tuple[int, int]]):
    """The counts of all other reports and of one, with discrete Laplace noise.

    Parameters
    ----------
    epsilon : Fraction
        Above 0, in nats.
    relation : NeighbouringRelation
        Which data sets are neighbours.
    length : int
        How many codes there are, at least 2.
    answer : int
        The code that is counted.

    Examples
    --------
    >>> from surveys.privacy import NeighbouringRelation, OneCount
    >>> relation = NeighbouringRelation.REPLACE_ONE
    >>> mechanism = OneCount(epsilon=1, relation=relation, length=4, answer=2)
    >>> sum(mechanism.release([10, 20, 30, 40]))
    100
    """

    epsilon: Fraction
    relation: NeighbouringRelation
    length: int
    answer: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "length", whole_number(self.length, "length", 2))
        object.__setattr__(self, "answer", whole_number(self.answer, "answer", 0, self.length - 1))
        require_member(NeighbouringRelation, self.relation, "relation")

    @property
    def of_two(self) -> LaplaceHistogram:
        """The histogram of "another" and "this answer"."""
        return LaplaceHistogram(epsilon=self.epsilon, relation=self.relation, counted=Counted.CODES, length=2)

    @property
    def noise(self) -> DiscreteLaplace:
        """What is added to each count drawn."""
        return self.of_two.noise

    @property
    def is_one_count(self) -> bool:
        """Whether one count is drawn, and the other is the rest of the public n."""
        return self.of_two.is_one_count

    @property
    def loss(self) -> PrivacyLoss:
        """What the two counts cost."""
        return self.of_two.loss

    @property
    def sensitivity(self) -> Sensitivity:
        """In L1, of the counts that get noise of their own."""
        return self.of_two.sensitivity

    def release(self, counts: Sequence[int], randbelow: Randbelow = secrets.randbelow) -> tuple[int, int]:
        """Return how many report another answer, and how many this one, with noise."""
        others, this = self.of_two.release(self._two(counts), randbelow)
        return others, this

    def probability(self, output: tuple[int, int], counts: Sequence[int]) -> float:
        """Return the probability of these two noisy counts."""
        return self.of_two.probability(output, self._two(counts))

    def error_bound(self, n: int, confidence_level: float) -> ErrorBound:
        """Return how far the counts are from the true ones at most, in responses; n does not matter."""
        return self.of_two.error_bound(n, confidence_level)

    def _two(self, counts: Sequence[int]) -> tuple[int, int]:
        if len(counts) != self.length:
            raise ValueError(f"counts must hold {self.length} integers, got {show_value(counts)}")
        checked = [whole_number(count, "counts") for count in counts]
        return sum(checked) - checked[self.answer], checked[self.answer]
