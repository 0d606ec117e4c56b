"""Crowds and stacks of dots as SVG."""

from surveys.charts.crowds import CrowdChart, DotPlot, PlacedCrowd
from surveys.charts.svg.canvas import (
    BAND,
    CHANCE,
    EDGE,
    EMPTY,
    HEADING,
    LINE,
    MARGIN,
    PAPER,
    QUIET,
    SIGNAL,
    SMALL,
    Canvas,
)
from surveys.charts.svg.rows import draw_ticks

# How wide a crowd stands on the sheet, and the radius of a dot in its own tenths.
_CROWD, _RADIUS, _RIM = 240, 4.0, 3.25
_FILLS = {"yes": SIGNAL, "may": BAND, "lit": CHANCE, "empty": EMPTY}
_RIMS = {"no": SIGNAL, "may": BAND, "could": BAND, "ring": CHANCE}


def draw_crowds(canvas: Canvas, chart: CrowdChart) -> None:
    """Draw crowds below each other, each with its number and its name beside it."""
    for placed in chart.drawn:
        with canvas.group(placed.crowd.says):
            _draw_crowd(canvas, placed)


def _draw_crowd(canvas: Canvas, placed: PlacedCrowd) -> None:
    scale, top = _CROWD / placed.width, canvas.y
    for kind, x, y in placed.dots:
        rim = _RIMS.get(kind, "")
        canvas.circle(
            MARGIN + scale * x,
            top + scale * y,
            scale * (_RIM if rim else _RADIUS),
            fill=_FILLS.get(kind, PAPER),
            colour=rim,
            width=1.5 * scale,
        )
    left, room = MARGIN + _CROWD + 24, canvas.width - 2 * MARGIN - _CROWD - 24
    written = canvas.paragraph(left, top + 20, placed.crowd.value, room=room, size=HEADING, bold=True)
    written += canvas.paragraph(left, top + 20 + written, placed.crowd.label, room=room, colour=QUIET)
    canvas.y = top + max(scale * placed.height, written) + 24


def draw_dot_plot(canvas: Canvas, chart: DotPlot) -> None:
    """Draw a dot for each value above the axis, and the pins through them."""
    drawn, top, room = chart.drawn, canvas.y, canvas.width - 2 * MARGIN

    def across(at: float) -> float:
        return MARGIN + at / 100 * room

    for tick in drawn.ticks:
        canvas.line(across(tick.at), top + 24, across(tick.at), top + drawn.height, colour=LINE, width=1)
    for pin in drawn.pins:
        canvas.line(across(pin.at), top + 20, across(pin.at), top + drawn.height, colour=EDGE, width=1.5, dash="6 3")
        canvas.at_line(across(pin.at), top + 14, pin.label, anchor=pin.anchor)
    for dot in drawn.dots:
        canvas.circle(across(dot.at), top + dot.down, 3, fill=SIGNAL if dot.inside else PAPER, colour=SIGNAL, width=1)
    canvas.line(MARGIN, top + drawn.height, MARGIN + room, top + drawn.height, colour=EDGE, width=1.5)
    canvas.y = top + drawn.height
    draw_ticks(canvas, drawn.ticks, across)
    if chart.axis.title:
        middle = MARGIN + room / 2
        canvas.y += canvas.paragraph(middle, canvas.y + 10, chart.axis.title, room=room, size=SMALL, anchor="middle")
