"""Somebody answers; whoever asks reveals the result and puts it on the phones, without leaving the slide."""

import re

from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.models import Survey
from surveys.presenting.words import present_words
from tests.browser.audit import complaints_of
from tests.browser.conftest import NewContext, SignedIn
from tests.factories import fill, make_open, yes_no


def _answer_without_scripts(phone: Page, survey: Survey) -> None:
    phone.goto(f"/s/{survey.code}/own-coin/")
    phone.locator("[name=item-1]").first.check()
    phone.locator("form[method=post] [type=submit]").last.click()
    phone.wait_for_url("**/receipt/")


def test_the_result_is_put_on_the_phones_and_taken_off_again(
    new_context: NewContext, signed_in: SignedIn, teacher: User
) -> None:
    survey = make_open(yes_no(leave_out="no"), owner=teacher)
    fill(survey, {"1": 14, "0": 15})
    phone = new_context(java_script_enabled=False, viewport={"width": 390, "height": 844}).new_page()
    _answer_without_scripts(phone, survey)
    to_the_result = phone.locator("main a[href='result/']")
    expect(to_the_result).to_have_count(0)

    projector = signed_in(viewport={"width": 1366, "height": 768}).new_page()
    complaints = complaints_of(projector)
    projector.goto(reverse("survey-present", args=[survey.code]))
    show = projector.get_by_role("button", name="Show result on phones")
    hide = projector.get_by_role("button", name="Hide result on phones")
    expect(show).to_be_hidden()
    projector.locator("body").press("1")
    # The first figures of the survey; who has put the focus on their button hears them, and stands at their title.
    projector.locator("[data-slide]:visible [data-turn=next]").press("Enter")
    expect(projector.locator("[data-step=received] h2")).to_be_focused()
    projector.locator("body").press("ArrowRight")
    expect(projector.locator("[data-step=estimate]")).to_be_visible()
    shown = projector.url
    show.press("Enter")
    expect(hide).to_be_focused()
    expect(show).to_be_hidden()
    expect(projector.locator("#said")).to_have_text(str(projector.get_attribute("#phones form", "data-done")))
    assert projector.url == shown

    # On the phone, without a script: the number of the results page, and few things to load.
    loaded: list[str] = []
    phone.reload()
    phone.on("request", lambda request: loaded.append(request.resource_type))
    to_the_result.click()
    phone.wait_for_url("**/receipt/result/")
    assert sorted(set(loaded) - {"other"}) == ["document", "stylesheet"]
    assert len(loaded) <= 4
    desk = signed_in().new_page()
    desk.goto(reverse("survey-results", args=[survey.code]))
    for place in (".large-figure strong", ".finding h2, .said h2"):
        expect(phone.locator(place)).to_have_text(desk.locator(place).inner_text())
    expect(phone.get_by_text(re.compile("^95% confidence interval"))).to_have_text(desk.locator(".sure").inner_text())

    hide.press("Enter")
    expect(show).to_be_focused()
    phone.reload()
    expect(phone.locator(".large-figure")).to_have_count(0)

    # Whoever has signed out meanwhile is told that nothing has changed.
    projector.context.clear_cookies()
    show.press("Enter")
    expect(projector.locator("#said")).to_have_text(present_words()["failed"])
    survey.refresh_from_db()
    assert not survey.result_on_receipt
    assert [each for each in complaints if "403" not in each] == []
