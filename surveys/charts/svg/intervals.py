"""Interval rows, forest plots and coefficient plots as SVG."""

from surveys.charts.intervals import IntervalChart, PlacedRow
from surveys.charts.svg.canvas import ACCENT, LINE, QUIET, Canvas
from surveys.charts.svg.legend import draw_legend, draw_truth
from surveys.charts.svg.rows import LEFT, RIGHT, Words, across, draw_rows


def draw_intervals(canvas: Canvas, chart: IntervalChart) -> None:
    """Draw all rows, their axis and their legend."""
    drawn = chart.drawn
    draw_rows(
        canvas,
        [Words(row.label, row.says, row.value, row.detail) for row in chart.rows],
        lambda number, y: _draw(canvas, drawn.rows[number], y),
        ticks=drawn.ticks,
        title=chart.axis.title,
        reference=drawn.reference,
    )
    draw_legend(canvas, drawn.legend)


def _draw(canvas: Canvas, row: PlacedRow, y: float) -> None:
    canvas.line(LEFT, y, RIGHT, y, colour=LINE, width=3)
    if row.low is not None and row.high is not None:
        canvas.rect(across(row.low), y - 5, across(row.high) - across(row.low), 10, fill=ACCENT, opacity=0.35)
        for end, is_open in ((row.low, row.low_open), (row.high, row.high_open)):
            if not is_open:
                canvas.line(across(end), y - 8, across(end), y + 8, colour=ACCENT, width=2)
    if row.raw is not None:
        canvas.line(across(row.raw), y - 12, across(row.raw), y + 12, colour=QUIET, width=2, dash="3 2")
    if row.point is not None:
        x = across(row.point)
        if row.beyond:
            canvas.path([(x, y), (x - 10 * row.beyond, y - 7), (x - 10 * row.beyond, y + 7)], fill=ACCENT)
        else:
            canvas.circle(x, y, 6, fill=ACCENT)
    if row.truth is not None:
        draw_truth(canvas, across(row.truth), y)
