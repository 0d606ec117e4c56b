"""Where surveys stand and what may be done with them, the list of surveys, and what ending one would destroy."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from django.contrib.auth.models import AnonymousUser, User
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from surveys.common.selectors import surveys_of
from surveys.common.totals import all_in_figures, response_totals, standing_of
from surveys.models import Budget, Erasure, Invitation, Lesson, Membership, Release, Right, Role, State, Survey
from surveys.models.housekeeping import leaves_a_log
from surveys.models.membership import OWNERS_RIGHTS, RIGHTS_OF
from surveys.models.units import MICRO


class CourseStage(Enum):
    """What a survey waits for."""

    EMPTY = "a draft without questions"
    READY = "a draft that can be opened"
    WAITING = "open, but its time has not come"
    FEW = "open, with too few answers for results"
    BATCH = "open, with enough answers, but no batch is complete"
    UNSHOWN = "open, with enough answers, but results are shown only once it is closed"
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
    PURGE_DAY = "purge day"
    DELETE = "delete"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"


_IN_STATE: dict[str, frozenset[Action]] = {
    State.DRAFT: frozenset({Action.EDIT, Action.OPEN, Action.DELETE, Action.ARCHIVE}),
    State.OPEN: frozenset({Action.PAUSE, Action.CLOSE, Action.SCHEDULE, Action.PURGE_DAY, Action.NEXT_VERSION}),
    State.PAUSED: frozenset({Action.OPEN, Action.CLOSE, Action.SCHEDULE, Action.PURGE_DAY, Action.NEXT_VERSION}),
    State.CLOSED: frozenset({Action.SEAL, Action.PURGE, Action.PURGE_DAY, Action.NEXT_VERSION, Action.ARCHIVE}),
    State.SEALED: frozenset({Action.PURGE, Action.PURGE_DAY, Action.NEXT_VERSION, Action.ARCHIVE}),
    State.PURGED: frozenset({Action.NEXT_VERSION, Action.ARCHIVE}),
}
# Before that rows wait for their fold, in their order.
_ENDED = frozenset({State.CLOSED, State.SEALED, State.PURGED})
# So many days before its reports are destroyed its owner is reminded by email, the shortest first; from the longest on
# its pages say it aloud.
REMINDED_BEFORE = (1, 14)
_OWNERS = frozenset({Action.PURGE, Action.PURGE_DAY, Action.DELETE})


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
    # Whether some questions are sent as they are.
    has_plain: bool = False

    @property
    def enough(self) -> bool:
        """Whether there are results to show."""
        return self.in_figures >= self.survey.minimum_n and not self.withheld_until_closed

    @property
    def withheld_until_closed(self) -> bool:
        """Whether no figure is shown until it closes: as `Definition` says, without reading that."""
        return (self.has_plain or bool(self.survey.questionnaire.arms)) and not all_in_figures(self.survey)

    @property
    def days_to_purge(self) -> int | None:
        """How many days are left until its reports are destroyed, where a day is set."""
        return self.survey.days_to_purge(self.now)

    @property
    def purged_soon(self) -> bool:
        """Whether its owner is to be reminded of that."""
        return self.days_to_purge is not None and self.days_to_purge <= max(REMINDED_BEFORE)

    @property
    def stage(self) -> CourseStage:
        """What it waits for."""
        match self.survey.state:
            case State.DRAFT:
                return CourseStage.READY if self.questions else CourseStage.EMPTY
            case State.CLOSED:
                return CourseStage.CLOSED if self.enough else CourseStage.CLOSED_WITHOUT
            case State.SEALED:
                return CourseStage.SEALED if self.enough else CourseStage.SEALED_WITHOUT
            case State.PURGED:
                return CourseStage.PURGING if self.erasing else CourseStage.PURGED
        return self._collecting()

    def _collecting(self) -> CourseStage:
        survey = self.survey
        if survey.is_over(self.now):
            return CourseStage.OVER
        if survey.state == State.PAUSED:
            return CourseStage.PAUSED
        if survey.opens_at is not None and self.now < survey.opens_at:
            return CourseStage.WAITING
        if survey.response_cap is not None and self.received >= survey.response_cap:
            return CourseStage.FULL
        return self._counting()

    def _counting(self) -> CourseStage:
        if self.enough:
            return CourseStage.ENOUGH
        if self.received < self.survey.minimum_n:
            return CourseStage.FEW
        return CourseStage.UNSHOWN if self.withheld_until_closed else CourseStage.BATCH


def actions_of(survey: Survey, rights: frozenset[Right]) -> frozenset[Action]:
    """Return what somebody with these rights may do with a survey now; services refuse everything else."""
    held = {Right.OWN: _OWNERS, Right.EDIT: frozenset(Action) - _OWNERS}
    allowed = frozenset[Action]().union(*(actions for right, actions in held.items() if right in rights))
    now = _IN_STATE[survey.state]
    if survey.archived:
        now = now - {Action.ARCHIVE} | {Action.UNARCHIVE}
    return now & allowed


def course_of(survey: Survey, *, now: dt.datetime) -> Course:
    return courses_of([survey], now=now)[0]


def courses_of(surveys: Iterable[Survey], *, now: dt.datetime) -> list[Course]:
    """Return how each of these surveys stands, however many they are, in three queries."""
    listed = list(surveys)
    keys = [survey.pk for survey in listed]
    totals = response_totals(listed)
    erasing = set(Erasure.objects.filter(survey_id__in=keys).values_list("survey_id", flat=True))
    courses = []
    for survey in listed:
        received, folded = totals[survey.pk]
        courses.append(
            Course(
                survey=survey,
                questions=survey.question_count,
                received=received,
                in_figures=received if all_in_figures(survey) else folded,
                now=now,
                erasing=survey.state in _ENDED and survey.pk in erasing,
                has_plain=any(not question.chance.protects for question in survey.questions),
            )
        )
    return courses


# The list of somebody's surveys: those they own and those that others let them work on.


# A page of so many is made in a constant number of queries.
ON_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """One survey of the list, and what the reader is in it."""

    course: Course
    roles: tuple[Role, ...]  # none: it is their own
    rights: frozenset[Right]
    later: Survey | None  # a version made from it, if there is any

    @property
    def survey(self) -> Survey:
        return self.course.survey

    @property
    def deletable(self) -> bool:
        return Action.DELETE in actions_of(self.survey, self.rights)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of the list, and how many surveys there are besides."""

    entries: list[Entry]
    page: Page[Survey]
    current: int  # all that are not archived
    archived: int


