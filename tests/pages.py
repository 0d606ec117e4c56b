"""Who is signed in, and pages as their readers do: on one line, without markup, tables by caption."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from surveys.common.caches import PAGES
from surveys.course.services import record_exact_figures
from surveys.models import Survey
from tests.factories import make_user


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def signed_in(username: str = "") -> Client:
    return client_of(make_user(username))


def owner_of(survey: Survey) -> Client:
    return client_of(survey.owner)


def text_of(response: HttpResponseBase) -> str:
    """Return the page without its line breaks."""
    assert isinstance(response, HttpResponse)
    return " ".join(response.content.decode().split())


def page_of(name: str, survey: Survey, query: str = "", *, number: int | None = None) -> str:
    """Return what the survey's owner gets at an address, or at that of one of its questions or versions."""
    address = reverse(name, args=[survey.code] if number is None else [survey.code, number])
    # What is kept of a page does not show what a test has changed in how pages are made.
    PAGES.clear()
    response = owner_of(survey).get(address + query)
    assert response.status_code == 200
    return text_of(response)


def presentation_of(survey: Survey, query: str = "") -> str:
    """Return the presentation after its owner has chosen to show the figures."""
    record_exact_figures(survey=survey)
    return page_of("survey-present", survey, query)


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
    """Return the rows below the head of a table whose caption begins so, the last of them if there are several."""
    tables = tables_of(re.sub(r"<thead.*?</thead>", "", page, flags=re.DOTALL))
    matching = [rows for title, rows in tables if title.startswith(caption)]
    assert matching, f"no table “{caption}” among {[title for title, _ in tables]}"
    return matching[which]


def number(text: str) -> float:
    """Return the first number written in a text, as English pages write it."""
    match = re.search(r"[−-]?[\d,]+(\.\d+)?", text)
    assert match, f"no number in “{text}”"
    return float(match.group().replace("−", "-").replace(",", ""))


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


def holds(cell: str, value: float) -> bool:
    """Whether a cell holds this number, rounded to the decimals that it shows."""
    match = re.search(r"\.(\d+)", cell)
    digits = len(match[1]) if match else 0
    return abs(number(cell) - value) <= 0.5000001 * 10.0**-digits


def said_on(page: str) -> str:
    """Return what is said on a page."""
    seen = re.sub(r"<(select|svg|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", seen).split()))
