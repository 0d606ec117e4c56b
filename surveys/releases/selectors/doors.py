"""Which releases there are and which everybody may see; which questions may be released, and with how many answers."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from surveys.common.selectors import definition_of
from surveys.models import Proposal, Release, State, Survey
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.releases.families.options import Questions
from surveys.responses.selectors.snapshot import Snapshot, snapshot_in, snapshot_of
from surveys.responses.selectors.tally import Tally, answered_count
from surveys.responses.told import is_final, recode


def charged_releases() -> QuerySet[Release]:
    """Return every release that the ledger has charged, newest first, with what pages show of it."""
    return (
        Release.objects.filter(entry__isnull=False)
        .select_related("survey__budget", "created_by", "entry", "proposal")
        .prefetch_related("parts")
        .order_by("-created_at", "-entry__number", "-pk")
    )


def published_release(release_id: str) -> Release:
    """Return a release that everybody may see; any other does not exist (raises `Release.DoesNotExist`)."""
    return charged_releases().get(pk=release_id, published=True)


def published_releases(survey: Survey) -> QuerySet[Release]:
    """Return the releases of a survey that everybody may see, newest first."""
    return charged_releases().filter(survey_id=survey.pk, published=True)


def releasable_surveys() -> QuerySet[Survey]:
    """Return the opened surveys that have a budget and are not sealed or purged, newest first."""
    gone = (State.DRAFT, State.SEALED, State.PURGED)
    return Survey.objects.exclude(state__in=gone).filter(budget__isnull=False).select_related("budget")


def asked_of(definition: Definition, numbers: Collection[int]) -> tuple[AskedQuestion, ...]:
    """Return the questions with these numbers, in their order."""
    return tuple(asked for asked in definition.questions if asked.number in numbers)


def answer_count(survey: Survey, questions: Questions) -> int:
    """Return how many responses in the figures leave none of a part's questions out: public, if `why_suppressed` is "".

    While more may come it changes by batches: else it would tell whether the last person left one out.
    """
    return answered_count(survey, *(question.first.number for question in questions))


Look = Callable[[], tuple[Definition, Snapshot]]
"""Returns the survey and the responses in its figures as its results tell them, read when they are asked for."""


def look_now(survey: Survey, definition: Definition) -> Look:
    """Return how to look at what is in the figures of a survey."""
    return cache(lambda: recode(definition, snapshot_of(survey, definition)))


def look_in(survey: Survey, definition: Definition, tally: Tally) -> Look:
    """Return how to look at the responses that a release is drawn from."""
    return cache(lambda: recode(definition, snapshot_in(survey, definition, tally)))


def why_suppressed(questions: Questions, look: Look) -> str:
    """Return why the number of answers to a part's questions may not be shown, as a release does; "" where it may."""
    return next(filter(None, (_why_suppressed(question, look) for question in questions)), "")


def _why_suppressed(question: AskedQuestion, look: Look) -> str:
    if not question.missing_is_sensitive:
        return ""
    if question.asked_if:
        # Where results show it, it is still a number of answers to another question, which nothing protects.
        return _(
            "“%(question)s” is asked only of some people, depending on an answer that is sent as it is. A "
            "release would reveal exactly how many people are asked. Choose other questions."
        ) % {"question": question.text}
    definition, snapshot = look()
    if snapshot.shows_number_of(question):
        return ""
    why = (
        _(
            "“%(question)s” is asked only in some arms. A release would reveal exactly how many people are in "
            "those arms."
        )
        if question.arms
        else _(
            "Answers to “%(question)s” are sent as they are, and the question can be skipped. A release would "
            "reveal exactly how many people skipped it."
        )
    )
    what = (
        _(
            "This number is not shown here, because it would set fewer than %(minimum)s people apart from all "
            "others. Choose other questions."
        )
        if is_final(snapshot)
        else _(
            "This number can’t be shown until the survey is closed. Close the survey first, or choose other questions."
        )
    )
    return f"{why} {what}" % {"question": question.text, "minimum": definition.minimum_n}


# Proposals of releases: which wait, who may approve them, and what they ask for.


def may_approve(user: User | AnonymousUser) -> bool:
    """Whether somebody approves and declines what others propose: staff who may publish releases.

    An owner chooses who releases from a survey, and would choose the second person as well.
    """
    return user.is_active and user.is_staff and user.has_perm("surveys.change_release")


def waiting_for(user: User | AnonymousUser) -> QuerySet[Proposal]:
    """Return what others have proposed and somebody may approve, the oldest first."""
    if user.pk is None or not may_approve(user):
        return Proposal.objects.none()
    waiting = Proposal.objects.filter(state=Proposal.State.OPEN).exclude(proposed_by=user.pk)
    gone = (State.SEALED, State.PURGED)
    return waiting.exclude(survey__state__in=gone).select_related("survey").order_by("proposed_at", "pk")


# The published releases of one survey, for everybody.


INDEX_SCHEMA = "deniable-releases/1"

_KEY_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Index:
    """A survey and its published releases, newest first; there is at least one."""

    key: str
    definition: Definition
    releases: tuple[Release, ...]


def index_key(survey: Survey) -> str:
    """Return what names a survey in the address of its releases.

    It is the beginning of the hash of all that respondents agreed to, which every release names as well. It is not
    the survey's code: with that anybody could answer.
    """
    return survey.content_hash[:_KEY_LENGTH]


def published_index(key: str) -> Index:
    """Return the published releases of a survey.

    Where none is published it does not exist, whatever else there is of the survey (raises `Release.DoesNotExist`).
    """
    if len(key) == _KEY_LENGTH:
        for survey in Survey.objects.filter(content_hash__startswith=key):
            releases = tuple(published_releases(survey))
            # SQLite takes capital and small letters for the same.
            if releases and index_key(survey) == key:
                return Index(key, definition_of(survey), releases)
    raise Release.DoesNotExist


def index_document(index: Index) -> dict[str, Any]:
    return {
        "schema": INDEX_SCHEMA,
        "survey": index.definition.title,
        "releases": [
            {
                "id": release.pk,
                "page": reverse("release", args=[release.pk]),
                "document": reverse("release-json", args=[release.pk]),
                "released_on": release.created_at.date().isoformat(),
                "mechanism": release.mechanism,
                "questions": [part.text for part in release.parts.all()],
                "epsilon": str(release.epsilon),
                "delta": str(release.delta),
                # Only where it is so: of all others the list stays as it was.
                **({"two_people_agreed": True} if release.has_two_people else {}),
            }
            for release in index.releases
        ],
    }
