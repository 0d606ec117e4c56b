"""Every address, every kind of visitor, every method: what is not in the table fails, what is refused does nothing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, include, path

from surveys.common import views
from surveys.models import Right, Role, Survey
from surveys.models.membership import RIGHTS_OF
from tests.security.addresses import (
    accounts,
    authoring,
    credit,
    documents,
    files,
    learn,
    lessons,
    lifecycle,
    lti,
    people,
    presenting,
    public,
    rehearsing,
    releases,
    respondents,
    results,
)
from tests.security.addresses.dump import changed, dump
from tests.security.addresses.row import METHODS, VISITORS, Row, of_survey
from tests.security.addresses.setting import Setting

pytestmark = pytest.mark.django_db

AREAS = (
    accounts,
    authoring,
    credit,
    documents,
    files,
    learn,
    lessons,
    lifecycle,
    lti,
    people,
    presenting,
    public,
    rehearsing,
    releases,
    respondents,
    results,
)
TABLE: dict[str, tuple[Row, ...]] = {area.__name__.rpartition(".")[2]: area.ROWS for area in AREAS}
ROWS = tuple(row for rows in TABLE.values() for row in rows)
_REFUSED = {403, 404, 405}
# No survey has this code.
NO_CODE = "NQPE23"


def _names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.name)
        # The admin site's own addresses are its own; tests/releases/test_roles.py knows ours in it.
        elif pattern.app_name != "admin":
            yield from (f"{pattern.pattern} {name}".strip() for name in _names(pattern.url_patterns))


@pytest.fixture
def setting() -> Setting:
    setting = Setting()
    # Everybody is signed in before anything is compared or taken back.
    setting.client("anonymous")
    return setting


def _send(
    client: Client, method: str, row: Row, setting: Setting, survey: Survey, *, at: Survey | None = None
) -> HttpResponse:
    """Send a row's request, or the same request for another survey, `at` its address."""
    address = row.address(setting, at or survey)
    if method == "POST":
        return client.post(address, row.fields(setting, survey))
    return client.generic(method, address)


def test_every_address_is_listed() -> None:
    assert set(_names(get_resolver().url_patterns)) == {row.name for row in ROWS}


def test_an_address_that_nobody_listed_would_be_found() -> None:
    planted = path("new/", lambda request: None, name="new")  # type: ignore[arg-type, return-value]
    listed = {row.name for row in ROWS}
    assert set(_names([*get_resolver().url_patterns, planted])) - listed == {"new"}
    behind = path("s/<str:code>/", include([planted]))
    assert set(_names([*get_resolver().url_patterns, behind])) - listed == {"s/<str:code>/ new"}


def test_no_two_addresses_have_one_name() -> None:
    names = list(_names(get_resolver().url_patterns))
    assert sorted(names) == sorted(set(names))


def _requests(row: Row, place: int, *, every_method: bool) -> Iterator[tuple[str, str]]:
    """Return who tries what: all GET and POST, the actor every method, and one of the others one more, in turn.

    With `every_method` all the others try one more, and those whom it is not for try every method too.
    """
    for turn, visitor in enumerate(VISITORS, start=place):
        everything = visitor == row.actor or (every_method and not row.is_for(visitor))
        one_more = every_method or turn % len(VISITORS) == 0
        others = METHODS[2:] if everything else METHODS[2:][turn % 5 :][:one_more]
        yield from ((visitor, method) for method in ("GET", "POST", *others))


@dataclass(frozen=True)
class Found:
    """What is not as the table says: other answers, changes behind a refusal, and bodies that do nothing."""

    wrong: list[tuple[object, ...]] = field(default_factory=list)
    leaks: list[tuple[object, ...]] = field(default_factory=list)
    idle: list[tuple[object, ...]] = field(default_factory=list)


def _tried(rows: Sequence[Row], setting: Setting, *, every_method: bool = False) -> Found:
    """Send every row's requests, with the very body that does its work when the right person sends it."""
    faults = Found()
    for place, row in enumerate(rows):
        survey = setting.survey(row.state)
        row.prepare(setting, survey)
        before = dump()
        for visitor, method in _requests(row, place, every_method=every_method):
            expected = row.expected(visitor, method)
            with transaction.atomic():
                got = _send(setting.client(visitor), method, row, setting, survey)
                if expected not in _REFUSED and row.is_for(visitor):
                    # What it changes is taken back: the next visitor meets the same survey.
                    transaction.set_rollback(True)
            if got.status_code != expected:
                faults.wrong.append((row.name, row.state, visitor, method, got.status_code, expected))
            if row.to != "everybody" and got.status_code != 404 and row.is_for(visitor) and not _kept_nowhere(got):
                faults.wrong.append((row.name, row.state, visitor, method, "kept by caches"))
            if got.cookies and not {"private", "no-store"} <= _caching(got):
                faults.wrong.append((row.name, row.state, visitor, method, "a cookie kept by caches"))
        faults.leaks.extend((row.name, row.state, table) for table in changed(before, dump()))
        if row.post is not None and row.changes:
            with transaction.atomic():
                _send(setting.client(row.actor), "POST", row, setting, survey)
                if not changed(before, dump()):
                    faults.idle.append((row.name, row.state))
                transaction.set_rollback(True)
    return faults


