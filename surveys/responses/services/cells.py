"""Counts of items and of pairs of items, kept where patterns are many: folding adds to them, or counts them anew."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext

import numpy as np
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from surveys.models import CellCount, FoldedPart, Survey
from surveys.models.response import NOT_KEPT
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.reports import CODES, LEFT_OUT
from surveys.responses.selectors.tally import (
    MISSING,
    MOST_PATTERNS,
    CellCounter,
    codes_of,
    fresh_cells_of,
    possible_cells,
)
from surveys.responses.services.ordering import folded_count
from surveys.responses.services.steps import Steps

# Patterns that are counted together: a few at once take twice as long.
AT_ONCE = 20_000
# Cells that are written in one step, and so with each step of a fold; of more than these some at a time, at its end.
_FEW = 5_000
# Another fold may come between a reading of all patterns and what is written after it.
_TRIES = 3
_PATTERNS = "SELECT reports, group_id, count FROM surveys_patterncount WHERE survey_id = %s"
_WRITTEN = "SELECT COUNT(*) FROM surveys_cellcount WHERE survey_id = %s"
# Those of the first item say whether cells count all that is folded: they are the first to go and the last to come, so
# that nobody takes a part for the whole.
_TAKE_FIRST = "DELETE FROM surveys_cellcount WHERE survey_id = %s AND first = 0 AND second = 0"
_TAKE = """
    DELETE FROM surveys_cellcount
    WHERE id IN (SELECT id FROM surveys_cellcount WHERE survey_id = %s ORDER BY id LIMIT %s)
"""
_WRITE = (
    "INSERT INTO surveys_cellcount (survey_id, group_id, first, second, codes, count) VALUES (%s, %s, %s, %s, %s, %s)"
)
_Cell = tuple[int, int | None, int, int, str, int]


class KeptCells:
    """The cells of a survey while it is folded, step by step.

    They are added to where they count all that is folded, or nothing is folded yet, and counted anew at the end where
    they do not: where they were not kept before, or where somebody was interrupted.
    """

    def __init__(self, survey: Survey, definition: Definition) -> None:
        self._survey, self._definition = survey, definition
        self._counter = CellCounter(definition.columns)
        self._counter.put(fresh_cells_of(survey.pk))
        self._kept = _counts_all(survey, self._counter)
        # Whether they will be kept nobody knows yet: counting is little work where they can be few only.
        few = possible_cells(definition.columns, 1) <= MOST_PATTERNS
        self._complete = self._kept or (few and not self._counter.n and not folded_count(survey))
        self._moved: list[tuple[str, int | None, int]] = []

    def add(self, group: int | None, counts: Mapping[str, int]) -> None:
        """Note what a step moves, in its transaction."""
        if self._complete:
            self._moved += ((reports, group, count) for reports, count in counts.items())

    def count(self, *, waiting: int = 1) -> None:
        """Count what was moved, if so many patterns wait: after a step where possible, as others wait for its end."""
        if len(self._moved) >= waiting:
            _count(self._counter, self._moved)
            self._moved = []

    def write(self, cursor: CursorWrapper) -> None:
        """Write the cells as they have been added up, in a step's transaction, if they were kept before and are few."""
        if not self._kept:
            return
        self.count()
        # Another fold may have come in between.
        if _counts_all(self._survey, self._counter):
            cells = list(_rows(self._survey, self._counter))
            if len(cells) <= _FEW:
                _replace(cursor, self._survey, cells)

    def finish(self, steps: Steps) -> None:
        """Write them at the end, counting all patterns anew where that is needed, if they are kept at all."""
        counter = self._counter if self._kept or _are_kept(self._survey, self._definition.columns) else None
        if counter:
            self.count()
        if not (self._complete and _write(self._survey, counter, steps)):
            write_anew(self._survey, self._definition, steps)


def write_anew(survey: Survey, definition: Definition, steps: Steps, *, always: bool = False) -> None:
    """Count the folded patterns by item and by pair: `always`, or where they are many, and more than cells can be.

    Where other folds come again and again this is left to them; what is not counted by cells is read from patterns.
    """
    for _ in range(_TRIES):
        if _write(survey, count_patterns(survey, definition, always=always), steps):
            return


