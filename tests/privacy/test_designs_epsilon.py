"""Designs at a wanted epsilon: never above it, and as close below it as the denominator allows."""

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import (
    Design,
    UnaryDesign,
    k_ary,
    k_ary_at,
    optimized_unary,
    total_epsilon,
    warner,
)
from surveys.privacy.designs.odds import LARGEST_DENOMINATOR, exact_epsilon, exp_from_below, largest_odds, log_of
from tests.golden import cases
from tests.privacy.any_design import HALF, designs

epsilons = st.fractions(Fraction(1, 100), 13, max_denominator=1000)


def exp_between(exponent: Fraction, terms: int = 100) -> tuple[Fraction, Fraction]:
    """Bounds of e to the exponent in exact arithmetic: the Taylor sum, and its remainder as a geometric series."""
    term, partial = Fraction(1), Fraction(1)
    for n in range(1, terms):
        term = term * exponent / n
        partial += term
    return partial, partial + term * exponent / terms / (1 - exponent / (terms + 1))


def is_within(odds: Fraction, exponent: Fraction) -> bool:
    """Whether the odds are certainly at most e to the exponent."""
    return odds <= exp_between(exponent)[0]


@pytest.mark.uncounted
@given(epsilons, st.integers(2, 20))
def test_the_odds_are_certainly_not_above_e_to_the_epsilon(epsilon: Fraction, k: int) -> None:
    design = k_ary_at(epsilon, k)
    assert all(is_within(odds, epsilon) for odds in design.odds)
    assert design.denominator <= LARGEST_DENOMINATOR


@given(epsilons, st.integers(2, 20))
def test_the_odds_are_nearly_e_to_the_epsilon(epsilon: Fraction, k: int) -> None:
    design = k_ary_at(epsilon, k)
    assert epsilon - 2e-3 < design.epsilon
    # Of two neighbours in the tree the lower one is chosen: their distance is 1/(b·d).
    assert all(design.matrix[i][i] == design.matrix[0][0] for i in range(k))


@given(st.integers(1, 400), st.integers(1, 6), st.integers(1, 70))
def test_no_fraction_within_the_bounds_has_larger_odds(hundredths: int, cost: int, limit: int) -> None:
    epsilon = Fraction(hundredths, 100)
    bound = exp_between(epsilon)[0]
    affordable = (Fraction(a, b) for b in range(1, limit) for a in range(b + 1, limit - cost * b + 1))
    best = max((odds for odds in affordable if odds <= bound), default=None)
    if best is None:
        with pytest.raises(ValueError, match=rf"^epsilon .* {limit}$"):
            largest_odds(epsilon, cost, limit)
    else:
        assert largest_odds(epsilon, cost, limit) == best


def test_odds_rounded_the_wrong_way_are_caught() -> None:
    odds = largest_odds(Fraction(1), 1, 1000)
    assert odds == Fraction(685, 252)  # 2.71825 < e = 2.71828
    assert is_within(odds, Fraction(1))
    # The next fraction that costs as little is above e.
    assert not is_within(Fraction(193, 71), Fraction(1))


@given(st.fractions(Fraction(1, 10**6), 20))
def test_the_bound_of_the_exponential_is_below_it_and_close(exponent: Fraction) -> None:
    low, high = exp_between(exponent)
    assert exp_from_below(exponent) < high
    assert 1 - Fraction(1, 10**40) < exp_from_below(exponent) / low


def test_the_bound_of_the_exponential_holds_where_rounding_to_nearest_would_not() -> None:
    # 1/3 has no finite decimal form; e^(1/3) rounded to nearest can lie above it, one digit further down cannot.
    assert all(exp_from_below(Fraction(n, 3)) < exp_between(Fraction(n, 3))[1] for n in range(1, 40))
    assert exp_from_below(Fraction(1)) < Fraction(
        "2.718281828459045235360287471352662497757247093699959574966967627724"
    )


def test_a_denominator_without_end_gives_the_bound_itself() -> None:
    assert largest_odds(Fraction(1), 1, 10**70) == exp_from_below(Fraction(1))
    assert largest_odds(Fraction(1), 3, 10**70) == exp_from_below(Fraction(1))


def test_an_epsilon_beyond_the_denominator_gives_the_largest_odds_there_are() -> None:
    assert k_ary_at(1000, 2).odds == (LARGEST_DENOMINATOR - 1,) * 2
    assert k_ary_at(14, 4, largest_denominator=100).matrix[0][:2] == (Fraction(97, 100), Fraction(1, 100))


def test_odds_that_epsilon_allows_exactly_are_kept() -> None:
    # As a float ln 3 is a little above ln 3.
    assert k_ary_at(math.log(3), 2).matrix == k_ary(2).matrix


def test_a_float_stands_for_its_binary_value() -> None:
    assert exact_epsilon(0.1) == Fraction(3602879701896397, 36028797018963968)
    assert exact_epsilon("0.1") == Fraction(1, 10)
    assert k_ary_at(0.5, 3) == k_ary_at("1/2", 3)


