"""Writing the counts of items and of pairs of items, as a part of folding."""

from collections.abc import Iterator

import numpy as np
from django.db import connection

from surveys.models import CellCount, Survey
from surveys.models.definition import Definition
from surveys.models.response import CODES, LEFT_OUT
from surveys.selectors.cells import MOST_PATTERNS, CellCounter, possible_cells
from surveys.selectors.responses import MISSING, codes_of, standing_of

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
