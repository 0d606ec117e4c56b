"""Folding: responses become counts, which have no order.

That every answer is counted once survives it. While more answers may come, responses are folded in batches and some are
left behind, in each group by itself, so that figures drawn from folded counts never change by fewer responses than the
survey's minimum. A fold goes by steps (steps.py), each a batch of its own in a transaction of its own, so that nobody
waits long; at its end the counts are written anew, in an order of their own (ordering.py).
"""

import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from surveys.common.selectors import definition_of
from surveys.common.totals import ResponseTotals, standing_of
from surveys.metrics import services as metrics
from surveys.models import Decline, FoldedPart, Invitation, Response, SpentNonces, Survey
from surveys.responses.services import erasing
from surveys.responses.services.cells import AT_ONCE, KeptCells
from surveys.responses.services.ordering import write_in_order
from surveys.responses.services.steps import Steps

# At its end a fold writes all counts anew: waiting for a tenth of them keeps the work proportional to n.
LARGEST_SHARE = 10
# What a fold costs whatever it moves is little beside 1% of a group; and beside 5,000 rows, however large the group.
_GROUP_SHARE = 100
_LARGEST_BATCH = 5_000

# Those that follow in the order of the hashes: the index holds them in this order, so the cost follows what is moved
# and not what waits. (The group stands in the order because PostgreSQL does not see that it is the same everywhere.)
_NEXT = """
    SELECT nonce_hash FROM surveys_response WHERE survey_id = %s AND group_id {group} AND nonce_hash {side} %s
    ORDER BY group_id, nonce_hash LIMIT %s
"""
# Others add responses meanwhile: counted and kept are those that were removed, and nobody but a fold removes any.
_TAKE = """
    DELETE FROM surveys_response WHERE survey_id = %s AND group_id {group} AND nonce_hash > %s AND nonce_hash <= %s
    RETURNING mode, reports, nonce_hash
"""
_KEPT_NONCES = "SELECT prefix, hashes FROM surveys_spentnonces WHERE survey_id = %s AND prefix {among}"
_KEEP_NONCES = """
    INSERT INTO surveys_spentnonces (survey_id, prefix, hashes) {rows}
    ON CONFLICT (survey_id, prefix) DO UPDATE SET hashes = excluded.hashes
"""
_PREFIXES_AT_ONCE = 5_000
# Of these tables PostgreSQL takes no samples: it would read all that waits, for each step, and compile what seems to
# be so much work.
_BY_INDEX = "SELECT " + ", ".join(
    f"set_config('{setting}', 'off', true)" for setting in ("jit", "enable_seqscan", "enable_bitmapscan", "enable_sort")
)
# Patterns and sums of those without a group and of groups are kept apart, as unique indexes take no NULL for equal.
_ADD_COUNTS = """
    INSERT INTO surveys_patterncount (survey_id, group_id, mode, reports, count)
    SELECT CAST(%s AS BIGINT), CAST(%s AS BIGINT), CAST(%s AS VARCHAR), reports, number FROM {counts} ORDER BY reports
    ON CONFLICT {key_of_count} DO UPDATE SET count = surveys_patterncount.count + excluded.count
    RETURNING reports, count
"""
_ADD_PART = """
    INSERT INTO surveys_foldedpart (survey_id, group_id, mode, count, patterns, in_order)
    VALUES (%s, %s, %s, %s, %s, FALSE)
    ON CONFLICT {key_of_part} DO UPDATE SET count = surveys_foldedpart.count + excluded.count,
    patterns = surveys_foldedpart.patterns + excluded.patterns, in_order = FALSE
"""
_WITHOUT_GROUP = {
    "key_of_count": "(survey_id, mode, reports) WHERE group_id IS NULL",
    "key_of_part": "(survey_id, mode) WHERE group_id IS NULL",
}
_IN_GROUP = {
    "key_of_count": "(survey_id, group_id, mode, reports) WHERE group_id IS NOT NULL",
    "key_of_part": "(survey_id, group_id, mode) WHERE group_id IS NOT NULL",
}


@dataclass(frozen=True, slots=True)
class _Batch:
    """How many responses of a group are due; as many as the least are left behind, and fewer are never moved."""

    group: int | None
    number: int
    least: int


