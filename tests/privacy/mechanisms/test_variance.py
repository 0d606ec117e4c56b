from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import k_ary, warner
from surveys.privacy.mechanisms.reported_numbers import numbers_of_bands, numbers_of_limits, undisguised_numbers
from surveys.privacy.mechanisms.variance import BoundedVariance, NoisyVariance
from tests.privacy.mechanisms.conformance import ROUNDING, MechanismConformance
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.test_mean import likely_sums, rows

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE
RAW = undisguised_numbers([0, 1, 2])
BANDS = numbers_of_bands([0, 2, 4, 6], k_ary(3, "4/5"))


class TestBoundedVariance(MechanismConformance):
    largest_n = 2
    outside = 3e-3

    def mechanisms(self) -> Sequence[BoundedVariance]:
        return [
            BoundedVariance(epsilon=epsilon, relation=relation, numbers=numbers)
            for epsilon, relation, numbers in [("4", REPLACE, RAW), ("8", REPLACE, BANDS), ("6", ADD, RAW)]
        ]

    def statistic(self, mechanism: BoundedVariance, data: DataSet) -> list[Fraction]:
        numbers = mechanism.numbers
        squares = [
            sum(((x - numbers.centre) ** 2 * row[j] for x, row in zip(numbers.numbers, rows(numbers), strict=True)))
            for j in range(3)
        ]
        half = (min(squares) + max(squares)) / 2
        return [sum(((square - half) * count for square, count in zip(squares, data.counts, strict=True)), Fraction(0))]

    def outputs(self, mechanism: BoundedVariance) -> list[NoisyVariance]:
        parts = mechanism.parts
        squares, totals = (likely_sums(one, self.largest_n, self.outside / 4) for one in parts.sums)
        counts = (
            [Fraction(n) for n in range(self.largest_n + 1)]
            if parts.count is None
            else likely_sums(parts.count, self.largest_n, self.outside / 4)
        )
        return [NoisyVariance(*drawn) for drawn in product(squares, totals, counts)]

    def error(self, mechanism: BoundedVariance, output: NoisyVariance, data: DataSet) -> float:
        return abs(_value(mechanism, output) - _without_noise(self, mechanism, data)) - ROUNDING

    def attained(self, mechanism: BoundedVariance) -> float:
        # Between 0 and 2 both have the same square, and between 0 and 1 the numbers differ by half their range only.
        return 2 / 3


@cache
def _without_noise(suite: TestBoundedVariance, mechanism: BoundedVariance, data: DataSet) -> float:
    deviations = mechanism.numbers.deviations
    total = sum((x * count for x, count in zip(deviations, data.counts, strict=True)), Fraction(0))
    return _value(mechanism, NoisyVariance(suite.statistic(mechanism, data)[0], total, Fraction(data.n)))


@cache
def _value(mechanism: BoundedVariance, output: NoisyVariance) -> float:
    return float(mechanism.value(output))


def test_halves_with_public_n_and_thirds_with_private_n() -> None:
    for relation, parts in ((REPLACE, 2), (ADD, 3)):
        mechanism = BoundedVariance(epsilon=Fraction(1), relation=relation, numbers=RAW)
        drawn = [*mechanism.parts.sums, *([mechanism.parts.count] if mechanism.parts.count else [])]
        assert [one.epsilon for one in drawn] == [Fraction(1, parts)] * parts


@pytest.mark.parametrize(("relation", "expected"), [(REPLACE, 25), (ADD, Fraction(25, 2))])
def test_squares_have_the_sensitivity_of_the_textbook(relation: NeighbouringRelation, expected: Fraction) -> None:
    mechanism = BoundedVariance(epsilon=Fraction(1), relation=relation, numbers=undisguised_numbers([-2, 3, 8]))
    assert mechanism.sensitivity.value == expected


def test_hardly_any_noise_leaves_the_variance() -> None:
    mechanism = BoundedVariance(epsilon=Fraction(10_000), relation=ADD, numbers=undisguised_numbers([0, 1, 10]))
    numbers = [0] * 5 + [1] * 3 + [10] * 2
    mean = Fraction(sum(numbers), 10)
    assert mechanism.value(mechanism.release([5, 3, 2])) == sum((x - mean) ** 2 for x in numbers) / 10


def test_hardly_any_noise_leaves_the_debiased_variance_of_those_who_say() -> None:
    design = k_ary(4, "1/2")
    numbers = numbers_of_bands([0, 2, 4, 6], design)
    mechanism = BoundedVariance(epsilon=Fraction(10_000), relation=REPLACE, numbers=numbers)
    truths = [10, 20, 30, 40]
    counts = [int(1000 * sum(p * t for p, t in zip(row, truths, strict=True))) for row in design.matrix]
    # Bands of 1, 3 and 5 with shares of 1/6, 2/6 and 3/6 have the variance 5/9·4.
    assert mechanism.raw(mechanism.release(counts)) == pytest.approx(Fraction(20, 9))


def test_the_result_is_one_that_numbers_within_the_limits_can_have() -> None:
    mechanism = BoundedVariance(epsilon=Fraction(1), relation=REPLACE, numbers=BANDS)
    too_small, too_large = (NoisyVariance(Fraction(squares), Fraction(0), Fraction(10)) for squares in (-99, 999))
    assert mechanism.raw(too_small) < mechanism.value(too_small) == 0
    assert mechanism.raw(too_large) > mechanism.value(too_large) == 9


@pytest.mark.parametrize("numbers", [numbers_of_limits(0, 10, warner("3/4")), numbers_of_limits(0, 10, k_ary(3))])
def test_one_bit_tells_no_variance(numbers: object) -> None:
    with pytest.raises(ValueError, match="one bit tell"):
        BoundedVariance(epsilon=Fraction(1), relation=REPLACE, numbers=numbers)


def test_the_bound_falls_with_n_and_promises_nothing_for_few_or_for_unknown_ones() -> None:
    mechanism = BoundedVariance(epsilon=Fraction(1), relation=ADD, numbers=BANDS)
    few, some, many = (mechanism.error_bound(n, 0.95).at_most for n in (2, 300, 30_000))
    assert few == 9
    assert 0 < many < some / 50 < 9
    unsaid = numbers_of_bands([0, 2, 4, 6], k_ary(4, "1/2"))
    bound = BoundedVariance(epsilon=Fraction(1), relation=REPLACE, numbers=unsaid).error_bound(30_000, 0.95)
    assert bound.at_best < 0.1
    assert bound.at_most == 9
