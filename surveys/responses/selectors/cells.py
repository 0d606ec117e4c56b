"""Counts of single items and of pairs of items, for surveys whose patterns are too many to be read for every view."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from django.db import connection

from surveys.models import Survey
from surveys.responses.selectors.tally import MISSING, codes_of

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
        """Count these patterns as well."""
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
        for first, rows in enumerate(codes):
            for second in range(first, len(codes)):
                shape = (starts[first + 1] - starts[first], starts[second + 1] - starts[second])
                # The weights are whole numbers far below 2⁵³, so that adding them as floats is exact.
                block = np.bincount(rows * shape[1] + codes[second], weights=counts, minlength=shape[0] * shape[1])
                totals[starts[first] : starts[first + 1], starts[second] : starts[second + 1]] += block.reshape(
                    shape
                ).astype(np.int64)

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
    """Return how many cells there can be."""
    widths = [m + 1 for m in reports]
    return groups * (sum(widths) ** 2 + sum(width**2 for width in widths)) // 2


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """All cells of a survey, those of one pair of items next to each other."""

    places: dict[tuple[int, int], slice]
    codes: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        """The number of responses: each is in one cell of the first item."""
        return int(self.counts[self.places[0, 0]].sum()) if self.places else 0

    def on(self, first: int, second: int) -> Counted:
        """Return the reports of two items, in this order."""
        here = self.places[min(first, second), max(first, second)]
        codes = self.codes[here] if first <= second else self.codes[here][:, ::-1]
        return codes, self.counts[here], self.groups[here]


def cells_of(survey: Survey, *, folded: int) -> Cells:
    """Return the cells of a survey of which this many responses are folded by now; there are none where not kept."""
    return _cells(survey.pk, folded, survey.state)


@lru_cache(maxsize=8)
def _cells(survey_id: int, _n: int, _state: str) -> Cells:
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


def forget() -> None:
    """Keep nothing in this process of what was counted before: a survey has been purged."""
    _cells.cache_clear()


def combined(survey: Survey, items: Sequence[int]) -> Counted:
    """Return the reports of any items, added up by the database from all patterns: for three items and more."""
    columns = ", ".join(f"SUBSTR(reports, {int(item) + 1}, 1)" for item in items)
    with connection.cursor() as cursor:
        cursor.execute(_COMBINED.format(columns=columns), [survey.pk])
        rows = cursor.fetchall()
    codes = codes_of(("".join(row[:-2]) for row in rows), len(items))
    return codes, np.array([row[-1] for row in rows], np.int64), np.array([row[-2] for row in rows], np.int64)
