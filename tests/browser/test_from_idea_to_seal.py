"""An instructor's whole way: from a link to sign up to a sealed survey, with a class of ten in between."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from surveys.accounts.services.sign_up import invite_instructor
from surveys.common.totals import response_count
from surveys.models import State, Survey
from tests import factories
from tests.browser.audit import complaints_of
from tests.browser.conftest import NewContext
from tests.browser.walk import begin, choose, choose_each, flip, send, write
from tests.factories import PASSWORD

DESKTOP = {"width": 1280, "height": 900}
CLASS = 10
TITLE = "How we work"
# One of each of its five items, as any phone may send them.
REPORTS = "11101"


def _button(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def _link(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()


def _sign_up(page: Page) -> None:
    link = invite_instructor(email="teacher@example.org", mail=False).link
    page.goto(urlsplit(link).path)
    page.get_by_label("Username").fill("teacher")
    for password in page.locator("input[type=password]").all():
        password.fill(PASSWORD)
    _button(page, "Create account")
    expect(page.get_by_role("heading", name="Your surveys")).to_be_visible()


def _ask(page: Page, text: str, kind: str, **fields: str) -> None:
    page.get_by_label("Question", exact=True).fill(text)
    page.get_by_role("radio", name=kind, exact=True).check()
    for label, value in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).fill(value)


def _write(page: Page) -> None:
    page.goto("/surveys/")
    page.get_by_role("link", name=re.compile("New survey|Write your first survey")).first.click()
    _link(page, "Create blank survey")
    page.get_by_label("Title").fill(TITLE)
    _ask(page, "Did you hand in somebody else’s work in the last 12 months?", "Yes or no")
    _button(page, "Add a question")
    _ask(page, "How often did you work ill?", "One of several", Options="Never\nOnce\nMore often")
    _button(page, "Add a question")
    _ask(page, "What did you take to stay awake?", "Tick all that apply", Options="Coffee\nTablets")
    _button(page, "Add a question")
    _ask(
        page,
        "How many hours did you work unpaid last week?",
        "Number",
        Smallest_number="0",
        Largest_number="10",
    )


def _turn_the_dial(page: Page) -> None:
    """More truth from each phone is a larger ε, which the dial says before anything is saved."""
    dial = page.locator("[data-dial]")
    expect(dial).to_contain_text("ε 1.74")
    page.locator("[data-exact] > summary").click()
    page.get_by_role("textbox", name="How often the true answer is kept").fill("3/4")
    expect(dial).to_contain_text("ε 1.95")
    expect(page.locator("#total")).to_contain_text("in total")


def _save(page: Page) -> Survey:
    _button(page, "Save the draft")
    page.wait_for_url(re.compile(r"/surveys/[A-Z0-9]{6}/$"))
    return Survey.objects.get(title=TITLE)


def _rehearse(page: Page, survey: Survey) -> None:
    _link(page, "Rehearse")
    page.get_by_label("Simulated respondents").fill("200")
    _button(page, "Start rehearsal")
    expect(page.locator("#holding")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("200")
    _button(page, "Discard rehearsal")
    page.wait_for_url(re.compile(rf"/surveys/{survey.code}/"))
    assert Survey.objects.count() == 1


def _answer(page: Page, survey: Survey) -> None:
    begin(page, survey)
    choose(page, "Yes")
    flip(page)
    choose(page, "Once")
    flip(page)
    choose_each(page, {"Coffee": "Yes", "Tablets": "No"})
    flip(page)
    write(page, "4")
    flip(page)
    send(page)


def _present(page: Page, survey: Survey) -> None:
    """Lobby and count, by the keys of a presenter's remote; of so few nothing is revealed before the close."""
    page.goto(f"/surveys/{survey.code}/present/")
    expect(page.locator("#lobby")).to_contain_text(survey.code)
    page.keyboard.press("PageDown")
    expect(page.locator("#answering")).to_contain_text(f"At least {CLASS}")
    page.keyboard.press("PageDown")
    expect(page.locator("#reveal")).to_be_visible()


def _reveal(page: Page, survey: Survey) -> None:
    """The first figures by one press more, and every question in two steps; how it works, of the first."""
    page.goto(f"/surveys/{survey.code}/present/")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(page.locator("#reveal-1-1 form")).to_be_visible()
    for number in range(1, len(survey.questions) + 1):
        for step in ("received", "estimate"):
            page.keyboard.press("PageDown")
            expect(page.locator(f"[id^=reveal-{number}-][data-step={step}]")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("l")
    for _ in range(3):
        page.keyboard.press("PageDown")
    expect(page.locator("[id^=reveal-1-][data-step=again]")).to_be_visible()
    page.keyboard.press("l")
    expect(page.locator("[id^=reveal-1-][data-step=estimate]")).to_be_visible()


@pytest.mark.parametrize("phones", [3, pytest.param(CLASS, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_an_instructor_comes_from_an_idea_to_a_sealed_survey(new_context: NewContext, phones: int) -> None:
    page = new_context(viewport=DESKTOP, reduced_motion="reduce").new_page()
    complaints = complaints_of(page)
    _sign_up(page)
    _write(page)
    _turn_the_dial(page)
    survey = _save(page)
    assert [question.kind for question in survey.questions] == ["yes_no", "one_of", "several_of", "number_mean"]
    assert survey.questions[3].parameters["truth"] == (3, 4)

    _rehearse(page, survey)
    page.goto(f"/surveys/{survey.code}/")
    _link(page, "Open survey…")
    _button(page, "Freeze and open survey")
    expect(page.get_by_role("main")).to_contain_text("Open")

    survey.refresh_from_db()
    for student in range(CLASS):
        if student >= phones:
            factories.send(survey, REPORTS)
            continue
        context = new_context(reduced_motion="reduce")
        phone = context.new_page()
        _answer(phone, survey)
        context.close()
    assert response_count(survey) == CLASS

    _present(page, survey)
    page.goto(f"/surveys/{survey.code}/")
    _link(page, "Close survey…")
    _button(page, "Close survey")
    _reveal(page, survey)
    page.goto(f"/surveys/{survey.code}/")
    _link(page, "Seal survey…")
    page.get_by_role("textbox").fill(survey.code)
    page.get_by_role("main").get_by_role("button").first.click()
    expect(page.get_by_role("main")).to_contain_text("Sealed")
    survey.refresh_from_db()
    assert survey.state == State.SEALED
    assert response_count(survey) == CLASS
    assert complaints == []
