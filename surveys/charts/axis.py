"""Axes: from numbers to places, in percent of the drawing's width or height, and the marks at them."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from surveys.numbers.words import decimal

# How a mark is written: its number, and the decimals that tell it from its neighbours.
Write = Callable[[float, int], str]

_STEPS = (1, 2, 5, 10)
# Some five parts: more marks have no room on a phone.
_PARTS = 5


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis and what is written there."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of numbers; on a logarithmic one equal factors are equal lengths."""

    low: float
    high: float
    ticks: tuple[Tick, ...]
    title: str = ""
    logarithmic: bool = False
    unit: str = ""  # written at the last mark

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"an axis needs finite low < high, got {self.low!r} and {self.high!r}")
        if self.logarithmic and not self.low > 0:
            raise ValueError(f"a logarithmic axis needs low > 0, got {self.low!r}")

    def at(self, value: float) -> float:
        """Return how far along the axis a number is, in percent; what lies outside is at the end."""
        if math.isnan(value):
            raise ValueError("NaN has no place on an axis")
        low, high = self._scaled(self.low), self._scaled(self.high)
        # Halved, the length of no finite axis overflows.
        share = (self._scaled(value) / 2 - low / 2) / (high / 2 - low / 2)
        return round(100 * min(1.0, max(0.0, share)), 2)

    def side(self, value: float) -> int:
        """Return −1 for a number below the axis, 1 for one above it, 0 for one on it."""
        return (value > self.high) - (value < self.low)

    def _scaled(self, value: float) -> float:
        if not self.logarithmic:
            return value
        return math.log(value) if value > 0 else -math.inf


def share_axis(title: str = "", *, unit: str = "") -> Axis:
    """Return the axis of shares, 0 to 1, marked in hundredths."""
    return Axis(0, 1, tuple(Tick(at / 100, str(at)) for at in (0, 25, 50, 75, 100)), title, unit=unit)


def axis_around(
    values: Iterable[float], *, title: str = "", write: Write = decimal, within: tuple[float, float] | None = None
) -> Axis:
    """Return an axis with round marks that holds all these finite numbers.

    Parameters
    ----------
    values : iterable of float
        Numbers that must have a place; without any the axis runs from 0 to 1.
    title : str
        What is measured along it.
    write : callable
        From a number and its decimals to the label of a mark.
    within : tuple of float, optional
        What is possible: to either side the axis goes beyond it only where a number does.

    Raises
    ------
    ValueError
        If a number is NaN or infinite.
    """
    least, most = low, high = _limits(values, default=(0.0, 1.0))
    if low == high:
        low, high = low - (abs(low) / 10 or 1.0), high + (abs(high) / 10 or 1.0)
    step, digits = _round_step(high / _PARTS - low / _PARTS)
    # Near enough is on the mark: 0.6000000000000001 needs no further one.
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    axis = _axis([round(number * step, digits) for number in range(first, last + 1)], title, write, digits)
    if within is None:
        return axis
    start = max(axis.low, within[0]) if least >= within[0] else axis.low
    end = min(axis.high, within[1]) if most <= within[1] else axis.high
    return replace(axis, low=start, high=end, ticks=tuple(tick for tick in axis.ticks if start <= tick.value <= end))


def log_axis_around(values: Iterable[float], *, title: str = "") -> Axis:
    """Return a logarithmic axis with round marks that holds all these positive numbers.

    Parameters
    ----------
    values : iterable of float
        Numbers that must have a place; without any the axis runs from 0.1 to 10.
    title : str
        What is measured along it.

    Raises
    ------
    ValueError
        If a number is NaN, infinite or not positive.
    """
    low, high = _limits(values, default=(0.1, 10.0))
    if not low > 0:
        raise ValueError(f"a logarithmic axis needs positive values, got {low!r}")
    if high / low < 4:
        low, high = low / 2, high * 2
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    marks = [(factor, power) for power in range(first, last + 1) for factor in (1, 2, 5)]
    values = [factor * 10.0**power for factor, power in marks]
    start = max(place for place, value in enumerate(values) if value <= low * (1 + 1e-9))
    end = min(place for place, value in enumerate(values) if value >= high * (1 - 1e-9))
    kept = marks[start : end + 1]
    if len(kept) > _PARTS + 4:
        # Whole powers only, and of many of them every second, third …
        stride = math.ceil((last - first) / _PARTS)
        kept = [(1, first + stride * number) for number in range(math.ceil((last - first) / stride) + 1)]
    ticks = tuple(Tick(factor * 10.0**power, decimal(factor * 10.0**power, max(0, -power))) for factor, power in kept)
    return Axis(ticks[0].value, ticks[-1].value, ticks, title, logarithmic=True)


