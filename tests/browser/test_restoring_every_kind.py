"""However a page with true answers of every kind is left and come back to, not one of its controls is filled."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Error, Page, Route

from surveys.answering.views import pages
from surveys.models import Survey
from tests.browser.answering import every_way
from tests.browser.conftest import PATIENCE_MS, NewContext
from tests.factories import crosswise, make_open, one_of, scale, several_of, yes_no

ELSEWHERE = "data:text/html,elsewhere"
# All at once, on steps that are shown and on those that are not: browsers restore hidden controls too.
FILL_IN = """() => {
  document.querySelectorAll("[role=radio]:first-child, [role=checkbox]").forEach((choice) => choice.click());
  const seen = new Set();
  for (const control of document.querySelectorAll("input:not([type=hidden])")) {
    if (control.type === "text") control.value = "7.5";
    else if (control.type === "checkbox" || !seen.has(control.name)) control.checked = true;
    seen.add(control.name);
  }
}"""
FILLED = """() => [...document.querySelectorAll("input:not([type=hidden]), [aria-checked=true]")]
    .filter((control) => (control.type === "text" ? control.value : control.checked ?? true))
    .map((control) => control.name || control.textContent)"""
LEAVE_ONE_OPEN = """() => {
  document.forms[0].noValidate = true;
  for (const radio of document.getElementsByName("answer-3")) radio.checked = false;
}"""
Leaving = Callable[[Page], Page]

pytestmark = pytest.mark.whole_chromium
# Without scripts nothing on the page can forget, so that is what `make test` tries.
SCRIPTS = pytest.mark.parametrize("scripts", [pytest.param(True, marks=pytest.mark.slow), False])


def _back(page: Page) -> Page:
    page.goto(ELSEWHERE)
    page.go_back(wait_until="commit")  # from the browser's cache there is no load event to wait for
    return page


def _reload(page: Page) -> Page:
    page.reload()
    return page


def _another_page_of_ours(page: Page) -> Page:
    page.locator("a[href$='own-coin/']").last.evaluate("(link) => link.click()")
    page.wait_for_url("**/own-coin/")
    page.go_back(wait_until="commit")
    return page


def _another_tab(page: Page) -> Page:
    again = page.context.new_page()
    again.goto(page.url)
    page.close()
    return again


WAYS: dict[str, Leaving] = {
    "Back": _back,
    "reload": _reload,
    "a link and Back": _another_page_of_ours,
    "close and open again": _another_tab,
}


@pytest.fixture
def survey(site: str) -> Survey:
    return make_open(*every_way(), server_mode_allowed=True)


def _settle(page: Page) -> None:
    # A page from the browser's cache is complete at once, without a load event; forms are restored after that event.
    # Asked from here again and again: where scripts are off, nothing inside the page can wait.
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not _complete(page):
        assert time.monotonic() < deadline, "the page never came back"
        page.wait_for_timeout(50)
    page.wait_for_timeout(200)


def _complete(page: Page) -> bool:
    try:
        return bool(page.evaluate("location.protocol === 'http:' && document.readyState === 'complete'"))
    except Error:  # between two pages there is none to ask
        return False


def _come_back(page: Page, address: str, leave: Leaving) -> list[str]:
    """Fill everything in, leave and come back; return the names of what is filled in then."""
    page.goto(address)
    page.evaluate(FILL_IN)
    assert len(page.evaluate(FILLED)) > 25
    page = leave(page)
    _settle(page)
    kept: list[str] = page.evaluate(FILLED)
    page.close()
    return kept


@pytest.mark.slow
def test_a_device_brings_no_answer_of_any_kind_back(new_context: NewContext, survey: Survey) -> None:
    context = new_context()
    kept = {name: _come_back(context.new_page(), f"/s/{survey.code}/", leave) for name, leave in WAYS.items()}
    assert kept == {name: [] for name in WAYS}


@pytest.mark.slow
def test_a_page_that_forgets_nothing_would_be_noticed(
    new_context: NewContext, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: the browser's cache, which takes what is answered 200, brings everything back as it was."""
    monkeypatch.setattr(pages, "_never_kept", lambda response: response)

    def unforgetting(route: Route) -> None:
        response = route.fetch()
        source = response.text()
        route.fulfill(response=response, body=source.replace('"pagehide"', '"never"').replace('"pageshow"', '"never"'))

    page = new_context().new_page()
    page.route("**/respond*.js", unforgetting)
    assert len(_come_back(page, f"/s/{survey.code}/", _back)) > 25


@pytest.mark.slow
@SCRIPTS
def test_the_servers_form_brings_no_answer_of_any_kind_back(
    new_context: NewContext, survey: Survey, *, scripts: bool
) -> None:
    context = new_context(java_script_enabled=scripts)
    kept = {name: _come_back(context.new_page(), f"/s/{survey.code}/server/", leave) for name, leave in WAYS.items()}
    assert kept == {name: [] for name in WAYS}


@SCRIPTS
def test_a_refused_answer_to_the_server_comes_back_empty(
    new_context: NewContext, survey: Survey, *, scripts: bool
) -> None:
    """Neither the page that says what is missing nor the one before it holds what was answered."""
    page = new_context(java_script_enabled=scripts).new_page()
    page.goto(f"/s/{survey.code}/server/")
    page.evaluate(FILL_IN)
    page.evaluate(LEAVE_ONE_OPEN)
    page.locator("[type=text]").last.fill("7316.25")
    with page.expect_navigation():
        page.locator("main form [type=submit]").click()
    assert page.locator("#summary").is_visible()
    assert page.evaluate(FILLED) == []
    assert "7316.25" not in page.content()
    page.go_back(wait_until="commit")
    _settle(page)
    assert page.evaluate(FILLED) == []


def _tap_and_come_back(context: BrowserContext, survey: Survey, leave: Leaving) -> tuple[int, int]:
    """Tap on the page of the questions, which without scripts is the form for real coins; return how much is kept."""
    page = context.new_page()
    page.goto(f"/s/{survey.code}/")
    page.evaluate(FILL_IN)
    tapped = len(page.evaluate(FILLED))
    page = leave(page)
    _settle(page)
    return tapped, len(page.evaluate(FILLED))


# test_restoring.py has it of every kind of control in `make test`.
@pytest.mark.slow
def test_what_was_tapped_without_scripts_never_comes_back(
    new_context: NewContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = make_open(yes_no(), several_of(), one_of(), scale(), crosswise())
    context = new_context(java_script_enabled=False)
    kept = {name: _tap_and_come_back(context, survey, leave) for name, leave in WAYS.items()}
    assert kept == dict.fromkeys(WAYS, (8, 0))
    # The planted fault.
    monkeypatch.setattr(pages, "_never_kept", lambda response: response)
    fresh = new_context(java_script_enabled=False)
    assert _tap_and_come_back(fresh, survey, _back) == (8, 8)


@pytest.mark.slow
def test_the_form_for_real_coins_asks_for_reports_only(new_context: NewContext, survey: Survey) -> None:
    page = new_context(java_script_enabled=False).new_page()
    for address in (f"/s/{survey.code}/", f"/s/{survey.code}/own-coin/"):
        page.goto(address)
        names = page.evaluate(
            "() => [...document.querySelectorAll('form input:not([type=hidden])')].map((i) => i.name)"
        )
        assert {name.rpartition("-")[0] for name in names} == {"item", "leave"}
        assert page.locator("form").locator("[type=text]").count() == 0
