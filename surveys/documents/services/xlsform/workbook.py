"""Reading a workbook: the checks before it is unpacked, its sheets as rows of text, and the form's languages."""

import datetime as dt
import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from surveys.documents.services.parsing import MOST_BYTES, DocumentRefused, refuse
from surveys.numbers.words import with_commas

MOST_ENTRIES = 200
# A form of a thousand rows is a tenth of that.
MOST_UNPACKED = 5_000_000
# Every tag takes the library some microseconds, whatever it holds; styles take it longer, and nobody sees them here.
MOST_TAGS = 100_000
_MOST_AROUND = 250_000
_CONTENT = ("xl/worksheets/", "xl/sharedStrings")
_ARCHIVE = b"PK"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_PLAIN = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 1


def is_package(raw: bytes) -> bool:
    """Whether a file may be a workbook, of the new kind or the old: no document begins as they do."""
    return raw.startswith((_ARCHIVE, _OLD_EXCEL))


def check_package(raw: bytes) -> None:
    """Refuse what is no plain workbook, or would be too large once it is unpacked; raises DocumentRefused."""
    if len(raw) > MOST_BYTES:
        raise refuse(_("The workbook is too large. The limit is 1 MB."))
    if raw.startswith(_OLD_EXCEL):
        raise refuse(
            _("This workbook is in the old format (.xls) or has a password. Save it as .xlsx without a password.")
        )
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _check_entries(archive.infolist())
            _check_texts(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError, RuntimeError):
        raise _unreadable() from None


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    names = {entry.filename for entry in entries}
    if len(entries) > MOST_ENTRIES:
        raise refuse(_("The workbook consists of too many files. The limit is %(most)s.") % {"most": MOST_ENTRIES})
    # No more than this is ever read of an entry, whatever is packed in it.
    if sum(entry.file_size for entry in entries) > MOST_UNPACKED:
        raise refuse(_("The workbook is too large when unpacked. The limit is 5 MB."))
    if "xl/workbook.xml" not in names:
        raise refuse(_("This isn’t an Excel workbook (.xlsx). Save the form as an .xlsx file."))
    if any(entry.flag_bits & _ENCRYPTED or entry.compress_type not in _PLAIN for entry in entries):
        raise _unreadable()
    if any(name.startswith("xl/externalLinks/") for name in names):
        raise refuse(_("The workbook links to other files. Replace the links with their values."))
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise refuse(_("The workbook has macros. Save it as .xlsx, without macros."))


def _check_texts(archive: zipfile.ZipFile) -> None:
    """Refuse what a few bytes can be packed with: definitions of entities, which workbooks have none of, and tags."""
    tags = largest = sheets = 0
    for entry in archive.infolist():
        text = archive.read(entry)
        # In two bytes a letter neither could be found.
        if text.startswith((b"\xff\xfe", b"\xfe\xff")) or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
            raise refuse(
                _(
                    "The workbook defines its own XML entities, which aren’t allowed. Open it in a spreadsheet "
                    "program and save it again."
                )
            )
        here = text.count(b"<")
        tags, largest, sheets = tags + here, max(largest, here), sheets + text.count(b"sheetId")
        if tags > MOST_TAGS or (len(text) > _MOST_AROUND and not entry.filename.startswith(_CONTENT)):
            raise refuse(_("The workbook contains too much besides the form. Copy its sheets into a new workbook."))
    # Several sheets may name one part, which the library then reads once for each.
    if largest * sheets > MOST_TAGS:
        raise refuse(_("The workbook contains too much besides the form. Copy its sheets into a new workbook."))


def _unreadable() -> DocumentRefused:
    return refuse(
        _("The workbook can’t be read, because it is damaged or encrypted. Save it again as .xlsx without a password.")
    )


# The sheets of a workbook as rows of text, under the names of their columns.


