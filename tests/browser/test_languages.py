"""Pages from right to left, and with texts half as long again, in a real browser; and the choice of a language."""

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from tests.browser.audit import Looks, Setting, sideways, violations
from tests.browser.conftest import NewContext
from tests.browser.test_instructor import _addresses, _surveys
from tests.factories import make_user
from tests.i18n.pseudo import use_pseudo
from tests.programs import GETTEXT

SETTINGS = (Setting(320), Setting(1280, dark=True))
PUBLIC = ("/", "/join?code=0", "/nothing", "/sign-in/", "/check/")


LANGUAGES = (("ar", "rtl"), ("eo", "ltr"))
Pages = Callable[[str, int | None], Iterator[tuple[str, Page]]]


@pytest.fixture
def pages(new_context: NewContext, site: str) -> Pages:
    """Opens every page of visitors and instructors in a browser that asks for a language."""

    def walk(language: str) -> Iterator[tuple[str, Page]]:
        teacher = make_user()
        client = Client()
        client.force_login(teacher)
        context = new_context(locale=language)
        page = context.new_page()
        for address in (*PUBLIC, *_addresses(_surveys(teacher))):
            if address.startswith("/surveys/"):
                context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
            page.goto(address)
            yield address, page

    return walk


@pytest.mark.slow
@pytest.mark.skipif(GETTEXT.find() is None, reason=GETTEXT.how_to_install)
@pytest.mark.parametrize(("language", "direction"), LANGUAGES)
def test_axe_finds_nothing_and_nothing_overflows_in_another_language(
    pages: Pages, settings: Settings, every_look: Looks, language: str, direction: str
) -> None:
    use_pseudo(settings)
    wrong = {}
    for address, page in pages(language):
        if not address.endswith("/preview/"):
            assert page.locator("html").get_attribute("dir") == direction, address
        for setting, rules in every_look.at(page, SETTINGS):
            wrong[address, setting] = [*violations(page, rules), *sideways(page)]
    assert {where: problems for where, problems in wrong.items() if problems} == {}


def test_a_language_is_chosen_without_scripts_and_the_page_stays(new_context: NewContext) -> None:
    page: Page = new_context(locale="en", java_script_enabled=False).new_page()
    page.goto("/join?code=0")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert page.url.endswith("/join?code=0")
    assert page.get_by_role("button", name="Deutsch").get_attribute("aria-current") == "true"
