import numpy as np
import pytest
from scipy import optimize, stats

from surveys.estimation.list_experiment.arms import list_arms
from surveys.estimation.list_experiment.design_effect import falling_types, find_design_effect, orthant_test
from surveys.estimation.list_experiment.types import estimate_list
from tests.estimation.list_experiment.population import COIN
from tests.golden import cases

RACE = [8, 132, 222, 227], [19, 123, 229, 219, 34]


@pytest.mark.parametrize("name", ["race", "affirm"])
def test_without_selection_the_p_value_is_the_r_packages(name: str) -> None:
    (case,) = cases("list_experiments", f"{name}_types")
    estimate = find_design_effect(estimate_list(**case["inputs"]), selection=False)
    # 2,000 draws for the weights, and n − 1 for the package's n.
    assert estimate.p_value == pytest.approx(case["outputs"]["p"], abs=0.015)
    assert not estimate.suspicious


def test_selection_keeps_what_is_not_clearly_above_0_by_its_own_standard_error() -> None:
    # The package divides by how much the estimates differ among each other, and comes to .044 here.
    estimate = find_design_effect(estimate_list(*RACE))
    assert estimate.tested.tolist() == [[False] * 4, [True, True, True, False]]
    assert estimate.p_value == pytest.approx(0.154, abs=0.015)


def test_the_distance_is_that_of_a_quadratic_program_and_its_tail_known_for_two_shares() -> None:
    covariance = np.array([[1.0, -0.5], [-0.5, 2.0]])
    point = np.array([-1.2, 0.3])
    statistic, p_value = orthant_test(point, covariance)
    inverse = np.linalg.inv(covariance)
    theirs = optimize.minimize(
        lambda theta: (point - theta) @ inverse @ (point - theta), np.ones(2), bounds=[(0, None)] * 2, tol=1e-12
    ).fun
    assert statistic == pytest.approx(theirs, rel=1e-6)
    angle = np.arccos(covariance[0, 1] / np.sqrt(2)) / (2 * np.pi)
    # Kudô's weights: all above 0, one at 0, both at 0.
    weights = 0.5 - angle, 0.5, angle
    exact = sum(weight * stats.chi2.sf(statistic, max(k, 1)) for k, weight in enumerate(weights) if k)
    assert p_value == pytest.approx(exact, abs=0.015)


def test_people_who_hide_innocuous_items_are_noticed_also_behind_a_coin() -> None:
    # Whoever has the item counts one innocuous item less than all when the list is the long one.
    control = [40, 120, 200, 240]
    treatment = [120, 180, 160, 130, 10]
    effect = find_design_effect(estimate_list(control, treatment))
    assert effect.suspicious
    assert effect.statistics[1] > 10
    assert find_design_effect(
        estimate_list([400, 1200, 2000, 2400], [1500, 1800, 1500, 1000, 200], designs=COIN)
    ).suspicious


def test_of_plain_counts_the_shares_of_none_and_all_cannot_fall_and_behind_a_coin_they_can() -> None:
    plain = list_arms([5, 5, 5], [5, 5, 5, 5], None)
    assert falling_types(plain).reshape(2, 3).tolist() == [[False, True, True], [True, True, False]]
    assert falling_types(list_arms([5, 5, 5, 5], [5, 5, 5, 5, 5], COIN)).all()


def test_counts_that_nobody_has_take_no_part_and_an_impossible_one_decides() -> None:
    # Nobody counts 0 in either arm: that share is 0 and does not vary.
    estimate = find_design_effect(estimate_list([0, 30, 40, 30], [0, 38, 35, 25, 2]), selection=False)
    assert 0 < estimate.p_value < 1
    never = find_design_effect(estimate_list([0, 0, 50], [0, 50, 0, 0]))
    assert (never.p_value, float(never.statistics.max())) == (0.0, np.inf)


def test_one_respondent_leaves_no_test() -> None:
    assert np.isnan(find_design_effect(estimate_list([1, 0], [3, 4, 2])).p_value)
