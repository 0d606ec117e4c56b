"""Importing: what is in a file is shown first, created afterwards, and refused with everything that is wrong."""

import html

import pytest
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.documents import views
from surveys.documents.services.reading import read_document
from surveys.documents.services.xlsform.rows import REASONS
from surveys.drafts.selectors import document_of, write_document
from surveys.models import Group, Survey
from surveys.questionnaire.designs import label_of
from tests.documents.samples import changed, raw, sample_document
from tests.documents.workbooks import CHOICES, form
from tests.factories import every_kind, make_draft
from tests.pages import signed_in, text_of

pytestmark = pytest.mark.django_db

IMPORT = reverse("survey-import")


def _send(client: Client, content: bytes, name: str = "survey.json", **fields: str) -> HttpResponse:
    response = client.post(IMPORT, {"file": SimpleUploadedFile(name, content), **fields})
    assert isinstance(response, HttpResponse)
    return response


def _carried(response: HttpResponse) -> str:
    field = response.content.decode().split('name="document" value="')[1]
    return html.unescape(field.split('"')[0])


def test_what_is_in_a_file_is_shown_before_anything_is_created() -> None:
    page, document = text_of(_send(signed_in(), raw(sample_document()))), read_document(sample_document())
    texts = [question.text for question in document.questions] + [group.name for group in document.groups]
    assert [text for text in texts if text not in page] == []
    assert f"{label_of('forced_response')} · ε = 1.10" in page
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
    client.post(IMPORT, {"document": _carried(_send(client, raw(sample_document())))})
    assert list(Group.objects.values_list("slug", flat=True)) == ["north", "south"]


def test_a_pasted_text_does_as_well() -> None:
    response = signed_in().post(IMPORT, {"text": raw(sample_document()).decode()})
    assert read_document(sample_document()) == response.context["imported"].content


def test_every_problem_is_listed_with_its_place_and_what_was_pasted_stays() -> None:
    document = changed(("questions", 0, "parameters", "truth"), "abc")
    document["survey"]["minimum_n"] = 1
    response = signed_in().post(IMPORT, {"text": raw(document).decode()})
    assert response.status_code == 422
    places = {problem.place for problem in response.context["refused"].problems}
    assert places == {"questions[0].parameters.truth", "survey.minimum_n"}
    assert [place for place in places if f">{place}<" not in text_of(response)] == []
    assert raw(document).decode() in html.unescape(response.content.decode())
    assert not Survey.objects.exists()


def test_what_a_file_says_is_never_markup() -> None:
    response = _send(signed_in(), raw(sample_document() | {"<script>alert(1)</script>": 1}))
    assert "<script>alert(1)" not in response.content.decode()
    response = _send(signed_in(), raw(changed(("survey", "title"), "<b>Exams</b>")))
    assert "<b>Exams</b>" not in response.content.decode()


@pytest.mark.parametrize(
    ("fields", "field", "named"),
    [
        ({}, "file", ""),
        ({"text": "  "}, "file", ""),
        ({"file": SimpleUploadedFile("a.json", b"")}, "file", ""),
        ({"file": SimpleUploadedFile("a.json", b" " * 1_000_001)}, "file", "1 MB"),
        ({"file": SimpleUploadedFile("a.json", b" " * 3_000_000)}, "file", "1 MB"),
        ({"file": SimpleUploadedFile("a.json", b"{}"), "text": "{}"}, "text", ""),
        ({"text": "x" * 80_001}, "text", "80000"),
    ],
)
def test_what_cannot_be_taken_is_named_at_its_field_and_nothing_is_created(
    fields: dict[str, object], field: str, named: str
) -> None:
    response = signed_in().post(IMPORT, fields)
    assert response.status_code == 422
    [problem] = response.context["problems"]
    assert problem.field_id == f"id_{field}"
    assert named in problem.message
    assert not Survey.objects.exists()


@pytest.mark.parametrize(
    ("carried", "place"),
    [
        ("made up", ""),
        (signing.dumps(sample_document(), salt="another page"), ""),
        (signing.dumps({"format": "other"}, salt=views.SALT), "format"),
    ],
    # Signatures hold the time: as names of tests they would differ between workers that begin a second apart.
    ids=["not signed", "signed elsewhere", "another format"],
)
def test_only_what_was_shown_is_created(carried: str, place: str) -> None:
    response = signed_in().post(IMPORT, {"document": carried})
    assert response.status_code == 422
    assert [problem.place for problem in response.context["refused"].problems] == [place]
    assert not Survey.objects.exists()


def test_a_form_is_known_by_what_is_in_it_and_reported_line_by_line() -> None:
    workbook = form(
        ("select_one yesno", "copied", "Have you ever copied?"), ("text", "why", "Why?"), form_title="Exams"
    )
    client = signed_in()
    response = _send(client, workbook, name="form.json")
    imported = response.context["imported"]
    assert (len(imported.lines), imported.left_out, imported.in_part) == (5, 2, 0)
    assert str(REASONS["text"]) in text_of(response)
    client.post(IMPORT, {"document": _carried(response)})
    survey = Survey.objects.get()
    assert (survey.title, survey.questions[0].kind) == ("Exams", "yes_no")


def test_what_is_lost_stands_above_the_button_and_lines_that_say_the_same_stand_together() -> None:
    workbook = form(
        ("start", "start"),
        ("select_one often or_other", "often", "How often?"),
        ("select_one yesno", "copied", "Copied?", None, None, None, "${often} = 'b'"),
        ("select_one yesno", "bought", "Bought?", None, None, None, None, "Any essay."),
        ("end", "end"),
        ("select_one yesno", "paid", "Paid?"),
    )
    response = _send(signed_in(), workbook, name="form.xlsx")
    page, imported = text_of(response), response.context["imported"]
    assert (len(imported.lines), imported.left_out, imported.in_part) == (8, 2, 3)
    assert page.index('href="#report-title"') < page.index('name="document"') < page.index('id="report-title"')
    assert [[line.row for line in outcome.lines] for outcome in imported.refused] == [[2, 6]]
    assert [(outcome.column, [line.row for line in outcome.lines]) for outcome in imported.lost] == [
        ("type", [3]),
        ("relevant", [4]),
        ("hint", [5]),
    ]
    assert "<li>2 <bdi>start</bdi></li> <li>6 <bdi>end</bdi></li>" in page
    assert page.count('<code dir="auto">') == 3
    lossless = text_of(_send(signed_in(), form(("select_one yesno", "copied", "Copied?"), choices=CHOICES[:3])))
    assert 'href="#report-title"' not in lossless


def test_sixty_notes_take_one_place_in_the_report() -> None:
    notes = [("note", f"n{number}", f"Note {number}.") for number in range(60)]
    imported = _send(signed_in(), form(*notes, choices=CHOICES[:1]), name="form.xlsx").context["imported"]
    assert [len(outcome.lines) for outcome in imported.imported if outcome.lines[0].sheet == "survey"] == [60]


def test_a_survey_of_texts_that_no_page_could_carry_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_LONGEST_CARRIED", 100)
    response = _send(signed_in(), raw(sample_document()))
    assert response.status_code == 422
    assert [problem.place for problem in response.context["refused"].problems] == [""]
