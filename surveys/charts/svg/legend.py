"""The legend below a drawing: each mark as it is drawn, and what it means."""

from collections.abc import Sequence

from surveys.charts.legend import Sample
from surveys.charts.svg.canvas import BAND, DASHES, EDGE, INK, MARGIN, QUIET, SIGNAL, SMALL, Canvas, leading
from surveys.charts.svg.words import width, wrapped

_SAMPLE, _GAP = 36, 8


def draw_legend(canvas: Canvas, samples: Sequence[Sample]) -> None:
    """Draw samples beside each other, as many as have room, and go on below."""
    if not samples:
        return
    x, y = float(MARGIN), canvas.y + 14
    room = canvas.width - 2 * MARGIN
    below = y
    for sample in samples:
        words = sample.label
        lines = wrapped(words, size=SMALL, room=room - _SAMPLE - _GAP, lines=3)
        wide = _SAMPLE + _GAP + max(width(line, SMALL) for line in lines or [""])
        if x > MARGIN and x + wide > MARGIN + room:
            x, y = float(MARGIN), below
        with canvas.group(words):
            draw_sample(canvas, x, y - 4.5, sample)
            canvas.paragraph(x + _SAMPLE + _GAP, y, words, room=room - _SAMPLE - _GAP, size=SMALL, colour=QUIET)
        below = max(below, y + len(lines) * leading(SMALL) + 6)
        x += wide + 20
    canvas.y = below


def draw_truth(canvas: Canvas, x: float, y: float) -> None:
    """Draw a pin through y: its head is seen also where an estimate covers the rest."""
    canvas.line(x, y - 8, x, y + 12, colour=INK, width=2)
    canvas.path([(x, y - 7), (x - 5, y - 14), (x + 5, y - 14)], fill=INK)


def draw_sample(canvas: Canvas, x: float, y: float, sample: Sample) -> None:
    """Draw one mark, 36 wide, around y."""
    right, middle = x + _SAMPLE, x + _SAMPLE / 2
    match sample.mark:
        case "interval":
            canvas.rect(x, y - 8, _SAMPLE, 16, fill=BAND)
            canvas.circle(middle, y, 5, fill=SIGNAL)
        case "point":
            canvas.circle(middle, y, 5, fill=SIGNAL)
        case "bar":
            canvas.rect(x + 2, y - 5, 32, 10, fill=BAND)
        case "whisker":
            canvas.line(x + 3, y, right - 3, y, colour=INK, width=2)
            for end in (x + 3, right - 3):
                canvas.line(end, y - 5, end, y + 5, colour=INK, width=2)
        case "truth":
            draw_truth(canvas, middle, y)
        case "raw":
            canvas.ring(middle, y)
        case "reference":
            canvas.line(middle, y - 8, middle, y + 8, colour=INK, width=1.5)
        case "region":
            corners = [(x + 2, y - 6), (right - 2, y - 6), (right - 2, y + 6), (x + 2, y + 6)]
            canvas.path(corners, colour=SIGNAL, width=1.5, dash=DASHES[sample.dash][0], fill=BAND, opacity=0.5)
        case "curve":
            dash, colour, thick = DASHES[sample.dash]
            if sample.filled:
                canvas.rect(x, y, _SAMPLE, 8, fill=BAND, opacity=0.6)
            canvas.line(x, y, right, y, colour=colour, width=thick, dash=dash)
        case _:
            canvas.line(x, y, right, y, colour=EDGE, width=1.5, dash="6 3")
