from collections.abc import Sequence
from fractions import Fraction
from types import ModuleType

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import forced_response, k_ary
from surveys.privacy.mechanisms.total import BoundedTotal
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.neighbours import DataSet

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE
SKEWED = (Fraction(-3, 2), Fraction(1, 3), Fraction(5, 2))
DEBIASED = tuple(Fraction(20) + 10 * entry for entry in k_ary(3, "1/2").inverse[2])


class TestBoundedTotal(MechanismConformance):
    outside = 1e-6

    def mechanisms(self) -> Sequence[BoundedTotal]:
        return [
            BoundedTotal(epsilon=epsilon, relation=relation, values=values)
            for relation in (REPLACE, ADD)
            for epsilon, values in [("1", (0, 1, 2)), ("4", SKEWED), ("2", DEBIASED), ("1/2", (-3, 0, 1))]
        ]

    def statistic(self, mechanism: BoundedTotal, data: DataSet) -> list[Fraction]:
        return [sum((value * count for value, count in zip(mechanism.values, data.counts, strict=True)), Fraction(0))]

    def outputs(self, mechanism: BoundedTotal) -> list[Fraction]:
        largest = mechanism.noise.error_bound(1 - self.outside / 2)
        return [
            mechanism.grid.value(steps, n)
            for n in range(self.largest_n + 1)
            for steps in range(n * min(mechanism.grid.steps) - largest, n * max(mechanism.grid.steps) + largest + 1)
        ]

    def error(self, mechanism: BoundedTotal, output: Fraction, data: DataSet) -> Fraction:
        return abs(output - self.statistic(mechanism, data)[0])


@pytest.mark.parametrize(
    ("low", "high", "replaced", "added"), [(0, 10, 10, 10), (-3, 5, 8, 5), (-9, -2, 7, 9), ("1/2", "3/4", "1/4", "3/4")]
)
def test_numbers_between_limits_have_the_sensitivity_of_the_textbook(
    low: object, high: object, replaced: object, added: object
) -> None:
    for relation, expected in ((REPLACE, replaced), (ADD, added)):
        mechanism = BoundedTotal(epsilon=Fraction(1), relation=relation, values=(low, high))
        assert mechanism.sensitivity.value == Fraction(expected)


def test_two_values_are_one_count() -> None:
    inverse = forced_response().inverse
    values = tuple(15 + 70 * entry for entry in inverse[1])
    mechanism = BoundedTotal(epsilon=Fraction(1, 2), relation=REPLACE, values=values)
    assert mechanism.grid.steps == (0, 1)
    assert (mechanism.noise.epsilon, mechanism.noise.sensitivity) == (Fraction(1, 2), 1)


def test_the_debiased_total_is_that_of_the_truths_on_average() -> None:
    design, numbers = k_ary(3, "1/2"), (10, 20, 60)
    values = tuple(sum(x * row[report] for x, row in zip(numbers, design.inverse, strict=True)) for report in range(3))
    for truth, number in enumerate(numbers):
        assert sum(design.matrix[report][truth] * values[report] for report in range(3)) == number


def test_the_noise_does_not_depend_on_the_numbers_unit() -> None:
    coarse = BoundedTotal(epsilon=Fraction(1), relation=REPLACE, values=(0, 3, 10))
    fine = BoundedTotal(
        epsilon=Fraction(1), relation=REPLACE, values=(7, 7 + Fraction(3, 10**9), 7 + Fraction(1, 10**8))
    )
    assert coarse.grid.steps == fine.grid.steps
    assert fine.release([1, 2, 3], seeded(5)) - 42 - Fraction(36, 10**9) == Fraction(
        coarse.release([1, 2, 3], seeded(5)) - 36, 10**9
    )


def test_the_error_bound_is_in_the_numbers_unit() -> None:
    # q = exp(−1/10), and 2q^(t+1)/(1+q) is 0.052 for t = 29 and 0.047 for t = 30: of a count, and in steps of 100.
    mechanism = BoundedTotal(epsilon=Fraction(1, 10), relation=REPLACE, values=(0, 100))
    assert mechanism.error_bound(50, 0.95).at_most == 3000


def test_what_lies_between_two_steps_has_no_probability() -> None:
    mechanism = BoundedTotal(epsilon=Fraction(1), relation=REPLACE, values=(0, 2))
    assert mechanism.probability(Fraction(1), [1, 1]) == 0
    assert mechanism.probability(Fraction(2), [1, 1]) > 0.4


@pytest.mark.parametrize("values", [(1, 1), (0.5, 1), (1,), "01", (True, 0), None, (float("nan"), 1)])
def test_values_are_exact_and_differ(values: object) -> None:
    with pytest.raises(ValueError, match="values must"):
        BoundedTotal(epsilon=Fraction(1), relation=REPLACE, values=values)


def test_equal_values_count_those_who_come_and_go() -> None:
    assert BoundedTotal(epsilon=Fraction(1), relation=ADD, values=(3, 3)).sensitivity.value == 3
    with pytest.raises(ValueError, match="values must differ"):
        BoundedTotal(epsilon=Fraction(1), relation=ADD, values=(0, 0))


def test_a_relation_is_said() -> None:
    with pytest.raises(ValueError, match="relation must be"):
        BoundedTotal(epsilon=Fraction(1), relation=None, values=(0, 1))


@pytest.mark.oracle
@pytest.mark.parametrize(("low", "high"), [(0, 10), (-3, 5), (-9, -2)])
def test_the_sensitivity_is_that_of_opendp(dp: ModuleType, low: int, high: int) -> None:
    bounded = dp.vector_domain(dp.atom_domain(bounds=(low, high), T=int))
    sized = dp.vector_domain(dp.atom_domain(bounds=(low, high), T=int), size=10)
    ours = {
        relation: BoundedTotal(epsilon=Fraction(1), relation=relation, values=(low, high)).sensitivity.value
        for relation in (REPLACE, ADD)
    }
    assert ours[ADD] == dp.t.make_sum(bounded, dp.symmetric_distance()).map(1)
    # Their symmetric distance counts a replaced row as two: one that goes and one that comes.
    assert ours[REPLACE] == dp.t.make_sum(sized, dp.symmetric_distance()).map(2)


@pytest.mark.oracle
@pytest.mark.parametrize("values", [(0, 1), (0, 3, 10)])
def test_the_cost_is_that_of_opendp(dp: ModuleType, values: tuple[int, ...]) -> None:
    mechanism = BoundedTotal(epsilon=Fraction(1, 2), relation=REPLACE, values=values)
    scale = float(mechanism.noise.sensitivity / mechanism.noise.epsilon)
    laplace = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale)
    assert laplace.map(max(values)) == pytest.approx(0.5, rel=1e-10)
