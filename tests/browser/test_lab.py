"""The lab: pages that are moved by a thumb, by keys and by a form alone, on a phone and on a projector."""

import re

import pytest
from playwright.sync_api import Page, expect

from surveys.learn.pages import lab_pages
from tests.browser.audit import Looks, Setting, complaints_of, faults, look_as, measured, missing_rings
from tests.browser.conftest import NewContext

SLUGS = list(lab_pages())
SETTINGS = (Setting(390), Setting(1280, dark=True))
LANGUAGES = ("en", "de", "es")
_SMALLEST = """(all) => Math.min(...all.filter((one) => one.checkVisibility())
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""
PROJECTOR = {"width": 1920, "height": 1080}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_auditor_finds_nothing_on_any_page(new_context: NewContext, language: str, every_look: Looks) -> None:
    page = new_context(locale=language, reduced_motion="reduce").new_page()
    complaints = complaints_of(page)
    wrong = []
    # What a language changes is how long words are, which is measured; what axe looks for is the same in each.
    elsewhere = language != LANGUAGES[0]
    for address in ("", *(f"{slug}/" for slug in SLUGS)):
        look_as(page, SETTINGS[0])
        page.goto(f"/learn/{address}")
        assert page.locator("html").get_attribute("lang") == language
        page.evaluate("document.querySelectorAll('details').forEach((element) => { element.open = true; })")
        faulty = missing_rings(page)
        for setting, rules in every_look.at(page, SETTINGS):
            faulty += [f"{setting}: {fault}" for fault in faults(page, None if elsewhere else rules)]
        wrong += [f"{address}: {fault}" for fault in faulty]
    assert wrong == []
    assert complaints == []


@pytest.mark.slow
def test_every_page_fits_on_a_projector_and_its_keys_walk_from_first_to_last(new_context: NewContext) -> None:
    page = new_context(viewport=PROJECTOR, reduced_motion="reduce").new_page()
    page.goto(f"/learn/{SLUGS[0]}/?projector=1")
    wrong = []
    for slug in SLUGS:
        page.wait_for_url(re.compile(rf"/learn/{slug}/\?projector=1"))
        wrong += [f"{slug}: {fault}" for fault in measured(page)]
        smallest = page.locator(".lab text, .lab p, .lab label").evaluate_all(_SMALLEST)
        if smallest < 20:
            wrong.append(f"{slug}: writing of {smallest} px")
        page.keyboard.press("ArrowRight")
    assert wrong == []
    if len(SLUGS) > 1:
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(re.compile(f"/learn/{SLUGS[-2]}/"))


def test_a_slider_that_is_moved_moves_the_picture_and_the_address(page: Page) -> None:
    page.goto("/learn/coin/")
    before = page.locator("#says").inner_text()
    page.get_by_label("People who mean Yes").fill("90")
    expect(page.locator("#says")).not_to_have_text(before)
    expect(page.locator("output").first).to_have_text("90 of 100")
    page.wait_for_url(re.compile("yes=90"))
    sentence = page.locator("#says").inner_text()
    assert page.locator("#said").text_content() == sentence
    page.reload()
    assert page.locator("#says").inner_text() == sentence
    # The first two seeds happen to give as many Yeses.
    for seed in (2, 3):
        page.get_by_role("button", name="Draw again").click()
        page.wait_for_url(re.compile(f"seed={seed}"))
    expect(page.locator("#says")).not_to_have_text(sentence)
    page.get_by_role("button", name="200 times").click()
    expect(page.locator("#shown h2")).to_contain_text("190 of 200 draws")
    assert page.locator(".draws circle").count() == 200


def test_without_scripts_the_form_does_it(new_context: NewContext) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/learn/coin/")
    people = page.locator("#shown .dots circle")
    page.get_by_label("1,000", exact=True).check()
    # A press returns before the next page is there: what is expected is waited for.
    page.get_by_role("button", name="Apply settings").click()
    expect(people).to_have_count(1_000)
    first = page.locator("#says").inner_text()
    for seed in (2, 3):
        page.get_by_role("button", name="Draw again").click()
        page.wait_for_url(re.compile(f"seed={seed}"))
    expect(page.locator("#says")).not_to_have_text(first)
    assert "people=1000" in page.url
    page.get_by_role("button", name="200 times").click()
    expect(page.locator(".draws circle")).to_have_count(200)
    page.get_by_role("button", name="Apply settings").click()
    expect(people).to_have_count(1_000)


def test_keys_are_a_projectors_and_a_switch_turns_letters_off_for_the_tab(page: Page) -> None:
    drawn = page.locator("#controls > [name=seed]")
    switch = page.locator("#letters")
    page.goto("/learn/coin/?projector=1")
    page.keyboard.press("b")
    expect(page.locator("h1")).to_be_hidden()
    page.keyboard.press("b")
    expect(page.locator("h1")).to_be_visible()
    page.keyboard.press("d")
    expect(drawn).to_have_value("2")
    switch.uncheck()
    switch.blur()
    page.keyboard.press("d")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(f"/learn/{SLUGS[1]}/"))
    expect(switch).not_to_be_checked()
    page.keyboard.press("b")
    expect(page.locator("h1")).to_be_visible()
    page.go_back()
    expect(drawn).to_have_value("2")
    switch.check()
    switch.blur()
    page.keyboard.press("d")
    expect(drawn).to_have_value("3")

    # Elsewhere a page is read with these keys, or written to.
    page.goto("/learn/coin/")
    expect(switch).to_have_count(0)
    page.locator("html.js").wait_for()
    page.keyboard.press("b")
    expect(page.locator("h1")).to_be_visible()
