"""Housekeeping: what is due is done by the clock, late, twice or after a kill, and what fails stops nothing else."""

import datetime as dt
import logging
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from surveys.common.totals import response_count, standing_of
from surveys.course import services as course
from surveys.course.services import close_survey
from surveys.credit.services.redeeming import Score, redeem
from surveys.documents.starters import STARTERS, start_from
from surveys.models import (
    CoursePlatform,
    FoldedPart,
    LastRun,
    PatternCount,
    Response,
    SignIn,
    State,
    Survey,
    WaitingScore,
)
from surveys.responses.services import folding, steps
from surveys.upkeep.services import housekeeping
from surveys.upkeep.services.housekeeping import tick
from tests.credit.receipts import closed_with_credit, make_platform, make_receipt
from tests.factories import make_draft, make_open, make_user, settle, spent_count, store, yes_no
from tests.rehearsing.rehearsals import rehearse

NOON = dt.datetime(2900, 3, 1, 12, tzinfo=dt.UTC)
SECOND, MINUTE, HOUR, DAY = (dt.timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))


def _waiting(number: int = 12, **fields: object) -> Survey:
    survey = make_open(minimum_n=5, **fields)
    store(survey, {"1": number})
    return survey


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the jobs that were done, in the place of their work."""
    done: list[str] = []

    def noted(job: housekeeping.Job) -> housekeeping.Job:
        def work(_now: dt.datetime) -> Iterator[str]:
            done.append(job.name)
            yield from ()

        return replace(job, work=work)

    monkeypatch.setattr(housekeeping, "JOBS", tuple(map(noted, housekeeping.JOBS)))
    return done


def _done(run: list[str], now: dt.datetime) -> list[str]:
    run.clear()
    assert list(tick(now)) == []
    return list(run)


@pytest.mark.django_db
def test_each_job_is_done_when_its_time_has_come(run: list[str]) -> None:
    assert _done(run, NOON) == ["folds", "days", "hour", "night"]
    assert _done(run, NOON + 2 * SECOND) == ["folds"]
    assert _done(run, NOON + MINUTE + SECOND) == ["folds", "days"]
    assert _done(run, NOON + HOUR + SECOND) == ["folds", "days", "hour"]
    night = (NOON + DAY).replace(hour=settings.NIGHT_HOUR)
    assert _done(run, night - SECOND) == ["folds", "days", "hour"]
    assert _done(run, night) == ["folds", "night"]
    assert _done(run, night + HOUR + SECOND) == ["folds", "days", "hour"]


@pytest.mark.django_db
def test_a_night_in_which_the_server_was_down_is_made_up_for(run: list[str]) -> None:
    _done(run, NOON)
    assert "night" in _done(run, NOON + 3 * DAY)
    assert "night" not in _done(run, NOON + 3 * DAY + HOUR)


@pytest.mark.django_db
def test_a_clock_that_is_set_back_stops_nothing(run: list[str]) -> None:
    _done(run, NOON)
    assert _done(run, NOON - DAY) == ["folds", "days", "hour", "night"]
    assert _done(run, NOON - DAY + SECOND) == ["folds"]


@pytest.mark.django_db
def test_while_the_clock_is_doubted_answers_are_counted_and_nothing_goes_by_the_date(run: list[str]) -> None:
    assert list(tick(NOON, is_doubted=True)) == []
    assert run == ["folds"]
    assert _done(run, NOON + SECOND) == ["folds", "days", "hour", "night"]


class Clocks:
    """What the machine's clock and one that nobody sets say, in seconds."""

    def __init__(self) -> None:
        self.time = self.passed = 1000.0

    def go_on(self, seconds: float, *, ahead: float = 0) -> None:
        self.passed += seconds
        self.time += seconds + ahead


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    clocks = Clocks()
    monkeypatch.setattr(housekeeping.time, "time", lambda: clocks.time)
    monkeypatch.setattr(housekeeping, "_passed", lambda: clocks.passed)
    return clocks


def test_a_clock_that_is_set_ahead_is_doubted_until_it_is_set_back(
    clocks: Clocks, caplog: pytest.LogCaptureFixture
) -> None:
    clock = housekeeping.Clock()
    clocks.go_on(DAY.total_seconds())
    assert not clock.is_doubted()
    clocks.go_on(2, ahead=DAY.total_seconds())
    assert clock.is_doubted()
    clocks.go_on(2)
    assert clock.is_doubted()
    assert [record.getMessage() for record in caplog.records] == [
        "the clock was set ahead by 86400 seconds: for an hour nothing is purged or swept out"
    ]
    clocks.go_on(2, ahead=-DAY.total_seconds())
    assert not clock.is_doubted()


