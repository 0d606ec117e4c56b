"""Crowds of dots, one a person; and dots above an axis, one a draw."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, Literal, get_args

from surveys.charts.axis import Axis, PlacedTick, placed_ticks, towards_the_middle
from surveys.charts.chart import Chart
from surveys.charts.numbers import finite

# What people say: in fact, perhaps, likely not; what the coins say; and nothing.
Kind = Literal["yes", "no", "lit", "ring", "empty"]
_KINDS = get_args(Kind)
_PITCH = 10
# More dots say nothing that their number does not.
MOST_DOTS = 1_000


@dataclass(frozen=True, slots=True)
class CrowdRow:
    """People of whom each is a dot, in the order in which they stand."""

    label: str
    says: str  # the crowd in words
    value: str  # what is written beside it
    dots: Sequence[Kind]

    def __post_init__(self) -> None:
        if not 0 < len(self.dots) <= MOST_DOTS:
            raise ValueError(f"dots must be 1 to {MOST_DOTS:,}, got {len(self.dots):,}")
        if unknown := set(self.dots) - set(_KINDS):
            raise ValueError(f"dots must be of the kinds {', '.join(_KINDS)}, got {', '.join(sorted(unknown))}")


@dataclass(frozen=True, slots=True)
class PlacedCrowd:
    """A crowd's dots on a grid, in tenths of a dot's room."""

    crowd: CrowdRow
    columns: int
    dots: tuple[tuple[Kind, int, int], ...]

    @property
    def rows(self) -> tuple[tuple[int, tuple[tuple[Kind, int], ...]], ...]:
        """The same dots by how far down they stand: rows that are alike are written alike, and load as one."""
        return tuple((y, tuple((kind, x) for kind, x, _ in row)) for y, row in groupby(self.dots, lambda dot: dot[2]))

    @property
    def width(self) -> int:
        return _PITCH * self.columns

    @property
    def height(self) -> int:
        return _PITCH * -(-len(self.dots) // self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdChart(Chart):
    """Crowds below each other, or beside each other where there is room."""

    template: ClassVar[str] = "charts/_crowds.html"

    crowds: Sequence[CrowdRow]
    columns: int = 10

    def __post_init__(self) -> None:
        # A dataclass with slots is another class than the one this is written in: super() alone would not find it.
        Chart.__post_init__(self)
        if not self.crowds:
            raise ValueError("crowds must not be empty")
        if not self.columns > 0:
            raise ValueError(f"columns must be positive, got {self.columns!r}")

    @property
    def drawn(self) -> tuple[PlacedCrowd, ...]:
        return tuple(_placed(crowd, self.columns) for crowd in self.crowds)


def _placed(crowd: CrowdRow, columns: int) -> PlacedCrowd:
    centres = ((_PITCH * column + _PITCH // 2, _PITCH * row + _PITCH // 2)
               for row, column in (divmod(place, columns) for place in range(len(crowd.dots))))  # fmt: skip
    return PlacedCrowd(crowd, columns, tuple((kind, *at) for kind, at in zip(crowd.dots, centres, strict=True)))


@dataclass(frozen=True, slots=True)
class Pin:
    """A place on the axis that is named: the truth, the figure shown."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class PlacedDot:
    """A dot: percent along the axis, pixels from the top, and whether it is one of those within."""

    at: float
    down: int
    inside: bool


@dataclass(frozen=True, slots=True)
class PlacedDots:
    """All dots in a drawing so many pixels high, its pins and its axis."""

    dots: tuple[PlacedDot, ...]
    height: int
    pins: tuple[PlacedTick, ...]
    ticks: tuple[PlacedTick, ...]


# Pixels: a dot's room, what stands above the highest, and what the lowest drawing and the highest stack have.
_DOT, _ABOVE, _LEAST_HIGH, _MOST_HIGH = 7, 28, 120, 280
# Above the axis: where the lowest dot's middle is.
_LOWEST = 4
# So many stacks have room for dots that touch each other on a phone.
_STACKS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DotPlot(Chart):
    """What many draws gave: a dot each, stacked above its place.

    Attributes
    ----------
    axis : Axis
        Of the values.
    values : sequence of float
        One a draw; what lies outside the axis stands at its end.
    pins : sequence of Pin
        Places that are named.
    within : tuple of float
        Dots outside these limits are hollow.
    """

    template: ClassVar[str] = "charts/_dot_plot.html"

    axis: Axis
    values: Sequence[float]
    pins: Sequence[Pin] = ()
    within: tuple[float, float] = (-math.inf, math.inf)

    def __post_init__(self) -> None:
        Chart.__post_init__(self)
        if not 0 < len(self.values) <= MOST_DOTS:
            raise ValueError(f"values must be 1 to {MOST_DOTS:,}, got {len(self.values):,}")
        for value in self.values:
            finite("values", value)

    @property
    def drawn(self) -> PlacedDots:
        stacks = [min(_STACKS - 1, int(self.axis.at(value) * _STACKS / 100)) for value in self.values]
        highest = max(Counter(stacks).values())
        # Where very many share a place, they overlap.
        apart = min(_DOT, _MOST_HIGH / highest)
        height = max(_LEAST_HIGH, _ABOVE + round(apart * highest))
        (low, high), below = self.within, Counter[int]()
        dots = []
        for value, stack in zip(self.values, stacks, strict=True):
            below[stack] += 1
            at, down = round((stack + 0.5) * 100 / _STACKS, 2), height - _LOWEST - round(apart * (below[stack] - 1))
            dots.append(PlacedDot(at, down, low <= value <= high))
        places = [(self.axis.at(pin.value), pin.label) for pin in self.pins]
        pins = tuple(PlacedTick(at, label, towards_the_middle(at)) for at, label in places)
        return PlacedDots(tuple(dots), height, pins, placed_ticks(self.axis))
