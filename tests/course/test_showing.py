"""Showing the result to those who answered: once there is one, by whoever may edit and read it, and no longer."""

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from surveys.course.services import (
    begin_next_version,
    close_survey,
    hide_result,
    purge_survey,
    seal_survey,
    show_result,
)
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Membership, Role, Survey
from tests.course.states import STATES
from tests.factories import fill, make_draft, make_open, make_user, settle, store
from tests.pages import owner_of, text_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("state", ["closed", "sealed"])
def test_a_result_is_shown_and_taken_back(state: str) -> None:
    survey = STATES[state]()
    assert not survey.result_on_receipt
    assert show_result(survey=survey).result_on_receipt
    assert not hide_result(survey=survey).result_on_receipt


def test_while_answers_come_in_it_takes_a_batch() -> None:
    survey = make_open(minimum_n=10)
    store(survey, {"1": 15})
    with pytest.raises(NotAllowedNow, match="result"):
        show_result(survey=survey)
    store(survey, {"0": 5})
    settle(survey)
    assert show_result(survey=survey).result_on_receipt


@pytest.mark.parametrize("state", ["draft", "purged"])
def test_where_there_is_no_result_none_is_shown(state: str) -> None:
    with pytest.raises(NotAllowedNow):
        show_result(survey=STATES[state]())


def test_of_a_rehearsal_none_is_shown() -> None:
    copy = make_open(rehearsal_of=make_draft())
    fill(copy, {"1": 20})
    with pytest.raises(NotAllowedNow):
        show_result(survey=close_survey(survey=copy))


def test_purging_ends_it_and_the_next_version_does_not_begin_with_it() -> None:
    survey = show_result(survey=STATES["closed"]())
    assert not begin_next_version(survey=survey).result_on_receipt
    assert seal_survey(survey=survey).result_on_receipt
    assert not purge_survey(survey=survey).result_on_receipt


def test_the_database_shows_none_where_there_is_none() -> None:
    for survey in (make_draft(), STATES["purged"](), make_open(rehearsal_of=make_draft())):
        with pytest.raises(IntegrityError), transaction.atomic():
            Survey.objects.filter(pk=survey.pk).update(result_on_receipt=True)


def test_the_database_lets_an_opened_survey_show_it_and_stop() -> None:
    for state in ("open", "paused", "closed", "sealed"):
        survey = STATES[state]()
        for shown in (True, False):
            assert Survey.objects.filter(pk=survey.pk).update(result_on_receipt=shown) == 1


def _press(client: Client, survey: Survey, what: str) -> str:
    return text_of(client.post(f"/surveys/{survey.code}/result/{what}/", follow=True))


def test_the_surveys_page_offers_it_and_then_to_stop() -> None:
    survey = STATES["closed"]()
    client = owner_of(survey)
    assert f"/surveys/{survey.code}/result/show/" in text_of(client.get(f"/surveys/{survey.code}/"))
    for pressed, offered in (("show", "hide"), ("hide", "show")):
        page = _press(client, survey, pressed)
        assert f"/surveys/{survey.code}/result/{offered}/" in page
        assert f"/surveys/{survey.code}/result/{pressed}/" not in page


def test_a_survey_without_results_does_not_offer_it_and_refuses() -> None:
    survey = make_open()
    fill(survey, {"1": 3})
    client = owner_of(survey)
    assert "/result/show/" not in text_of(client.get(f"/surveys/{survey.code}/"))
    assert 'class="notice warn" role="status"' in _press(client, survey, "show")
    survey.refresh_from_db()
    assert not survey.result_on_receipt


def test_it_takes_the_rights_of_an_editor_and_of_an_analyst() -> None:
    survey, user, client = STATES["closed"](), make_user(), Client()
    client.force_login(user)
    for role, status in ((Role.EDITOR, 403), (Role.ANALYST, 302)):
        Membership.objects.create(survey=survey, user=user, role=role)
        offered = "/result/show/" in text_of(client.get(f"/surveys/{survey.code}/"))
        presented = "/result/show/" in text_of(client.get(f"/surveys/{survey.code}/present/"))
        assert (offered, presented) == (status == 302, status == 302)
        assert client.post(f"/surveys/{survey.code}/result/show/").status_code == status
    Membership.objects.filter(user=user, role=Role.EDITOR).delete()
    assert client.post(f"/surveys/{survey.code}/result/hide/").status_code == 403