def test_a_clock_that_stays_as_it_was_set_last_is_doubted_for_an_hour(clocks: Clocks) -> None:
    clock = housekeeping.Clock()
    for _ in range(2):
        clocks.go_on(HOUR.total_seconds() / 2, ahead=DAY.total_seconds())
        assert clock.is_doubted()
    clocks.go_on(HOUR.total_seconds() - 2)
    assert clock.is_doubted()
    clocks.go_on(2)
    assert not clock.is_doubted()
    clocks.go_on(2)
    assert not clock.is_doubted()


def test_a_clock_that_is_set_back_or_corrected_a_little_is_not_doubted(clocks: Clocks) -> None:
    clock = housekeeping.Clock()
    for ahead in (-HOUR.total_seconds(), 30, 59, -1, 59):
        clocks.go_on(2, ahead=ahead)
        assert not clock.is_doubted()


@pytest.mark.django_db
def test_the_night_deletes_a_draft_that_nobody_has_touched() -> None:
    draft, kept = start_from(STARTERS[0], owner=make_user(), language="en"), make_draft()
    assert [line for line in tick(NOON) if draft.code in line]
    assert list(Survey.objects.all()) == [kept]
    assert not [line for line in tick(NOON + DAY) if draft.code in line]


@pytest.mark.django_db
def test_the_night_sends_the_scores_that_wait_and_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    survey, platform, sent = closed_with_credit(minimum_n=5), make_platform(), []

    def send_scores(*, platform: CoursePlatform, scores: Sequence[WaitingScore]) -> list[WaitingScore]:
        sent.append((platform.name, len(scores)))
        return list(scores[1:])

    monkeypatch.setattr(housekeeping, "send_scores", send_scores)
    for number in range(5):
        score = Score(platform, "https://moodle.example.org/items/1", f"student {number}")
        redeem(survey=survey, receipt=make_receipt(survey), score=score)
    lines = [line for line in tick(NOON) if survey.code in line]
    assert lines == [f"{survey.code}: 4 scores sent, 1 waiting, 0 given up."]
    assert sent == [("Moodle", 5)]
    assert not [line for line in tick(NOON + SECOND) if survey.code in line]


@pytest.mark.django_db
def test_what_is_asked_for_is_done_whether_it_is_due_or_not(run: list[str]) -> None:
    _done(run, NOON)
    assert list(tick(NOON + SECOND, at_once={"night"})) == []
    assert run[-2:] == ["folds", "night"]


@pytest.mark.django_db
def test_folds_are_noted_every_quarter_of_a_minute(run: list[str]) -> None:
    noted = []
    for seconds in range(0, 40, 2):
        _done(run, NOON + seconds * SECOND)
        noted.append(LastRun.objects.get(job="folds").at)
    assert sorted(set(noted)) == [NOON + seconds * SECOND for seconds in (0, 16, 32)]


@pytest.mark.django_db
def test_what_fails_stops_nothing_else_and_gives_no_answer_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = _waiting(), _waiting()
    fold = folding.fold

    def failing(*, survey: Survey, everything: bool = False) -> int:
        if survey == broken:
            raise DatabaseError("Failing row contains (7, device, 0110).")
        return fold(survey=survey, everything=everything)

    monkeypatch.setattr(folding, "fold", failing)
    assert f"{sound.code}: 7 responses folded, 5 waiting." in list(tick(NOON))
    assert LastRun.objects.count() == len(housekeeping.JOBS)
    (line,) = [logging.Formatter("%(message)s").format(record) for record in caplog.records]
    assert line.startswith(f"folding survey {broken.pk} failed: DatabaseError in ")
    assert "\n" not in line
    assert "0110" not in line


