"""How a respondent walks through the pages, for the tests that drive a browser."""

from playwright.sync_api import Locator, Page

from surveys.answering.words.scripts import browser_words
from surveys.models import Survey

# The numbers drawn below 4 by these words mean, under fair coins: send No, send Yes, pass the true answer on.
SENDS_NO, SENDS_YES, SENDS_THE_TRUTH = 0, 3, 1

# Chosen on a step, or in a plain form.
CHOSEN = "[aria-checked=true], input:checked"

# Bytes, of which credit is made, are the same ones each time: no number of one byte repeated is sure to be taken.
_FIXED_DRAWS = """crypto.getRandomValues = (drawn) => drawn.BYTES_PER_ELEMENT === 1
  ? drawn.map((_, place) => (drawn[place] = (place % 99) + 1)) : drawn.fill({word});"""


def words(name: str, count: int | None = None, **values: object) -> str:
    """Return what the scripts write under this name of their words, in English."""
    text = browser_words()[name]
    if isinstance(text, dict):
        text = text["one" if count == 1 else "other"]
    return text % ({"count": count} | values)


def fix_draws(page: Page, word: int) -> None:
    """Let every draw of this page come from one word."""
    page.add_init_script(_FIXED_DRAWS.format(word=word))


def begin(page: Page, survey: Survey) -> None:
    """Read the promise, stand before the first question."""
    page.goto(f"/s/{survey.code}/")
    page.get_by_role("button", name="Start survey").click()


def seen(page: Page, text: str) -> Locator:
    """The button with this name on the step that is shown."""
    return page.get_by_role("button", name=text, exact=True).locator("visible=true")


def to_taps(page: Page) -> None:
    """Go through the steps that lead to a question whose chance is in the head."""
    while page.locator("[data-lead]:visible").count():
        page.locator("[data-next]:visible").click()


def choose(page: Page, label: str) -> None:
    to_taps(page)
    choice(page, label).check()


def choice(page: Page, label: str) -> Locator:
    """The answer with this name on the step that is shown, one of several or a box."""
    choices = page.get_by_role("radio", name=label, exact=True).or_(
        page.get_by_role("checkbox", name=label, exact=True)
    )
    return choices.locator("visible=true")


def choose_each(page: Page, labels: dict[str, str]) -> None:
    """Choose for each of several options."""
    for option, label in labels.items():
        page.get_by_role("radiogroup", name=option, exact=True).get_by_role("radio", name=label, exact=True).check()


def write(page: Page, number: str) -> None:
    """Write a number where one is asked for."""
    page.locator("[data-limits]:visible").fill(number)


def flip(page: Page) -> None:
    """Flip, which leads on: what is sent stands above the next question, or on the review of a single one."""
    seen(page, "Flip the coins").click()


def take(page: Page) -> None:
    """Take what was tapped where all chance is in the head."""
    seen(page, "Use this answer").click()


def go_on(page: Page) -> None:
    """Leave the practice, or a question that was answered before."""
    page.locator("[data-next]:visible").click()


def answer(page: Page, label: str) -> None:
    """Choose and flip."""
    choose(page, label)
    flip(page)


def leave_out(page: Page) -> None:
    seen(page, "Skip question").click()


def press_send(page: Page) -> None:
    """Press the button, whatever it says that it sends."""
    page.locator("#sending [type=submit]").click()


def send(page: Page) -> None:
    press_send(page)
    page.wait_for_url("**/receipt/")
