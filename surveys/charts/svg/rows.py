"""What drawings in rows share: a label, the row's own marks, a value, and one axis below all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from surveys.charts.axis import PlacedTick
from surveys.charts.svg.canvas import BOLD, HEADING, INK, LINE, MARGIN, QUIET, SMALL, TEXT, WIDTH, Canvas, leading
from surveys.charts.svg.words import width, wrapped

_LABEL_ROOM, _VALUE_ROOM, _GAP = 220, 100, 20
LEFT = MARGIN + _LABEL_ROOM + _GAP
RIGHT = WIDTH - MARGIN - _VALUE_ROOM - _GAP
_HEIGHT = 40.0
_APART = 6.0


@dataclass(frozen=True, slots=True)
class Words:
    """What is written around a row."""

    label: str
    says: str
    value: str
    detail: str = ""
    limits: str = ""


def across(at: float) -> float:
    """Return how far from the left so many percent of the axis are."""
    return LEFT + at / 100 * (RIGHT - LEFT)


def draw_rows(
    canvas: Canvas,
    rows: Sequence[Words],
    draw: Callable[[int, float], None],
    *,
    ticks: Sequence[PlacedTick],
    title: str,
    reference: float | None = None,
) -> None:
    """Draw all rows, `draw` adding the marks of each at its height, and the axis below them."""
    heights = [_height(row) for row in rows]
    top, bottom = canvas.y, canvas.y + sum(heights)
    for tick in ticks:
        canvas.line(across(tick.at), top, across(tick.at), bottom, colour=LINE, width=1)
    if reference is not None:
        canvas.line(across(reference), top, across(reference), bottom, colour=INK, width=1.5)
    for number, (row, height) in enumerate(zip(rows, heights, strict=True)):
        detail = _detail_height(row)
        y = canvas.y + (height - detail) / 2
        with canvas.group(row.says):
            draw(number, y)
            _write(canvas, row, y)
            canvas.paragraph(
                LEFT, canvas.y + height - detail + 8, row.detail, room=RIGHT - LEFT, lines=2, size=SMALL, colour=QUIET
            )
        canvas.y += height
    draw_ticks(canvas, ticks, across)
    if title:
        middle = (LEFT + RIGHT) / 2
        canvas.y += canvas.paragraph(
            middle, canvas.y + 10, title, room=RIGHT - LEFT, size=SMALL, colour=QUIET, anchor="middle"
        )
    canvas.y += 18


def draw_ticks(canvas: Canvas, ticks: Sequence[PlacedTick], place: Callable[[float], float]) -> None:
    """Write the numbers of a horizontal axis, from the last one on; one that would touch the next is left out."""
    taken = canvas.width
    for tick in reversed(ticks):
        anchor = tick.anchor if tick.at < 2 or tick.at > 98 else "middle"
        wide = width(tick.label, SMALL)
        left = place(tick.at) - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        if left + wide + _APART <= taken:
            canvas.text(place(tick.at), canvas.y + 18, tick.label, size=SMALL, colour=QUIET, anchor=anchor)
            taken = left
    canvas.y += 28


def _write(canvas: Canvas, row: Words, y: float) -> None:
    label, value = _lines(row)
    first = y + 5 - (label - 1) * leading(TEXT) / 2
    canvas.paragraph(MARGIN, first, row.label, room=_LABEL_ROOM)
    right = canvas.width - MARGIN
    first = y + 6 - ((value - 1) * leading(HEADING) + (leading(SMALL) if row.limits else 0)) / 2
    canvas.paragraph(right, first, row.value, room=_VALUE_ROOM, size=HEADING, anchor="end", bold=True)
    below = first + value * leading(HEADING) - 4
    canvas.paragraph(right, below, row.limits, room=_VALUE_ROOM + _GAP, lines=1, size=SMALL, colour=QUIET, anchor="end")


def _lines(row: Words) -> tuple[int, int]:
    """Return how many lines the label and the value take."""
    label = wrapped(row.label, size=TEXT, room=_LABEL_ROOM, lines=3)
    return len(label), len(wrapped(row.value, size=HEADING * BOLD, room=_VALUE_ROOM, lines=3))


def _height(row: Words) -> float:
    label, value = _lines(row)
    limits = leading(SMALL) if row.limits else 0
    return max(_HEIGHT, label * leading(TEXT) + 14, value * leading(HEADING) + limits + 14) + _detail_height(row)


def _detail_height(row: Words) -> float:
    return len(wrapped(row.detail, size=SMALL, room=RIGHT - LEFT, lines=2)) * leading(SMALL)
