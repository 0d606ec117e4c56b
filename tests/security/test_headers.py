"""Every answer carries the headers, whatever its status; what respondents are sent holds no script or style inline."""

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import path

from surveys.answering.services.collecting import new_nonce
from surveys.course.services import close_survey, pause_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Survey
from surveys.sharing.services import invite, new_batch
from surveys.urls import urlpatterns as real
from tests.factories import every_kind, make_open, make_user
from tests.pages import owner_of

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
    "worker-src 'none'",
}


@override_settings(ROOT_URLCONF="tests.security.test_headers")
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/", 200),
        ("/s/{code}/", 203),
        ("/surveys/", 302),
        ("/s/NOSUCH/", 404),
        ("/admin/", 302),
        ("/admin/login/", 302),
        ("/static/favicon.svg", 200),
        ("/static/nothing.js", 404),
        ("/broken", 500),
        ("/healthz", 200),
        ("/lti/keys/", 200),
        ("/lti/redeem/NQPE23/", 404),
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


@pytest.mark.parametrize("address", ["/static/css/deniable.css", "/static/js/randomizer.js"])
def test_a_part_of_a_page_carries_the_headers_but_no_policy_of_pages(address: str) -> None:
    response = Client().get(address)
    response.close()
    assert {name: response.get(name) for name in EXPECTED} == EXPECTED
    assert {"Content-Security-Policy", "Permissions-Policy"}.isdisjoint(response.headers)
    assert len(str(response.headers)) < 600


def test_only_where_a_survey_is_presented_the_page_may_fill_the_screen() -> None:
    survey = make_open()
    client = owner_of(survey)
    pages = ("present/", "present/live/", "share/", "")
    policies = {page: client.get(f"/surveys/{survey.code}/{page}")["Permissions-Policy"] for page in pages}
    everywhere = client.get("/")["Permissions-Policy"]
    assert "fullscreen=()" in everywhere
    assert policies.pop("present/") == everywhere.replace("fullscreen=()", "fullscreen=(self)")
    assert set(policies.values()) == {everywhere}


# What respondents are sent.

BY_SCRIPT = {"Accept": "application/json"}
TRUSTED_TYPES = {"require-trusted-types-for 'script'", "trusted-types 'none'"}


def _by_device(reports: str = "1", **changes: str) -> dict[str, str]:
    return {"mode": "device", "nonce": new_nonce(), "reports": reports} | changes


def _invited() -> tuple[Survey, str]:
    survey = make_open(by_invitation=True)
    (token,) = invite(survey=survey, number=1, batch=new_batch()).tokens
    return survey, f"/s/{survey.code}/i/{token}/"


def respondent_answers() -> Iterator[tuple[str, int, HttpResponse]]:
    """Yield what the answer is to, its status, and the answer, through all pages of respondents and all refusals."""
    survey = make_open(*every_kind(), server_mode_allowed=True)
    add_group(survey=survey, name="North")
    short, closed, paused = (make_open(server_mode_allowed=True) for _ in range(3))
    full = make_open(response_cap=1)
    Client().post(f"/s/{full.code}/", _by_device())
    close_survey(survey=closed)
    pause_survey(survey=paused)
    by_invitation, invited = _invited()
    door, group = f"/s/{survey.code}/", f"/s/{survey.code}/north/"
    for address in (f"{door}receipt/", f"{group}receipt/"):
        yield address, 200, Client().get(address)
    with_forms = (f"{where}{page}" for where in (door, group) for page in ("", "server/", "own-coin/"))
    for address in (*with_forms, invited):
        yield address, 203, Client().get(address)
    yield "small letters", 302, Client().get(door.lower())
    yield "unknown group", 404, Client().get(f"{door}nosuch/")
    yield "unknown group below", 404, Client().get(f"{door}nosuch/own-coin/")
    yield "unknown code", 404, Client().get("/s/NOSUCH/")
    yield "no invitations here", 404, Client().get(f"{door}i/NOSUCH/")
    yield "no server here", 404, Client().get(f"{invited}server/")
    yield "a method", 405, Client().put(door)
    yield "no invitation", 403, Client().get(f"/s/{by_invitation.code}/")
    yield "wrong invitation", 404, Client().get(f"/s/{by_invitation.code}/i/{'A' * 26}/")
    yield "full", 410, Client().get(f"/s/{full.code}/")
    yield "closed", 410, Client().get(f"/s/{closed.code}/")
    yield "paused", 403, Client().get(f"/s/{paused.code}/")
    yield "true answers refused", 303, Client().post(f"/s/{closed.code}/server/", _by_device())
    yield "no token", 403, Client(enforce_csrf_checks=True).post(door, _by_device())
    short_door = f"/s/{short.code}/"
    for headers in ({}, BY_SCRIPT):
        sent = "by script" if headers else "by form"
        yield f"bad reports {sent}", 400, Client().post(short_door, _by_device("x"), headers=headers)
        yield (
            f"unfinished {sent}",
            400 if headers else 303,
            Client().post(f"{short_door}server/", {"mode": "server", "nonce": new_nonce()}, headers=headers),
        )
        yield f"closed {sent}", 410, Client().post(f"/s/{closed.code}/", _by_device(), headers=headers)
        yield f"paused {sent}", 403, Client().post(f"/s/{paused.code}/", _by_device(), headers=headers)
        browser, first = Client(), _by_device()
        yield f"stored {sent}", 200 if headers else 303, browser.post(short_door, first, headers=headers)
        yield f"other reports {sent}", 409, Client().post(short_door, first | {"reports": "0"}, headers=headers)
        yield f"another answer {sent}", 409, browser.post(short_door, _by_device("0"), headers=headers)
        yield f"already {sent}", 200, browser.get(short_door)
        yield f"receipt {sent}", 200, browser.get(f"{short_door}receipt/")
    Client().post(invited, _by_device())
    yield "spent", 410, Client().get(invited)
    yield "spent by script", 410, Client().post(invited, _by_device(), headers=BY_SCRIPT)


