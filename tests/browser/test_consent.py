"""Consent in Chromium: agreed to it leads to the questions; declined, the page asks nothing of the server."""

from playwright.sync_api import Page, expect

from surveys.models import Response, Survey
from tests.browser.audit import Looks, Setting, faults
from tests.browser.conftest import NewContext
from tests.browser.walk import begin, choose, flip, send
from tests.factories import make_open, yes_no

SETTINGS = (Setting(320), Setting(390, dark=True), Setting(1280))


def _asking(language: str = "en") -> Survey:
    return make_open(
        yes_no(),
        language=language,
        consent="I take part of my own free will.",
        support="Room 12.",
        server_mode_allowed=True,
    )


def _decline(page: Page, asked: list[str]) -> list[str]:
    """Return what was asked of the server, and what the browser has kept, after declining."""
    before = len(asked)
    kept = page.context.cookies()
    page.locator("a[href='#declined']:visible").click()
    expect(page.locator("#declined")).to_be_visible()
    expect(page.get_by_text("Room 12.")).to_be_visible()
    expect(page.locator("form:visible, [data-step]:visible")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    return asked[before:] + [str(one) for one in page.context.cookies() if one not in kept]


def test_consent_is_agreed_to_or_declined_with_and_without_scripts(new_context: NewContext, looks: Looks) -> None:
    survey, faulty = _asking(), {}
    for scripts in (True, False):
        page = new_context(java_script_enabled=scripts, reduced_motion="reduce").new_page()
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        for address in ("", "own-coin/", "server/"):
            page.goto(f"/s/{survey.code}/{address}")
            if scripts and not address:
                page.get_by_role("button", name="Start survey").click()
                expect(page.get_by_role("heading", name="Do you agree?")).to_be_focused()
                sizes = page.eval_on_selector_all(
                    "#consent .act .button", "(all) => all.map((one) => [one.offsetWidth, one.offsetHeight])"
                )
                assert len(sizes) == 2
                assert sizes[0] == sizes[1]
            expect(page.locator("form:visible")).to_have_count(0)
            assert _decline(page, asked) == []
            if scripts:
                for setting, rules in looks.at(page, SETTINGS):
                    faulty[address, setting] = faults(page, rules)
            page.go_back()
            expect(page.get_by_role("heading", name="Do you agree?")).to_be_visible()
            if scripts:
                for setting, rules in looks.at(page, SETTINGS):
                    faulty[address, "asked", setting] = faults(page, rules)
    assert not Response.objects.exists()
    # Without scripts the last of these pages is the server's form.
    page.locator("a[href='#agreed']").click()
    page.get_by_label("Yes").check()
    page.locator("form button[type=submit]").click()
    expect(page.locator(".thanks")).to_be_visible()
    other = new_context().new_page()
    begin(other, survey)
    other.get_by_role("button", name="I agree").click()
    choose(other, "Yes")
    flip(other)
    send(other)
    assert Response.objects.count() == 2
    assert {where: wrong for where, wrong in faulty.items() if wrong} == {}
