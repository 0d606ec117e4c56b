"""The cells of a page's tables, and its words without markup, controls and drawings."""

import re
from html import unescape
from html.parser import HTMLParser


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[list[str]]]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.found.append(("", []))
        elif tag == "tr":
            self.found[-1][1].append([])
        elif tag in {"td", "th", "caption"}:
            self._cell = []

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"td", "th", "caption"} or self._cell is None:
            return
        text, self._cell = " ".join("".join(self._cell).split()), None
        if tag == "caption":
            self.found[-1] = (text, self.found[-1][1])
        else:
            self.found[-1][1][-1].append(text)


def cells_under(page: str, caption: str) -> list[list[str]]:
    """Return the rows, without the headings, of the one table whose caption begins so."""
    reader = _Reader()
    reader.feed(page)
    [rows] = [rows for title, rows in reader.found if title.startswith(caption)]
    return rows[1:]


def number_in(cell: str) -> float:
    """Return the number in a cell, as English pages write it."""
    return float(re.sub(r"[^0-9.\-]", "", cell.replace("−", "-")))


def holds(cell: str, value: float) -> bool:
    """Whether a cell holds this number, rounded to the decimals that it shows."""
    found = re.search(r"\.(\d+)", cell)
    digits = len(found[1]) if found else 0
    return abs(number_in(cell) - value) <= 0.5000001 * 10.0**-digits


def said_on(page: str) -> str:
    """Return what is said on a page."""
    seen = re.sub(r"<(select|svg|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", seen).split()))
