"""Folding: responses become counts, which have no order; that every answer is counted once survives it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db import connection, transaction

from surveys.models import Response, Survey
from surveys.selectors.responses import folded_patterns
from surveys.services import erasing

# Each fold writes all of a survey's counts anew: waiting for a tenth of them keeps the work proportional to n.
_LARGEST_SHARE = 10

_COUNT = """
    SELECT group_id, mode, reports, COUNT(*) FROM surveys_response WHERE survey_id = %s
    GROUP BY group_id, mode, reports
"""
_KEEP_NONCES = """
    INSERT INTO surveys_spentnonce (survey_id, nonce_hash)
    SELECT survey_id, nonce_hash FROM surveys_response WHERE survey_id = %s ORDER BY nonce_hash
"""
_REMOVE = "DELETE FROM surveys_response WHERE survey_id = %s"
_TAKE_COUNTS = "DELETE FROM surveys_patterncount WHERE survey_id = %s RETURNING group_id, mode, reports, count"
_TAKE_INVITATIONS = "DELETE FROM surveys_invitation WHERE survey_id = %s RETURNING token_hash, spent"
_WRITE_COUNT = (
    "INSERT INTO surveys_patterncount (survey_id, group_id, mode, reports, count) VALUES (%s, %s, %s, %s, %s)"
)
_WRITE_INVITATION = "INSERT INTO surveys_invitation (survey_id, token_hash, spent) VALUES (%s, %s, %s)"

_Key = tuple[int | None, str, str]


def fold(*, survey: Survey, everything: bool = False) -> int:
    """Move the survey's responses into its pattern counts and return how many were moved.

    Counts, nonces and invitations are written in an order of their own, so that neither keys, nor the rows' places,
    nor PostgreSQL's transaction ids tell who came when. Few responses are left for later, because a fold of one would
    show which one: `everything` is for a survey that takes no more.
    """
    if not everything and pending_count(survey) < smallest_batch(survey):
        return 0
    with transaction.atomic():
        # From here to the end nobody adds a response: an insert holds the survey's row as its key, so this waits for
        # those that have begun, and then makes the others wait.
        survey = Survey.objects.select_for_update().get(pk=survey.pk)
        # Another fold may have come first.
        if not everything and pending_count(survey) < smallest_batch(survey):
            return 0
        folded = _fold(survey)
        transaction.on_commit(erasing.empty_the_journal)
    return folded


def _fold(survey: Survey) -> int:
    erasing.overwrite_what_is_deleted()
    with connection.cursor() as cursor:
        new = _fetched(cursor, _COUNT, survey)
        if not new:
            return 0
        counts: Counter[_Key] = Counter()
        for group, mode, reports, count in (*_fetched(cursor, _TAKE_COUNTS, survey), *new):
            counts[group, mode, reports] += count
        _write(cursor, _WRITE_COUNT, survey, ((*key, counts[key]) for key in sorted(counts, key=_without_order)))
        invitations = _fetched(cursor, _TAKE_INVITATIONS, survey)
        _write(cursor, _WRITE_INVITATION, survey, sorted((bytes(row), spent) for row, spent in invitations))
        folded: int = sum(row[3] for row in new)
        cursor.execute(_KEEP_NONCES, [survey.pk])
        kept = cursor.rowcount
        cursor.execute(_REMOVE, [survey.pk])
        if not folded == kept == cursor.rowcount:
            raise RuntimeError(f"counted {folded} responses, kept {kept} nonces, removed {cursor.rowcount} rows")
    return folded


def pending_count(survey: Survey) -> int:
    """Return how many responses are not folded yet."""
    return Response.objects.filter(survey_id=survey.pk).count()


def smallest_batch(survey: Survey) -> int:
    """Return how many responses are folded at once at least, while more may come."""
    return max(survey.minimum_n, folded_patterns(survey) // _LARGEST_SHARE)


def _without_order(key: _Key) -> tuple[int, str, str]:
    group, mode, reports = key
    return group or 0, mode, reports


def _fetched(cursor: Any, statement: str, survey: Survey) -> list[tuple[Any, ...]]:  # noqa: ANN401 - Django's wrapper of either database's cursor
    cursor.execute(statement, [survey.pk])
    return list(cursor.fetchall())


def _write(cursor: Any, statement: str, survey: Survey, rows: Iterable[tuple[Any, ...]]) -> None:  # noqa: ANN401 - as above
    cursor.executemany(statement, [(survey.pk, *row) for row in rows])
