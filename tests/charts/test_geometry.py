"""Where the parts of a chart go."""

import math
import re
from itertools import pairwise

import pytest
from django.template.loader import render_to_string

from surveys.charts import Axis, Curve, HeatCell, IntervalRow, Mark, Region, share_axis
from surveys.charts.curves import PlacedLabel, beside, inside
from tests.charts import samples


def test_lengths_are_percentages_of_the_row() -> None:
    row = IntervalRow("a", "a", "a", 0.31, 0.09, 0.53, 0.405)
    placed = samples.intervals(axis=share_axis(), rows=[row]).drawn.rows[0]
    assert (placed.low, placed.high, placed.width, placed.point, placed.raw) == (9, 53, 44, 31, 40.5)


def test_nothing_is_drawn_where_nothing_is_claimed_but_the_raw_share() -> None:
    row = IntervalRow("a", "a", "–", 0.31, 0.09, 0.53, 0.4, claimed=False)
    placed = samples.intervals(axis=share_axis(), rows=[row]).drawn.rows[0]
    assert (placed.low, placed.high, placed.width, placed.point, placed.raw) == (None, None, 0, None, 40)


def test_the_truth_has_its_pin_also_where_nothing_is_claimed() -> None:
    rows = [IntervalRow("a", "a", "–", 0.31, 0.09, 0.53, claimed=claimed, truth=0.29) for claimed in (True, False)]
    chart = samples.intervals(axis=share_axis(), rows=rows)
    assert [placed.truth for placed in chart.drawn.rows] == [29, 29]
    page = render_to_string(chart.template, {"chart": chart, "drawn": chart.drawn})
    assert page.count('<svg class="pin" x="29.0%"') == 2


def test_an_interval_beyond_the_axis_is_open_and_a_point_there_an_arrow() -> None:
    rows = samples.coefficients().drawn.rows
    assert [(row.low_open, row.high_open, row.beyond) for row in rows] == [
        (False, False, 0),
        (False, True, 0),
        (True, False, -1),
    ]
    assert (rows[1].high, rows[2].point) == (100, 0)


def test_no_effect_is_at_one_on_an_axis_of_ratios() -> None:
    drawn = samples.coefficients(axis=Axis(0.1, 10, (), logarithmic=True)).drawn
    assert drawn.reference == 50


@pytest.mark.parametrize(
    ("rows", "marks"),
    [
        ([IntervalRow("a", "a", "a", 0.5, 0.1, 0.9, 0.4)], ["interval", "raw", "reference"]),
        ([IntervalRow("a", "a", "a", None, 0.1, 0.9)], ["band", "reference"]),
        ([IntervalRow("a", "a", "a", 0.5, None, None)], ["point", "reference"]),
        ([IntervalRow("a", "a", "a", 0.5, 0.1, 0.9, claimed=False)], ["reference"]),
        ([IntervalRow("a", "a", "a", 0.5, 0.1, 0.9, truth=0.4)], ["interval", "truth", "reference"]),
    ],
)
def test_the_legend_explains_what_is_drawn_and_nothing_else(rows: list[IntervalRow], marks: list[str]) -> None:
    drawn = samples.intervals(axis=share_axis(), rows=rows, reference=0.5).drawn
    assert [sample.mark for sample in drawn.legend] == marks
    assert "reference" not in {sample.mark for sample in samples.intervals().drawn.legend}


def test_bars_begin_at_zero_and_carry_their_whiskers() -> None:
    first, _, nothing, _ = samples.bars().drawn.rows
    assert (first.length, first.low, first.high, first.raw) == (52, 40, 64, 40)
    assert (nothing.length, nothing.low, nothing.high, nothing.raw) == (None, None, None, None)


def test_the_larger_the_share_the_darker_the_cell() -> None:
    cells = [HeatCell(share, "a") for share in (0.0, 0.1, 0.2, 0.3, None)]
    chart = samples.heat(row_labels=["a"], column_labels=["a"] * 5, cells=[cells])
    assert [placed.step for placed in chart.drawn[0].cells] == [0, 3, 6, 9, None]


