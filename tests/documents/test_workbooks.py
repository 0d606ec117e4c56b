"""Workbooks that are broken, locked, or made to take the server down are refused before anything is unpacked."""

import contextlib
import io
import re
import time
import zipfile
from functools import cache

import pytest

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import MOST_BYTES, DocumentRefused
from surveys.documents.services.xlsform.workbook import MOST_COLUMNS, MOST_ROWS, MOST_TAGS
from tests.documents.workbooks import form, part, with_parts, with_shared_strings, workbook

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
    "unpacked": with_parts(WORKBOOK, {"xl/media/zeros.bin": b"\x00" * 50_000_000}),
    "entities": with_parts(WORKBOOK, {"docProps/core.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'}),
    "much besides": with_parts(WORKBOOK, {"xl/styles.xml": b"<a/>" * MOST_TAGS}),
    "no survey": workbook({"data": [("a",)]}),
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
        WORKBOOK[:200] + b"\x00" * 40 + WORKBOOK[240:],
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
def test_entities_are_refused_in_every_part(head: bytes) -> None:
    body = b'<row r="1"><c r="A1" t="inlineStr"><is><t>&l1;</t></is></c></row>'
    for name in (SHEET, BOOK, "xl/styles.xml", "docProps/core.xml", "_rels/.rels"):
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


def test_a_row_far_down_makes_no_million_rows() -> None:
    row = b'<row r="1048576"><c r="A1048576" t="inlineStr"><is><t>text</t></is></c></row>'
    head = b'<row r="1"><c r="A1" t="inlineStr"><is><t>type</t></is></c></row>'
    raw = with_parts(WORKBOOK, {SHEET: SHEET_START + head + row + SHEET_END})
    begun = time.process_time()
    imported = read_import(raw)
    assert imported.content.questions == []
    assert time.process_time() - begun < 2


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


MANY = MOST_TAGS - 20_000
STYLES = part(WORKBOOK, "xl/styles.xml")


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
        form(*[("select_one yesno", number, "Ever copied?") for number in range(999)]),
    ],
    ids=["strings", "cells", "rows", "depth", "styles", "parameters", "constraints", "questions"],
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


@pytest.mark.parametrize(
    "raw",
    [
        with_parts(WORKBOOK, {SHEET: SHEET_START + b"<row/>" * MOST_TAGS + SHEET_END}),
        with_parts(WORKBOOK, {"xl/styles.xml": STYLES + b" " * 250_000}),
        _called_otherwise(MOST_TAGS),
        _named_often(12, MANY),
        _named_often(1000, MOST_TAGS // 500),
    ],
    ids=["tags", "styles", "another suffix", "a part of many sheets", "a part of a thousand"],
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
    with pytest.raises(DocumentRefused, match="JSON"):
        read_import(b"type,name,label\ntext,x,?")
