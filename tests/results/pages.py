"""Pages of results read as their readers do: tables by caption, sentences without markup."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest


class _Tables(HTMLParser):
    """Collects every table's caption and rows of cell texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[tuple[str, list[list[str]]]] = []
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append(("", []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in {"td", "th", "caption"}:
            self._text = []
        elif tag == "span" and self._text is not None:
            self._text.append(" ")

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"td", "th", "caption"} or self._text is None:
            return
        text = " ".join("".join(self._text).split())
        if tag == "caption":
            self.tables[-1] = (text, self.tables[-1][1])
        else:
            self.tables[-1][1][-1].append(text)
        self._text = None


def tables_of(page: str) -> list[tuple[str, list[list[str]]]]:
    """Return the captions and the rows of all tables of a page."""
    reader = _Tables()
    reader.feed(page)
    return reader.tables


def rows_under(page: str, caption: str, *, which: int = -1) -> list[list[str]]:
    """Return the rows below the heads of a table whose caption begins so, the last of them if there are several."""
    found = [rows for title, rows in tables_of(page) if title.startswith(caption)]
    assert found, f"no table “{caption}” among {[title for title, _ in tables_of(page)]}"
    rows = found[which]
    return [row for row in rows if len(row) == len(rows[-1])][1:]


def number(text: str) -> float:
    """Return the first number written in a text, as English pages write it."""
    found = re.search(r"[−-]?[\d,]+(\.\d+)?", text)
    assert found, f"no number in “{text}”"
    return float(found.group().replace("−", "-").replace(",", ""))


def same(cell: str, value: float, *, places: int = 1) -> bool:
    """Whether a cell says this number, rounded to so many decimals."""
    return number(cell) == pytest.approx(value, abs=0.51 * 10.0**-places)


def outwards(low: str, high: str, limits: tuple[float, float], *, places: int = 1) -> bool:
    """Whether two cells say these limits rounded outwards: neither claims more than the interval does."""
    unit = 10.0**-places
    below, above = limits[0] - number(low), number(high) - limits[1]
    return -1e-6 <= below < unit and -1e-6 <= above < unit


def words_of(page: str) -> str:
    """Return a page's text without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())
