import math
import os
from collections.abc import Hashable, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from itertools import product

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, k_ary
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.mechanism import Norm, Sensitivity
from surveys.privacy.mechanisms.median_grid import ReleasedMedian
from surveys.privacy.mechanisms.smooth_median import SmoothMedian
from tests.privacy.chance import seeded
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.evidence import evidence_of
from tests.privacy.mechanisms.neighbours import DataSet
from tests.privacy.mechanisms.ordered import (
    COIN,
    LATE,
    QUESTIONS,
    TRUTHS,
    all_counts,
    local_sensitivities,
    median_by_definition,
    replaced,
)
from tests.privacy.mechanisms.planted import Lying, Planted

REPLACE = NeighbouringRelation.REPLACE_ONE
FIELDS = [given.name for given in fields(SmoothMedian) if given.init]


def smooth_median(
    values: tuple[object, ...] = (0, 1, 5),
    design: Design = TRUTHS,
    epsilon: object = Fraction(1),
    step: object = Fraction(1, 4),
    **more: object,
) -> SmoothMedian:
    return SmoothMedian(epsilon=epsilon, relation=REPLACE, values=values, design=design, step=step, **more)


class OrderedConformance(MechanismConformance):
    """For one relation only, and data with at least one response."""

    smallest_n = 1
    draws = 1_000

    def length(self, mechanism: SmoothMedian) -> int:
        return mechanism.design.m

    def test_both_relations_are_tested(self) -> None:
        with pytest.raises(ValueError, match=r"^relation .*REPLACE_ONE"):
            replace(self.mechanisms()[0], relation=NeighbouringRelation.ADD_OR_REMOVE_ONE)

    def test_what_is_published_is_exact(self) -> None:
        for mechanism in self.mechanisms():
            published = [output.value for output in self.outputs(mechanism)]
            assert all(value is None or type(value) is Fraction for value in published)


class AtLocalSensitivity(SmoothMedian):
    """Noise of the local sensitivity itself, which may jump between neighbours."""

    __slots__ = ()

    def decisive_jump(self, counts: Sequence[int]) -> object:
        jump = self.answers.jumps(counts)[0]
        return jump._replace(width=self.answers.local_sensitivity(counts) or Fraction(1, 10), distance=0)


class TestSmoothMedian(OrderedConformance):
    largest_n = 4
    each_n = range(1, 201, 6)
    some_n = (1, 5, 149)

    def mechanisms(self) -> list[SmoothMedian]:
        return [
            smooth_median(epsilon=Fraction(3), step=Fraction(1, 2)),
            smooth_median((0, 4, 5), COIN, Fraction(4), Fraction(1)),
            smooth_median(("1/3", 1, 5), LATE, Fraction(2), Fraction(2, 3), smoothing="1/5", telling="2/5"),
        ]

    def statistic(self, mechanism: SmoothMedian, data: DataSet) -> list[Fraction]:
        return [median_by_definition(mechanism.values, mechanism.design, data.counts)]

    def outputs(self, mechanism: SmoothMedian) -> list[Hashable]:
        numbers = [mechanism.grid.number(place) for place in range(mechanism.grid.last + 1)]
        return [ReleasedMedian(number, distance) for number in numbers for distance in range(self.largest_n + 1)]

    def error(self, mechanism: SmoothMedian, output: ReleasedMedian, data: DataSet) -> Fraction:
        return abs(output.value - self.statistic(mechanism, data)[0])

    def attained(self, mechanism: SmoothMedian) -> float:
        return 0.4

    def audited(self, mechanism: SmoothMedian) -> float:
        return 0.05

    def planted(self, mechanism: SmoothMedian) -> list[Planted]:
        local = AtLocalSensitivity(**{name: getattr(mechanism, name) for name in FIELDS})
        at_local = Lying(mechanism, draws_as=local.release, probability_of=local.probability)
        fault = Planted("noise of the local sensitivity itself", at_local, "check_neighbours")
        return [*super().planted(mechanism), fault]

    def coverage(self, mechanism: SmoothMedian, stated: SmoothMedian, level: float) -> float:
        """How often at least what `stated` says of draws of the mechanism holds, over all data, by the formula."""
        evidence = evidence_of(self, mechanism)
        bounds = {distance: stated.stated_bound(distance, level) for distance in range(self.largest_n + 1)}
        return min(
            p[[self.error(mechanism, output, data) <= bounds[output.distance] for output in evidence.outputs]].sum()
            for data, p in zip(evidence.data, evidence.probabilities, strict=True)
        )

    @pytest.mark.uncounted
    @pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
    def test_the_bound_that_is_stated_holds_at_its_level(self, mechanism: SmoothMedian, level: float) -> None:
        assert self.coverage(mechanism, mechanism, level) >= level - 1e-9


