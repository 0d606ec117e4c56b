"""The whole way with Tab, arrows, Enter and Space alone, for every kind of question."""

import pytest
from playwright.sync_api import Page

from surveys.models import Response
from surveys.questionnaire.question import Question
from tests.browser.walk import begin, words
from tests.factories import PROTECTED, crosswise, every_kind, make_open, number_mean, scale, several_of, yes_no

FOCUSED = """() => {
  const element = document.activeElement;
  return (element.labels?.[0] ?? element).textContent.replace(/\\s+/g, " ").trim() || element.name;
}"""


_VALUES = "(choices) => choices.map((each) => each.value)"


def tab_to(page: Page, text: str) -> None:
    """Press Tab until the control with this text has the focus."""
    passed = []
    for _ in range(40):
        page.keyboard.press("Tab")
        passed.append(page.evaluate(FOCUSED))
        if passed[-1] == text:
            return
    pytest.fail(f"Tab did not lead to {text!r}, but through {passed}")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def answer_by_keys(page: Page) -> None:
    """Answer the question that is shown; its heading has the focus."""
    while page.locator("[data-lead]:visible").count():
        tab_to(page, page.locator("[data-next]:visible").inner_text())
        press(page, "Enter")
    if options := page.locator("[role=radiogroup][data-option]:visible").count():
        for _ in range(options):
            press(page, "Tab", "Space")
    elif page.locator("[data-limits]:visible").count():
        press(page, "Tab")
        page.keyboard.type("7,5")
        press(page, "Enter")  # leads to the button and does not press it
        assert page.locator("[data-flip]:focus").is_visible()
    else:
        press(page, "Tab", "ArrowDown", "ArrowUp")
    text = page.locator("[data-flip]:visible").inner_text()
    if page.evaluate(FOCUSED) != text:
        tab_to(page, text)
    press(page, "Enter")


def test_the_whole_way_for_every_kind(page: Page) -> None:
    survey = make_open(*every_kind())
    page.goto(f"/s/{survey.code}/")
    tab_to(page, "Practise first")
    press(page, "Enter")
    page.get_by_role("heading", name="Have you drunk").wait_for()
    answer_by_keys(page)
    press(page, "Enter")  # the focus is on the button that goes on
    page.locator("#checks h1").wait_for()
    press(page, "Tab", "Tab") if page.evaluate(FOCUSED) == "Back" else press(page, "Tab")
    press(page, "Space")
    tab_to(page, "Yes")
    press(page, "ArrowDown")
    assert page.locator("#checks").get_by_role("status").locator("visible=true").count() == 2
    tab_to(page, page.locator("#checks [data-next]").inner_text())
    press(page, "Enter")
    for question in every_kind():
        # Of an unrelated question the deciding fact comes first.
        if question.design != "unrelated_question":
            page.get_by_role("heading", name=question.text, exact=True).wait_for()
        answer_by_keys(page)
    page.locator("#review").wait_for()
    tab_to(page, words("sendAnswers", 18))
    press(page, "Enter")
    page.wait_for_url("**/receipt/")
    assert len(Response.objects.get().reports) == 24


@pytest.mark.parametrize(
    ("question", "reports"),
    [(yes_no(), "-"), (several_of(), "---"), (number_mean(), "-"), (crosswise(), "-")],
    ids=["yes or no", "several of", "a number", "crosswise"],
)
def test_a_question_is_left_out_by_keys(page: Page, question: Question, reports: str) -> None:
    begin(page, make_open(question))
    tab_to(page, "Skip question")
    press(page, "Enter")
    tab_to(page, "Send response")
    press(page, "Enter")
    page.wait_for_url("**/receipt/")
    assert Response.objects.get().reports == reports


def test_arrows_walk_along_a_scale(page: Page) -> None:
    begin(page, make_open(scale(points=11, **PROTECTED)))
    press(page, "Tab", "Space")
    for expected in ("2", "3"):
        press(page, "ArrowRight")
        assert page.locator("[aria-checked=true]").get_attribute("aria-label") == expected
    press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft")
    assert page.locator("[aria-checked=true]").get_attribute("value") == "11"


def test_not_saying_a_number_and_asking_why_work_by_keys(page: Page) -> None:
    begin(page, make_open(number_mean(**PROTECTED)))
    tab_to(page, "Prefer not to say")
    press(page, "Space")
    tab_to(page, "Why am I safe?")
    press(page, "Enter")
    assert page.locator("details[open]:visible").count() == 1


def test_tab_stops_once_at_a_group_at_what_is_chosen_or_first(page: Page) -> None:
    begin(page, make_open(scale(points=5)))
    stops = page.locator("[role=radio]:visible:not([tabindex='-1'])")
    assert stops.evaluate_all(_VALUES) == ["0"]
    press(page, "Tab", "ArrowRight", "ArrowRight", "Tab", "Shift+Tab")
    assert stops.evaluate_all(_VALUES) == ["2"]
    assert page.locator("[aria-checked=true]:focus").get_attribute("value") == "2"


def test_where_text_runs_from_right_to_left_the_arrows_do_too(page: Page) -> None:
    page.goto(f"/s/{make_open(scale(points=5), language='he').code}/")
    page.locator("#begin").click()
    press(page, "Tab", "ArrowLeft")
    assert page.locator("[aria-checked=true]").get_attribute("value") == "1"
    press(page, "ArrowRight", "ArrowRight")
    assert page.locator("[aria-checked=true]").get_attribute("value") == "4"
    press(page, "ArrowDown")
    assert page.locator("[aria-checked=true]").get_attribute("value") == "0"


def test_a_number_key_chooses_the_answer_at_that_place_of_the_question_that_has_the_focus(page: Page) -> None:
    survey = make_open(scale(), several_of())
    begin(page, survey)
    chosen = page.locator("[aria-checked=true]")
    press(page, "4", "9", "Control+2")
    assert chosen.evaluate_all(_VALUES) == ["3"]
    answer_by_keys(page)
    page.get_by_role("heading", name=several_of().text, exact=True).wait_for()
    press(page, "1")
    assert page.locator("[data-step]:visible [aria-checked=true]").count() == 0
