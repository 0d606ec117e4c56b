"""What Chromium writes down: its files hold no true answer, and a restored session brings none back."""

import contextlib
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Error, Page, Playwright

from surveys.course.services import close_survey
from surveys.models import Survey
from tests.browser.conftest import PATIENCE_MS, Launching
from tests.browser.profiles import BY_DEVICE, BY_SERVER, NUMBERS, PLANTED, SHOWN, holds, survey_of_truths, written
from tests.factories import make_open, number_mean, send, several_of, yes_no
from tests.programs import CHROMIUM_ARGUMENTS

# What any other form does: it says nothing of autofill and forgets nothing.
PLAIN_FORM = "data:text/html,<title>plain</title><form><input name=typed><input name=chosen type=checkbox></form>"
# How Chromium begins what it keeps of fields, for those that no form owns.
UNOWNED = "No owner"
PLAIN_FIELDS = "data:text/html,<title>fields</title><input name=typed><input name=chosen type=checkbox>"
# It writes down what is in its forms every second.
WRITTEN_MS = 1_500
# The last answer of every question, of the practice and of its checks, on every step, shown or not.
CHOOSE = """() => {
  for (const group of document.querySelectorAll("[role=radiogroup], fieldset:not(:has(fieldset))")) {
    [...group.querySelectorAll("[role=radio], [type=radio]:not([value='-'])")].at(-1)?.click();
  }
  document.querySelectorAll("[role=checkbox], [type=checkbox]").forEach((box) => box.click());
}"""
Launch = Callable[..., BrowserContext]
FILLED = """() => [...document.querySelectorAll("input:not([type=hidden]), [aria-checked=true]")]
    .filter((field) => (field.type === "text" ? field.value : field.checked ?? true)).length"""


@pytest.fixture
def launch(playwright: Playwright, launching: Launching, tmp_path: Path) -> Launch:
    """Return a function that starts a browser with one lasting profile, as people have, again and again."""

    def start(*arguments: str, scripts: bool = True) -> BrowserContext:
        context = playwright.chromium.launch_persistent_context(
            tmp_path, **launching | {"args": [*CHROMIUM_ARGUMENTS, *arguments]}, java_script_enabled=scripts
        )
        context.set_default_timeout(PATIENCE_MS)
        return context

    return start


def _restore(directory: Path) -> None:
    """Let the next start bring everything back, as it does for people who press Restore after a crash."""
    preferences = directory / "Default" / "Preferences"
    kept = json.loads(preferences.read_text()) if preferences.exists() else {}
    kept.setdefault("profile", {})["exit_type"] = "Normal"
    preferences.write_text(json.dumps(kept))


def _written(directory: Path, text: str) -> list[str]:
    """Return the browser's files that hold this text."""
    return [name for name, data in written(directory) if holds(data, text)]


def _kill(directory: Path) -> None:
    """End the browser of this profile as an empty battery does."""
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with contextlib.suppress(OSError):
                arguments = (process / "cmdline").read_bytes().split(b"\0")
                if f"--user-data-dir={directory}".encode() in arguments:
                    os.kill(int(process.name), signal.SIGKILL)


@pytest.fixture
def survey(site: str) -> Survey:
    return survey_of_truths()


def _fill_in(page: Page, address: str, number: str) -> None:
    """Answer everything on the page as far as a question goes before it is sent."""
    page.goto(address)
    if page.locator("#begin").is_visible():
        page.locator("#begin").click()
    page.evaluate(CHOOSE)
    page.locator("input[type=text]:visible").first.fill(number)
    assert page.evaluate(FILLED) > 8


def _flip(page: Page) -> None:
    while not page.locator("#review").is_visible():
        page.evaluate(CHOOSE)
        page.locator(f"{SHOWN}.act .button:not([hidden])").click()


