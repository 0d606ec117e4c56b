"""Numbers that no chart can draw are refused where they come in, by name."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.charts import (
    Bar,
    CrowdRow,
    Curve,
    HeatCell,
    IntervalRow,
    Mark,
    Region,
    axis_around,
    share_axis,
)
from tests.charts import samples

NOT_FINITE = [math.nan, math.inf, -math.inf]
NO_SHARE = [*NOT_FINITE, -0.01, 1.01]


def row(**numbers: Any) -> IntervalRow:
    return IntervalRow("a", "a", "a", **({"point": 0.5, "low": 0.1, "high": 0.9} | numbers))


def bar(**numbers: Any) -> Bar:
    return Bar("a", "a", "a", **({"share": 0.5, "low": 0.1, "high": 0.9} | numbers))


@pytest.mark.parametrize("name", ["point", "raw", "truth"])
@pytest.mark.parametrize("bad", NOT_FINITE)
def test_an_estimate_that_is_not_finite(name: str, bad: float) -> None:
    with pytest.raises(ValueError, match=rf"^{name}\b.*finite"):
        row(**{name: bad})


@pytest.mark.parametrize("name", ["low", "high"])
def test_a_limit_that_is_no_number(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}\b.*nan$"):
        row(**{name: math.nan})


@pytest.mark.parametrize("make", [row, bar])
def test_limits_the_wrong_way_round(make: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"0\.6 and 0\.5$"):
        make(low=0.6, high=0.5)


@pytest.mark.parametrize("make", [row, bar])
@pytest.mark.parametrize("name", ["low", "high"])
def test_half_an_interval(make: Callable[..., object], name: str) -> None:
    with pytest.raises(ValueError, match="None"):
        make(**{name: None})


@pytest.mark.parametrize("name", ["share", "low", "high", "raw"])
@pytest.mark.parametrize("bad", NO_SHARE)
def test_a_bar_that_is_no_share(name: str, bad: float) -> None:
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        bar(**{name: bad})


@pytest.mark.parametrize("bad", NO_SHARE)
def test_a_cell_that_is_no_share(bad: float) -> None:
    with pytest.raises(ValueError, match=r"^share\b"):
        HeatCell(bad, "a")


@pytest.mark.parametrize("bad", NOT_FINITE)
@pytest.mark.parametrize("place", [0, 1])
def test_points_that_are_not_finite(place: int, bad: float) -> None:
    point = [0.5, 0.5]
    point[place] = bad
    with pytest.raises(ValueError, match=r"^points\b"):
        Curve("a", [(0, 0), (point[0], point[1])])
    with pytest.raises(ValueError, match=r"^corners\b"):
        Region("a", [(0, 0), (1, 1), (point[0], point[1])])
    with pytest.raises(ValueError, match=r"^[xy]\b"):
        Mark("a", **{"xy"[place]: bad})


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: samples.intervals(rows=()), "^rows"),
        (lambda: samples.forest(reference=math.nan), "^reference"),
        (lambda: samples.bars(bars=()), "^bars"),
        (lambda: samples.bars(axis=axis_around([0.3, 0.4])), "^axis"),
        (lambda: samples.heat(row_labels=()), "^row_labels"),
        (lambda: samples.heat(row_labels=("a",)), "^cells .* 1 .* 3$"),
        (lambda: samples.heat(column_labels=("a",)), "row of cells .* 1 .* 3$"),
        (lambda: samples.crowds(crowds=()), "^crowds"),
        (lambda: samples.crowds(columns=0), "^columns"),
        (lambda: CrowdRow("a", "a", "a", []), "^dots .* 0$"),
        (lambda: CrowdRow("a", "a", "a", ["blue"]), "^dots .* blue$"),
        (lambda: samples.dots(values=()), "^values .* 0$"),
        (lambda: samples.dots(values=[math.nan]), "^values .* nan$"),
        (lambda: samples.curves(curves=()), "^curves or"),
        (lambda: samples.curves(marks=[Mark("a", x=0.5)] * 25), "26"),
        (lambda: Curve("a", [(0, 0)]), "^points .* 1$"),
        (lambda: Curve("a", [(0, 0), (1, 1)], dash=4), "^dash"),
        (lambda: Curve("a", [(1, 0), (0, 1)], filled=True), "^points .* filled"),
        (lambda: Region("a", [(0, 0), (1, 1)]), "^corners .* 2$"),
        (lambda: Mark("a"), "None and None$"),
        (lambda: Mark("a", x=1, y=1), "1 and 1$"),
    ],
)
def test_a_chart_that_makes_no_sense(make: Callable[[], object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        make()


SHARES = st.floats(0, 1)


@given(st.tuples(SHARES, SHARES).map(sorted), SHARES, SHARES)
def test_a_band_never_leaves_its_track(limits: list[float], point: float, raw: float) -> None:
    low, high = limits
    chart = samples.intervals(axis=share_axis(), rows=[row(low=low, high=high, point=point, raw=raw)])
    placed = chart.drawn.rows[0]
    assert 0 <= placed.low <= placed.high <= 100
    assert placed.low + placed.width == pytest.approx(placed.high, abs=0.011)
    assert (placed.point, placed.raw) == (pytest.approx(100 * point, abs=0.006), pytest.approx(100 * raw, abs=0.006))
    assert (placed.low_open, placed.high_open, placed.beyond) == (False, False, 0)
