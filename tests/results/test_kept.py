"""What a page shows of its survey is made once and kept: while it is true, and for nobody without rights."""

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.contrib import messages
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.template import RequestContext, Template
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from surveys.common import caches
from surveys.common.caches import PAGES
from surveys.course import services
from surveys.course.services import close_survey, purge_survey, seal_survey
from surveys.drafts.services.groups import rename_group
from surveys.models import LastRun, Membership, Survey
from surveys.models.membership import Role
from surveys.results import report
from surveys.results.kept import Part
from surveys.results.pages import TABS
from tests.factories import fill, make_draft, make_open, make_user, one_of, plain, rewrite, send, yes_no
from tests.pages import owner_of
from tests.results.grouping import answer, group_of

pytestmark = pytest.mark.django_db
_TOKEN = re.compile(r'(csrfmiddlewaretoken" value=)"\w+"')


def _get(client: Client, survey: Survey, name: str = "survey-results", query: str = "", **headers: str) -> str:
    return _page(client.get(reverse(name, args=[survey.code]) + query, headers=headers))


def _page(response: HttpResponseBase) -> str:
    """Return a page without the token that is new in each."""
    assert isinstance(response, HttpResponse)
    return _TOKEN.sub(r"\1", response.content.decode())


def _answered(**fields: str) -> Survey:
    survey = make_open(yes_no("Q1?"), yes_no("Q2?"), title="The survey", **fields)
    fill(survey, {"11": 30, "10": 20, "01": 20, "00": 30})
    return survey


def _in_groups() -> Survey:
    survey = make_open(yes_no("Q1?"), one_of(("a", "b"), "Q2?"), plain("Q3?"), title="The survey")
    for name in ("North", "South"):
        answer(survey, {"000": 20, "101": 30, "010": 20, "110": 30}, group_of(survey, name))
    return close_survey(survey=survey)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Survey]:
    """The surveys whose responses are read for figures."""
    looked, real = [], report.snapshot_of

    def counting(survey: Survey, definition: object) -> object:
        looked.append(survey)
        return real(survey, definition)  # type: ignore[arg-type]

    monkeypatch.setattr(report, "snapshot_of", counting)
    return looked


@pytest.mark.parametrize(
    "make", [_answered, _in_groups, lambda: make_open(yes_no())], ids=["open", "closed", "too few"]
)
def test_pages_asked_for_again_are_what_they_were_and_no_two_are_mistaken_for_each_other(
    make: Callable[[], Survey], looks: list[Survey]
) -> None:
    survey = make()
    client, names = owner_of(survey), [tab.name for tab in TABS]
    anew, refused = [], 0
    for name in names:
        caches.clear()
        response = client.get(reverse(name, args=[survey.code]))
        refused += "results/refused.html" in {template.name for template in response.templates}
        anew.append(_page(response))
    caches.clear()
    assert [_get(client, survey, name) for name in names] == anew
    looks.clear()
    assert [_get(client, survey, name) for name in names] == anew
    # Only what is refused is looked at again, to refuse it.
    assert len(looks) == refused


