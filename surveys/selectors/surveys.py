"""The doors to surveys and to their definitions."""

from collections import OrderedDict
from threading import Lock

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, QuerySet

from surveys.models import Survey
from surveys.models.definition import Definition

_COLLECTING = (
    "code",
    "state",
    "opens_at",
    "closes_at",
    "response_cap",
    "content_hash",
    "server_mode_allowed",
)
_KEPT_DEFINITIONS = 256
_definitions: OrderedDict[tuple[int, str], Definition] = OrderedDict()
_lock = Lock()


def survey_by_code(code: str) -> Survey:
    """Return the survey behind a join code, for a respondent: one indexed read of what collecting needs.

    Raises `Survey.DoesNotExist`.
    """
    return Survey.objects.only(*_COLLECTING).get(code=code.upper())


def survey_for_owner(*, user: AbstractBaseUser | AnonymousUser, code: str) -> Survey:
    """Return the user's own survey; anybody else's does not exist (raises `Survey.DoesNotExist`)."""
    return Survey.objects.get(code=code.upper(), owner_id=user.pk)


def surveys_of(*, user: AbstractBaseUser | AnonymousUser) -> QuerySet[Survey]:
    """Return the user's surveys, newest first, each with `question_count` and `response_total`."""
    return Survey.objects.filter(owner_id=user.pk).annotate(
        question_count=Count("questions", distinct=True),
    )


def draft_of(survey: Survey) -> Definition:
    """Return the definition as it stands in the database now; raises ValueError when a stored design makes no matrix."""
    return Definition.of(survey, survey.questions.all())


def definition_of(survey: Survey) -> Definition:
    """Return the definition; of an opened survey it is frozen, so it is kept by content hash and read once a process."""
    if survey.is_draft:
        return draft_of(survey)
    key = (survey.pk, survey.content_hash)
    with _lock:
        if (kept := _definitions.get(key)) is not None:
            _definitions.move_to_end(key)
            return kept
    # A deferred survey would read its columns one by one.
    definition = draft_of(Survey.objects.get(pk=survey.pk))
    with _lock:
        _definitions[key] = definition
        while len(_definitions) > _KEPT_DEFINITIONS:
            _definitions.popitem(last=False)
    return definition
