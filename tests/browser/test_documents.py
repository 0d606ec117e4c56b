"""Beginning a survey from a template or a file in a real browser: for everybody, in every look, without a script."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from surveys.models import Survey
from tests.browser.audit import Looks, Setting, faults, look_as, measured, missing_rings
from tests.browser.conftest import SignedIn
from tests.documents.samples import changed, raw
from tests.documents.workbooks import form
from tests.factories import make_draft

SETTINGS = (Setting(1280), Setting(320), Setting(390, dark=True), Setting(1280, forced=True))


@pytest.fixture
def page(signed_in: SignedIn, teacher: User) -> Page:
    """A page of somebody who has a survey already."""
    make_draft(
        owner=teacher, title="Donaudampfschifffahrtsgesellschaftskapitänswitwen und ihre Prüfungen", language="de"
    )
    return signed_in(viewport={"width": 1280, "height": 800}).new_page()


def _faults_of(page: Page, looks: Looks) -> list[str]:
    """Return all that is wrong with a page, in every look and in both directions."""
    # What needs no script cannot break without one.
    wrong = [] if page.locator("script").count() == 0 else ["it has a script"]
    wrong += missing_rings(page)
    for setting, rules in looks.at(page, SETTINGS):
        wrong += [f"{setting}: {fault}" for fault in faults(page, rules)]
        page.evaluate("document.documentElement.dir = 'rtl'")
        wrong += [f"{setting}, right to left: {fault}" for fault in measured(page)]
        page.evaluate("document.documentElement.dir = 'ltr'")
    look_as(page, Setting(1280))
    return wrong


@pytest.mark.slow
def test_a_template_is_one_press_away_from_the_editor(page: Page, every_look: Looks) -> None:
    page.goto("/surveys/new/")
    page.locator("details").first.locator("summary").click()
    assert _faults_of(page, every_look) == []
    page.locator(".language select").select_option("de")
    page.get_by_role("listitem").filter(has_text="Doping in sport").get_by_role("button").click()
    survey = Survey.objects.get(title__contains="port")
    assert survey.language == "de"
    expect(page).to_have_url(f"/surveys/{survey.code}/edit/")


def test_a_file_is_read_shown_with_its_report_and_created(page: Page, tmp_path: Path, looks: Looks) -> None:
    page.goto("/surveys/import/")
    assert _faults_of(page, looks) == []
    page.get_by_label("Or paste the text of a JSON file").fill(
        raw(changed(("questions", 0, "parameters", "truth"), "abc")).decode()
    )
    page.get_by_role("button", name="Preview import").click()
    expect(page.get_by_role("alert")).to_contain_text("questions[0].parameters.truth")
    assert _faults_of(page, looks) == []
    page.get_by_label("Or paste the text of a JSON file").clear()
    workbook = tmp_path / "form.xlsx"
    rows = [("select_one yesno", "copied_in_an_exam_of_the_last_year", "Ever copied?"), ("text", "why", "Why?")]
    workbook.write_bytes(form(*rows, form_title="From a form"))
    page.get_by_label("File", exact=True).set_input_files(workbook)
    page.get_by_role("button", name="Preview import").click()
    expect(page.locator(".lines")).to_contain_text("why")
    assert _faults_of(page, looks) == []
    page.get_by_role("button", name="Create draft").click()
    expect(page).to_have_url(f"/surveys/{Survey.objects.get(title='From a form').code}/edit/")
