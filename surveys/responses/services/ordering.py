"""Writing counts and invitations anew in an order of their own, a range at a time, so that nobody waits for long.

A fold adds new counts behind the old ones, and spending an invitation writes its row anew: neither keys, nor the
rows' places, nor PostgreSQL's transaction ids may show when. Each range is taken and written in one transaction. Until
the last one the survey's parts say that its counts are not in order, which the next process puts right.
"""

from django.db.backends.utils import CursorWrapper
from django.db.models import Sum

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
_NEXT_INVITATION = """
    SELECT token_hash FROM (
        SELECT token_hash FROM surveys_invitation WHERE survey_id = %s AND token_hash > %s ORDER BY token_hash LIMIT %s
    ) AS next ORDER BY token_hash DESC LIMIT 1
"""
_TAKE_INVITATIONS = """
    DELETE FROM surveys_invitation WHERE survey_id = %s AND token_hash > %s AND token_hash <= %s
    RETURNING token_hash, spent
"""
_WRITE_INVITATION = "INSERT INTO surveys_invitation (survey_id, token_hash, spent) VALUES (%s, %s, %s)"


def write_in_order(survey: Survey, steps: Steps, *, first: bool = False) -> None:
    """Write all counts and invitations of a survey anew, each kind in its own order.

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
    steps.begin_anew()
    token_hash: bytes | None = b""
    while survey.by_invitation and token_hash is not None:
        with steps.next() as cursor:
            token_hash = _write_invitations(cursor, survey, token_hash, steps)
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


def _write_invitations(cursor: CursorWrapper, survey: Survey, after: bytes, steps: Steps) -> bytes | None:
    cursor.execute(_NEXT_INVITATION, [survey.pk, after, steps.rows])
    row = cursor.fetchone()
    if row is None:
        return None
    until = bytes(row[0])
    cursor.execute(_TAKE_INVITATIONS, [survey.pk, after, until])
    invitations = sorted((bytes(token_hash), spent) for token_hash, spent in cursor.fetchall())
    cursor.executemany(_WRITE_INVITATION, [(survey.pk, *invitation) for invitation in invitations])
    steps.done = len(invitations)
    return until if steps.done == steps.rows else None
