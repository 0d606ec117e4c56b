"""What is left of a closed survey's counts when it is sealed; in steps, as a survey may be large.

First its parts say that nobody knows what randomized the answers, or that no whole response is kept: readers believe
them, so that nobody sees what is half done. From there on it only goes on: sealing again finishes what was killed.
"""

from django.db.backends.utils import CursorWrapper

from surveys.common.selectors import definition_of
from surveys.common.totals import standing_of
from surveys.models import Mode, Survey
from surveys.models.response import NOT_KEPT
from surveys.responses.services import erasing
from surveys.responses.services.cells import cells_count_all, write_anew
from surveys.responses.services.folding import add_patterns
from surveys.responses.services.ordering import write_in_order
from surveys.responses.services.steps import Steps

_PARTS = """
    SELECT group_id, mode, count, patterns FROM surveys_foldedpart WHERE survey_id = %s
    ORDER BY COALESCE(group_id, 0), mode
"""
_TAKE_PARTS = "DELETE FROM surveys_foldedpart WHERE survey_id = %s"
_WRITE_PART = """
    INSERT INTO surveys_foldedpart (survey_id, group_id, mode, count, patterns, in_order)
    VALUES (%s, %s, %s, %s, %s, FALSE)
"""
# Each begins behind what the step before has taken: PostgreSQL would go over all of that again.
_NEXT_PATTERNS = """
    SELECT reports, count FROM surveys_patterncount WHERE survey_id = %s {and_group} AND mode = %s AND reports > %s
    ORDER BY reports LIMIT %s
"""
_TAKE_PATTERNS = """
    DELETE FROM surveys_patterncount WHERE survey_id = %s {and_group} AND mode = %s AND reports > %s AND reports <= %s
"""
_FEWER_PATTERNS = """
    UPDATE surveys_foldedpart SET patterns = patterns - %s WHERE survey_id = %s {and_group} AND mode = %s
"""
_TAKE_KEYS = """
    DELETE FROM {table} WHERE survey_id = %s AND {key} IN (
        SELECT {key} FROM {table} WHERE survey_id = %s AND {key} > %s ORDER BY {key} LIMIT %s
    ) RETURNING {key}
"""
_KEYS = {"surveys_spentnonces": "prefix", "surveys_invitation": "token_hash", "surveys_decline": "nonce_hash"}


def keep_sums(survey: Survey, *, pairs_only: bool) -> None:
    """Destroy modes, nonces, declines and invitations of a closed survey that is folded.

    Whole responses too with `pairs_only`. Where whole responses were being destroyed before, that goes on.
    """
    erasing.overwrite_what_is_deleted()
    steps, standing = Steps(survey), standing_of(survey)
    pairs_only = pairs_only or not standing.keeps_responses
    if pairs_only and standing.keeps_responses:
        write_anew(survey, definition_of(survey), steps, always=True)
    with steps.next() as cursor:
        if pairs_only and standing.keeps_responses and not cells_count_all(survey):
            raise RuntimeError("the cells do not count all responses: nothing was destroyed")
        erasing.note_deletion(survey, rewriting=True)
        groups, first = _merge_parts(cursor, survey, pairs_only=pairs_only)
    for group in groups:
        for mode in (*Mode.values, NOT_KEPT) if pairs_only else Mode.values:
            _move_patterns(steps, survey, (group, mode), pairs_only=pairs_only)
    for table, key in _KEYS.items():
        _destroy(steps, survey, _TAKE_KEYS.format(table=table, key=key))
    write_in_order(survey, steps, first=first)


def _merge_parts(cursor: CursorWrapper, survey: Survey, *, pairs_only: bool) -> tuple[list[int | None], bool]:
    """Write the parts as they will be, with as many patterns as there may be.

    Returns the groups, and whether patterns are in order once they are moved in order.
    """
    cursor.execute(_PARTS, [survey.pk])
    parts = cursor.fetchall()
    sums: dict[int | None, tuple[int, int]] = {}
    for group, _, count, patterns in parts:
        before = sums.get(group, (0, 0))
        sums[group] = before[0] + count, 0 if pairs_only else before[1] + patterns
    cursor.execute(_TAKE_PARTS, [survey.pk])
    cursor.executemany(_WRITE_PART, [(survey.pk, group, NOT_KEPT, *both) for group, both in sums.items()])
    return list(sums), len(sums) == len(parts) and not any(mode == NOT_KEPT for _, mode, *_ in parts)


def _move_patterns(steps: Steps, survey: Survey, part: tuple[int | None, str], *, pairs_only: bool) -> None:
    """Destroy the patterns of a group and mode; their counts are added to those without a mode, if they are kept."""
    group, mode = part
    how = {"and_group": "AND group_id IS NULL" if group is None else "AND group_id = %s"}
    of_group = [survey.pk] if group is None else [survey.pk, group]
    steps.begin_anew()
    after, more = "", True
    while more:
        with steps.next() as cursor:
            cursor.execute(_NEXT_PATTERNS.format(**how), [*of_group, mode, after, steps.rows])
            counts = {str(reports): int(count) for reports, count in cursor.fetchall()}
            steps.done = len(counts)
            more = steps.done == steps.rows
            if not counts:
                break
            until = list(counts)[-1]
            cursor.execute(_TAKE_PATTERNS.format(**how), [*of_group, mode, after, until])
            after = until
            if not pairs_only:
                new = add_patterns(cursor, survey.pk, (group, NOT_KEPT), counts)
                cursor.execute(_FEWER_PATTERNS.format(**how), [len(counts) - new, *of_group, NOT_KEPT])


def _destroy(steps: Steps, survey: Survey, statement: str) -> None:
    """Delete all of a survey's rows in the order of their keys."""
    steps.begin_anew()
    after, more = b"", True
    while more:
        with steps.next() as cursor:
            cursor.execute(statement, [survey.pk, survey.pk, after, steps.rows])
            keys = [bytes(key) for (key,) in cursor.fetchall()]
            steps.done = len(keys)
            more = steps.done == steps.rows
            after = max(keys, default=b"")
