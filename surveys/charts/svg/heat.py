"""Joint distributions as SVG."""

from surveys.charts.heat import LIGHT_INK_FROM, HeatTable, PlacedCell
from surveys.charts.svg.canvas import INK, LINE, MARGIN, PAPER, QUIET, SIGNAL, SMALL, TEXT, Canvas, leading
from surveys.charts.svg.words import wrapped

_LABEL_ROOM, _GAP, _TALL = 160, 12, 52
_NARROWEST, _WIDEST = 76.0, 120.0
# How much of the accent a step holds, as in the stylesheet.
SHADES = (0.0, 0.07, 0.14, 0.21, 0.28, 0.35, 0.42, 0.82, 0.9, 1.0)


def draw_heat(canvas: Canvas, chart: HeatTable) -> None:
    """Draw the table; more columns than the sheet holds make it wider."""
    left = MARGIN + _LABEL_ROOM + _GAP
    columns = len(chart.column_labels)
    wide = min(_WIDEST, max(_NARROWEST, (canvas.width - MARGIN - left) / columns))
    canvas.width = max(canvas.width, left + columns * wide + MARGIN)
    canvas.y += 8 + canvas.paragraph(
        left, canvas.y + 8, chart.column_title, room=canvas.width - left - MARGIN, bold=True
    )
    heads = [wrapped(label, size=SMALL, room=wide - 8, lines=3) for label in chart.column_labels]
    high = max(1, *(len(lines) for lines in heads)) * leading(SMALL)
    for number, label in enumerate(chart.column_labels):
        middle = left + (number + 0.5) * wide
        with canvas.group(label):
            canvas.paragraph(middle, canvas.y + 12, label, room=wide - 8, size=SMALL, colour=QUIET, anchor="middle")
    canvas.paragraph(MARGIN, canvas.y + 12, chart.row_title, room=_LABEL_ROOM, lines=2, bold=True)
    canvas.y += max(high, 2 * leading(TEXT)) + 8
    for row in chart.drawn:
        with canvas.group(row.label):
            lines = len(wrapped(row.label, size=SMALL, room=_LABEL_ROOM, lines=3))
            first = canvas.y + _TALL / 2 + 5 - (lines - 1) * leading(SMALL) / 2
            canvas.paragraph(MARGIN, first, row.label, room=_LABEL_ROOM, size=SMALL, colour=QUIET)
            for number, placed in enumerate(row.cells):
                _draw(canvas, left + number * wide, wide, placed)
        canvas.y += _TALL
    canvas.y += 20
    canvas.y += canvas.paragraph(
        MARGIN, canvas.y, chart.scale_words, room=canvas.width - 2 * MARGIN, size=SMALL, colour=QUIET
    )


def _draw(canvas: Canvas, x: float, wide: float, placed: PlacedCell) -> None:
    y, step = canvas.y, placed.step
    shape = canvas.rect(x + 1, y + 1, wide - 2, _TALL - 2, fill=PAPER if step is None else _mixed(SHADES[step]))
    shape.set("stroke", LINE)
    if step is None:
        canvas.line(x + 1, y + _TALL - 1, x + wide - 1, y + 1, colour=LINE, width=1)
    ink = PAPER if step is not None and step >= LIGHT_INK_FROM else INK
    below = 9 if placed.cell.detail else 0
    for words, height, size, bold in (
        (placed.cell.value, y + _TALL / 2 + 5 - below, TEXT, True),
        (placed.cell.detail, y + _TALL / 2 + 14, SMALL - 1, False),
    ):
        canvas.paragraph(
            x + wide / 2, height, words, room=wide - 4, lines=1, size=size, colour=ink, anchor="middle", bold=bold
        )


def _mixed(much: float) -> str:
    """Return the accent on white paper as one colour: a printer’s own way with transparency changes nothing."""
    parts = (int(SIGNAL[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (part - 255) * much):02x}" for part in parts)
