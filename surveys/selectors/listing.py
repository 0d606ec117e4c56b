"""The list of somebody's surveys: those they own and those that others let them work on."""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from surveys.models import Membership, Right, Role, Survey
from surveys.models.membership import OWNERS_RIGHTS, RIGHTS_OF
from surveys.selectors.course import Course, courses_of
from surveys.selectors.surveys import surveys_of

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
        """The survey itself."""
        return self.course.survey


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
    found = (
        _with_words(everything.filter(archived=archived), words).select_related("owner").order_by("-created_at", "-pk")
    )
    chosen = Paginator(found, ON_A_PAGE).get_page(page)
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
        own = survey.owner_id == user.pk
        held = () if own else tuple(roles[survey.pk])
        rights = OWNERS_RIGHTS if own else frozenset[Right]().union(*(RIGHTS_OF[role] for role in held))
        entries.append(Entry(course, held, rights, later.get(survey.pk)))
    return entries
