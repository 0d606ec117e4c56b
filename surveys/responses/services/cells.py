"""Counts of items and of pairs of items, kept where patterns are many: folding adds to them, or counts them anew."""

from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Sum

from surveys.models import CellCount, FoldedPart, Survey
from surveys.models.definition import Definition
from surveys.models.response import CODES, LEFT_OUT
from surveys.responses.selectors.tally import (
    MISSING,
    MOST_PATTERNS,
    CellCounter,
    codes_of,
    fresh_cells_of,
    possible_cells,
)
from surveys.responses.services.ordering import alone

_AT_ONCE = 20_000
_PATTERNS = "SELECT reports, group_id, count FROM surveys_patterncount WHERE survey_id = %s"
_MOVED = "SELECT reports, group_id, number FROM folding_counts"
_WRITE = (
    "INSERT INTO surveys_cellcount (survey_id, group_id, first, second, codes, count) VALUES (%s, %s, %s, %s, %s, %s)"
)
Row = tuple[str, int | None, int]


class KeptCells:
    """The cells of a survey while it is folded, step by step.

    They are added to where they count all that is folded, and counted anew at the end where they do not: where they
    were not kept before, or where somebody was interrupted.
    """

    def __init__(self, survey: Survey, definition: Definition) -> None:
        self._survey, self._definition = survey, definition
        self._counter = CellCounter(definition.columns)
        self._counter.put(fresh_cells_of(survey.pk))
        self._complete = self._counts_all()

    def add(self, cursor: CursorWrapper) -> None:
        """Count what a step has moved, in its transaction."""
        if self._complete:
            cursor.execute(_MOVED)
            _count(self._counter, cursor.fetchall())

    def write(self) -> None:
        """Write the cells as they have been added up, in a step's transaction."""
        # Another fold may have come in between.
        if self._complete and self._counts_all():
            _write(self._survey, self._counter)

    def finish(self) -> None:
        """Write them at the end, counting all patterns anew where that is needed, if they are kept at all."""
        if not self._complete:
            self._counter = count_patterns(self._survey, self._definition) or self._counter
        with alone(self._survey):
            if self._counts_all():
                _write(self._survey, self._counter)
            else:
                write_anew(self._survey, self._definition)

    def _counts_all(self) -> bool:
        n = self._counter.n
        return bool(n) and n == FoldedPart.objects.filter(survey_id=self._survey.pk).aggregate(n=Sum("count"))["n"]


def write_anew(survey: Survey, definition: Definition, *, always: bool = False) -> None:
    """Count the folded patterns by item and by pair: `always`, or where they are many, and more than cells can be."""
    counter = count_patterns(survey, definition, always=always)
    if counter is None:
        CellCount.objects.filter(survey_id=survey.pk).delete()
    else:
        _write(survey, counter)


def count_patterns(survey: Survey, definition: Definition, *, always: bool = False) -> CellCounter | None:
    """Count the same, if cells are to be kept: by one statement, beside which others may write."""
    reports = definition.columns
    parts = FoldedPart.objects.filter(survey_id=survey.pk).values_list("group_id", "patterns")
    groups = len({group for group, _ in parts})
    if not always and sum(patterns for _, patterns in parts) <= max(MOST_PATTERNS, possible_cells(reports, groups)):
        return None
    counter = CellCounter(reports)
    # On PostgreSQL a cursor of the server's, which a transaction keeps: the patterns are never all in this process.
    at_once = transaction.atomic() if connection.vendor == "postgresql" else nullcontext()
    with at_once, connection.chunked_cursor() as cursor:
        cursor.execute(_PATTERNS, [survey.pk])
        while rows := cursor.fetchmany(_AT_ONCE):
            _count(counter, rows)
    return counter


def _count(counter: CellCounter, rows: list[Row]) -> None:
    codes = codes_of((row[0] for row in rows), counter.items)
    groups = np.array([row[1] or 0 for row in rows], dtype=np.int64)
    counter.add(codes, np.array([row[2] for row in rows], dtype=np.int64), groups)


def _write(survey: Survey, counter: CellCounter) -> None:
    CellCount.objects.filter(survey_id=survey.pk).delete()
    with connection.cursor() as cursor:
        cursor.executemany(_WRITE, list(_rows(survey, counter)))


def _rows(survey: Survey, counter: CellCounter) -> Iterator[tuple[int, int | None, int, int, str, int]]:
    """Return the rows of all cells in an order of their own: by group, item, item, and codes."""
    for group, first, second, *codes, count in counter.cells():
        text = "".join(_character(code) for code in codes[: 1 if first == second else 2])
        yield survey.pk, group or None, first, second, text, count


def _character(code: int) -> str:
    return LEFT_OUT if code == MISSING else CODES[code]
