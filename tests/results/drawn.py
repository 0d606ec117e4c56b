"""What a page of results is made of and what it draws: its context, its rows and its tables."""

import re
from html import unescape
from typing import Any

from surveys.models import Survey
from tests.pages import tables_of
from tests.results import seen

_DRAWN = re.compile(
    r'<p class="row-name">(?P<name>.*?)</p>.*?<p class="row-value">(?P<value>.*?)</p>'
    r'|<svg class="large" role="img" aria-label="(?P<says>.*?)"',
    re.DOTALL,
)


def page_and_context(name: str, survey: Survey, query: str = "", *, number: int | None = None) -> tuple[str, Any]:
    """Return a page with each character as it is read, and what its template is given."""
    page, context = seen.page_and_context(name, survey, query, number=number)
    return unescape(page), context


def table_of(page: str, caption: str) -> dict[str, list[str]]:
    """Return the rows of the one table of this caption by the name in their first cell."""
    [rows] = [rows for title, rows in tables_of(page) if title == caption]
    return {row[0]: row[1:] for row in rows[1:]}


def chart_table(page: str, name: str) -> dict[str, list[str]]:
    """Return the rows of the table of a chart, which stands below its drawing, by the name in their first cell."""
    *_drawn, (_caption, rows) = tables_of(page.partition(f'id="chart-{name}"')[2].partition("</figure>")[0])
    return {row[0]: row[1:] for row in rows[1:]}


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a text as they are written, in order."""
    return re.findall(r"−?\d(?:[\d.,]*\d)?", text)


def drawn_rows(page: str) -> list[tuple[str, str]]:
    """Return the name and the value of every row that is drawn, in order; of an estimate alone, as it is described."""
    return [_large(match["says"]) if match["says"] else _row(match) for match in _DRAWN.finditer(page)]


def _row(match: re.Match[str]) -> tuple[str, str]:
    return _without_tags(match["name"]), _without_tags(match["value"])


def _large(says: str) -> tuple[str, str]:
    name, _colon, said = unescape(says).partition(": ")
    claimed = re.match(r"(?:estimate (.+), )?between (.+) and (\S+)", said)
    return name, (claimed[1] or f"{claimed[2]} to {claimed[3]}") if claimed else "–"


def _without_tags(markup: str) -> str:
    return re.sub(r"<[^>]+>", "", markup).strip()
