from collections.abc import Sequence
from fractions import Fraction

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.one_count import OneCount
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.neighbours import DataSet

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE


class TestOneCount(MechanismConformance):
    largest_n = 2
    outside = 0.05
    within = 7

    def mechanisms(self) -> list[OneCount]:
        return [
            OneCount(epsilon=Fraction(7, 10), relation=REPLACE, length=3, answer=0),
            OneCount(epsilon=Fraction(7, 10), relation=ADD, length=3, answer=2),
        ]

    def statistic(self, mechanism: OneCount, data: DataSet) -> Sequence[int]:
        this = data.counts[mechanism.answer]
        return [this] if mechanism.relation is REPLACE else [data.n - this, this]

    def outputs(self, mechanism: OneCount) -> list[tuple[int, int]]:
        noisy = range(-self.within, self.largest_n + self.within + 1)
        if mechanism.is_one_count:
            return [(n - count, count) for count in noisy for n in range(self.largest_n + 1)]
        return [(one, other) for one in noisy for other in noisy]

    def numbers(self, mechanism: OneCount, output: tuple[int, int], data: DataSet) -> tuple[int, ...]:
        return output[1:] if mechanism.is_one_count else output

    def error(self, mechanism: OneCount, output: tuple[int, int], data: DataSet) -> int:
        this = data.counts[mechanism.answer]
        return max(abs(output[1] - this), abs(output[0] - (data.n - this)))


def test_it_costs_half_the_noise_of_a_histogram() -> None:
    one = OneCount(epsilon=Fraction(1), relation=REPLACE, length=4, answer=1)
    assert one.sensitivity.value == 1
    assert one.noise.sensitivity == 1
    assert one.is_one_count
    assert not OneCount(epsilon=Fraction(1), relation=ADD, length=4, answer=1).is_one_count


def test_both_counts_sum_to_the_public_number_of_responses() -> None:
    one = OneCount(epsilon=Fraction(1), relation=REPLACE, length=3, answer=2)
    assert {sum(one.release([3, 4, 5], seeded(seed))) for seed in range(20)} == {12}


@pytest.mark.parametrize("answer", [-1, 3, True, 1.0, None])
def test_an_answer_that_is_no_code_is_refused(answer: object) -> None:
    with pytest.raises(ValueError, match="answer"):
        OneCount(epsilon=Fraction(1), relation=REPLACE, length=3, answer=answer)


def test_a_relation_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="relation"):
        OneCount(epsilon=Fraction(1), relation="REPLACE_ONE", length=3, answer=0)
