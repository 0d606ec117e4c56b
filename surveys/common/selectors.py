"""Surveys by code and by rights, their definitions, and what a request asks with: its language, JSON, a token."""

import datetime as dt
import math
import re
import time
from collections.abc import Iterable
from functools import cache
from threading import Lock
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.base import ModelState
from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

from surveys.common.caches import cached, register
from surveys.models import Group, LastRun, Membership, Right, Survey
from surveys.models.membership import OWNERS_RIGHTS, RIGHTS_OF
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.document import hash_of

_COLLECTING = (
    "id",
    "code",
    "state",
    "opens_at",
    "closes_at",
    "purge_on",
    "time_zone",
    "response_cap",
    "minimum_n",
    "content_hash",
    "result_on_receipt",
)
_WITH_RELEASE = [role for role, rights in RIGHTS_OF.items() if Right.RELEASE in rights]
_SLUG = re.compile(r"[A-Za-z0-9-]{1,40}")


def survey_by_code(code: str, *, arrived: float = math.inf) -> Survey:
    """Return the survey behind a join code, for a respondent: one indexed read of what collecting needs.

    `arrived` is when the request came that asks, by `time.monotonic`: a read that began later is as good as another.
    So one read serves all requests that wait for a thread, or for another's read. Raises `Survey.DoesNotExist`.
    """
    begun, row = _reads.get(code, _NO_READ)
    if begun < arrived:
        with _reading:
            begun, row = _reads.get(code, _NO_READ)
            if begun < arrived:
                row = _read(code)
    kept = _survey_of(connection.vendor, row)
    # What one request reads besides, another one does not find.
    state = ModelState()
    state.adding, state.db = False, connection.alias
    survey = Survey.__new__(Survey)
    survey.__dict__.update(kept.__dict__, _state=state)
    return survey


_Row = tuple[Any, ...]
_NO_READ: tuple[float, _Row] = (0.0, ())
# When the last read of a survey began, and its row.
_reads: dict[str, tuple[float, _Row]] = {}
_MOST_READS = 256
_reading = Lock()
register(_reads.clear)


def _read(code: str) -> _Row:
    sql, parameters, *_ = _read_by_code(connection.vendor)
    begun = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters | {"code": code.upper()})
        row: _Row | None = cursor.fetchone()
    if row is None:
        raise Survey.DoesNotExist(f"There is no survey with the code {code!r}.")
    if len(_reads) >= _MOST_READS:
        _reads.clear()
    _reads[code] = begun, row
    return row


@cached(256)
def _survey_of(vendor: str, row: _Row) -> Survey:
    """Return the survey that such a row makes; Django takes longer to make it than a database to find it."""
    _sql, _parameters, names, converters = _read_by_code(vendor)
    values = list(row)
    for position, (functions, expression) in converters.items():
        for function in functions:
            values[position] = function(values[position], expression, connection)
    *values, may_have_versions = values
    survey = Survey.from_db(connection.alias, names, values)
    survey.may_have_versions = bool(may_have_versions)
    return survey


def group_by_slug(survey: Survey, slug: str) -> Group | None:
    """Return the survey's group behind this part of a link; links may be typed in capitals."""
    # Most of what is not a group never reaches the database, which takes no NUL.
    if not _SLUG.fullmatch(slug):
        return None
    return Group.objects.filter(survey_id=survey.pk, slug=slug.lower()).first()


@cache
def _read_by_code(vendor: str) -> tuple[str, dict[str, Any], list[str], dict[int, tuple[list[Any], Any]]]:
    """Return Django's own SQL of the read that every answer begins with, its columns' names and their converters.

    Its parameters are all but the code; its last column is no field: whether there are other versions.

    Django takes longer to compose it than SQLite to run it, so it is composed once.
    """
    compiler = (
        Survey.objects.filter(code="", rehearsal_of=None)
        .only(*_COLLECTING)
        .annotate(
            versions=Q(previous__isnull=False) | Q(Exists(Survey.objects.filter(previous_id=OuterRef("pk")).order_by()))
        )
        .order_by()
        .query.get_compiler(connection=connection)
    )
    sql, (*parameters, _code) = compiler.as_sql()
    # By name: where they are by place, Django searches the text for them each time, for longer than SQLite for the row.
    named = {f"parameter{number}": parameter for number, parameter in enumerate(parameters)}
    sql %= tuple(f"%({name})s" for name in (*named, "code"))
    columns = [column for column, _sql, _alias in compiler.select]
    return sql, named, [column.target.attname for column in columns[:-1]], compiler.get_converters(columns)


