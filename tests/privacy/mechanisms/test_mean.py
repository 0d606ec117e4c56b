from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from types import ModuleType

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import k_ary, warner
from surveys.privacy.mechanisms.mean import BoundedMean, NoisyMean
from surveys.privacy.mechanisms.reported_numbers import (
    ReportedNumbers,
    numbers_of_bands,
    numbers_of_limits,
    undisguised_numbers,
)
from surveys.privacy.mechanisms.total import BoundedTotal
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.conformance import ROUNDING, MechanismConformance
from tests.privacy.mechanisms.neighbours import DataSet

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE
RAW = undisguised_numbers([0, 1, 4])
ONE_BIT_OR_UNSAID = numbers_of_limits(0, 10, k_ary(3, "4/5"))


def likely_sums(mechanism: BoundedTotal, largest_n: int, left_out: float) -> list[Fraction]:
    largest = mechanism.noise.error_bound(1 - left_out)
    smallest, most = min(*mechanism.grid.steps, 0) * largest_n, max(*mechanism.grid.steps, 0) * largest_n
    return [
        mechanism.grid.value(steps, n)
        for n in (range(largest_n + 1) if mechanism.grid.base else [0])
        for steps in range(smallest - largest, most + largest + 1)
    ]


class TestBoundedMean(MechanismConformance):
    largest_n = 3
    outside = 3e-3

    def mechanisms(self) -> Sequence[BoundedMean]:
        return [
            BoundedMean(epsilon=epsilon, relation=relation, numbers=numbers)
            for epsilon, relation, numbers in [
                ("2", REPLACE, RAW),
                ("3", REPLACE, numbers_of_bands([0, 10, 20, 30], k_ary(3, "1/2"))),
                ("5", REPLACE, ONE_BIT_OR_UNSAID),
                ("3", ADD, RAW),
                ("10", ADD, ONE_BIT_OR_UNSAID),
            ]
        ]

    def statistic(self, mechanism: BoundedMean, data: DataSet) -> list[Fraction]:
        numbers = mechanism.numbers
        middle = numbers.middle
        deviations = [
            sum(
                (
                    (number - middle) * row[report]
                    for number, row in zip(numbers.numbers, rows(numbers), strict=True)
                    if number is not None
                ),
                Fraction(0),
            )
            for report in range(3)
        ]
        return [sum((x * count for x, count in zip(deviations, data.counts, strict=True)), Fraction(0))]

    def outputs(self, mechanism: BoundedMean) -> list[NoisyMean]:
        parts = mechanism.parts
        counts = (
            [Fraction(n) for n in range(self.largest_n + 1)]
            if parts.count is None
            else likely_sums(parts.count, self.largest_n, self.outside / 3)
        )
        return [
            NoisyMean(total, count)
            for total, count in product(likely_sums(parts.sums[0], self.largest_n, self.outside / 3), counts)
        ]

    def error(self, mechanism: BoundedMean, output: NoisyMean, data: DataSet) -> float:
        return abs(_value(mechanism, output) - _without_noise(self, mechanism, data)) - ROUNDING

    def attained(self, mechanism: BoundedMean) -> float:
        # The report that changes the sum most need not be the one that changes the number most.
        return 1.0 if mechanism.numbers.everybody_says else 0.5


@cache
def _without_noise(suite: TestBoundedMean, mechanism: BoundedMean, data: DataSet) -> float:
    total = sum((a * count for a, count in zip(mechanism.numbers.answering, data.counts, strict=True)), Fraction(0))
    return _value(mechanism, NoisyMean(suite.statistic(mechanism, data)[0], total))


@cache
def _value(mechanism: BoundedMean, output: NoisyMean) -> float:
    return float(mechanism.value(output))


def rows(numbers: ReportedNumbers) -> Sequence[Sequence[Fraction]]:
    identity = [[Fraction(i == j) for j in range(3)] for i in range(3)]
    return identity if numbers.design is None else numbers.design.inverse


def test_with_public_n_only_the_sum_is_drawn() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=RAW)
    assert mechanism.parts.count is None
    assert mechanism.parts.sums[0].epsilon == 1
    assert mechanism.sensitivity.value == 4
    assert mechanism.release([3, 4, 5], seeded(1)).count == 12


def test_with_private_n_the_sum_has_half_the_range_and_half_the_epsilon() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=ADD, numbers=RAW)
    assert mechanism.sensitivity.value == 2
    assert [mechanism.parts.sums[0].epsilon, mechanism.parts.count.epsilon] == [Fraction(1, 2)] * 2
    assert mechanism.parts.count.sensitivity.value == 1


def test_who_may_not_say_is_counted_privately_even_where_n_is_public() -> None:
    parts = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=ONE_BIT_OR_UNSAID).parts
    assert parts.count.values == tuple(1 - entry for entry in k_ary(3, "4/5").inverse[2])


def test_hardly_any_noise_leaves_the_debiased_mean() -> None:
    numbers = numbers_of_limits(0, 10, warner("3/4"))
    mechanism = BoundedMean(epsilon=Fraction(1000), relation=REPLACE, numbers=numbers)
    # 65 of 100 reports of the high limit are a share of (0.65 − 1/4)·2 = 0.8 who rounded to it.
    assert mechanism.value(mechanism.release([35, 65])) == 8
    beyond = mechanism.release([5, 95])
    assert (mechanism.raw(beyond), mechanism.value(beyond)) == (14, 10)


def test_a_noisy_number_below_1_divides_nothing() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=ADD, numbers=RAW)
    for count in (0, -5):
        assert mechanism.value(NoisyMean(Fraction(1), Fraction(count))) == 3


def test_the_bound_falls_with_n_and_promises_nothing_for_few_or_for_unknown_ones() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=ADD, numbers=RAW)
    few, some, many = (mechanism.error_bound(n, 0.95).at_most for n in (2, 100, 10_000))
    assert few == 4
    assert 0 < many < some / 50 < 4
    unsaid = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=ONE_BIT_OR_UNSAID).error_bound(10_000, 0.95)
    assert unsaid.at_best < 0.02
    assert unsaid.at_most == 10


@pytest.mark.oracle
@pytest.mark.parametrize(("low", "high"), [(0, 10), (-3, 5)])
def test_the_sensitivity_of_the_public_mean_is_that_of_opendp(dp: ModuleType, low: int, high: int) -> None:
    n = 25
    sized = dp.vector_domain(dp.atom_domain(bounds=(float(low), float(high)), T=float, nan=False), size=n)
    theirs = dp.t.make_mean(sized, dp.symmetric_distance()).map(2)
    ours = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=undisguised_numbers([low, high])).sensitivity
    # Theirs allows for the rounding of floats.
    assert float(ours.value / n) == pytest.approx(theirs, rel=1e-9)
