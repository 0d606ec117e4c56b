"""Responses as numbers: how many there are, distinct patterns and how often each occurs. All analysis starts here.

What is folded and what is not is read by one statement each time: between two, a fold could move rows from what was
not read yet to what was, or back. Responses are only ever added, so their number names one state of them.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from django.db import connection

from surveys.common.caches import cached
from surveys.common.totals import all_in_figures, standing_of, sums_by
from surveys.models import Mode, Survey
from surveys.questionnaire.reports import CODES, LEFT_OUT

MISSING = 255
_CODE_OF_BYTE = np.full(256, MISSING, dtype=np.uint8)
for _code, _character in enumerate(CODES):
    _CODE_OF_BYTE[ord(_character)] = _code
_CODE_OF_BYTE[ord(LEFT_OUT)] = MISSING

_AT_ONCE = 20_000
# While a survey is being sealed its parts come first: what they have no mode for is counted without one.
_FOLDED_PATTERNS = """
    SELECT reports, group_id, CASE WHEN EXISTS (
        SELECT 1 FROM surveys_foldedpart WHERE survey_id = %(survey)s AND mode = ''
    ) THEN '' ELSE mode END, count FROM surveys_patterncount WHERE survey_id = %(survey)s
"""
_PATTERNS = """
    SELECT reports, group_id, mode, CAST(SUM(number) AS BIGINT) FROM (
        SELECT reports, group_id, mode, COUNT(*) AS number FROM surveys_response WHERE survey_id = %(survey)s
        GROUP BY reports, group_id, mode
        UNION ALL SELECT reports, group_id, mode, count FROM surveys_patterncount WHERE survey_id = %(survey)s
    ) AS received GROUP BY reports, group_id, mode ORDER BY reports, mode, group_id
"""
_ANSWERED = """
    SELECT (SELECT COUNT(*) FROM surveys_response
            WHERE %(all)s AND survey_id = %(survey)s AND {given})
        + (SELECT COALESCE(SUM(count), 0) FROM surveys_patterncount
            WHERE survey_id = %(survey)s AND {given})
"""


@dataclass(frozen=True, eq=False)
class Tally:
    """The distinct patterns of a survey's responses and how often each came.

    Attributes
    ----------
    patterns : uint8 array, shape (m, items)
        Report codes; 255 is a visibly missing answer.
    counts : int64 array, shape (m,)
        Responses with that pattern, group and mode.
    groups : int64 array, shape (m,)
        Primary key of the group; 0 is none.
    modes : tuple of str, length m
        Who flipped the coins.
    """

    patterns: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    modes: tuple[str, ...]

    @cached_property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def version(self) -> str:
        """What every response that is added changes."""
        return str(self.n)

    def n_by_mode(self) -> dict[str, int]:
        """Return the number of responses by mode, for the modes that occur."""
        return sums_by(self.modes, self.counts.tolist(), Mode.values)

    def n_by_group(self) -> dict[int, int]:
        """Return the number of responses by the group's primary key (0 is none), for the groups that occur."""
        groups = self.groups.tolist()
        return sums_by(groups, self.counts.tolist(), sorted(set(groups)))

    def n_by_part(self) -> dict[tuple[int, str], int]:
        parts = list(zip(self.groups.tolist(), self.modes, strict=True))
        return sums_by(parts, self.counts.tolist(), sorted(set(parts)))


def answered_count(survey: Survey, *items: int) -> int:
    """Return how many responses in the figures leave none of the items (their numbers, from 0) out."""
    with connection.cursor() as cursor:
        parameters = {"survey": survey.pk, "all": all_in_figures(survey)}
        given = " AND ".join(f"SUBSTR(reports, {int(item) + 1}, 1) <> '-'" for item in items)
        cursor.execute(_ANSWERED.format(given=given), parameters)
        return int(cursor.fetchone()[0])


def tally_of(survey: Survey, *, items: int) -> Tally:
    """Return all of the survey's responses; unchanged ones are not counted again by the same process."""
    return _tally(survey.pk, items, standing_of(survey).received, survey.state)


def folded_responses(survey: Survey, *, items: int) -> Tally:
    """Return the survey's folded responses and keep nothing of them: for exports, however many patterns there are."""
    return _count(survey.pk, items, _FOLDED_PATTERNS)


def fresh_tally_of(survey: Survey, *, items: int) -> Tally:
    """Count now all responses, whatever was counted before."""
    return _count(survey.pk, items, _PATTERNS)