@pytest.mark.parametrize("epsilon", [math.nan, math.inf, -math.inf, 0.0, -1.0])
def test_a_float_epsilon_is_above_0_and_finite(epsilon: float) -> None:
    with pytest.raises(ValueError, match=rf"^epsilon .*got {epsilon}$"):
        k_ary_at(epsilon, 3)


@pytest.mark.parametrize("epsilon", [0, "-1", True, None, "inf"])
def test_an_epsilon_that_is_no_positive_number_is_refused(epsilon: object) -> None:
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        k_ary_at(epsilon, 3)


@pytest.mark.parametrize(("epsilon", "k"), [("1/1000000000", 2), ("1/100000000", 20), (Fraction(1, 10**70), 2)])
def test_an_epsilon_too_small_for_the_denominator_is_refused(epsilon: object, k: int) -> None:
    with pytest.raises(ValueError, match=r"^epsilon .* 1000000000"):
        k_ary_at(epsilon, k)


def test_more_answers_than_the_denominator_holds_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^epsilon .* 10"):
        k_ary_at(5, 11, largest_denominator=10)
    assert k_ary_at(5, 9, largest_denominator=10).matrix[0][0] == Fraction(2, 10)


def logarithm(odds: Fraction) -> Decimal:
    """The logarithm in 1000 digits, more than any odds here share with 1."""
    with localcontext(Context(prec=1000)):
        return (Decimal(odds.numerator) / Decimal(odds.denominator)).ln()


def is_rounded_up(epsilon: float, exact: Decimal) -> bool:
    """Whether a float is not below a number, and at most the second above it."""
    return math.nextafter(math.nextafter(epsilon, 0), 0) < exact <= epsilon


@pytest.mark.parametrize(
    "p",
    [
        Fraction(708_682, 10**6),
        Fraction(2 * 10**300 + 1, 3 * 10**300),
        HALF + Fraction(1, 10**17),
        HALF + Fraction(1, 10**330),
        Fraction(10**400, 10**400 + 1),
    ],
    ids=["in digits", "in hundreds of digits", "hardly a half", "no float from a half", "hardly certain"],
)
def test_an_epsilon_is_never_below_the_logarithm_of_the_largest_odds(p: Fraction) -> None:
    assert is_rounded_up(warner(p).epsilon, logarithm(p / (1 - p)))


@given(designs)
def test_the_epsilon_of_every_design_is_rounded_up(design: Design) -> None:
    odds = max(design.odds)
    if odds < math.inf:
        assert is_rounded_up(design.epsilon, logarithm(odds))
        assert k_ary_at(design.epsilon, 2, 10**6).odds[0] <= odds


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_the_epsilon_of_unary_reports_is_rounded_up(a: int, b: int) -> None:
    design = UnaryDesign(3, Fraction(a + b, a + b + 1), Fraction(a, a + b + 1))
    assert is_rounded_up(design.epsilon, logarithm(design.odds))


def test_a_respondents_epsilons_add_up_upwards() -> None:
    # The float 0.1 is a little more than a tenth, and ten of them a little more than 1.
    assert total_epsilon([0.1] * 10) == math.nextafter(1, 2) > 10 * Fraction(0.1) > math.fsum([0.1] * 10)
    assert total_epsilon([1.5, math.inf]) == math.inf
    assert total_epsilon([1e308] * 10) == math.inf
    assert total_epsilon([]) == 0
    assert total_epsilon(iter([1.5, 2.0])) == 3.5


def test_odds_of_1_have_no_logarithm_to_speak_of() -> None:
    assert log_of(Fraction(1)) == 0


@pytest.mark.parametrize("case", cases("ldp", "grr_"), ids=lambda case: case["id"])
def test_k_ary_probabilities_are_those_of_pure_ldp_within_the_rounding(case: dict) -> None:
    inputs = case["inputs"]
    design = k_ary_at(inputs["epsilon"], len(inputs["counts"]))
    assert float(design.matrix[0][0]) == pytest.approx(inputs["p"], rel=1e-13)
    assert float(design.matrix[0][1]) == pytest.approx(inputs["q"], rel=1e-13)
    assert design.matrix[0][0] <= Fraction(inputs["p"]) + Fraction(1, 10**15)


@pytest.mark.parametrize("case", cases("ldp", "oue_"), ids=lambda case: case["id"])
def test_optimized_unary_probabilities_are_those_of_pure_ldp_within_the_rounding(case: dict) -> None:
    inputs = case["inputs"]
    design = optimized_unary(inputs["epsilon"], len(inputs["bit_counts"]))
    assert float(design.p) == inputs["p"]
    assert float(design.q) == pytest.approx(inputs["q"], rel=1e-13)
    assert design.q >= Fraction(inputs["q"]) - Fraction(1, 10**15)


@pytest.mark.parametrize("case", cases("ldp", "opendp_"), ids=lambda case: case["id"])
def test_epsilon_equals_that_of_opendp(case: dict) -> None:
    k = case["inputs"].get("k", 2)
    kept = Fraction(str(case["inputs"]["prob"]))
    # opendp keeps the truth with this probability; here the spinner can also stop at the truth.
    design = k_ary(k, (kept * k - 1) / (k - 1))
    assert design.matrix[0][0] == kept
    assert design.epsilon == pytest.approx(case["outputs"]["epsilon"], rel=1e-10)
