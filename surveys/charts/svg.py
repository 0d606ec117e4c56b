"""Charts, and parts of pages with charts, as SVG files, made of what the page shows.

On a page a chart is HTML around small SVG drawings. Each drawing goes into the file unchanged, with the CSS rules that
colour it. Only the text around it, which the browser wraps on the page, is laid out here.
"""

import math
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple
from xml.etree import ElementTree as ET

from django.conf import settings
from django.http import Http404, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation

from surveys.charts.chart import Chart
from surveys.charts.heat import LIGHT_INK_FROM, SHADES
from surveys.charts.words import clean, width, wrapped
from surveys.numbers.words import from_right_to_left

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
_MARGIN, _GAP, _ROOM = 24, 20, 672
# Widths of a row's name and value; its drawing has the rest.
_NAME, _VALUE = 220, 100
_TRACK = _ROOM - _NAME - _VALUE - 2 * _GAP
# Widths of a legend's sample and of a crowd; heights of a plot and of the labels above it.
_SAMPLE, _CROWD, _TALL, _ABOVE = 44, 240, 320, 44
# Of a table: the width of row labels, the height of cells, and their least and greatest width.
_HEADER, _CELL, _NARROWEST, _WIDEST = 160, 52, 76, 120
_POINT = re.compile(r"([\d.]+) ([\d.]+)")
# Of a sentence on a page nothing is cut, however long the question in it is.
_MOST_LINES = 20
# Heights of a key figure's digits and of what could have been drawn.
_LARGEST, _CHIP = 64, 36
_RTL, _END = "\N{RIGHT-TO-LEFT EMBEDDING}", "\N{POP DIRECTIONAL FORMATTING}"
# Bold text is this much wider.
_BOLD = 1.08


class _Style(NamedTuple):
    size: int
    colour: str = "ink"
    bold: bool = False
    above: int = 0  # the gap above a paragraph, but for the first

    @property
    def leading(self) -> float:
        return 1.3 * self.size

    def __str__(self) -> str:
        return f"font-size:{self.size}px;fill:{_stylesheet()[0][self.colour]};font-weight:{600 if self.bold else 400}"


_TEXT, _QUIET, _SMALL = _Style(16), _Style(16, "quiet"), _Style(14, "quiet")
_HEADING, _HEAD = _Style(20, bold=True), _Style(16, bold=True)
# Paragraphs of a page that are not small, by their class or else their tag.
_PARAGRAPHS = {
    "asked": _Style(16, "quiet", above=20),
    "h1": _Style(28, bold=True),
    "h2": _HEADING,
    "figcaption": _Style(16, bold=True, above=8),
    "lead": _Style(20, above=8),
    "limits": _Style(20, above=4),
    "source": _Style(14, "quiet", above=16),
}
_Lines = list[tuple[str, _Style]]


@cache
def _stylesheet() -> tuple[dict[str, str], str]:
    """Return the colours of light pages by name, and the rules that fill or stroke marks, with these colours."""
    folder = settings.BASE_DIR / "static" / "css"
    sheets = [
        (folder / f"{name}.css").read_text(encoding="utf-8") for name in ("deniable", "charts", "release", "learn")
    ]
    tokens = dict(re.findall(r"--([\w-]+): ([^;]+);", sheets[0].partition("}")[0]))
    # A file is white, unlike a page.
    tokens["paper"] = tokens["surface"]
    rules = re.findall(
        r"^(?:\.figure|\.dots|\.lane|#chart-[\w-]+) .*\b(?:fill|stroke)\b.*$", "\n".join(sheets), re.MULTILINE
    )
    rules += ["svg { overflow: visible; }", ".narrow .spare { display: none; }"]
    named = re.sub(r"var\(--([\w-]+)\)", lambda name: tokens[name[1]], "\n".join(rules))
    # Programs other than browsers do not know rem.
    return tokens, re.sub(r"([\d.]+)rem", lambda size: f"{16 * float(size[1]):g}px", named)


