"""Formulas read off a page and computed again, from the full values that its numbers carry."""

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser

import scipy.special

_FUNCTIONS = {
    "sqrt": math.sqrt,
    "ln": math.log,
    "tanh": math.tanh,
    "artanh": math.atanh,
    "min": min,
    "max": max,
    "Beta": lambda p, a, b: scipy.special.betaincinv(a, b, p),
}
_OPERATORS = {"=": "=", "−": "-", "+": "+", "·": "*", "(": "(", ")": ")", ",": ",", ";": ","}


@dataclass(frozen=True)
class Formula:
    """One formula of a page: the item it belongs to, its name and its sides."""

    item: str
    name: str
    sides: tuple[tuple[ET.Element, ...], ...]  # each in one piece or more

    @cached_property
    def values(self) -> list[float]:
        """The values of the sides that are made of numbers alone."""
        return [value for value in map(_value, self.sides) if value is not None]

    @property
    def result(self) -> float:
        """What it comes to."""
        return self.values[-1]


class _Collector(HTMLParser):
    """Gathers formulas, and numbers marked as results, with the item that they stand under."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[tuple[int, str]] = []
        self.depth = 0
        self.name = ""
        self.markup: list[str] = []
        self.sides: list[list[ET.Element]] = []
        self.formulas: list[Formula] = []
        self.results: dict[tuple[str, str], tuple[float, ...]] = {}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        self.depth += tag == "div"
        if "data-item" in named:
            self.items.append((self.depth, named["data-item"] or ""))
        if "data-result" in named:
            values = tuple(float(named[key] or "") for key in ("data-value", "data-low", "data-high") if key in named)
            self.results[self.item, named["data-result"] or ""] = values
        if "data-formula" in named:
            self.name, self.sides = named["data-formula"] or "", []
        if tag == "math":
            self.markup = []
        if self.name:
            given = "".join(f' {key}="{value}"' for key, value in attributes)
            self.markup.append(f"<{tag}{given}>")

    def handle_endtag(self, tag: str) -> None:
        if self.name:
            self.markup.append(f"</{tag}>")
            if tag == "math":
                piece = ET.fromstring("".join(self.markup))  # noqa: S314 - our own page
                # What begins with an equals sign is another side; what does not goes on with the last.
                if not self.sides or piece[0].text == "=":
                    self.sides.append([])
                self.sides[-1].append(piece)
            elif tag == "p":
                self.formulas.append(Formula(self.item, self.name, tuple(map(tuple, self.sides))))
                self.name = ""
        if tag == "div":
            if self.items and self.items[-1][0] == self.depth:
                self.items.pop()
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.name:
            self.markup.append(data.replace("&", "&amp;").replace("<", "&lt;"))

    @property
    def item(self) -> str:
        return self.items[-1][1] if self.items else ""


def read(page: str) -> tuple[list[Formula], dict[tuple[str, str], tuple[float, ...]]]:
    """Return the formulas of a page, and its marked results by item and name."""
    collector = _Collector()
    collector.feed(page)
    return collector.formulas, collector.results


def _value(side: tuple[ET.Element, ...]) -> float | None:
    try:
        written = "".join(map(_python, side)).removeprefix("=")
        return float(eval(written, {"__builtins__": {}}, _FUNCTIONS))  # noqa: S307 - numbers and signs
    except _SymbolError:
        return None


class _SymbolError(Exception):
    """A side with letters has no value."""


def _python(element: ET.Element) -> str:
    parts = [_python(child) for child in element]
    text = (element.text or "").strip()
    inside = "".join(parts)
    known = {
        "mn": lambda: f"({element.attrib['data-value']})",
        "mo": lambda: _OPERATORS.get(text, ""),
        "mi": lambda: text if text in _FUNCTIONS else "",
        "math": lambda: inside,
        "mrow": lambda: inside,
        "mfrac": lambda: f"(({parts[0]})/({parts[1]}))",
        "msqrt": lambda: f"sqrt({inside})",
        "msup": lambda: f"(({parts[0]})**({parts[1]}))",
    }
    written = known.get(element.tag, str)()
    if not written:
        raise _SymbolError(element.tag + text)
    return written