@pytest.mark.uncounted
@pytest.mark.parametrize(("values", "design"), QUESTIONS)
@pytest.mark.parametrize("beta", [Fraction(1, 10), Fraction(1, 2), Fraction(2)])
def test_the_smooth_sensitivity_is_that_of_the_definition_and_smooth(
    values: tuple[object, ...], design: Design, beta: Fraction
) -> None:
    mechanism, n = smooth_median(values, design, 4 * beta), 4
    local = local_sensitivities(mechanism.values, design, n)
    smooth = {}
    for counts, widths in local.items():
        jump = mechanism.decisive_jump(counts)
        smooth[counts] = float(jump.width) * math.exp(-beta * jump.distance)
        defined = max(float(width) * math.exp(-beta * j) for j, width in enumerate(widths))
        assert smooth[counts] == pytest.approx(defined, rel=1e-12)
    distances = {counts: mechanism.distance(counts) for counts in local}
    for one, other in product(local, repeat=2):
        if replaced(one, other) == 1:
            assert smooth[one] <= math.exp(beta) * smooth[other] * (1 + 1e-12)
            assert abs(distances[one] - distances[other]) <= 1
    for counts, sensitivity in smooth.items():
        reports = math.log(float(mechanism.answers.width) / sensitivity) / beta
        assert distances[counts] == math.floor(reports + 1e-9)
        assert 0 <= distances[counts] <= n


