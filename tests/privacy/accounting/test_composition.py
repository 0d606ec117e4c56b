import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.composition import compose, compose_advanced, group_privacy
from surveys.privacy.accounting.optimal import optimal_epsilon
from surveys.privacy.loss import PrivacyLoss

SLACK = Fraction(1, 10**6)


def test_losses_add_up_exactly() -> None:
    tenth = PrivacyLoss(Fraction(1, 10), Fraction(1, 1000))
    assert compose([tenth] * 10) == PrivacyLoss(Fraction(1), Fraction(1, 100))


def test_nothing_released_costs_nothing() -> None:
    assert compose([]) == PrivacyLoss(Fraction(0), Fraction(0))


def test_delta_never_exceeds_1() -> None:
    heavy = PrivacyLoss(Fraction(1), Fraction(3, 4))
    assert compose([heavy] * 2).delta == 1
    assert compose_advanced(heavy, 2, SLACK).delta == 1
    assert group_privacy(heavy, 2).delta == 1


@pytest.mark.parametrize(("epsilon", "count"), [("0.1", 100), ("0.01", 10_000), ("1", 3), ("2.5", 1)])
def test_advanced_composition_is_its_formula_rounded_up(epsilon: str, count: int) -> None:
    loss = PrivacyLoss(epsilon, "0.0001")
    together = compose_advanced(loss, count, "1/1000000")
    e = float(epsilon)
    formula = e * math.sqrt(2 * count * math.log(1e6)) + count * e * (math.exp(e) - 1) / (math.exp(e) + 1)
    assert float(together.epsilon) == pytest.approx(formula, rel=1e-13, abs=0)
    assert together.delta == min(1, count * Fraction(1, 10_000) + SLACK)


def test_advanced_composition_of_many_small_losses_beats_basic_and_is_beaten_by_the_optimum() -> None:
    tenth = PrivacyLoss("0.1")
    advanced = float(compose_advanced(tenth, 100, SLACK).epsilon)
    assert optimal_epsilon(Fraction(1, 10), 100, SLACK) < advanced < compose([tenth] * 100).epsilon
    assert compose_advanced(tenth, 2, SLACK).epsilon > compose([tenth] * 2).epsilon


def test_a_huge_or_no_epsilon_composes_too() -> None:
    assert compose_advanced(PrivacyLoss(0), 5, "1/10") == PrivacyLoss(Fraction(0), Fraction(1, 10))
    assert float(compose_advanced(PrivacyLoss(10**6), 1, 1).epsilon) == pytest.approx(10**6, rel=1e-15, abs=0)


@pytest.mark.parametrize("count", [0, -1, 1.5, True, math.nan])
def test_a_number_of_mechanisms_or_people_is_a_whole_one(count: object) -> None:
    with pytest.raises(ValueError, match=r"^count .*1"):
        compose_advanced(PrivacyLoss(1), count, SLACK)
    with pytest.raises(ValueError, match=r"^size .*1"):
        group_privacy(PrivacyLoss(1), count)


@pytest.mark.parametrize(("slack", "complaint"), [(0, "above 0"), (2, "between 0 and 1"), (1e-6, "Fraction")])
def test_slack_is_an_exact_probability_above_0(slack: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"slack must be .*{complaint.removeprefix('must be ')}"):
        compose_advanced(PrivacyLoss(1), 2, slack)


def test_a_group_without_delta_costs_the_sum_exactly() -> None:
    assert group_privacy(PrivacyLoss("1/3"), 7) == PrivacyLoss(Fraction(7, 3))


def test_one_person_is_a_group_at_the_same_loss() -> None:
    alone = PrivacyLoss("0.3", "0.2")
    assert group_privacy(alone, 1) == alone


@given(st.integers(2, 6), st.integers(1, 30))
def test_the_delta_of_a_group_walks_from_person_to_person(size: int, tenths: int) -> None:
    loss = PrivacyLoss(Fraction(tenths, 10), Fraction(1, 10**9))
    walked = sum(math.exp(i * tenths / 10) for i in range(size)) * 1e-9
    assert float(group_privacy(loss, size).delta) == pytest.approx(min(1, walked), rel=1e-12, abs=0)
    assert group_privacy(loss, size).epsilon == size * loss.epsilon


def test_without_epsilon_the_deltas_of_a_group_add_up() -> None:
    assert group_privacy(PrivacyLoss(0, "1/5"), 3) == PrivacyLoss(Fraction(0), Fraction(3, 5))
    assert group_privacy(PrivacyLoss(0, "1/5"), 9).delta == 1


def test_the_delta_of_a_large_group_is_1_and_needs_no_exponential() -> None:
    assert group_privacy(PrivacyLoss(10**30, "1/1000"), 2) == PrivacyLoss(Fraction(2 * 10**30), Fraction(1))
    # δ(e^ε + 1) with δ = 1/4: 0.75 at ε = ln 2, above 1 from ε = ln 3 on.
    assert float(group_privacy(PrivacyLoss("0.6931471805599453", "1/4"), 2).delta) == pytest.approx(
        0.75, rel=1e-12, abs=0
    )
    assert group_privacy(PrivacyLoss("1.0986122886681099", "1/4"), 2).delta == 1


def test_a_group_whose_delta_no_float_can_hold_has_a_delta_of_1() -> None:
    assert group_privacy(PrivacyLoss(1, "1/1000"), 800) == PrivacyLoss(800, 1)


def test_an_epsilon_that_no_float_can_hold_does_not_compose_by_the_advanced_formula() -> None:
    with pytest.raises(ValueError, match=r"^loss"):
        compose_advanced(PrivacyLoss(10**309), 1, "1/1000")
    huge = compose_advanced(PrivacyLoss(10**300), 1, 1)
    assert 10**300 <= huge.epsilon < 10**300 * Fraction(1_000_001, 10**6)


def test_an_integer_of_numpy_is_a_number_of_mechanisms_or_people() -> None:
    loss = PrivacyLoss("1/3", "1/1000")
    assert group_privacy(loss, np.int64(7)) == group_privacy(loss, 7)
    assert compose_advanced(loss, np.int64(7), SLACK) == compose_advanced(loss, 7, SLACK)
