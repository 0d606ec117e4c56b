import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.decimals import (
    LARGEST,
    SMALLEST,
    decimal,
    expm1,
    float_not_below,
    log1p,
    lower,
    many_digits,
    upper,
)

rationals = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**12)


@given(rationals)
def test_a_bound_is_on_its_side_and_at_most_two_floats_away(number: Fraction) -> None:
    with many_digits():
        below, above = lower(decimal(number)), upper(decimal(number))
    assert below <= number <= above
    assert above <= math.nextafter(math.nextafter(float(number), math.inf), math.inf)
    assert below >= math.nextafter(math.nextafter(float(number), -math.inf), -math.inf)


def test_a_computed_number_is_not_trusted_to_its_last_digit() -> None:
    assert lower(Decimal("0.5")) < 0.5 < upper(Decimal("0.5"))


def test_beyond_all_floats_the_smallest_float_not_below_is_infinite() -> None:
    assert float_not_below(Fraction(10**400)) == float_not_below(math.inf) == math.inf
    assert float_not_below(Fraction(LARGEST)) == LARGEST
    assert float_not_below(Fraction(1, 10**400)) == SMALLEST


def test_zero_and_infinity_are_their_own_bounds() -> None:
    for value in (0.0, math.inf, -math.inf):
        assert upper(Decimal(value)) == lower(Decimal(value)) == value
    assert math.copysign(1, upper(Decimal(0))) == 1


def test_what_no_float_can_hold_is_bounded_by_the_last_float() -> None:
    assert upper(Decimal("1e-600")) == 5e-324
    assert lower(Decimal("1e-600")) == 0
    assert upper(Decimal("1e600")) == math.inf
    assert lower(Decimal("1e600")) == math.nextafter(math.inf, 0)


@pytest.mark.parametrize("number", [Fraction(1, 10), Fraction(1, 2), 0.1, 3, Fraction(2, 3)])
def test_an_exact_number_is_rounded_up_only_where_it_must(number: Fraction | float) -> None:
    rounded = float_not_below(number)
    assert rounded >= number
    assert math.nextafter(rounded, 0) < number


@pytest.mark.parametrize("x", [-1.5, -1e-9, 1e-300, 1e-9, 0.3, 20.0])
def test_small_arguments_lose_no_digits(x: float) -> None:
    assert float(expm1(Decimal(x))) == pytest.approx(math.expm1(x), rel=1e-15)
    assert float(log1p(expm1(Decimal(x)))) == pytest.approx(x, rel=1e-15)


def test_tiny_arguments_keep_fifty_digits() -> None:
    # exp(x) − 1 = x + x²/2 + ..., of which x² is the 31st digit on.
    x = Decimal("1e-30")
    with many_digits():
        assert abs(expm1(x) - (x + x * x / 2 + x * x * x / 6)) < x * Decimal("1e-58")
        assert abs(log1p(x) - (x - x * x / 2 + x * x * x / 3)) < x * Decimal("1e-58")
