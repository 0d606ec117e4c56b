"""Posteriors, sampling distributions, power curves, error regions: lines and areas over two axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from surveys.charts import numbers
from surveys.charts.axis import Axis, PlacedTick, placed_ticks
from surveys.charts.chart import Chart
from surveys.charts.legend import Sample

# Where the label of a curve or an area goes: as far from all other lines as can be.


# Percent from the left and from the top.
Place = tuple[float, float]

# A label at the very edge would be cut.
_LEAST, _MOST = 6.0, 94.0
# So many places of a line are tried, and so many rows and columns of an area.
_TRIED = 24
_ROWS = 12
# Farther than this, nothing is gained by more distance.
_FAR = 20.0
_THIRD = 36.0
# More lines nobody tells apart.
_MOST_LINES = 26


def on_line(line: Sequence[Place], others: Sequence[Sequence[Place]], uprights: Sequence[float] = ()) -> Place:
    """Return the place on a line that no other line comes near; of several, the highest and most central.

    `uprights` are marks from the top to the bottom, so many percent from the left.
    """
    left, right = max(_LEAST, min(x for x, _ in line)), min(_MOST, max(x for x, _ in line))
    if not left < right:
        # An upright line, or one at the very edge.
        return _kept(line[len(line) // 2])
    tried = [
        (x, height)
        for number in range(_TRIED + 1)
        for x in [left + (right - left) * number / _TRIED]
        for height in _heights(line, x)[:1]
    ]

    def clearance(place: Place) -> tuple[float, float]:
        x, y = place
        if any(abs(x - upright) < _LEAST for upright in uprights):
            return -1.0, -y
        gap = min((abs(y - height) for other in others for height in _heights(other, x)), default=0.0)
        return round(min(gap, _FAR)), -(max(y, _LEAST) + abs(x - 50) / 4)

    return _kept(max(tried, key=clearance))


def in_area(corners: Sequence[Place], others: Sequence[Sequence[Place]], lines: Sequence[Sequence[Place]]) -> Place:
    """Return the place in an area that no line comes near; if it can be, in none of the other areas."""
    steps = [_LEAST + (_MOST - _LEAST) * number / _ROWS for number in range(_ROWS + 1)]
    inside = [(x, y) for x in steps for y in steps if _holds(corners, (x, y))]
    alone = [place for place in inside if not any(_holds(other, place) for other in others)]
    borders = [place for line in (corners, *others, *lines) for place in _between(line)]
    if not inside:
        # Too thin to hold a label.
        return _kept(corners[0])
    return _kept(max(alone or inside, key=lambda place: min(math.dist(place, border) for border in borders)))


def _holds(corners: Sequence[Place], place: Place) -> bool:
    x, y = place
    return sum(height < y for height in _heights(corners, x)) % 2 == 1


def _kept(place: Place) -> Place:
    x, y = (round(min(_MOST, max(_LEAST, value)), 2) for value in place)
    return x, y


def _heights(line: Sequence[Place], x: float) -> list[float]:
    """Return how high a line is at x: once for each of its parts that crosses it."""
    return [
        y1 + (y2 - y1) * (x - x1) / (x2 - x1)
        for (x1, y1), (x2, y2) in pairwise(line)
        # Of two parts that meet at x, one crosses it.
        if min(x1, x2) <= x < max(x1, x2)
    ]


def _between(line: Sequence[Place]) -> list[Place]:
    """Return places all along a line, some eight percent apart at most."""
    found = []
    for (x1, y1), (x2, y2) in pairwise(line):
        parts = max(1, round(math.dist((x1, y1), (x2, y2)) / 8))
        found += [(x1 + (x2 - x1) * part / parts, y1 + (y2 - y1) * part / parts) for part in range(parts)]
    return [*found[:: max(1, len(found) // 60)], line[-1]]


DASHES = ("solid", "dashed", "dotted", "dash-dotted")


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points in units of the axes; its dash tells it from the others, not its colour alone."""

    label: str
    points: Sequence[tuple[float, float]]
    dash: int = 0  # 0 solid, 1 dashed, 2 dotted, 3 dashes and dots
    filled: bool = False  # down to the horizontal axis

    def __post_init__(self) -> None:
        _check("points", self.points, at_least=2)
        if self.dash not in range(len(DASHES)):
            raise ValueError(f"dash must be 0 to {len(DASHES) - 1}, got {self.dash!r}")
        if self.filled and any(right[0] < left[0] for left, right in pairwise(self.points)):
            raise ValueError("points of a filled curve must go from left to right")


