"""A list of statements in Chromium: answered in both arms with and without scripts, and what both lists say."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from surveys.course.services import close_survey
from surveys.models import Response, Survey
from tests.browser.audit import Looks, Setting, complaints_of, faults
from tests.browser.conftest import NewContext, SignedIn
from tests.browser.walk import begin, choose, fix_draws, flip, send, take
from tests.factories import SENSITIVE, fill, make_open, two_lists, yes_no

ARMS = [{"name": "Short", "weight": 1}, {"name": "Long", "weight": 1}]
PLAIN = {"design": "plain", "parameters": {}}
SETTINGS = (Setting(320), Setting(390, dark=True), Setting(1280))


def _page_in(new_context: NewContext, survey: Survey, site: str, arm: int, **options: bool) -> Page:
    context = new_context(**options)
    host = urlsplit(site).hostname
    context.add_cookies([{"name": "deniable_arm", "value": str(arm), "domain": host, "path": f"/s/{survey.code}/"}])
    return context.new_page()


@pytest.mark.parametrize("answered", [(1, "3", "3-00"), (2, "4", "-401")])
def test_each_arm_answers_its_own_list(
    new_context: NewContext, site: str, looks: Looks, answered: tuple[int, str, str]
) -> None:
    arm, number, stored = answered
    survey = make_open(*two_lists(), yes_no("All?"), arms=ARMS)
    page = _page_in(new_context, survey, site, arm)
    complaints = complaints_of(page)
    # Below 8, 10 and 4 this sends the highest number, and No, as they are meant.
    fix_draws(page, 4)
    begin(page, survey)
    shown = page.locator("[data-question]:visible .statements li")
    expect(shown).to_have_count(2 + arm)
    assert (SENSITIVE in shown.all_inner_texts()) == (arm == 2)
    assert looks.faults(page, SETTINGS) == []
    boxes = [button.bounding_box() for button in page.locator("[data-question]:visible .point").all()]
    assert len(boxes) == 3 + arm
    assert all(box and min(box["width"], box["height"]) >= 48 for box in boxes)
    choose(page, number)
    flip(page)
    choose(page, "No")
    flip(page)
    expect(page.locator("#review .reports li").first).to_contain_text(two_lists()[0].text)
    send(page)
    assert list(Response.objects.values_list("reports", flat=True)) == [stored]
    assert complaints == []


def test_a_plain_list_says_what_its_number_proves_and_can_be_changed(new_context: NewContext, site: str) -> None:
    survey = make_open(*two_lists(**PLAIN), yes_no("All?"), arms=ARMS)
    page = _page_in(new_context, survey, site, 2)
    fix_draws(page, 0)
    begin(page, survey)
    expect(page.locator("[data-unprotected]:visible")).to_contain_text("0 proves")
    choose(page, "4")
    take(page)
    page.locator("[data-back]:visible").click()
    expect(page.locator("[data-after]:visible").first).to_contain_text("This number proves")
    page.get_by_role("button", name="Change answer").locator("visible=true").click()
    choose(page, "2")
    take(page)
    choose(page, "No")
    flip(page)
    expect(page.locator("#review .reports li").first).to_contain_text("0 proves")
    send(page)
    assert list(Response.objects.values_list("reports", flat=True)) == ["-201"]


@pytest.mark.parametrize("arm", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_without_scripts_the_statements_stand_above_the_numbers(new_context: NewContext, site: str, arm: int) -> None:
    survey = make_open(*two_lists(parameters={"truth": [1, 2]}), yes_no("All?"), arms=ARMS, server_mode_allowed=True)
    page = _page_in(new_context, survey, site, arm, java_script_enabled=False)
    page.goto(f"/s/{survey.code}/server/")
    expect(page.locator(".statements li")).to_have_count(2 + arm)
    assert faults(page, None) == []
    page.locator("[name=answer-1][value='2']").check()
    page.locator("[name=answer-2][value='0']").check()
    page.locator("main form [type=submit]").click()
    page.wait_for_url("**/receipt/")
    assert Response.objects.count() == 1


def test_the_result_of_both_lists_is_shown_first_and_the_rest_is_folded(
    signed_in: SignedIn, teacher: object, looks: Looks
) -> None:
    survey = make_open(*two_lists(**PLAIN), yes_no("All?", leave_out="no"), arms=ARMS, owner=teacher)
    fill(survey, {f"{code}-00": count for code, count in enumerate([20, 90, 70, 20])})
    fill(survey, {f"-{code}01": count for code, count in enumerate([15, 65, 75, 35, 10])})
    survey = close_survey(survey=survey)
    page = signed_in().new_page()
    complaints = complaints_of(page)
    page.goto(f"/surveys/{survey.code}/results/questions/2/")
    section = page.locator("section:has(> #lists)")
    expect(section.locator("strong")).to_contain_text(f"“{SENSITIVE}”: about")
    expect(section.get_by_role("table")).to_be_hidden()
    section.locator("summary").click()
    expect(section.get_by_role("table")).to_be_visible()
    assert looks.faults(page, SETTINGS) == []
    assert complaints == []