@pytest.mark.parametrize(("share", "step"), [(0.0, 0), (None, None)])
def test_a_table_of_nothing_is_not_dark(share: float | None, step: int | None) -> None:
    chart = samples.heat(row_labels=["a"], column_labels=["a"], cells=[[HeatCell(share, "a")]])
    assert chart.drawn[0].cells[0].step == step


def test_high_numbers_are_at_the_top() -> None:
    curve = Curve("a", [(0, 0), (0.5, 1), (1, 0.25)], filled=True)
    drawn = samples.curves(y_axis=share_axis(), curves=[curve], marks=[Mark("b", y=0.75)]).drawn
    assert drawn.curves[0].path == "M0.0 100.0L50.0 0.0L100.0 75.0"
    assert drawn.curves[0].area == "M0.0 100.0L50.0 0.0L100.0 75.0L100.0 100L0.0 100Z"
    assert (drawn.marks[0].x, drawn.marks[0].y) == (None, 25)
    assert [tick.at for tick in drawn.y_ticks] == [100, 75, 50, 25, 0]


def test_every_line_is_labelled_where_it_runs_and_no_letter_stands_for_it() -> None:
    chart = samples.errors()
    page = render_to_string(chart.template, {"chart": chart, "drawn": chart.drawn})
    labels = re.findall(r'<text class="at-line"[^>]*>([^<]+)</text>', page)
    assert labels == ["Best test", "Coin", "No test gets here"]
    assert [sample.label for sample in chart.drawn.legend] == labels


def test_labels_go_on_towards_the_middle_and_those_of_upright_marks_stand_below_each_other() -> None:
    drawn = samples.curves(marks=[Mark("now", x=0.1), Mark("planned", x=0.12), Mark("far", x=0.9)]).drawn
    assert [(mark.anchor, mark.row) for mark in drawn.marks] == [("start", 0), ("start", 1), ("end", 2)]


def test_no_label_of_a_line_stands_on_the_name_of_a_line_across() -> None:
    # The label would stand right below its line, where there is room but for that name.
    heights = {"low": (0.85, 0.56), "up": (0, 0.62), "under": (0, 0.3)}
    curves = [Curve(label, [(start, height), (1, height)]) for label, (start, height) in heights.items()]
    marks = [Mark("what is wanted of all", y=0.5)]
    drawn = samples.curves(x_axis=share_axis(), y_axis=share_axis(), curves=curves, marks=marks).drawn
    _left, right, top, bottom = drawn.curves[0].written.box
    assert right > 80
    assert bottom <= 43 or top >= 50


def test_a_stack_of_very_many_draws_is_no_higher_than_the_picture_and_its_dots_are_apart_where_they_are_few() -> None:
    few, many = (samples.dots(values=[0.5] * draws).drawn for draws in (3, 1000))
    downs = [sorted(dot.down for dot in drawn.dots) for drawn in (few, many)]
    assert [high - low for low, high in pairwise(downs[0])] == [7, 7]
    assert many.height <= 28 + 280
    assert downs[1][0] >= 20


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.17, 0.37, [("17", 17, "start"), ("37", 37, "end"), ("27", 27, "middle")]),
        (0.23, 0.31, [("17", 23, "end"), ("37", 31, "start")]),
        (0.0, 0.08, [("17–37", 8, "start")]),
        (0.97, 1.0, [("17–37", 97, "end")]),
    ],
)
def test_numbers_stand_at_the_marks_of_an_estimate_alone_where_they_have_room(
    low: float, high: float, labels: list[tuple[str, float, str]]
) -> None:
    row = IntervalRow("a", "a", "27", (low + high) / 2, low, high, 0.385)
    drawn = samples.large(row=row).drawn
    assert [(label.label, label.at, label.anchor) for label in drawn.labels] == labels
    assert drawn.raw is not None
    assert (drawn.raw.at, drawn.raw.anchor) == (38.5, "middle")


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.40, 0.80, [("4.71", 40, "start"), ("6.55", 80, "end"), ("5.64", 60, "middle")]),
        (0.52, 0.73, [("4.71", 52, "end"), ("6.55", 73, "start"), ("5.64", 62.5, "middle")]),
        (0.08, 0.28, [("4.71–6.55", 28, "start")]),
        (0.50, 0.60, [("4.71", 50, "end"), ("6.55", 60, "start")]),
    ],
)
def test_longer_numbers_have_as_much_more_room(low: float, high: float, labels: list[tuple[str, float, str]]) -> None:
    row = IntervalRow("a", "a", "5.64", (low + high) / 2, low, high)
    drawn = samples.large(row=row, low="4.71", point="5.64", high="6.55").drawn
    assert [(label.label, label.at, label.anchor) for label in drawn.labels] == labels


