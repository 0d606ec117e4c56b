"""The dial in a real browser: turned with keys, chosen by ε, explained without a script, mended by a button."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.audit import Setting, faults, look_as
from tests.browser.conftest import NewContext


def _signed_in(new_context: NewContext, teacher: User, site: str, **options: Any) -> BrowserContext:
    client = Client()
    client.force_login(teacher)
    context = new_context(viewport={"width": 1280, "height": 900}, **options)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    return context


LABEL = "How often chance leaves the answer alone"


def _coin(page: Page) -> Locator:
    # The slider has the same label, and is never sent.
    return page.get_by_label(LABEL).and_(page.locator("[name]"))


def _probability(page: Page) -> str:
    return _coin(page).input_value()


def test_the_dial_is_turned_and_the_server_s_numbers_follow(new_context: NewContext, teacher: User, site: str) -> None:
    page = _signed_in(new_context, teacher, site).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto("/surveys/new/blank/")
    slider = page.get_by_role("slider", name=LABEL)
    dial = page.locator("[data-dial]")
    slider.focus()
    # The slider has set it all along, so the field is folded.
    expect(_coin(page)).to_be_hidden()
    page.keyboard.press("ArrowRight")
    # The words change at once; the numbers come from the server.
    assert slider.get_attribute("aria-valuetext") == (
        "3 times in 4. If the true answer is Yes, 87.5 of 100 phones send Yes; if it is No, 12.5 of 100 do. ε 1.95"
    )
    assert _probability(page) == "3/4"
    expect(dial).to_contain_text("If Yes, 87.5 send Yes")
    # Nothing was taken out of the hand that holds it.
    expect(page.get_by_role("slider", name=LABEL)).to_be_focused()
    page.keyboard.press("End")
    expect(dial).to_contain_text("Weak protection")
    assert _probability(page) == "19/20"

    page.get_by_text("Exact numbers").click()
    page.get_by_label("Choose by ε").fill("1")
    assert _probability(page) == "19/20"
    page.keyboard.press("Enter")
    expect(dial).to_contain_text("Too few to conclude anything.")
    assert _probability(page) == "6/13"
    assert slider.get_attribute("aria-valuetext") is not None

    # Set by a button, the new row shows the field that it set.
    expect(_coin(page)).to_be_visible()
    page.get_by_text("How sure is that?").click()
    slider.press("ArrowLeft")
    expect(page.get_by_text("With probability 9/20 the phone sends the truth").first).to_be_visible()
    expect(page.get_by_text("Most precise at this ε, and equally so")).to_be_visible()
    for setting in (Setting(1280), Setting(390, dark=True), Setting(320)):
        look_as(page, setting)
        assert faults(page) == [], setting
    look_as(page, Setting(1280))
    offered = page.get_by_role("button", name="Make it work for 30")
    offered.click()
    expect(page.locator("#said")).to_have_text("The coin is now 7/10.")
    expect(dial).to_be_focused()
    expect(dial).not_to_contain_text("Too few")
    assert complaints == []


def test_without_scripts_a_term_opens_and_a_wish_is_met(new_context: NewContext, teacher: User, site: str) -> None:
    page = _signed_in(new_context, teacher, site, java_script_enabled=False).new_page()
    page.goto("/surveys/new/blank/")
    expect(page.get_by_role("slider")).to_have_count(0)
    paragraph = page.get_by_text("seeing all of it makes the odds at most")
    expect(paragraph).to_be_hidden()
    page.get_by_role("button", name="ε 1.74").click()
    expect(paragraph).to_be_visible()
    page.keyboard.press("Escape")
    expect(paragraph).to_be_hidden()
    page.get_by_text("Exact numbers").click()
    page.get_by_label("Choose by ε").fill("2")
    page.get_by_role("button", name="Set").click()
    expect(_coin(page)).to_have_value("19/25")
