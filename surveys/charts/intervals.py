"""Intervals in rows, as forest plots and coefficient plots have them, and one interval drawn large."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from django.utils.translation import gettext as _

from surveys.charts.axis import Axis, PlacedTick, placed_ticks, towards_the_middle
from surveys.charts.chart import Chart, Sample
from surveys.charts.numbers import finite, limits

_Shown = TypeVar("_Shown")


def most_telling(shown: Sequence[_Shown], most: int, telling: Callable[[_Shown], float]) -> list[_Shown]:
    """Return what a chart draws of what its table has: all, or so many that tell most, in their order."""
    kept = sorted(range(len(shown)), key=lambda place: telling(shown[place]), reverse=True)[:most]
    return [shown[place] for place in sorted(kept)]


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """An estimate with its interval, in units of the axis; without `claimed` neither is drawn."""

    label: str
    says: str  # the row in words
    value: str  # the estimate as written beside it
    point: float | None
    low: float | None
    high: float | None
    raw: float | None = None  # the (randomized) reports' share or mean
    detail: str = ""  # a line below
    claimed: bool = True
    truth: float | None = None  # what is estimated, where that is known
    limits: str = ""  # the interval as written beside the value
    link: str = ""  # where its label leads

    def __post_init__(self) -> None:
        limits(self.low, self.high)
        for name, value in (("point", self.point), ("raw", self.raw), ("truth", self.truth)):
            if value is not None:
                finite(name, value)


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row's geometry, in percent of the drawing's width; what is None is not drawn.

    An end that lies beyond the axis is drawn open, a point there as an arrow.
    """

    row: IntervalRow
    low: float | None
    high: float | None
    point: float | None
    raw: float | None
    truth: float | None
    low_open: bool
    high_open: bool
    beyond: int

    @property
    def width(self) -> float:
        return 0.0 if self.low is None or self.high is None else round(self.high - self.low, 2)


@dataclass(frozen=True, slots=True)
class PlacedLarge:
    """One estimate with what is written at its marks; nothing where there is none."""

    row: PlacedRow
    labels: tuple[PlacedTick, ...]
    raw: PlacedTick | None
    ticks: tuple[PlacedTick, ...]


@dataclass(frozen=True, slots=True)
class PlacedIntervals:
    rows: tuple[PlacedRow, ...]
    ticks: tuple[PlacedTick, ...]
    reference: float | None
    legend: tuple[Sample, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeInterval(Chart):
    """One estimate alone, large: its numbers stand at its marks, so it needs no legend.

    Attributes
    ----------
    axis : Axis
        Linear or logarithmic.
    row : IntervalRow
        What is drawn; its value and limits stand beside the drawing.
    point, low, high, raw : str
        The estimate and the limits as they are written at their marks, and what is written at the raw share.
    """

    template: ClassVar[str] = "charts/_large.html"

    axis: Axis
    row: IntervalRow
    point: str = ""
    low: str = ""
    high: str = ""
    raw: str = ""

    @property
    def drawn(self) -> PlacedLarge:
        placed = _placed(self.row, self.axis)
        labels: list[PlacedTick] = []
        if placed.low is not None and placed.high is not None:
            room = _room_of(self.low, self.point, self.high)
            labels = _beside(placed.low, self.low, placed.high, self.high, room)
            # Written within the ends, limits need their room beside the estimate’s number.
            apart = room if placed.width >= 2 * room else room / 2
            if (
                len(labels) > 1
                and placed.point is not None
                and all(abs(placed.point - label.at) > apart for label in labels)
            ):
                labels.append(PlacedTick(placed.point, self.point))
        raw = None
        if placed.raw is not None:
            raw = PlacedTick(placed.raw, self.raw, towards_the_middle(placed.raw))
        return PlacedLarge(placed, tuple(labels), raw, placed_ticks(self.axis))


# Percent of the narrowest drawing that a number of two digits and the space around it take, what a longer one gets at
# most.
_APART, _MOST_APART = 9.0, 22.5


def _room_of(*labels: str) -> float:
    return min(_APART * max(1.0, max(map(len, labels)) / 2), _MOST_APART)


def _beside(low: float, low_label: str, high: float, high_label: str, room: float) -> list[PlacedTick]:
    """Place both limits: within the interval's ends where that is long enough, else outside of them."""
    if high - low >= 2 * room:
        return [PlacedTick(low, low_label, "start"), PlacedTick(high, high_label, "end")]
    if low < room / 2:
        return [PlacedTick(high, f"{low_label}–{high_label}", "start")]
    if high > 100 - room / 2:
        return [PlacedTick(low, f"{low_label}–{high_label}", "end")]
    return [PlacedTick(low, low_label, "end"), PlacedTick(high, high_label, "start")]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalChart(Chart):
    """Estimates with intervals below each other on one axis.

    Attributes
    ----------
    axis : Axis
        Linear or logarithmic.
    rows : sequence of IntervalRow
        At least one.
    reference : float, optional
        A line through all rows: no difference, no effect.
    interval_label, raw_label, truth_label, reference_label : str
        What the marks mean, where it is not what the legend says anyway.
    """

    template: ClassVar[str] = "charts/_intervals.html"

    axis: Axis
    rows: Sequence[IntervalRow]
    reference: float | None = None
    interval_label: str = ""
    raw_label: str = ""
    truth_label: str = ""
    reference_label: str = ""

    def __post_init__(self) -> None:
        # A dataclass with slots is another class than the one this is written in: super() alone would not find it.
        Chart.__post_init__(self)
        if not self.rows:
            raise ValueError("rows must not be empty")
        if self.reference is not None:
            finite("reference", self.reference)

    @property
    def drawn(self) -> PlacedIntervals:
        return PlacedIntervals(
            rows=tuple(_placed(row, self.axis) for row in self.rows),
            ticks=placed_ticks(self.axis),
            reference=None if self.reference is None else self.axis.at(self.reference),
            legend=_legend(self),
        )


def _placed(row: IntervalRow, axis: Axis) -> PlacedRow:
    low, high, point = (row.low, row.high, row.point) if row.claimed else (None, None, None)
    return PlacedRow(
        row=row,
        low=None if low is None else axis.at(low),
        high=None if high is None else axis.at(high),
        point=None if point is None else axis.at(point),
        raw=None if row.raw is None else axis.at(row.raw),
        truth=None if row.truth is None else axis.at(row.truth),
        low_open=low is not None and axis.side(low) != 0,
        high_open=high is not None and axis.side(high) != 0,
        beyond=0 if point is None else axis.side(point),
    )


def _legend(chart: IntervalChart) -> tuple[Sample, ...]:
    samples = []
    if any(row.claimed and row.low is not None for row in chart.rows):
        has_points = any(row.claimed and row.point is not None for row in chart.rows)
        mark, label = ("interval", _("estimate and interval")) if has_points else ("band", _("interval"))
        samples.append(Sample(mark, chart.interval_label or label))
    elif any(row.claimed and row.point is not None for row in chart.rows):
        samples.append(Sample("point", _("estimate")))
    if any(row.raw is not None for row in chart.rows):
        samples.append(Sample("raw", chart.raw_label or _("share of the randomized reports")))
    if any(row.truth is not None for row in chart.rows):
        samples.append(Sample("truth", chart.truth_label or _("true value")))
    if chart.reference is not None:
        samples.append(Sample("reference", chart.reference_label or _("no difference")))
    return tuple(samples)
