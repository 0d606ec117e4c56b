"""Every answer carries the headers, whatever its status."""

import pytest
from django.test import Client, override_settings
from django.urls import path

from surveys.urls import urlpatterns as real
from tests.factories import make_open, make_user

pytestmark = pytest.mark.django_db


def _broken(request: object) -> None:
    raise RuntimeError("broken on purpose")


urlpatterns = [path("broken", _broken), *real]  # type: ignore[arg-type]

EXPECTED = {
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
DIRECTIVES = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "object-src 'none'",
}


@override_settings(ROOT_URLCONF="tests.security.test_headers")
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/", 200),
        ("/s/{code}/", 200),
        ("/surveys/", 302),
        ("/s/NOSUCH/", 404),
        ("/admin/", 302),
        ("/admin/login/", 200),
        ("/static/css/deniable.css", 200),
        ("/static/js/randomizer.js", 200),
        ("/static/nothing.js", 404),
        ("/broken", 500),
        ("/healthz", 200),
    ],
)
def test_every_answer_carries_the_headers(address: str, status: int) -> None:
    client = Client(raise_request_exception=False)
    response = client.get(address.format(code=make_open().code))
    response.close()
    assert response.status_code == status
    assert {name: response.get(name) for name in EXPECTED} == EXPECTED
    policy = {part.strip() for part in response["Content-Security-Policy"].split(";")}
    assert policy >= DIRECTIVES
    assert "unsafe" not in response["Content-Security-Policy"]
    assert "camera=()" in response["Permissions-Policy"]


def test_refused_posts_carry_the_headers_too() -> None:
    survey = make_open()
    no_token = Client(enforce_csrf_checks=True).post(f"/s/{survey.code}/", {"reports": "1"})
    bad_request = Client().post(f"/s/{survey.code}/", {"reports": "x"})
    assert (no_token.status_code, bad_request.status_code) == (403, 400)
    for response in (no_token, bad_request):
        assert {name: response.get(name) for name in EXPECTED} == EXPECTED
        assert response["Content-Security-Policy"]


def test_respondent_pages_enforce_trusted_types_and_are_never_cached() -> None:
    response = Client().get(f"/s/{make_open().code}/")
    assert "require-trusted-types-for 'script'" in response["Content-Security-Policy"]
    assert "no-store" in response["Cache-Control"]


def test_staff_pages_are_never_cached(client: Client) -> None:
    client.force_login(make_user())
    assert "no-store" in client.get("/surveys/")["Cache-Control"]


def test_a_respondent_gets_no_session_and_no_cookie_that_scripts_can_read() -> None:
    client = Client()
    client.get(f"/s/{make_open().code}/")
    assert "sessionid" not in client.cookies
    assert all(cookie["httponly"] and cookie["samesite"] == "Lax" for cookie in client.cookies.values())