# Answered before any page of the survey could: to a request that may not be cached, in a page that runs nothing.
BEFORE_THE_PAGES = {"a method", "no token", "true answers refused"}


def _missing(response: HttpResponse, *, before: bool = False) -> list[str]:
    """Return the headers that an answer to a respondent lacks or has wrong."""
    policy = {part.strip() for part in response.get("Content-Security-Policy", "").split(";")}
    wrong = [name for name in EXPECTED if response.get(name) != EXPECTED[name]]
    wrong += sorted((DIRECTIVES if before else DIRECTIVES | TRUSTED_TYPES) - policy)
    wrong += ["unsafe"] if "unsafe" in response.get("Content-Security-Policy", "") else []
    wrong += [] if "camera=()" in response.get("Permissions-Policy", "") else ["Permissions-Policy"]
    wrong += [] if before or "no-store" in response.get("Cache-Control", "") else ["Cache-Control"]
    wrong += ["a script"] if before and b"<script" in response.content else []
    return wrong + [name for name in ("Access-Control-Allow-Origin", "X-Powered-By", "ETag") if name in response]


def test_every_answer_to_a_respondent_carries_the_headers() -> None:
    wrong, statuses = {}, set()
    for what, status, response in respondent_answers():
        statuses.add(status)
        found = _missing(response, before=what in BEFORE_THE_PAGES)
        if found or response.status_code != status:
            wrong[what] = (response.status_code, found)
    assert wrong == {}
    assert statuses == {200, 203, 302, 303, 400, 403, 404, 405, 409, 410}


@pytest.mark.parametrize(
    ("left_out", "lost"),
    [
        ("surveys.middleware.policies", "default-src 'none'"),
        ("surveys.middleware.policies", "Permissions-Policy"),
        ("django.middleware.security.SecurityMiddleware", "Referrer-Policy"),
    ],
)
def test_a_header_that_is_left_out_is_missed(left_out: str, lost: str) -> None:
    survey = make_open()
    with override_settings(MIDDLEWARE=[name for name in settings.MIDDLEWARE if name != left_out]):
        assert lost in _missing(Client().get(f"/s/{survey.code}/"))


class _Inline(HTMLParser):
    """Finds what a strict policy would have to allow for: scripts, styles and handlers in the page itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        names = [name for name in values if name == "style" or name.startswith("on") or name == "srcdoc"]
        self.found += [f"{tag} {name}" for name in names]
        if tag in {"style", "iframe", "object", "embed", "base"}:
            self.found.append(tag)
        if tag == "script" and "src" not in values and values.get("type") != "application/json":
            self.found.append("script")
        for name in ("src", "href", "action", "formaction", "poster", "srcset"):
            address = values.get(name) or ""
            if address.startswith(("javascript:", "data:", "http:", "//")):
                self.found.append(f"{tag} {name} {address}")


def _inline(html: str) -> list[str]:
    parser = _Inline()
    parser.feed(html)
    return parser.found


def test_what_respondents_are_sent_holds_no_script_style_or_handler_and_nothing_from_elsewhere() -> None:
    pages = {
        what: response.content.decode()
        for what, _, response in respondent_answers()
        if response.get("Content-Type", "").startswith("text/html")
    }
    assert len(pages) > 25
    assert {what: found for what, html in pages.items() if (found := _inline(html))} == {}


@pytest.mark.parametrize(
    "planted",
    [
        '<p style="">',
        "<p onclick=x>",
        "<style>",
        "<script>1</script>",
        '<script type="module">',
        '<a href="javascript:x">',
        '<img src="//elsewhere/x.png">',
        "<base>",
        '<script src="http://elsewhere/x.js">',
    ],
)
def test_planted_markup_is_found(planted: str) -> None:
    assert _inline(f'<main><script type="application/json">1</script>{planted}</main>') != []


def test_staff_pages_are_never_cached(client: Client) -> None:
    client.force_login(make_user())
    assert "no-store" in client.get("/surveys/")["Cache-Control"]


def test_a_respondent_gets_no_session_and_no_cookie_that_scripts_can_read() -> None:
    client = Client()
    client.get(f"/s/{make_open().code}/")
    assert "sessionid" not in client.cookies
    assert all(cookie["httponly"] and cookie["samesite"] == "Lax" for cookie in client.cookies.values())
