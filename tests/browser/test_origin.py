"""What a real browser says of where a form comes from, on a class's plain HTTP as well."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from playwright.sync_api import Browser, Page, Playwright, Route

from surveys.models import Response
from tests.browser.conftest import PATIENCE_MS, Launching
from tests.factories import make_open, yes_no

# Every name below .test is this machine; no browser takes such an address for one that it can trust.
NAMES = "--host-resolver-rules=MAP *.test 127.0.0.1"
FORM = '<form method="post" action="{address}">{fields}</form><script>document.forms[0].submit()</script>'


@pytest.fixture(scope="module")
def abroad(playwright: Playwright, launching: Launching) -> Iterator[Browser]:
    """A Chromium that finds every name below .test."""
    with playwright.chromium.launch(**launching | {"args": [*launching["args"], NAMES]}) as chromium:
        yield chromium


@pytest.fixture
def stranger(abroad: Browser, settings: LazySettings) -> Iterator[Page]:
    settings.ALLOWED_HOSTS = ["*"]
    with abroad.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()


@pytest.fixture(params=["localhost", "class.test"])
def door(request: pytest.FixtureRequest, site: str) -> str:
    """The address of a survey, over HTTP that the browser trusts, being its own machine's, and that it does not."""
    survey = make_open(yes_no(), server_mode_allowed=True)
    return f"http://{request.param}:{urlsplit(site).port}/s/{survey.code}/"


def test_our_own_form_is_taken_and_no_cookie_was_needed(stranger: Page, door: str) -> None:
    stranger.goto(f"{door}own-coin/")
    stranger.get_by_text("Yes", exact=True).first.click()
    assert stranger.context.cookies() == []
    stranger.get_by_role("button", name="Send").click()
    stranger.wait_for_url("**/receipt/")
    assert Response.objects.count() == 1


@pytest.mark.parametrize("place", ["", "server/"])
def test_a_form_of_another_site_is_refused(stranger: Page, door: str, place: str) -> None:
    named = {
        "nonce": "a" * 22,
        **({"mode": "server", "answer-1": "1"} if place else {"mode": "device", "reports": "1"}),
    }
    fields = "".join(f'<input name="{name}" value="{value}">' for name, value in named.items())

    def other_site(route: Route) -> None:
        route.fulfill(content_type="text/html", body=FORM.format(address=door + place, fields=fields))

    answers: list[int] = []
    stranger.on("response", lambda response: answers.append(response.status) if response.url == door else None)
    stranger.route("http://elsewhere.test/", other_site)
    stranger.goto("http://elsewhere.test/")
    # A form with true answers is answered by a redirect: the browser's history does not keep it.
    stranger.wait_for_url(f"{door}{place}?refused=403" if place else door)
    if not place:
        assert answers == [403]
    assert not Response.objects.exists()
