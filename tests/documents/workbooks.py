"""Workbooks for tests, made as a program would make them."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from openpyxl import Workbook

Rows = Sequence[Sequence[object]]

CHOICES: Rows = [
    ("list_name", "name", "label"),
    ("yesno", "yes", "Yes"),
    ("yesno", "no", "No"),
    ("often", "a", "Never"),
    ("often", "b", "Once"),
    ("often", "c", "Often"),
]


def workbook(sheets: Mapping[str, Rows]) -> bytes:
    """Return a workbook with these sheets."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def form(*rows: Sequence[object], choices: Rows = CHOICES, **settings: object) -> bytes:
    """Return an XLSForm whose rows have these cells, as many as are given."""
    columns = ("type", "name", "label", "constraint", "parameters", "required", "relevant", "hint", "protected")
    sheets: dict[str, Rows] = {"survey": [columns, *rows], "choices": choices}
    if settings:
        sheets["settings"] = [tuple(settings), tuple(settings.values())]
    return workbook(sheets)


def with_parts(raw: bytes, parts: Mapping[str, bytes], without: Iterable[str] = ()) -> bytes:
    """Return a workbook with other parts in its archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if entry.filename not in parts and entry.filename not in without:
                new.writestr(entry, old.read(entry))
        for name, content in parts.items():
            new.writestr(name, content)
    return file.getvalue()


def part(raw: bytes, name: str) -> bytes:
    """Return one part of a workbook's archive."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return archive.read(name)


def with_shared_strings(raw: bytes, strings: bytes) -> bytes:
    """Return a workbook with a table of texts, as Excel keeps them, which cells of the type s point into."""
    types = part(raw, "[Content_Types].xml")
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    named = types.replace(
        b"</Types>", b'<Override PartName="/xl/sharedStrings.xml" ContentType="' + kind + b'"/></Types>'
    )
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    table = b'<sst xmlns="' + space + b'">' + strings + b"</sst>"
    return with_parts(raw, {"[Content_Types].xml": named, "xl/sharedStrings.xml": table})
