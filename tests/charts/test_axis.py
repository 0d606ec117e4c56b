"""Axes: from numbers to places, with round marks that hold them all."""

import math
import re
from dataclasses import replace

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from surveys.charts import Axis, axis_around, log_axis_around, share_axis
from surveys.charts.axis import placed_ticks
from surveys.numbers.words import decimal, hundredths

NUMBERS = st.floats(-1e9, 1e9).map(lambda number: round(number, 6))
POSITIVE = st.floats(1e-9, 1e9)


def labels(axis: Axis) -> list[str]:
    return [tick.label for tick in axis.ticks]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-0.31, 0.56], ["−0.4", "−0.2", "0.0", "0.2", "0.4", "0.6"]),
        ([0, 1], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([3, 48], ["0", "10", "20", "30", "40", "50"]),
        ([120, 19_000], ["0", "5,000", "10,000", "15,000", "20,000"]),
        ([0.012, 0.019], ["0.012", "0.014", "0.016", "0.018", "0.020"]),
        ([5], ["4.4", "4.6", "4.8", "5.0", "5.2", "5.4", "5.6"]),
        ([0, 0], ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
        ([], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_marks_are_round_numbers_with_the_decimals_they_need(values: list[float], expected: list[str]) -> None:
    assert labels(axis_around(values)) == expected


def test_beyond_what_is_possible_an_axis_goes_only_where_a_number_does() -> None:
    held = axis_around([0.2, 11.5], within=(0, 12))
    assert (held.low, held.high) == (0, 12)
    assert labels(axis_around([1.2, 26], within=(1, 28))) == ["5", "10", "15", "20", "25"]
    assert labels(axis_around([-2, 26], within=(1, 28))) == ["−10", "0", "10", "20"]


def test_an_axis_with_a_long_last_mark_leaves_out_those_it_would_touch() -> None:
    ticks = placed_ticks(replace(share_axis(), unit="of 100"))
    assert [tick.label for tick in ticks if not tick.spare] == ["0", "50", "100 of 100"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.3, 7], ["0.2", "0.5", "1", "2", "5", "10"]),
        ([1], ["0.5", "1", "2"]),
        ([0.02, 40], ["0.01", "0.1", "1", "10", "100"]),
        ([1e-6, 1e6], ["0.000001", "0.001", "1", "1,000", "1,000,000"]),
        ([], ["0.1", "0.2", "0.5", "1", "2", "5", "10"]),
    ],
)
def test_a_logarithmic_axis_is_marked_at_1_2_5_and_powers_of_ten(values: list[float], expected: list[str]) -> None:
    assert labels(log_axis_around(values)) == expected


@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_an_axis_holds_all_its_numbers(values: list[float]) -> None:
    axis = axis_around(values)
    slack = 1e-6 * max(1.0, abs(axis.low), abs(axis.high))
    assert all(axis.low - slack <= value <= axis.high + slack for value in values)
    assert 2 <= len(axis.ticks) <= 8
    assert len(set(labels(axis))) == len(axis.ticks)
    places = [axis.at(tick.value) for tick in axis.ticks]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0, 100)


@given(st.lists(POSITIVE, min_size=1, max_size=5))
def test_a_logarithmic_axis_holds_all_its_numbers(values: list[float]) -> None:
    axis = log_axis_around(values)
    assert all(axis.low * (1 - 1e-6) <= value <= axis.high * (1 + 1e-6) for value in values)
    assert 2 <= len(axis.ticks) <= 10
    assert len(set(labels(axis))) == len(axis.ticks)


def test_equal_factors_are_equal_lengths_on_a_logarithmic_axis() -> None:
    axis = Axis(0.01, 100, (), logarithmic=True)
    assert [axis.at(value) for value in (0.01, 0.1, 1, 10, 100)] == [0, 25, 50, 75, 100]


