"""The instructor's pages in a real browser: readable for everybody, current, and within the security policy."""

from typing import Literal

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.common.selectors import definition_of
from surveys.models import Survey
from tests.browser.audit import Looks, Setting, complaints_of, faults, sideways, violations
from tests.browser.conftest import SignedIn
from tests.browser.walk import leave_out
from tests.factories import every_kind, fill, make_draft, make_open, one_of, send, settle, yes_no

_LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
SETTINGS = (Setting(390), Setting(390, dark=True), Setting(1280), Setting(1280, dark=True))


def _surveys(owner: User) -> dict[str, Survey]:
    questions = (yes_no(), one_of(("Never", "Once", "Often")))
    draft = make_draft(*questions, owner=owner)
    opened = make_open(*questions, owner=owner)
    fill(opened, {"10": 20, "01": 15, "-2": 3})
    every, answered = make_draft(*every_kind(), owner=owner), make_open(*every_kind(), owner=owner)
    items = len(definition_of(answered).items)
    fill(answered, {"0" * items: 20, "1" * items: 15})
    return {"draft": draft, "open": opened, "every": every, "answered": answered}


def _addresses(surveys: dict[str, Survey]) -> list[str]:
    names = {
        "draft": ("survey-edit", "survey-detail", "survey-preview", "survey-open", "survey-share"),
        "open": ("survey-detail", "survey-share", "survey-results", "survey-close"),
        "every": ("survey-edit",),
        "answered": ("survey-detail", "survey-results"),
    }
    pages = [reverse(name, args=[surveys[state].code]) for state, some in names.items() for name in some]
    return [reverse("survey-list"), reverse("survey-new"), *pages]


def _violations(page: Page) -> list[str]:
    return [*violations(page), *sideways(page)]


# test_every_page.py and test_languages.py audit them in `make test` too.
@pytest.mark.slow
def test_axe_finds_nothing_on_any_page_at_any_width_in_light_and_dark(
    signed_in: SignedIn, teacher: User, every_look: Looks
) -> None:
    page = signed_in(reduced_motion="reduce").new_page()
    complaints = complaints_of(page)
    wrong = {}
    for address in _addresses(_surveys(teacher)):
        page.goto(address)
        for details in page.locator("details").all():
            details.evaluate("element => { element.open = true; }")
        for setting, rules in every_look.at(page, SETTINGS):
            # At its end no bar that stays in sight lies over anything.
            page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            wrong[address, setting] = faults(page, rules)
    assert {where: problems for where, problems in wrong.items() if problems} == {}
    assert complaints == []


FAULTS = {
    "label": "document.querySelector('.dial-turn label').remove()",
    "sideways": "document.querySelector('h1').style.minWidth = '3000px'",
    "color-contrast": "document.querySelector('.dial h3').style.color = '#ddd'",
}


@pytest.mark.parametrize("rule", FAULTS)
@pytest.mark.slow
def test_a_planted_fault_is_noticed(signed_in: SignedIn, rule: str) -> None:
    page = signed_in().new_page()
    page.goto(reverse("survey-new"))
    page.evaluate(FAULTS[rule])
    assert any(rule in violation for violation in _violations(page))


def test_the_results_fit_the_narrowest_phone(signed_in: SignedIn, teacher: User) -> None:
    page = signed_in(viewport={"width": 320, "height": 640}).new_page()
    page.goto(reverse("survey-results", args=[_surveys(teacher)["open"].code]))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    sizes = page.locator(".figure text, .figure p").evaluate_all(
        "elements => elements.map(e => parseFloat(getComputedStyle(e).fontSize) * (e.getScreenCTM?.().a ?? 1))"
    )
    assert min(sizes) >= 12


