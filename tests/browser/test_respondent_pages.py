"""A respondent's page as a whole: its policy, its size, its keys and taps."""

import gzip

from playwright.sync_api import Page

from surveys.models import Survey
from tests.browser.walk import begin, choice, choose, flip, send
from tests.factories import make_open, one_of, yes_no


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


def test_trusted_types_are_enforced_on_respondent_pages(page: Page) -> None:
    page.goto(f"/s/{make_open(yes_no()).code}/")
    thrown = page.evaluate(
        "() => { try { document.body.innerHTML = 'x'; return ''; } catch (error) { return error.name; } }"
    )
    assert thrown == "TypeError"


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
    assert choice(page, "Yes").is_checked()
    for _ in range(3):  # past skipping and why one is safe
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="It will send").wait_for()
    for _ in range(3):  # past leaving without sending and what is sent letter for letter
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/receipt/")


def note_taps(page: Page) -> list[str]:
    """Return the list that the words on what is tapped are added to."""
    taps: list[str] = []

    def note(text: str) -> None:
        taps.append(text)

    page.expose_function("tapped", note)
    page.add_init_script("addEventListener('click', (event) => tapped(event.target.textContent.trim()), true)")
    return taps


def test_the_smallest_way_is_four_taps(page: Page) -> None:
    taps = note_taps(page)
    begin(page, make_open(yes_no()))
    choose(page, "No")
    flip(page)
    send(page)
    assert page.title().startswith("Received")
    assert [tap.partition(" ")[0] for tap in taps] == ["Begin", "No", "Flip", "Send"]


def test_each_further_question_is_two_taps(page: Page) -> None:
    taps = note_taps(page)
    begin(page, make_open(*(yes_no(f"Number {number}?") for number in range(3))))
    for _ in range(3):
        choose(page, "No")
        flip(page)
    send(page)
    assert len(taps) == 4 + 2 * 2
