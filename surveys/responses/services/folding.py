"""Folding: responses become counts, which have no order.

That every answer is counted once survives it. While more answers may come, responses are folded in batches and some are
left behind, in each group by itself, so that figures drawn from folded counts never change by fewer responses than the
survey's minimum. A fold goes by steps, each a batch of its own in a transaction of its own, so that nobody waits long;
at its end the counts are written anew, in an order of their own (ordering.py).
"""

import logging
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import groupby, repeat

from django.db import InternalError, OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from surveys.common.selectors import definition_of
from surveys.common.services import waiting_at_most
from surveys.metrics import services as metrics
from surveys.models import FoldedPart, Invitation, Response, SpentNonces, Survey
from surveys.models.response import NOT_KEPT
from surveys.responses.selectors.tally import ResponseTotals, standing_of
from surveys.responses.services import erasing
from surveys.responses.services.cells import KeptCells, write_anew
from surveys.responses.services.ordering import WRITE_COUNTS, alone, write_in_order

logger = logging.getLogger(__name__)

# What a step moves: a tenth of a second of work, or less.
AT_ONCE = 4_000
# At its end a fold writes all counts anew: waiting for a tenth of them keeps the work proportional to n.
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
_CHOOSE_ANY = """
    INSERT INTO folding_due (nonce_hash)
    SELECT nonce_hash FROM surveys_response WHERE survey_id = %s ORDER BY group_id, nonce_hash LIMIT %s
"""
_WAITING = """
    SELECT COUNT(*) FROM (SELECT 1 FROM surveys_response WHERE survey_id = %s AND group_id {group} LIMIT %s) AS waiting
"""
# Others add responses meanwhile: what is counted, kept and removed are those chosen, and nobody but a fold removes any.
# Found by the hash: the plus keeps the index of the survey, all of whose rows would be read, out of it.
_DUE = (
    "+survey_id = %s AND nonce_hash IN (SELECT nonce_hash FROM folding_due)"
    if connection.vendor == "sqlite"
    else "+survey_id = %s AND nonce_hash = ANY (ARRAY(SELECT nonce_hash FROM folding_due))"
)
_COUNT = """
    CREATE TEMPORARY TABLE folding_counts AS SELECT group_id, mode, reports, COUNT(*) AS number FROM surveys_response
    WHERE {rows} GROUP BY group_id, mode, reports
"""
_COUNTED = "SELECT COALESCE(SUM(number), 0) FROM folding_counts"
_NONCES = "SELECT nonce_hash FROM surveys_response WHERE {rows} ORDER BY nonce_hash"
_KEEP_NONCES = """
    INSERT INTO surveys_spentnonces (survey_id, prefix, hashes) {rows}
    ON CONFLICT (survey_id, prefix) DO UPDATE SET hashes = excluded.hashes
"""
_BY_INDEX = "SELECT " + ", ".join(
    f"set_config('{setting}', 'off', true)"
    for setting in ("jit", "enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_hashjoin", "enable_mergejoin")
)
_REMOVE = "DELETE FROM surveys_response WHERE {rows}"
_PARTS = """
    SELECT group_id, mode, SUM(number), COUNT(*) FROM folding_counts
    GROUP BY group_id, mode ORDER BY COALESCE(group_id, 0), mode
"""
# Patterns and sums of those without a group and of groups are told apart, as unique indexes take no NULL for equal.
_KNOWN = """
    SELECT COUNT(*) FROM folding_counts c WHERE c.group_id {group} AND c.mode = %s AND EXISTS (
        SELECT 1 FROM surveys_patterncount p
        WHERE p.survey_id = %s AND p.group_id {group} AND p.mode = %s AND p.reports = c.reports
    )
"""
_ADD_COUNTS = """
    INSERT INTO surveys_patterncount (survey_id, group_id, mode, reports, count)
    SELECT %s, group_id, mode, reports, number FROM folding_counts WHERE group_id {group} AND mode = %s ORDER BY reports
    ON CONFLICT {key_of_count} DO UPDATE SET count = surveys_patterncount.count + excluded.count
"""
_ADD_PART = """
    INSERT INTO surveys_foldedpart (survey_id, group_id, mode, count, patterns) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT {key_of_part} DO UPDATE SET count = surveys_foldedpart.count + excluded.count,
    patterns = surveys_foldedpart.patterns + excluded.patterns
"""
_WITHOUT_GROUP = {
    "group": "IS NULL",
    "key_of_count": "(survey_id, mode, reports) WHERE group_id IS NULL",
    "key_of_part": "(survey_id, mode) WHERE group_id IS NULL",
}
_IN_GROUP = {
    "group": "= %s",
    "key_of_count": "(survey_id, group_id, mode, reports) WHERE group_id IS NOT NULL",
    "key_of_part": "(survey_id, group_id, mode) WHERE group_id IS NOT NULL",
}
# What sealing keeps: how often the reports came, whoever flipped the coins.
_WITHOUT_MODES = f"""
    CREATE TEMPORARY TABLE folding_counts AS
    SELECT group_id, '{NOT_KEPT}' AS mode, reports, CAST(SUM(count) AS BIGINT) AS number FROM surveys_patterncount
    WHERE survey_id = %s GROUP BY group_id, reports
"""  # noqa: S608 - a constant of ours
_TAKE_COUNTS = "DELETE FROM surveys_patterncount WHERE survey_id = %s"
_TAKE_PARTS = "DELETE FROM surveys_foldedpart WHERE survey_id = %s"
_WRITE_PARTS = """
    INSERT INTO surveys_foldedpart (survey_id, group_id, mode, count, patterns)
    SELECT %s, group_id, mode, CAST(SUM(number) AS BIGINT), {patterns} FROM folding_counts
    GROUP BY group_id, mode ORDER BY COALESCE(group_id, 0), mode
"""
_EVERY_PATTERN, _NO_PATTERN = "COUNT(*)", "0"


