"""Copies of a survey: whoever makes one takes the definition along, and no answer, count, invitation or budget."""

import pytest
from django.urls import reverse

from surveys.course.services import begin_next_version
from surveys.documents.services.creating import duplicate
from surveys.drafts.services.groups import add_group
from surveys.models import Role, Survey
from surveys.sharing.services import invite, new_batch
from tests.course.states import member_of
from tests.factories import fill, make_budget, make_open, make_user, one_of, send, yes_no
from tests.rehearsing.rehearsals import rehearse
from tests.releases.setting import published_release

pytestmark = pytest.mark.django_db

_OF_THE_DEFINITION = {"question", "savedversion", "group", "rehearsal"}


def _answered(**fields: object) -> Survey:
    survey = make_open(yes_no(), one_of(), minimum_n=5, **fields)
    north = add_group(survey=survey, name="North")
    fill(survey, {"10": 12, "02": 9}, group=north)
    fill(survey, {"11": 3})
    return survey


def _has(survey: Survey) -> set[str]:
    """Return what belongs to a survey, by model: whatever has a column for it, now or later."""
    relations = (relation for relation in Survey._meta.related_objects if relation.related_model is not Survey)
    return {
        relation.related_model._meta.model_name
        for relation in relations
        if relation.related_model._default_manager.filter(**{relation.field.name: survey}).exists()
    }


def test_everything_that_answers_leave_is_seen_with_the_survey_itself() -> None:
    survey = _answered(by_invitation=True)
    make_budget(survey)
    published_release(survey)
    send(survey, "00", token=invite(survey=survey, number=2, batch=new_batch()).tokens[0])
    assert _has(survey) > {"response", "spentnonces", "patterncount", "foldedpart", "budget", "release", "invitation"}


def test_a_duplicate_a_next_version_and_a_rehearsal_have_nothing_of_the_answers() -> None:
    survey = _answered()
    make_budget(survey)
    published_release(survey)
    copies = [duplicate(survey=survey, owner=make_user()), begin_next_version(survey=survey), rehearse(survey).survey]
    assert [_has(copy) - _OF_THE_DEFINITION for copy in copies] == [set()] * 3
    assert len({survey.code, *(copy.code for copy in copies)}) == 4


def test_a_document_is_the_same_bytes_before_and_after_the_answers() -> None:
    survey, analyst = make_open(yes_no(), one_of(), minimum_n=5), make_user()
    client = member_of(survey, Role.ANALYST, user=analyst)

    def document() -> bytes:
        return client.get(reverse("survey-document", args=[survey.code])).content

    before = document()
    fill(survey, {"10": 12, "02": 9})
    assert b"Have you ever cheated" in before
    assert document() == before
    assert client.post(reverse("survey-duplicate", args=[survey.code])).status_code == 403
    assert not analyst.surveys.exists()
