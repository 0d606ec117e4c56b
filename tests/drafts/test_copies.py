"""A rehearsal is thrown away whole, and never touches the survey itself."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from surveys.answering.services import simulating
from surveys.common.totals import response_totals
from surveys.drafts.services import copies
from surveys.drafts.services.copies import discard_of, sweep
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Rehearsal, Survey
from surveys.rehearsing import services
from surveys.rehearsing.selectors import rehearsal_of
from surveys.rehearsing.services import step
from tests.factories import every_kind, fill, make_draft, make_open, make_user, one_of, send, yes_no
from tests.rehearsing.rehearsals import finished, rehearse, rows_of

pytestmark = pytest.mark.django_db


def test_nothing_is_left_of_what_is_discarded() -> None:
    survey = make_draft(*every_kind())
    add_group(survey=survey, name="North")
    other = finished(rehearse(survey, user=make_user()))
    rehearsal = finished(rehearse(survey))
    assert len([rows for rows in rows_of(rehearsal.survey).values() if rows]) >= 6
    assert discard_of(user=survey.owner, survey=survey) == 1
    assert not any(rows_of(rehearsal.survey).values())
    # Somebody else's stays.
    assert Survey.objects.filter(rehearsal_of=survey).get() == other.survey


def test_half_of_a_rehearsal_is_discarded_as_well() -> None:
    survey = make_draft()
    rehearsal = rehearse(survey, respondents=1000)
    step(rehearsal=rehearsal, seconds=0)
    assert discard_of(user=survey.owner) == 1
    assert not any(rows_of(rehearsal.survey).values())
    assert step(rehearsal=rehearsal) is None


def test_the_next_rehearsal_of_a_survey_takes_the_place_of_the_last() -> None:
    survey = make_draft()
    first, second = rehearse(survey), rehearse(survey)
    assert rehearsal_of(user=survey.owner, survey=survey) == second
    assert not Survey.objects.filter(pk=first.pk).exists()


def test_one_person_keeps_a_few_surveys_in_rehearsal_the_last_ones() -> None:
    owner = make_user()
    started = [rehearse(make_draft(owner=owner)).pk for _ in range(5)]
    assert sorted(Rehearsal.objects.values_list("pk", flat=True)) == started[2:]


def test_so_many_rehearse_at_once_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_IN_ALL", 2)
    surveys = [make_draft() for _ in range(3)]
    rehearse(surveys[0]), rehearse(surveys[1])
    with pytest.raises(NotAllowedNow):
        rehearse(surveys[2])
    # Whoever has one may start it again.
    rehearse(surveys[0])
    assert Rehearsal.objects.count() == 2


def _age(rehearsal: Rehearsal, minutes: int) -> None:
    created_at = timezone.now() - dt.timedelta(minutes=minutes)
    Survey.objects.filter(pk=rehearsal.pk).update(created_at=created_at)


def test_what_nobody_has_come_back_to_for_an_hour_is_swept_at_the_next_start() -> None:
    old, young = rehearse(make_draft()), rehearse(make_draft())
    _age(old, 61)
    _age(young, 59)
    rehearse(make_draft())
    assert set(Rehearsal.objects.values_list("pk", flat=True)) >= {young.pk}
    assert not Survey.objects.filter(pk=old.pk).exists()


def test_a_copy_that_has_lost_its_rehearsal_is_swept_too() -> None:
    rehearsal = rehearse(make_draft())
    _age(rehearsal, 61)
    rehearsal.delete()
    assert sweep() == 1
    assert Survey.objects.count() == 1


def test_a_key_is_never_used_again_so_that_what_is_known_of_a_copy_is_known_of_no_other() -> None:
    """Figures are kept by the survey's key: SQLite's tables count on (AUTOINCREMENT), PostgreSQL's sequences too."""
    survey = make_draft()
    keys = [rehearse(survey).pk for _ in range(3)]
    assert keys == sorted(set(keys))


# Nothing real is touched


def _touched(survey: Survey) -> bool:
    """Whether a rehearsal, from its start to its end, has changed anything that belongs to the survey."""
    before, totals = rows_of(survey), response_totals([survey])
    rehearsal = finished(rehearse(survey, respondents=100))
    during = rows_of(survey), response_totals([survey])
    discard_of(user=survey.owner)
    after = rows_of(survey), response_totals([survey])
    assert not Survey.objects.filter(pk=rehearsal.pk).exists()
    return not during == after == (before, totals)


def _answered() -> Survey:
    survey = make_open(yes_no(), one_of(), minimum_n=5)
    fill(survey, {"10": 12, "02": 9})
    send(survey, "11")
    return survey


def test_a_rehearsal_changes_nothing_of_the_survey_that_is_open_meanwhile() -> None:
    assert not _touched(_answered())


def test_a_rehearsal_that_answers_the_survey_itself_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: simulated people are let in by the wrong door."""

    def mixed(*, survey: Survey, reports: Iterable[str], **kwargs: Any) -> None:
        original = survey.rehearsal_of
        assert original is not None
        sending(survey=original, reports=reports, **kwargs)

    sending = simulating.send
    monkeypatch.setattr(simulating, "send", mixed)
    assert _touched(_answered())


def test_no_real_survey_is_ever_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "LONGEST", dt.timedelta(0))
    survey = _answered()
    before = rows_of(survey)
    copies._discard(survey.pk)
    assert discard_of(user=survey.owner) == discard_of(user=survey.owner, survey=survey) == 0
    assert sweep() == 0
    assert rows_of(survey) == before


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM surveys_survey WHERE id = {real}",
        "UPDATE surveys_survey SET rehearsal_of_id = {other} WHERE id = {real}",
        "UPDATE surveys_survey SET rehearsal_of_id = NULL WHERE id = {copy}",
        "INSERT INTO surveys_budget (survey_id, total_micro_epsilon, spent_micro_epsilon, total_pico_delta,"
        " spent_pico_delta, entries) VALUES ({copy}, 0, 0, 0, 0, 0)",
    ],
)
def test_the_database_itself_keeps_copies_and_surveys_apart(statement: str) -> None:
    real, other = _answered(), make_draft()
    copy = rehearse(real).survey
    refused = statement.format(real=real.pk, other=other.pk, copy=copy.pk)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(refused)
