"""Importing: what is in a file is shown first, created afterwards, and refused with everything that is wrong."""

import html

import pytest
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.documents import views
from surveys.drafts.selectors import document_of, write_document
from surveys.models import Group, Survey
from tests.documents.samples import changed, raw, whole
from tests.documents.workbooks import form
from tests.factories import every_kind, make_draft
from tests.pages import signed_in, text_of

pytestmark = pytest.mark.django_db

IMPORT = reverse("survey-import")


def _send(client: Client, content: bytes, name: str = "survey.json", **fields: str) -> HttpResponse:
    response = client.post(IMPORT, {"file": SimpleUploadedFile(name, content), **fields})
    assert isinstance(response, HttpResponse)
    return response


def _carried(response: HttpResponse) -> str:
    found = response.content.decode().split('name="document" value="')[1]
    return html.unescape(found.split('"')[0])


def test_what_is_in_a_file_is_shown_before_anything_is_created() -> None:
    page = text_of(_send(signed_in(), raw(whole())))
    assert "Have you ever copied?" in page
    assert "Two coins (forced response) · ε = 1.10" in page
    assert "North" in page
    assert "South" in page
    assert not Survey.objects.exists()


def test_what_was_shown_is_created_with_all_that_is_in_it() -> None:
    source = make_draft(*every_kind(), title="Exams")
    document = write_document(document_of(source))
    source.delete()
    client = signed_in("anna")
    response = client.post(IMPORT, {"document": _carried(_send(client, document))})
    survey = Survey.objects.get()
    assert response["Location"] == reverse("survey-edit", args=[survey.code])
    assert survey.owner.username == "anna"
    assert write_document(document_of(survey)) == document


def test_groups_come_with_it() -> None:
    client = signed_in()
    client.post(IMPORT, {"document": _carried(_send(client, raw(whole())))})
    assert list(Group.objects.values_list("slug", flat=True)) == ["north", "south"]


def test_a_pasted_text_does_as_well() -> None:
    response = signed_in().post(IMPORT, {"text": raw(whole()).decode()})
    assert "What will be created" in text_of(response)


def test_every_problem_is_listed_with_its_place_and_what_was_pasted_stays() -> None:
    document = changed(("questions", 0, "parameters", "truth"), "abc")
    document["survey"]["minimum_n"] = 1
    response = signed_in().post(IMPORT, {"text": raw(document).decode()})
    assert response.status_code == 422
    page = text_of(response)
    assert "This cannot be imported: 2 problems" in page
    assert "questions[0].parameters.truth" in page
    assert "survey.minimum_n" in page
    assert raw(document).decode() in html.unescape(response.content.decode())
    assert not Survey.objects.exists()


def test_what_a_file_says_is_never_markup() -> None:
    response = _send(signed_in(), raw(whole() | {"<script>alert(1)</script>": 1}))
    assert "<script>alert(1)" not in response.content.decode()
    response = _send(signed_in(), raw(changed(("survey", "title"), "<b>Exams</b>")))
    assert "<b>Exams</b>" not in response.content.decode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Choose a file, or paste a text below."),
        ({"text": "  "}, "Choose a file, or paste a text below."),
        ({"file": SimpleUploadedFile("a.json", b"")}, "The file is empty."),
        ({"file": SimpleUploadedFile("a.json", b" " * 1_000_001)}, "The file is too large: 1 MB is the most."),
        ({"file": SimpleUploadedFile("a.json", b" " * 3_000_000)}, "The file is too large: 1 MB is the most."),
        ({"file": SimpleUploadedFile("a.json", b"{}"), "text": "{}"}, "Choose a file or paste a text, not both."),
        ({"text": "x" * 80_001}, "at most 80000 characters"),
        ({"document": "made up"}, "can no longer be used"),
        ({"document": signing.dumps(whole(), salt="another page")}, "can no longer be used"),
        ({"document": signing.dumps({"format": "other"}, salt=views.SALT)}, "This is no survey’s document"),
    ],
)
def test_what_cannot_be_taken_is_said_and_nothing_is_created(fields: dict[str, object], words: str) -> None:
    response = signed_in().post(IMPORT, fields)
    assert response.status_code == 422
    assert words in text_of(response)
    assert not Survey.objects.exists()


def test_a_form_is_told_by_what_is_in_it_and_reported_line_by_line() -> None:
    workbook = form(
        ("select_one yesno", "copied", "Have you ever copied?"), ("text", "why", "Why?"), form_title="Exams"
    )
    client = signed_in()
    response = _send(client, workbook, name="form.json")
    page = text_of(response)
    assert "Of 4 lines, one could not be taken." in page
    assert "No chance can be added to free text" in page
    client.post(IMPORT, {"document": _carried(response)})
    survey = Survey.objects.get()
    assert (survey.title, survey.questions.get().kind) == ("Exams", "yes_no")


def test_what_is_lost_is_said_above_the_button_and_lines_that_say_the_same_stand_together() -> None:
    workbook = form(
        ("start", "start"),
        ("end", "end"),
        ("select_one often or_other", "often", "How often?"),
        ("select_one yesno", "copied", "Copied?", None, None, None, "${often} = 'b'"),
        ("select_one yesno", "bought", "Bought?", None, None, None, None, "Any essay."),
        ("select_one yesno", "paid", "Paid?"),
    )
    page = text_of(_send(signed_in(), workbook, name="form.xlsx"))
    said = "Of 8 lines, 2 could not be taken. 3 were taken in part."
    assert page.index(said) < page.index("Create the draft") < page.index("Line by line")
    report = page[page.index("Line by line") :]
    assert (report.count("in part</span>"), report.count("left out</span>")) == (3, 1)
    assert '<p>2 <code dir="ltr">start</code> </p><p>3 <code dir="ltr">end</code> </p>' in report
    whole = text_of(_send(signed_in(), form(("select_one yesno", "copied", "Copied?")), name="form.xlsx"))
    assert "could not be taken" not in whole
    assert "in part" not in whole


def test_a_survey_of_texts_that_no_page_could_carry_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_LONGEST_CARRIED", 100)
    response = _send(signed_in(), raw(whole()))
    assert response.status_code == 422
    assert "too long to be shown before it is created" in text_of(response)