def fresh_figures_of(survey: Survey, *, items: int) -> Tally:
    """Count now what figures may be drawn from: for a release, inside its transaction."""
    return fresh_tally_of(survey, items=items) if all_in_figures(survey) else folded_responses(survey, items=items)


@cached(16)
def folded_tally(survey_id: int, items: int, _folded: int, _state: str) -> Tally:
    """Return the survey's folded responses, of which there are this many by now."""
    return _count(survey_id, items, _FOLDED_PATTERNS)


@cached(16)
def _tally(survey_id: int, items: int, _received: int, _state: str) -> Tally:
    return _count(survey_id, items, _PATTERNS)


def _count(survey_id: int, items: int, statement: str) -> Tally:
    codes = [np.empty((0, items), dtype=np.uint8)]
    numbers = [np.empty((0, 2), dtype=np.int64)]
    modes: list[str] = []
    with connection.cursor() as cursor:
        cursor.execute(statement, {"survey": survey_id})
        # Piece by piece: a million rows as Python's objects would fill the memory of a worker.
        while rows := cursor.fetchmany(_AT_ONCE):
            codes.append(codes_of((row[0] for row in rows), items))
            numbers.append(np.array([(row[3], row[1] or 0) for row in rows], dtype=np.int64))
            modes += (sys.intern(row[2]) for row in rows)
    patterns, (counts, groups) = np.concatenate(codes), np.concatenate(numbers).T.copy()
    for array in (patterns, counts, groups):
        array.setflags(write=False)
    return Tally(patterns=patterns, counts=counts, groups=groups, modes=tuple(modes))


def codes_of(reports: Iterable[str], items: int) -> npt.NDArray[np.uint8]:
    """Return report texts of this many items each as codes, a row each."""
    rows = list(reports)
    text = "".join(rows).encode("ascii")
    return _CODE_OF_BYTE[np.frombuffer(text, dtype=np.uint8)].reshape(len(rows), items)


# Counts of single items and of pairs of items, for surveys whose patterns are too many to be read for every view.


# More patterns than this are counted by item and by pair when they are folded; docs/performance.md has the measurement.
MOST_PATTERNS = 10_000

_CELLS = "SELECT first, second, codes, group_id, count FROM surveys_cellcount WHERE survey_id = %s"
_COMBINED = """
    SELECT {columns}, COALESCE(group_id, 0), CAST(SUM(count) AS BIGINT) FROM surveys_patterncount WHERE survey_id = %s
    GROUP BY {columns}, COALESCE(group_id, 0)
"""