def _limits(values: Iterable[float], *, default: tuple[float, float]) -> tuple[float, float]:
    numbers = list(values)
    for number in numbers:
        if not math.isfinite(number):
            raise ValueError(f"values must be finite, got {number!r}")
    return (float(min(numbers)), float(max(numbers))) if numbers else default


def _round_step(length: float) -> tuple[float, int]:
    """Return the least of 1, 2, 5, 10, … that is at least so long, and how many decimals its multiples have."""
    # Shorter steps than a float can tell apart make no axis.
    power = math.floor(math.log10(max(length, 1e-12)))
    factor = next(factor for factor in _STEPS if factor * 10.0**power >= length * (1 - 1e-9))
    return factor * 10.0**power, max(0, -power - (factor == 10))


def _axis(marks: list[float], title: str, write: Write, digits: int) -> Axis:
    return Axis(marks[0], marks[-1], tuple(Tick(mark, write(mark, digits)) for mark in marks), title)


# Pixels on the narrowest phone: a drawing's width, a character's, and the least distance of two labels.
_WIDTH, _CHARACTER, _APART = 210, 7.5, 6
# A label with more characters would stick out of the drawing's edge by more than its margin.
_CENTRED = 4


@dataclass(frozen=True, slots=True)
class PlacedTick:
    """A mark in percent; one that is `spare` is dropped where there is no room for all."""

    at: float
    label: str
    anchor: str = "middle"
    spare: bool = False


def placed_ticks(axis: Axis) -> tuple[PlacedTick, ...]:
    """Return where the marks of an axis go."""
    labels = [tick.label for tick in axis.ticks]
    if labels and axis.unit:
        labels[-1] = f"{labels[-1]} {axis.unit}"
    places = [axis.at(tick.value) for tick in axis.ticks]
    ticks = [PlacedTick(at, label, _anchor(at, label)) for at, label in zip(places, labels, strict=True)]
    # Zero or one is what people look for first: it is never dropped.
    main = next((place for place, tick in enumerate(axis.ticks) if tick.value == (1 if axis.logarithmic else 0)), 0)
    stride = 1
    # Nor is the last where it says in what is counted.
    to_last = len(ticks) - 1 - main if axis.unit else 0
    while stride < len(ticks) and (to_last % stride or _crowded(ticks[main % stride :: stride])):
        stride += 1
    return tuple(
        PlacedTick(tick.at, tick.label, tick.anchor, spare=(place - main) % stride != 0)
        for place, tick in enumerate(ticks)
    )


def towards_the_middle(at: float, central: float = 30.0) -> str:
    """Return the anchor of a label so far along: closer to an end than `central`, it runs towards the middle."""
    return "start" if at < central else "end" if at > 100 - central else "middle"


def _crowded(ticks: list[PlacedTick]) -> bool:
    return any(_span(right)[0] - _span(left)[1] < _APART for left, right in pairwise(ticks))


def _span(tick: PlacedTick) -> tuple[float, float]:
    wide = _CHARACTER * len(tick.label)
    start = tick.at / 100 * _WIDTH - wide * {"start": 0, "middle": 0.5, "end": 1}[tick.anchor]
    return start, start + wide


def _anchor(at: float, label: str) -> str:
    if len(label) > _CENTRED and at < 2:
        return "start"
    return "end" if len(label) > _CENTRED and at > 98 else "middle"