@pytest.mark.django_db
def test_a_job_that_fails_stops_no_other(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def failing(**_: object) -> Iterator[Survey]:
        raise ValueError

    monkeypatch.setattr(housekeeping, "purge_due", failing)
    SignIn.objects.create(session_key="ended", session_data="", expire_date=NOON - 900 * 365 * DAY)
    list(tick(NOON))
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["housekeeping (days) failed"]
    assert not SignIn.objects.exists()


@pytest.mark.django_db
def test_a_purge_that_fails_keeps_no_other_from_its_day(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, sound = (_waiting(purge_on=NOON.date()) for _ in range(2))
    purge = course._purge

    def failing(survey: Survey) -> Survey:
        if survey == broken:
            raise ValueError
        return purge(survey)

    monkeypatch.setattr(course, "_purge", failing)
    assert [line for line in tick(NOON) if line.startswith(sound.code) and "2900-03-01" in line]
    assert Survey.objects.get(pk=sound.pk).state == State.PURGED
    assert Survey.objects.get(pk=broken.pk).state == State.OPEN
    (failed,) = [record.getMessage() for record in caplog.records]
    assert failed.startswith(f"purging survey {broken.pk} failed: ValueError in ")


@pytest.mark.django_db
def test_only_surveys_with_something_to_count_are_looked_at() -> None:
    make_open()
    waiting, undecided, left = _waiting(), make_open(), _waiting()
    Survey.objects.filter(pk=undecided.pk).update(state=State.CLOSED)
    folding.fold(survey=left, everything=True)
    FoldedPart.objects.filter(survey=left).update(in_order=False)
    close_survey(survey=_waiting())
    assert housekeeping.surveys_to_fold() == [waiting, undecided, left]


@pytest.mark.django_db
def test_a_copy_that_nobody_came_back_to_is_thrown_away() -> None:
    survey = rehearse(_waiting()).survey
    Survey.objects.filter(pk=survey.pk).update(created_at=timezone.now() - 2 * HOUR)
    assert "Rehearsals discarded: 1." in list(tick(NOON))


@pytest.mark.django_db(transaction=True)
def test_the_command_does_all_of_it_now_and_says_what() -> None:
    survey, outputs = _waiting(), []
    for _ in range(2):
        out = StringIO()
        call_command("housekeeping", "--once", stdout=out)
        outputs.append(out.getvalue())
    assert f"{survey.code}: 7 responses folded, 5 waiting.\n" in outputs[0]
    assert outputs[1] == ""


# Two at once, and one that is killed: with other connections, and so with real transactions.


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fold goes by steps of seven, so that others come in between."""
    for name in ("FIRST", "FEWEST", "MOST"):
        monkeypatch.setattr(steps, name, 7)


def _queues(number: int) -> list[Survey]:
    """Return surveys with many patterns that wait, and one that was closed and not counted."""
    surveys = [make_open(*(yes_no(f"Question {place}?") for place in range(6)), minimum_n=5) for _ in range(number)]
    for survey in surveys:
        store(survey, {f"{pattern:06b}": 1 for pattern in range(64)})
        # What is folded first stands in no order but that of the hashes.
        settle(survey)
        store(survey, {f"{pattern:06b}": 1 for pattern in range(64)})
    # As a process leaves it that is killed between closing and counting.
    Survey.objects.filter(pk=surveys[-1].pk).update(state=State.CLOSED)
    return surveys


def _require_counted(surveys: list[Survey]) -> None:
    for survey in surveys:
        stored = Survey.objects.get(pk=survey.pk)
        assert response_count(stored) == 128
        assert standing_of(stored).in_order
        patterns = PatternCount.objects.filter(survey=stored).order_by("pk")
        assert list(patterns) == sorted(patterns, key=lambda pattern: pattern.reports)
        assert sum(pattern.count for pattern in patterns) == standing_of(stored).folded
        assert (stored.partition is not None) == (stored.state == State.CLOSED)
    assert Response.objects.count() + spent_count() == 128 * len(surveys)
    assert not Response.objects.filter(survey=surveys[-1]).exists()


@pytest.mark.usefixtures("transactional_db", "small_steps")
def test_two_at_once_count_everybody_once(caplog: pytest.LogCaptureFixture) -> None:
    surveys, begin = _queues(3), threading.Barrier(2)

    def keep_house() -> None:
        begin.wait()
        try:
            list(tick(timezone.now()))
        finally:
            connection.close()

    threads = [threading.Thread(target=keep_house) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What one of them did not finish, as the other had begun it, is finished by the next tick.
    list(tick(timezone.now()))
    _require_counted(surveys)
    assert caplog.records == []


@pytest.mark.usefixtures("transactional_db", "small_steps")
@pytest.mark.parametrize("after", [0, 1, 5, 30])
def test_what_was_killed_in_the_middle_is_gone_on_with(after: int) -> None:
    surveys = _queues(2)
    connection.close()
    if not (child := os.fork()):
        try:
            _kill_after(after)
            list(tick(timezone.now()))
        finally:
            os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert not LastRun.objects.exists()
    list(tick(timezone.now()))
    _require_counted(surveys)


def _kill_after(number: int) -> None:
    """Kill this process in the middle of its next step but so many."""
    left = iter(range(number))
    measured = steps.time.monotonic

    def killing() -> float:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return measured()

    steps.time = type("Time", (), {"monotonic": staticmethod(killing), "sleep": staticmethod(steps.time.sleep)})  # type: ignore[assignment]
