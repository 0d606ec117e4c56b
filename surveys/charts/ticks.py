"""The marks of an axis at their places."""

from dataclasses import dataclass
from itertools import pairwise

from surveys.charts.axis import Axis

# Pixels on the narrowest phone: a drawing's width, a character's, and the least distance of two labels.
_WIDTH, _CHARACTER, _APART = 210, 7.5, 6
# A label with more characters would stick out of the drawing's edge by more than its margin.
_CENTRED = 4


@dataclass(frozen=True, slots=True)
class PlacedTick:
    """A mark in percent; one that is `spare` is left out where there is no room for all."""

    at: float
    label: str
    anchor: str = "middle"
    spare: bool = False


def placed_ticks(axis: Axis) -> tuple[PlacedTick, ...]:
    """Return where the marks of an axis go."""
    ticks = [PlacedTick(at, tick.label, _anchor(at, tick.label)) for tick in axis.ticks for at in [axis.at(tick.value)]]
    # Zero or one is what people look for first: it is never the one left out.
    main = next((place for place, tick in enumerate(axis.ticks) if tick.value == (1 if axis.logarithmic else 0)), 0)
    stride = 1
    while stride < len(ticks) and _crowded(ticks[main % stride :: stride]):
        stride += 1
    return tuple(
        PlacedTick(tick.at, tick.label, tick.anchor, spare=(place - main) % stride != 0)
        for place, tick in enumerate(ticks)
    )


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
