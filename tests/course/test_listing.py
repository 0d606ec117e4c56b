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
from surveys.course.words import role_words
from surveys.models import Membership, Role, Survey
from surveys.questionnaire.document import Questionnaire
from tests.course.states import STATES, member_of
from tests.factories import fill, make_draft, make_open, make_user, yes_no
from tests.pages import client_of, owner_of, signed_in, text_of

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
    "draft": "survey-edit",
    "open": "survey-results",
    "paused": "survey-open",
    "closed": "survey-results",
    "sealed": "survey-results",
    "purged": "survey-next-version",
}


@pytest.mark.parametrize("state", STEPS)
def test_each_survey_says_its_state_its_answers_and_its_next_step(state: str) -> None:
    survey = STATES[state]()
    page = _get(owner_of(survey))
    [entry] = _entries(page)
    assert survey.get_state_display() in entry
    assert f'="{reverse(STEPS[state], args=[survey.code])}"' in page
    assert entry.endswith(f" : {survey.title}")
    assert ("12 people" in entry) == (state not in {"draft", "purged"})
    assert "1 question ·" in entry
    # What tells surveys of one title apart.
    assert entry.startswith(f"{survey.title} {survey.code} ")


def test_those_that_others_share_are_there_with_ones_role_and_without_what_it_does_not_allow() -> None:
    mine = make_open(title="Mine")
    shared = make_open(title="Shared", owner=make_user("dr.ngozi"))
    fill(shared, {"1": 12})
    client = member_of(shared, Role.RELEASER, Role.ANALYST)
    results = reverse("survey-results", args=[shared.code])
    page = _get(client)
    assert "dr.ngozi" in page
    assert role_words([Role.ANALYST, Role.RELEASER]) in _entries(page)[0]
    assert results in page
    Membership.objects.filter(role=Role.ANALYST).delete()
    page = _get(client)
    assert role_words([Role.ANALYST]) not in _entries(page)[0]
    assert role_words([Role.RELEASER]) in _entries(page)[0]
    assert results not in page
    assert _entries(_get(owner_of(mine)))[0].startswith("Mine")


def test_a_survey_in_which_one_has_two_roles_or_that_is_ones_own_stands_there_once() -> None:
    survey = make_open()
    [entry] = _entries(_get(member_of(survey, *Role, user=survey.owner)))
    assert not any(role_words([role]) in entry for role in Role)


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
    assert "?archived" not in _get(client)
    archive_survey(survey=make_draft(title="Put away", owner=survey.owner))
    page = _get(client)
    assert re.findall(r'href="[^"]*\?archived">[^<]*\((\d+)\)', page) == ["1"]
    assert "Kept" in _entries(page)[0]
    away = _get(client, "?archived")
    assert "Put away" in _entries(away)[0]
    assert re.findall(rf'href="{reverse("survey-list")}">[^<]*\((\d+)\)', away) == ["1"]


def test_an_empty_list_leads_to_a_first_survey_and_an_empty_archive_does_not() -> None:
    client = signed_in()
    for query, offered in (("", 2), ("?archived", 1)):
        page = _get(client, query)
        assert _entries(page) == []
        assert page.count(f'class="button" href="{reverse("survey-start")}"') == offered


@pytest.fixture
def many() -> User:
    owner = make_user()
    for number in range(9):
        make_draft(owner=owner, title=f"Survey {number} of spring")
    make_draft(owner=owner, title="Übung im Herbst")
    return owner


@pytest.mark.parametrize(
    ("words", "matches"),
    [("spring", 9), ("SURVEY 3", 1), ("3 spring", 1), ("herbst", 1), ("Übung", 1), ("nothing like it", 0), ("%", 0)],
)
def test_many_surveys_can_be_searched_by_the_words_of_their_titles(many: User, words: str, matches: int) -> None:
    client = client_of(many)
    response = client.get(reverse("survey-list"), {"q": words})
    assert len(_entries(text_of(response))) == matches


def test_a_survey_is_listed_by_its_code_and_search_words_are_shown_as_typed(many: User) -> None:
    client = client_of(many)
    code = Survey.objects.order_by("pk")[3].code
    [entry] = _entries(text_of(client.get(reverse("survey-list"), {"q": code.lower()})))
    assert code in entry
    page = text_of(client.get(reverse("survey-list"), {"q": "<b>\0"}))
    assert "“&lt;b&gt;" in page


def test_a_short_list_has_no_search() -> None:
    assert 'role="search"' not in _get(owner_of(make_draft()))


def test_a_later_version_takes_the_place_of_asking_again() -> None:
    survey = STATES["purged"]()
    draft = begin_next_version(survey=survey)
    response = owner_of(survey).get(reverse("survey-list"))
    entries = response.context["entries"]
    assert [entry.survey for entry, _step in entries] == [draft, survey]
    assert [step.alone.name for _entry, step in entries] == ["survey-edit", "survey-detail"]
    assert f"{draft.code} · Version 2 " in _entries(text_of(response))[0]


def _queries(user: User, query: str = "") -> int:
    client = client_of(user)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(reverse("survey-list") + query).status_code == 200
    return len(queries)


def test_forty_surveys_cost_as_many_queries_as_two() -> None:
    owner, colleague = make_user(), make_user()
    for survey in (make_open(owner=owner), make_draft(owner=owner)):
        survey.memberships.create(user=colleague, role=Role.ANALYST, invited_by=owner)
    few = (_queries(owner), _queries(colleague))
    empty = Questionnaire(title="Another").text
    drafts = Survey.objects.bulk_create(Survey(owner=owner, document=empty) for _number in range(38))
    Membership.objects.bulk_create(
        Membership(survey=survey, user=colleague, role=role, invited_by=owner)
        for survey in drafts
        for role in (Role.EDITOR, Role.RELEASER)
    )
    assert (_queries(owner), _queries(colleague)) == few
    assert max(few) <= 16


def test_what_does_not_fit_a_page_is_on_the_next(monkeypatch: pytest.MonkeyPatch, many: User) -> None:
    monkeypatch.setattr(selectors, "ON_A_PAGE", 4)
    client = client_of(many)
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
