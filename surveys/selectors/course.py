"""Where a survey stands in its course from draft to purged: the same on its page and in every list."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from django.db.models import Count, QuerySet

from surveys.models import Erasure, Question, Right, State, Survey
from surveys.selectors.responses import all_in_figures, response_totals


class Stage(Enum):
    """What a survey waits for."""

    EMPTY = "a draft without questions"
    READY = "a draft that can be opened"
    WAITING = "open, but its time has not come"
    FEW = "open, with too few answers for results"
    BATCH = "open, with enough answers, but no batch is complete"
    ENOUGH = "open, with results"
    FULL = "open, with all the answers it wants"
    OVER = "its closing time has passed"
    PAUSED = "paused"
    CLOSED = "closed, with results"
    CLOSED_WITHOUT = "closed, with too few answers for results"
    SEALED = "sealed, with results"
    SEALED_WITHOUT = "sealed, with too few answers for results"
    PURGING = "purged, but the database's files have not followed"
    PURGED = "purged"


class Action(Enum):
    """What moves a survey on its course, or around it."""

    EDIT = "edit"
    OPEN = "open"
    PAUSE = "pause"
    CLOSE = "close"
    SCHEDULE = "schedule"
    NEXT_VERSION = "next version"
    SEAL = "seal"
    PURGE = "purge"
    DELETE = "delete"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"


_IN_STATE: dict[str, frozenset[Action]] = {
    State.DRAFT: frozenset({Action.EDIT, Action.OPEN, Action.DELETE, Action.ARCHIVE}),
    State.OPEN: frozenset({Action.PAUSE, Action.CLOSE, Action.SCHEDULE, Action.NEXT_VERSION}),
    State.PAUSED: frozenset({Action.OPEN, Action.CLOSE, Action.SCHEDULE, Action.NEXT_VERSION}),
    State.CLOSED: frozenset({Action.SEAL, Action.PURGE, Action.NEXT_VERSION, Action.ARCHIVE}),
    State.SEALED: frozenset({Action.PURGE, Action.NEXT_VERSION, Action.ARCHIVE}),
    State.PURGED: frozenset({Action.NEXT_VERSION, Action.ARCHIVE}),
}
# Before that rows wait for their fold, in their order.
_ENDED = frozenset({State.CLOSED, State.SEALED, State.PURGED})
_OWNERS = frozenset({Action.PURGE, Action.DELETE})


@dataclass(frozen=True, slots=True)
class Course:
    """A survey at one moment: what it has, and what it waits for."""

    survey: Survey
    questions: int
    received: int
    in_figures: int
    now: dt.datetime
    # Whether the database's files still hold what has been deleted.
    erasing: bool = False

    @property
    def enough(self) -> bool:
        """Whether there are results to show."""
        return self.in_figures >= self.survey.minimum_n

    @property
    def stage(self) -> Stage:
        """What it waits for."""
        match self.survey.state:
            case State.DRAFT:
                return Stage.READY if self.questions else Stage.EMPTY
            case State.CLOSED:
                return Stage.CLOSED if self.enough else Stage.CLOSED_WITHOUT
            case State.SEALED:
                return Stage.SEALED if self.enough else Stage.SEALED_WITHOUT
            case State.PURGED:
                return Stage.PURGING if self.erasing else Stage.PURGED
        return self._collecting()

    def _collecting(self) -> Stage:
        survey = self.survey
        if survey.closes_at is not None and survey.closes_at <= self.now:
            return Stage.OVER
        if survey.state == State.PAUSED:
            return Stage.PAUSED
        if survey.opens_at is not None and self.now < survey.opens_at:
            return Stage.WAITING
        if survey.response_cap is not None and self.received >= survey.response_cap:
            return Stage.FULL
        if self.enough:
            return Stage.ENOUGH
        return Stage.BATCH if self.received >= survey.minimum_n else Stage.FEW


def actions_of(survey: Survey, rights: frozenset[Right]) -> frozenset[Action]:
    """Return what somebody with these rights may do with a survey now; services refuse everything else."""
    held = {Right.OWN: _OWNERS, Right.EDIT: frozenset(Action) - _OWNERS}
    allowed = frozenset[Action]().union(*(actions for right, actions in held.items() if right in rights))
    now = _IN_STATE[survey.state]
    if survey.archived:
        now = now - {Action.ARCHIVE} | {Action.UNARCHIVE}
    return now & allowed


def course_of(survey: Survey, *, now: dt.datetime) -> Course:
    """Return how one survey stands."""
    return courses_of([survey], now=now)[0]


def courses_of(surveys: Iterable[Survey], *, now: dt.datetime) -> list[Course]:
    """Return how each of these surveys stands, however many they are, in three queries."""
    listed = list(surveys)
    keys = [survey.pk for survey in listed]
    totals = response_totals(listed)
    questions = _numbers(Question.objects.filter(survey_id__in=keys), "survey_id")
    erasing = set(Erasure.objects.filter(survey_id__in=keys).values_list("survey_id", flat=True))
    courses = []
    for survey in listed:
        received, folded = totals[survey.pk]
        courses.append(
            Course(
                survey=survey,
                questions=questions.get(survey.pk, 0),
                received=received,
                in_figures=received if all_in_figures(survey) else folded,
                now=now,
                erasing=survey.state in _ENDED and survey.pk in erasing,
            )
        )
    return courses


def _numbers(rows: QuerySet[Any], column: str) -> dict[int, int]:
    """Return how many rows there are of each survey that has any."""
    return dict(rows.order_by().values_list(column).annotate(Count("pk")))
