"""Posteriors, sampling distributions, power curves, error regions: lines and areas over two axes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from surveys.charts.axis import Axis, PlacedTick, placed_ticks, towards_the_middle
from surveys.charts.chart import Chart, Sample
from surveys.charts.numbers import finite

# Where the label of a curve or an area goes: beside it, over as few lines and other labels as can be.


# Percent from the left and from the top.
Place = tuple[float, float]
# Left, right, top and bottom.
Box = tuple[float, float, float, float]

# A label at the very edge would be cut.
_LEAST, _MOST = 3.0, 97.0
# What a letter of a label is wide and a line of it high, and how far it stands from its line, where a chart is wide.
_LETTER, _HEIGHT, _GAP = 1.75, 7.0, 1.5
# So many places of a line are tried, and so many rows and columns of an area.
_TRIED = 24
# Farther than this, nothing is gained by more distance.
_FAR = 12.0
_MOST_PLACES = 100
_ROWS = 16
# More lines cannot be distinguished.
_MOST_LINES = 26


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A label: the place of one end of its writing, and which end that is."""

    words: str
    x: float
    y: float  # of its middle
    anchor: str

    @property
    def box(self) -> Box:
        wide = _LETTER * len(self.words)
        left = self.x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]
        return left, left + wide, self.y - _HEIGHT / 2, self.y + _HEIGHT / 2


def beside(words: str, line: Sequence[Place], others: Sequence[Place], taken: Sequence[Box]) -> PlacedLabel:
    """Return a label beside a line, to its left or right, where none of the places of other lines is near."""
    places = _along(line, 100 / _TRIED)
    costs = {
        PlacedLabel(words, round(x + side * _GAP, 2), round(y + up * _HEIGHT / 2, 2), anchor): near
        for (x, y), near in zip(places, _near(places, others), strict=True)
        for side, anchor in ((1, "start"), (-1, "end"))
        for up in (0, -1.3, 1.3)
    }
    return _best(costs, [*others, *_along(line)], taken)


def inside(words: str, corners: Sequence[Place], others: Sequence[Place], taken: Sequence[Box]) -> PlacedLabel:
    """Return a label within an area, far from all lines; beside one that is too thin to hold a label."""
    held = list(_held(corners))
    if not held:
        return beside(words, corners, others, taken)
    lines = [*others, *_along(corners)]
    costs = {
        PlacedLabel(words, round(x, 2), round(y, 2), "middle"): near
        for (x, y), near in zip(held, _near(held, lines), strict=True)
    }
    return _best(costs, lines, taken)


def _near(places: Sequence[Place], lines: Sequence[Place]) -> list[float]:
    """Return how much too near to other lines each place is."""
    x, y = np.array(places).T[:, :, None]
    across, down = np.reshape(lines, (-1, 2)).T
    distances: list[float] = np.hypot(x - across, y - down).min(axis=1, initial=_FAR).tolist()
    return [_FAR - distance for distance in distances]


def _best(costs: Mapping[PlacedLabel, float], over: Sequence[Place], taken: Sequence[Box]) -> PlacedLabel:
    """Return the label that covers least and has the least near; of several, the highest and most central."""
    labels = list(costs)
    left, right, top, bottom = np.array([label.box for label in labels]).T
    outside = sum(np.maximum(0, beyond) for beyond in (_LEAST - left, right - _MOST, _LEAST - top, bottom - _MOST))
    x, y = np.array(over).T[:, None]
    covered = ((left[:, None] <= x) & (x <= right[:, None]) & (top[:, None] <= y) & (y <= bottom[:, None])).sum(axis=1)
    upon = sum((left < box[1]) & (box[0] < right) & (top < box[3]) & (box[2] < bottom) for box in taken)
    cost = 10 * outside + covered + 50 * upon + list(costs.values())
    central = [label.y for label in labels] + np.abs((left + right) / 2 - 50) / 4
    return labels[int(np.lexsort((central, cost))[0])]


def _held(corners: Sequence[Place]) -> Iterator[Place]:
    """Return places that an area holds: so many of its sides are above each."""
    steps = [_LEAST + (_MOST - _LEAST) * number / _ROWS for number in range(_ROWS + 1)]
    for x in steps:
        heights = [
            y1 + (y2 - y1) * (x - x1) / (x2 - x1)
            for (x1, y1), (x2, y2) in pairwise(corners)
            # Of two sides that meet at x, one crosses it.
            if min(x1, x2) <= x < max(x1, x2)
        ]
        yield from ((x, y) for y in steps if sum(height < y for height in heights) % 2 == 1)