def fold(*, survey: Survey, everything: bool = False) -> int:
    """Move the survey's responses into its counts and return how many were moved.

    Counts and invitations are written in an order of their own, so that neither keys, nor the rows' places, nor
    PostgreSQL's transaction ids show who came when: also those that a fold has left behind that was killed. Of each
    group a batch is moved and at least as many are left for later, or none is moved: `everything` is for a survey that
    takes no more.
    """
    standing = standing_of(survey)
    if standing.sealing:
        # All is folded, and the process that seals it puts its counts in order.
        return 0
    batches = _waiting(standing) if everything else _due(survey, standing)
    if not batches and standing.in_order and not (everything and _declines(survey)):
        return 0
    steps = Steps(survey)
    cells = KeptCells(survey, definition_of(survey))
    # Where in the order of hashes the last step has ended: in each group it begins anywhere, another place each time.
    places: defaultdict[int | None, bytes] = defaultdict(partial(secrets.token_bytes, 16))
    erasing.overwrite_what_is_deleted()
    folded, first = 0, False
    while batches:
        before = folded
        while batches:
            with steps.next() as cursor:
                if not folded:
                    first = not FoldedPart.objects.filter(survey_id=survey.pk).exists()
                step, batches = _deal(batches, steps.rows)
                steps.done = _move(cursor, survey.pk, step, places, cells)
                # Meanwhile few patterns are read in the place of cells that are behind, and many of no open survey.
                if steps.done and not everything:
                    cells.write(cursor)
                if steps.done and not survey.is_rehearsal:
                    erasing.note_deletion(survey, rewriting=everything)
            folded += steps.done
            cells.count(waiting=AT_ONCE)
        if everything and folded > before:
            batches = _waiting(standing_of(survey))
    if folded:
        transaction.on_commit(partial(metrics.count_fold, done=True))
    cells.finish(steps)
    write_in_order(survey, steps, first=first)
    if not survey.is_rehearsal:
        erasing.erase_when_committed(survey, rewriting=everything)
    return folded


def pending_count(survey: Survey) -> int:
    return Response.objects.filter(survey_id=survey.pk).count()