def listing_of(
    *, user: User | AnonymousUser, now: dt.datetime, archived: bool = False, words: str = "", page: int | str = 1
) -> Listing:
    """Return a page of the surveys a user may see: of those in the archive or the others, with these words if any.

    `words` are looked for in titles, all of them; a whole join code is found as well. A page that does not exist is the
    last.
    """
    everything = surveys_of(user=user)
    kept_away = everything.filter(archived=True).count()
    matches = (
        _with_words(everything.filter(archived=archived), words).select_related("owner").order_by("-created_at", "-pk")
    )
    chosen = Paginator(matches, ON_A_PAGE).get_page(page)
    entries = _entries(list(chosen.object_list), user, now)
    return Listing(entries, chosen, everything.count() - kept_away, kept_away)


def roles_in(survey: Survey, *, user: User | AnonymousUser) -> tuple[Role, ...]:
    """Return what a user is in a survey besides its owner, if anything."""
    held = Membership.objects.filter(Q(user_id=user.pk), survey_id=survey.pk).order_by("role")
    return tuple(Role(role) for role in held.values_list("role", flat=True))


def _with_words(surveys: QuerySet[Survey], words: str) -> QuerySet[Survey]:
    # SQLite takes no NUL in a text it compares, and nobody means one.
    for word in words.replace("\0", " ").split():
        surveys = surveys.filter(Q(title__icontains=word) | Q(code__iexact=word))
    return surveys


def _entries(surveys: list[Survey], user: User | AnonymousUser, now: dt.datetime) -> list[Entry]:
    roles: dict[int, list[Role]] = defaultdict(list)
    members = Membership.objects.filter(Q(user_id=user.pk), survey__in=surveys).order_by("role")
    for survey_id, role in members.values_list("survey_id", "role"):
        roles[survey_id].append(Role(role))
    later = {each.previous_id: each for each in surveys_of(user=user).filter(previous__in=surveys).order_by("edition")}
    entries = []
    for course in courses_of(surveys, now=now):
        survey = course.survey
        is_owner = survey.owner_id == user.pk
        held = () if is_owner else tuple(roles[survey.pk])
        rights = OWNERS_RIGHTS if is_owner else frozenset[Right]().union(*(RIGHTS_OF[role] for role in held))
        entries.append(Entry(course, held, rights, later.get(survey.pk)))
    return entries


# What a survey has that sealing, purging or deleting it would destroy, end or leave: numbers, never reports.


@dataclass(frozen=True, slots=True)
class EndingLosses:
    """Everything of one survey that its owner may be asked to give up."""

    responses: int
    patterns: int  # different combinations of reports that are counted
    invitations: int
    releases: int  # drawn and charged
    published: int  # of these, those that everybody may see
    unspent: float  # central ε of the budget that nothing has been charged to yet
    questions: int
    groups: int
    saves: int
    people: int
    lesson: bool  # whether pages and questions are put together to teach with
    log: bool  # whether the database's log of what was written keeps them for a while


def losses_of(survey: Survey) -> EndingLosses:
    """Return what there is now."""
    standing = standing_of(survey)
    releases = Release.objects.filter(survey_id=survey.pk, entry__isnull=False)
    budget = Budget.objects.filter(survey_id=survey.pk).first()
    return EndingLosses(
        responses=standing.received,
        patterns=standing.patterns,
        invitations=Invitation.objects.filter(survey_id=survey.pk).count(),
        releases=releases.count(),
        published=releases.filter(published=True).count(),
        unspent=(budget.total_micro_epsilon - budget.spent_micro_epsilon) / MICRO if budget else 0.0,
        questions=survey.question_count,
        groups=survey.groups.count(),
        saves=survey.saved_versions.count(),
        people=survey.memberships.values("user").distinct().count(),
        lesson=Lesson.objects.filter(survey_id=survey.pk).exists(),
        log=leaves_a_log(),
    )
