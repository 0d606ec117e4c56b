from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import (
    as_integer,
    exact,
    plain_decimal,
    positive,
    probability,
    root_not_below,
    whole_number,
)


@pytest.mark.parametrize("written", [Fraction(3, 4), "3/4", "0.75", " 3/4 ", "6/8"])
def test_three_quarters_can_be_written_in_several_exact_ways(written: object) -> None:
    assert exact(written, "p") == Fraction(3, 4)


def test_integers_and_signs_are_exact() -> None:
    assert exact(2, "x") == 2
    assert exact("-1/2", "x") == Fraction(-1, 2)


@pytest.mark.parametrize(
    "written",
    [True, 0.75, float("nan"), "1/0", "abc", "", "1e400", "nan", "inf", "0,5", "1_0", "١/٢", None, [3, 4], b"1"],
)
def test_what_is_not_exact_is_refused_by_name(written: object) -> None:
    with pytest.raises(ValueError, match=r"^truth .*Fraction"):
        exact(written, "truth")


def test_a_number_of_a_million_digits_is_refused_without_reading_it() -> None:
    with pytest.raises(ValueError, match="p must be"):
        exact("1" * 1_000_000, "p")


@pytest.mark.parametrize("written", [-1, "5/4", "1.01"])
def test_a_probability_lies_between_0_and_1(written: object) -> None:
    with pytest.raises(ValueError, match=r"^p .*0 and 1"):
        probability(written, "p")


def test_0_and_1_are_probabilities() -> None:
    assert [probability(0, "p"), probability("1", "p")] == [0, 1]


@pytest.mark.parametrize("written", [0, "-1/2"])
def test_a_positive_number_is_above_0(written: object) -> None:
    assert positive("1/3", "epsilon") == Fraction(1, 3)
    with pytest.raises(ValueError, match=r"^epsilon"):
        positive(written, "epsilon")


@pytest.mark.parametrize("check", [probability, positive, exact, lambda value, name: PrivacyLoss(value).epsilon])
def test_a_number_too_long_to_be_written_is_refused_by_name_too(check: Callable[[object, str], object]) -> None:
    wrong = -(10**5000) if check is not exact else [10**5000]
    with pytest.raises(ValueError, match=r"^epsilon must be .*, got a number of thousands of digits$"):
        check(wrong, "epsilon")


@pytest.mark.parametrize("written", [7, np.int64(7), np.uint8(7)])
def test_integers_of_numpy_are_whole_numbers_too(written: object) -> None:
    assert whole_number(written, "n") == 7
    assert type(whole_number(written, "n")) is int


@pytest.mark.parametrize(
    "written", [True, np.True_, 7.0, np.float64(7), Fraction(7), "7", None, float("nan"), float("inf"), np.array([7])]
)
def test_what_is_no_integer_is_no_whole_number_even_if_it_is_whole(written: object) -> None:
    assert as_integer(written) is None
    with pytest.raises(ValueError, match=r"^n .*0"):
        whole_number(written, "n")


def test_a_whole_number_lies_in_its_range() -> None:
    assert [whole_number(n, "n", 2, 4) for n in (2, 4)] == [2, 4]
    assert whole_number(10**5000, "n") == 10**5000
    for n in (1, 5):
        with pytest.raises(ValueError, match=rf"^n .*2 to 4, got {n}$"):
            whole_number(n, "n", 2, 4)
    with pytest.raises(ValueError, match=r"^n .*2.*4"):
        whole_number(10**5000, "n", 2, 4)
    with pytest.raises(ValueError, match=r"^n .*0.*got -1"):
        whole_number(-1, "n")


@pytest.mark.parametrize("square", [0, 1, 2, Fraction(1, 4), Fraction(2, 9), 10**40 + 1], ids=str)
@pytest.mark.parametrize("unit", [Fraction(1), Fraction(1, 3), Fraction(1, 2**40)], ids=str)
def test_a_root_is_rounded_up_to_its_unit_and_no_further(square: int | Fraction, unit: Fraction) -> None:
    root = root_not_below(Fraction(square), unit)
    assert (root / unit).denominator == 1
    assert root**2 >= square
    assert root == 0 or (root - unit) ** 2 < square


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(1, 2), "0.5"),
        (Fraction(10), "10"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(1, 10**12), "0.000000000001"),
        (Fraction(0), "0"),
    ],
)
def test_numbers_are_written_without_rounding(number: Fraction, text: str) -> None:
    assert plain_decimal(number) == text


def test_a_number_that_twelve_decimals_cannot_write_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 12 decimals"):
        plain_decimal(Fraction(1, 3))
