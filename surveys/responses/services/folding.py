"""Writing the counts of items and of pairs of items, as a part of folding."""

import logging
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
from django.db import InternalError, OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from surveys.common.selectors import definition_of
from surveys.common.services import waiting_at_most
from surveys.models import CellCount, Invitation, Response, Survey
from surveys.models.definition import Definition
from surveys.models.response import CODES, LEFT_OUT, NOT_KEPT
from surveys.responses.selectors.tally import (
    MISSING,
    MOST_PATTERNS,
    CellCounter,
    ResponseTotals,
    codes_of,
    possible_cells,
    standing_of,
)
from surveys.responses.services import erasing

_AT_ONCE = 20_000
_PATTERNS = "SELECT reports, group_id, count FROM surveys_patterncount WHERE survey_id = %s"
_WRITE = (
    "INSERT INTO surveys_cellcount (survey_id, group_id, first, second, codes, count) VALUES (%s, %s, %s, %s, %s, %s)"
)


def write_anew(survey: Survey, definition: Definition, *, always: bool = False) -> None:
    """Count the folded patterns by item and by pair: `always`, or where they are many, and more than cells can be."""
    CellCount.objects.filter(survey_id=survey.pk).delete()
    reports = [item.design.m for item in definition.items]
    standing = standing_of(survey)
    if not always and standing.patterns <= max(MOST_PATTERNS, possible_cells(reports, len(standing.n_by_group))):
        return
    counter = CellCounter(reports)
    for rows in _patterns(survey):
        codes = codes_of((row[0] for row in rows), len(reports))
        groups_of = np.array([row[1] or 0 for row in rows], dtype=np.int64)
        counter.add(codes, np.array([row[2] for row in rows], dtype=np.int64), groups_of)
    with connection.cursor() as cursor:
        cursor.executemany(_WRITE, list(_rows(survey, counter)))


def _patterns(survey: Survey) -> Iterator[list[tuple[str, int | None, int]]]:
    # On PostgreSQL a cursor of the server's: the patterns are never all in this process.
    with connection.chunked_cursor() as cursor:
        cursor.execute(_PATTERNS, [survey.pk])
        while rows := cursor.fetchmany(_AT_ONCE):
            yield rows


def _rows(survey: Survey, counter: CellCounter) -> Iterator[tuple[int, int | None, int, int, str, int]]:
    """Return the rows of all cells in an order of their own: by group, item, item, and codes."""
    for group, first, second, *codes, count in counter.cells():
        text = "".join(_character(code) for code in codes[: 1 if first == second else 2])
        yield survey.pk, group or None, first, second, text, count


def _character(code: int) -> str:
    return LEFT_OUT if code == MISSING else CODES[code]


# Folding: responses become counts, which have no order; that every answer is counted once survives it.
#
# While more answers may come, responses are folded in batches and some are left behind, in each group by itself, so
# that figures drawn from folded counts never change by fewer responses than the survey's minimum.


logger = logging.getLogger(__name__)

# Each fold writes all of a survey's counts anew: waiting for a tenth of them keeps the work proportional to n.
LARGEST_SHARE = 10
# What a fold costs whatever it moves is little beside 1% of a group; and beside 5,000 rows, however large the group.
_GROUP_SHARE = 100
_LARGEST_BATCH = 5_000
# What a page moves at most: about half a second of work where a million rows wait, for their index is read all over.
MOST_FOR_A_PAGE = 25_000
# Writing a count anew costs less than moving a row.
_COUNTS_A_ROW = 2
# Seconds that a page, or a response, waits for other writers and readers before and after it folds.
_PATIENCE = 0.25

