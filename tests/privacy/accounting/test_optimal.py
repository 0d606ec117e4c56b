import math
from collections import Counter
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surveys.privacy.accounting.optimal import optimal_delta, optimal_epsilon
from surveys.privacy.decimals import decimal


def by_enumeration(odds: Fraction, count: int, total_odds: Fraction) -> Fraction:
    """The hockey-stick divergence of all 2^k outcomes of k randomized responses, exactly."""
    p = odds / (1 + odds)
    delta = Fraction(0)
    for yes, outcomes in Counter(map(sum, product([0, 1], repeat=count))).items():
        one, other = p ** (count - yes) * (1 - p) ** yes, p**yes * (1 - p) ** (count - yes)
        delta += outcomes * max(Fraction(0), one - total_odds * other)
    return delta


@pytest.mark.parametrize("count", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("total_odds", [Fraction(1), Fraction(3, 2), Fraction(3), Fraction(20), Fraction(9)])
def test_delta_is_that_of_all_outcomes_of_randomized_responses(count: int, total_odds: Fraction) -> None:
    delta = optimal_delta(math.log(3), count, math.log(total_odds))
    assert delta == pytest.approx(float(by_enumeration(Fraction(3), count, total_odds)), rel=1e-12, abs=1e-15)


def test_delta_is_never_below_the_exact_one() -> None:
    # Where ε' is 0 no logarithm is rounded: with 200-bit odds the truth is known to 60 digits.
    odds = Fraction(math.e.as_integer_ratio()[0], math.e.as_integer_ratio()[1])
    for count in range(1, 9):
        # e as a float is below e, so its odds give a smaller δ than ε = 1 does.
        assert optimal_delta(1, count, 0) >= by_enumeration(odds, count, Fraction(1))


def test_delta_agrees_with_the_theorem_at_its_own_points() -> None:
    epsilon, count = 0.3, 12
    for i in range(count // 2 + 1):
        theorem = sum(
            math.comb(count, j)
            * (math.exp((count - j) * epsilon) - math.exp((count - 2 * i + j) * epsilon))
            / (1 + math.exp(epsilon)) ** count
            for j in range(i)
        )
        assert optimal_delta(epsilon, count, (count - 2 * i) * epsilon) == pytest.approx(theorem, rel=1e-9, abs=1e-12)


@given(st.floats(1e-6, 5), st.integers(1, 40), st.floats(0, 1))
@settings(deadline=None)
def test_epsilon_inverts_delta(epsilon: float, count: int, part: float) -> None:
    delta = optimal_delta(epsilon, count, part * count * epsilon)
    bound = optimal_epsilon(epsilon, count, delta)
    assert bound <= part * count * epsilon * (1 + 1e-9) + 1e-12
    # Never too small: at the ε found, δ is not above what was allowed, to the last digit.
    assert optimal_delta(epsilon, count, bound) <= math.nextafter(math.nextafter(delta, 1), 1)


@given(st.floats(0.01, 3), st.integers(1, 30))
@settings(deadline=None)
def test_more_mechanisms_cost_more_and_never_more_than_their_sum(epsilon: float, count: int) -> None:
    epsilons = [optimal_epsilon(epsilon, k, 1e-6) for k in (count, count + 1)]
    assert epsilons[0] <= epsilons[1] <= (count + 1) * epsilon * (1 + 1e-15)


def test_without_delta_the_epsilons_add_up() -> None:
    assert optimal_epsilon(Fraction(1, 4), 7, 0) == 1.75
    assert optimal_epsilon(1, 1, 0) == 1
    assert optimal_delta(Fraction(1, 4), 7, Fraction(7, 4)) == 0
    assert optimal_delta(1, 2, math.inf) == 0


def test_just_below_their_sum_a_trace_of_delta_is_left() -> None:
    # δ = p^k(1 − e^−gap) to first order: gap·p^k.
    gap = Fraction(1, 10**30)
    delta = optimal_delta(1, 3, 3 - gap)
    assert delta == pytest.approx(1e-30 * (math.e / (1 + math.e)) ** 3, rel=1e-12, abs=0)


def test_a_large_delta_leaves_no_epsilon() -> None:
    total_variation = optimal_delta(0.1, 10, 0)
    assert optimal_epsilon(0.1, 10, total_variation) == 0
    assert optimal_epsilon(0.1, 10, math.nextafter(total_variation, 0) * 0.999) > 0
    assert optimal_epsilon(0.1, 10, 1) == 0


def test_nothing_lost_stays_nothing() -> None:
    assert optimal_delta(0, 5, 0) == 0
    assert optimal_epsilon(0, 5, 0) == optimal_epsilon(0, 5, 0.5) == 0


def test_ten_thousand_mechanisms_are_accounted_for() -> None:
    # A normal law with the ln-odds' mean and variance: k·ε·tanh(ε/2) and k·ε²·4pq.
    count, epsilon = 10_000, 0.01
    tanh = math.tanh(epsilon / 2)
    mean, deviation = count * epsilon * tanh, epsilon * math.sqrt(count * (1 - tanh**2))
    normal = math.erfc((1.5 - mean) / deviation / math.sqrt(2)) / 2
    other = math.erfc((1.5 + mean) / deviation / math.sqrt(2)) / 2
    delta = optimal_delta(epsilon, count, 1.5)
    assert delta == pytest.approx(normal - math.exp(1.5) * other, rel=0.01, abs=0)
    assert optimal_epsilon(epsilon, count, delta) == pytest.approx(1.5, rel=1e-13, abs=0)


def test_huge_and_tiny_epsilons_are_stable() -> None:
    assert optimal_delta(500, 10_000, 1) == 1
    assert optimal_epsilon(500, 10_000, 1e-300) == pytest.approx(5e6, rel=1e-3, abs=0)
    tiny = 1e-90
    assert optimal_epsilon(tiny, 5, optimal_delta(tiny, 5, 2.5 * tiny)) == pytest.approx(2.5 * tiny, rel=1e-12, abs=0)
    # δ(0) = TV = (e^ε − 1)/(e^ε + 1) ≈ ε/2 for one mechanism.
    assert optimal_delta(1e-200, 1, 0) == pytest.approx(5e-201, rel=1e-12, abs=0)


@pytest.mark.parametrize("epsilon", [-0.1, math.nan, math.inf])
def test_an_epsilon_is_finite(epsilon: float) -> None:
    with pytest.raises(ValueError, match=r"^epsilon .*0"):
        optimal_delta(epsilon, 2, 1)
    with pytest.raises(ValueError, match=r"^epsilon .*0"):
        optimal_epsilon(epsilon, 2, 1e-6)


@pytest.mark.parametrize("total", [-0.1, math.nan])
def test_a_total_epsilon_is_not_negative(total: float) -> None:
    with pytest.raises(ValueError, match=r"^total_epsilon"):
        optimal_delta(1, 2, total)


@pytest.mark.parametrize("delta", [-0.1, 1.1, math.nan])
def test_a_delta_is_a_probability(delta: float) -> None:
    with pytest.raises(ValueError, match=r"^delta"):
        optimal_epsilon(1, 2, delta)


def test_a_count_is_a_whole_number() -> None:
    with pytest.raises(ValueError, match=r"^count .*1.*got 0"):
        optimal_delta(1, 0, 1)
    with pytest.raises(ValueError, match=r"^count .*1.*got 0"):
        optimal_epsilon(1, 0, 0.1)


@pytest.mark.parametrize(
    ("count", "base"), [(count, base) for count in (1, 2, 3, 5, 6) for base in range(3) if 2 * base < count]
)
@pytest.mark.parametrize("digits", [20, 70, 200, 300])
def test_delta_is_tight_however_close_to_a_point_of_the_curve(count: int, base: int, digits: int) -> None:
    # ε is that of odds 3 but for 300 digits: the sum over all outcomes, in 900 digits, with the very same exponents.
    with localcontext(Context(prec=900)):
        epsilon = Fraction(Decimal(3).ln())
        total = (count - 2 * base) * epsilon - Fraction(1, 10**digits)
        odds, total_odds = decimal(epsilon).exp(), decimal(total).exp()
        exact = by_enumeration(Fraction(odds), count, Fraction(total_odds))
    delta = optimal_delta(epsilon, count, total)
    assert 0 < exact <= delta <= exact * (1 + Fraction(1, 10**15))


def test_below_the_sum_of_the_epsilons_delta_is_above_0() -> None:
    assert optimal_delta(1, 3, 3 - Fraction(1, 10**400)) == math.ulp(0)
    assert optimal_delta(1, 3, 3 - Fraction(1, 10**320)) == pytest.approx(
        1e-320 * (math.e / (1 + math.e)) ** 3, rel=0.01
    )


def test_epsilons_beyond_all_protection_need_no_power_of_their_odds() -> None:
    assert optimal_delta(1e300, 10, 0.5) == 1
    assert optimal_delta(10**12, 3, 3 * 10**12 - 1) == pytest.approx(1 - math.exp(-1), rel=1e-14, abs=0)
    assert optimal_delta(10**12, 3, 3 * 10**12 - 1) >= optimal_delta(10**9, 3, 3 * 10**9 - 1)
    assert optimal_epsilon(10**12, 3, 0.5) == pytest.approx(3e12 - math.log(2), rel=1e-15, abs=0)
    assert optimal_epsilon(10**12, 3, 0) == 3e12
    assert optimal_epsilon(10**12, 3, 1) == 0
    assert optimal_epsilon(1e308, 10, 0.5) == math.inf


def test_an_integer_of_numpy_is_a_count() -> None:
    assert optimal_delta(1, np.int64(4), 2) == optimal_delta(1, 4, 2)
    assert optimal_epsilon(1, np.int64(4), 0.1) == optimal_epsilon(1, 4, 0.1)
