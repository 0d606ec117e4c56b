"""A survey's course: in every state exactly its own actions work; all others say why and change nothing."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from surveys.common.selectors import definition_of, draft_of
from surveys.common.totals import response_count
from surveys.course.selectors import Action, actions_of
from surveys.course.services import close_survey, open_survey, pause_survey
from surveys.drafts.services.surveys import NotAllowedNow, create_survey, save_draft
from surveys.models import State, Survey
from surveys.models.membership import OWNERS_RIGHTS, RIGHTS_OF, Role
from tests.course.states import STATES
from tests.factories import fill, make_draft, make_open, make_user, yes_no
from tests.pages import owner_of, page_of, text_of
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


def _do(client: Client, survey: Survey, way: Way) -> str:
    sent = {**way.sent, **({"code": survey.code} if way.typed else {})}
    return text_of(client.post(reverse(way.page, args=[survey.code]), sent, follow=True))


WORKS = [(action, state) for action, way in WAYS.items() for state in STATES if state in way.works]


@pytest.mark.parametrize(("action", "state"), WORKS, ids=lambda name: getattr(name, "value", name))
def test_every_action_works_in_its_states(action: Action, state: str) -> None:
    way, survey = WAYS[action], STATES[state]()
    before = dump()
    _do(owner_of(survey), survey, way)
    assert changed(before, dump()) != []
    left = Survey.objects.filter(pk=survey.pk).values_list("state", flat=True).first()
    assert left == (None if action is Action.DELETE else way.becomes or survey.state)


@pytest.mark.parametrize("state", STATES)
def test_every_other_action_says_why_not_and_changes_nothing(state: str) -> None:
    survey = STATES[state]()
    client = owner_of(survey)
    before = dump()
    for action, way in WAYS.items():
        if state not in way.works:
            assert 'class="notice warn" role="status"' in _do(client, survey, way), action
            assert changed(before, dump()) == [], action


@pytest.mark.parametrize("state", STATES)
def test_a_page_that_asks_first_is_there_only_where_it_can_be_done(state: str) -> None:
    survey = STATES[state]()
    client = owner_of(survey)
    asking = {way.page: way.works for way in WAYS.values() if way.page not in POST_ONLY}
    answers = {page: client.get(reverse(page, args=[survey.code])).status_code for page in asking}
    assert answers == {page: 200 if state in works else 302 for page, works in asking.items()}


@pytest.mark.parametrize("state", STATES)
def test_a_page_offers_exactly_what_works(state: str) -> None:
    survey = STATES[state]()
    offered = actions_of(survey, OWNERS_RIGHTS) - {Action.EDIT}
    assert offered == {action for action, way in WAYS.items() if state in way.works}
    assert (Action.EDIT in actions_of(survey, OWNERS_RIGHTS)) == (state in DRAFTS)
    assert not actions_of(survey, RIGHTS_OF[Role.EDITOR]) & {Action.PURGE, Action.PURGE_DAY, Action.DELETE}
    assert actions_of(survey, RIGHTS_OF[Role.ANALYST]) == frozenset()


def _state(survey: Survey) -> str:
    return Survey.objects.get(pk=survey.pk).state


def _post(survey: Survey, name: str) -> str:
    return text_of(owner_of(survey).post(reverse(name, args=[survey.code]), follow=True))


def test_before_opening_the_page_says_that_the_design_freezes_and_opens_nothing() -> None:
    survey = make_draft()
    page = page_of("survey-open", survey)
    assert "Opening freezes the design" in page
    assert "Freeze and open" in page
    assert _state(survey) == State.DRAFT


def test_opening_accepts_answers_and_takes_the_survey_out_of_the_archive() -> None:
    survey = STATES["archived draft"]()
    assert "Open: answers are being accepted." in _post(survey, "survey-open")
    opened = Survey.objects.get(pk=survey.pk)
    assert (opened.state, opened.archived) == (State.OPEN, False)
    assert opened.content_hash == definition_of(opened).version


def test_a_survey_without_questions_is_not_opened_and_says_why() -> None:
    survey = create_survey(owner=make_user(), title="Empty")
    response = owner_of(survey).post(reverse("survey-open", args=[survey.code]))
    assert response.status_code == 422
    page = text_of(response)
    assert "<title>Error: Open" in page
    assert "at least one question" in page
    assert _state(survey) == State.DRAFT


@pytest.mark.parametrize("state", ["draft", "paused"])
def test_a_survey_whose_closing_time_has_passed_is_not_opened_and_leads_to_the_time(state: str) -> None:
    survey = STATES[state]()
    Survey.objects.filter(pk=survey.pk).update(closes_at="2026-01-01T00:00:00Z")
    response = owner_of(survey).post(reverse("survey-open", args=[survey.code]))
    assert response.status_code == 422
    page = text_of(response)
    assert "Its closing time has passed: nobody could answer." in page
    assert reverse("survey-edit" if state == "draft" else "survey-schedule", args=[survey.code]) in page
    assert _state(survey) == state


def test_a_draft_that_was_saved_since_its_page_was_shown_is_not_opened() -> None:
    survey = make_draft()
    shown = draft_of(survey).version
    save_draft(survey=survey, questions=[yes_no("Something else?")], title="Exams")
    response = owner_of(survey).post(reverse("survey-open", args=[survey.code]), {"shown": shown}, follow=True)
    assert "The draft has changed since this page was shown" in text_of(response)
    assert _state(survey) == State.DRAFT


def test_before_closing_the_page_says_that_it_is_for_good() -> None:
    survey = make_open()
    fill(survey, {"1": 3})
    page = page_of("survey-close", survey)
    assert "A closed survey never opens again. 3 people answered." in page
    assert "The results stay hidden: they need 10 people." in page
    assert _state(survey) == State.OPEN


def test_of_two_who_close_at_once_one_does_and_the_other_is_told(transactional_db: None) -> None:
    survey = make_open()
    fill(survey, {"1": 3})
    together = Barrier(2)

    def close(_number: int) -> str:
        together.wait()
        try:
            close_survey(survey=survey)
        except NotAllowedNow as refused:
            return str(refused)
        finally:
            connection.close()
        return ""

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(close, range(2)))
    assert said == ["", "A survey that is Closed cannot become Closed."]
    assert (_state(survey), response_count(survey)) == (State.CLOSED, 3)


def test_a_paused_survey_is_resumed() -> None:
    survey = pause_survey(survey=make_open())
    assert open_survey(survey=survey).state == State.OPEN
