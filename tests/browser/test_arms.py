"""Random arms in a phone's browser: one that is asked plainly, beside one that chance protects."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.answering.views import arms
from surveys.course.services import close_survey, record_exact_figures
from surveys.models import Response, Survey
from tests.answering.test_plain_arm import TWO, questions
from tests.browser.audit import Looks, Setting
from tests.browser.conftest import NewContext, SignedIn
from tests.browser.walk import begin, choose, press_send, seen, send, take
from tests.factories import fill, make_draft, make_open

SETTINGS = (Setting(390), Setting(320, dark=True))
_OF_CHANCE = re.compile(
    r"chance|coin|flip|ε|fold|odds|protected answers|100 phones|guess|randomi[sz]|changed at random|probabilit",
    re.IGNORECASE,
)


@pytest.fixture
def survey(site: str) -> Survey:
    return make_open(*questions(), arms=TWO, server_mode_allowed=True, introduction="For a course on surveys.")


def _page(new_context: NewContext, site: str, survey: Survey, arm: str, **options: bool) -> Page:
    context = new_context(reduced_motion="reduce", **options)
    host = site.split("//")[1].split(":", maxsplit=1)[0]
    cookie = {"name": "deniable_arm", "value": arm, "domain": host, "path": f"/s/{survey.code}/"}
    context.add_cookies([cookie])
    return context.new_page()


def _shown(page: Page) -> str:
    # What is folded counts too.
    page.evaluate("document.querySelectorAll('main details').forEach((part) => { part.open = true; })")
    return page.locator("main").inner_text()


@pytest.mark.slow
def test_no_step_of_an_arm_without_chance_speaks_of_any(
    new_context: NewContext, site: str, survey: Survey, every_look: Looks
) -> None:
    page, wrong = _page(new_context, site, survey, "2"), []

    def look() -> None:
        wrong.extend(_OF_CHANCE.findall(_shown(page)))
        wrong.extend(every_look.faults(page, SETTINGS))

    page.goto(f"/s/{survey.code}/")
    expect(page.locator("#practise")).to_have_count(0)
    expect(page.get_by_text("Use real coins")).to_have_count(0)
    look()
    begin(page, survey)
    for answer in ("Yes", "Later"):
        choose(page, answer)
        look()
        take(page)
    look()
    send(page)
    look()
    assert wrong == []
    assert list(Response.objects.values_list("mode", "reports")) == [("device", "-121")]


def test_without_scripts_it_is_answered_all_the_same(new_context: NewContext, site: str, survey: Survey) -> None:
    page = _page(new_context, site, survey, "2", java_script_enabled=False)
    page.goto(f"/s/{survey.code}/")
    assert _OF_CHANCE.findall(page.locator("main").inner_text()) == []
    page.locator("[name=item-1][value='0']").check()
    page.locator("[name=item-2][value='1']").check()
    page.locator("form:has([name=item-1]) [type=submit]").click()
    page.wait_for_url("**/receipt/")
    assert list(Response.objects.values_list("mode", "reports")) == [("own_coin", "-011")]


def test_the_arm_beside_it_practises_and_flips(new_context: NewContext, site: str, survey: Survey) -> None:
    page = _page(new_context, site, survey, "1")
    page.goto(f"/s/{survey.code}/")
    expect(page.locator("#promise h1")).to_contain_text("question 2")
    expect(page.locator("#practise")).to_be_visible()
    begin(page, survey)
    choose(page, "Yes")
    seen(page, "Flip the coins").click()
    choose(page, "Later")
    take(page)
    send(page)
    (reports,) = Response.objects.values_list("reports", flat=True)
    assert re.fullmatch("[01]-20", reports)


def test_a_form_of_an_altered_arm_is_refused_and_the_reports_stay_on_the_page(
    new_context: NewContext, site: str, survey: Survey
) -> None:
    page = _page(new_context, site, survey, "2")
    begin(page, survey)
    for answer in ("Yes", "Later"):
        choose(page, answer)
        take(page)
    arm = page.locator("#sending [name=arm]")
    dealt = arm.input_value()
    arm.evaluate("(field) => { field.value = field.value.replace('2.', '1.'); }")
    press_send(page)
    expect(page.locator("#problem")).to_be_visible()
    assert page.locator("#reports strong").all_inner_texts() == ["Yes", "Later"]
    assert not Response.objects.exists()
    arm.evaluate("(field, value) => { field.value = value; }", dealt)
    send(page)
    assert Response.objects.get().reports == "-121"


def _answered_by(way: str, page: Page, survey: Survey) -> None:
    """Answer as the second arm does and stand before the receipt."""
    if way == "device":
        begin(page, survey)
        for answer in ("Yes", "Later"):
            choose(page, answer)
            take(page)
        return send(page)
    page.goto(f"/s/{survey.code}/{way}")
    prefix = "item" if way == "own-coin/" else "answer"
    for number in (1, 2):
        page.locator(f"[name={prefix}-{number}][value='1']").check()
    page.locator("main [type=submit]").click()
    return page.wait_for_url("**/receipt/")


@pytest.mark.parametrize("way", ["device", "own-coin/", "server/"])
def test_no_way_back_from_the_receipt_deals_an_arm(
    new_context: NewContext, site: str, survey: Survey, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    dealt: list[int] = []
    monkeypatch.setattr(arms, "draw_arm", lambda all_arms, _draw: dealt.append(1) or all_arms[0])
    page = _page(new_context, site, survey, "2")
    _answered_by(way, page, survey)
    already = page.get_by_role("link", name="View receipt")
    for go in (page.go_back, page.reload, page.go_forward, page.go_back):
        go()
        expect(already.or_(page.locator(".thanks"))).to_be_visible()
    assert (dealt, [cookie["name"] for cookie in page.context.cookies()].count("deniable_arm")) == ([], 0)
    # What would be found otherwise: where nothing remembers the answer, Back deals.
    page.context.clear_cookies(name="deniable_done")
    page.reload()
    assert dealt == [1]


def _closed_and_draft(owner: User) -> tuple[Survey, Survey]:
    """Return a survey whose results are shown, and a draft of the same."""
    survey = make_open(*questions(), arms=TWO, owner=owner)
    fill(survey, {"1-00": 30, "0-10": 35, "0-20": 15, "-101": 20, "-011": 25, "-121": 15})
    record_exact_figures(survey=survey)
    return close_survey(survey=survey), make_draft(*questions(), arms=TWO, owner=owner)


@pytest.mark.slow
def test_an_auditor_finds_nothing_on_the_owners_pages(signed_in: SignedIn, teacher: User, every_look: Looks) -> None:
    closed, draft = _closed_and_draft(teacher)
    page, wrong = signed_in(reduced_motion="reduce").new_page(), []
    addresses = [
        reverse("survey-results", args=[closed.code]),
        reverse("survey-results-question", args=[closed.code, 1]),
        reverse("survey-results-plan", args=[closed.code]) + "?n=1000",
        *(reverse(f"survey-{name}", args=[closed.code]) for name in ("ethics", "export-codebook", "detail", "present")),
        *(reverse(f"survey-{name}", args=[draft.code]) for name in ("edit", "open")),
    ]
    for address in addresses:
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        wrong += [f"{address}, {fault}" for fault in every_look.faults(page, (Setting(390), Setting(1280, dark=True)))]
    assert wrong == []


def test_the_comparison_on_a_questions_page_scrolls_on_no_phone(signed_in: SignedIn, teacher: User) -> None:
    closed, _draft = _closed_and_draft(teacher)
    page = signed_in().new_page()
    page.goto(reverse("survey-results-question", args=[closed.code, 1]))
    table = page.locator("section[aria-labelledby=arms] .scroll")
    scrolls = "(element) => element.scrollWidth > element.clientWidth"
    assert not table.evaluate(scrolls)
    # Five columns would.
    table.locator("tr").last.evaluate("(row) => row.insertCell().textContent = 'Two coins (forced response)'")
    table.locator("td").last.evaluate("(cell) => { cell.style.whiteSpace = 'nowrap'; }")
    assert table.evaluate(scrolls)
