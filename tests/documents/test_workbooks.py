"""Workbooks that are broken, locked, or made to take the server down are refused before anything is unpacked."""

import contextlib
import io
import re
import time
import zipfile
from collections.abc import Callable
from functools import cache

import pytest
from openpyxl import load_workbook
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.datavalidation import DataValidation

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import MOST_BYTES, DocumentRefused
from surveys.documents.services.xlsform.workbook import (
    MOST_BESIDES,
    MOST_COLUMNS,
    MOST_ROWS,
    MOST_TAGS,
    MOST_UNPACKED,
)
from tests.documents.workbooks import CHOICES, form, part, with_parts, with_shared_strings, workbook

WORKBOOK = form(("select_one yesno", "copied", "Have you ever copied?"))
SHEET = "xl/worksheets/sheet1.xml"
BOOK, RELATIONS, TYPES = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"
SHEET_START = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
SHEET_END = b"</sheetData></worksheet>"


def words_of(raw: bytes) -> str:
    begun = time.process_time()
    with pytest.raises(DocumentRefused) as refused:
        read_import(raw)
    assert time.process_time() - begun < 5
    return str(refused.value)


def archive(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(name, content)
    return file.getvalue()


def with_damage(raw: bytes, name: str) -> bytes:
    """Return a workbook with zeros in one packed part."""
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        begin = packed.getinfo(name).header_offset + 100
    return raw[:begin] + b"\x00" * 40 + raw[begin + 40 :]


def test_the_workbook_itself_can_be_read() -> None:
    assert len(read_import(WORKBOOK).content.questions) == 1


# One workbook for each reason that a workbook is refused for.
REFUSED = {
    "damaged": b"PK",
    "too large": b"PK" + b"x" * MOST_BYTES,
    "of the old kind": b"\xd0\xcf\x11\xe0" + b"\x00" * 600,
    "of another program": archive(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"),
    "links": with_parts(WORKBOOK, {"xl/externalLinks/externalLink1.xml": b"<a/>"}),
    "macros": with_parts(WORKBOOK, {"xl/vbaProject.bin": b"x"}),
    "parts": with_parts(WORKBOOK, {f"xl/media/{number}.png": b"" for number in range(200)}),
    "unpacked": with_parts(WORKBOOK, {"xl/media/zeros.bin": b"\x00" * MOST_BESIDES}),
    "a large form": with_parts(WORKBOOK, {SHEET: SHEET_START + b" " * MOST_UNPACKED + SHEET_END}),
    "entities": with_parts(WORKBOOK, {BOOK: b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'}),
    "much besides": with_parts(WORKBOOK, {"xl/styles.xml": b"<a/>" * MOST_TAGS}),
    "no survey": workbook({"data": [("a",)], "more": [("a",)]}),
    "no types": workbook({"survey": [("name", "label"), ("a", "A?")]}),
    "rows": workbook({"survey": [("type",), *[("text",)] * (MOST_ROWS + 1)]}),
    "columns": workbook({"survey": [["type"] * (MOST_COLUMNS + 1)]}),
}


@cache
def _reason(kind: str) -> str:
    return words_of(REFUSED[kind])


def test_each_reason_to_refuse_has_words_of_its_own() -> None:
    assert len({_reason(kind) for kind in REFUSED}) == len(REFUSED)


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("too large", "1 MB"),
        ("of the old kind", ".xls)"),
        ("no survey", "“survey”"),
        ("rows", f"{MOST_ROWS:,}"),
        ("columns", str(MOST_COLUMNS)),
    ],
)
def test_a_reason_names_what_is_meant(kind: str, named: str) -> None:
    assert named in _reason(kind)


@pytest.mark.parametrize(
    "raw",
    [
        WORKBOOK[:-40],
        with_damage(WORKBOOK, SHEET),
        with_parts(WORKBOOK, {BOOK: b"<workbook"}),
        with_parts(WORKBOOK, {}, without=[TYPES]),
        with_parts(WORKBOOK, {SHEET: SHEET_START}),
    ],
    ids=["cut", "zeros", "no book", "no types", "half a sheet"],
)
def test_what_is_damaged_is_refused_as_such(raw: bytes) -> None:
    assert words_of(raw) == _reason("damaged")


LAUGHS = b"".join(b'<!ENTITY l%d "%s">' % (number + 1, b"&l%d;" % number * 10) for number in range(1, 10))


@pytest.mark.parametrize(
    "head",
    [
        b'<!DOCTYPE x [<!ENTITY l1 "lol">' + LAUGHS + b"]>",
        b'<!DOCTYPE x [<!ENTITY l1 SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE x SYSTEM "http://example.org/x.dtd">',
    ],
    ids=["laughs", "a file", "another site"],
)
def test_entities_are_refused_in_every_part_that_is_read(head: bytes) -> None:
    body = b'<row r="1"><c r="A1" t="inlineStr"><is><t>&l1;</t></is></c></row>'
    for name in (SHEET, BOOK, RELATIONS, "xl/styles.xml"):
        raw = with_parts(WORKBOOK, {name: head + SHEET_START + body + SHEET_END})
        assert words_of(raw) == _reason("entities")
        # In two bytes a letter the name of the definition does not stand there.
        utf_16 = (b'<?xml version="1.0" encoding="UTF-16"?>' + head + b"<x/>").decode().encode("utf-16")
        assert words_of(with_parts(WORKBOOK, {name: utf_16})) == _reason("entities")


def test_entities_are_not_resolved_even_where_nobody_looked_for_them() -> None:
    """The second line of defence: what reads the parts knows no entities."""
    from defusedxml import EntitiesForbidden
    from openpyxl.xml.functions import fromstring, iterparse

    text = b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'
    with pytest.raises(EntitiesForbidden):
        fromstring(text)
    with pytest.raises(EntitiesForbidden):
        list(iterparse(io.BytesIO(text)))


def test_an_archive_that_lies_about_its_sizes_is_damaged() -> None:
    # The sizes stand in both headers, little-endian.
    sheet = part(WORKBOOK, SHEET) + b" " * 1_000_000
    packed = with_parts(WORKBOOK, {SHEET: sheet})
    packed = packed.replace(len(sheet).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert words_of(packed) == _reason("damaged")


def test_a_row_far_down_is_no_row_too_few_and_makes_no_million_rows() -> None:
    row = b'<row r="1048576"><c r="A1048576" t="inlineStr"><is><t>text</t></is></c></row>'
    head = b'<row r="1"><c r="A1" t="inlineStr"><is><t>type</t></is></c></row>'
    begun = time.process_time()
    assert words_of(with_parts(WORKBOOK, {SHEET: SHEET_START + head + row + SHEET_END})) == _reason("rows")
    far = row.replace(b"1048576", b"99999999999")
    assert read_import(with_parts(WORKBOOK, {SHEET: SHEET_START + head + far + SHEET_END})).content.questions == []
    assert time.process_time() - begun < 4


def test_parts_that_are_not_the_forms_own_are_never_unpacked() -> None:
    """Pictures, notes about the file and further sheets: programs write them, and nothing here reads them."""
    sheets = {"survey": [("type", "name", "label"), ("select_one yn", "x", "Ever?")], "notes": [("a",)]}
    whole = workbook(sheets | {"choices": CHOICES})
    entities = b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'
    others = ("docProps/core.xml", "xl/theme/theme1.xml", "xl/worksheets/sheet2.xml", "xl/media/1.png", "_rels/.rels")
    raw = with_parts(whole, dict.fromkeys(others, entities + b" " * MOST_UNPACKED))
    assert read_import(raw).lines == read_import(whole).lines


def test_texts_that_excel_keeps_in_a_table_of_their_own_are_read_there() -> None:
    texts = ("type", "name", "label", "select_one yesno", "copied", "Ever copied?")
    strings = b"".join(b"<si><t>%s</t></si>" % text.encode() for text in texts)
    places = [(b"A1", b"B1", b"C1"), (b"A2", b"B2", b"C2")]
    rows = [
        b"".join(b'<c r="%s" t="s"><v>%d</v></c>' % (place, number) for number, place in enumerate(row, start=first))
        for first, row in zip((0, 3), places, strict=True)
    ]
    sheet = SHEET_START + b'<row r="1">' + rows[0] + b'</row><row r="2">' + rows[1] + b"</row>" + SHEET_END
    imported = read_import(with_parts(with_shared_strings(WORKBOOK, strings), {SHEET: sheet}))
    assert imported.content.questions[0].text == "Ever copied?"


MANY = MOST_TAGS - 2_000
STYLES = part(WORKBOOK, "xl/styles.xml")


def _named_often(sheets: int, cells: int) -> bytes:
    """A workbook of many sheets that are one and the same part."""
    book = part(WORKBOOK, BOOK)
    begin, end = book.index(b"<sheet "), book.index(b"/>", book.index(b"<sheet ")) + 2
    one = book[begin:end]
    several = b"".join(
        re.sub(
            rb'sheetId="\d+"', b'sheetId="%d"' % (100 + number), re.sub(rb'name="[^"]*"', b'name="x%d"' % number, one)
        )
        for number in range(sheets)
    )
    sheet = SHEET_START + b"<row>" + b"<c/>" * cells + b"</row>" + SHEET_END
    return with_parts(WORKBOOK, {BOOK: book[:end] + several + book[end:], SHEET: sheet})


@pytest.mark.uncounted
@pytest.mark.parametrize(
    "raw",
    [
        with_shared_strings(WORKBOOK, b"<si/>" * MANY),
        with_parts(WORKBOOK, {SHEET: SHEET_START + b"<row>" + b"<c/>" * MANY + b"</row>" + SHEET_END}),
        with_parts(WORKBOOK, {SHEET: SHEET_START + b"<row/>" * MANY + SHEET_END}),
        with_parts(WORKBOOK, {SHEET: SHEET_START + b"<a>" * (MANY // 2) + b"</a>" * (MANY // 2) + SHEET_END}),
        with_parts(WORKBOOK, {"xl/styles.xml": STYLES.replace(b"</cellXfs>", b"<xf/>" * 48_000 + b"</cellXfs>")}),
        form(*[("range", number, "?", None, "start=1" + " " * 4000 + "x") for number in range(990)]),
        form(*[("integer", number, "?", "." + " " * 4000 + "x") for number in range(990)]),
        form(*[("select_one yesno", number, "Ever copied?") for number in range(MOST_ROWS)]),
        form(*[("note", number, "<b *a _b [" * 500) for number in range(990)]),
        _named_often(12, MANY),
        _named_often(1000, MOST_TAGS // 500),
    ],
    ids=[
        "strings",
        "cells",
        "rows",
        "depth",
        "styles",
        "parameters",
        "constraints",
        "questions",
        "marks",
        "a part of many sheets",
        "a part of a thousand",
    ],
)
def test_the_largest_workbooks_that_are_read_take_seconds_at_most(raw: bytes) -> None:
    begun = time.process_time()
    with contextlib.suppress(DocumentRefused):
        read_import(raw)
    assert time.process_time() - begun < 5


def _called_otherwise(cells: int) -> bytes:
    """A workbook whose sheet does not end in .xml."""
    name, other = SHEET.rpartition("/")[2].encode(), b"sheet1.bin"
    telling = {place: part(WORKBOOK, place).replace(name, other) for place in (TYPES, RELATIONS)}
    sheet = SHEET_START + b"<row>" + b"<c/>" * cells + b"</row>" + SHEET_END
    return with_parts(WORKBOOK, telling | {SHEET.replace(name.decode(), other.decode()): sheet}, without=[SHEET])


@pytest.mark.parametrize(
    "raw",
    [
        with_parts(WORKBOOK, {SHEET: SHEET_START + b"<row/>" * MOST_TAGS + SHEET_END}),
        with_parts(WORKBOOK, {"xl/styles.xml": STYLES + b" " * 250_000}),
        _called_otherwise(MOST_TAGS),
    ],
    ids=["tags", "styles", "another suffix"],
)
def test_more_than_a_form_ever_needs_is_refused(raw: bytes) -> None:
    assert words_of(raw) == _reason("much besides")


def test_formulas_are_not_computed_and_the_value_beside_them_counts() -> None:
    cells = b"".join(
        b'<c r="%s1" t="inlineStr"><is><t>%s</t></is></c>' % (column, name)
        for column, name in ((b"A", b"type"), (b"B", b"name"), (b"C", b"label"))
    )
    formula = b'<c r="C2" t="str"><f>WEBSERVICE("http://example.org")</f><v>Ever copied?</v></c>'
    row = b'<c r="A2" t="inlineStr"><is><t>select_one yesno</t></is></c><c r="B2" t="inlineStr"><is><t>x</t></is></c>'
    sheet = SHEET_START + b'<row r="1">' + cells + b'</row><row r="2">' + row + formula + b"</row>" + SHEET_END
    assert read_import(with_parts(WORKBOOK, {SHEET: sheet})).content.questions[0].text == "Ever copied?"


def test_what_it_is_shows_in_the_file_and_not_in_its_name() -> None:
    assert read_import(WORKBOOK).lines
    with pytest.raises(DocumentRefused, match="CSV"):
        read_import(b"type,name,label\ntext,x,?")


def _as_google_writes_it() -> bytes:
    """Every sheet has 26 columns and 1,000 rows of cells with a style, and most are empty."""
    book = load_workbook(io.BytesIO(WORKBOOK))
    for name in ("settings", "sheet 1", "sheet 2", "sheet 3"):
        book.create_sheet(name)
    for sheet in book.worksheets:
        for row in sheet.iter_rows(max_row=1000, max_col=26):
            for cell in row:
                cell.font = Font(name="Arial")
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _as_templates_come() -> bytes:
    """Long explanations beside the form, cells that belong together, and lists to choose types from."""
    book = load_workbook(io.BytesIO(WORKBOOK))
    form_sheet = book["survey"]
    form_sheet.title = " Survey "
    form_sheet.merge_cells("C900:F904")
    choices = DataValidation(type="list", formula1='"text,note"')
    choices.add("A1:A1000")
    form_sheet.add_data_validation(choices)
    for row in range(3, 1001):
        for column in range(1, 60):
            form_sheet.cell(row, column).fill = PatternFill("solid", fgColor="FFEEEE")
    explained = book.create_sheet("Start here", 0)
    for row in range(4_000):
        explained.append([f"How to write line {row}", "Type", "Name"] * 5)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("made", [_as_google_writes_it, _as_templates_come])
def test_empty_cells_and_further_sheets_keep_no_form_out(made: Callable[[], bytes]) -> None:
    raw, begun = made(), time.process_time()
    assert read_import(raw).content.questions == read_import(WORKBOOK).content.questions
    assert time.process_time() - begun < 5


def test_a_workbook_with_one_sheet_may_call_it_anything() -> None:
    sheet = [("type", "name", "label", "constraint"), ("integer", "age", "How old?", ". >= 0 and . <= 99")]
    assert len(read_import(workbook({"Tabelle1": sheet})).content.questions) == 1