def smallest_batch(minimum_n: int, folded: int) -> int:
    """Return how many responses of a group are folded at once, and left behind, at least, while more may come."""
    return max(minimum_n, min(folded // _GROUP_SHARE, _LARGEST_BATCH))


def _waiting(standing: ResponseTotals) -> list[_Batch]:
    """Return everything that waits, and leave nobody behind."""
    return [_Batch(group or None, waiting, 0) for group, waiting in sorted(standing.waiting_by_group.items())]


def _due(survey: Survey, standing: ResponseTotals) -> list[_Batch]:
    """Return what of each group is to be moved now, and nothing where that is not worth writing all counts anew."""
    batches: list[_Batch] = []
    moved = 0
    for group, waiting in sorted(standing.waiting_by_group.items()):
        batch = smallest_batch(survey.minimum_n, standing.n_by_group.get(group, 0))
        if waiting >= 2 * batch:
            batches.append(_Batch(group or None, waiting - batch, batch))
            moved += waiting - batch
    return batches if moved * LARGEST_SHARE >= _written_anew(survey, standing) else []


def _written_anew(survey: Survey, standing: ResponseTotals) -> int:
    """Return how many rows a fold writes anew at its end."""
    invitations = Invitation.objects.filter(survey_id=survey.pk).count() if survey.by_invitation else 0
    return standing.patterns + invitations + _declines(survey)


def _declines(survey: Survey) -> int:
    return Decline.objects.filter(survey_id=survey.pk).count() if definition_of(survey).credit_key else 0


def _deal(batches: list[_Batch], rows: int) -> tuple[list[_Batch], list[_Batch]]:
    """Return what a step of about so many rows moves, and what is left for later ones.

    What it moves of a group is a batch by itself, as somebody may look in between, and so is what it leaves of one.
    """
    step: list[_Batch] = []
    while batches:
        batch, *later = batches
        piece = min(batch.number, max(rows, batch.least))
        if 0 < batch.number - piece < batch.least:
            piece = batch.number - batch.least if batch.number >= 2 * batch.least else batch.number
        if step and piece > rows:
            break
        step.append(replace(batch, number=piece))
        rows -= piece
        batches = [replace(batch, number=batch.number - piece), *later] if piece < batch.number else later
        if rows <= 0:
            break
    return step, batches


def _move(
    cursor: CursorWrapper, survey: int, step: list[_Batch], places: dict[int | None, bytes], cells: KeptCells
) -> int:
    """Move what a step takes, in its transaction."""
    _prepare(cursor)
    nonces: list[bytes] = []
    counted = 0
    for batch in step:
        rows = _take(cursor, survey, batch, places)
        nonces += (bytes(nonce) for _, _, nonce in rows)
        for mode, counts in sorted(_counts_by_mode(rows).items()):
            counted += _add_counts(cursor, survey, (batch.group, mode), counts)
            cells.add(batch.group, counts)
    kept = _keep_nonces(cursor, survey, sorted(nonces))
    if not counted == kept == len(nonces):
        raise RuntimeError(f"counted {counted} responses, kept {kept} nonces, removed {len(nonces)} rows")
    return counted


def _prepare(cursor: CursorWrapper) -> None:
    """Let SQLite keep more of the file, for hashes stand in no order, and PostgreSQL look rows up by their hashes."""
    cursor.execute("PRAGMA cache_size=-32768" if connection.vendor == "sqlite" else _BY_INDEX)


def _take(
    cursor: CursorWrapper, survey: int, batch: _Batch, places: dict[int | None, bytes]
) -> list[tuple[str, str, bytes]]:
    """Remove and return responses of a group: those that follow in the circle of the hashes.

    None where too few would be left behind, as another fold has come first.
    """
    group = "IS NULL" if batch.group is None else "= %s"
    of_group = [survey] if batch.group is None else [survey, batch.group]
    place, wanted = places[batch.group], batch.number + batch.least
    waiting: list[list[bytes]] = []
    for side in (">", "<="):
        cursor.execute(_NEXT.format(group=group, side=side), [*of_group, place, wanted])
        waiting.append([bytes(nonce) for (nonce,) in cursor.fetchall()])
        wanted -= len(waiting[-1])
        if not wanted:
            break
    if wanted and batch.least:
        return []
    rows: list[tuple[str, str, bytes]] = []
    left = batch.number
    for begin, hashes in zip((place, b""), waiting, strict=False):
        if some := hashes[:left]:
            # Those who have come in between go along.
            cursor.execute(_TAKE.format(group=group), [*of_group, begin, some[-1]])
            rows += cursor.fetchall()
            places[batch.group], left = some[-1], left - len(some)
    return rows


def _counts_by_mode(rows: Iterable[tuple[str, str, bytes]]) -> dict[str, Counter[str]]:
    """Return how often each combination of reports came, by who flipped the coins."""
    reports_by_mode: defaultdict[str, list[str]] = defaultdict(list)
    for mode, reports, _ in rows:
        reports_by_mode[mode].append(reports)
    return {mode: Counter(reports) for mode, reports in reports_by_mode.items()}


def _add_counts(cursor: CursorWrapper, survey: int, part: tuple[int | None, str], counts: Mapping[str, int]) -> int:
    """Add counts to the patterns of a group and mode, and to the sum beside them; return how many were added."""
    new = add_patterns(cursor, survey, part, counts)
    added = sum(counts.values())
    cursor.execute(_ADD_PART.format(**(_WITHOUT_GROUP if part[0] is None else _IN_GROUP)), [survey, *part, added, new])
    return added


def add_patterns(cursor: CursorWrapper, survey: int, part: tuple[int | None, str], counts: Mapping[str, int]) -> int:
    """Add counts to the patterns of a group and mode and return how many of these are new."""
    how = _WITHOUT_GROUP if part[0] is None else _IN_GROUP
    written = "(SELECT key AS reports, value AS number FROM json_each(%s))"
    given: list[Any] = [json.dumps(counts)]
    if connection.vendor == "postgresql":
        written = "unnest(%s::text[], %s::bigint[]) AS counts (reports, number)"
        given = [list(counts), list(counts.values())]
    cursor.execute(_ADD_COUNTS.format(counts=written, **how), [survey, *part, *given])
    now = dict(cursor.fetchall())
    if now.keys() != counts.keys():
        raise RuntimeError(f"wrote {len(now)} counts of {len(counts)}")
    return sum(now[reports] == count for reports, count in counts.items())


def _keep_nonces(cursor: CursorWrapper, survey: int, nonces: list[bytes]) -> int:
    """Add nonces to the spent ones and return how many more there are; those that begin alike are sorted anew."""
    begin, length = SpentNonces.PREFIX_BYTES, SpentNonces.REST_BYTES
    rests: defaultdict[bytes, list[bytes]] = defaultdict(list)
    for nonce in nonces:
        rests[nonce[:begin]].append(nonce[begin:])
    kept = 0
    for prefix, stored in _stored(cursor, survey, list(rests)):
        old = [stored[place : place + length] for place in range(0, len(stored), length)]
        kept -= len(old)
        rests[prefix] = sorted({*old, *rests[prefix]})
    rows = [(prefix, b"".join(alike)) for prefix, alike in rests.items()]
    if connection.vendor == "postgresql":
        columns = [prefix for prefix, _ in rows], [hashes for _, hashes in rows]
        every = "SELECT %s, prefix, hashes FROM unnest(%s::bytea[], %s::bytea[]) AS rows (prefix, hashes)"
        cursor.execute(_KEEP_NONCES.format(rows=every), [survey, *columns])
    else:
        cursor.executemany(_KEEP_NONCES.format(rows="VALUES (%s, %s, %s)"), [(survey, *row) for row in rows])
    return kept + sum(map(len, rests.values()))


def _stored(cursor: CursorWrapper, survey: int, prefixes: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Return the spent nonces that begin so."""
    rows: list[tuple[bytes, bytes]] = []
    for place in range(0, len(prefixes), _PREFIXES_AT_ONCE):
        some = prefixes[place : place + _PREFIXES_AT_ONCE]
        if connection.vendor == "postgresql":
            cursor.execute(_KEPT_NONCES.format(among="= ANY(%s::bytea[])"), [survey, some])
        else:
            cursor.execute(_KEPT_NONCES.format(among=f"IN ({', '.join(['%s'] * len(some))})"), [survey, *some])
        rows += ((bytes(prefix), bytes(hashes)) for prefix, hashes in cursor.fetchall())
    return rows
