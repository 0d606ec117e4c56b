"""A real server that a real browser has answered, in every mode, keeps no trace of the person or of a true answer."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.answering import FIRST
from tests.browser.conftest import PATIENCE_MS, Standing
from tests.browser.standing import TRUE_NUMBER
from tests.browser.walk import fix_draws

AGENT, ADDRESS = "CanaryAgent-4c19d7", "198.51.100.213"
REFERRER, QUERY, COOKIE = "http://127.0.0.1/canary-referrer-a0e6", "canary-query-37bf", "canary-cookie-91ce"
CANARIES = [AGENT, ADDRESS, REFERRER, QUERY, COOKIE]
# The last option of twenty, eight times; with these draws the device reports the first one each time.
TRUE_CODES = "jjjjjjjj"

# On a page with steps the step that is shown, else the whole form: the last of everything.
CHOOSE_THE_LAST = """([number]) => {
  const step = document.querySelector("[data-step]:not([hidden])") ?? document;
  const radios = [...step.querySelectorAll("input[type=radio], [role=radio]")];
  const asks = (radio) => radio.name || radio.closest("[role=radiogroup]");
  for (const asked of new Set(radios.map(asks))) {
    const group = radios.filter((radio) => asks(radio) === asked && radio.value !== "-");
    group.reduce((a, b) => (parseInt(a.value, 36) > parseInt(b.value, 36) ? a : b)).click();
  }
  for (const field of step.querySelectorAll("input[type=text]")) {
    field.value = field.closest("section, fieldset").textContent.includes("10000") ? number : "7.5";
  }
}"""
NewProfile = Callable[..., BrowserContext]


@pytest.fixture
def profile(browser: Browser, standing: Standing) -> Iterator[NewProfile]:
    """Makes profiles of somebody who can be told by everything that a browser sends along."""
    contexts = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(
            base_url=standing.server.address,
            user_agent=AGENT,
            extra_http_headers={"X-Forwarded-For": ADDRESS},
            **options,
        )
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([{"name": "canary", "value": COOKIE, "url": standing.server.address}])
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


def _by_device(page: Page, door: str) -> None:
    fix_draws(page, FIRST)
    page.goto(f"{door}?q={QUERY}", referer=REFERRER)
    page.locator("#begin").click()
    while not page.locator("#review").is_visible():
        page.evaluate(CHOOSE_THE_LAST, [TRUE_NUMBER])
        page.evaluate("document.querySelector('[data-step]:not([hidden]) .act .button:not([hidden])').click()")
    page.locator("#sending [type=submit]").click()
    page.wait_for_url("**/receipt/")


def _by_form(page: Page, address: str) -> None:
    page.goto(f"{address}?q={QUERY}", referer=REFERRER)
    page.evaluate(CHOOSE_THE_LAST, [TRUE_NUMBER])
    page.locator("form [type=submit]:visible").click()
    page.wait_for_url("**/receipt/")


def _traces(standing: Standing, needles: list[str]) -> set[str]:
    """Return what is found in any file of the data directory or in what the server said."""
    files = [path for path in standing.directory.rglob("*") if path.is_file() and "static" not in path.parts]
    names = {path.name for path in files}
    assert {"deniable.sqlite3", "deniable.sqlite3-wal"} <= names
    kept = [path.read_bytes() for path in [*files, standing.server.log]]
    return {needle for needle in needles for data in kept if needle.encode() in data}


def _rows(standing: Standing, question: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(standing.directory / "deniable.sqlite3")) as database:
        return database.execute(question).fetchall()


@pytest.mark.slow
def test_answers_of_every_kind_and_mode_leave_no_trace_on_a_server_and_a_planted_one_is_noticed(
    standing: Standing, profile: NewProfile
) -> None:
    labels = _rows(standing, "SELECT document FROM surveys_survey ORDER BY id")
    _by_device(profile().new_page(), "/s/TRACES/")
    _by_device(profile().new_page(), "/s/TRUTHS/")
    count = "SELECT mode, LENGTH(reports), REPLACE(reports, '0', '') FROM surveys_response r JOIN surveys_survey s"
    count += " ON s.id = r.survey_id WHERE s.code != 'AUDTED' ORDER BY s.code, r.mode"
    # All that is stored of Yes, the last option and 7316.25 is “0”; what was tapped is a report: three times a fact in
    # the head was the chance, and once there was none.
    assert _rows(standing, count) == [("device", 29, "1112"), ("device", 9, "")]
    needles = [*CANARIES, TRUE_NUMBER, *standing.tokens]
    assert _traces(standing, [*needles, TRUE_CODES]) == set()

    _by_form(profile(java_script_enabled=False).new_page(), "/s/TRACES/own-coin/")
    _by_form(profile().new_page(), "/s/TRUTHS/server/")
    _by_device(profile().new_page(), f"/s/NVTED/north/i/{standing.tokens[0]}/")
    _by_form(profile(java_script_enabled=False).new_page(), f"/s/NVTED/i/{standing.tokens[1].lower()}/server/")
    assert [mode for mode, _, _ in _rows(standing, count)] == [
        "device",
        "server",
        "device",
        "own_coin",
        "device",
        "server",
    ]
    assert _rows(standing, "SELECT * FROM surveys_signin") == []
    # The options are where they belong, in the questions, and nowhere else.
    assert _rows(standing, "SELECT document FROM surveys_survey ORDER BY id") == labels
    assert _traces(standing, [*needles, *(token.lower() for token in standing.tokens)]) == set()
    assert standing.server.log.read_text() == ""

    _plant(standing.directory / "deniable.sqlite3", standing.server.log)
    assert _traces(standing, needles) == {TRUE_NUMBER, ADDRESS}


def _plant(database: Path, log: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE planted AS SELECT ? AS leak", [TRUE_NUMBER])
        connection.commit()
    with log.open("a") as lines:
        lines.write(ADDRESS)