@pytest.mark.parametrize("phone", [True, False])
def test_a_phone_hands_the_link_to_its_own_apps(signed_in: SignedIn, teacher: User, phone: bool) -> None:
    context = signed_in(has_touch=phone, is_mobile=phone)
    context.add_init_script("navigator.share = async (data) => { window.shared = data.url; }")
    page = context.new_page()
    survey = _surveys(teacher)["open"]
    page.goto(reverse("survey-detail", args=[survey.code]))
    share = page.get_by_role("button", name="Share survey", exact=True)
    expect(share).to_be_visible(visible=phone)
    if phone:
        share.click()
        assert page.evaluate("shared").endswith(reverse("answer", args=[survey.code]))


def test_signing_in_leads_to_the_list(page: Page, teacher: User) -> None:
    complaints = complaints_of(page)
    page.goto(reverse("survey-list"))
    assert _violations(page) == []
    page.get_by_label("Username").fill(teacher.username)
    page.get_by_label("Password").fill("correct horse battery staple")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your surveys")
    assert complaints == []


def test_the_results_page_picks_a_new_batch_up_and_keeps_what_is_open_and_in_focus(
    signed_in: SignedIn, teacher: User
) -> None:
    survey = make_open(yes_no(), owner=teacher)
    fill(survey, {"0": 30, "1": 10})
    page = signed_in().new_page()
    complaints = complaints_of(page)
    page.goto(reverse("survey-results", args=[survey.code]))
    page.locator(".figure summary").click()
    with page.expect_response(lambda response: response.status == 304):
        page.evaluate(_LOOK_AGAIN)
    # Ten of the twenty are left behind until more come.
    for _ in range(20):
        send(survey, "1")
    settle(survey)
    page.evaluate(_LOOK_AGAIN)
    expect(page.locator("[data-n]")).to_have_attribute("data-n", "60")
    expect(page.locator("#said")).to_contain_text("60")
    expect(page.locator(".counted")).to_contain_text("50 of 60")
    expect(page.get_by_role("table")).to_be_visible()
    expect(page.locator(".figure summary")).to_be_focused()
    expect(page.get_by_role("cell", name="20", exact=True)).to_be_visible()
    # And again by itself.
    with page.expect_response(lambda response: response.status == 304):
        pass
    assert complaints == []


_PLACES = """() => {
  const band = document.querySelector(".large .band");
  return [band.getBoundingClientRect().left, band.getAttribute("x")];
}"""


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_band_goes_to_its_new_place_and_jumps_where_motion_is_unwanted(
    signed_in: SignedIn, teacher: User, motion: Literal["no-preference", "reduce"]
) -> None:
    survey = make_open(yes_no(), owner=teacher)
    fill(survey, {"0": 60, "1": 20})
    page = signed_in(reduced_motion=motion).new_page()
    page.goto(reverse("survey-results", args=[survey.code]))
    before, attribute = page.evaluate(_PLACES)
    page.evaluate("document.documentElement.style.setProperty('--settle', '60s linear')")
    for _ in range(30):
        send(survey, "1")
    settle(survey)
    expect(page.locator(".large .band")).not_to_have_attribute("x", attribute)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    after, _attribute = page.evaluate(_PLACES)
    assert (abs(after - before) < 5) is (motion == "no-preference")


@pytest.mark.slow
def test_nothing_is_asked_while_the_page_is_hidden(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(), owner=teacher)
    page = signed_in().new_page()
    page.add_init_script("Object.defineProperty(document, 'hidden', { get: () => true });")
    page.clock.install()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(reverse("survey-results", args=[survey.code]))
    page.clock.run_for(30_000)
    assert [url for url in asked if "figures" in url] == []


def test_from_a_preview_nothing_can_be_sent(signed_in: SignedIn, teacher: User) -> None:
    survey = make_open(yes_no(), owner=teacher)
    page = signed_in().new_page()
    complaints = complaints_of(page)
    page.goto(reverse("survey-preview", args=[survey.code]))
    page.get_by_role("button", name="Start survey").click()
    leave_out(page)
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    assert survey.responses.count() == 0
    assert complaints == []