def cells_count_all(survey: Survey) -> bool:
    """Whether the cells as they are stored count all that is folded."""
    return fresh_cells_of(survey.pk).n == folded_count(survey)


def _is_sealing(survey: Survey) -> bool:
    """Whether sealing has begun, so that patterns may be gone already: then nobody else touches the cells."""
    return FoldedPart.objects.filter(survey_id=survey.pk, mode=NOT_KEPT).exists()


def _are_kept(survey: Survey, reports: Sequence[int]) -> bool:
    """Whether the folded patterns are many, and more than cells can be."""
    parts = FoldedPart.objects.filter(survey_id=survey.pk).values_list("group_id", "patterns")
    groups = len({group for group, _ in parts})
    return sum(patterns for _, patterns in parts) > max(MOST_PATTERNS, possible_cells(reports, groups))


def _counts_all(survey: Survey, counter: CellCounter) -> bool:
    n = counter.n
    return bool(n) and n == folded_count(survey)


def _write(survey: Survey, counter: CellCounter | None, steps: Steps) -> bool:
    """Write the cells anew, or none at all; whether nobody has folded or written others meanwhile."""
    cells = list(_rows(survey, counter)) if counter else []
    cells.sort(key=lambda cell: cell[2:4] == (0, 0))
    steps.begin_anew()
    there: int | None = None
    old, new = True, 0
    while old or new < len(cells):
        with steps.next() as cursor:
            cursor.execute(_WRITTEN, [survey.pk])
            (now,) = cursor.fetchone()
            if there not in {None, now} or (counter and not _counts_all(survey, counter)) or _is_sealing(survey):
                return False
            if old and max(now, len(cells)) <= _FEW:
                _replace(cursor, survey, cells)
                return True
            if old:
                cursor.execute(_TAKE_FIRST, [survey.pk])
                steps.done = cursor.rowcount
                cursor.execute(_TAKE, [survey.pk, steps.rows])
                steps.done += cursor.rowcount
                now -= steps.done
                old = bool(now)
            else:
                some = cells[new : new + steps.rows]
                cursor.executemany(_WRITE, some)
                steps.done = len(some)
                now, new = now + len(some), new + len(some)
            there = now
    return True


def _replace(cursor: CursorWrapper, survey: Survey, cells: list[_Cell]) -> None:
    CellCount.objects.filter(survey_id=survey.pk).delete()
    cursor.executemany(_WRITE, cells)


def count_patterns(survey: Survey, definition: Definition, *, always: bool = False) -> CellCounter | None:
    """Count the same, if cells are to be kept: by one statement, beside which others may write."""
    if not always and not _are_kept(survey, definition.columns):
        return None
    counter = CellCounter(definition.columns)
    # On PostgreSQL a cursor of the server's, which a transaction keeps: the patterns are never all in this process.
    at_once = transaction.atomic() if connection.vendor == "postgresql" else nullcontext()
    with at_once, connection.chunked_cursor() as cursor:
        cursor.execute(_PATTERNS, [survey.pk])
        while rows := cursor.fetchmany(AT_ONCE):
            _count(counter, rows)
    return counter


def _count(counter: CellCounter, rows: Sequence[tuple[str, int | None, int]]) -> None:
    codes = codes_of((row[0] for row in rows), counter.items)
    groups = np.array([row[1] or 0 for row in rows], dtype=np.int64)
    counter.add(codes, np.array([row[2] for row in rows], dtype=np.int64), groups)


def _rows(survey: Survey, counter: CellCounter) -> Iterator[_Cell]:
    """Return the rows of all cells in an order of their own: by group, item, item, and codes."""
    for group, first, second, *codes, count in counter.cells():
        shown = codes[: 1 if first == second else 2]
        text = "".join(LEFT_OUT if code == MISSING else CODES[code] for code in shown)
        yield survey.pk, group or None, first, second, text, count
