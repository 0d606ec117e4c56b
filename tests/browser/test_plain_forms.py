"""The pages without steps, in Chromium: own coins, the server's form, refusals; errors, focus, what is restored."""

import re

import pytest
from playwright.sync_api import Page, expect

from surveys.answering.views import pages
from surveys.drafts.services.groups import add_group
from surveys.models import Response, Survey
from tests.browser.audit import Looks, Setting, look_as
from tests.browser.conftest import NewContext
from tests.factories import PROTECTED, crosswise, every_kind, make_open, number_mean, several_of, warner, yes_no

ELSEWHERE = "data:text/html,elsewhere"
SETTINGS = (Setting(320), Setting(390, dark=True), Setting(1280))
PAGES = ("own-coin/", "server/", "north/own-coin/", "receipt/", "nosuch/", "i/NOSUCH/")


def filled(page: Page) -> list[str]:
    """Return what is chosen, ticked or typed on the page."""
    return page.evaluate(
        """() => [...document.querySelectorAll("input:not([type=hidden])")]
            .filter((field) => (field.type === "text" ? field.value : field.checked)).map((field) => field.name)"""
    )


def answer_by_server(page: Page, survey: Survey) -> None:
    page.goto(f"/s/{survey.code}/server/")
    page.get_by_label("Yes").first.check()
    page.get_by_label("Your number").fill("7.5")
    page.get_by_label("Skip (we see that you skipped, not why)").last.check()
    assert len(filled(page)) == 3


@pytest.fixture
def survey(site: str) -> Survey:
    return make_open(yes_no(), number_mean(leave_out="no"), several_of(), server_mode_allowed=True)


# All other ways of leaving it are in test_restoring_every_kind.py.
@pytest.mark.whole_chromium
@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.slow
def test_no_number_box_or_choice_of_the_servers_form_comes_back_after_sending(
    new_context: NewContext, survey: Survey, *, scripts: bool
) -> None:
    page = new_context(java_script_enabled=scripts).new_page()
    answer_by_server(page, survey)
    page.locator("main form [type=submit]").click()
    page.wait_for_url("**/receipt/")
    page.go_back()
    assert filled(page) == []


@pytest.mark.whole_chromium
def test_a_typed_number_would_come_back_from_a_page_that_the_cache_keeps(
    new_context: NewContext, survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: a plain 200, and a script that forgets nothing."""
    monkeypatch.setattr(pages, "_never_kept", lambda response: response)
    page = new_context(java_script_enabled=False).new_page()
    answer_by_server(page, survey)
    page.goto(ELSEWHERE)
    page.go_back(wait_until="commit")
    expect(page.get_by_label("Your number")).to_have_value("7.5")


def test_the_summary_of_errors_has_the_focus_and_leads_to_each_field(page: Page, survey: Survey) -> None:
    page.goto(f"/s/{survey.code}/own-coin/")
    page.evaluate("document.querySelector('form').noValidate = true")
    page.get_by_label("0 hours").check()
    page.locator("form:has([name=item-1]) [type=submit]").click()
    expect(page.locator("#summary")).to_be_focused()
    expect(page).to_have_title(re.compile("^Error: "))
    page.locator("#summary").get_by_role("link", name="“Tablets”").click()
    expect(page.locator("#item-3b")).to_be_focused()
    # What was tapped stands there again; the form can be finished and sent.
    expect(page.get_by_label("0 hours")).to_be_checked()
    page.get_by_label("Yes").first.check()
    page.get_by_role("checkbox").check()
    page.locator("form:has([name=item-1]) [type=submit]").click()
    page.wait_for_url("**/receipt/")
    assert list(Response.objects.values_list("mode", "reports")) == [("own_coin", "10---")]


def test_everything_works_without_scripts_by_a_groups_link(new_context: NewContext) -> None:
    survey = make_open(yes_no(), crosswise())
    group = add_group(survey=survey, name="North")
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/s/{survey.code}/north/")
    page.locator("[name=item-1][value='0']").check()
    page.locator("[name=item-2][value='1']").check()
    page.locator("form:has([name=item-1]) [type=submit]").click()
    page.wait_for_url(f"**/s/{survey.code}/north/receipt/")
    assert list(Response.objects.values_list("group_id", "mode", "reports")) == [(group.pk, "own_coin", "01")]


# test_every_step.py audits pages without steps in `make test` too.
@pytest.mark.slow
def test_axe_finds_nothing_and_nothing_overflows(new_context: NewContext, every_look: Looks) -> None:
    surveys = [
        make_open(*every_kind(), server_mode_allowed=True),
        make_open(warner(parameters={"p": [37, 100]}), number_mean(**PROTECTED), by_invitation=True),
    ]
    page = new_context(reduced_motion="reduce").new_page()
    wrong = []
    for survey in surveys:
        add_group(survey=survey, name="North")
        for rest in PAGES:
            look_as(page, SETTINGS[0])
            page.goto(f"/s/{survey.code}/{rest}")
            wrong += [f"{page.url}, {fault}" for fault in every_look.faults(page, SETTINGS)]
    assert wrong == []