Counted = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Codes of the items asked for (a row each), how often they came, and in which group."""


class CellCounter:
    """Adds up what each item and each pair of items reported, group by group, from patterns in any number of pieces.

    Parameters
    ----------
    reports : sequence of int
        The number of possible reports of each item; a visibly missing answer is one more.
    """

    def __init__(self, reports: Sequence[int]) -> None:
        self._m = np.array(reports)
        self._starts = np.concatenate(([0], np.cumsum(self._m + 1)))
        self._totals: dict[int, npt.NDArray[np.int64]] = {}

    def add(
        self, patterns: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]
    ) -> None:
        for group in np.unique(groups).tolist():
            here = groups == group
            self._add(group, patterns[here], counts[here])

    def _add(self, group: int, patterns: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64]) -> None:
        size = int(self._starts[-1])
        totals = self._totals.setdefault(group, np.zeros((size, size), dtype=np.int64))
        codes = [
            np.where(column == MISSING, m, column).astype(np.intp)
            for column, m in zip(patterns.T, self._m, strict=True)
        ]
        starts = self._starts
        # Mostly all are 1, and need no weights.
        weights = None if (counts == 1).all() else counts
        for first, rows in enumerate(codes):
            for second in range(first, len(codes)):
                shape = (starts[first + 1] - starts[first], starts[second + 1] - starts[second])
                # The weights are whole numbers far below 2⁵³, so that adding them as floats is exact.
                block = np.bincount(rows * shape[1] + codes[second], weights=weights, minlength=shape[0] * shape[1])
                totals[starts[first] : starts[first + 1], starts[second] : starts[second + 1]] += block.reshape(
                    shape
                ).astype(np.int64)

    @property
    def items(self) -> int:
        return len(self._m)

    @property
    def n(self) -> int:
        """The number of responses: each is in one cell of the first item."""
        width = int(self._starts[1])
        return sum(int(totals[:width, :width].trace()) for totals in self._totals.values())

    def put(self, cells: "Cells") -> None:
        """Take cells over that were counted before."""
        size = int(self._starts[-1])
        for (first, second), here in cells.places.items():
            codes = np.minimum(cells.codes[here].astype(np.intp), self._m[[first, second]])
            rows, columns = (self._starts[[first, second]] + codes).T
            for group in np.unique(cells.groups[here]).tolist():
                of_group = cells.groups[here] == group
                totals = self._totals.setdefault(group, np.zeros((size, size), dtype=np.int64))
                totals[rows[of_group], columns[of_group]] = cells.counts[here][of_group]

    def cells(self) -> Iterable[tuple[int, int, int, int, int, int]]:
        """Yield group, first and second item, their codes, and the count, where anything was counted."""
        item_of = np.repeat(np.arange(len(self._m)), self._m + 1)
        for group in sorted(self._totals):
            totals = self._totals[group]
            for row, column in np.argwhere(totals).tolist():
                first, second = int(item_of[row]), int(item_of[column])
                yield group, first, second, self._code(row, first), self._code(column, second), int(totals[row, column])

    def _code(self, place: int, item: int) -> int:
        code = place - int(self._starts[item])
        return MISSING if code == self._m[item] else code


def possible_cells(reports: Sequence[int], groups: int) -> int:
    widths = [m + 1 for m in reports]
    return groups * (sum(widths) ** 2 + sum(width**2 for width in widths)) // 2


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    places: dict[tuple[int, int], slice]
    codes: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        """The number of responses: each is in one cell of the first item."""
        here = self.places.get((0, 0))
        return int(self.counts[here].sum()) if here else 0

    def on(self, first: int, second: int) -> Counted:
        """Return the reports of two items, in this order."""
        here = self.places[min(first, second), max(first, second)]
        codes = self.codes[here] if first <= second else self.codes[here][:, ::-1]
        return codes, self.counts[here], self.groups[here]


def cells_of(survey: Survey, *, folded: int) -> Cells:
    """Return the cells of a survey of which this many responses are folded by now; there are none where not kept."""
    try:
        return _cells(survey.pk, folded, survey.state)
    except _BehindError as behind:
        return behind.cells


class _BehindError(Exception):
    """These cells do not count all that is folded, yet: they are not to be remembered."""

    def __init__(self, cells: Cells) -> None:
        super().__init__()
        self.cells = cells


@cached(8)
def _cells(survey_id: int, n: int, _state: str) -> Cells:
    cells = fresh_cells_of(survey_id)
    if cells.n != n:
        raise _BehindError(cells)
    return cells


def fresh_cells_of(survey_id: int) -> Cells:
    """Read the cells of a survey now, whatever was read before."""
    with connection.cursor() as cursor:
        cursor.execute(_CELLS, [survey_id])
        rows = cursor.fetchall()
    if not rows:
        return Cells({}, np.empty((0, 2), np.uint8), np.empty(0, np.int64), np.empty(0, np.int64))
    # An item alone has one code, which stands for both.
    codes = codes_of((row[2] * (3 - len(row[2])) for row in rows), 2)
    numbers = np.array([(row[0], row[1], row[3] or 0, row[4]) for row in rows], dtype=np.int64)
    order = np.lexsort((numbers[:, 1], numbers[:, 0]))
    numbers, codes = numbers[order], codes[order]
    pairs, starts = np.unique(numbers[:, :2], axis=0, return_index=True)
    ends = [*starts[1:].tolist(), len(numbers)]
    places = {
        (first, second): slice(start, end)
        for (first, second), start, end in zip(pairs.tolist(), starts.tolist(), ends, strict=True)
    }
    for array in (codes, numbers):
        array.setflags(write=False)
    return Cells(places, codes, numbers[:, 3], numbers[:, 2])


def read_combined(survey: Survey, items: Sequence[int]) -> Counted:
    """Return the reports of any items, added up by the database from all patterns: for three items and more."""
    columns = ", ".join(f"SUBSTR(reports, {int(item) + 1}, 1)" for item in items)
    with connection.cursor() as cursor:
        cursor.execute(_COMBINED.format(columns=columns), [survey.pk])
        rows = cursor.fetchall()
    codes = codes_of(("".join(row[:-2]) for row in rows), len(items))
    return codes, np.array([row[-1] for row in rows], np.int64), np.array([row[-2] for row in rows], np.int64)
