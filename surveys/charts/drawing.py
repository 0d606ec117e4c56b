"""Charts as files of their own: SVG that needs no page, no stylesheet and no font of ours."""

from xml.etree import ElementTree as ET

from surveys.charts.bars import BarChart
from surveys.charts.chart import Chart
from surveys.charts.crowds import CrowdChart, DotPlot
from surveys.charts.curves import CurveChart
from surveys.charts.heat import HeatTable
from surveys.charts.intervals import IntervalChart, LargeInterval
from surveys.charts.svg.bars import draw_bars
from surveys.charts.svg.canvas import FONTS, HEADING, MARGIN, PAPER, QUIET, SMALL, Canvas, length
from surveys.charts.svg.crowds import draw_crowds, draw_dot_plot
from surveys.charts.svg.curves import draw_curves
from surveys.charts.svg.heat import draw_heat
from surveys.charts.svg.intervals import draw_intervals, draw_large
from surveys.charts.svg.words import clean

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def to_svg(chart: Chart) -> str:
    """Return a chart as a whole SVG document with its title and its words.

    Everything is a shape, a text or an attribute of one: no style, script or link is in it, and whatever an author
    wrote is escaped.
    """
    canvas = Canvas()
    canvas.y += 8
    room = canvas.width - 2 * MARGIN
    if chart.asked:
        canvas.y += 8 + canvas.paragraph(MARGIN, canvas.y + 6, chart.asked, room=room, colour=QUIET)
    canvas.y += 10 + canvas.paragraph(MARGIN, canvas.y + 6, chart.title, room=room, size=HEADING, bold=True)
    _draw(canvas, chart)
    if chart.note:
        canvas.y += 8 + canvas.paragraph(MARGIN, canvas.y + 14, chart.note, room=room, size=SMALL, colour=QUIET)
    return _DECLARATION + ET.tostring(_document(canvas, chart), encoding="unicode") + "\n"


def _draw(canvas: Canvas, chart: Chart) -> None:
    match chart:
        case IntervalChart():
            draw_intervals(canvas, chart)
        case LargeInterval():
            draw_large(canvas, chart)
        case BarChart():
            draw_bars(canvas, chart)
        case HeatTable():
            draw_heat(canvas, chart)
        case CurveChart():
            draw_curves(canvas, chart)
        case CrowdChart():
            draw_crowds(canvas, chart)
        case DotPlot():
            draw_dot_plot(canvas, chart)
        case _:
            raise TypeError(f"no drawing for {type(chart).__name__}")


def _document(canvas: Canvas, chart: Chart) -> ET.Element:
    width, height = length(canvas.width), length(canvas.y + MARGIN)
    document = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": width,
            "height": height,
            "viewBox": f"0 0 {width} {height}",
            "role": "img",
            "font-family": FONTS,
        },
    )
    ET.SubElement(document, "title").text = clean(chart.title)
    ET.SubElement(document, "desc").text = clean(chart.text)
    ET.SubElement(document, "rect", {"width": width, "height": height, "fill": PAPER})
    document.append(canvas.root)
    return document
