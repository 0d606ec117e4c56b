"""In a browser a course platform sends a student, an instructor and an admin."""

from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from surveys.lti.services.registering import new_link
from surveys.models import CoursePlatform, WaitingScore
from tests.browser.audit import complaints_of
from tests.credit.receipts import closed_with_credit, make_receipt
from tests.lti.platform import LAUNCH, LOGIN, LTI, STUDENT, Platform, deep_linking, platform

__all__ = ["platform"]


@pytest.fixture(autouse=True)
def _as_over_https(settings: Settings) -> None:
    """To the browser the platform is another site, and to cookies this machine is as good as HTTPS."""
    settings.SESSION_COOKIE_SECURE = True


def _login(platform: Platform, site: str, **claims: Any) -> str:
    """Return where the platform sends a browser, and have it say this when it comes back."""
    platform.says = {f"{LTI}target_link_uri": site + LAUNCH, **claims}
    return f"{site}{LOGIN}?{urlencode(platform.login(target_link_uri=site + LAUNCH))}"


def test_a_student_brings_a_receipt_from_its_own_page(page: Page, site: str, platform: Platform) -> None:
    platform.row()
    survey = closed_with_credit()
    complaints = complaints_of(page)
    page.goto(_login(platform, site, **{f"{LTI}custom": {"survey": survey.code}}))
    page.wait_for_url(f"{site}/lti/redeem/{survey.code}/")
    receipt = make_receipt(survey)
    page.goto(f"/credit/{survey.code}/#{receipt}")
    page.locator("[data-carries-receipt].button").click()
    expect(page.locator("#receipt")).to_have_value(f"{site}/lti/redeem/{survey.code}/#{receipt}")
    assert page.url == f"{site}/lti/redeem/{survey.code}/"
    page.locator("form button").click()
    page.wait_for_url("**/?redeemed")
    assert WaitingScore.objects.get().subject == STUDENT
    assert complaints == []


@pytest.mark.parametrize("framed", [False, True])
def test_an_instructor_sends_the_link_back_also_from_a_frame(
    page: Page, site: str, platform: Platform, framed: bool
) -> None:
    platform.row()
    survey = closed_with_credit()
    address = f"{platform.address}/return?course=4"
    begun = _login(platform, site, **deep_linking(platform, deep_link_return_url=address))
    complaints = complaints_of(page)
    page.goto(f"{platform.address}/login?frame={quote(begun, safe='')}" if framed else begun)
    inside = page.frame_locator("iframe") if framed else page
    inside.locator("#id_code").fill(survey.code)
    inside.locator("form button").click()
    with page.expect_response(address):
        inside.get_by_role("button", name="Add to course").click()
    assert len(platform.returned) == 1
    assert complaints == []


def test_an_admin_closes_the_window_of_a_registration(page: Page, site: str, platform: Platform) -> None:
    page.goto(f"{platform.address}/login")
    page.evaluate("window.told = []; addEventListener('message', (event) => window.told.push(event.data))")
    link = f"{site}/lti/register/{new_link()}/?openid_configuration={quote(platform.address + '/config', safe='')}"
    with page.expect_popup() as opened:
        page.evaluate("(link) => { window.open(link); }", link)
    # The page closes itself, and a click waits for its page.
    opened.value.locator("#close").evaluate("(button) => { setTimeout(() => button.click()); }")
    page.wait_for_function("window.told.length > 0")
    assert page.evaluate("window.told") == [{"subject": "org.imsglobal.lti.close"}]
    assert CoursePlatform.objects.count() == 1
