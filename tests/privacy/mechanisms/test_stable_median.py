import math
from collections.abc import Hashable, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from itertools import count

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, k_ary
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.median_grid import ReleasedMedian
from surveys.privacy.mechanisms.stable_median import StableMedian
from tests.privacy.mechanisms.every_n import undecided
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.ordered import COIN, EARLY, TRUTHS, all_counts, local_sensitivities, median_by_definition
from tests.privacy.mechanisms.planted import Lying, Planted
from tests.privacy.mechanisms.test_smooth_median import OrderedConformance

REPLACE = NeighbouringRelation.REPLACE_ONE
FIELDS = [given.name for given in fields(StableMedian) if given.init]


def stable_median(
    values: tuple[object, ...] = (0, 1, 5), design: Design = TRUTHS, bound: object = Fraction(1), **more: object
) -> StableMedian:
    given = {"epsilon": Fraction(2), "delta": Fraction(1, 10), "step": Fraction(1, 2)} | more
    return StableMedian(relation=REPLACE, values=values, design=design, bound=bound, **given)


class Unsure(StableMedian):
    """Compares without noise."""

    __slots__ = ()

    def probability(self, output: ReleasedMedian, counts: Sequence[int]) -> float:
        passed = self.stability(counts) >= 1
        if output.value is None:
            return float(not passed)
        return passed * super().probability(output, counts) / self.test.probability(self.stability(counts))


class TestStableMedian(OrderedConformance):
    each_n = range(20, 201, 12)
    some_n = (1, 20, 50, 149, 151)
    telling_n = 20

    def mechanisms(self) -> list[StableMedian]:
        return [
            stable_median(),
            stable_median((0, 1, 5), COIN, Fraction(4), epsilon=Fraction(3), delta=Fraction(1, 5)),
            stable_median((0, 1, 3, 7), EARLY, Fraction(0), epsilon=Fraction(1), delta=Fraction(1, 5)),
        ]

    def statistic(self, mechanism: StableMedian, data: DataSet) -> list[int]:
        local = local_sensitivities(mechanism.values, mechanism.design, data.n)[data.counts]
        return [next(j for j in count() if local[j] > mechanism.bound)]

    def outputs(self, mechanism: StableMedian) -> list[Hashable]:
        numbers = [mechanism.grid.number(place) for place in range(mechanism.grid.last + 1)]
        return [ReleasedMedian(None), *map(ReleasedMedian, numbers)]

    def error(self, mechanism: StableMedian, output: ReleasedMedian, data: DataSet) -> float | Fraction:
        if output.value is None:
            return math.inf
        return abs(output.value - median_by_definition(mechanism.values, mechanism.design, data.counts))

    def at(self, mechanism: StableMedian, n: int) -> tuple[StableMedian, DataSet]:
        return mechanism, undecided(mechanism, self.counted(mechanism), self.length(mechanism), n, ReleasedMedian(None))

    def numbers(self, mechanism: StableMedian, output: Hashable, data: DataSet) -> tuple[()]:
        return ()

    def attained(self, mechanism: StableMedian) -> float:
        return 0.0  # so few responses hardly ever pass a test at so small a delta: see test_stability for many

    def planted(self, mechanism: StableMedian) -> list[Planted]:
        unsure = Unsure(**{name: getattr(mechanism, name) for name in FIELDS})
        lenient = replace(mechanism, delta=Fraction(49, 100))
        low = Lying(mechanism, draws_as=lenient.release, probability_of=lenient.probability)
        return [
            *super().planted(mechanism),
            Planted(
                "a comparison without noise", Lying(mechanism, probability_of=unsure.probability), "check_neighbours"
            ),
            Planted("a threshold too low", low, "check_neighbours"),
        ]


def test_half_of_epsilon_pays_the_test_and_half_the_noise() -> None:
    mechanism = stable_median(epsilon=Fraction(3))
    assert (mechanism.test.epsilon, mechanism.noise.epsilon) == (Fraction(3, 2), Fraction(3, 2))
    assert mechanism.loss == PrivacyLoss(Fraction(3), Fraction(1, 10))


def test_the_noise_covers_any_two_values_within_the_bound_on_the_grid() -> None:
    assert stable_median((0, 1, 5), bound=Fraction(1)).noise.sensitivity == 2
    assert stable_median((0, 1, 5), bound=Fraction(9, 2)).noise.sensitivity == 8
    # 0.9 and 2.1 are 1.2 apart, which is 3 of these steps; rounded to the grid they are 2 and 5 steps up.
    assert stable_median((0, "0.9", "2.1"), bound="1.2", step="0.4").noise.sensitivity == 3


def test_a_bound_that_no_two_values_keep_to_needs_no_noise_and_all_of_epsilon_pays_the_test() -> None:
    for bound in (Fraction(0), Fraction(1, 2)):
        mechanism = stable_median(bound=bound, epsilon=Fraction(3))
        assert (mechanism.noise, mechanism.test.epsilon) == (None, 3)
        assert mechanism.probability(ReleasedMedian(Fraction(1)), (1, 40, 1)) > 0.999
        assert mechanism.release((1, 400, 1)) == ReleasedMedian(Fraction(1))


def test_the_test_is_at_the_distance_to_a_larger_local_sensitivity() -> None:
    mechanism = stable_median()
    for n in (3, 5):
        for counts, local in local_sensitivities(mechanism.values, TRUTHS, n).items():
            assert mechanism.stability(counts) == next(j for j in count() if local[j] > 1)


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("design", [TRUTHS, COIN])
def test_no_data_are_more_stable_than_the_best_where_all_reports_are_the_same(n: int, design: Design) -> None:
    mechanism = stable_median(design=design)
    alike = [tuple(n * (code == answer) for code in range(3)) for answer in range(3)]
    assert max(map(mechanism.stability, alike)) == max(map(mechanism.stability, all_counts(3, n)))


def test_the_error_is_infinite_where_it_refuses_and_at_best_that_of_the_noise() -> None:
    mechanism = stable_median((1, 2, 3, 4, 5), k_ary(5, "1/2"), delta=Fraction(1, 10**6))
    few, many = mechanism.error_bound(10, 0.95), mechanism.error_bound(1_000, 0.95)
    assert (few.at_most, few.at_best, many.at_most) == (math.inf, math.inf, math.inf)
    assert many.at_best == 3  # 6 steps of noise of scale 2, and the values are on the grid
    assert stable_median((0, 1, 50), bound=Fraction(1)).error_bound(1_000, 0.95).at_best == pytest.approx(3)
    assert stable_median(bound=Fraction(0)).error_bound(1_000, 0.95).at_best == 0


def test_what_is_not_on_the_grid_is_never_published() -> None:
    assert [stable_median().probability(ReleasedMedian(Fraction(x)), (1, 1, 1)) for x in ("1/3", "-1", "6")] == [0] * 3
    assert stable_median().probability(Fraction(1), (1, 1, 1)) == 0


@pytest.mark.parametrize("bound", [-1, 5, 6, math.nan, math.inf, 0.5])
def test_a_bound_that_is_none_or_needs_no_test_is_refused(bound: object) -> None:
    with pytest.raises(ValueError, match=r"^bound must be"):
        stable_median(bound=bound)


@pytest.mark.parametrize("n", [0, -1, 1.0, True])
def test_an_error_bound_needs_a_response(n: object) -> None:
    with pytest.raises(ValueError, match=r"^n must be"):
        stable_median().error_bound(n, 0.95)