def test_an_estimate_alone_that_is_not_claimed_has_no_numbers() -> None:
    row = IntervalRow("a", "a", "–", 0.27, 0.17, 0.37, claimed=False)
    drawn = samples.large(row=row).drawn
    assert (drawn.labels, drawn.raw, drawn.row.low) == ((), None, None)


FLAT, STEEP = [(0.0, 50.0), (100.0, 50.0)], [(50.0, 0.0), (50.0, 100.0)]
SQUARE = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0), (0.0, 0.0)]


def _covers(label: PlacedLabel, x: float, y: float) -> bool:
    left, right, top, bottom = label.box
    return left <= x <= right and top <= y <= bottom


def test_a_label_covers_neither_its_own_line_nor_others() -> None:
    other = [(float(at), 50.0 - at / 2) for at in range(101)]
    label = beside("a few words", FLAT, other, [])
    assert not any(_covers(label, x, y) for x, y in [*other, *((float(at), 50.0) for at in range(101))])
    # Where the lines are apart: nobody takes it for the other's.
    assert label.x > 30


def test_labels_of_two_lines_do_not_cover_each_other() -> None:
    first = beside("a few words", STEEP, [], [])
    second = beside("as many here", STEEP, [], [first.box])
    left, right, top, bottom = second.box
    assert right <= first.box[0] or left >= first.box[1] or bottom <= first.box[2] or top >= first.box[3]


@pytest.mark.parametrize("line", [STEEP, [(0.0, 0.0), (1.0, 100.0)], [(97.0, 3.0), (99.0, 3.0)], FLAT])
def test_a_label_stays_inside(line: list[tuple[float, float]]) -> None:
    left, right, top, bottom = beside("a few words", line, [], []).box
    assert 0 <= left < right <= 100
    assert 0 <= top < bottom <= 100


def test_a_label_of_an_area_is_inside_away_from_all_lines() -> None:
    diagonal = [(float(at), 100.0 - at) for at in range(101)]
    label = inside("words", SQUARE, diagonal, [])
    assert 3 <= label.x <= 97
    assert abs(label.x - (100 - label.y)) / math.sqrt(2) > 10


def test_areas_that_overlap_have_borders_and_labels_of_their_own() -> None:
    large, small = [(0, 0), (0, 1), (1, 0)], [(0, 1), (0.25, 0.25), (1, 0)]
    drawn = samples.errors(curves=(), regions=[Region("large", large), Region("small", small)]).drawn
    outer, inner = drawn.regions
    assert (outer.written.x, outer.written.y) != (inner.written.x, inner.written.y)
    assert [region.dash for region in drawn.regions] == [0, 1]


def test_an_area_too_thin_for_a_label_has_it_beside() -> None:
    label = inside("words", [(50.0, 50.0), (50.1, 50.0), (50.0, 50.1), (50.0, 50.0)], [], [])
    assert math.dist((label.x, label.y), (50, 50)) < 10


def test_a_region_alone_is_a_chart() -> None:
    drawn = samples.errors(curves=(), regions=[Region("a", [(0, 0), (1, 0), (0, 1)])]).drawn
    assert drawn.regions[0].written.x < 60
    assert drawn.regions[0].written.y > drawn.regions[0].written.x
