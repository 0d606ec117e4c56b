"""The doors to surveys and to their definitions."""

import re
from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.db.models import Count, QuerySet

from surveys.models import Group, Survey
from surveys.models.definition import Definition

_COLLECTING = (
    "id",
    "code",
    "state",
    "opens_at",
    "closes_at",
    "response_cap",
    "content_hash",
    "server_mode_allowed",
)
_SLUG = re.compile(r"[A-Za-z0-9-]{1,40}")
_KEPT_DEFINITIONS = 256
_definitions: OrderedDict[tuple[int, str], Definition] = OrderedDict()
_lock = Lock()


def survey_by_code(code: str) -> Survey:
    """Return the survey behind a join code, for a respondent: one indexed read of what collecting needs.

    Raises `Survey.DoesNotExist`.
    """
    sql, names, converters = _read_by_code(connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(sql, [code.upper()])
        row = cursor.fetchone()
    if row is not None:
        values = list(row)
        for position, (functions, expression) in converters.items():
            for function in functions:
                values[position] = function(values[position], expression, connection)
        return Survey.from_db(connection.alias, names, values)
    raise Survey.DoesNotExist(f"There is no survey with the code {code!r}.")


def group_by_slug(survey: Survey, slug: str) -> Group | None:
    """Return the survey's group behind this part of a link; links may be typed in capitals."""
    # Most of what is not a group never reaches the database, which takes no NUL.
    if not _SLUG.fullmatch(slug):
        return None
    return Group.objects.filter(survey_id=survey.pk, slug=slug.lower()).first()


@lru_cache(maxsize=2)
def _read_by_code(vendor: str) -> tuple[str, list[str], dict[int, tuple[list[Any], Any]]]:
    """Return Django's own SQL of the read that every answer begins with, its columns' names and their converters.

    Django takes longer to compose it than SQLite to run it, so it is composed once.
    """
    compiler = Survey.objects.filter(code="").only(*_COLLECTING).order_by().query.get_compiler(connection=connection)
    sql, _parameters = compiler.as_sql()
    columns = [column for column, _sql, _alias in compiler.select]
    return sql, [column.target.attname for column in columns], compiler.get_converters(columns)


def survey_for_owner(*, user: User | AnonymousUser, code: str) -> Survey:
    """Return the user's own survey; anybody else's does not exist (raises `Survey.DoesNotExist`)."""
    return Survey.objects.get(code=code.upper(), owner_id=user.pk)


def surveys_of(*, user: User | AnonymousUser) -> QuerySet[Survey]:
    """Return the user's surveys, newest first, each with its `question_count`."""
    return Survey.objects.filter(owner_id=user.pk).annotate(
        question_count=Count("questions", distinct=True),
    )


def draft_of(survey: Survey) -> Definition:
    """Return the definition as it stands now; raises ValueError when a stored design makes no matrix."""
    return Definition.of(survey, survey.questions.all())


def definition_of(survey: Survey) -> Definition:
    """Return the definition; an opened survey's is frozen, so each process reads it once and keeps it."""
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
