"""The CSV file: one row a response, in random order, written while it is sent.

UTF-8, commas, CRLF (RFC 4180); a visibly missing answer is an empty cell. The file with codes is plain ASCII. The one
with labels begins with a byte order mark, without which Excel takes UTF-8 for something else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from surveys.common.spreadsheets import quoted_cell
from surveys.exporting.selectors import (
    BLOCK,
    NOT_GIVEN,
    WITHHELD,
    ExportRows,
    GroupNames,
    column_name,
    mode_labels,
    report_labels,
    shuffle_rows,
)
from surveys.models import Mode
from surveys.questionnaire.definition import Definition

_CODES = 256  # what a byte of a pattern can be


@dataclass(frozen=True, slots=True, eq=False)
class CsvFile:
    """A file that is not there yet but whose length is known.

    Attributes
    ----------
    rows : ExportRows
        What stands in it.
    head : bytes
        The line of column names, with what comes before it.
    cells : tuple of tuples of bytes
        What can stand in each column, by number.
    groups : int64 array
        For each distinct row, the number of its group's cell.
    """

    rows: ExportRows
    head: bytes
    cells: tuple[tuple[bytes, ...], ...]
    groups: npt.NDArray[np.int64]

    @property
    def length(self) -> int:
        """The exact number of bytes, from how often each distinct row comes."""
        # Between the columns a comma each, at the end of a row CR and LF.
        lengths = np.full(self.rows.counts.size, len(self.cells) + 1, dtype=np.int64)
        for cells, numbers in zip(self.cells, self._columns(slice(None)), strict=True):
            lengths += np.array([len(cell) for cell in cells], dtype=np.int64)[numbers]
        return len(self.head) + int(lengths @ self.rows.counts)

    def chunks(self) -> Iterator[bytes]:
        """Yield the file piece by piece: at most `BLOCK` rows are in memory."""
        yield self.head
        # Few distinct rows are written once each, many anew whenever they come.
        few = self.rows.counts.size <= BLOCK
        lines = self._lines(slice(None)) if few else []
        for numbers in shuffle_rows(self.rows.counts):
            yield b"".join([lines[number] for number in numbers.tolist()] if few else self._lines(numbers))

    def _lines(self, which: slice | npt.NDArray[np.int32]) -> list[bytes]:
        columns = zip(self.cells, self._columns(which), strict=True)
        texts = [[cells[number] for number in numbers.tolist()] for cells, numbers in columns]
        return [b",".join(line) + b"\r\n" for line in zip(*texts, strict=True)]

    def _columns(self, which: slice | npt.NDArray[np.int32]) -> Iterator[npt.NDArray[np.int64]]:
        """Yield what stands in each column of these rows, as numbers of its cells."""
        for column in self.rows.patterns[which].T:
            yield column.astype(np.int64)
        yield self.groups[which]
        yield self.rows.modes[which] + 1


def with_codes(definition: Definition, rows: ExportRows, groups: GroupNames) -> CsvFile:
    """Return the file with codes, groups by their links and modes by their names in programs."""
    items = [[str(code) for code in range(codes)] for codes in definition.columns]
    return _file(definition, rows, items, groups.slugs, Mode.values)


def with_labels(definition: Definition, rows: ExportRows, groups: GroupNames) -> CsvFile:
    """Return the file in words, those of the survey's language."""
    arms = [[arm.name for arm in definition.arms]] if definition.arms else []
    return _file(
        definition,
        rows,
        [*report_labels(definition), *arms],
        groups.names,
        mode_labels(definition),
        mark=b"\xef\xbb\xbf",
    )


def _file(
    definition: Definition,
    rows: ExportRows,
    items: Sequence[Sequence[str]],
    groups: Mapping[int, str],
    modes: Sequence[str],
    *,
    mark: bytes = b"",
) -> CsvFile:
    names = [*(column_name(item) for item in definition.items), *(["arm"] if definition.arms else []), "group", "mode"]
    keys, group_of = np.unique(rows.groups, return_inverse=True)
    called = {WITHHELD: NOT_GIVEN, 0: "", **groups}
    return CsvFile(
        rows=rows,
        head=mark + ",".join(map(quoted_cell, names)).encode() + b"\r\n",
        cells=(
            *(_by_code(labels) for labels in items),
            _cells([called[key] for key in keys.tolist()]),
            _cells([NOT_GIVEN, *modes]),
        ),
        groups=group_of.reshape(-1).astype(np.int64),
    )


def _by_code(labels: Sequence[str]) -> tuple[bytes, ...]:
    """Return an item's cells by code; what has no label is a missing answer."""
    return (*_cells(labels), *[b""] * (_CODES - len(labels)))


def _cells(texts: Sequence[str]) -> tuple[bytes, ...]:
    return tuple(quoted_cell(text).encode() for text in texts)
