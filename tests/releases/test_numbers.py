"""How a release writes its numbers: what is promised at most never as less than it is."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from surveys.numbers.words import (
    at_most,
    exact_number,
    four_digits,
    people_of_100_at_least,
    people_of_100_at_most,
    whole_number,
)
from surveys.releases.families.figure import Figure, NumberScale, high_of, low_of, raw_of, squared_unit, value_of
from surveys.releases.words.release import rounded_up


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0986123, "1.099"),
        (1.098_000_4, "1.099"),
        (0.000_160_000_3, "0.0001601"),
        (0.1, "0.1"),
        (2.0, "2"),
        (12_345.0, "12350"),
        (0.0, "0"),
        (math.inf, "∞"),
        (Fraction(1, 3), "0.3334"),
        (Fraction(38, 5), "7.6"),
        (2.5e-13, "2.5e−13"),
    ],
)
def test_a_loss_is_written_upwards_and_a_small_one_keeps_its_digits(value: float | Fraction, text: str) -> None:
    assert four_digits(value) == text


def _read(text: str) -> Decimal:
    return Decimal(text.replace("−", "-").replace(",", ""))


@given(st.floats(min_value=1e-30, max_value=1e9, allow_nan=False))
def test_no_loss_is_ever_written_as_less_than_it_is(value: float) -> None:
    assert Decimal(repr(value)) <= _read(four_digits(value)) <= Decimal(repr(value)) * Decimal("1.0011")


@given(st.floats(min_value=0, max_value=1e9, allow_nan=False))
def test_no_bound_is_ever_written_as_less_than_it_is(value: float) -> None:
    assert Decimal(repr(value)) <= _read(at_most(value)) + Decimal("1e-7")


@pytest.mark.parametrize(("factor", "text"), [(1.2701, "1.28"), (1.0, "1.00"), (2.996, "3.00"), (2.990_000_01, "3.00")])
def test_a_factor_is_never_rounded_down(factor: float, text: str) -> None:
    assert rounded_up(factor) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(5), "5"),
        (Fraction(-7, 2), "−3.5"),
        (Fraction(1, 10**12), "0.000000000001"),
        (Fraction(1, 3), "1/3"),
        (Fraction(0), "0"),
    ],
)
def test_an_exact_number_is_written_to_its_last_decimal(value: Fraction, text: str) -> None:
    assert exact_number(value) == text


@given(st.floats(min_value=-1e4, max_value=1e4), st.floats(min_value=0, max_value=1e4))
def test_the_limits_of_a_figure_are_written_outwards(low: float, width: float) -> None:
    figure = Figure(
        low, low, low, low + width, NumberScale(Fraction(-20_000), Fraction(20_000), ""), among_those_who_say=False
    )
    assert float(_read(low_of(figure))) <= low + 1e-6
    assert float(_read(high_of(figure))) >= low + width - 1e-6


def test_a_bound_that_there_is_not_is_infinite() -> None:
    assert at_most(math.inf) == "∞"


def test_a_figure_has_its_unit_and_a_dash_where_there_is_none() -> None:
    figure = Figure(None, 4.567, 1.0, 11.0, NumberScale(Fraction(0), Fraction(12), "hours"), among_those_who_say=False)
    assert (value_of(figure), raw_of(figure), low_of(figure)) == ("4.57 hours", "–", "1.00 hours")


@pytest.mark.parametrize(("unit", "text"), [("", ""), ("€", "€²"), ("hours a week", "(hours a week)²")])
def test_a_variance_is_in_the_squared_unit(unit: str, text: str) -> None:
    assert squared_unit(unit) == text


def test_people_of_a_hundred_are_rounded_outwards() -> None:
    assert (people_of_100_at_least(0.299), people_of_100_at_most(0.301)) == ("29", "31")
    assert (people_of_100_at_least(0.29), people_of_100_at_most(0.29)) == ("29", "29")
    # Not a billionth is rounded away, and what is printed of a float is taken as it is written.
    assert (people_of_100_at_least(0.29999999999999), people_of_100_at_most(0.30000000000001)) == ("29", "31")


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert whole_number(-12_345) == "−12,345"
    with translation.override("de"):
        assert four_digits(1.0986123) == "1,099"
        assert exact_number(Fraction(7, 2)) == "3,5"
        assert at_most(1234.56) == "1.234,6"
