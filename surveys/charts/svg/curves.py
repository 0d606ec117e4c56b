"""Curves, areas and marks over two axes as SVG."""

from surveys.charts.curves import CurveChart, PlacedCurves
from surveys.charts.svg.canvas import BAND, DASHES, EDGE, LINE, MARGIN, QUIET, SIGNAL, SMALL, WIDTH, Canvas, leading
from surveys.charts.svg.rows import draw_ticks

_LEFT, _RIGHT, _TALL = MARGIN + 56, WIDTH - MARGIN - 16, 320


def draw_curves(canvas: Canvas, chart: CurveChart) -> None:
    """Draw the plot and its axes; what a line is stands at it."""
    drawn = chart.drawn
    canvas.y += 6 + canvas.paragraph(
        MARGIN, canvas.y + 6, chart.y_axis.title, room=WIDTH - 2 * MARGIN, size=SMALL, colour=QUIET
    )
    # Labels of upright marks stand above the plot.
    canvas.y += 18 + leading(SMALL) * max((mark.row for mark in drawn.marks if mark.x is not None), default=0)
    _draw_grid(canvas, drawn)
    _draw_lines(canvas, drawn)
    _draw_marks(canvas, drawn)
    _draw_labels(canvas, drawn)
    canvas.y += _TALL
    draw_ticks(canvas, drawn.x_ticks, _across)
    canvas.y += canvas.paragraph(
        (_LEFT + _RIGHT) / 2,
        canvas.y + 10,
        chart.x_axis.title,
        room=_RIGHT - _LEFT,
        size=SMALL,
        colour=QUIET,
        anchor="middle",
    )
    canvas.y += 18


def _across(at: float) -> float:
    return _LEFT + at / 100 * (_RIGHT - _LEFT)


def _down(canvas: Canvas, at: float) -> float:
    return canvas.y + at / 100 * _TALL


def _draw_grid(canvas: Canvas, drawn: PlacedCurves) -> None:
    for tick in drawn.x_ticks:
        canvas.line(_across(tick.at), canvas.y, _across(tick.at), canvas.y + _TALL, colour=LINE, width=1)
    for tick in drawn.y_ticks:
        height = _down(canvas, tick.at)
        canvas.line(_LEFT, height, _RIGHT, height, colour=LINE, width=1)
        canvas.text(_LEFT - 8, height + 4.5, tick.label, size=SMALL, colour=QUIET, anchor="end")


def _draw_lines(canvas: Canvas, drawn: PlacedCurves) -> None:
    for region in drawn.regions:
        corners = [(_across(x), _down(canvas, y)) for x, y in region.points]
        canvas.path(corners, colour=SIGNAL, width=1.5, dash=DASHES[region.dash][0], fill=BAND, opacity=0.5)
    for curve in drawn.curves:
        dash, colour, thick = DASHES[curve.dash]
        points = [(_across(x), _down(canvas, y)) for x, y in curve.points]
        if curve.filled:
            bottom = canvas.y + _TALL
            canvas.path([*points, (points[-1][0], bottom), (points[0][0], bottom)], fill=BAND, opacity=0.6)
        canvas.path(points, colour=colour, width=thick, dash=dash)
    canvas.line(_LEFT, canvas.y, _LEFT, canvas.y + _TALL, colour=EDGE, width=1.5)
    canvas.line(_LEFT, canvas.y + _TALL, _RIGHT, canvas.y + _TALL, colour=EDGE, width=1.5)


def _draw_marks(canvas: Canvas, drawn: PlacedCurves) -> None:
    for mark in drawn.marks:
        if mark.x is not None:
            x = _across(mark.x)
            canvas.line(x, canvas.y, x, canvas.y + _TALL, colour=EDGE, width=1.5, dash="6 3")
            canvas.at_line(x, canvas.y - 6 - mark.row * leading(SMALL), mark.label, anchor=mark.anchor)
        if mark.y is not None:
            height = _down(canvas, mark.y)
            canvas.line(_LEFT, height, _RIGHT, height, colour=EDGE, width=1.5, dash="6 3")
            canvas.at_line(_RIGHT, height - 6, mark.label, anchor=mark.anchor)


def _draw_labels(canvas: Canvas, drawn: PlacedCurves) -> None:
    for line in (*drawn.curves, *drawn.regions):
        label = line.written
        canvas.at_line(_across(label.x), _down(canvas, label.y) + 5, label.words, anchor=label.anchor)
