"""Every address and every kind of visitor: what is not listed here fails."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, include, path, reverse

from surveys.models import Release, Survey
from surveys.selectors.releases.index import index_key
from surveys.services.inviting import invite, new_batch
from tests.factories import make_admin, make_open, make_user
from tests.releases.setting import make_release, published_release, ready_survey

pytestmark = pytest.mark.django_db

VISITORS = ("anonymous", "stranger", "owner", "admin")
# For each name: what a GET answers to the four visitors, and the methods that are accepted besides GET and HEAD.
# An admin is a stranger to other people's surveys: releases and budgets are in the admin site.
SURVEY = ((302, 404, 200, 404), ())
ACT = ((302, 404, 200, 404), ("POST",))
PUBLIC = ((200, 200, 200, 200), ())
PROGRAMS = (
    "survey-export-codebook",
    "survey-export-codebook-csv",
    "survey-export-r",
    "survey-export-python",
    "survey-export-notebook",
)
REPORTS = ("survey-export-csv", "survey-export-labels", "survey-export-json")
DOORS = (
    "s/<str:code>/",
    "s/<str:code>/i/<str:token>/",
    "s/<str:code>/<str:group>/",
    "s/<str:code>/<str:group>/i/<str:token>/",
)
BEHIND_A_DOOR = {
    "answer": ((200, 200, 200, 200), ("POST",)),
    "own-coin": ((203, 203, 203, 203), ()),  # never kept for going back
    "server-coin": ((203, 203, 203, 203), ("POST",)),
    "receipt": PUBLIC,
}
TABLE: dict[str, tuple[tuple[int, int, int, int], tuple[str, ...]]] = {
    "landing": PUBLIC,
    "join": ((404, 404, 404, 404), ()),  # without a code there is nothing to join
    "check": PUBLIC,
    "language": ((405, 405, 405, 405), ("POST",)),
    **{f"{door} {name}": row for door in DOORS for name, row in BEHIND_A_DOOR.items()},
    "login": ((200, 302, 302, 302), ("POST",)),
    "logout": ((405, 405, 405, 405), ("POST",)),
    "survey-list": ((302, 200, 200, 200), ()),
    "survey-new": ((302, 200, 200, 200), ("POST",)),
    "survey-detail": SURVEY,
    "survey-edit": ((302, 404, 302, 404), ("POST",)),
    "survey-preview": SURVEY,
    "survey-share": SURVEY,
    "survey-qr": SURVEY,
    "survey-groups": ACT,
    "survey-invitations": ACT,
    "survey-invitations-csv": ((302, 404, 405, 404), ("POST",)),
    "surveys/<str:code>/results/ survey-results": SURVEY,
    "surveys/<str:code>/results/ survey-figures": SURVEY,
    "surveys/<str:code>/results/ survey-results-question": SURVEY,
    "surveys/<str:code>/results/ survey-results-groups": SURVEY,
    "surveys/<str:code>/results/ survey-results-relate": SURVEY,
    "surveys/<str:code>/results/ survey-results-regression": SURVEY,
    "surveys/<str:code>/results/ survey-results-bayes": SURVEY,
    "surveys/<str:code>/results/ survey-results-plan": SURVEY,
    "surveys/<str:code>/results/ survey-results-methods": SURVEY,
    **{f"surveys/<str:code>/export/ {name}": SURVEY for name in ("survey-export", *PROGRAMS)},
    # Without enough responses there is nothing to export.
    **{f"surveys/<str:code>/export/ {name}": ((302, 404, 409, 404), ()) for name in REPORTS},
    "survey-ethics": SURVEY,
    "survey-open": ACT,
    "survey-pause": ((302, 404, 405, 404), ("POST",)),
    "survey-close": ACT,
    "release": PUBLIC,
    "release-json": PUBLIC,
    "release-index": PUBLIC,
    "release-index-json": PUBLIC,
    "healthz": PUBLIC,
    "readyz": PUBLIC,
}


def _names(patterns: list[URLPattern | URLResolver]) -> set[str]:
    names = {str(pattern.name) for pattern in patterns if isinstance(pattern, URLPattern)}
    for resolver in patterns:
        # The admin site's own addresses are its own; tests/releases/test_roles.py knows ours in it.
        if isinstance(resolver, URLResolver) and resolver.app_name != "admin":
            names |= {f"{resolver.pattern} {name}" for name in _names(resolver.url_patterns)}
    return names


def _address(name: str, survey: Survey, release_id: str) -> str:
    door, _, page = name.rpartition(" ")
    if page == "survey-results-question":
        return reverse(page, args=[survey.code, 1])
    if door.startswith("s/"):
        return _behind(door, page, survey)
    if name in {"release", "release-json"}:
        return reverse(name, args=[release_id])
    if name in {"release-index", "release-index-json"}:
        return reverse(name, args=[index_key(Release.objects.get(pk=release_id).survey)])
    needs_code = page.startswith("survey-") and page not in {"survey-list", "survey-new"}
    return reverse(page, args=[survey.code] if needs_code else [])


def _behind(door: str, page: str, survey: Survey) -> str:
    """Return the address of a page behind a door; behind those with a token it is a survey by invitation."""
    where = {}
    if "token" in door:
        survey = make_open(owner=survey.owner, server_mode_allowed=True, by_invitation=True)
        where["token"] = invite(survey=survey, number=1, batch=new_batch()).tokens[0]
    if "group" in door:
        where["group"] = survey.groups.get_or_create(slug="north", name="North")[0].slug
    return reverse(page, kwargs=where | {"code": survey.code})


@pytest.fixture
def visitors() -> dict[str, User | None]:
    return {"anonymous": None, "stranger": make_user(), "owner": make_user("owner"), "admin": make_admin()}


def _client(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def test_every_address_is_listed() -> None:
    assert _names(get_resolver().url_patterns) == set(TABLE)


def test_an_address_that_nobody_listed_would_be_found() -> None:
    planted = path("new/", lambda request: None, name="new")  # type: ignore[arg-type, return-value]
    assert _names([*get_resolver().url_patterns, planted]) - set(TABLE) == {"new"}
    behind = path("s/<str:code>/", include([planted]))
    assert _names([*get_resolver().url_patterns, behind]) - set(TABLE) == {"s/<str:code>/ new"}


def test_everybody_gets_what_is_theirs(visitors: dict[str, User | None]) -> None:
    owner = visitors["owner"]
    assert owner is not None
    release = published_release(ready_survey())
    survey = make_open(owner=owner, server_mode_allowed=True)
    clients = {visitor: _client(user) for visitor, user in visitors.items()}
    answers = {
        name: tuple(clients[visitor].get(_address(name, survey, release.pk)).status_code for visitor in VISITORS)
        for name in TABLE
    }
    assert answers == {name: statuses for name, (statuses, _methods) in TABLE.items()}


def test_no_address_takes_a_method_that_it_does_not_need(visitors: dict[str, User | None]) -> None:
    owner = visitors["owner"]
    assert owner is not None
    release = published_release(ready_survey())
    survey = make_open(owner=owner, server_mode_allowed=True)
    client = _client(owner)
    taken = [
        (name, method)
        for name, (_statuses, methods) in TABLE.items()
        for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS")
        if method not in methods
        and client.generic(method, _address(name, survey, release.pk)).status_code not in {405, 302}
        and not (name in {"login", "logout"} and method == "OPTIONS")
    ]
    assert taken == []


def test_an_unpublished_release_is_not_found_by_anybody(visitors: dict[str, User | None]) -> None:
    release = make_release(ready_survey())
    for user in visitors.values():
        for name in ("release", "release-json"):
            assert _client(user).get(reverse(name, args=[release.pk])).status_code == 404
        # Nor does a list say that there are any.
        for name in ("release-index", "release-index-json"):
            assert _client(user).get(reverse(name, args=[index_key(release.survey)])).status_code == 404