def to_svg(chart: Chart) -> str:
    """Return a chart as an SVG document with its question, title, drawing and note.

    It has no script and no link, its stylesheet is ours, and what a survey owner wrote is escaped.
    """
    sheet = _Sheet()
    sheet.paragraph(chart.asked, _QUIET)
    sheet.paragraph(chart.title, _HEADING)
    sheet.y += 12
    page = render_to_string(chart.template, {"chart": chart, "drawn": chart.drawn, "alone": True})
    sheet.lay_out(ET.fromstring(f"<div>{clean(page)}</div>"))  # noqa: S314 - it is ours
    sheet.paragraph(chart.note, _SMALL)
    return sheet.document(chart.name, chart.title, chart.text)


def page_to_svg(page: str, *, name: str, title: str, text: str) -> str:
    """Return a part of a page as an SVG document: its paragraphs, key figures, lists and drawings.

    Parameters
    ----------
    page : str
        As the template made it, in the language that is active: every tag is closed, and what anybody wrote is escaped.
    name, title, text : str
        Of the document, as a chart has them.
    """
    sheet = _Sheet()
    sheet.lay_out(ET.fromstring(f"<div>{clean(page)}</div>"))  # noqa: S314 - it is ours
    return sheet.document(name, title, text)


def size_of(document: str) -> tuple[int, int]:
    """Return the width and height of a document in pixels, rounded up."""
    _, _, wide, high = re.search(r'viewBox="([^"]*)"', document)[1].split()  # type: ignore[index]
    return math.ceil(float(wide)), math.ceil(float(high))


def chart_file(source: str, charts: Iterable[Chart], name: str) -> HttpResponse:
    """Return one of these charts as a file of its own, named after what it is of."""
    for chart in charts:
        if chart.name == name:
            response = HttpResponse(to_svg(chart), content_type="image/svg+xml; charset=utf-8")
            response["Content-Disposition"] = f'attachment; filename="{source}-{name}.svg"'
            return response
    raise Http404


class _Sheet:
    """What is drawn so far, and the y of the next part."""

    def __init__(self) -> None:
        self.content: list[ET.Element] = []
        self.room = float(_ROOM)
        self.y = float(_MARGIN)

    def document(self, name: str, title: str, text: str) -> str:
        wide, high = f"{2 * _MARGIN + self.room:g}", f"{self.y + _MARGIN:g}"
        root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "width": wide, "height": high})
        root.attrib |= {"viewBox": f"0 0 {wide} {high}", "role": "img", "font-family": _FONTS}
        root.attrib |= {"id": f"chart-{name}", "class": "figure", "xml:lang": translation.get_language() or ""}
        tokens, rules = _stylesheet()
        for tag, words in (("title", clean(title)), ("desc", clean(text)), ("style", rules)):
            ET.SubElement(root, tag).text = words
        ET.SubElement(root, "rect", {"width": wide, "height": high, "fill": tokens["paper"]})
        root.extend(self.content)
        return _DECLARATION + ET.tostring(root, encoding="unicode") + "\n"

    def lay_out(self, parts: Iterable[ET.Element]) -> None:
        """Place the parts of the page's chart below each other."""
        below_plot = False
        for part in parts:
            name = part.get("class", "").partition(" ")[0] or part.tag
            if name in {"visually-hidden", "on-phones"}:
                # The file has it in its description or beside the lines.
                continue
            if name in _LAYOUTS:
                _LAYOUTS[name](self, part)
            elif part.tag == "svg":
                high = float(part.attrib["height"])
                self.draw(part, 0, self.y, _ROOM, high)
                self.y += high
            elif part.tag == "p" or name in _PARAGRAPHS:
                style, anchor = _PARAGRAPHS.get(name, _SMALL), "middle" if below_plot else "start"
                # As on the page: what somebody wrote stands in its own direction, and a sentence in that of the page.
                rtl = None if _is_quoted(part) else translation.get_language_bidi()
                self.y += style.above if self.content else 0
                self.paragraph(_text(part), style, anchor, most=_MOST_LINES, rtl=rtl)
            else:
                self.lay_out(part)
            below_plot = name == "plot"

    def draw(self, drawing: ET.Element, x: float, y: float, wide: float, high: float) -> None:
        """Place a drawing of the page, x from the margin."""
        named = clean(drawing.get("aria-label", ""))
        for name in ("role", "aria-label", "aria-hidden", "aria-describedby"):
            drawing.attrib.pop(name, None)
        places = {"x": _MARGIN + x, "y": y, "width": wide, "height": high}
        drawing.attrib |= {name: f"{value:g}" for name, value in places.items()}
        if named:
            title = ET.Element("title")
            title.text = named
            drawing.insert(0, title)
        self.content.append(drawing)

    def write(self, x: float, y: float, lines: _Lines, anchor: str = "start") -> float:
        """Write lines from y down and return their height; `anchor` means sides of the sheet in every script."""
        top = y
        for words, style in lines:
            y += style.leading
            text = ET.Element("text", {"x": f"{_MARGIN + x:g}", "y": f"{y - 0.3 * style.size:g}", "style": str(style)})
            text.set("text-anchor", anchor)
            text.text = words
            self.content.append(text)
        return y - top

    def paragraph(
        self, words: str, style: _Style, anchor: str = "start", *, most: int = 3, rtl: bool | None = None
    ) -> None:
        """Write a paragraph as wide as the sheet."""
        if lines := _lines(words, style, _ROOM, most, rtl):
            self.y += 4 + self.write(_ROOM / 2 if anchor == "middle" else 0, self.y, lines, anchor)


