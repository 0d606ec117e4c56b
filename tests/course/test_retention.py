"""The day on which a survey purges itself: promised, never put off, done once, and its owner reminded of it."""

import datetime as dt
import re
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.accounts.services import mails
from surveys.common.selectors import draft_of
from surveys.common.totals import response_count
from surveys.course import services
from surveys.course.selectors import CourseStage, course_of
from surveys.course.services import (
    begin_next_version,
    close_survey,
    open_survey,
    pause_survey,
    promise_purge,
    purge_due,
    purge_survey,
    remind_owners,
    reschedule,
)
from surveys.documents.services.creating import create_from
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.reading import read_document
from surveys.drafts.selectors import document_of
from surveys.editor.forms.differences import differences
from surveys.models import Release, State, Survey, WaitingMail
from surveys.upkeep.services import outbox
from tests.course.states import STATES
from tests.editor.form import posted, question
from tests.factories import fill, make_draft, make_open, make_user
from tests.pages import owner_of, page_of, signed_in, text_of
from tests.rehearsing.rehearsals import rehearse
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db

DAY, IN_WORDS = dt.date(2900, 3, 1), "1 March 2900"

NOON = dt.time(12, tzinfo=dt.UTC)


def _at(day: dt.date, time: dt.time = NOON) -> dt.datetime:
    return dt.datetime.combine(day, time)


def _before(days: int) -> dt.datetime:
    return _at(DAY - dt.timedelta(days=days))


def _promise(survey: Survey) -> str:
    return text_of(Client().get(reverse("answer", args=[survey.code])))


def _again(survey: Survey) -> Survey:
    return Survey.objects.get(pk=survey.pk)


def _with_a_day(state: str, day: dt.date = DAY) -> Survey:
    return promise_purge(survey=STATES[state](), purge_on=day)


def test_the_day_stands_on_every_page_with_a_form_in_the_packet_and_on_the_surveys_pages() -> None:
    survey = make_open(purge_on=DAY, server_mode_allowed=True)
    forms = {name: reverse(name, args=[survey.code]) for name in ("answer", "own-coin", "server-coin")}
    stands = {name: text_of(Client().get(address)).count(IN_WORDS) for name, address in forms.items()}
    # Beside each form, and where there are facts among them.
    assert stands == {"answer": 2, "own-coin": 1, "server-coin": 2}
    for name in ("survey-ethics", "survey-detail"):
        assert IN_WORDS in page_of(name, survey)
    assert IN_WORDS in text_of(owner_of(survey).get(reverse("survey-list")))


def test_without_a_day_no_respondent_reads_of_destroying() -> None:
    assert "destroyed" not in _promise(make_open())


@pytest.mark.parametrize(("language", "day"), [("de", "1. März 2900"), ("es", "1 de marzo de 2900"), ("he", "2900")])
def test_the_day_is_written_in_the_surveys_language(language: str, day: str) -> None:
    assert day in _promise(make_open(purge_on=DAY, language=language))


def test_the_hash_of_what_was_agreed_to_is_the_same_with_and_without_a_day() -> None:
    survey = make_open()
    later = promise_purge(survey=survey, purge_on=DAY)
    assert draft_of(_again(later)).version == survey.content_hash == later.content_hash


def test_the_day_comes_after_the_closing_time_on_the_surveys_own_clocks() -> None:
    # In Tokyo it is the 2nd of March already.
    closes_at = dt.datetime(2900, 3, 1, 16, tzinfo=dt.UTC)
    fields: dict[str, Any] = {"closes_at": closes_at, "time_zone": "Asia/Tokyo"}
    make_draft(purge_on=dt.date(2900, 3, 3), **fields)
    with pytest.raises(ValidationError) as refused:
        make_draft(purge_on=dt.date(2900, 3, 2), **fields)
    assert list(refused.value.message_dict) == ["purge_on"]


def test_times_are_not_moved_beyond_the_day() -> None:
    survey = make_open(purge_on=DAY)
    with pytest.raises(ValidationError) as refused:
        reschedule(survey=survey, opens_at=None, closes_at=_at(DAY), response_cap=None)
    assert list(refused.value.message_dict) == ["purge_on"]


@pytest.mark.parametrize("make", [make_draft, lambda: pause_survey(survey=make_open())])
def test_a_survey_whose_day_has_come_is_not_opened_nor_resumed(make: Callable[[], Survey]) -> None:
    survey = make()
    Survey.objects.filter(pk=survey.pk).update(purge_on=dt.date(2001, 1, 1))
    with pytest.raises(ValidationError) as refused:
        open_survey(survey=survey)
    assert list(refused.value.message_dict) == ["purge_on"]


