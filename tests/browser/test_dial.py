"""The dial in a real browser: turned with keys, chosen by ε, explained without a script, mended by a button."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.audit import Looks, Setting, complaints_of, look_as
from tests.browser.conftest import SignedIn

WIDE = {"width": 1280, "height": 900}


def _coin(page: Page) -> Locator:
    return page.locator("[name$=-truth]")


def _probability(page: Page) -> str:
    return _coin(page).input_value()


def test_the_dial_is_turned_and_the_server_s_numbers_follow(signed_in: SignedIn, looks: Looks) -> None:
    page = signed_in(viewport=WIDE).new_page()
    complaints = complaints_of(page)
    page.goto("/surveys/new/blank/")
    slider = page.get_by_role("slider")
    dial = page.locator("[data-dial]")
    slider.focus()
    # The slider has set it all along, so the field is folded.
    expect(_coin(page)).to_be_hidden()
    page.keyboard.press("ArrowRight")
    # The words change at once; the numbers come from the server.
    spoken = slider.get_attribute("aria-valuetext") or ""
    assert [re.search(rf"\b{number}\b", spoken) for number in ("3", "4", "87.5", "12.5", "1.95")].count(None) == 0
    assert _probability(page) == "3/4"
    expect(dial.locator("figcaption").first).to_contain_text("87.5")
    # Nothing was taken out of the hand that holds it.
    expect(page.get_by_role("slider")).to_be_focused()
    page.keyboard.press("End")
    expect(dial).to_contain_text("Weak protection")
    assert _probability(page) == "19/20"

    page.locator("[data-exact] > summary").click()
    page.locator("[data-wished]").fill("1")
    assert _probability(page) == "19/20"
    page.keyboard.press("Enter")
    expect(dial.locator(".expected")).to_be_visible()
    assert _probability(page) == "6/13"
    assert slider.get_attribute("aria-valuetext") is not None

    # Set by a button, the new row shows the field that it set.
    expect(_coin(page)).to_be_visible()
    dial.locator("details > summary").first.click()
    slider.press("ArrowLeft")
    expect(dial.get_by_text("9/20").locator("visible=true").first).to_be_visible()
    expect(dial.locator(".dial-compared")).to_be_visible()
    assert looks.faults(page, (Setting(1280), Setting(390, dark=True), Setting(320))) == []
    look_as(page, Setting(1280))
    page.get_by_label("Question", exact=True).fill("Have you copied?")
    page.locator("#fit").click()
    expect(dial.locator(".expected")).to_have_count(0)
    assert _probability(page) == "7/10"
    assert complaints == []


def test_without_scripts_a_term_opens_and_a_wish_is_met(signed_in: SignedIn) -> None:
    page = signed_in(viewport=WIDE, java_script_enabled=False).new_page()
    page.goto("/surveys/new/blank/")
    expect(page.get_by_role("slider")).to_have_count(0)
    button = page.get_by_role("button", name="ε 1.74")
    paragraph = page.locator(f"#{button.get_attribute('popovertarget')}")
    expect(paragraph).to_be_hidden()
    button.click()
    expect(paragraph).to_be_visible()
    page.keyboard.press("Escape")
    expect(paragraph).to_be_hidden()
    page.locator("[data-exact] > summary").click()
    page.locator("[data-wished]").fill("2")
    page.get_by_role("button", name="Set").click()
    expect(_coin(page)).to_have_value("19/25")
