"""The list of surveys: own and shared ones, with state, answers and the next step, quick however long it is."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.course import selectors
from surveys.course.services import archive_survey, begin_next_version, open_survey
from surveys.models import Membership, Role, Survey
from tests.course.states import STATES
from tests.factories import fill, make_draft, make_open, make_user, yes_no
from tests.pages import owner_of, signed_in, text_of

pytestmark = pytest.mark.django_db


def _get(client: Client, query: str = "") -> str:
    response = client.get(reverse("survey-list") + query)
    assert isinstance(response, HttpResponse)
    return text_of(response)


def _entries(page: str) -> list[str]:
    """Return each survey of the list as it reads, without markup."""
    entries = re.findall(r'<li class="entry">(.*?)</li>', page)
    return [" ".join(re.sub(r"<[^>]+>", " ", entry).split()) for entry in entries]


STEPS = {
    "draft": "Edit",
    "open": "See the results",
    "paused": "Resume",
    "closed": "See the results",
    "sealed": "See the results",
    "purged": "New version",
}


@pytest.mark.parametrize("state", STEPS)
def test_each_survey_says_its_state_its_answers_and_its_next_step(state: str) -> None:
    survey = STATES[state]()
    [entry] = _entries(_get(owner_of(survey)))
    assert survey.get_state_display() in entry
    assert entry.endswith(f"{STEPS[state]} : {survey.title}")
    assert ("12 people" in entry) == (state not in {"draft", "purged"})
    assert "1 question ·" in entry
    # What tells surveys of one title apart.
    assert entry.startswith(f"{survey.title} {survey.code} ")


def test_those_that_others_share_are_there_with_ones_role_and_without_what_it_does_not_allow() -> None:
    colleague, mine = make_user(), make_open(title="Mine")
    shared = make_open(title="Shared", owner=make_user("dr.ngozi"))
    fill(shared, {"1": 12})
    for role in (Role.RELEASER, Role.ANALYST):
        shared.memberships.create(user=colleague, role=role, invited_by=shared.owner)
    client = Client()
    client.force_login(colleague)
    [entry] = _entries(_get(client))
    assert "of dr.ngozi, you are analyst and releaser" in entry
    assert "See the results" in entry
    Membership.objects.filter(role=Role.ANALYST).delete()
    [entry] = _entries(_get(client))
    assert "you are releaser" in entry
    assert "See the results" not in entry
    assert _entries(_get(owner_of(mine)))[0].startswith("Mine")


def test_a_survey_in_which_one_has_two_roles_or_that_is_ones_own_stands_there_once() -> None:
    survey = make_open()
    for role in Role:
        survey.memberships.create(user=survey.owner, role=role, invited_by=survey.owner)
    [entry] = _entries(_get(owner_of(survey)))
    assert "you are" not in entry


def test_a_copy_to_rehearse_with_is_in_no_list() -> None:
    survey = make_draft(title="The survey")
    # Somebody else's: one's own is thrown away by looking at the list.
    copy = open_survey(survey=make_draft(title="A copy", rehearsal_of=survey))
    copy.memberships.create(user=survey.owner, role=Role.EDITOR, invited_by=copy.owner)
    [entry] = _entries(_get(owner_of(survey)))
    assert "The survey" in entry
    assert Survey.objects.filter(pk=copy.pk).exists()


def test_looking_at_the_list_leaves_all_rehearsals() -> None:
    survey = make_draft(title="The survey")
    open_survey(survey=make_draft(title="A copy", owner=survey.owner, rehearsal_of=survey))
    _get(owner_of(survey))
    assert [survey.title for survey in Survey.objects.all()] == ["The survey"]


def test_the_archive_is_behind_a_link_that_counts_it() -> None:
    survey = make_draft(title="Kept")
    client = owner_of(survey)
    assert "Archived (" not in _get(client)
    archive_survey(survey=make_draft(title="Put away", owner=survey.owner))
    page = _get(client)
    assert ("Archived (1)" in page, len(_entries(page))) == (True, 1)
    away = _get(client, "?archived")
    assert "Put away" in _entries(away)[0]
    assert "Current (1)" in away


def test_an_empty_archive_and_an_empty_list_say_so() -> None:
    client = signed_in()
    assert "Write your first survey" in _get(client)
    assert "The archive is empty." in _get(client, "?archived")


@pytest.fixture
def many() -> User:
    owner = make_user()
    for number in range(9):
        make_draft(owner=owner, title=f"Survey {number} of spring")
    make_draft(owner=owner, title="Übung im Herbst")
    return owner


@pytest.mark.parametrize(
    ("words", "found"),
    [("spring", 9), ("SURVEY 3", 1), ("3 spring", 1), ("herbst", 1), ("Übung", 1), ("nothing like it", 0), ("%", 0)],
)
def test_many_surveys_can_be_searched_by_the_words_of_their_titles(many: User, words: str, found: int) -> None:
    client = Client()
    client.force_login(many)
    response = client.get(reverse("survey-list"), {"q": words})
    assert len(_entries(text_of(response))) == found


def test_a_survey_is_found_by_its_code_and_search_words_are_shown_as_typed(many: User) -> None:
    client = Client()
    client.force_login(many)
    code = Survey.objects.order_by("pk")[3].code
    [entry] = _entries(text_of(client.get(reverse("survey-list"), {"q": code.lower()})))
    assert code in entry
    page = text_of(client.get(reverse("survey-list"), {"q": "<b>\0"}))
    assert "No survey has “&lt;b&gt;" in page


def test_few_surveys_are_found_by_looking() -> None:
    assert 'role="search"' not in _get(owner_of(make_draft()))


def test_a_later_version_takes_the_place_of_asking_again() -> None:
    survey = STATES["purged"]()
    draft = begin_next_version(survey=survey)
    entries = _entries(_get(owner_of(survey)))
    assert f"Go to version {draft.edition}" in entries[1]
    assert f"{draft.code} · Version 2 " in entries[0]


def _queries(user: User, query: str = "") -> int:
    client = Client()
    client.force_login(user)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(reverse("survey-list") + query).status_code == 200
    return len(queries)


def test_two_hundred_surveys_cost_as_many_queries_as_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "ON_A_PAGE", 200)
    owner, colleague = make_user(), make_user()
    for survey in (make_open(owner=owner), make_draft(owner=owner)):
        survey.memberships.create(user=colleague, role=Role.ANALYST, invited_by=owner)
    few = (_queries(owner), _queries(colleague))
    drafts = Survey.objects.bulk_create(Survey(owner=owner, title=f"Survey {number}") for number in range(198))
    Membership.objects.bulk_create(
        Membership(survey=survey, user=colleague, role=role, invited_by=owner)
        for survey in drafts
        for role in (Role.EDITOR, Role.RELEASER)
    )
    assert (_queries(owner), _queries(colleague)) == few
    assert max(few) <= 16


def test_what_does_not_fit_a_page_is_on_the_next(monkeypatch: pytest.MonkeyPatch, many: User) -> None:
    monkeypatch.setattr(selectors, "ON_A_PAGE", 4)
    client = Client()
    client.force_login(many)
    first, last = _get(client), _get(client, "?page=3")
    assert (len(_entries(first)), len(_entries(last))) == (4, 2)
    assert "Page 1 of 3" in first
    assert 'rel="next" href="?page=2"' in first
    assert 'rel="prev" href="?page=2"' in last
    assert _entries(_get(client, "?page=99")) == _entries(last)
    assert len(_entries(_get(client, "?page=none"))) == 4
    assert yes_no().text not in first


def test_whoever_is_signed_in_and_goes_wrong_is_led_back_to_the_list() -> None:
    link = f'href="{reverse("survey-list")}"'
    for client, led in ((signed_in(), True), (Client(), False)):
        response = client.get("/surveys/NQPE22/")
        assert response.status_code == (404 if led else 302)
        assert (link in response.content.decode()) == led
        # Addresses of respondents know nobody.
        response = client.get("/s/NQPE22/")
        assert response.status_code == 404
        assert link not in response.content.decode()
