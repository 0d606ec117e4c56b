"""Accounts in a real browser, without a script: from an invitation through the second factor to signing out."""

from base64 import b32decode
from urllib.parse import urlsplit

import pytest
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Page, expect
from pytest_django import Settings

from surveys.accounts.services import sign_in
from surveys.accounts.services.sign_up import invite_instructor
from tests.accounts.certified import SECRET, Certified, certified
from tests.accounts.people import person
from tests.browser.audit import Looks, Setting, faults, look_as, measured, missing_rings
from tests.browser.conftest import NewContext

__all__ = ["certified"]

SETTINGS = (Setting(1280), Setting(320), Setting(390, dark=True), Setting(1280, forced=True))
PASSWORD = "seven purple elephants sing"


def _check(page: Page, wrong: list[str], looks: Looks) -> None:
    """Note all that is wrong with a page, in every look and in both directions."""
    page.wait_for_load_state()
    where = urlsplit(page.url).path
    wrong += [f"{where}: it has a script"] if page.locator("script").count() else []
    wrong += [f"{where}: {fault}" for fault in missing_rings(page)]
    for setting, rules in looks.at(page, SETTINGS):
        wrong += [f"{where}, {setting}: {fault}" for fault in faults(page, rules)]
        page.evaluate("document.documentElement.dir = 'rtl'")
        wrong += [f"{where}, {setting}, right to left: {fault}" for fault in measured(page)]
        page.evaluate("document.documentElement.dir = 'ltr'")
    look_as(page, Setting(1280))


def _fill(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.locator(f"#id_{name}").fill(value)


def _press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_an_account_from_its_invitation_to_the_last_sign_out(new_context: NewContext, site: str, looks: Looks) -> None:
    wrong: list[str] = []
    page = new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.on(
        "console", lambda message: wrong.append(message.text) if "Content Security Policy" in message.text else None
    )
    page.goto(urlsplit(invite_instructor(email="grace@example.org").link).path)
    _check(page, wrong, looks)
    _fill(page, username="grace", password1=PASSWORD, password2=PASSWORD)
    _press(page, "Create account")
    expect(page.get_by_text("Welcome, grace.")).to_be_visible()

    page.get_by_role("link", name="Account", exact=True).click()
    _check(page, wrong, looks)
    page.get_by_role("link", name="Set up two-factor authentication").click()
    _check(page, wrong, looks)
    app = TOTP(b32decode(page.locator(".secret").inner_text().replace(" ", "")))
    _fill(page, code=f"{app.token():06}", password=PASSWORD)
    _press(page, "Turn on two-factor authentication")
    _check(page, wrong, looks)
    codes = page.locator(".recovery-codes code").all_inner_texts()
    assert len(codes) == 10
    page.get_by_role("link", name="I have saved the codes").click()
    _press(page, "Sign out everywhere, including here")

    _fill(page, username="grace", password=PASSWORD)
    _press(page, "Sign in")
    page.locator("details:has(#id_recovery) > summary").click()
    _check(page, wrong, looks)
    _fill(page, recovery=codes[0])
    _press(page, "Sign in with a recovery code")
    expect(page).to_have_url("/surveys/")
    page.goto("/account/two-factor/off/")
    _check(page, wrong, looks)
    _fill(page, password=PASSWORD, code=codes[1])
    _press(page, "Turn off two-factor authentication")
    expect(page.get_by_role("link", name="Set up two-factor authentication")).to_be_visible()
    assert not TOTPDevice.objects.exists()
    assert wrong == []


# test_every_page.py audits them in `make test` too.
@pytest.mark.slow
def test_the_pages_of_strangers_are_for_everybody(
    new_context: NewContext, site: str, monkeypatch: pytest.MonkeyPatch, every_look: Looks
) -> None:
    # Eleven tries take a browser seconds: no window may end among them.
    monkeypatch.setattr(sign_in, "WINDOW_SECONDS", 10**9)
    wrong: list[str] = []
    person()
    page = new_context(viewport={"width": 1280, "height": 800}).new_page()
    for address in ("/sign-up/", "/sign-up/AAAA/", "/password/reset/", "/password/reset/sent/"):
        page.goto(address)
        _check(page, wrong, every_look)
    page.goto("/sign-in/")
    expect(page.get_by_label("Username")).to_be_focused()
    statuses = []
    for _ in range(11):
        _fill(page, username="ada", password="wrong")
        with page.expect_response(lambda response: response.request.method == "POST") as answered:
            _press(page, "Sign in")
        statuses.append(answered.value.status)
    assert statuses[-1] == 429
    _check(page, wrong, every_look)
    assert wrong == []


def _sign_in_there(page: Page) -> None:
    """Fill in the provider's own pages."""
    page.get_by_placeholder("Enter any login").fill("grace")
    page.get_by_placeholder("and password").fill("any")
    _press(page, "Sign-in")
    _press(page, "Continue")


def test_an_account_that_the_provider_signs_in_to(
    new_context: NewContext, site: str, looks: Looks, certified: Certified, settings: Settings
) -> None:
    """The provider is another site: the policy lets a browser go there, and its cookie comes back with it."""
    settings.OIDC_ISSUER, settings.OIDC_NAME = certified.plain, "the university"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = "local", SECRET
    settings.OIDC_DOMAINS = ["university.example"]
    wrong: list[str] = []
    page = new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.on(
        "console", lambda message: wrong.append(message.text) if "Content Security Policy" in message.text else None
    )
    page.goto("/sign-in/?next=/account/")
    _check(page, wrong, looks)
    page.get_by_role("link", name="Sign in with the university").click()
    _sign_in_there(page)
    _check(page, wrong, looks)
    _fill(page, username="grace")
    _press(page, "Create account")
    expect(page).to_have_url("/account/")
    _check(page, wrong, looks)

    # It has asked lately, but not for this.
    page.get_by_role("link", name="Set up two-factor authentication").click()
    _sign_in_there(page)
    _check(page, wrong, looks)
    expect(page).to_have_url("/account/two-factor/")

    page.goto("/account/")
    _press(page, "Sign out everywhere, including here")
    _check(page, wrong, looks)
    expect(page.get_by_role("link", name="Sign out of the university")).to_be_visible()
    page.goto("/provider/back/?code=x&state=y")
    _check(page, wrong, looks)
    assert wrong == []
