"""What another site's page asks to be written is refused, everywhere; forms for strangers carry nothing to show it."""

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver

from surveys.answering.services.collecting import new_nonce
from surveys.answering.views.doors import form_not_checked
from surveys.middleware import own_pages_only
from surveys.models import Response
from tests.factories import make_open
from tests.pages import text_of

HERE = "http://testserver"
# What browsers send with a form, from a page of the same origin and from that of another site. Over plain HTTP, but for
# addresses of the machine itself, no browser sends Sec-Fetch-Site.
OURS = {
    "Chromium, HTTPS or localhost": {"Origin": HERE, "Sec-Fetch-Site": "same-origin"},
    "Chromium, plain HTTP": {"Origin": HERE},
    "Firefox, HTTPS or localhost": {"Origin": HERE, "Sec-Fetch-Site": "same-origin"},
    "Firefox, plain HTTP": {"Origin": HERE},
    "Safari before 16.4": {"Origin": HERE},
    "a form sent again from the address bar": {"Sec-Fetch-Site": "none"},
    "a proxy that says http for https": {"Origin": "https://testserver", "Sec-Fetch-Site": "same-origin"},
}
OTHERS = {
    "another site": {"Origin": "https://example.org", "Sec-Fetch-Site": "cross-site"},
    "another site, plain HTTP": {"Origin": "http://example.org"},
    "another host of the same site": {"Origin": "http://other.testserver", "Sec-Fetch-Site": "same-site"},
    "another port": {"Origin": "http://testserver:8080"},
    "another scheme": {"Origin": "https://testserver"},
    "a sandboxed frame": {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    "a sandboxed frame, plain HTTP": {"Origin": "null"},
    "our origin beside what says otherwise": {"Origin": HERE, "Sec-Fetch-Site": "cross-site"},
    "an address that only begins like ours": {"Origin": "http://testserver.example.org"},
    "in other letters": {"Origin": HERE, "Sec-Fetch-Site": "Same-Origin"},
    "nothing that says where it comes from": {},
    "an empty origin": {"Origin": ""},
    "a referrer alone": {"Referer": f"{HERE}/"},
}


def _passes(headers: dict[str, str], method: str = "post") -> bool:
    request = getattr(RequestFactory(), method)("/", headers=headers)
    answered = own_pages_only(lambda _request: HttpResponse(status=204))(request)
    assert answered.status_code in {204, 403}
    return answered.status_code == 204


@pytest.mark.parametrize("headers", OURS.values(), ids=OURS)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_our_own_pages_may_write(headers: dict[str, str], method: str) -> None:
    assert _passes(headers, method)


@pytest.mark.parametrize("headers", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_pages_of_other_sites_may_not(headers: dict[str, str], method: str) -> None:
    assert not _passes(headers, method)


@pytest.mark.parametrize("method", ["get", "head", "options", "trace"])
def test_whoever_only_reads_may_come_from_anywhere(method: str) -> None:
    assert _passes(OTHERS["another site"], method)


def test_an_origin_that_is_trusted_may_write(settings: LazySettings) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://example.org"]
    assert _passes(OTHERS["another site"])
    assert not _passes({"Origin": "https://example.org.example.net", "Sec-Fetch-Site": "cross-site"})


@pytest.mark.django_db
def test_a_report_from_another_site_is_not_stored() -> None:
    survey, stranger = make_open(), Client(enforce_csrf_checks=True)
    fields = {"mode": "device", "reports": "1", "nonce": new_nonce()}
    for headers in OTHERS.values():
        answered = stranger.post(f"/s/{survey.code}/", fields, headers=headers)
        assert answered.status_code == 403
        assert "Nothing was stored" in text_of(answered)
        assert not Response.objects.exists()
    assert stranger.post(f"/s/{survey.code}/", fields, headers={"Origin": HERE}).status_code == 303
    assert Response.objects.count() == 1


# Who has signed in has authority to forge: their pages keep the token of Django as well.


def _exempt(views: list[URLPattern | URLResolver]) -> set[str]:
    names: set[str] = set()
    for one in views:
        if isinstance(one, URLResolver):
            names |= _exempt(one.url_patterns)
        elif getattr(one.callback, "csrf_exempt", False):
            names.add(str(one.name))
    return names


def test_only_pages_for_strangers_do_without_a_token() -> None:
    assert _exempt(get_resolver().url_patterns) == {
        "answer", "declined", "lesson", "lesson-find", "lesson-now", "lesson-picture", "lti-deep-link", "lti-launch",
        "lti-login", "lti-redeem", "own-coin", "receipt", "receipt-result", "server-coin", "language",
    }  # fmt: skip


@pytest.mark.django_db
def test_no_page_of_a_stranger_draws_a_token() -> None:
    survey, stranger = make_open(server_mode_allowed=True), Client()
    for address in ("/", "/check/", "/nothing", *(f"/s/{survey.code}/{rest}" for rest in ("", "server/", "own-coin/"))):
        page = stranger.get(address)
        assert b"csrf" not in page.content
        assert not page.cookies


def test_django_asks_for_a_cookie_and_the_origin_for_none() -> None:
    request = RequestFactory().post("/")
    assert b"cookies" not in form_not_checked(request).content
    assert b"Allow cookies" in form_not_checked(request, reason="CSRF cookie not set.").content