def _plant(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("[name=typed]").fill(PLANTED)
    page.locator("[name=chosen]").check()


def _marks(directory: Path) -> dict[str, list[str]]:
    """Return the files that hold a number that was typed, the name of a field, or the fields that no form owns."""
    marks = {needle: _written(directory, needle) for needle in (BY_SERVER, BY_DEVICE, "answer-1", UNOWNED)}
    return {needle: files for needle, files in marks.items() if files}


# Without scripts there is one page less; `make test-all` tries that too.
@pytest.mark.slow
@pytest.mark.parametrize("scripts", [True, False])
def test_a_profile_holds_no_true_answer_and_a_restored_session_none_either(
    launch: Launch, site: str, survey: Survey, tmp_path: Path, *, scripts: bool
) -> None:
    by_device, by_server = f"{site}/s/{survey.code}/", f"{site}/s/{survey.code}/server/"
    context = launch(scripts=scripts)
    _fill_in(context.new_page(), by_server, BY_SERVER)
    if scripts:
        _fill_in(flipped := context.new_page(), by_device, BY_DEVICE)
        _flip(flipped)
        _fill_in(closed := context.new_page(), by_device, BY_DEVICE)
        _fill_in(context.new_page(), by_device, BY_DEVICE)
        closed.wait_for_timeout(WRITTEN_MS)
        closed.close()
    _plant(page := context.pages[0], PLAIN_FORM)
    while not _written(tmp_path, PLANTED):
        page.wait_for_timeout(100)
    marks = {"while it is open": _marks(tmp_path)}
    _kill(tmp_path)
    with contextlib.suppress(Error):
        context.close()
    marks["after kill -9"] = _marks(tmp_path)
    _restore(tmp_path)

    context = launch("--restore-last-session", scripts=scripts)
    context.pages[-1].wait_for_timeout(1_000)
    filled = {page.url: page.evaluate(FILLED) for page in context.pages if page.url != "about:blank"}
    _fill_in(context.new_page(), by_server, BY_SERVER)
    context.pages[-1].wait_for_timeout(WRITTEN_MS)
    context.close()
    marks["after it was closed"] = _marks(tmp_path)
    assert filled.pop(PLAIN_FORM) > 0
    assert filled == dict.fromkeys([by_server, *([by_device] if scripts else [])], 0)
    assert not any(marks.values()), marks


@pytest.mark.slow
@pytest.mark.parametrize("planted", [False, True])
def test_a_profile_holds_nothing_of_a_credit_receipt(
    launch: Launch, site: str, tmp_path: Path, *, planted: bool
) -> None:
    """The planted fault puts it into the address, as a link to it would."""
    survey = make_open(yes_no(), credit=True)
    context = launch()
    page = context.new_page()
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{site}/s/{survey.code}/")
    page.locator("#begin").click()
    _flip(page)
    page.wait_for_timeout(WRITTEN_MS)
    blinded = page.locator("[name=blinded]").input_value()
    found = {"on the review": _written(tmp_path, blinded[44:84])}
    page.locator("#sending [type=submit]").click()
    receipt = page.locator("#credit-code")
    receipt.wait_for()
    parts = [receipt.inner_text()[start : start + 40] for start in (0, 44, 88, 380)]
    page.locator("[data-copies]").first.click()
    page.locator("#credit-show").click()
    if planted:
        page.evaluate("location.hash = document.getElementById('credit-code').textContent")
    page.wait_for_timeout(WRITTEN_MS)
    found["shown"] = [name for part in parts for name in _written(tmp_path, part)]
    page.goto(f"{site}/")
    page.wait_for_timeout(WRITTEN_MS)
    context.close()
    found["left"] = [name for part in [*parts, blinded[44:84]] for name in _written(tmp_path, part)]
    assert any(found.values()) == planted, found


@pytest.mark.slow
def test_fields_that_no_form_owns_would_be_noticed(launch: Launch, tmp_path: Path) -> None:
    """The planted fault, of which only the number has to be remarkable."""
    context = launch()
    _plant(page := context.pages[0], PLAIN_FIELDS)
    page.wait_for_timeout(WRITTEN_MS)
    context.close()
    assert _written(tmp_path, UNOWNED) == _written(tmp_path, PLANTED) != []


def _unfinished(page: Page, _survey: Survey) -> None:
    page.evaluate("document.forms[0].noValidate = true; document.getElementsByName('answer-2')[0].form.reset()")
    page.locator("input[type=text]:visible").first.fill(BY_SERVER)


def _too_large(page: Page, _survey: Survey) -> None:
    page.evaluate("document.getElementsByName('nonce')[0].value = '1'.repeat(300_000)")


def _a_field_of_no_page(page: Page, _survey: Survey) -> None:
    page.evaluate("document.getElementsByName('nonce')[0].name = 'other'")


def _closed(_page: Page, survey: Survey) -> None:
    close_survey(survey=survey)


def _full(_page: Page, survey: Survey) -> None:
    survey.response_cap = 1
    survey.save()
    send(survey, "0" * 5)


def _answered_before(page: Page, survey: Survey) -> None:
    cookie = {"name": "deniable_done", "value": "1", "domain": "localhost", "path": f"/s/{survey.code}/"}
    page.context.add_cookies([cookie])


OUTCOMES = (_unfinished, _too_large, _a_field_of_no_page, _closed, _full, _answered_before)


@pytest.mark.slow
def test_no_outcome_of_the_servers_form_leaves_it_in_a_profile(launch: Launch, site: str, tmp_path: Path) -> None:
    context = launch()
    for happens in OUTCOMES:
        questions = (number_mean(details=NUMBERS, leave_out="no"), yes_no(), several_of())
        survey = make_open(*questions, server_mode_allowed=True)
        page = context.new_page()
        page.goto(f"{site}/s/{survey.code}/server/")
        page.evaluate(CHOOSE)
        page.locator("input[type=text]:visible").first.fill(BY_SERVER)
        happens(page, survey)
        with page.expect_navigation():
            page.locator("main form [type=submit]").click()
        assert "receipt" not in page.url
    _post_elsewhere(page := context.new_page(), site)
    page.wait_for_timeout(WRITTEN_MS)
    context.close()
    assert _written(tmp_path, PLANTED) != []
    assert _marks(tmp_path) == {}


def _post_elsewhere(page: Page, site: str) -> None:
    """The planted fault: a form that is answered with a page."""
    page.goto(f"data:text/html,<form method=post action={site}/check/><input name=typed autocomplete=off>")
    page.locator("input").fill(PLANTED)
    with page.expect_navigation():
        page.locator("input").press("Enter")
    assert page.url.endswith("/check/")