class Keep(Enum):
    """What of the folded responses is kept."""

    ALL = "how often each combination of reports came, by group and mode"
    REPORTS = "the same by group alone: what sealing keeps"
    PAIRS = "of these only how often each report came, and each pair of reports to two items"


@dataclass(frozen=True, slots=True)
class _Batch:
    """How many responses of a group are due; as many as the least are left behind."""

    group: int | None
    number: int
    least: int


def fold(
    *,
    survey: Survey,
    everything: bool = False,
    most: int | None = None,
    standing: ResponseTotals | None = None,
    keep: Keep = Keep.ALL,
) -> int:
    """Move the survey's responses into its counts and return how many were moved.

    Counts and invitations are written in an order of their own, so that neither keys, nor the rows' places, nor
    PostgreSQL's transaction ids tell who came when. Of each group a batch is moved and at least as many are left for
    later, or none is moved: `everything` is for a survey that takes no more. `most` bounds the work; `standing` is how
    the survey stands, where somebody has just read it. To `keep` less is for sealing.
    """
    # None is a step that takes whatever there is.
    steps: Iterable[list[_Batch] | None] = repeat(None)
    if not everything:
        steps = _steps(_due(survey, standing or standing_of(survey), most))
    patience = None if most is None or connection.in_atomic_block else _PATIENCE
    folded, cells, first = 0, None, False
    for step in steps:
        if cells is None:
            cells = KeptCells(survey, definition_of(survey))
            first = not FoldedPart.objects.filter(survey_id=survey.pk).exists()
        with alone(survey, patience) as cursor:
            moved = _move(cursor, survey, step, cells)
            if moved and not everything:
                cells.write()
            if moved and not survey.is_rehearsal:
                erasing.note_deletion(survey, rewriting=everything)
        folded += moved
        if everything and moved < AT_ONCE:
            break
    if folded:
        transaction.on_commit(partial(metrics.count_fold, done=True))
    if cells is not None and folded:
        cells.finish()
        write_in_order(survey, patience, first=first)
    if keep is not Keep.ALL:
        with alone(survey, patience) as cursor:
            _keep_less(cursor, survey, keep)
    if (folded or keep is not Keep.ALL) and not survey.is_rehearsal:
        erasing.erase_when_committed(
            survey, rewriting=everything, patience=erasing.PATIENCE if most is None else _PATIENCE
        )
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
        metrics.count_fold(done=False)
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
        batches.append(_Batch(group or None, number, batch))
        moved += number
    if not batches:
        return []
    rewritten = standing.patterns + (
        Invitation.objects.filter(survey_id=survey.pk).count() if survey.by_invitation else 0
    )
    if moved * LARGEST_SHARE < rewritten or (most is not None and rewritten > _COUNTS_A_ROW * most):
        return []
    return batches