def test_what_lies_outside_is_at_the_end() -> None:
    assert [share_axis().at(value) for value in (-math.inf, -1, 2, math.inf)] == [0, 0, 100, 100]
    assert [share_axis().side(value) for value in (-1, 0, 0.5, 1, math.inf)] == [-1, 0, 0, 0, 1]
    assert [Axis(0.1, 10, (), logarithmic=True).at(value) for value in (-1, 0, math.inf)] == [0, 0, 100]


def test_nan_has_no_place() -> None:
    with pytest.raises(ValueError, match="NaN"):
        share_axis().at(math.nan)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("around", [axis_around, log_axis_around])
def test_an_axis_around_what_is_not_finite_is_refused(around: type, bad: float) -> None:
    with pytest.raises(ValueError, match=r"^values|positive"):
        around([1.0, bad])


@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_a_logarithmic_axis_around_what_is_not_positive_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        log_axis_around([1.0, bad])


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (math.nan, 1), (0, math.inf)])
def test_an_axis_without_length_is_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="low < high"):
        Axis(low, high, ())


def test_a_logarithmic_axis_from_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="low > 0"):
        Axis(0, 1, (), logarithmic=True)


def test_numbers_are_written_as_the_language_writes_them() -> None:
    assert [decimal(-12345.678, 2), decimal(-0.0001, 2), decimal(3, 0)] == [
        "−12,345.68",
        "0.00",
        "3",
    ]
    with translation.override("de"):
        assert decimal(-12345.678, 2) == "−12.345,68"
        assert labels(axis_around([0, 0.5])) == ["0,0", "0,1", "0,2", "0,3", "0,4", "0,5"]


def test_shares_are_written_in_hundredths() -> None:
    assert labels(axis_around([-0.31, 0.56], write=hundredths)) == ["−40", "−20", "0", "20", "40", "60"]
    assert labels(axis_around([0.012, 0.019], write=hundredths)) == ["1.2", "1.4", "1.6", "1.8", "2.0"]


@pytest.mark.parametrize(
    ("axis", "kept"),
    [
        (share_axis(), ["0", "25", "50", "75", "100"]),
        (axis_around([-30_000, 30_000]), ["−40,000", "0", "40,000"]),
        (axis_around([0, 9_000_000]), ["0", "4,000,000", "8,000,000"]),
        (log_axis_around([10, 1000]), ["10", "50", "200", "1,000"]),
        (log_axis_around([1e-6, 1e6]), ["0.000001", "1", "1,000,000"]),
    ],
)
def test_where_there_is_no_room_marks_are_spare_and_zero_or_one_is_not(axis: Axis, kept: list[str]) -> None:
    assert [tick.label for tick in placed_ticks(axis) if not tick.spare] == kept


def test_long_labels_at_the_ends_stay_inside() -> None:
    ticks = placed_ticks(axis_around([-30_000, 30_000]))
    assert [ticks[0].anchor, ticks[1].anchor, ticks[-1].anchor] == ["start", "middle", "end"]
    assert {tick.anchor for tick in placed_ticks(share_axis())} == {"middle"}


def test_places_have_two_decimals_at_most() -> None:
    assert all(re.fullmatch(r"\d+(\.\d{1,2})?", str(share_axis().at(third / 3))) for third in range(4))


@pytest.mark.parametrize(
    ("unit", "kept"),
    [("", ["0", "25", "50", "75", "100"]), ("of 100", ["0", "50", "100 of 100"])],
)
def test_the_last_mark_carries_the_unit_and_is_never_left_out(unit: str, kept: list[str]) -> None:
    assert [tick.label for tick in placed_ticks(share_axis(unit=unit)) if not tick.spare] == kept


def test_where_the_unit_is_long_the_ends_are_left() -> None:
    ticks = placed_ticks(share_axis(unit="de cada cien personas"))
    assert [tick.label for tick in ticks if not tick.spare] == ["0", "100 de cada cien personas"]
    assert ticks[-1].anchor == "end"
