"""Reading a workbook: the checks before it is unpacked, its sheets as rows of text, and the form's languages."""

import datetime as dt
import io
import posixpath
import re
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from surveys.documents.services.parsing import MOST_BYTES, DocumentRefused, refuse
from surveys.documents.services.xlsform.names import COLUMNS, column_key
from surveys.numbers.words import with_commas

MOST_ENTRIES = 200
# A form of five thousand rows has some four.
MOST_UNPACKED = 5_000_000
# With the sheets that are no part of the form, and pictures: they are never unpacked.
MOST_BESIDES = 50_000_000
# Every tag that opens takes the library some microseconds, whatever it holds; styles take it longer, and nobody sees
# them here.
MOST_TAGS = 160_000
_MOST_AROUND = 250_000
_ARCHIVE = b"PK"
_PLAIN = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 1
_BOOK, _RELATIONS, _TYPES = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"


def is_package(raw: bytes) -> bool:
    """Whether a file may be a workbook: no document begins as they do."""
    return raw.startswith(_ARCHIVE)


@dataclass(frozen=True, slots=True)
class _Form:
    """What is unpacked of a workbook: the parts of the form's own sheets, and what their cells point to."""

    sheets: dict[str, bytes]  # by the names that the format has for them
    strings: bytes
    styles: bytes
    counts_from_1904: bool
    others: tuple[str, ...]  # names of the further sheets


def _unpacked(raw: bytes) -> _Form:
    """Unpack the form's sheets alone; refuse what is no plain workbook or too large; raises DocumentRefused."""
    if len(raw) > MOST_BYTES:
        raise refuse(_("The workbook is too large. The limit is 1 MB."))
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _check_entries(archive.infolist())
            return _form_in(_Parts(archive))
    except DocumentRefused:
        raise
    except Exception:  # noqa: BLE001 - a damaged archive, or XML in it, can make the libraries raise anything
        raise _unreadable() from None


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    names = {entry.filename for entry in entries}
    if len(entries) > MOST_ENTRIES:
        raise refuse(_("The workbook consists of too many files. The limit is %(most)s.") % {"most": MOST_ENTRIES})
    if sum(entry.file_size for entry in entries) > MOST_BESIDES:
        raise refuse(_("The workbook is too large when unpacked. The limit is 50 MB."))
    if _BOOK not in names:
        raise refuse(_("This isn’t an Excel workbook (.xlsx). Save the form as an .xlsx file."))
    if not {_RELATIONS, _TYPES} <= names:
        raise _unreadable()
    if any(entry.flag_bits & _ENCRYPTED or entry.compress_type not in _PLAIN for entry in entries):
        raise _unreadable()
    if any(name.startswith("xl/externalLinks/") for name in names):
        raise refuse(_("The workbook links to other files. Replace the links with their values."))
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise refuse(_("The workbook has macros. Save it as .xlsx, without macros."))


class _Parts:
    """Unpacks parts of an archive, as many bytes and tags as a form may have."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._bytes = self._tags = 0

    def unpack(self, name: str, most: int = MOST_UNPACKED) -> bytes:
        """Return a part's bytes; raises DocumentRefused where it is too large or defines entities."""
        self._bytes += self._archive.getinfo(name).file_size
        # No more than this is ever read of an entry, whatever is packed in it.
        if self._bytes > MOST_UNPACKED:
            raise refuse(_("The form is too large when unpacked. The limit is 5 MB."))
        text = self._archive.read(name)
        # In two bytes a letter neither could be found.
        if text.startswith((b"\xff\xfe", b"\xfe\xff")) or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
            raise refuse(
                _(
                    "The workbook defines its own XML entities, which aren’t allowed. Open it in a spreadsheet "
                    "program and save it again."
                )
            )
        self._tags += text.count(b"<") - text.count(b"</")
        if self._tags > MOST_TAGS or len(text) > most:
            raise refuse(
                _(
                    "The form’s sheets have more cells, styles or empty rows than a form needs. Copy the form into a "
                    "new workbook."
                )
            )
        return text

    def unpack_if_any(self, name: str, most: int = MOST_UNPACKED) -> bytes:
        """Return a part's bytes, none where there is no such part."""
        return self.unpack(name, most) if name in self._archive.namelist() else b""


