"""A survey in several languages in a phone's browser: the whole way in German, Hebrew from right to left, no script."""

from urllib.parse import parse_qs

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.models import Response, Survey
from tests.browser.audit import Looks, Setting, faults
from tests.browser.conftest import NewContext, SignedIn
from tests.browser.walk import SENDS_YES, choose, fix_draws, seen
from tests.factories import make_draft, make_open, one_of, yes_no
from tests.questionnaire.test_translations import BOTH, GERMAN

SETTINGS = (Setting(390), Setting(320, dark=True))
_ENGLISH = ("Send", "Start", "Flip", "phone", "question", "answer", "Yes", "Never", "exam")


@pytest.fixture
def survey(site: str) -> Survey:
    return make_open(yes_no(), one_of(), translations=BOTH, server_mode_allowed=True)


def _english(page: Page) -> list[str]:
    """Return which English words stand on the page, folded or not, but for the link to it."""
    page.evaluate("document.querySelectorAll('main details').forEach((part) => { part.open = true; })")
    shown = page.locator("main").inner_text().split()
    return [word for word in _ENGLISH if word in shown]


def test_the_whole_way_in_german(new_context: NewContext, site: str, survey: Survey, looks: Looks) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    fix_draws(page, SENDS_YES)
    bodies: list[str] = []
    page.on("request", lambda sent: sent.method == "POST" and bodies.append(sent.post_data or ""))
    wrong: list[str] = []

    def look() -> None:
        wrong.extend([*looks.faults(page, SETTINGS), *_english(page)])

    page.goto(f"/s/{survey.code}/")
    page.get_by_role("link", name="Deutsch").click()
    expect(page).to_have_url(f"{site}/s/{survey.code}/")
    expect(page.get_by_role("link", name="Deutsch")).to_have_attribute("aria-current", "true")
    look()
    page.locator("#begin").click()
    choose(page, "Ja")
    wrong.extend(_english(page))
    page.locator("[data-flip]:visible").click()
    choose(page, "Nie")
    wrong.extend(_english(page))
    page.locator("[data-flip]:visible").click()
    wrong.extend(_english(page))
    page.locator("#sending button[type=submit]").click()
    page.wait_for_url("**/receipt/")
    expect(page.get_by_role("heading", name="Gesendet. Danke!")).to_be_visible()
    look()
    expect(page.locator("main")).to_contain_text(GERMAN["How often?"])
    assert wrong == []
    assert [sorted(parse_qs(body)) for body in bodies] == [["mode", "nonce", "reports"]]
    assert list(Response.objects.values_list("mode", "group_id", "reports")) == [("device", None, "10")]


def test_hebrew_runs_from_right_to_left_and_the_choice_from_there_leads_back(
    new_context: NewContext, site: str, survey: Survey, looks: Looks
) -> None:
    page = new_context(reduced_motion="reduce").new_page()
    page.goto(f"/s/{survey.code}/")
    page.get_by_role("link", name="עברית").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    boxes = [page.get_by_role("link", name=name).bounding_box() for name in ("English", "Deutsch", "עברית")]
    places = [box["x"] for box in boxes if box]
    assert places == sorted(places, reverse=True)
    wrong = looks.faults(page, SETTINGS)
    page.locator("#begin").click()
    expect(page.locator("#question-1")).to_have_text(BOTH["he"][yes_no().text])
    assert wrong == []
    page.go_back()
    page.get_by_role("link", name="English").click()
    expect(page.locator("html")).to_have_attribute("dir", "ltr")
    seen(page, "Start survey").click()
    expect(page.locator("#question-1")).to_have_text(yes_no().text)


@pytest.mark.parametrize("way", ["own-coin", pytest.param("server", marks=pytest.mark.slow)])
def test_without_scripts_the_language_is_chosen_and_kept_through_each_form(
    new_context: NewContext, site: str, survey: Survey, way: str
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/s/{survey.code}/")
    page.get_by_role("link", name="Deutsch").click()
    if way == "server":
        page.locator("a[href='server/']").click()
    prefix = "item" if way == "own-coin" else "answer"
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.locator(f"[name={prefix}-1][value='1']").check()
    page.locator(f"[name={prefix}-2][value='1']").check()
    page.locator(f"form:has([name={prefix}-1]) button[type=submit]").click()
    page.wait_for_url("**/receipt/")
    expect(page.get_by_role("heading", name="Gesendet. Danke!")).to_be_visible()
    assert Response.objects.count() == 1


def test_an_author_translates_side_by_side_on_any_screen(signed_in: SignedIn, teacher: User, looks: Looks) -> None:
    survey = make_draft(yes_no(), one_of(), owner=teacher)
    page = signed_in(reduced_motion="reduce").new_page()
    page.goto(reverse("survey-edit", args=[survey.code]))
    expect(page.get_by_role("button", name="More languages")).to_be_hidden()
    page.locator(".settings > summary").click()
    page.get_by_role("button", name="More languages").click()
    page.get_by_role("link", name="Deutsch").click()
    for text, german in GERMAN.items():
        row = page.locator(".translated").filter(has_text=text.split("\n")[0]).first
        row.locator("input, textarea").fill(german)
    wrong: list[str] = []
    for setting, rules in looks.at(page, (Setting(390), Setting(1280, dark=True))):
        wrong.extend(faults(page, rules))
        original = page.locator(".translated > div").nth(0).bounding_box()
        field = page.locator(".translated > div").nth(1).bounding_box()
        assert original
        assert field
        assert (field["x"] > original["x"]) is (setting.width == 1280)
    assert wrong == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Everything is translated.")).to_be_visible()
    assert wrong + looks.faults(page, (Setting(390), Setting(1280, dark=True))) == []
    assert Survey.objects.get(pk=survey.pk).questionnaire.translations == {"de": GERMAN}