def survey_for(*, user: User | AnonymousUser, code: str) -> tuple[Survey, frozenset[Right]]:
    """Return the survey behind a code and what the user may do with it.

    People who neither own it nor have a role in it find none (raises `Survey.DoesNotExist`), by the same work as for a
    code of nobody. Copies to rehearse with are found like any other: pages that are not for them refuse them.
    """
    if user.pk is None:
        raise Survey.DoesNotExist("Nobody is signed in.")
    theirs = Membership.objects.filter(user_id=user.pk).values("survey_id")
    survey = Survey.objects.filter(Q(owner_id=user.pk) | Q(pk__in=theirs)).get(code=code.upper())
    rights = rights_of(user=user, survey=survey)
    if not rights:
        raise Survey.DoesNotExist(f"There is no survey with the code {code!r} for this user.")
    return survey, rights


def rights_of(*, user: User | AnonymousUser, survey: Survey) -> frozenset[Right]:
    """Return what the user may do with a survey: everything as its owner, else what their roles allow.

    A copy to rehearse with belongs to the person who rehearses, for as long as they may edit what it is a copy of.
    """
    if not user.is_active:
        return frozenset()
    if survey.rehearsal_of is not None:
        theirs = survey.owner_id == user.pk and Right.EDIT in rights_of(user=user, survey=survey.rehearsal_of)
        return OWNERS_RIGHTS if theirs else frozenset()
    if survey.owner_id == user.pk:
        return OWNERS_RIGHTS
    roles = Membership.objects.filter(survey_id=survey.pk, user_id=user.pk).values_list("role", flat=True)
    return frozenset[Right]().union(*(RIGHTS_OF[role] for role in roles))


def surveys_of(*, user: User | AnonymousUser) -> QuerySet[Survey]:
    """Return the surveys that the user owns or has a role in, newest first."""
    return Survey.objects.filter(Q(owner_id=user.pk) | Q(memberships__user_id=user.pk), rehearsal_of=None).distinct()


def surveys_owned_by(*, user: User | AnonymousUser) -> QuerySet[Survey]:
    """Return the user's own surveys, whether or not they can still sign in; copies to rehearse with are none."""
    return Survey.objects.filter(owner_id=user.pk, rehearsal_of=None)


def surveys_to_release_from(*, user: User | AnonymousUser) -> QuerySet[Survey]:
    """Return the surveys that the user may make releases of, as their owner or a releaser."""
    if not user.is_active:
        return Survey.objects.none()
    released = Membership.objects.filter(user_id=user.pk, role__in=_WITH_RELEASE)
    return Survey.objects.filter(
        Q(owner_id=user.pk) | Q(pk__in=released.order_by().values("survey_id")), rehearsal_of=None
    )


def last_counted() -> dt.datetime | None:
    """Return when housekeeping last looked for answers to count; None where it never ran."""
    return LastRun.objects.filter(job="folds").values_list("at", flat=True).first()


def draft_of(survey: Survey) -> Definition:
    """Return the definition as it stands now; raises ValueError when a stored design makes no matrix."""
    return Definition.of(
        survey.questionnaire,
        code=survey.code,
        version="" if survey.is_draft else hash_of(survey.code, survey.document),
        survey_id=survey.pk,
        purge_on=survey.purge_on,
    )


def definition_of(survey: Survey) -> Definition:
    """Return the definition; an opened survey's is frozen, so each process reads it once and keeps it."""
    if survey.is_draft:
        return draft_of(survey)
    return _frozen_definition(survey.pk, survey.content_hash, survey.purge_on)


@cached(256)
def _frozen_definition(survey_id: int, _content_hash: str, _purge_on: dt.date | None) -> Definition:
    # The survey that is asked about may be deferred: its columns would be read one by one.
    return draft_of(Survey.objects.get(pk=survey_id))


def asked_by_script(request: HttpRequest) -> bool:
    """Whether our script asks, which wants JSON."""
    return bool(request.META.get("HTTP_ACCEPT") == "application/json")


def bearer_of(request: HttpRequest) -> str | None:
    """Return what a request shows in place of a sign-in, such as an access token; None where it shows nothing."""
    scheme, _space, shown = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return shown.strip(" ") if scheme.lower() == "bearer" else None


def visitors_language(request: HttpRequest, languages: Iterable[tuple[str, str]]) -> str:
    """Return the one of these languages that the visitor chose, else the first that their browser asks for."""
    spoken = dict(languages)
    wishes = [code for code, _weight in parse_accept_lang_header(request.headers.get("Accept-Language", "")[:500])]
    asked = (code.partition("-")[0] for code in (request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, ""), *wishes))
    return next((code for code in asked if code in spoken), settings.LANGUAGE_CODE)


def whole_language(code: str) -> str:
    """Return the language of a page that instructors read too: where only respondents are spoken to, English."""
    return code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
