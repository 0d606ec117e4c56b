"""Distributions as SVG."""

from surveys.charts.bars import BarChart, PlacedBar
from surveys.charts.svg.canvas import BAND, EDGE, INK, Canvas
from surveys.charts.svg.legend import draw_legend
from surveys.charts.svg.rows import LEFT, Words, across, draw_rows


def draw_bars(canvas: Canvas, chart: BarChart) -> None:
    """Draw all bars, their axis and their legend."""
    drawn = chart.drawn
    draw_rows(
        canvas,
        [Words(bar.label, bar.says, bar.value, limits=bar.limits) for bar in chart.bars],
        lambda number, y: _draw(canvas, drawn.rows[number], y),
        ticks=drawn.ticks,
        title=chart.axis.title,
    )
    draw_legend(canvas, drawn.legend)


def _draw(canvas: Canvas, row: PlacedBar, y: float) -> None:
    if row.length is not None:
        canvas.rect(LEFT, y - 10, across(row.length) - LEFT, 20, fill=BAND)
    if row.low is not None and row.high is not None:
        canvas.line(across(row.low), y, across(row.high), y, colour=INK, width=2)
        for end in (row.low, row.high):
            canvas.line(across(end), y - 6, across(end), y + 6, colour=INK, width=2)
    if row.raw is not None:
        canvas.ring(across(row.raw), y)
    canvas.line(LEFT, y - 16, LEFT, y + 16, colour=EDGE, width=1.5)
