"""Workbooks for tests, made as a program would make them."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from openpyxl import Workbook

from surveys.documents.services.xlsform.rows import ImportReport
from surveys.documents.services.xlsform.workbook import read_sheets

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


def from_table(text: str) -> bytes:
    """Return a workbook from a table in Markdown: the name of a sheet in the first column, cells in the others."""
    sheets: dict[str, list[list[object]]] = {}
    name = ""
    for line in text.splitlines():
        first, *cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
        name = first or name
        rows = sheets.setdefault(name, [])
        if any(cells) and not first:
            rows.append([cell or None for cell in cells])
    return workbook(sheets)


def unaccounted(raw: bytes, report: ImportReport) -> list[str]:
    """Return the rows and cells of a form of which its report says nothing, and no question is."""
    sheets = read_sheets(raw)
    lines = {(line.sheet, line.row): line for line in report.lines}
    missing = []
    for row in sheets.survey.rows:
        line = lines.get(("survey", row.number))
        if line is None:
            missing.append(f"row {row.number}")
        elif line.taken:
            kept = set(KEPT)
            if line.question:
                question = report.content.questions[line.question - 1]
                kept |= {"required", "protected", "parameters"}
                kept |= {"relevant"} if question.asked_if else set()
                kept |= {"constraint"} if question.kind == "number_mean" else set()
            lost = {loss.column for loss in line.lost}
            for key, text in row.cells.items():
                if key.partition("::")[0] not in kept and row.headers[key] not in lost:
                    missing.append(f"row {row.number}, {row.headers[key]}: {text}")
    return missing


# What becomes a part of a question, or decides what becomes of a line.
KEPT = frozenset({"type", "name", "label", "disabled"})