def _form_in(parts: _Parts) -> _Form:
    from openpyxl.xml.functions import fromstring  # noqa: PLC0415

    book, relations = (list(fromstring(parts.unpack(name, _MOST_AROUND)).iter()) for name in (_BOOK, _RELATIONS))
    places = {each.get("Id"): _place(each.get("Target", "")) for each in relations}
    of_kind = {each.get("Type", "").rpartition("/")[2]: places[each.get("Id")] for each in relations}
    # The first of those that have a name, whatever its case: people see that one.
    sheets: dict[str, str] = {}
    for each in book:
        if _local(each.tag) == "sheet":
            [place] = [places[value] for name, value in each.items() if name.endswith("}id")]
            sheets.setdefault(" ".join(each.get("name", "").lower().split()), place)
    # As converters do: of a workbook with one sheet, that is the survey.
    own = {name: sheets[name] for name in COLUMNS if name in sheets}
    if not own and len(sheets) == 1:
        own = {"survey": sheets.popitem()[1]}
    return _Form(
        sheets={name: parts.unpack(place) for name, place in own.items()},
        strings=parts.unpack_if_any(of_kind.get("sharedStrings", "xl/sharedStrings.xml")),
        styles=parts.unpack_if_any(of_kind.get("styles", "xl/styles.xml"), _MOST_AROUND),
        counts_from_1904=any(each.get("date1904") in {"1", "true"} for each in book),
        others=tuple(name for name in sheets if name not in own),
    )


def _place(target: str) -> str:
    """Return where in the archive a relation of the workbook points."""
    return posixpath.normpath(posixpath.join("/xl", target))[1:]


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _unreadable() -> DocumentRefused:
    return refuse(
        _("The workbook can’t be read, because it is damaged or encrypted. Save it again as .xlsx without a password.")
    )


