"""What the browser itself writes down: its files hold no true answer, and a restored session brings none back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from surveys.models import Survey
from tests.factories import PROTECTED, make_open, number_mean, one_of, yes_no
from tests.programs import CHROMIUM, CHROMIUM_ARGUMENTS

# Nobody writes these by chance.
BY_DEVICE, BY_SERVER, PLANTED = "7316.25", "8216.25", "9116.25"
NUMBERS = {"low": [0, 1], "high": [10000, 1], "step": [1, 4], "unit": ""}
# What any other form does: it says nothing of autofill and forgets nothing.
PLAIN_FORM = "data:text/html,<title>plain</title><form><input name=typed><input name=chosen type=checkbox></form>"
Launch = Callable[..., BrowserContext]
FILLED = """() => [...document.querySelectorAll("input:not([type=hidden]), [aria-checked=true]")]
    .filter((field) => (field.type === "text" ? field.value : field.checked ?? true)).length"""


@pytest.fixture
def launch(browser: Browser, tmp_path: Path) -> Launch:
    """Return a function that starts a browser with one lasting profile, as people have, again and again."""

    def start(*arguments: str, scripts: bool) -> BrowserContext:
        return browser.browser_type.launch_persistent_context(
            tmp_path,
            executable_path=CHROMIUM.find(),
            args=[*CHROMIUM_ARGUMENTS, *arguments],
            ignore_default_args=["--disable-back-forward-cache"],
            java_script_enabled=scripts,
        )

    return start


def _written(directory: Path, text: str) -> list[str]:
    """Return the browser's files that hold this text, in either of the ways in which browsers write texts."""
    needles = [text.encode(), text.encode("utf-16-le")]
    files = [path for path in directory.rglob("*") if path.is_file()]
    return [path.name for path in files if any(needle in path.read_bytes() for needle in needles)]


def _choose(page: Page, number: str) -> None:
    """Answer everything on the page as far as a question goes before it is sent."""
    for group in page.locator("[role=radiogroup]:visible").all():
        group.locator("[role=radio]").first.check()
    for name in page.locator("input[type=radio]:visible").evaluate_all("(all) => all.map((radio) => radio.name)"):
        page.locator(f"[name={name}]:visible").first.check()
    page.locator("input[type=text]:visible").first.fill(number)


def _to_the_number(page: Page, site: str, survey: Survey) -> None:
    page.goto(f"{site}/s/{survey.code}/")
    page.get_by_role("button", name="Begin").click()
    page.locator("[data-skip]:visible").click()
    _choose(page, BY_DEVICE)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_profile_holds_no_true_answer_and_a_restored_session_none_either(
    launch: Launch, site: str, tmp_path: Path, *, scripts: bool
) -> None:
    survey = make_open(
        number_mean(details=NUMBERS, **PROTECTED), yes_no(), one_of(leave_out="visibly"), server_mode_allowed=True
    )
    context = launch(scripts=scripts)
    plain, by_server = context.pages[0], context.new_page()
    plain.goto(PLAIN_FORM)
    plain.locator("[name=typed]").fill(PLANTED)
    plain.locator("[name=chosen]").check()
    by_server.goto(f"{site}/s/{survey.code}/server/")
    _choose(by_server, BY_SERVER)
    if scripts:
        _to_the_number(context.new_page(), site, survey)
    by_server.wait_for_timeout(1_500)  # the browser writes down what is in its forms every second
    context.close()
    assert _written(tmp_path, PLANTED) != []
    assert _written(tmp_path, BY_SERVER) == _written(tmp_path, BY_DEVICE) == []

    context = launch("--restore-last-session", scripts=scripts)
    context.pages[-1].wait_for_timeout(1_000)
    filled = {page.url: page.evaluate(FILLED) for page in context.pages if page.url != "about:blank"}
    context.close()
    doors = [f"{site}/s/{survey.code}/server/", *([f"{site}/s/{survey.code}/"] if scripts else [])]
    assert filled.pop(PLAIN_FORM) > 0
    assert filled == dict.fromkeys(doors, 0)