def _text(part: ET.Element) -> str:
    return "".join(part.itertext())


def _is_quoted(part: ET.Element) -> bool:
    """Return whether all of a paragraph is what somebody wrote."""
    return [inner.tag for inner in part] == ["bdi"] and not f"{part.text or ''}{part[0].tail or ''}".strip()


def _lines(words: str, style: _Style, room: float, most: int = 3, rtl: bool | None = None) -> _Lines:
    """Break a text into lines; without `rtl` its first letter says in which direction all of them run.

    The letters themselves say it to every program: few know the attribute `direction`, and those swap the anchors.
    """
    size = style.size * (_BOLD if style.bold else 1)
    start, end = (_RTL, _END) if (from_right_to_left(words) if rtl is None else rtl) else ("", "")
    return [(f"{start}{line}{end}", style) for line in wrapped(words, size=size, room=room, lines=most)]


def _height(lines: _Lines) -> float:
    return sum(style.leading for _, style in lines)


def _draw_rows(sheet: _Sheet, rows: ET.Element) -> None:
    """Place each row's name to the left of its drawing and its value to the right."""
    left = _NAME + _GAP
    for row in rows:
        texts = {part.get("class"): _text(part) for part in row.iterfind("p")}
        name = _lines(texts.get("row-name", ""), _TEXT, _NAME)
        value = _lines(texts.get("row-value", ""), _HEADING, _VALUE)
        value += _lines(texts.get("row-limits", ""), _SMALL, _VALUE + _GAP, most=1)
        (drawing,) = row.iterfind("svg")
        drawing.set("class", "narrow")
        tall = float(drawing.attrib["height"])
        high = max(tall, _height(name), _height(value)) + 12
        sheet.draw(drawing, left, sheet.y + (high - tall) / 2, _TRACK, tall)
        sheet.write(0, sheet.y + (high - _height(name)) / 2, name)
        sheet.write(_ROOM, sheet.y + (high - _height(value)) / 2, value, "end")
        sheet.y += high
        detail, title = (_lines(texts.get(below, ""), _SMALL, _TRACK) for below in ("row-detail", "axis-title"))
        sheet.y += sheet.write(left, sheet.y, detail) + sheet.write(left + _TRACK / 2, sheet.y, title, "middle")
    sheet.y += 12


