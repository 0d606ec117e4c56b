"""A form made by somebody who means harm to whoever opens it here, or what is exported from here."""

import csv
import io
import socket
import threading
from collections.abc import Sequence

import pytest

from surveys.course.services import open_survey
from surveys.documents.services.creating import create_from, read_import
from surveys.documents.services.parsing import DocumentRefused
from tests.documents.workbooks import CHOICES, form, part, with_parts
from tests.factories import fill, make_user
from tests.pages import owner_of

pytestmark = pytest.mark.django_db

SHEET, BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
FORMULAS = (
    '=HYPERLINK("http://127.0.0.1/"&A1,"Click")',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "＝1+1",
    "\u200b=2+2",
)
TABLES = ("responses.csv", "labels.csv", "codebook.csv")


def _written(rows: Sequence[Sequence[object]], choices: Sequence[Sequence[object]], **settings: object) -> bytes:
    """Return a form whose texts that begin like formulas are texts, as a hostile program writes them."""

    def as_texts(table: Sequence[Sequence[object]]) -> list[list[object]]:
        return [[f"TEXT{cell}" if str(cell)[:1] == "=" else cell for cell in row] for row in table]

    raw = form(*as_texts(rows), choices=as_texts(choices), **settings)
    sheets = (SHEET, SHEET.replace("1", "2"))
    return with_parts(raw, {name: part(raw, name).replace(b"TEXT=", b"=") for name in sheets})


def _runs(cell: str) -> bool:
    """Whether a spreadsheet would take a cell for a formula."""
    return cell.lstrip("\u200b\ufeff \t\r\n")[:1] in {*"=+-@", "＝", "＋", "－", "＠"} and len(cell) > 1


def test_no_formula_of_a_form_comes_alive_in_what_is_exported() -> None:
    choices = [*CHOICES, *(("odd", f"o{number}", text) for number, text in enumerate(FORMULAS))]
    rows = [("select_one odd", "a", FORMULAS[0]), ("select_one yesno", "b", FORMULAS[1])]
    imported = read_import(_written(rows, choices, form_title=FORMULAS[4]))
    # Shown and stored as it was written, and a text.
    assert [draft.text for draft in imported.content.questions] == list(FORMULAS[:2])
    survey = open_survey(survey=create_from(owner=make_user(), content=imported.content))
    fill(survey, {"01": 12, "20": 12})
    client = owner_of(survey)
    client.post(f"/surveys/{survey.code}/close/", {})
    cells = 0
    for name in TABLES:
        text = client.get(f"/surveys/{survey.code}/export/{name}").getvalue().decode("utf-8-sig")
        for row in csv.reader(io.StringIO(text)):
            cells += len(row)
            assert not [cell for cell in row if _runs(cell)]
    assert cells > 50
    assert _runs(FORMULAS[0])


def test_reading_a_form_asks_no_other_place_for_anything() -> None:
    """Every way there is in a workbook to name something elsewhere, with somebody there who would notice."""
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        port = elsewhere.getsockname()[1]
        asked: list[object] = []

        def notice() -> None:
            visitor, _address = elsewhere.accept()
            asked.append(visitor.recv(100))
            visitor.close()

        noticing = threading.Thread(target=notice)
        noticing.start()
        there = f"http://127.0.0.1:{port}/x".encode()
        raw = form(("select_one yesno", "a", "Have you ever?"))
        office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        relation = b'<Relationship Id="%s" Type="' + office + b'/%s" Target="%s" TargetMode="External"/>'
        kinds = (b"hyperlink", b"externalLinkPath", b"image", b"attachedTemplate", b"oleObject", b"queryTable")
        relations = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        relations += b"".join(relation % (b"e%d" % n, kind, there) for n, kind in enumerate(kinds))
        book = "xl/_rels/workbook.xml.rels"
        linked = with_parts(
            raw,
            {
                "xl/worksheets/_rels/sheet1.xml.rels": relations + b"</Relationships>",
                book: part(raw, book).replace(b"</Relationships>", relations.split(b">", 1)[1] + b"</Relationships>"),
                SHEET: part(raw, SHEET).replace(
                    b"</sheetData>",
                    b'</sheetData><hyperlinks><hyperlink ref="A1" r:id="e0" xmlns:r="http://schemas.openxmlformats.org/'
                    b'officeDocument/2006/relationships"/></hyperlinks>',
                ),
                BOOK: part(raw, BOOK).replace(b"<workbook ", b'<workbook xml:base="%s" ' % there, 1),
            },
        )
        for one in (linked, with_parts(raw, {"xl/connections.xml": b'<x url="%s"/>' % there})):
            try:
                assert "127.0.0.1" not in str(read_import(one).document)
            except DocumentRefused as refused:
                assert "127.0.0.1" not in str(refused)  # noqa: PT017 - either answer does
        assert asked == []
        # Somebody who asks is noticed.
        socket.create_connection(("127.0.0.1", port)).close()
        noticing.join(timeout=10)
        assert asked == [b""]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-7", "cp037"])
def test_entities_are_refused_in_encodings_that_nothing_announces(encoding: str) -> None:
    head = '<!DOCTYPE x [<!ENTITY a "lol">]>'
    raw = form(("select_one yesno", "a", "Have you ever?"))
    for start in ("", f'<?xml version="1.0" encoding="{encoding}"?>'):
        for name in (SHEET, BOOK, "xl/styles.xml"):
            odd = (start + head + "<x>&a;</x>").encode(encoding)
            announced = start.encode() + (head + "<x>&a;</x>").encode(encoding)
            for content in (odd, announced):
                with pytest.raises(DocumentRefused):
                    read_import(with_parts(raw, {name: content}))