_NEW_TABLE = "CREATE TEMPORARY TABLE folding_due (nonce_hash {bytes} PRIMARY KEY)"
# So many in the order of the hashes from a place on, and from the first hash on where too few follow: the index holds
# them in this order, so the cost follows what is moved and not what waits. (The group stands in the order because
# PostgreSQL does not see that it is the same everywhere.)
_CHOOSE = """
    INSERT INTO folding_due (nonce_hash)
    SELECT nonce_hash FROM surveys_response WHERE survey_id = %s AND group_id {group} AND nonce_hash {side} %s
    ORDER BY group_id, nonce_hash LIMIT %s
"""
_CHOOSE_ALL = "INSERT INTO folding_due (nonce_hash) SELECT nonce_hash FROM surveys_response WHERE survey_id = %s"
# Others add responses meanwhile: what is counted, kept and removed are those chosen, and nobody but a fold removes any.
# Found by the hash: the plus keeps the index of the survey, all of whose rows would be read, out of it.
_DUE = "+survey_id = %s AND nonce_hash IN (SELECT nonce_hash FROM folding_due)"
_COUNT = """
    CREATE TEMPORARY TABLE folding_counts AS
    SELECT group_id, mode, reports, CAST(SUM(number) AS BIGINT) AS number FROM (
        SELECT group_id, {mode} AS mode, reports, COUNT(*) AS number FROM surveys_response WHERE {rows}
        GROUP BY group_id, surveys_response.mode, reports
        UNION ALL SELECT group_id, {mode}, reports, count FROM surveys_patterncount WHERE survey_id = %s
    ) AS received GROUP BY group_id, mode, reports
"""
_COUNTED = """
    SELECT (SELECT COALESCE(SUM(number), 0) FROM folding_counts)
        - (SELECT COALESCE(SUM(count), 0) FROM surveys_patterncount WHERE survey_id = %s)
"""
_KEEP_NONCES = """
    INSERT INTO surveys_spentnonce (survey_id, nonce_hash)
    SELECT survey_id, nonce_hash FROM surveys_response WHERE {rows} ORDER BY nonce_hash
"""
_REMOVE = "DELETE FROM surveys_response WHERE {rows}"
_TAKE_COUNTS = "DELETE FROM surveys_patterncount WHERE survey_id = %s"
_WRITE_COUNTS = """
    INSERT INTO surveys_patterncount (survey_id, group_id, mode, reports, count)
    SELECT %s, group_id, mode, reports, number FROM folding_counts ORDER BY COALESCE(group_id, 0), mode, reports
"""
_TAKE_PARTS = "DELETE FROM surveys_foldedpart WHERE survey_id = %s"
_WRITE_PARTS = """
    INSERT INTO surveys_foldedpart (survey_id, group_id, mode, count, patterns)
    SELECT %s, group_id, mode, CAST(SUM(number) AS BIGINT), {patterns} FROM folding_counts
    GROUP BY group_id, mode ORDER BY COALESCE(group_id, 0), mode
"""
_MODE_AS_IT_WAS, _NO_MODE = "mode", f"'{NOT_KEPT}'"
_EVERY_PATTERN, _NO_PATTERN = "COUNT(*)", "0"
_TAKE_INVITATIONS = "DELETE FROM surveys_invitation WHERE survey_id = %s RETURNING token_hash, spent"
_WRITE_INVITATION = "INSERT INTO surveys_invitation (survey_id, token_hash, spent) VALUES (%s, %s, %s)"


class Keep(Enum):
    """What of the folded responses is written anew."""

    ALL = "how often each combination of reports came, by group and mode"
    REPORTS = "the same by group alone: what sealing keeps"
    PAIRS = "of these only how often each report came, and each pair of reports to two items"


@dataclass(frozen=True, slots=True)
class _Batch:
    """How many responses of a group are due."""

    group: int | None
    number: int


def fold(
    *,
    survey: Survey,
    everything: bool = False,
    most: int | None = None,
    standing: ResponseTotals | None = None,
    keep: Keep = Keep.ALL,
) -> int:
    """Move the survey's responses into its counts and return how many were moved.

    Counts, nonces and invitations are written in an order of their own, so that neither keys, nor the rows' places,
    nor PostgreSQL's transaction ids tell who came when. Of each group a batch is moved and at least as many are left
    for later, or none is moved: `everything` is for a survey that takes no more. `most` bounds the work; `standing`
    is how the survey stands, where somebody has just read it. To `keep` less is for sealing.
    """
    if not everything and not _due(survey, standing or standing_of(survey), most):
        return 0
    nested = connection.in_atomic_block
    with transaction.atomic():
        if most is not None and not nested and connection.vendor == "postgresql":
            _execute(f"SET LOCAL lock_timeout = {int(1000 * _PATIENCE)}")
        # Another fold waits from here to the end, and so does who closes or seals; who answers holds the row as its
        # key alone, and goes on.
        survey = Survey.objects.select_for_update(no_key=True).get(pk=survey.pk)
        # Another fold may have come first.
        batches = [] if everything else _due(survey, standing_of(survey), most)
        if not everything and not batches:
            return 0
        folded = _fold(survey, definition_of(survey), batches, everything=everything, keep=keep)
        if not survey.is_rehearsal:
            patience = erasing.PATIENCE if most is None else _PATIENCE
            erasing.erase_when_committed(survey, rewriting=everything, patience=patience)
    return folded