MOST_ROWS = 1_000
MOST_COLUMNS = 60
_LONGEST_CELL = 5_000
_WANTED = ("survey", "choices", "settings")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row of a sheet that is not empty: its number as the program shows it, and its cells by column."""

    number: int
    cells: dict[str, str]

    def cell(self, column: str) -> str:
        """Return the text under a column, "" where there is none."""
        return self.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: the names of its columns in their order, as they are written, and its rows."""

    columns: tuple[str, ...] = ()
    rows: tuple[SheetRow, ...] = ()


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
        raise _unreadable() from None
    if "survey" not in cells:
        raise refuse(_("The workbook has no sheet called “survey”, so it isn’t an XLSForm. Choose another file."))
    return {name: _sheet(name, rows) for name, rows in cells.items()}


def _sheet(name: str, rows: list[tuple[object, ...]]) -> Sheet:
    texts = [[_text(value) for value in row] for row in rows]
    if any(any(row) for row in texts[MOST_ROWS + 1 :]):
        raise refuse(_("The sheet has too many rows. The limit is %(most)s.") % {"most": with_commas(MOST_ROWS)}, name)
    if any(any(row[MOST_COLUMNS:]) for row in texts):
        raise refuse(_("The sheet has too many columns. The limit is %(most)s.") % {"most": MOST_COLUMNS}, name)
    if not texts:
        return Sheet()
    columns = [column.lower() for column in texts[0]]
    return Sheet(tuple(filter(None, texts[0])), tuple(_rows(columns, texts[1:])))


def _rows(columns: list[str], texts: list[list[str]]) -> Iterable[SheetRow]:
    for number, row in enumerate(texts, start=2):
        # Of two columns with one name the first counts.
        cells = {column: text for column, text in zip(reversed(columns), reversed(row), strict=False) if column}
        if any(cells.values()):
            yield SheetRow(number, cells)


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


# Which of a form's languages is taken: one survey speaks one language.


_LABEL = re.compile(r"label\s*::?\s*(?P<language>.+)", re.IGNORECASE)
_SPOKEN = re.compile(r"(?P<name>[a-z_]+)\s*::?\s*(?P<language>.+)")
_CODE = re.compile(r"\((?P<code>[a-z]{2,3})(-[a-z0-9]+)?\)\s*$")
_NAMES = {"english": "en", "german": "de", "spanish": "es", "hebrew": "he"}


@dataclass(frozen=True, slots=True)
class Language:
    """A language of a form: as its columns write it ("" where they write none), and the pages' code for it, or ""."""

    written: str
    code: str

    def cell(self, row: SheetRow, name: str) -> str:
        """Return what stands in a row, such as its label, in this language."""
        if not self.written:
            return row.cell(name)
        for column, text in row.cells.items():
            match = _SPOKEN.fullmatch(column)
            if match and (match["name"], match["language"].strip()) == (name, self.written.lower()):
                return text
        return ""


def chosen_language(survey: Sheet, default: str) -> tuple[Language, list[str]]:
    """Return the language that is taken, and the others as they are written: the form's default one, else the first."""
    written = [match["language"].strip() for column in survey.columns if (match := _LABEL.fullmatch(column))]
    default, small = default.strip().lower(), [one.lower() for one in written]
    if default not in small and "label" in (column.lower() for column in survey.columns):
        return Language("", code_of(default)), written
    if not written:
        return Language("", code_of(default)), []
    taken = next((one for one in written if default and default in {one.lower(), code_of(one)}), written[0])
    return Language(taken, code_of(taken)), [one for one in written if one.lower() != taken.lower()]


def code_of(written: str) -> str:
    """Return the pages' code for a language as forms write it ("english (en)", "deutsch", "es"), or ""."""
    written = written.strip().lower()
    codes = dict(settings.RESPONDENTS_LANGUAGES)
    if match := _CODE.search(written):
        return match["code"] if match["code"] in codes else ""
    spoken = {name.lower(): code for code, name in settings.RESPONDENTS_LANGUAGES}
    return written if written in codes else spoken.get(written) or _NAMES.get(written, "")
