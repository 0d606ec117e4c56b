"""What a page of results is made of and what it draws: its context, its rows and its tables."""

import re
from html import unescape
from typing import Any

from django.urls import reverse

from surveys.common.caches import PAGES
from surveys.models import Survey
from tests.pages import owner_of, tables_of, text_of

_DRAWN = re.compile(
    r'<p class="row-name">(?P<name>.*?)</p>.*?<p class="row-value">(?P<value>.*?)</p>'
    r'|<svg class="large" role="img" aria-label="(?P<says>.*?)"',
    re.DOTALL,
)


def page_and_context(name: str, survey: Survey, query: str = "", *, number: int | None = None) -> tuple[str, Any]:
    """Return the page that the survey's owner gets at an address, and what its template is given."""
    address = reverse(name, args=[survey.code] if number is None else [survey.code, number])
    # What is kept of a page has no context.
    PAGES.clear()
    response = owner_of(survey).get(address + query)
    assert response.status_code == 200
    return unescape(text_of(response)), response.context


def context_of(name: str, survey: Survey, query: str = "", *, number: int | None = None) -> Any:  # noqa: ANN401
    return page_and_context(name, survey, query, number=number)[1]


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