@pytest.mark.uncounted
@pytest.mark.parametrize("every_method", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("area", TABLE)
def test_everybody_gets_what_is_theirs_and_what_is_refused_does_nothing(
    area: str, setting: Setting, every_method: bool
) -> None:
    assert _tried(TABLE[area], setting, every_method=every_method) == Found()


def test_after_signing_in_for_what_only_takes_post_there_is_a_page(setting: Setting) -> None:
    for row in (row for row in ROWS if row.get is None and row.to != "everybody"):
        survey = setting.survey(row.state)
        asked = _send(setting.client("anonymous"), "POST", row, setting, survey)
        then = parse_qs(urlsplit(asked["Location"]).query)["next"]
        assert setting.client("owner").get(then[0]).status_code == 200, row.name


@pytest.mark.slow
def test_a_cookie_that_caches_keep_would_be_found(setting: Setting, settings: object) -> None:
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if one != "surveys.middleware.keep_cookies_private"]  # type: ignore[attr-defined]
    wrong = _tried(public.ROWS, setting).wrong
    assert {(row[0], row[-1]) for row in wrong} == {("language", "a cookie kept by caches")}


def test_a_role_that_may_too_much_would_be_found(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RIGHTS_OF, Role.ANALYST, RIGHTS_OF[Role.ANALYST] | {Right.EDIT})
    faults = _tried([row for row in authoring.ROWS if row.name == "survey-versions"], setting)
    assert ("survey-versions", "draft", "analyst", "GET", 200, 403) in faults.wrong
    assert {visitor for _name, _state, visitor, *_rest in faults.wrong} == {"analyst"}


def test_a_refusal_that_changes_something_would_be_found(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_args: object) -> HttpResponse:
        Survey.objects.update(time_zone="Changed before it was refused")
        return HttpResponse(status=403)

    monkeypatch.setattr(views, "refuse_role", refused)
    faults = _tried([row for row in people.ROWS if row.name == "survey-people"][:1], setting)
    assert (faults.wrong, faults.leaks) == ([], [("survey-people", "draft", "surveys_survey")])


def test_a_body_that_does_nothing_would_be_found(setting: Setting) -> None:
    idle = of_survey("survey-people", "own", post=302, body={"action": "withdraw", "recipient": "nobody"})
    assert _tried([idle], setting).idle == [("survey-people", "draft")]


def test_a_post_without_its_token_changes_nothing(setting: Setting) -> None:
    leaks = []
    for row in ROWS:
        if row.post is not None:
            survey = setting.survey(row.state)
            row.prepare(setting, survey)
            client, before = setting.client(row.actor, enforce_csrf_checks=True), dump()
            answered = _send(client, "POST", row, setting, survey)
            # A form with true answers is led away to the page that says so.
            refused = answered.status_code in {400, 403} or answered.get("Location", "").endswith("?refused=403")
            if not refused or changed(before, dump()):
                leaks.append((row.name, row.state, answered.status_code))
    assert leaks == []


def test_to_a_stranger_a_survey_is_as_absent_as_one_that_is_none(setting: Setting) -> None:
    differences = []
    none = Survey(code=NO_CODE, pk=0)
    for row in ROWS:
        if row.of_a_survey:
            survey = setting.survey(row.state)
            for visitor in ("stranger", "admin"):
                method = "POST" if row.get is None else "GET"
                there, absent = (
                    _send(setting.client(visitor), method, row, setting, survey, at=at) for at in (survey, none)
                )
                if _seen(there, survey.code) != _seen(absent, NO_CODE):
                    differences.append((row.name, visitor))
    assert differences == []


def test_a_copy_to_rehearse_with_is_found_by_its_own_pages_only(setting: Setting) -> None:
    copy = setting.survey("rehearsal")
    wrong = []
    for row in ROWS:
        if row.of_a_survey:
            survey = setting.survey(row.state)
            with transaction.atomic():
                method = "POST" if row.get is None else "GET"
                answered = _send(setting.client("owner"), method, row, setting, survey, at=copy).status_code
                transaction.set_rollback(True)
            if (answered == 404) is row.rehearsals:
                wrong.append((row.name, answered))
    assert wrong == []


def _caching(response: HttpResponse) -> set[str]:
    return set(response.headers.get("Cache-Control", "").split(", "))


def _kept_nowhere(response: HttpResponse) -> bool:
    return "no-store" in _caching(response)


def _seen(response: HttpResponse, code: str) -> tuple[object, ...]:
    """Return what a visitor can see of an answer, but for what chance has put there and what they typed."""
    masked = re.sub(r'(?<=name="csrfmiddlewaretoken" value=")\w+', "", response.content.decode())
    headers = {name: value for name, value in response.headers.items() if name != "Content-Length"}
    return response.status_code, headers, masked.replace(code, "CODE")
