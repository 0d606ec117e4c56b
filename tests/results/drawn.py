"""What a page of results draws, and the one table of a caption."""

import re
from html import unescape

from tests.pages import tables_of

_DRAWN = re.compile(
    r'<p class="row-name">(?P<name>.*?)</p>.*?<p class="row-value">(?P<value>.*?)</p>'
    r'|<svg class="large" role="img" aria-label="(?P<says>.*?)"',
    re.DOTALL,
)


def table_of(page: str, caption: str) -> dict[str, list[str]]:
    """Return the rows of the one table of this caption by the name in their first cell."""
    [rows] = [rows for title, rows in tables_of(page) if title == caption]
    return {row[0]: row[1:] for row in rows[1:]}


def drawn_rows(page: str) -> list[tuple[str, str]]:
    """Return the name and the value of every row that is drawn, in order; of an estimate alone, as it is described."""
    return [_large(found["says"]) if found["says"] else _row(found) for found in _DRAWN.finditer(page)]


def _row(found: re.Match[str]) -> tuple[str, str]:
    return _without_tags(found["name"]), _without_tags(found["value"])


def _large(says: str) -> tuple[str, str]:
    name, _colon, rest = unescape(says).partition(": ")
    value = re.match(r"estimate (.+?)%?, between", rest)
    return name, value[1] if value else "–"


def _without_tags(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup).strip()
