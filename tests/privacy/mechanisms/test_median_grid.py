import math
from fractions import Fraction

import pytest

from surveys.privacy.mechanisms.median_grid import MedianGrid

VALUES = (Fraction(1), Fraction(2), Fraction(9, 2))


def test_it_runs_from_the_lowest_value_in_steps_and_ends_at_the_highest() -> None:
    grid = MedianGrid(VALUES, Fraction(4, 5))  # 3.5 is four steps and a rest
    assert [grid.number(position) for position in range(grid.last + 1)] == [
        Fraction(number) for number in ("1", "1.8", "2.6", "3.4", "4.2", "4.5")
    ]


def test_every_number_of_it_and_no_other_has_a_position() -> None:
    grid = MedianGrid(VALUES, Fraction(4, 5))
    assert [grid.position(grid.number(position)) for position in range(6)] == [0, 1, 2, 3, 4, 5]
    for number in ("0.2", "1.1", "5", "4.6", "2", "-3"):
        assert grid.position(Fraction(number)) is None
    assert grid.position(None) is None


def test_what_lies_beyond_an_end_is_the_end() -> None:
    grid = MedianGrid(VALUES, Fraction(1, 2))
    assert (grid.number(-(10**9)), grid.number(8), grid.number(10**9)) == (1, Fraction(9, 2), Fraction(9, 2))


@pytest.mark.parametrize(("number", "position"), [("1", 0), ("1.39", 0), ("1.4", 1), ("2", 1), ("4.5", 4)])
def test_a_number_is_rounded_to_the_nearest_place(number: str, position: int) -> None:
    assert MedianGrid(VALUES, Fraction(4, 5)).nearest(Fraction(number)) == position


def test_rounding_is_the_farthest_that_a_value_is_from_its_position() -> None:
    assert MedianGrid(VALUES, Fraction(1, 2)).rounding == 0
    assert MedianGrid(VALUES, Fraction(4, 5)).rounding == Fraction(3, 8)  # 3.5 is 4.375 steps


def test_different_values_have_different_positions() -> None:
    grid = MedianGrid(VALUES, Fraction(1))
    assert len({grid.nearest(value) for value in VALUES}) == 3


@pytest.mark.parametrize("step", [0, -1, math.nan, math.inf, 0.5, "none"])
def test_a_step_that_is_no_exact_number_above_0_is_refused(step: object) -> None:
    with pytest.raises(ValueError, match=r"^step must be"):
        MedianGrid(VALUES, step)


def test_a_step_that_would_not_keep_values_apart_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^step .*1"):
        MedianGrid(VALUES, Fraction(11, 10))
