"""A file of another program is refused in one line, which says what it seems to be, by its content."""

import io
import zipfile

import pytest

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.recognizing import foreign
from tests.documents.samples import raw, sample_document
from tests.documents.workbooks import form


def _archive(*names: str, mimetype: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        if mimetype:
            made.writestr("mimetype", f"application/vnd.oasis.opendocument.{mimetype}")
        for name in names:
            made.writestr(name, "x")
    return file.getvalue()


def _old_office(name: str) -> bytes:
    return b"\xd0\xcf\x11\xe0" + bytes(500) + name.encode("utf-16-le") + bytes(500)


FILES = {
    "LimeSurvey": [
        b'<?xml version="1.0" encoding="UTF-8"?>\n<document>\n <LimeSurveyDocType>Survey</LimeSurveyDocType>',
        b"<?xml version='1.0'?><document><LimeSurveyDocType>Question</LimeSurveyDocType></document>",
        b'\xef\xbb\xbf"id"\t"related_id"\t"class"\t"type/scale"\t"name"\t"relevance"\n"1"\t""\t"S"\t""\t"sid"\t"1"\n',
        b"class\ttype/scale\tname\trelevance\ttext\nS\t\tsid\t1\t2\n",
        _archive("survey_1.lss", "survey_1_responses.lsr"),
    ],
    "REDCap": [
        b'"Variable / Field Name","Form Name","Section Header","Field Type"\n"record_id","a","","text"\n',
        b'<?xml version="1.0"?>\n<ODM xmlns="http://www.cdisc.org/ns/odm/v1.3" xmlns:redcap="https://projectredcap.org">',
    ],
    "Qualtrics": [b'{"SurveyEntry":{"SurveyID":"SV_1"},"SurveyElements":[{"Element":"BL"}]}'],
    "SurveyJS": [
        b'{"title": "Exams", "pages": [{"name": "p1", "elements": [{"type": "text", "name": "q1"}]}]}',
        b'{"elements": [{"type": "radiogroup", "name": "q1"}]}',
    ],
    "XForm": [b'<?xml version="1.0"?><h:html xmlns="http://www.w3.org/2002/xforms"><h:head/></h:html>'],
    "PDF": [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"],
    "web page": [b"<!DOCTYPE html><html><body>Sign in</body></html>"],
    "XML": [b'<?xml version="1.0"?><a/>'],
    "CSV": [b"type,name,label\ntext,x,?\n", b"Frage;Antwort\r\nAlter?;17\r\n", b"survey\ttype\tname\n\ttext\tx\n"],
    ".ods": [_archive("content.xml", mimetype="spreadsheet")],
    "text document": [_archive("content.xml", mimetype="text")],
    "Word": [_archive("[Content_Types].xml", "word/document.xml"), _old_office("WordDocument")],
    ".xls": [_old_office("Workbook"), _old_office("EncryptedPackage")],
}


@pytest.mark.parametrize(("named", "content"), [(name, each) for name, files in FILES.items() for each in files])
def test_a_file_says_what_it_seems_to_be_and_what_is_wanted(named: str, content: bytes) -> None:
    with pytest.raises(DocumentRefused) as refused:
        read_import(content)
    [problem] = refused.value.problems
    assert (problem.place, named in problem.words, ".xlsx" in problem.words) == ("", True, True)


@pytest.mark.parametrize(
    "content",
    [
        raw(sample_document()),
        raw({**sample_document(), "pages": []}),
        b'{"format": "other", "version": 1}',
        b'{"a": "\\"pages\\": ["}',
        b"not a survey at all",
        b"",
        form(("note", "n", "word/document.xml opendocument.text")),
    ],
    ids=["document", "document with more", "other document", "quotes", "words", "nothing", "form"],
)
def test_what_may_be_a_document_or_a_form_is_judged_as_one(content: bytes) -> None:
    assert foreign(content) is None