@pytest.mark.parametrize(("values", "design"), QUESTIONS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_no_data_can_have_a_smaller_stated_bound_than_the_best(
    values: tuple[object, ...], design: Design, n: int
) -> None:
    mechanism = smooth_median(values, design, Fraction(40))
    farthest = max(mechanism.distance(counts) for counts in all_counts(design.m, n))
    drawn = farthest - mechanism.of_distance.error_bound(0.5)
    bound = mechanism.error_bound(n, 0.5)
    assert bound.at_best == mechanism.stated_bound(drawn, 0.5)
    assert bound.at_most == mechanism.stated_bound(0, 0.5)


def test_half_of_epsilon_pays_for_the_noise_and_a_quarter_each_for_its_scale_and_for_telling_it() -> None:
    mechanism = smooth_median(epsilon=Fraction(3))
    assert (mechanism.alpha, mechanism.beta, mechanism.of_distance.epsilon) == (Fraction(3, 2), *[Fraction(3, 4)] * 2)
    other = smooth_median(epsilon=Fraction(3), smoothing="1/3", telling="1/6")
    assert (other.alpha, other.beta, other.of_distance.epsilon) == (Fraction(3, 2), 1, Fraction(1, 2))
    # 2 of 3 say 0: one change moves the median by 5, and the scale is S/α = 5/(3/2), in steps of 1/4.
    assert float(mechanism.noise((2, 0, 1)).scale) == pytest.approx(40 / 3)


def test_with_many_responses_the_median_is_nearly_always_itself() -> None:
    mechanism = smooth_median((1, 2, 3, 4, 5), k_ary(5, "1/2"), step=Fraction(1, 100))
    counts = (100, 300, 500, 200, 100)
    at_three = mechanism.noise(counts).probability_of_nearest(200, Fraction(200), mechanism.grid.last)
    assert at_three > 0.999999
    assert mechanism.release(counts).value == 3
    assert mechanism.error_bound(1_200, 0.99).at_best <= 0.0051
    assert mechanism.error_bound(1_200, 0.99).at_most == 4


THREE = {30: (2, 4, 18, 4, 2), 180: (15, 25, 100, 25, 15), 780: (60, 120, 420, 120, 60)}


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize("n", THREE)
def test_the_bound_stated_with_a_draw_holds_and_says_something_where_there_are_many_reports(n: int) -> None:
    mechanism, counts = smooth_median((1, 2, 3, 4, 5), k_ary(5, "1/2"), step=Fraction(1, 100)), THREE[n]
    median = mechanism.values[mechanism.answers.median_code(counts)]
    randbelow, draws = seeded(20_310 + n), int(os.environ.get("TESTS_DRAWS", "200"))
    off, stated = [], []
    for _ in range(draws):
        drawn = mechanism.release(counts, randbelow)
        off.append(float(abs(drawn.value - median)))
        stated.append(mechanism.stated_bound(drawn.distance, 0.95))
    covered = sum(error <= bound for error, bound in zip(off, stated, strict=True)) / draws
    useful = sum(bound < 1 for bound in stated) / draws
    print(f"n = {n}: of {draws} draws {covered:.4f} are within what is stated, {useful:.4f} of which is below ±1")  # noqa: T201
    assert covered >= 0.95
    assert (useful > 0.95) == (n >= 180)


@pytest.mark.uncounted
def test_a_bound_read_for_less_noise_than_was_drawn_is_seen_not_to_hold() -> None:
    suite = TestSmoothMedian()
    drawn, _, _ = suite.mechanisms()
    boasted = replace(drawn, epsilon=8 * drawn.epsilon)
    assert suite.coverage(drawn, boasted, 0.95) < 0.9


def test_what_is_not_on_the_grid_is_never_published() -> None:
    mechanism = smooth_median()
    for value in (Fraction(1, 3), Fraction(-1), Fraction(6), None):
        assert mechanism.probability(ReleasedMedian(value, 1), (1, 1, 1)) == 0
    for distance in (-1, 4, 0.5, None):
        assert mechanism.probability(ReleasedMedian(Fraction(1), distance), (1, 1, 1)) == 0
    assert mechanism.probability(Fraction(1), (1, 1, 1)) == 0


def test_its_cost_and_sensitivity() -> None:
    mechanism = smooth_median((-2, 1, 5), epsilon=Fraction(7, 10))
    assert mechanism.loss == PrivacyLoss(Fraction(7, 10))
    assert mechanism.sensitivity == Sensitivity(Fraction(7), Norm.ABSOLUTE, REPLACE)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**400), Fraction(10**400)])
def test_an_epsilon_beyond_all_floats_is_defined(epsilon: Fraction) -> None:
    mechanism = smooth_median(epsilon=epsilon)
    assert mechanism.probability(mechanism.release((3, 9, 2)), (3, 9, 2)) > 0
    assert mechanism.error_bound(14, 0.95).at_most in {5.0, 0.125}


@pytest.mark.parametrize("share", ["smoothing", "telling"])
@pytest.mark.parametrize("value", [0, "3/4", 1, -1, 2, math.nan, 0.5])
def test_a_share_that_leaves_nothing_for_what_else_is_paid_is_refused(share: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"^{share}|^smoothing and telling "):
        smooth_median(**{share: value})


@pytest.mark.parametrize("n", [0, -1, 1.0, True])
def test_an_error_bound_needs_a_response(n: object) -> None:
    with pytest.raises(ValueError, match=r"^n must be"):
        smooth_median().error_bound(n, 0.95)