def _draw_key(sheet: _Sheet, samples: ET.Element) -> None:
    """Place a legend's samples beside each other and wrap them."""
    x, y = 0.0, sheet.y
    for drawing, words in samples:
        lines = _lines(_text(words), _SMALL, _ROOM - _SAMPLE)
        wide = _SAMPLE + max((width(line, _SMALL.size) for line, _ in lines), default=0.0)
        if x + wide > _ROOM:
            x, y = 0.0, sheet.y
        sheet.draw(drawing, x, y + 1, float(drawing.attrib["width"]), float(drawing.attrib["height"]))
        sheet.y = max(sheet.y, y + 6 + sheet.write(x + _SAMPLE, y, lines))
        x += wide + _GAP
    sheet.y += 8


def _draw_crowds(sheet: _Sheet, crowds: ET.Element) -> None:
    """Place each crowd's value and name to its right."""
    left = _CROWD + _GAP
    for drawing, value, name in crowds:
        *_, wide, high = map(float, drawing.attrib["viewBox"].split())
        tall = _CROWD * high / wide
        sheet.draw(drawing, 0, sheet.y, _CROWD, tall)
        words = _lines(_text(value), _HEADING, _ROOM - left) + _lines(_text(name), _TEXT, _ROOM - left)
        sheet.y += max(tall, sheet.write(left, sheet.y, words)) + _GAP


def _draw_plot(sheet: _Sheet, plot: ET.Element) -> None:
    """Place the numbers of both axes around the plot; labels of vertical lines stand above it."""
    left, wide = 56, _ROOM - 72
    numbers, lines, below = plot
    (stretched,) = lines.iterfind("svg")
    for path in stretched:
        path.set(
            "d",
            _POINT.sub(lambda at: f"{float(at[1]) * wide / 100:g} {float(at[2]) * _TALL / 100:g}", path.attrib["d"]),
        )
    # Programs other than browsers would stretch the strokes as well.
    del stretched.attrib["viewBox"], stretched.attrib["preserveAspectRatio"]
    sheet.y += _ABOVE
    sheet.draw(numbers, 0, sheet.y, left - 8, _TALL)
    sheet.draw(lines, left, sheet.y, wide, _TALL)
    sheet.draw(below, left, sheet.y + _TALL + 4, wide, 22)
    sheet.y += _TALL + 30


def _draw_table(sheet: _Sheet, table: ET.Element) -> None:
    """Draw a table's cells; a table with many columns makes the sheet wider."""
    (_, title), (corner, *heads), *rows = table.iter("tr")
    wide = min(_WIDEST, max(_NARROWEST, (_ROOM - _HEADER) / len(heads)))
    sheet.room = max(_ROOM, _HEADER + wide * len(heads))
    sheet.y += 8 + sheet.write(_HEADER, sheet.y, _lines(_text(title), _HEAD, sheet.room - _HEADER))
    highest = sheet.write(0, sheet.y, _lines(_text(corner), _HEAD, _HEADER - _GAP))
    for column, head in enumerate(heads):
        middle = _HEADER + (column + 0.5) * wide
        highest = max(highest, sheet.write(middle, sheet.y, _lines(_text(head), _SMALL, wide - 8), "middle"))
    sheet.y += highest + 8
    for head, *cells in rows:
        lines = _lines(_text(head), _SMALL, _HEADER - _GAP)
        sheet.write(0, sheet.y + (_CELL - _height(lines)) / 2, lines)
        for column, cell in enumerate(cells):
            _draw_cell(sheet, _HEADER + column * wide, wide, cell)
        sheet.y += _CELL
    sheet.y += 8


