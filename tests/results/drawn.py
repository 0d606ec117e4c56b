"""What a page of results draws, and the one table of a caption."""

import re

from tests.pages import tables_of


def table_of(page: str, caption: str) -> dict[str, list[str]]:
    """Return the rows of the one table of this caption by the name in their first cell."""
    [rows] = [rows for title, rows in tables_of(page) if title == caption]
    return {row[0]: row[1:] for row in rows[1:]}


def drawn_rows(page: str) -> list[tuple[str, str]]:
    """Return the name and the value of every row that is drawn, in order."""
    found = re.findall(r'<p class="row-name">(.*?)</p>.*?<p class="row-value">(.*?)</p>', page, re.DOTALL)
    return [(_without_tags(name), _without_tags(value)) for name, value in found]


def _without_tags(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup).strip()