def fold_on_the_way(survey: Survey, standing: ResponseTotals, *, most: int = MOST_FOR_A_PAGE) -> int:
    """Fold what is due while somebody waits for something else: little at a time, and another time if it cannot be."""
    if not survey.may_collect_more:
        return 0
    try:
        with waiting_at_most(_PATIENCE):
            return fold(survey=survey, most=most, standing=standing)
    except (OperationalError, InternalError) as error:
        # Somebody else has the database for longer than a page may wait, or it can only be read; nothing was moved.
        logger.warning("survey %s was not folded now: %s", survey.pk, str(error).partition("\n")[0])
        return 0


def pending_count(survey: Survey) -> int:
    """Return how many responses are not folded yet."""
    return Response.objects.filter(survey_id=survey.pk).count()


def smallest_batch(minimum_n: int, folded: int) -> int:
    """Return how many responses of a group are folded at once, and left behind, at least, while more may come."""
    return max(minimum_n, min(folded // _GROUP_SHARE, _LARGEST_BATCH))


def _due(survey: Survey, standing: ResponseTotals, most: int | None) -> list[_Batch]:
    """Return what of each group is to be moved now, and nothing where that is not worth writing all counts anew."""
    batches: list[_Batch] = []
    moved = 0
    for group, waiting in sorted(standing.waiting_by_group.items()):
        batch = smallest_batch(survey.minimum_n, standing.n_by_group.get(group, 0))
        if waiting < 2 * batch or (most is not None and moved and moved + batch > most):
            continue
        number = waiting - batch
        if most is not None:
            number = min(number, max(most - moved, batch))
        batches.append(_Batch(group or None, number))
        moved += number
    if not batches:
        return []
    rewritten = standing.patterns + (
        Invitation.objects.filter(survey_id=survey.pk).count() if survey.by_invitation else 0
    )
    if moved * LARGEST_SHARE < rewritten or (most is not None and rewritten > _COUNTS_A_ROW * most):
        return []
    return batches


def _fold(survey: Survey, definition: Definition, batches: list[_Batch], *, everything: bool, keep: Keep) -> int:
    erasing.overwrite_what_is_deleted()
    _remember_pages()
    key = survey.pk
    rows = _DUE
    with connection.cursor() as cursor:
        cursor.execute(_NEW_TABLE.format(bytes="BLOB" if connection.vendor == "sqlite" else "BYTEA"))
        if everything:
            cursor.execute(_CHOOSE_ALL, [key])
        else:
            _choose(cursor, key, batches)
        mode = _MODE_AS_IT_WAS if keep is Keep.ALL else _NO_MODE
        cursor.execute(_COUNT.format(rows=rows, mode=mode), [key, key])
        cursor.execute(_COUNTED, [key])
        folded = int(cursor.fetchone()[0])
        cursor.execute(_KEEP_NONCES.format(rows=rows), [key])
        kept = cursor.rowcount
        cursor.execute(_REMOVE.format(rows=rows), [key])
        removed = cursor.rowcount
        if not folded == kept == removed:
            raise RuntimeError(f"counted {folded} responses, kept {kept} nonces, removed {removed} rows")
        if folded or keep is not Keep.ALL:
            parts = _WRITE_PARTS.format(patterns=_NO_PATTERN if keep is Keep.PAIRS else _EVERY_PATTERN)
            for statement in (_TAKE_COUNTS, _WRITE_COUNTS, _TAKE_PARTS, parts):
                cursor.execute(statement, [key])
            _write_invitations_anew(cursor, key)
            write_anew(survey, definition, always=keep is Keep.PAIRS)
            if keep is Keep.PAIRS:
                cursor.execute(_TAKE_COUNTS, [key])
        for table in ("folding_counts", "folding_due"):
            cursor.execute(f"DROP TABLE {table}")
    return folded


def _remember_pages() -> None:
    """Let SQLite keep more of the file: hashes stand in no order, so their index is read and written all over."""
    if connection.vendor == "sqlite":
        _execute("PRAGMA cache_size=-32768")


def _choose(cursor: CursorWrapper, survey: int, batches: list[_Batch]) -> None:
    """Note which responses are moved: who is left behind is drawn anew each time."""
    for batch in batches:
        group = "IS NULL" if batch.group is None else "= %s"
        of_group = [survey] if batch.group is None else [survey, batch.group]
        place, left = secrets.token_bytes(16), batch.number
        for side in (">=", "<"):
            cursor.execute(_CHOOSE.format(group=group, side=side), [*of_group, place, left])
            left -= cursor.rowcount


def _write_invitations_anew(cursor: CursorWrapper, survey: int) -> None:
    cursor.execute(_TAKE_INVITATIONS, [survey])
    invitations = sorted((bytes(token_hash), spent) for token_hash, spent in cursor.fetchall())
    cursor.executemany(_WRITE_INVITATION, [(survey, *invitation) for invitation in invitations])


def _execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
