"""What is done beside the requests, and by none of them: folds, purges, reminders, and what is swept out at night.

What is done late, twice or half harms nothing: services lock the rows that they change and go on where one was stopped.
"""

import datetime as dt
import logging
import math
import time
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from surveys.common.services import failing_alone
from surveys.course.services import UNTOUCHED_FOR, delete_untouched, purge_due, remind_owners
from surveys.credit.services.sending import send_waiting_scores
from surveys.drafts.services import copies
from surveys.lti.services.scores import send_scores
from surveys.metrics import services as metrics
from surveys.models import FoldedPart, LastRun, Response, State, Survey
from surveys.models.housekeeping import leaves_a_log
from surveys.models.sessions import SessionStore
from surveys.numbers.words import counted
from surveys.responses.services import erasing, folding
from surveys.responses.services.steps import OvertakenError
from surveys.responses.told import keep_partition
from surveys.tokens.services import forget_ended_tokens

logger = logging.getLogger(__name__)

# How long housekeeping waits between two ticks.
PAUSE_SECONDS = 2.0
# So often at most it is noted that folds were made: SQLite need not write every two seconds.
_NOTED_EVERY = dt.timedelta(seconds=15)
# A clock that is set ahead by so many seconds or more is doubted for so many: somebody may set it right again.
LEAST_LEAP, DOUBTED_FOR = 60.0, 3600.0
# What a fold and `keep_partition` read of a survey; texts and translations are not fetched every two seconds.
_READ = ("code", "state", "minimum_n", "by_invitation", "rehearsal_of", "content_hash", "purge_on", "partition")

STILL_HELD = "the database’s files still hold what was deleted, because others are using them or they are large"
_LOG = (
    "\nPostgreSQL’s write-ahead log still holds it until it is written over:"
    " docs/deployment/ending-surveys.md says how to hasten that."
)


@dataclass(frozen=True, slots=True)
class Job:
    """A part of housekeeping.

    `due` returns the latest moment, not after the one given, from which it should have run; `work` does it and yields
    a line for each survey that something was done with. `by_date`: another date would have it do something else.
    """

    name: str
    due: Callable[[dt.datetime], dt.datetime]
    work: Callable[[dt.datetime], Iterator[str]]
    by_date: bool = True


class Clock:
    """The machine's clock beside one that nobody sets: what is destroyed for a wrong date does not come back."""

    def __init__(self) -> None:
        self._believed = self._seen = time.time() - _passed()
        self._set_ahead_at = -math.inf

    def is_doubted(self) -> bool:
        """Whether it was set ahead a short while ago, and not back since."""
        now = _passed()
        ahead = time.time() - now
        leap, self._seen = ahead - self._seen, ahead
        if leap >= LEAST_LEAP:
            self._set_ahead_at = now
            logger.warning("the clock was set ahead by %d seconds: for an hour nothing is purged or swept out", leap)
        if ahead - self._believed < LEAST_LEAP or now - self._set_ahead_at >= DOUBTED_FOR:
            self._believed = ahead
        return ahead > self._believed


