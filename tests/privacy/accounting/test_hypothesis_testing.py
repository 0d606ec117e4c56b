import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.error_region import error_region
from surveys.privacy.accounting.hypothesis_testing import best_advantage, posterior_bound, tradeoff
from surveys.privacy.decimals import decimal, many_digits, upper
from surveys.privacy.designs import forced_response, warner

shares, epsilons = st.floats(0, 1), st.floats(0, 700)


@given(st.fractions(0, 1, max_denominator=1000))
def test_fair_coins_leave_a_test_exactly_what_epsilon_allows(fpr: Fraction) -> None:
    region = error_region(forced_response(), 1, 0)
    assert tradeoff(fpr, math.log(3)) == pytest.approx(float(region.false_negative_rate(fpr)), abs=1e-14)


@pytest.mark.parametrize(
    ("fpr", "delta", "fnr"),
    [
        (0.1, 0.0, 1 - 0.1 * math.e),  # the steep part
        (0.5, 0.0, 0.5 / math.e),  # the flat part
        (0.1, 0.05, 0.95 - 0.1 * math.e),
        (0.5, 0.05, 0.45 / math.e),
        (0.97, 0.05, 0.0),
        (0.0, 0.05, 0.95),
        (1.0, 0.0, 0.0),
    ],
)
def test_the_tradeoff_has_two_straight_lines_and_an_end(fpr: float, delta: float, fnr: float) -> None:
    assert tradeoff(fpr, 1, delta) == pytest.approx(fnr, rel=1e-14, abs=1e-15)


@given(shares, epsilons, shares)
def test_the_tradeoff_is_its_formula_rounded_down(fpr: float, epsilon: float, delta: float) -> None:
    steep = 1 - delta - math.exp(epsilon) * fpr
    formula = max(0.0, steep, math.exp(-epsilon) * (1 - delta - fpr))
    rate = tradeoff(fpr, epsilon, delta)
    assert rate == pytest.approx(formula, rel=1e-9, abs=1e-12)
    assert 0 <= rate <= 1


def test_without_any_loss_no_test_beats_a_coin() -> None:
    assert tradeoff(0.25, 0) == pytest.approx(0.75, rel=1e-15, abs=0)
    assert best_advantage(0) == 0
    assert posterior_bound(Fraction(1, 4), 0) == pytest.approx(0.25, rel=1e-15, abs=0)


def test_without_any_protection_a_test_is_never_wrong() -> None:
    assert tradeoff(0, math.inf) == pytest.approx(1, rel=1e-15, abs=0)
    assert tradeoff(1e-300, math.inf) == tradeoff(0.5, 1e300) == 0
    assert best_advantage(math.inf) == best_advantage(1e300) == 1
    assert posterior_bound(1e-300, math.inf) == 1
    assert best_advantage(1, 1) == pytest.approx(1, rel=1e-15, abs=0)


@given(epsilons, shares)
def test_the_advantage_is_the_best_point_of_the_tradeoff(epsilon: float, delta: float) -> None:
    corner = (1 - delta) / (1 + math.exp(epsilon))
    advantage = best_advantage(epsilon, delta)
    assert advantage == pytest.approx(1 - corner - tradeoff(corner, epsilon, delta), abs=1e-9)
    assert advantage <= 1


def test_the_advantage_is_its_formula_and_never_too_small() -> None:
    assert best_advantage(1, Fraction(1, 10)) == pytest.approx((math.e - 1 + 0.2) / (math.e + 1), rel=1e-15, abs=0)
    # ε = ln 3 rounded up is above ln 3, so its advantage is above 1/2.
    assert best_advantage(math.nextafter(math.log(3), 2)) > Fraction(1, 2)
    assert best_advantage(1e-300) == pytest.approx(5e-301, rel=1e-12, abs=0)


@given(st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000))
def test_a_report_of_fair_coins_moves_a_belief_as_far_as_epsilon_allows(prior: Fraction) -> None:
    reached = forced_response().posterior([1 - prior, prior])[1][1]
    assert posterior_bound(prior, math.log(3)) == pytest.approx(float(reached), rel=1e-14, abs=0)


def test_certainty_stays_certainty() -> None:
    assert posterior_bound(0, 5) == 0
    assert posterior_bound(1, 5) == pytest.approx(1, rel=1e-15, abs=0)


def test_the_posterior_bound_is_never_below_what_a_design_reaches() -> None:
    for part in range(51, 100):
        design = warner(Fraction(part, 100))
        with many_digits():
            epsilon = upper(decimal(max(design.odds)).ln())
        assert posterior_bound(Fraction(1, 3), epsilon) >= design.posterior(["2/3", "1/3"])[1][1]


@pytest.mark.parametrize("wrong", [-0.1, math.nan])
def test_impossible_numbers_are_refused_by_name(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"^false_positive_rate"):
        tradeoff(wrong, 1)
    with pytest.raises(ValueError, match=r"^epsilon"):
        tradeoff(0.5, wrong)
    with pytest.raises(ValueError, match=r"^delta"):
        tradeoff(0.5, 1, wrong)
    with pytest.raises(ValueError, match=r"^epsilon"):
        best_advantage(wrong)
    with pytest.raises(ValueError, match=r"^delta"):
        best_advantage(1, wrong)
    with pytest.raises(ValueError, match=r"^prior"):
        posterior_bound(wrong, 1)
    with pytest.raises(ValueError, match=r"^epsilon"):
        posterior_bound(0.5, wrong)