def _draw_cell(sheet: _Sheet, x: float, wide: float, cell: ET.Element) -> None:
    tokens, _ = _stylesheet()
    left, top, right, bottom = (f"{at:g}" for at in (_MARGIN + x, sheet.y, _MARGIN + x + wide, sheet.y + _CELL))
    box = {"x": left, "y": top, "width": f"{wide:g}", "height": f"{_CELL}", "stroke": tokens["line"]}
    shade = cell.attrib["class"].removeprefix("heat-")
    ink = "ink"
    if shade == "none":
        sheet.content.append(ET.Element("rect", box | {"fill": "none"}))
        line = {"x1": left, "y1": bottom, "x2": right, "y2": top, "stroke": tokens["line"]}
        sheet.content.append(ET.Element("line", line))
    else:
        fill = {"fill": tokens["signal"], "fill-opacity": f"{SHADES[int(shade)]}"}
        sheet.content.append(ET.Element("rect", box | fill))
        ink = "on-signal" if int(shade) >= LIGHT_INK_FROM else "ink"
    styles = (_Style(16, ink, bold=True), _Style(13, ink))
    lines = [
        line for part, style in zip(cell, styles, strict=False) for line in _lines(_text(part), style, wide - 4, 1)
    ]
    sheet.write(x + wide / 2, sheet.y + (_CELL - _height(lines)) / 2, lines, "middle")


def _draw_key_figure(sheet: _Sheet, figure: ET.Element) -> None:
    """Write the number that a page shows largest, and what it is of behind it."""
    number, of = (clean(_text(part)) for part in figure)
    size = min(_LARGEST, int(_ROOM / max(1.0, width(number, _BOLD))))
    sheet.y += 1.1 * size
    text = ET.Element("text", {"x": f"{_MARGIN}", "y": f"{sheet.y:g}"})
    ET.SubElement(text, "tspan", {"style": str(_Style(size, "signal", bold=True))}).text = number
    sheet.content.append(text)
    room = _ROOM - width(number, size * _BOLD)
    if room > width(of, _HEADING.size * _BOLD):
        ET.SubElement(text, "tspan", {"style": str(_HEADING)}).text = f" {of}"
        sheet.y += 8
    else:
        sheet.paragraph(of, _HEADING)


def _draw_lane(sheet: _Sheet, lane: ET.Element) -> None:
    (drawing,) = lane
    drawing.set("class", "lane")
    high = float(drawing.attrib["height"])
    sheet.draw(drawing, 8, sheet.y + 8, _ROOM - 16, high)
    sheet.y += high + 16


def _draw_candidates(sheet: _Sheet, candidates: ET.Element) -> None:
    """Place what could have been drawn beside each other, with borders, and wrap them."""
    tokens, _ = _stylesheet()
    x = 0.0
    for candidate in candidates:
        drawn = candidate.get("class") == "drawn"
        style, line = (_HEAD, "signal") if drawn else (_QUIET, "line")
        lines = _lines(" · ".join(map(_text, candidate)), style, _ROOM - 32, most=1)
        wide = 32 + max((width(words, style.size * (_BOLD if drawn else 1)) for words, _ in lines), default=0.0)
        if x and x + wide > _ROOM:
            x, sheet.y = 0.0, sheet.y + _CHIP + 8
        box = {"x": f"{_MARGIN + x:g}", "y": f"{sheet.y:g}", "width": f"{wide:g}", "height": f"{_CHIP}", "rx": "8"}
        box |= {"fill": tokens["signal-wash" if drawn else "paper"], "stroke": tokens[line]}
        sheet.content.append(ET.Element("rect", box | {"stroke-width": "2" if drawn else "1"}))
        sheet.write(x + wide / 2, sheet.y + (_CHIP - _height(lines)) / 2, lines, "middle")
        x += wide + 8
    sheet.y += _CHIP + 12


# What has a layout of its own, by its class on the page.
_LAYOUTS = {
    "rows": _draw_rows,
    "key": _draw_key,
    "crowds": _draw_crowds,
    "plot": _draw_plot,
    "heat": _draw_table,
    "key-figure": _draw_key_figure,
    "lane": _draw_lane,
    "candidates": _draw_candidates,
}
