"""Writing counts, invitations and declines anew in their own order, a range at a time, so that nobody waits for long.

A fold adds new counts behind the old ones, and spending an invitation writes its row anew: neither keys, nor the
rows' places, nor PostgreSQL's transaction ids may show when, nor who spent theirs by declining. Each range is taken and
written in one transaction. Until the last one the survey's parts say that its counts are not in order, which the next
process puts right.
"""

from django.db.backends.utils import CursorWrapper
from django.db.models import Sum

from surveys.common.selectors import definition_of
from surveys.models import FoldedPart, Survey
from surveys.responses.services.steps import Steps

_PART = "survey_id = %s AND group_id {group} AND mode = %s"
_TAKE = """
    CREATE TEMPORARY TABLE folding_counts AS SELECT group_id, mode, reports, count AS number FROM surveys_patterncount
    WHERE {part} AND reports > %s ORDER BY reports LIMIT %s
"""
_REMOVE = "DELETE FROM surveys_patterncount WHERE {part} AND reports > %s AND reports <= %s"
_WRITE_COUNTS = """
    INSERT INTO surveys_patterncount (survey_id, group_id, mode, reports, count)
    SELECT %s, group_id, mode, reports, number FROM folding_counts ORDER BY COALESCE(group_id, 0), mode, reports
"""
_NEXT_KEY = """
    SELECT {key} FROM (
        SELECT {key} FROM {table} WHERE survey_id = %s AND {key} > %s ORDER BY {key} LIMIT %s
    ) AS next ORDER BY {key} DESC LIMIT 1
"""
_TAKE_ROWS = "DELETE FROM {table} WHERE survey_id = %s AND {key} > %s AND {key} <= %s RETURNING {columns}"
_WRITE_ROW = "INSERT INTO {table} (survey_id, {columns}) VALUES (%s, {values})"
# Rows that stay as they are: their key first, then what else there is of them.
_INVITATIONS = "surveys_invitation", ("token_hash", "spent")
_DECLINES = "surveys_decline", ("nonce_hash",)


def write_in_order(survey: Survey, steps: Steps, *, first: bool = False) -> None:
    """Write all counts, invitations and declines of a survey anew, each kind in its own order.

    After the `first` fold there are no counts of others that could be distinguished from its own.
    """
    begun_with = folded_count(survey)
    parts = sorted(FoldedPart.objects.filter(survey_id=survey.pk).values_list("group_id", "mode"), key=_by_group)
    steps.begin_anew()
    left = [] if first else [(part, "") for part in parts]
    while left:
        with steps.next() as cursor:
            while left and steps.done < steps.rows:
                (part, after), *left = left
                if until := _write_patterns(cursor, survey, part, after, steps):
                    left = [(part, until), *left]
    gives_credit = bool(definition_of(survey).credit_key)
    for rows, there in ((_INVITATIONS, survey.by_invitation), (_DECLINES, gives_credit)):
        steps.begin_anew()
        key: bytes | None = b""
        while there and key is not None:
            with steps.next() as cursor:
                key = _write_rows(cursor, survey, rows, key, steps)
    with steps.next():
        # Another fold that has come meanwhile puts behind these what it moves, and then everything in order itself.
        _write_parts(survey, in_order=folded_count(survey) == begun_with)


def folded_count(survey: Survey) -> int:
    return FoldedPart.objects.filter(survey_id=survey.pk).aggregate(n=Sum("count"))["n"] or 0


def _by_group(part: tuple[int | None, str]) -> tuple[int, str]:
    return part[0] or 0, part[1]


def _write_patterns(
    cursor: CursorWrapper, survey: Survey, part: tuple[int | None, str], after: str, steps: Steps
) -> str | None:
    """Write the next patterns of a group and mode anew; return the last of them, or None when there are no more."""
    group, mode = part
    where = _PART.format(group="IS NULL" if group is None else "= %s")
    of_part = (survey.pk, mode) if group is None else (survey.pk, group, mode)
    most = steps.rows - steps.done
    cursor.execute(_TAKE.format(part=where), (*of_part, after, most))
    cursor.execute("SELECT COUNT(*), MAX(reports) FROM folding_counts")
    taken, until = cursor.fetchone()
    if taken:
        cursor.execute(_REMOVE.format(part=where), (*of_part, after, until))
        cursor.execute(_WRITE_COUNTS, [survey.pk])
    cursor.execute("DROP TABLE folding_counts")
    steps.done += taken
    return until if taken == most else None


def _write_parts(survey: Survey, *, in_order: bool) -> None:
    parts = list(FoldedPart.objects.filter(survey_id=survey.pk).values("group_id", "mode", "count", "patterns"))
    FoldedPart.objects.filter(survey_id=survey.pk).delete()
    parts.sort(key=lambda part: _by_group((part["group_id"], part["mode"])))
    FoldedPart.objects.bulk_create(FoldedPart(survey_id=survey.pk, in_order=in_order, **part) for part in parts)


def _write_rows(
    cursor: CursorWrapper, survey: Survey, rows: tuple[str, tuple[str, ...]], after: bytes, steps: Steps
) -> bytes | None:
    """Write the next rows of a table anew; return the key of the last of them, or None when there are no more."""
    table, columns = rows
    names = {
        "table": table,
        "key": columns[0],
        "columns": ", ".join(columns),
        "values": ", ".join(["%s"] * len(columns)),
    }
    cursor.execute(_NEXT_KEY.format(**names), [survey.pk, after, steps.rows])
    row = cursor.fetchone()
    if row is None:
        return None
    until = bytes(row[0])
    cursor.execute(_TAKE_ROWS.format(**names), [survey.pk, after, until])
    taken = sorted((bytes(key), *others) for key, *others in cursor.fetchall())
    cursor.executemany(_WRITE_ROW.format(**names), [(survey.pk, *each) for each in taken])
    steps.done = len(taken)
    return until if steps.done == steps.rows else None