@dataclass(frozen=True, slots=True)
class Region:
    """A filled area, by its corners; the borders of several are dashed differently."""

    label: str
    corners: Sequence[tuple[float, float]]

    def __post_init__(self) -> None:
        _check("corners", self.corners, at_least=3)


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the drawing at one number of one axis."""

    label: str
    x: float | None = None
    y: float | None = None

    def __post_init__(self) -> None:
        if (self.x is None) == (self.y is None):
            raise ValueError(f"either x or y must be given, got {self.x!r} and {self.y!r}")
        for name, value in (("x", self.x), ("y", self.y)):
            if value is not None:
                numbers.finite(name, value)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A curve or the border of a region, in percent from the left and from the top."""

    label: str
    points: tuple[Place, ...]
    label_at: Place
    dash: int = 0
    filled: bool = False

    @property
    def anchor(self) -> str:
        """Which end of the label stands at its place, so that it goes on towards the middle."""
        return _anchor_at(self.label_at[0])

    @property
    def path(self) -> str:
        """The line, for the attribute d of a path."""
        return "M" + "L".join(f"{x} {y}" for x, y in self.points)

    @property
    def area(self) -> str:
        """What lies between the line and the horizontal axis."""
        return f"{self.path}L{self.points[-1][0]} 100L{self.points[0][0]} 100Z"


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """A line across, at so many percent from the left or from the top."""

    label: str
    x: float | None
    y: float | None
    row: int = 0  # upright ones have their labels below each other

    @property
    def anchor(self) -> str:
        """Which end of the label stands at the line."""
        return "end" if self.x is None else _anchor_at(self.x)


@dataclass(frozen=True, slots=True)
class PlacedCurves:
    """Everything in the plot, in percent of its width and height."""

    curves: tuple[PlacedLine, ...]
    regions: tuple[PlacedLine, ...]
    marks: tuple[PlacedMark, ...]
    x_ticks: tuple[PlacedTick, ...]
    y_ticks: tuple[PlacedTick, ...]  # from the top
    legend: tuple[Sample, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveChart(Chart):
    """Lines, areas and marks over two axes; where there are several, each is labelled where it runs."""

    template: ClassVar[str] = "charts/_curves.html"

    x_axis: Axis
    y_axis: Axis
    curves: Sequence[Curve]
    regions: Sequence[Region] = ()
    marks: Sequence[Mark] = ()

    def __post_init__(self) -> None:
        Chart.__post_init__(self)
        if not (self.curves or self.regions):
            raise ValueError("curves or regions must be given")
        if len(self.curves) + len(self.regions) + len(self.marks) > _MOST_LINES:
            raise ValueError(f"curves, regions and marks must be {_MOST_LINES} at most")

    @property
    def drawn(self) -> PlacedCurves:
        """The geometry."""
        lines = [_places(curve.points, self) for curve in self.curves]
        # Closed: the last side goes back to the first corner.
        areas = [_places([*region.corners, region.corners[0]], self) for region in self.regions]
        uprights = [self.x_axis.at(mark.x) for mark in self.marks if mark.x is not None]
        curves = tuple(
            PlacedLine(
                curve.label,
                line,
                on_line(line, [other for other in lines if other is not line], uprights),
                curve.dash,
                curve.filled,
            )
            for curve, line in zip(self.curves, lines, strict=True)
        )
        regions = tuple(
            PlacedLine(
                region.label,
                area,
                in_area(area, [other for other in areas if other is not area], lines),
                place % len(DASHES),
            )
            for place, (region, area) in enumerate(zip(self.regions, areas, strict=True))
        )
        marks = tuple(_placed_mark(mark, self, row) for row, mark in enumerate(self.marks))
        return PlacedCurves(
            curves=curves,
            regions=regions,
            marks=marks,
            x_ticks=placed_ticks(self.x_axis),
            y_ticks=tuple(PlacedTick(_from_the_top(tick.at), tick.label, "end") for tick in placed_ticks(self.y_axis)),
            legend=(
                *(Sample("curve", curve.label, curve.dash, curve.filled) for curve in curves),
                *(Sample("region", region.label, region.dash) for region in regions),
                *(Sample("line", mark.label) for mark in marks),
            ),
        )


def _check(name: str, points: Sequence[tuple[float, float]], *, at_least: int) -> None:
    if len(points) < at_least:
        raise ValueError(f"{name} must be {at_least} or more, got {len(points)}")
    for x, y in points:
        numbers.finite(name, x)
        numbers.finite(name, y)


def _places(points: Sequence[tuple[float, float]], chart: CurveChart) -> tuple[Place, ...]:
    return tuple((chart.x_axis.at(x), _from_the_top(chart.y_axis.at(y))) for x, y in points)


def _placed_mark(mark: Mark, chart: CurveChart, row: int) -> PlacedMark:
    return PlacedMark(
        mark.label,
        None if mark.x is None else chart.x_axis.at(mark.x),
        None if mark.y is None else _from_the_top(chart.y_axis.at(mark.y)),
        row,
    )


def _anchor_at(x: float) -> str:
    return "start" if x < _THIRD else "end" if x > 100 - _THIRD else "middle"


def _from_the_top(at: float) -> float:
    return round(100 - at, 2)
