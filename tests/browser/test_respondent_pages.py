"""How many taps a respondent needs, from the promise to the receipt."""

from playwright.sync_api import Page

from tests.browser.walk import begin, choose, flip, send
from tests.factories import make_open, yes_no


def note_taps(page: Page) -> list[str]:
    """Return the list that the words on what is tapped are added to."""
    taps: list[str] = []

    def note(text: str) -> None:
        taps.append(text)

    page.expose_function("tapped", note)
    page.add_init_script("addEventListener('click', (event) => tapped(event.target.textContent.trim()), true)")
    return taps


def test_the_smallest_way_is_four_taps_and_each_further_question_is_two(page: Page) -> None:
    taps = note_taps(page)
    begin(page, make_open(yes_no()))
    choose(page, "No")
    flip(page)
    send(page)
    assert page.title().startswith("Received")
    assert [tap.partition(" ")[0] for tap in taps] == ["Start", "No", "Flip", "Send"]
    taps.clear()
    begin(page, make_open(*(yes_no(f"Number {number}?") for number in range(3))))
    for _ in range(3):
        choose(page, "No")
        flip(page)
    send(page)
    assert len(taps) == 4 + 2 * 2
