"""What every learner must do, beside what every mechanism must; and small domains to do it on."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.learning.domain import CodedItem, PatternDomain
from surveys.privacy.learning.learner import Learner, LearningCertificate
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.distinguishing import audited_epsilon
from tests.privacy.mechanisms.every_n import even
from tests.privacy.mechanisms.neighbours import DataSet

REPLACE = NeighbouringRelation.REPLACE_ONE


def item(name: str, codes: int = 2, values: Sequence[object] | None = None) -> CodedItem:
    return CodedItem(name=name, codes=codes, values=values)


def domain_of(*predictors: int, outcome: int = 2) -> PatternDomain:
    """A domain of an outcome and of predictors with so many codes."""
    return PatternDomain(
        outcome=item("outcome", outcome),
        predictors=[item(f"predictor {place}", codes) for place, codes in enumerate(predictors)],
    )


CONSTANT = domain_of()
"""Two patterns, and one parameter."""

TWO = domain_of(2)
"""Four patterns, and two parameters."""


@dataclass(frozen=True)
class Tight:
    """A learner, two neighbours that it tells apart as well as it may, by which event, and how many draws show it."""

    learner: Learner
    neighbours: tuple[tuple[int, int], tuple[int, int]]
    is_event: Callable[[Any], bool]
    draws: int = 20_000

    def shown(self, epsilon: Fraction) -> float:
        learner = replace(self.learner, epsilon=epsilon)
        one, other = (
            sum(self.is_event(learner.release(counts, randbelow)) for _ in range(self.draws))
            for counts, randbelow in zip(self.neighbours, (seeded(20_341), seeded(20_342)), strict=True)
        )
        return audited_epsilon(one, other, self.draws, float(learner.loss.delta))

    def require_tight(self) -> None:
        epsilon = self.learner.loss.epsilon
        assert 0.8 * epsilon <= self.shown(epsilon) <= epsilon
        # The twin: noise for half of what one response changes.
        assert self.shown(2 * epsilon) > epsilon


class LearnerConformance(MechanismConformance):
    """Of ten responses, where two patterns are allowed; and at several n of two coefficients, and two steps if any."""

    smallest_n = largest_n = 10
    each_n = range(20, 201)
    some_n = (20, 50, 149, 151)

    @abstractmethod
    def of_two(self, mechanism: Learner, n: int) -> Learner:
        """Return the same kind of learner of two coefficients, or candidates, and two steps, for n responses."""

    def at(self, mechanism: Learner, n: int) -> tuple[Learner, DataSet]:
        return self.of_two(mechanism, n), even(Counted.CODES, TWO.cells, n)

    def length(self, mechanism: Learner) -> int:
        return 2

    def test_both_relations_are_tested(self) -> None:
        """One is, as the other is refused."""
        assert {mechanism.relation for mechanism in self.mechanisms()} == {REPLACE}
        with pytest.raises(ValueError, match="relation must be REPLACE_ONE, as n is public"):
            replace(self.mechanisms()[0], relation=NeighbouringRelation.ADD_OR_REMOVE_ONE)

    def test_counts_that_do_not_sum_to_n_are_refused(self, mechanism: Learner) -> None:
        first, *others = self.largest(mechanism).counts
        with pytest.raises(ValueError, match=f"counts must sum to n = {self.largest_n}"):
            mechanism.release([first + 1, *others], seeded(1))

    def test_a_run_has_a_certificate_and_its_utility_is_known_beforehand(self, mechanism: Learner) -> None:
        output = mechanism.release(self.largest(mechanism).counts, seeded(2))
        assert isinstance(mechanism.certificate(output), LearningCertificate)
        assert mechanism.utility > 0
