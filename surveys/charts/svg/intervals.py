"""Interval rows, forest plots and coefficient plots as SVG, and one estimate alone."""

from collections.abc import Callable

from surveys.charts.intervals import IntervalChart, LargeInterval, PlacedRow
from surveys.charts.svg.canvas import BAND, CHANCE, EDGE, LINE, MARGIN, SIGNAL, SMALL, WIDTH, Canvas
from surveys.charts.svg.legend import draw_legend, draw_truth
from surveys.charts.svg.rows import Words, across, draw_rows, draw_ticks

_TALL, _LARGE = 20, 32


def draw_intervals(canvas: Canvas, chart: IntervalChart) -> None:
    """Draw all rows, their axis and their legend."""
    drawn = chart.drawn
    draw_rows(
        canvas,
        [Words(row.label, row.says, row.value, row.detail, row.limits) for row in chart.rows],
        lambda number, y: _draw(canvas, drawn.rows[number], across, y),
        ticks=drawn.ticks,
        title=chart.axis.title,
        reference=drawn.reference,
    )
    draw_legend(canvas, drawn.legend)


def draw_large(canvas: Canvas, chart: LargeInterval) -> None:
    """Draw one estimate over the whole sheet, its numbers at its marks."""
    drawn, top = chart.drawn, canvas.y
    row, bottom = drawn.row, top + 100
    canvas.paragraph(MARGIN, top + 8, _told(chart), room=WIDTH - 2 * MARGIN, lines=1)
    top, bottom = top + 20, bottom + 20
    y = bottom - 32
    with canvas.group(row.row.says):
        for tick in drawn.ticks:
            canvas.line(_wide(tick.at), top + 28, _wide(tick.at), bottom, colour=LINE, width=1)
        canvas.line(MARGIN, bottom, WIDTH - MARGIN, bottom, colour=EDGE, width=1.5)
        if drawn.raw:
            x = _wide(drawn.raw.at)
            canvas.line(x, top + 26, x, y, colour=CHANCE, width=1.5)
            canvas.at_line(x, top + 18, drawn.raw.label, anchor=drawn.raw.anchor)
        _draw(canvas, row, _wide, y, tall=_LARGE)
        for label in drawn.labels:
            canvas.at_line(_wide(label.at), y - 24, label.label, anchor=label.anchor)
    canvas.y = bottom
    draw_ticks(canvas, drawn.ticks, _wide)
    if row.row.detail:
        canvas.y += canvas.paragraph(MARGIN, canvas.y + 10, row.row.detail, room=WIDTH - 2 * MARGIN, size=SMALL)
    if chart.axis.title:
        canvas.y += canvas.paragraph(MARGIN, canvas.y + 10, chart.axis.title, room=WIDTH - 2 * MARGIN, size=SMALL)


def _told(chart: LargeInterval) -> str:
    parts = (chart.row.label, chart.row.value, chart.row.limits)
    return " · ".join(part for part in parts if part)


def _wide(at: float) -> float:
    return MARGIN + at / 100 * (WIDTH - 2 * MARGIN)


def _draw(canvas: Canvas, row: PlacedRow, place: Callable[[float], float], y: float, *, tall: float = _TALL) -> None:
    if row.low is not None and row.high is not None:
        canvas.rect(place(row.low), y - tall / 2, place(row.high) - place(row.low), tall, fill=BAND)
        for at, is_open, way in ((row.low, row.low_open, -1), (row.high, row.high_open, 1)):
            if is_open:
                x = place(at)
                canvas.path([(x - 6 * way, y - 6), (x, y), (x - 6 * way, y + 6)], colour=SIGNAL)
    if row.raw is not None:
        canvas.ring(place(row.raw), y)
    if row.point is not None:
        x = place(row.point)
        if row.beyond:
            canvas.path([(x, y), (x - 10 * row.beyond, y - 7), (x - 10 * row.beyond, y + 7)], fill=SIGNAL)
        else:
            canvas.circle(x, y, 9 if tall > _TALL else 5, fill=SIGNAL)
    if row.truth is not None:
        draw_truth(canvas, place(row.truth), y)