def _along(line: Sequence[Place], apart: float = 2.0) -> list[Place]:
    """Return places all along a line, so many percent apart at most."""
    points = []
    for (x1, y1), (x2, y2) in pairwise(line):
        parts = max(1, math.ceil(math.dist((x1, y1), (x2, y2)) / apart))
        points += [(x1 + (x2 - x1) * part / parts, y1 + (y2 - y1) * part / parts) for part in range(parts)]
    # Of a curve of very many points some are enough.
    return [*points[:: max(1, len(points) // _MOST_PLACES)], line[-1]]


DASHES = ("solid", "dashed", "dotted", "dash-dotted")


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points in units of the axes; its dash, not its colour alone, distinguishes it from the others."""

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
                finite(name, value)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A curve or the border of a region, in percent from the left and from the top."""

    label: str
    points: tuple[Place, ...]
    written: PlacedLabel
    dash: int = 0
    filled: bool = False

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
        return "end" if self.x is None else towards_the_middle(self.x, 36)


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
        lines = [_places(curve.points, self) for curve in self.curves]
        # Closed: the last side goes back to the first corner.
        areas = [_places([*region.corners, region.corners[0]], self) for region in self.regions]
        drawn = [_along(line) for line in (*lines, *areas, *_across(self))]
        marks = tuple(_placed_mark(mark, self, row) for row, mark in enumerate(self.marks))
        # The name of a line across stands above its right end.
        named = [PlacedLabel(mark.label, 100.0, mark.y - _HEIGHT / 2, "end") for mark in marks if mark.y is not None]
        taken = [label.box for label in named]
        written = []
        names = [*(curve.label for curve in self.curves), *(region.label for region in self.regions)]
        for place, (name, line) in enumerate(zip(names, (*lines, *areas), strict=True)):
            others = [point for other, points in enumerate(drawn) if other != place for point in points]
            label = (beside if place < len(lines) else inside)(name, line, others, taken)
            taken.append(label.box)
            written.append(label)
        curves = tuple(
            PlacedLine(curve.label, line, label, curve.dash, curve.filled)
            for curve, line, label in zip(self.curves, lines, written, strict=False)
        )
        regions = tuple(
            PlacedLine(region.label, area, label, place % len(DASHES))
            for place, (region, area, label) in enumerate(zip(self.regions, areas, written[len(lines) :], strict=True))
        )
        return PlacedCurves(
            curves=curves,
            regions=regions,
            marks=marks,
            x_ticks=placed_ticks(self.x_axis),
            y_ticks=tuple(PlacedTick(_from_the_top(tick.at), tick.label, "end") for tick in placed_ticks(self.y_axis)),
            legend=(
                *(Sample("curve", curve.label, curve.dash, curve.filled) for curve in curves),
                *(Sample("region", region.label, region.dash) for region in regions),
                *(Sample("line" if mark.x is None else "mark", mark.label) for mark in marks),
            ),
        )


def _check(name: str, points: Sequence[tuple[float, float]], *, at_least: int) -> None:
    if len(points) < at_least:
        raise ValueError(f"{name} must be {at_least} or more, got {len(points)}")
    for x, y in points:
        finite(name, x)
        finite(name, y)


def _places(points: Sequence[tuple[float, float]], chart: CurveChart) -> tuple[Place, ...]:
    return tuple((chart.x_axis.at(x), _from_the_top(chart.y_axis.at(y))) for x, y in points)


def _placed_mark(mark: Mark, chart: CurveChart, row: int) -> PlacedMark:
    return PlacedMark(
        mark.label,
        None if mark.x is None else chart.x_axis.at(mark.x),
        None if mark.y is None else _from_the_top(chart.y_axis.at(mark.y)),
        row,
    )


def _across(chart: CurveChart) -> list[list[Place]]:
    """Return the marks as lines."""
    marks = [_placed_mark(mark, chart, 0) for mark in chart.marks]
    upright = [[(mark.x, 0.0), (mark.x, 100.0)] for mark in marks if mark.x is not None]
    return [*upright, *([(0.0, mark.y), (100.0, mark.y)] for mark in marks if mark.y is not None)]


def _from_the_top(at: float) -> float:
    return round(100 - at, 2)
