"""A sheet to draw on: lines, areas and texts as SVG elements, with presentation attributes only.

Colours are those of the light pages, dark enough to be told apart when printed in grey.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from surveys.charts.svg.words import clean, from_right_to_left, wrapped
from surveys.charts.svg.words import width as width_of

WIDTH = 720
MARGIN = 24
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
PAPER, INK, QUIET, LINE, EDGE, EMPTY = "#ffffff", "#15212a", "#525e68", "#e3ddd0", "#7b858d", "#d9d3c6"
SIGNAL, BAND, CHANCE = "#0b6268", "#a9d0cd", "#c26f00"
# How curves are told apart, as in the stylesheet: the finding’s, then what it is compared with.
DASHES = (("", SIGNAL, 3.0), ("9 5", QUIET, 2.0), ("2 4", INK, 2.0), ("10 4 2 4", QUIET, 2.0))
TEXT, SMALL, HEADING = 16, 14, 20
# So much wider is bold writing.
BOLD = 1.08


def length(value: float) -> str:
    """Write a length without needless decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


@dataclass
class Canvas:
    """Elements drawn so far, in pixels from the top left, and how far down the next one goes."""

    root: ET.Element = field(default_factory=lambda: ET.Element("g"))
    y: float = MARGIN
    width: float = WIDTH

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Draw what follows as one thing, whose name a reader of the file is told in full."""
        outer = self.root
        self.root = ET.SubElement(outer, "g")
        ET.SubElement(self.root, "title").text = clean(title)
        yield
        self.root = outer

    def line(self, x1: float, y1: float, x2: float, y2: float, *, colour: str, width: float, dash: str = "") -> None:
        """Draw a straight line."""
        self._draw("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2}, stroke=colour, dash=dash, width=width)

    def rect(self, x: float, y: float, width: float, height: float, *, fill: str, opacity: float = 1) -> ET.Element:
        """Draw a filled rectangle and return it."""
        shape = self._draw("rect", {"x": x, "y": y, "width": width, "height": height})
        shape.set("fill", fill)
        if opacity < 1:
            shape.set("fill-opacity", length(opacity))
        return shape

    def circle(self, x: float, y: float, radius: float, *, fill: str, colour: str = "", width: float = 2.5) -> None:
        """Draw a filled circle, and its edge in a colour of its own where it has one."""
        self._draw("circle", {"cx": x, "cy": y, "r": radius}, stroke=colour, width=width).set("fill", fill)

    def ring(self, x: float, y: float) -> None:
        """Draw what was reported: a ring with a halo, so that it reads on a band too."""
        self.circle(x, y, 8, fill=PAPER)
        self.circle(x, y, 5, fill=PAPER, colour=CHANCE)

    def path(  # each is an attribute of its own
        self,
        points: Sequence[tuple[float, float]],
        *,
        colour: str = "",
        width: float = 2,
        dash: str = "",
        fill: str = "none",
        opacity: float = 1,
    ) -> None:
        """Draw a line through points, closed where it is filled."""
        drawn = "M" + "L".join(f"{length(x)} {length(y)}" for x, y in points) + ("Z" if fill != "none" else "")
        shape = self._draw("path", {}, stroke=colour, dash=dash, width=width)
        shape.set("d", drawn)
        shape.set("fill", fill)
        if opacity < 1:
            shape.set("fill-opacity", length(opacity))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = TEXT,
        colour: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        """Write one line; `anchor` means sides of the sheet, whichever way the words run."""
        words = clean(words)
        if not words:
            return
        element = ET.SubElement(self.root, "text", {"x": length(x), "y": length(y), "fill": colour})
        element.set("font-size", length(size))
        if bold:
            element.set("font-weight", "600")
        if from_right_to_left(words):
            element.set("direction", "rtl")
            anchor = {"start": "end", "end": "start"}.get(anchor, anchor)
        element.set("text-anchor", anchor)
        element.text = words

    def at_line(self, x: float, y: float, words: str, *, anchor: str = "middle") -> None:
        """Write what a line is, standing out from it and wholly on the sheet."""
        room = 0.6 * self.width
        words = next(iter(wrapped(words, size=SMALL * BOLD, room=room, lines=1)), "")
        wide = BOLD * width_of(words, SMALL)
        start = x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        start = min(max(start, 4.0), self.width - wide - 4)
        self.text(start, y, words, size=SMALL, bold=True)
        if words:
            halo = {"stroke": PAPER, "stroke-width": "4", "stroke-linejoin": "round", "paint-order": "stroke"}
            self.root[-1].attrib.update(halo)

    def paragraph(  # each is needed by one of the kinds
        self,
        x: float,
        y: float,
        words: str,
        *,
        room: float,
        lines: int = 3,
        size: float = TEXT,
        colour: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> float:
        """Write words in lines from y on; return how high they stand."""
        written = wrapped(words, size=size * (BOLD if bold else 1), room=room, lines=lines)
        for number, line in enumerate(written):
            self.text(x, y + number * leading(size), line, size=size, colour=colour, anchor=anchor, bold=bold)
        return len(written) * leading(size)

    def _draw(
        self, tag: str, places: dict[str, float], *, stroke: str = "", dash: str = "", width: float = 1
    ) -> ET.Element:
        shape = ET.SubElement(self.root, tag, {name: length(value) for name, value in places.items()})
        if stroke:
            shape.set("stroke", stroke)
            shape.set("stroke-width", length(width))
        if dash:
            shape.set("stroke-dasharray", dash)
        return shape


def leading(size: float) -> float:
    """Return how far below a line the next one stands."""
    return round(1.3 * size, 2)