def test_from_that_day_on_no_answer_is_taken() -> None:
    survey = make_open(purge_on=DAY, time_zone="America/Los_Angeles")
    # Midnight there is eight hours later.
    assert survey.why_not_collecting(_at(DAY, dt.time(7, 59, tzinfo=dt.UTC))) == ""
    assert survey.why_not_collecting(_at(DAY, dt.time(8, tzinfo=dt.UTC))) == "over"
    Survey.objects.filter(pk=survey.pk).update(purge_on=dt.date(2001, 1, 1))
    assert Client().get(reverse("answer", args=[survey.code])).status_code == 410
    assert course_of(_again(survey), now=timezone.now()).stage is CourseStage.OVER
    assert "1 January 2001" in page_of("survey-detail", survey)


@pytest.mark.parametrize("state", ["open", "paused", "closed", "sealed"])
def test_the_day_may_come_earlier_and_never_later(state: str) -> None:
    survey = _with_a_day(state)
    earlier = DAY - dt.timedelta(days=30)
    survey = promise_purge(survey=survey, purge_on=earlier)
    for day in (earlier, DAY, dt.date(2001, 1, 1)):
        with pytest.raises(ValidationError) as refused:
            promise_purge(survey=survey, purge_on=day)
        assert list(refused.value.message_dict) == ["purge_on"]
    assert _again(survey).purge_on == earlier
    if state == "open":
        assert "30 January 2900" in _promise(survey)


