import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest

from surveys.privacy.mechanisms.directed import exp_limits, limits, log_exceeds


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(-2, 7), Fraction(10**40 + 1, 3)])
@pytest.mark.parametrize("digits", [1, 5, 32])
def test_a_fraction_lies_between_its_limits(number: Fraction, digits: int) -> None:
    low, high = limits(number, digits)
    assert Fraction(low) < number < Fraction(high)
    assert Fraction(high) - Fraction(low) <= abs(number) * Fraction(10) ** (1 - digits)


def test_a_number_of_few_digits_is_both_its_limits() -> None:
    assert limits(Fraction(5, 4), 3) == (Decimal("1.25"), Decimal("1.25"))


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(-1, 3), Fraction(5, 7), Fraction(-70), Fraction(-(10**6))])
def test_the_exponential_lies_between_its_limits(exponent: Fraction) -> None:
    true = Context(prec=90).divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    low, high = exp_limits(exponent, 20)
    assert low < Context(prec=80).exp(true) < high
    assert (high - low) / high < Decimal("1e-12")


def test_an_exponential_too_small_for_any_decimal_lies_between_0_and_something() -> None:
    low, high = exp_limits(Fraction(-(10**30)), 20)
    assert low == 0 < high


def test_logarithms_are_compared_exactly() -> None:
    ratio = Fraction(3, 2)
    near = Fraction(Context(prec=200).ln(Decimal("1.5")))  # 200 digits of ln 1.5: farther off than no 60 digits tell
    step = Fraction(1, 10**150)
    assert log_exceeds(ratio, near - step)
    assert not log_exceeds(ratio, near + step)
    assert log_exceeds(Fraction(2), Fraction(69, 100))
    assert not log_exceeds(Fraction(2), Fraction(7, 10))
    assert not log_exceeds(Fraction(1), Fraction(1, 10**80))


def test_comparing_the_same_logarithms_in_floats_is_caught() -> None:
    near = Fraction(Context(prec=200).ln(Decimal("1.5")))
    assert not math.log(1.5) > float(near - Fraction(1, 10**150))
