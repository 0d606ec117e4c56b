"""The sheets of a workbook as rows of text, under the names of their columns."""

import datetime as dt
import io
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from surveys.common.numbers import with_commas
from surveys.services.documents.problems import refuse
from surveys.services.documents.xlsform.package import check_package

MOST_ROWS = 1_000
MOST_COLUMNS = 60
_LONGEST_CELL = 5_000
_WANTED = ("survey", "choices", "settings")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a sheet that is not empty: its number as the program shows it, and its cells by column."""

    number: int
    cells: dict[str, str]

    def cell(self, column: str) -> str:
        """Return the text under a column, "" where there is none."""
        return self.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: the names of its columns in their order, in small letters, and its rows."""

    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()


def read_sheets(raw: bytes) -> dict[str, Sheet]:
    """Return the sheets that an XLSForm has, by name; raises DocumentRefused.

    Formulas are never computed: the value counts that was stored with them last.
    """
    check_package(raw)
    # Some megabytes of code that no other page needs.
    from openpyxl import load_workbook  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            workbook = load_workbook(io.BytesIO(raw), read_only=True, data_only=True, keep_links=False)
            try:
                # The first of those that have a name, whatever its case: people see that one.
                first: dict[str, Any] = {}
                for sheet in workbook.worksheets:
                    first.setdefault(sheet.title.strip().lower(), sheet)
                cells = {
                    name: [
                        tuple(row)
                        # One row more than is allowed shows that there are too many.
                        for row in sheet.iter_rows(max_row=MOST_ROWS + 2, max_col=MOST_COLUMNS + 1, values_only=True)
                    ]
                    for name, sheet in first.items()
                    if name in _WANTED
                }
            finally:
                workbook.close()
    except Exception:  # noqa: BLE001 - a damaged workbook can make the library raise anything
        raise refuse(_("The workbook is damaged or encrypted: it cannot be read.")) from None
    if "survey" not in cells:
        raise refuse(_("The workbook has no sheet called “survey”: it is no XLSForm."))
    return {name: _sheet(name, rows) for name, rows in cells.items()}


def _sheet(name: str, rows: list[tuple[object, ...]]) -> Sheet:
    texts = [[_text(value) for value in row] for row in rows]
    if any(any(row) for row in texts[MOST_ROWS + 1 :]):
        raise refuse(_("The sheet has too many rows: %(most)s are the most.") % {"most": with_commas(MOST_ROWS)}, name)
    if any(any(row[MOST_COLUMNS:]) for row in texts):
        raise refuse(_("The sheet has too many columns: %(most)s are the most.") % {"most": MOST_COLUMNS}, name)
    if not texts:
        return Sheet()
    columns = [column.lower() for column in texts[0]]
    return Sheet(tuple(filter(None, columns)), tuple(_rows(columns, texts[1:])))


def _rows(columns: list[str], texts: list[list[str]]) -> Iterable[Row]:
    for number, row in enumerate(texts, start=2):
        # Of two columns with one name the first counts.
        cells = {column: text for column, text in zip(reversed(columns), reversed(row), strict=False) if column}
        if any(cells.values()):
            yield Row(number, cells)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, dt.date | dt.time):
        # A date by itself is read as its midnight.
        return value.isoformat().removesuffix("T00:00:00")
    return str(value).strip()[:_LONGEST_CELL]
