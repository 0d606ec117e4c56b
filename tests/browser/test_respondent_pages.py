"""Every step of a respondent, as an auditor sees it: accessibility, content security policy, requests and size."""

import gzip
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Request

from surveys.models import Survey
from tests.browser.conftest import NewContext
from tests.browser.walk import begin, choose, flip, go_on, send
from tests.factories import make_open, one_of, yes_no

AXE = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def make_long() -> Survey:
    """Five questions, every way of leaving one out, all texts."""
    questions = [
        yes_no(),
        one_of(leave_out="protected"),
        one_of(text="What kind?", parameters={"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]}),
        *(yes_no(f"Have you ever done thing number {number}?", leave_out="no") for number in range(2)),
    ]
    return make_open(
        *questions,
        title="Honest answers about exams",
        introduction="We want to know how common this is.",
        consent="You take part of your own free will.",
        support="Student counselling, room 12, https://example.org",
        server_mode_allowed=True,
    )


def steps(page: Page, survey: Survey) -> Iterator[str]:
    """Walk through every page and step, stopping at each."""
    page.goto("/")
    yield "landing"
    page.goto("/join?code=ZZZZZZ")
    yield "landing with an error"
    for rest in ("own-coin/", "server/", "receipt/"):
        page.goto(f"/s/{survey.code}/{rest}")
        yield rest
    page.get_by_text("Leave no trace").click()
    yield "how to leave no trace"
    page.goto("/s/ZZZZZZ/")
    yield "not found"
    page.goto(f"/s/{survey.code}/")
    yield "promise"
    page.get_by_role("button", name="Begin").click()
    yield "question"
    flip(page)
    yield "nothing chosen"
    for number in range(5):
        page.locator("input[type=radio]:visible").first.check()
        if number < 3:
            page.get_by_text("Why am I safe?").locator("visible=true").click()
            yield f"question {number + 1} chosen"
        flip(page)
        yield f"question {number + 1} flipped"
        go_on(page)
    yield "review"
    page.route("**/s/*/", lambda route: route.abort())
    page.get_by_role("button", name="Send").click()
    page.get_by_role("button", name="Try again").wait_for()
    yield "not sent"
    page.unroute("**/s/*/")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_url("**/receipt/")
    yield "receipt"
    page.goto(f"/s/{survey.code}/")
    yield "already answered"


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 390), ("light", 320)])
def test_axe_finds_nothing_and_nothing_overflows(new_context: NewContext, scheme: str, width: int) -> None:
    page = new_context(
        color_scheme=scheme, viewport={"width": width, "height": 844}, reduced_motion="reduce"
    ).new_page()
    found = {}
    for step in steps(page, make_long()):
        violations = [
            (violation["id"], [node["target"] for node in violation["nodes"]])
            for violation in Axe().run(page, options=AXE).response["violations"]
        ]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            violations.append(("overflow", []))
        if violations:
            found[step] = violations
    assert found == {}


def test_axe_and_the_console_would_notice(page: Page) -> None:
    """The planted faults: an image without a text, an inline script."""
    page.goto("/")
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    assert [violation["id"] for violation in Axe().run(page, options=AXE).response["violations"]] == ["image-alt"]
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.evaluate("() => { const s = document.createElement('script'); s.textContent = '1'; document.head.append(s); }")
    assert any("Content Security Policy" in text for text in said)


def test_pages_break_no_policy_and_ask_nobody_else(page: Page, site: str) -> None:
    said: list[str] = []
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", note)
    walked = list(steps(page, make_long()))
    # The unknown code, the send that the walk makes fail, and features that this Chromium was built without.
    expected = ("status of 404", "net::ERR_FAILED", "Permissions-Policy header: Unrecognized feature")
    assert [text for text in said if not any(words in text for words in expected)] == []
    assert [url for url in asked if not url.startswith(site)] == []
    assert walked[-1] == "already answered"


def test_trusted_types_are_enforced_on_respondent_pages(page: Page) -> None:
    page.goto(f"/s/{make_open(yes_no()).code}/")
    thrown = page.evaluate(
        "() => { try { document.body.innerHTML = 'x'; return ''; } catch (error) { return error.name; } }"
    )
    assert thrown == "TypeError"


def test_every_target_is_large_enough(page: Page) -> None:
    small = {}
    measure = """() => [...document.querySelectorAll("button, .choice, summary, .wordmark, nav a")]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 44).map((e) => e.outerHTML)"""
    for step in steps(page, make_long()):
        if found := page.evaluate(measure):
            small[step] = found
    assert small == {}


def test_a_phone_loads_three_small_files_after_the_page(page: Page) -> None:
    survey = make_long()
    bodies: dict[str, bytes] = {}
    page.on("response", lambda response: bodies.update({response.url: response.body()}))
    page.goto(f"/s/{survey.code}/", wait_until="networkidle")
    packed = {url: len(gzip.compress(body)) for url, body in bodies.items() if not url.endswith("favicon.svg")}
    assert len(packed) <= 1 + 3
    assert sum(packed.values()) <= 30 * 1024
    first = [size for url, size in packed.items() if url.endswith((".css", f"/s/{survey.code}/"))]
    assert len(first) == 2
    assert sum(first) <= 14 * 1024


def test_the_whole_way_works_with_the_keyboard(page: Page) -> None:
    begin(page, make_open(yes_no()))
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.get_by_label("Yes").is_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="This is all that will leave your phone").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/receipt/")


def test_the_smallest_way_is_four_taps(page: Page) -> None:
    begin(page, make_open(yes_no()))
    choose(page, "No")
    flip(page)
    go_on(page)
    send(page)
    assert page.title().startswith("Received")
