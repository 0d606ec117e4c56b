"""A survey's course: in every state exactly its own actions work; all others are refused and change nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from django.contrib import messages
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of, draft_of
from surveys.common.totals import response_count
from surveys.course.selectors import Action, actions_of
from surveys.course.services import close_survey
from surveys.drafts.services.surveys import NotAllowedNow, create_survey, save_draft
from surveys.models import State, Survey
from surveys.models.membership import OWNERS_RIGHTS, RIGHTS_OF, Role
from tests.at_once import at_once
from tests.course.states import STATES
from tests.factories import fill, make_draft, make_open, make_user, yes_no
from tests.pages import owner_of, text_of
from tests.security.addresses.dump import changed, dump

pytestmark = pytest.mark.django_db

EVERY = set(STATES)
POST_ONLY = {"survey-pause", "survey-next-version", "survey-archive"}
DRAFTS, ARCHIVED = {"draft", "archived draft"}, {"archived", "archived draft"}


@dataclass(frozen=True)
class Way:
    """How somebody does something with a survey, in which states it works, and what the survey is afterwards."""

    page: str
    works: set[str]
    becomes: str = ""
    typed: bool = False
    sent: Mapping[str, str] = field(default_factory=dict)


WAYS = {
    Action.OPEN: Way("survey-open", {*DRAFTS, "paused"}, becomes="open"),
    Action.PAUSE: Way("survey-pause", {"open"}, becomes="paused"),
    Action.CLOSE: Way("survey-close", {"open", "paused"}, becomes="closed"),
    Action.SCHEDULE: Way("survey-schedule", {"open", "paused"}, sent={"closes_at": "2999-01-01T12:00"}),
    Action.NEXT_VERSION: Way("survey-next-version", EVERY - DRAFTS),
    Action.SEAL: Way("survey-seal", {"closed", "archived"}, becomes="sealed", typed=True),
    Action.PURGE: Way("survey-purge", {"closed", "sealed", "archived"}, becomes="purged", typed=True),
    Action.PURGE_DAY: Way(
        "survey-purge-day",
        {"open", "paused", "closed", "sealed", "archived"},
        typed=True,
        sent={"purge_on": "2999-01-01"},
    ),
    Action.DELETE: Way("survey-delete", DRAFTS, becomes="", typed=True),
    Action.ARCHIVE: Way("survey-archive", {"draft", "closed", "sealed", "purged"}),
    Action.UNARCHIVE: Way("survey-archive", ARCHIVED, sent={"action": "unarchive"}),
}


def _do(client: Client, survey: Survey, way: Way) -> list[int]:
    """Do something with a survey, and return the levels of all messages that wait for its owner since then."""
    sent = {**way.sent, **({"code": survey.code} if way.typed else {})}
    response = client.post(reverse(way.page, args=[survey.code]), sent)
    assert response.status_code == 302
    return [message.level for message in get_messages(response.wsgi_request)]


WORKS = [(action, state) for action, way in WAYS.items() for state in STATES if state in way.works]


@pytest.mark.parametrize(("action", "state"), WORKS, ids=lambda name: getattr(name, "value", name))
def test_every_action_works_in_its_states(action: Action, state: str) -> None:
    way, survey = WAYS[action], STATES[state]()
    before = dump()
    assert messages.WARNING not in _do(owner_of(survey), survey, way)
    assert changed(before, dump()) != []
    left = Survey.objects.filter(pk=survey.pk).values_list("state", flat=True).first()
    assert left == (None if action is Action.DELETE else way.becomes or survey.state)


@pytest.mark.parametrize("state", STATES)
def test_each_state_offers_exactly_what_works_in_it_and_refuses_all_else_with_a_warning(state: str) -> None:
    survey = STATES[state]()
    client = owner_of(survey)
    before = dump()
    offered = actions_of(survey, OWNERS_RIGHTS) - {Action.EDIT}
    assert offered == {action for action, way in WAYS.items() if state in way.works}
    assert (Action.EDIT in actions_of(survey, OWNERS_RIGHTS)) == (state in DRAFTS)
    assert not actions_of(survey, RIGHTS_OF[Role.EDITOR]) & {Action.PURGE, Action.PURGE_DAY, Action.DELETE}
    assert actions_of(survey, RIGHTS_OF[Role.ANALYST]) == frozenset()
    refused = 0
    for action, way in WAYS.items():
        if state not in way.works:
            refused += 1
            assert _do(client, survey, way) == [messages.WARNING] * refused, action
            assert changed(before, dump()) == [], action
    asking = {way.page: way.works for way in WAYS.values() if way.page not in POST_ONLY}
    answers = {page: client.get(reverse(page, args=[survey.code])).status_code for page in asking}
    assert answers == {page: 200 if state in works else 302 for page, works in asking.items()}
    assert changed(before, dump()) == []


def _state(survey: Survey) -> str:
    return Survey.objects.get(pk=survey.pk).state


def _open(survey: Survey, **sent: str) -> HttpResponse:
    response = owner_of(survey).post(reverse("survey-open", args=[survey.code]), sent)
    assert isinstance(response, HttpResponse)
    return response


def test_opening_accepts_answers_and_takes_the_survey_out_of_the_archive() -> None:
    survey = STATES["archived draft"]()
    assert _open(survey).status_code == 302
    opened = Survey.objects.get(pk=survey.pk)
    assert (opened.state, opened.archived) == (State.OPEN, False)
    assert opened.content_hash == definition_of(opened).version


def test_a_survey_without_questions_is_not_opened_and_says_why() -> None:
    survey = create_survey(owner=make_user(), title="Empty")
    response = _open(survey)
    assert response.status_code == 422
    assert len(response.context["problems"]) == 1
    assert 'id="problems"' in text_of(response)
    assert _state(survey) == State.DRAFT


@pytest.mark.parametrize("state", ["draft", "paused"])
def test_a_survey_whose_closing_time_has_passed_is_not_opened_and_leads_to_the_time(state: str) -> None:
    survey = STATES[state]()
    Survey.objects.filter(pk=survey.pk).update(closes_at="2026-01-01T00:00:00Z")
    response = _open(survey)
    assert (response.status_code, response.context["over"]) == (422, True)
    page = text_of(response)
    assert "1 January 2026" in page
    assert reverse("survey-edit" if state == "draft" else "survey-schedule", args=[survey.code]) in page
    assert _state(survey) == state


def test_a_draft_that_was_saved_since_its_page_was_shown_is_not_opened() -> None:
    survey = make_draft()
    shown = draft_of(survey).version
    survey = save_draft(survey=survey, questions=[yes_no("Something else?")], title="Exams")
    for version, state in ((shown, State.DRAFT), (draft_of(survey).version, State.OPEN)):
        assert _open(survey, shown=version).status_code == 302
        assert _state(survey) == state


def test_of_two_who_close_at_once_one_does_and_the_other_is_refused(transactional_db: None) -> None:
    survey = make_open()
    fill(survey, {"1": 3})
    came_to = at_once(*[lambda: close_survey(survey=survey)] * 2)
    assert sorted(isinstance(one, NotAllowedNow) for one in came_to) == [False, True]
    assert (_state(survey), response_count(survey)) == (State.CLOSED, 3)
