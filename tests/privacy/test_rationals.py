from fractions import Fraction

import pytest

from surveys.privacy.rationals import exact, positive, probability


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
    with pytest.raises(ValueError, match="truth must be a Fraction"):
        exact(written, "truth")


def test_a_number_of_a_million_digits_is_refused_without_reading_it() -> None:
    with pytest.raises(ValueError, match="p must be"):
        exact("1" * 1_000_000, "p")


@pytest.mark.parametrize("written", [-1, "5/4", "1.01"])
def test_a_probability_lies_between_0_and_1(written: object) -> None:
    with pytest.raises(ValueError, match="p must be between 0 and 1"):
        probability(written, "p")


def test_0_and_1_are_probabilities() -> None:
    assert [probability(0, "p"), probability("1", "p")] == [0, 1]


@pytest.mark.parametrize("written", [0, "-1/2"])
def test_a_positive_number_is_above_0(written: object) -> None:
    assert positive("1/3", "epsilon") == Fraction(1, 3)
    with pytest.raises(ValueError, match="epsilon must be above 0"):
        positive(written, "epsilon")
