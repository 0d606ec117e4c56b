"""Mechanisms of different ε together: exact where few, an upper bound where many, never above the sum."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.composition import compose_advanced
from surveys.privacy.accounting.optimal import optimal_epsilon
from surveys.privacy.accounting.unequal import advanced_epsilon, optimal_epsilon_of, rounded_epsilon_of
from surveys.privacy.loss import PrivacyLoss

DELTA = Fraction(1, 10**6)
SMALL = Fraction(1, 10)


def _delta_by_enumeration(epsilons: Sequence[Fraction], total: float) -> float:
    """Return Σ max(0, Pr(signs) − e^total·Pr(opposite signs)) over all signs."""
    deltas = []
    for signs in itertools.product((1, -1), repeat=len(epsilons)):
        one, other = (
            math.prod(1 / (1 + math.exp(-way * sign * epsilon)) for sign, epsilon in zip(signs, epsilons, strict=True))
            for way in (1, -1)
        )
        deltas.append(max(0.0, one - math.exp(total) * other))
    return math.fsum(deltas)


@pytest.mark.parametrize(
    ("epsilons", "delta"),
    [
        ([Fraction(1, 2)], Fraction(1, 100)),
        ([Fraction(1, 2), Fraction(1)], Fraction(1, 100)),
        ([Fraction(1, 2), Fraction(1), Fraction(3, 10), Fraction(3, 10)], Fraction(1, 20)),
        ([Fraction(n, 10) for n in range(1, 9)], Fraction(1, 1000)),
    ],
)
def test_the_optimum_has_exactly_the_delta_that_all_signs_one_by_one_have(
    epsilons: list[Fraction], delta: Fraction
) -> None:
    assert _delta_by_enumeration(epsilons, optimal_epsilon_of(epsilons, delta)) == pytest.approx(float(delta), rel=1e-9)


@pytest.mark.parametrize(("each", "count"), [(Fraction(1, 10), 50), (Fraction(1), 3), (Fraction(1, 1000), 10)])
def test_equal_mechanisms_come_to_what_the_formulas_for_equal_ones_say(each: Fraction, count: int) -> None:
    assert optimal_epsilon_of([each] * count, DELTA) == pytest.approx(optimal_epsilon(each, count, DELTA), rel=1e-12)
    advanced = float(compose_advanced(PrivacyLoss(each), count, DELTA).epsilon)
    assert advanced_epsilon([each] * count, DELTA) == pytest.approx(min(advanced, float(each * count)), rel=1e-12)


@pytest.mark.uncounted
@given(
    st.lists(st.fractions(Fraction(1, 1000), 2, max_denominator=1000), max_size=7),
    st.sampled_from([Fraction(0), DELTA, Fraction(1, 10), Fraction(9, 10), Fraction(1)]),
)
def test_every_bound_holds_and_none_is_above_the_sum(epsilons: list[Fraction], delta: Fraction) -> None:
    optimal, total = optimal_epsilon_of(epsilons, delta), float(sum(epsilons))
    assert optimal <= total * (1 + 1e-15)
    assert _delta_by_enumeration(epsilons, optimal) <= float(delta) + 1e-12
    if delta:
        assert optimal <= advanced_epsilon(epsilons, delta) * (1 + 1e-12)
        assert advanced_epsilon(epsilons, delta) <= total * (1 + 1e-15)


def test_many_different_ones_are_rounded_up_and_still_far_below_the_sum() -> None:
    epsilons = [SMALL + Fraction(n, 10**6) for n in range(60)]
    epsilon = optimal_epsilon_of(epsilons, DELTA)
    assert optimal_epsilon(SMALL, 60, DELTA) < epsilon <= advanced_epsilon(epsilons, DELTA) < 6
    assert epsilon < 1.2 * optimal_epsilon(SMALL, 60, DELTA)


def _hundred(count: int) -> list[Fraction]:
    return [Fraction(100 + n, 1000) for n in range(count)]


@pytest.mark.parametrize(
    ("epsilons", "at_most"),
    [
        (_hundred(150), 12.2),
        (_hundred(200), 17.5),
        (_hundred(400), 50),
        ([Fraction(1, 100) + Fraction(n, 10**7) for n in range(1000)], 1.42),
    ],
    ids=["150", "200", "400", "1000"],
)
def test_rounded_ones_stay_below_advanced_composition(epsilons: list[Fraction], at_most: float) -> None:
    lowest = optimal_epsilon(min(epsilons), len(epsilons), DELTA)
    assert lowest < optimal_epsilon_of(epsilons, DELTA) <= at_most < advanced_epsilon(epsilons, DELTA)


@pytest.mark.parametrize("delta", [Fraction(1, 10), DELTA, Fraction(1, 10**30), Fraction(1, 10**200)], ids=str)
@pytest.mark.parametrize(("each", "count"), [(Fraction(1, 10), 100), (Fraction(1), 9), (Fraction(90), 3)], ids=str)
def test_the_rounded_bound_is_hardly_above_the_exact_one_of_equal_mechanisms(
    each: Fraction, count: int, delta: Fraction
) -> None:
    exact = optimal_epsilon(each, count, delta)
    assert exact <= rounded_epsilon_of([each] * count, delta) <= exact * (1 + count * 1e-4)


def test_the_rounded_bound_of_a_few_is_hardly_above_all_signs_one_by_one() -> None:
    epsilons = [Fraction(n, 10) + Fraction(1, 997 + n) for n in range(1, 11)]
    epsilon = rounded_epsilon_of(epsilons, Fraction(1, 1000))
    assert 1 - 5e-3 < _delta_by_enumeration(epsilons, epsilon) / 1e-3 <= 1


def test_where_rounding_makes_them_loose_advanced_composition_is_returned() -> None:
    epsilons = [Fraction(1, 20) + Fraction(n, 10**7) for n in range(3000)]
    assert optimal_epsilon_of(epsilons, DELTA) == advanced_epsilon(epsilons, DELTA) < sum(epsilons)


def test_many_different_ones_without_any_delta_add_up() -> None:
    assert optimal_epsilon_of(_hundred(200), 0) == pytest.approx(39.9, rel=1e-15)


def test_what_floats_cannot_hold_is_added_up() -> None:
    assert rounded_epsilon_of([SMALL] * 10, Fraction(1, 10**290)) == 1
    assert rounded_epsilon_of([Fraction(10**14)] * 2, DELTA) == 2 * 10**14


def test_a_delta_next_to_1_still_leaves_something() -> None:
    """δ = (e^1000 − e^ε')/(e^1000 + 1), so e^ε' = e^1000·10^-120."""
    by_hand = 1000 - 120 * math.log(10)
    assert optimal_epsilon_of([1000], 1 - Fraction(1, 10**120)) == pytest.approx(by_hand, rel=1e-14)
    assert optimal_epsilon(1000, 1, 1 - Fraction(1, 10**120)) == pytest.approx(by_hand, rel=1e-14)


def test_nothing_costs_nothing_and_the_absurd_is_added_up() -> None:
    assert (advanced_epsilon([], DELTA), optimal_epsilon_of([], 0)) == (0, 0)
    assert advanced_epsilon([10**10], DELTA) == optimal_epsilon_of([10**10], DELTA) == 10**10
    assert optimal_epsilon_of([Fraction(1)] * 3, Fraction(1)) == 0


@pytest.mark.parametrize("wrong", [[0], [-1], [math.nan], [0.5], [Fraction(1), True], ["x"]])
def test_what_is_no_epsilon_is_refused(wrong: list[Any]) -> None:
    with pytest.raises(ValueError, match="epsilons must be"):
        advanced_epsilon(wrong, DELTA)
    with pytest.raises(ValueError, match="epsilons must be"):
        optimal_epsilon_of(wrong, DELTA)


@pytest.mark.parametrize("wrong", [-1, 2, math.nan, 0.5])
def test_what_is_no_delta_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="slack must be"):
        advanced_epsilon([SMALL], wrong)
    with pytest.raises(ValueError, match="delta must be"):
        optimal_epsilon_of([SMALL], wrong)


def test_advanced_composition_needs_some_delta() -> None:
    with pytest.raises(ValueError, match=r"^slack"):
        advanced_epsilon([SMALL], 0)