def test_raw_sql_cannot_put_the_day_off() -> None:
    survey = make_open(purge_on=DAY)
    values = ["NULL", "'2900-03-02'", *(["'soon'", "7", "'2900-02-31'"] if connection.vendor == "sqlite" else [])]
    for value in values:
        with (
            pytest.raises(DatabaseError, match="may come earlier"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(f"UPDATE surveys_survey SET purge_on = {value} WHERE id = %s", [survey.pk])  # noqa: S608 - values of ours
    assert Survey.objects.filter(pk=survey.pk).update(purge_on=dt.date(2900, 2, 28)) == 1
    draft = make_draft(purge_on=DAY)
    assert Survey.objects.filter(pk=draft.pk).update(purge_on=None) == 1


def test_the_page_sets_the_day_only_for_whoever_types_the_code() -> None:
    survey = make_open()
    client, address = owner_of(survey), reverse("survey-purge-day", args=[survey.code])
    assert client.post(address, {"purge_on": "2900-03-01", "code": "WRONG2"}).status_code == 422
    past = client.post(address, {"purge_on": "2001-03-01", "code": survey.code})
    assert (past.status_code, list(past.context["form"].errors)) == (422, ["purge_on"])
    assert _again(survey).purge_on is None
    assert client.post(address, {"purge_on": "2900-03-01", "code": survey.code}).status_code == 302
    assert _again(survey).purge_on == DAY


def test_the_editor_stores_the_day_and_says_what_is_wrong_with_one() -> None:
    client = signed_in()
    address = reverse("survey-new")
    for day in ("2900-02-30", "2900-03-01"):
        refused = client.post(address, posted(question(), purge_on=day, closes_at="2900-03-01T10:00"))
        assert refused.status_code == 422
        assert 'href="#id_purge_on"' in text_of(refused)
    assert client.post(address, posted(question(), purge_on="2900-03-01")).status_code == 302
    assert Survey.objects.get().purge_on == DAY


def test_documents_and_next_versions_carry_the_day() -> None:
    survey = make_open(purge_on=DAY)
    document = document_of(survey)
    assert document["survey"]["purge_on"] == "2900-03-01"
    assert create_from(owner=make_user(), content=read_document(document)).purge_on == DAY
    assert begin_next_version(survey=survey).purge_on == DAY
    for wrong in ("2900-02-30", "2900-3-1", "2900-03-01T00:00:00Z", 2900):
        document["survey"]["purge_on"] = wrong
        with pytest.raises(DocumentRefused, match="purge_on"):
            read_document(document)


def _run() -> str:
    out = StringIO()
    call_command("housekeeping", "--once", stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("state", ["open", "paused", "closed", "sealed"])
def test_a_survey_whose_day_has_come_is_purged_whatever_state_it_is_in(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey, other = _with_a_day(state), _with_a_day("open", DAY + dt.timedelta(days=1))
    assert list(purge_due(now=_before(1))) == []
    monkeypatch.setattr("surveys.management.commands.housekeeping.timezone.now", lambda: _at(DAY))
    assert re.search(rf"{survey.code}.* 2900-03-01", _run())
    assert (_again(survey).state, _again(other).state) == (State.PURGED, State.OPEN)
    assert (response_count(_again(survey)), response_count(other)) == (0, 12)
    assert survey.code not in _run()


def test_published_releases_stay() -> None:
    survey = ready_survey()
    release = published_release(survey)
    promise_purge(survey=survey, purge_on=DAY)
    assert [purged.pk for purged in purge_due(now=_at(DAY))] == [survey.pk]
    assert Release.objects.get(pk=release.pk).published


def test_drafts_and_copies_to_rehearse_with_are_left_alone() -> None:
    survey = make_open(purge_on=DAY)
    draft = make_draft(purge_on=DAY)
    rehearse(survey)
    Survey.objects.filter(rehearsal_of=survey).update(purge_on=DAY)
    assert [purged.pk for purged in purge_due(now=_at(DAY))] == [survey.pk]
    assert _again(draft).state == State.DRAFT
    assert Survey.objects.get(rehearsal_of=survey).state == State.OPEN


def test_a_survey_that_another_process_has_purged_meanwhile_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _with_a_day("closed")
    listed = services._with_a_day(_at(DAY), within=0)
    list(purge_due(now=_at(DAY)))
    monkeypatch.setattr(services, "_with_a_day", lambda *_, **__: listed)
    assert list(purge_due(now=_at(DAY))) == []
    assert _again(survey).state == State.PURGED


def _reminders(now: dt.datetime) -> list[bool]:
    return [sent for _survey, sent in remind_owners(now=now)]


def test_its_owner_is_reminded_fourteen_days_and_one_day_before_and_once_each() -> None:
    survey = make_open(owner=make_user(email="ada@example.org"), purge_on=DAY, title="Exams & lies")
    looks = (15, 14, 14, 13, 2, 1, 1, 0)
    assert [days for days in looks if _reminders(_before(days))] == [14, 1]
    assert [message.to for message in mail.outbox] == [["ada@example.org"]] * 2
    body = str(mail.outbox[0].body)
    assert "“Exams & lies”" in body
    assert IN_WORDS in body
    assert f"/surveys/{survey.code}/" in body


def test_an_earlier_day_is_reminded_of_anew_and_a_near_one_once() -> None:
    survey = make_open(owner=make_user(email="ada@example.org"), purge_on=DAY)
    assert _reminders(_before(10)) == [True]
    survey = promise_purge(survey=_again(survey), purge_on=DAY - dt.timedelta(days=9))
    assert _reminders(_before(10)) == [True]
    assert _reminders(_before(10)) == []
    assert len(mail.outbox) == 2


def test_a_reminder_that_there_is_no_room_for_is_kept_by_the_next_run(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(owner=make_user(email="ada@example.org"), purge_on=DAY)
    with monkeypatch.context() as full:
        full.setattr(mails, "MOST_WAITING", 0)
        assert _reminders(_before(14)) == []
    assert _again(survey).reminded is None
    assert _reminders(_before(14)) == [True]
    assert _again(survey).reminded == 14


def test_a_reminder_of_a_survey_that_was_purged_while_it_waited_is_not_sent(
    emails_at_once: Callable[[], None],
) -> None:
    emails_at_once()
    survey = make_open(owner=make_user(email="ada@example.org"), purge_on=DAY)
    assert _reminders(_before(1)) == [True]
    purge_survey(survey=close_survey(survey=survey))
    outbox.send_due(timezone.now())
    assert mail.outbox == []
    assert not WaitingMail.objects.exists()


def test_of_two_runs_at_once_one_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    make_open(owner=make_user(email="ada@example.org"), purge_on=DAY)
    listed = services._with_a_day(_before(14), within=14)
    assert _reminders(_before(14)) == [True]
    monkeypatch.setattr(services, "_with_a_day", lambda *_, **__: listed)
    assert _reminders(_before(14)) == []


def test_an_owner_without_an_address_is_not_reminded_and_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(purge_on=DAY)
    monkeypatch.setattr("surveys.management.commands.housekeeping.timezone.now", lambda: _before(3))
    assert re.search(rf"{survey.code}.* 2900-03-01", _run())
    assert _again(survey).state == State.OPEN
    assert mail.outbox == []


def test_the_surveys_page_says_it_aloud_in_the_last_fourteen_days(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = make_open(purge_on=DAY)
    fill(survey, {"1": 12})
    for days, warned in ((15, 0), (14, 1)):
        monkeypatch.setattr("surveys.course.views.timezone.now", lambda days=days: _before(days))
        assert page_of("survey-detail", survey).count('class="notice warn"') == warned


def test_a_version_that_was_saved_before_there_were_days_differs_by_one() -> None:
    now = document_of(make_draft(purge_on=DAY))
    before = {**now, "survey": {name: value for name, value in now["survey"].items() if name != "purge_on"}}
    assert [(one.before, one.after) for one in differences(before, now)] == [("", "2900-03-01")]
