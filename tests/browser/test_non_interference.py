"""Nothing outside the respondent's head depends on the true answer.

With the same draws and equal reports, everything that a server, a network, the next user of the phone or a script
could see is compared byte by byte between two true answers. The same comparison must notice planted leaks.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import BrowserContext, Page, Request, Route

from surveys.models import Response, Survey
from surveys.views import rendered
from tests.browser.conftest import NewContext
from tests.browser.walk import SENDS_NO, SENDS_THE_TRUTH, SENDS_YES, begin, choose, fix_draws, flip, go_on
from tests.factories import make_open, yes_no

NONCE = "abcdefghijklmnopqrstuv"
CSRF_SECRET = "a" * 32
Evidence = Callable[..., str]

STATE_OF_THE_PAGE = """async () => ({
  dom: document.documentElement.outerHTML,
  inputs: [...document.querySelectorAll("input")].map((i) => [i.name, i.value, i.checked, i.form?.id ?? null]),
  url: location.href,
  history: [history.length, history.state],
  name: window.name,
  title: document.title,
  local: { ...localStorage },
  session: { ...sessionStorage },
  databases: await indexedDB.databases(),
  caches: self.caches ? await caches.keys() : [],
})"""

LEAKS = {
    "the choice inside the form": "form.append(chosen.cloneNode()); form.lastChild.type = 'hidden';",
    "local storage": 'localStorage.setItem("draft", chosen.value);',
    "session storage": 'sessionStorage.setItem("draft", chosen.value);',
    "the address": 'history.replaceState(null, "", "?draft=" + chosen.value);',
    "history state": "history.replaceState({ draft: chosen.value }, '');",
    "a cookie": 'document.cookie = "draft=" + chosen.value;',
    "the document": "document.body.dataset.draft = chosen.value;",
    "another request": 'fetch("/?draft=" + chosen.value);',
    "a hidden field": "form.elements.nonce.value = form.elements.nonce.value.slice(1) + chosen.value;",
}


@pytest.fixture(autouse=True)
def _pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """One nonce and one token for everybody, so that only the answers can differ."""
    monkeypatch.setattr(rendered, "new_nonce", lambda: NONCE)
    monkeypatch.setattr(rendered, "get_token", lambda _request: CSRF_SECRET)


def _seen(request: Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": request.url,
        "headers": dict(sorted(request.all_headers().items())),
        "body": request.post_data,
    }


def _rows() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table; a response's id only counts submissions and is left out."""
    rows = {}
    with connection.cursor() as cursor:
        for table in sorted(connection.introspection.table_names(cursor)):
            columns = [column.name for column in connection.introspection.get_table_description(cursor, table)]
            if table == "surveys_response":
                columns.remove("id")
            quoted = ", ".join(connection.ops.quote_name(column) for column in columns)
            cursor.execute(f"SELECT {quoted} FROM {connection.ops.quote_name(table)} ORDER BY 1")  # noqa: S608 - names come from the database
            rows[table] = [
                tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row) for row in cursor
            ]
    return rows


def _cookies(context: BrowserContext) -> list[dict[str, Any]]:
    return sorted(
        ({key: value for key, value in cookie.items() if key != "expires"} for cookie in context.cookies()),
        key=lambda cookie: str(cookie["name"]),
    )


@pytest.fixture
def evidence(new_context: NewContext, site: str) -> Evidence:
    """Return a function: answers one survey in a new profile and returns all that could be observed, as one text."""
    survey = make_open(yes_no())

    def of(truth: str, word: int, leak: str = "") -> str:
        context = new_context()
        context.add_cookies([{"name": "csrftoken", "value": CSRF_SECRET, "url": site}])
        return _observe(context, survey, truth=truth, word=word, leak=leak)

    return of


def _observe(context: BrowserContext, survey: Survey, *, truth: str, word: int, leak: str) -> str:
    Response.objects.all().delete()
    page = context.new_page()
    requests: list[Request] = []
    console: list[str] = []

    def note(request: Request) -> None:
        requests.append(request)

    context.on("request", note)
    page.on("console", lambda message: console.append(message.text))
    fix_draws(page, word)
    if leak:
        _plant(page, leak)
    begin(page, survey)
    choose(page, truth)
    flip(page)
    states = [page.evaluate(STATE_OF_THE_PAGE)]
    go_on(page)
    states.append(page.evaluate(STATE_OF_THE_PAGE))
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Received. Thank you.").or_(page.locator("#problem:visible")).wait_for()
    page.wait_for_load_state("load")
    states.append(page.evaluate(STATE_OF_THE_PAGE))
    seen = sorted((_seen(request) for request in requests), key=json.dumps)
    everything = {
        "requests": seen, "states": states, "cookies": _cookies(context), "rows": _rows(), "console": console,
    }  # fmt: skip
    context.close()
    return json.dumps(everything, default=repr, sort_keys=True)


def _plant(page: Page, leak: str) -> None:
    """Serve a respond.js that leaks just before it drops the choice."""

    def leaky(route: Route) -> None:
        response = route.fetch()
        drop = "chosen.checked = false;\n  question"
        source = response.text()
        assert source.count(drop) == 1
        route.fulfill(response=response, body=source.replace(drop, leak + drop))

    page.route("**/respond*.js", leaky)


@pytest.mark.parametrize("word", [SENDS_NO, SENDS_YES])
def test_equal_reports_leave_no_difference_between_two_true_answers(evidence: Evidence, word: int) -> None:
    assert evidence("Yes", word) == evidence("No", word)
    assert Response.objects.get().reports == ("1" if word == SENDS_YES else "0")


def test_the_comparison_sees_reports_that_differ(evidence: Evidence) -> None:
    assert evidence("Yes", SENDS_THE_TRUTH) != evidence("No", SENDS_THE_TRUTH)


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS.keys())
def test_a_planted_leak_is_noticed(evidence: Evidence, leak: str) -> None:
    assert evidence("Yes", SENDS_NO, leak) != evidence("No", SENDS_NO, leak)


def test_a_choice_inside_the_form_is_refused_by_the_server(evidence: Evidence) -> None:
    seen = evidence("Yes", SENDS_NO, LEAKS["the choice inside the form"])
    assert "truth-1=1" in seen
    assert "Nothing was stored" in seen
    assert not Response.objects.exists()