def _passed() -> float:
    """Return seconds, on Linux also those in which the machine slept."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def tick(now: dt.datetime, *, at_once: Container[str] = (), is_doubted: bool = False) -> Iterator[str]:
    """Do what is due, and the jobs named in `at_once` whether they are or not; yield what was done, in lines.

    While the time is doubted, what goes by the date waits.
    """
    last = dict(LastRun.objects.values_list("job", "at"))
    for job in JOBS:
        if is_doubted and job.by_date:
            continue
        # A clock that was set back leaves times that are still to come.
        if job.name not in at_once and job.name in last and job.due(now) <= last[job.name] <= now:
            continue
        with failing_alone(f"housekeeping ({job.name})"):
            yield from job.work(now)
        # Also what failed is tried again when it is due again; what was killed is not noted and begins anew.
        if job.name not in last or not now - _NOTED_EVERY < last[job.name] <= now:
            LastRun.objects.bulk_create(
                [LastRun(job=job.name, at=now)], update_conflicts=True, unique_fields=["job"], update_fields=["at"]
            )


def _folds(_now: dt.datetime) -> Iterator[str]:
    for survey in surveys_to_fold():
        with failing_alone(f"folding survey {survey.pk}"):
            try:
                folded = folding.fold(survey=survey, everything=not survey.may_collect_more)
                keep_partition(survey)
            except OvertakenError:
                continue
            except Exception:
                metrics.count_fold(done=False)
                raise
            if folded:
                yield f"{survey.code}: {counted(folded, 'response')} folded, {folding.pending_count(survey):,} waiting."


def surveys_to_fold() -> list[Survey]:
    """Return the surveys that have stored responses, or counts that a fold left disordered when it was killed.

    And those that were closed and have not decided what they tell apart.
    """
    waiting = Response.objects.filter(survey=OuterRef("pk"))
    left = FoldedPart.objects.filter(survey=OuterRef("pk"), in_order=False)
    undecided = Q(state=State.CLOSED, partition__isnull=True, rehearsal_of__isnull=True)
    return list(Survey.objects.filter(Exists(waiting) | Exists(left) | undecided).only(*_READ).order_by("pk"))


def _days(now: dt.datetime) -> Iterator[str]:
    for survey in purge_due(now=now):
        yield f"{survey.code} is purged: its day, {survey.purge_on}, has come."
    yield from _erased(patience=erasing.PATIENCE)


def _hour(now: dt.datetime) -> Iterator[str]:
    """Do what need not be tried every minute: a mail server that is down keeps everything else waiting."""
    for survey, sent in remind_owners(now=now):
        done = "its owner is reminded" if sent else "its owner could not be reminded by mail"
        yield f"{survey.code}: {done} that it is purged on {survey.purge_on}."
    if discarded := copies.sweep():
        yield f"Rehearsals discarded: {discarded}."


def _night(now: dt.datetime) -> Iterator[str]:
    SessionStore.clear_expired()
    forget_ended_tokens(today=now.date())
    for draft in delete_untouched(now=now):
        yield f"{draft.code} is deleted: a template’s draft that nobody has touched for {UNTOUCHED_FOR.days} days."
    # Before what was deleted is erased: students whose scores were sent are among it.
    for batch in send_waiting_scores(send_scores=send_scores):
        scores = f"{counted(batch.sent, 'score')} sent, {batch.left:,} waiting, {batch.given_up:,} given up"
        yield f"{batch.survey.code}: {scores}."
    yield from _erased(patience=erasing.PATIENCE_OF_A_JOB, however_long=True)


def _erased(*, patience: float, however_long: bool = False) -> Iterator[str]:
    """Finish what closing, sealing, purging and folds left in the files."""
    due = list(Survey.objects.filter(erasures__isnull=False).distinct().only("code").order_by("code"))
    if due and not erasing.erase(patience=patience, however_long=however_long):
        yield f"Not finished: {STILL_HELD}."
    for survey in due:
        if not survey.erasures.exists():
            files = "its tables’ files" if leaves_a_log() else "the database’s files"
            yield f"{survey.code}: nothing that was deleted is left in {files}.{log_words()}"


def log_words() -> str:
    """Say what the tables' files no longer hold and the database's log still does, if it keeps one."""
    return _LOG if leaves_a_log() else ""


def _every(**period: float) -> Callable[[dt.datetime], dt.datetime]:
    return lambda now: now - dt.timedelta(**period)


def _last_night(now: dt.datetime) -> dt.datetime:
    hour = now.astimezone(dt.UTC).replace(hour=settings.NIGHT_HOUR, minute=0, second=0, microsecond=0)
    return hour if hour <= now else hour - dt.timedelta(days=1)


JOBS = (
    Job("folds", _every(seconds=0), _folds, by_date=False),
    Job("days", _every(minutes=1), _days),
    Job("hour", _every(hours=1), _hour),
    Job("night", _last_night, _night),
)
