"""Distributions: bars with the whiskers of their intervals and the raw share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext as _

from surveys.charts.axis import Axis, PlacedTick, placed_ticks
from surveys.charts.chart import Chart, Sample
from surveys.charts.numbers import limits, share


@dataclass(frozen=True, slots=True)
class Bar:
    """One share of a distribution with its interval, each between 0 and 1; what is None is not drawn."""

    label: str
    says: str
    value: str
    share: float | None
    low: float | None = None
    high: float | None = None
    raw: float | None = None
    limits: str = ""  # the interval as written beside the value

    def __post_init__(self) -> None:
        for name, value in (("share", self.share), ("low", self.low), ("high", self.high), ("raw", self.raw)):
            share(name, value)
        limits(self.low, self.high)


@dataclass(frozen=True, slots=True)
class PlacedBar:
    """A bar's geometry, in percent of the drawing's width."""

    bar: Bar
    length: float | None
    low: float | None
    high: float | None
    raw: float | None


@dataclass(frozen=True, slots=True)
class PlacedBars:
    rows: tuple[PlacedBar, ...]
    ticks: tuple[PlacedTick, ...]
    legend: tuple[Sample, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart(Chart):
    """A distribution over answers, points of a scale or bands; its axis begins at 0, as lengths of bars mean shares."""

    template: ClassVar[str] = "charts/_bars.html"

    axis: Axis
    bars: Sequence[Bar]
    share_label: str = ""
    interval_label: str = ""
    raw_label: str = ""

    def __post_init__(self) -> None:
        Chart.__post_init__(self)
        if not self.bars:
            raise ValueError("bars must not be empty")
        if not (self.axis.low == 0 and not self.axis.logarithmic):
            raise ValueError(f"axis must begin at 0, got {self.axis.low!r}")

    @property
    def drawn(self) -> PlacedBars:
        return PlacedBars(
            rows=tuple(_placed(bar, self.axis) for bar in self.bars),
            ticks=placed_ticks(self.axis),
            legend=_legend(self),
        )


def _placed(bar: Bar, axis: Axis) -> PlacedBar:
    places = (None if value is None else axis.at(value) for value in (bar.share, bar.low, bar.high, bar.raw))
    return PlacedBar(bar, *places)


def _legend(chart: BarChart) -> tuple[Sample, ...]:
    samples = []
    if any(bar.share is not None for bar in chart.bars):
        samples.append(Sample("bar", chart.share_label or _("estimated share")))
    if any(bar.low is not None for bar in chart.bars):
        samples.append(Sample("whisker", chart.interval_label or _("interval")))
    if any(bar.raw is not None for bar in chart.bars):
        samples.append(Sample("raw", chart.raw_label or _("share of the randomized reports")))
    return tuple(samples)
