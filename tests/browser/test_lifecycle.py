"""A survey from its draft to its purge in a real browser: readable for everybody, and nothing is lost by one click."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from surveys.course.services import archive_survey, begin_next_version, close_survey, purge_survey
from surveys.models import State, Survey
from tests.browser.audit import Looks, Setting, complaints_of
from tests.browser.conftest import SignedIn
from tests.factories import fill, make_draft, make_open, one_of, yes_no

SETTINGS = (Setting(390), Setting(320), Setting(390, dark=True), Setting(1280, forced=True))


@pytest.fixture
def page(signed_in: SignedIn) -> Page:
    return signed_in().new_page()


def _surveys(owner: User) -> dict[str, Survey]:
    def answered(**fields: Any) -> Survey:
        survey = make_open(yes_no(), one_of(), owner=owner, **fields)
        fill(survey, {"10": 20, "01": 15})
        return survey

    closed = close_survey(survey=answered(title="Averylongtitlewithoutanyspaces" * 5))
    begin_next_version(survey=closed)
    archive_survey(survey=make_draft(owner=owner))
    return {
        "draft": make_draft(owner=owner, response_cap=3),
        "open": answered(opens_at=timezone.now(), closes_at=timezone.now() + timedelta(days=1), time_zone="Asia/Tokyo"),
        "closed": closed,
        "purged": purge_survey(survey=close_survey(survey=answered())),
    }


PAGES = {
    "draft": ("detail", "open", "delete"),
    "open": ("detail", "schedule"),
    "closed": ("detail", "seal", "purge"),
    "purged": ("detail",),
}


# In one direction, tests/browser/test_every_page.py audits them in `make test` too.
@pytest.mark.slow
def test_axe_finds_nothing_on_the_pages_of_a_surveys_course(page: Page, teacher: User, every_look: Looks) -> None:
    surveys = _surveys(teacher)
    addresses = [
        reverse(f"survey-{name}", args=[surveys[state].code]) for state, some in PAGES.items() for name in some
    ]
    complaints = complaints_of(page)
    wrong = {}
    for address in [reverse("survey-list"), f"{reverse('survey-list')}?archived", *addresses]:
        page.goto(address)
        for details in page.locator("details").all():
            details.evaluate("element => { element.open = true; }")
        wrong[address] = every_look.faults_both_ways(page, SETTINGS)
    assert {where: problems for where, problems in wrong.items() if problems} == {}
    # A form that was refused is no fault of the page.
    assert [text for text in complaints if "422" not in text] == []


def test_a_survey_goes_its_way_from_open_to_purged_by_keyboard_and_pointer(page: Page, teacher: User) -> None:
    survey = make_draft(owner=teacher, title="Exams")
    complaints = complaints_of(page)
    page.goto(reverse("survey-list"))
    page.get_by_role("link", name="Exams", exact=True).click()
    page.get_by_role("link", name="Open survey…").click()
    page.get_by_role("button", name="Freeze and open survey").click()
    expect(page.get_by_role("status").first).to_contain_text("is open")
    fill(survey, {"1": 12})
    page.locator("#more > summary").click()
    page.get_by_text("Times and limits").click()
    page.locator(f"a[href='{reverse('survey-schedule', args=[survey.code])}']").click()
    page.get_by_label("Maximum responses").fill("5")
    page.keyboard.press("Enter")
    page.locator("#problems").get_by_role("link", name="12 responses").click()
    expect(page.get_by_label("Maximum responses")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("40")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Close survey…").click()
    page.get_by_role("button", name="Close survey").click()
    expect(page.get_by_role("status").first).to_contain_text("Survey closed")
    page.goto(reverse("survey-detail", args=[survey.code]))
    page.get_by_role("link", name="Seal survey…").first.click()
    page.get_by_role("button", name="Seal survey").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label(f"Type {survey.code} to confirm").fill(survey.code.lower())
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("sealed")
    page.locator("#more > summary").click()
    page.get_by_text("Purge or archive").click()
    page.get_by_role("link", name="Purge survey…").click()
    page.get_by_label(f"Type {survey.code} to confirm").fill(survey.code)
    page.get_by_role("button", name="Purge reports").click()
    expect(page.get_by_role("heading", name="The reports have been destroyed")).to_be_visible()
    assert Survey.objects.get(pk=survey.pk).state == State.PURGED
    page.goto(reverse("survey-results", args=[survey.code]))
    expect(page.get_by_role("heading", name="Reports deleted")).to_be_visible()
    # A form that was refused is no fault of the page.
    assert [text for text in complaints if "422" not in text] == []
