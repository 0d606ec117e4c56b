"""How a respondent walks through the pages, for the tests that drive a browser."""

from playwright.sync_api import Page

from surveys.models import Survey

# The numbers drawn below 4 by these words mean, under fair coins: send No, send Yes, pass the true answer on.
SENDS_NO, SENDS_YES, SENDS_THE_TRUTH = 0, 3, 1

_FIXED_DRAWS = """crypto.getRandomValues = (words) => words.fill({word});"""


def fix_draws(page: Page, word: int) -> None:
    """Let every draw of this page come from one word."""
    page.add_init_script(_FIXED_DRAWS.format(word=word))


def begin(page: Page, survey: Survey) -> None:
    page.goto(f"/s/{survey.code}/")
    page.get_by_role("button", name="Begin").click()


def choose(page: Page, label: str) -> None:
    page.get_by_label(label, exact=True).locator("visible=true").check()


def flip(page: Page) -> None:
    page.get_by_role("button", name="Flip the coins").click()


def go_on(page: Page) -> None:
    page.locator("[data-next]:visible").click()


def answer(page: Page, label: str) -> None:
    """Choose, flip, go on."""
    choose(page, label)
    flip(page)
    go_on(page)


def send(page: Page) -> None:
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**/receipt/")