def _steps(batches: Iterable[_Batch]) -> Iterator[list[_Batch]]:
    """Deal batches to steps: what is moved of a group in one is a batch by itself, as somebody may look in between."""
    step: list[_Batch] = []
    for batch in batches:
        pieces = max(1, batch.number // max(AT_ONCE, batch.least))
        for piece in range(pieces):
            number = batch.number * (piece + 1) // pieces - batch.number * piece // pieces
            if step and sum(one.number for one in step) + number > AT_ONCE:
                yield step
                step = []
            step.append(replace(batch, number=number))
    if step:
        yield step


def _move(cursor: CursorWrapper, survey: Survey, step: list[_Batch] | None, cells: KeptCells) -> int:
    """Move what a step takes, in its transaction."""
    erasing.overwrite_what_is_deleted()
    _prepare(cursor)
    key = survey.pk
    cursor.execute(_NEW_TABLE.format(bytes="BLOB" if connection.vendor == "sqlite" else "BYTEA"))
    if step is None:
        cursor.execute(_CHOOSE_ANY, [key, AT_ONCE])
    else:
        _choose(cursor, key, step)
    cursor.execute(_COUNT.format(rows=_DUE), [key])
    cursor.execute(_COUNTED)
    counted = int(cursor.fetchone()[0])
    cursor.execute(_NONCES.format(rows=_DUE), [key])
    kept = _keep_nonces(cursor, key, [bytes(nonce) for (nonce,) in cursor.fetchall()])
    cursor.execute(_REMOVE.format(rows=_DUE), [key])
    removed = cursor.rowcount
    if not counted == kept == removed:
        raise RuntimeError(f"counted {counted} responses, kept {kept} nonces, removed {removed} rows")
    if counted:
        _add_counts(cursor, key)
        cells.add(cursor)
    for table in ("folding_counts", "folding_due"):
        cursor.execute(f"DROP TABLE {table}")
    return counted


def _prepare(cursor: CursorWrapper) -> None:
    """Let SQLite keep more of the file, for hashes stand in no order, and PostgreSQL look rows up by their hashes.

    It would read all that waits, for each step, as it knows nothing of the table of those that are due; and then
    compile what seems to be so much work.
    """
    if connection.vendor == "sqlite":
        cursor.execute("PRAGMA cache_size=-32768")
    else:
        cursor.execute(_BY_INDEX)


def _choose(cursor: CursorWrapper, survey: int, batches: list[_Batch]) -> None:
    """Note which responses are moved: who is left behind is drawn anew each time."""
    for batch in batches:
        group = "IS NULL" if batch.group is None else "= %s"
        of_group = [survey] if batch.group is None else [survey, batch.group]
        # Another fold may have come first.
        enough = batch.number + batch.least
        cursor.execute(_WAITING.format(group=group), [*of_group, enough])
        if cursor.fetchone()[0] < enough:
            continue
        place, left = secrets.token_bytes(16), batch.number
        for side in (">=", "<"):
            cursor.execute(_CHOOSE.format(group=group, side=side), [*of_group, place, left])
            left -= cursor.rowcount


def _keep_nonces(cursor: CursorWrapper, survey: int, nonces: list[bytes]) -> int:
    """Add nonces to the spent ones and return how many more there are; those that begin alike are sorted anew."""
    begin, length = SpentNonces.PREFIX_BYTES, SpentNonces.REST_BYTES
    new = {prefix: {nonce[begin:] for nonce in alike} for prefix, alike in groupby(nonces, lambda nonce: nonce[:begin])}
    stored = SpentNonces.objects.filter(survey_id=survey, prefix__in=list(new)).values_list("prefix", "hashes")
    kept = 0
    for prefix, alike in stored:
        old = {bytes(alike[place : place + length]) for place in range(0, len(alike), length)}
        kept -= len(old)
        new[bytes(prefix)] |= old
    rows = [(prefix, b"".join(sorted(rests))) for prefix, rests in new.items()]
    if connection.vendor == "postgresql":
        columns = [prefix for prefix, _ in rows], [hashes for _, hashes in rows]
        every = "SELECT %s, prefix, hashes FROM unnest(%s::bytea[], %s::bytea[]) AS rows (prefix, hashes)"
        cursor.execute(_KEEP_NONCES.format(rows=every), [survey, *columns])
    else:
        cursor.executemany(_KEEP_NONCES.format(rows="VALUES (%s, %s, %s)"), [(survey, *row) for row in rows])
    return kept + sum(map(len, new.values()))


def _add_counts(cursor: CursorWrapper, survey: int) -> None:
    """Add what has been counted to the patterns and to the sums beside them."""
    cursor.execute(_PARTS)
    for group, mode, number, patterns in cursor.fetchall():
        how, of_group = (_WITHOUT_GROUP, []) if group is None else (_IN_GROUP, [group])
        cursor.execute(_KNOWN.format(**how), [*of_group, mode, survey, *of_group, mode])
        new = patterns - cursor.fetchone()[0]
        cursor.execute(_ADD_COUNTS.format(**how), [survey, *of_group, mode])
        cursor.execute(_ADD_PART.format(**how), [survey, group, mode, int(number), new])


def _keep_less(cursor: CursorWrapper, survey: Survey, keep: Keep) -> None:
    """Write anew what sealing keeps."""
    erasing.overwrite_what_is_deleted()
    patterns = _NO_PATTERN if keep is Keep.PAIRS else _EVERY_PATTERN
    for statement in (
        _WITHOUT_MODES,
        _TAKE_COUNTS,
        WRITE_COUNTS,
        _TAKE_PARTS,
        _WRITE_PARTS.format(patterns=patterns),
    ):
        cursor.execute(statement, [survey.pk])
    cursor.execute("DROP TABLE folding_counts")
    write_anew(survey, definition_of(survey), always=keep is Keep.PAIRS)
    if keep is Keep.PAIRS:
        cursor.execute(_TAKE_COUNTS, [survey.pk])