CHANGES: dict[str, Callable[[Survey], object]] = {
    "a new answer": lambda survey: send(survey, "11"),
    "a new batch": lambda survey: fill(survey, {"11": 50}),
    "paused": lambda survey: services.pause_survey(survey=survey),
    "closed": lambda survey: close_survey(survey=survey),
    "another time zone": lambda survey: Survey.objects.filter(pk=survey.pk).update(time_zone="Asia/Tokyo"),
    "its closing time has come": lambda survey: Survey.objects.filter(pk=survey.pk).update(
        opens_at=timezone.now() - dt.timedelta(days=2), closes_at=timezone.now() - dt.timedelta(days=1)
    ),
    "it is full": lambda survey: Survey.objects.filter(pk=survey.pk).update(response_cap=100),
    "counting goes on": lambda _survey: LastRun.objects.create(job="folds", at=timezone.now()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("name", ["survey-results", "survey-results-methods"])
def test_a_page_never_outlives_what_it_shows(name: str, change: Callable[[Survey], object]) -> None:
    survey = _answered()
    # One waits, and counting stands still: the page says so.
    send(survey, "11")
    Survey.objects.filter(pk=survey.pk).update(created_at=timezone.now() - dt.timedelta(hours=2))
    client = owner_of(survey)
    before = _get(client, survey, name)
    change(Survey.objects.get(pk=survey.pk))
    after = _get(client, survey, name)
    caches.clear()
    assert after == _get(client, survey, name)
    if name == "survey-results":
        assert after != before


def test_a_page_never_outlives_the_names_on_it() -> None:
    survey = _in_groups()
    client = owner_of(survey)
    assert "North" in _get(client, survey, "survey-results-groups")
    rename_group(group=survey.groups.get(name="North"), name="Oslo")
    page = _get(client, survey, "survey-results-groups")
    assert "Oslo" in page
    assert "North" not in page


def test_a_draft_changes_by_itself() -> None:
    draft = make_draft(yes_no("Before?"))
    client = owner_of(draft)
    _get(client, draft)
    rewrite(draft, text="After?")
    after = _get(client, draft)
    caches.clear()
    assert after == _get(client, draft)


def test_options_language_and_address_have_pages_of_their_own() -> None:
    survey = _answered()
    client = owner_of(survey)
    asked: list[tuple[str, dict[str, str]]] = [
        ("", {}),
        ("?level=.99", {}),
        ("?method=wald", {}),
        ("?forged=7", {}),
        ("?method=%3Cb%3E", {}),
        ("?method=%3Ci%3E", {}),
        ("", {"accept-language": "de"}),
    ]
    pages = [_get(client, survey, query=query, **headers) for query, headers in asked]
    assert len(set(pages)) == len(asked)
    for page, (query, headers) in zip(pages, asked, strict=True):
        caches.clear()
        assert page == _get(client, survey, query=query, **headers)


def test_the_answer_link_is_of_the_address_that_was_asked() -> None:
    few = make_open(yes_no())
    client = owner_of(few)
    address = reverse("survey-results", args=[few.code])
    for host in ("testserver", "localhost"):
        assert f"http://{host}/s/{few.code}/" in client.get(address, headers={"host": host}).content.decode()


def _colleague(survey: Survey, *roles: Role) -> Client:
    user = make_user()
    for role in roles:
        Membership.objects.create(survey=survey, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


def test_what_is_kept_is_shown_to_nobody_without_rights() -> None:
    survey = _answered()
    owner, analyst = owner_of(survey), _colleague(survey, Role.ANALYST)
    address = reverse("survey-results", args=[survey.code])
    assert [client.get(address).status_code for client in (owner, analyst)] == [200, 200]
    refused = {"stranger": (_colleague(survey), 404), "editor": (_colleague(survey, Role.EDITOR), 403)}
    for who, (client, status) in refused.items():
        response = client.get(address)
        assert response.status_code == status, who
        assert b"data-enough" not in response.content, who
    assert Client().get(address).status_code == 302
    Membership.objects.all().delete()
    assert analyst.get(address).status_code == 404


def test_people_with_other_rights_see_other_pages() -> None:
    survey = _answered()
    send(survey, "11")
    close = reverse("survey-close", args=[survey.code])
    figures = reverse("survey-results", args=[survey.code])
    for client, may in ((owner_of(survey), True), (_colleague(survey, Role.ANALYST), False)):
        assert (close in client.get(figures).content.decode()) is may


def test_nothing_of_a_visitor_is_kept(monkeypatch: pytest.MonkeyPatch, rf: RequestFactory) -> None:
    survey, kept = _in_groups(), []
    real = PAGES.of

    def seen(key: object, make: Callable[[], bytes]) -> bytes:
        kept.append(real(key, make).decode())
        return kept[-1].encode()

    monkeypatch.setattr(PAGES, "of", seen)
    client = owner_of(survey)
    for name in (tab.name for tab in TABS):
        request = rf.get("/")
        storage = CookieStorage(request)
        storage.add(messages.SUCCESS, "A message for one person.")
        response = HttpResponse()
        storage.update(response)
        client.cookies["messages"] = response.cookies["messages"].value
        page = _get(client, survey, name)
        assert survey.owner.username in page
        assert "csrfmiddlewaretoken" in page
    assert len(kept) == len(TABS)
    for part in kept:
        assert "The survey" in part
        for personal in (survey.owner.username, "csrfmiddlewaretoken", "A message for one person."):
            assert personal not in part


def test_a_kept_part_cannot_show_a_visitor(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = make_user("somebody")
    page = Template(
        "{% load results.kept %}{{ user }}:{% kept %}{{ user }}{{ request.user }}{% csrf_token %}{{ own }}{% endkept %}"
    )
    assert page.render(RequestContext(request, {"part": Part("a key", lambda: {"own": "shown"})})) == "somebody:shown"


def _is_kept(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Return whether what the overview shows now will still be in memory."""
    keys, real = [], PAGES.of
    with monkeypatch.context() as patch:
        patch.setattr(PAGES, "of", lambda key, make: (keys.append(key), real(key, make))[1])
        _get(owner_of(survey), survey)
    [key] = keys
    return lambda: PAGES.of(key, lambda: b"") != b""


@pytest.mark.parametrize("end", [purge_survey, seal_survey])
def test_nothing_stays_in_memory_of_a_survey_that_was_purged_or_sealed(
    end: Callable[..., Survey],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    survey = _in_groups()
    is_kept = _is_kept(survey, monkeypatch)
    assert is_kept()
    with django_capture_on_commit_callbacks(execute=True):
        end(survey=survey)
    assert not is_kept()


def test_what_another_process_has_kept_of_a_purged_survey_it_shows_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _in_groups()
    is_kept = _is_kept(survey, monkeypatch)
    client, names = owner_of(survey), [tab.name for tab in TABS]
    before = [_get(client, survey, name) for name in names]
    assert "data-enough" in before[0]
    # Its memory is its own: without `on_commit` nothing of this process is cleared either.
    purge_survey(survey=survey)
    assert is_kept()
    after = [_get(client, survey, name) for name in names]
    assert not any("data-enough" in page or "<figure" in page for page in after)
    caches.clear()
    assert after == [_get(client, survey, name) for name in names]
