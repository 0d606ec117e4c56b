"""Group links and invitation cards in a real browser: readable for everybody, within the policy, ten cards a page."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.drafts.services.groups import add_group
from surveys.models import Invitation, Survey
from tests.browser.audit import Looks, Setting, complaints_of, sideways, violations
from tests.browser.conftest import SignedIn
from tests.factories import make_open

DESKTOP = {"width": 1280, "height": 800}
SETTINGS = (Setting(320), Setting(320, dark=True), Setting(1280), Setting(1280, dark=True))


@pytest.fixture
def survey(site: str, teacher: User) -> Survey:
    return make_open(owner=teacher, by_invitation=True, title="Honest answers about exams and everything around them")


def _make_cards(page: Page, survey: Survey, number: int) -> None:
    page.goto(reverse("survey-invitations", args=[survey.code]))
    page.get_by_label("Number of invitations").fill(str(number))
    page.get_by_role("button", name="Create invitation cards").click()
    expect(page.locator(".cards li")).to_have_count(number)


@pytest.mark.slow
def test_every_page_is_readable_for_everybody_and_within_the_policy(
    signed_in: SignedIn, survey: Survey, every_look: Looks
) -> None:
    for name in ("Monday, first hour", "Tuesday"):
        add_group(survey=survey, name=name)
    page = signed_in(reduced_motion="reduce").new_page()
    complaints = complaints_of(page)
    wrong = {}

    def look(name: str) -> None:
        for setting, rules in every_look.at(page, SETTINGS):
            wrong[name, setting] = [*violations(page, rules), *sideways(page)]

    page.goto(reverse("survey-groups", args=[survey.code]))
    page.locator("summary").first.click()
    look("groups")
    page.get_by_label("Name", exact=True).fill("Tuesday")
    page.get_by_role("button", name="Add group").click()
    expect(page.get_by_role("alert")).to_be_visible()
    look("groups refused")
    page.goto(reverse("survey-invitations", args=[survey.code]))
    look("invitations")
    _make_cards(page, survey, 4)
    look("cards")
    assert {where: problems for where, problems in wrong.items() if problems} == {}
    # A refused form is answered 422, which Chromium notes.
    assert [text for text in complaints if "422" not in text] == []


def test_a_printed_sheet_has_ten_cards_a_page_and_nothing_else(
    signed_in: SignedIn, survey: Survey, tmp_path: Path
) -> None:
    page = signed_in(viewport=DESKTOP).new_page()
    _make_cards(page, survey, 21)
    path = tmp_path / "cards.pdf"
    page.pdf(path=path, prefer_css_page_size=True)
    pages = re.findall(rb"/Type\s*/Page\b(?!s)", path.read_bytes())
    assert len(pages) == 3
    page.emulate_media(media="print")
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.locator(".cards li")).to_have_count(21)


def test_the_table_is_downloaded_with_the_links_of_the_cards(signed_in: SignedIn, survey: Survey) -> None:
    page = signed_in(viewport=DESKTOP).new_page()
    _make_cards(page, survey, 3)
    links = page.locator(".card-link").all_inner_texts()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download links as CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert download.value.suggested_filename == f"invitations-{survey.code}.csv"
    assert [line.partition("://")[2] for line in lines[1:]] == links
    assert Invitation.objects.count() == 3


@pytest.mark.slow
def test_a_reloaded_page_of_cards_makes_no_more(signed_in: SignedIn, survey: Survey) -> None:
    page = signed_in(viewport=DESKTOP).new_page()
    _make_cards(page, survey, 3)
    links = page.locator(".card-link").all_inner_texts()
    page.reload()
    expect(page.locator(".card-link")).to_have_count(3)
    assert page.locator(".card-link").all_inner_texts() == links
    assert Invitation.objects.count() == 3