# A workbook of the form's sheets alone, which is all that the library reads.


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def _packed(form: _Form) -> io.BytesIO:
    """Return a plain workbook of a form's parts: whatever else was in the file, the library never meets it."""
    parts = [("worksheet", f"sheet{number}.xml", text) for number, text in enumerate(form.sheets.values(), start=1)]
    parts += [("sharedStrings", "strings.xml", form.strings)] if form.strings else []
    parts += [("styles", "styles.xml", form.styles)] if form.styles else []
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target="{name}"/>'
        for number, (kind, name, _text) in enumerate(parts, start=1)
    )
    kinds = "".join(
        f'<Override PartName="/xl/{name}" ContentType="{_KIND}.{kind}+xml"/>' for kind, name, _text in parts
    )
    sheets = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        for number, name in enumerate(form.sheets, start=1)
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            _TYPES,
            f'<Types xmlns="{_PACKAGE}/content-types">{kinds}'
            f'<Override PartName="/{_BOOK}" ContentType="{_KIND}.sheet.main+xml"/></Types>',
        )
        archive.writestr(
            _BOOK,
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><workbookPr date1904="{int(form.counts_from_1904)}"/>'
            f"<sheets>{sheets}</sheets></workbook>",
        )
        archive.writestr(_RELATIONS, f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>')
        for _kind, name, text in parts:
            archive.writestr(f"xl/{name}", text)
    return file


# The sheets of a workbook as rows of text, under the names of their columns.


MOST_ROWS = 5_000
MOST_COLUMNS = 60
# As far as programs write: what stands beyond a limit is refused, and never passed over.
_LAST_ROW, _LAST_COLUMN = 1_048_576, 100
# As long as a cell can be in Excel.
_LONGEST_CELL = 32_767


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row of a sheet that is not empty: its number as the program shows it, and its cells by column."""

    number: int
    cells: dict[str, str]  # only those that are not empty
    headers: Mapping[str, str]  # what the sheet calls each column

    def cell(self, column: str) -> str:
        """Return the text under a column, "" where there is none."""
        return self.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its columns in their order, each with its header as it is written, and its rows."""

    headers: Mapping[str, str]
    rows: tuple[SheetRow, ...] = ()


NO_SHEET = Sheet({})
_Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class FormSheets:
    """The sheets of a form, and the names of those that are no part of it."""

    survey: Sheet
    choices: Sheet
    settings: Sheet
    others: tuple[str, ...]


def read_sheets(raw: bytes) -> FormSheets:
    """Return the sheets of an XLSForm; raises DocumentRefused.

    Formulas are never computed: the value counts that was stored with them last.
    """
    form = _unpacked(raw)
    if "survey" not in form.sheets:
        raise refuse(_("The workbook has no sheet called “survey”, so it isn’t an XLSForm. Choose another file."))
    # Some megabytes of code that no other page needs.
    from openpyxl import load_workbook  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            workbook = load_workbook(_packed(form), read_only=True, data_only=True, keep_links=False)
            try:
                read = {
                    sheet.title: _rows_of(
                        sheet.title, sheet.iter_rows(max_row=_LAST_ROW, max_col=_LAST_COLUMN, values_only=True)
                    )
                    for sheet in workbook.worksheets
                }
            finally:
                workbook.close()
    except DocumentRefused:
        raise
    except Exception:  # noqa: BLE001 - a damaged workbook can make the library raise anything
        raise _unreadable() from None
    sheets = {name: _sheet(name, rows) for name, rows in read.items()}
    if "type" not in sheets["survey"].headers:
        raise refuse(
            _("The first row of the sheet “survey” has no column “type”, so it isn’t an XLSForm. Choose another file.")
        )
    return FormSheets(sheets["survey"], sheets.get("choices", NO_SHEET), sheets.get("settings", NO_SHEET), form.others)


def _rows_of(name: str, rows: Iterable[tuple[object, ...]]) -> _Rows:
    """Return the rows that are not empty, each with its number; empty ones may follow in any number."""
    found: _Rows = []
    blank: tuple[object, ...] = ()
    for number, row in enumerate(rows, start=1):
        # The library fills gaps with one and the same row, of which there can be a million.
        if row is blank:
            continue
        if row.count(None) == len(row):
            blank = row
            continue
        texts = [_text(value) for value in row]
        if not any(texts):
            continue
        if number > MOST_ROWS + 1:
            words = _("The sheet has too many rows. The limit is %(most)s.")
            raise refuse(words % {"most": with_commas(MOST_ROWS)}, name)
        if any(texts[MOST_COLUMNS:]):
            words = _("The sheet has too many columns. The limit is %(most)s.")
            raise refuse(words % {"most": MOST_COLUMNS}, name)
        found.append((number, texts[:MOST_COLUMNS]))
    return found


def _sheet(name: str, rows: _Rows) -> Sheet:
    """Return a sheet whose first row names its columns."""
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    named = rows[0][1] if rows and rows[0][0] == 1 else []
    keys: list[str] = []
    headers: dict[str, str] = {}
    for number in range(MOST_COLUMNS):
        header = named[number] if named else ""
        key = column_key(header, COLUMNS[name])
        letters = get_column_letter(number + 1)
        # A column without a name is called by its letter, and the second of one name by what is written above it.
        if not key or key in headers:
            key = f"#{letters}"
        keys.append(key)
        headers[key] = header or letters
    filled = [
        SheetRow(number, {key: text for key, text in zip(keys, texts, strict=True) if text}, headers)
        for number, texts in rows
        if number > 1
    ]
    return Sheet({key: header for key, header in headers.items() if not key.startswith("#")}, tuple(filled))


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
    # Excel keeps the line breaks of other programs as a code.
    return re.sub("_x000D_\n?", "\n", str(value)).strip()[:_LONGEST_CELL]


# Which of a form's languages is taken: one survey speaks one language.


_CODE = re.compile(r"\((?P<code>[a-z]{2,3})(-[a-z0-9]+)?\)\s*$")
_NAMES = {"english": "en", "german": "de", "spanish": "es", "hebrew": "he"}


@dataclass(frozen=True, slots=True)
class Language:
    """A language of a form, and the pages' code for it, or "".

    It is called as its columns write it, "" where they write none. What has no language is in the main one.
    """

    written: str
    code: str
    main: bool = False

    def cell(self, row: SheetRow, name: str) -> str:
        """Return what stands in a row, such as its label, in this language."""
        own = row.cell(f"{name}::{self.written.lower()}") if self.written else ""
        return own or (row.cell(name) if self.main else "")


def languages_of(survey: Sheet, choices: Sheet, default: str) -> tuple[Language, list[Language]]:
    """Return the language that is taken, and the others: the form's default one, else the first."""
    columns = {**choices.headers, **survey.headers}
    # In the order of the survey's columns.
    spoken = [key for key in (*survey.headers, *choices.headers) if key.startswith("label::")]
    written = [" ".join(columns[key].rpartition(":")[2].split()) for key in dict.fromkeys(spoken)]
    small = [one.lower() for one in written]
    default = " ".join(default.lower().split())
    if default not in small and ("label" in survey.headers or not written):
        main = ""
    else:
        main = next((one for one in written if default and default in {one.lower(), code_of(one)}), written[0])
    others = [Language(one, code_of(one)) for one in written if one != main]
    return Language(main, code_of(main or default), main=True), others


def code_of(written: str) -> str:
    """Return the pages' code for a language as forms write it ("english (en)", "deutsch", "es"), or ""."""
    written = written.strip().lower()
    codes = dict(settings.RESPONDENTS_LANGUAGES)
    if match := _CODE.search(written):
        return match["code"] if match["code"] in codes else ""
    spoken = {name.lower(): code for code, name in settings.RESPONDENTS_LANGUAGES}
    return written if written in codes else spoken.get(written) or _NAMES.get(written, "")
