"""The claims and warnings of imports and templates, word for word, each of them once."""

import html
from functools import cache

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.documents.services.creating import read_import
from tests.documents.workbooks import form
from tests.pages import said_on, signed_in, text_of

ABOUT_PEOPLE = "This line would record who answers, or when and where. Deniable never collects such data."
UNPROTECTED = ("select_one often", "often", "How often?", None, None, None, None, None, "no")
BRANCH = ("select_one yesno", "x", "Copied?", None, None, None, "${often} = 'b'")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([("text", "x", "?")], "Free text can’t be randomized. Offer a choice of several options instead."),
        ([("geopoint", "x", "?")], "Locations can identify people, and Deniable can’t randomize them."),
        (
            [("image", "x", "?")],
            "Pictures, recordings and files can identify people and can’t be randomized.",
        ),
        ([("deviceid", "x", None)], ABOUT_PEOPLE),
        (
            [("select_one often", "often", "How often?"), BRANCH],
            "A condition can use only answers to unprotected questions. To make a question unprotected, enter "
            "“no” in its “protected” cell.",
        ),
        ([BRANCH], "The condition is lost, so everyone is asked."),
        ([UNPROTECTED, BRANCH], "Asked only after certain answers to question 1."),
        (
            [UNPROTECTED, (*BRANCH, None, "no")],
            "Ask every unprotected question of everyone, because people are easier to recognize in a smaller group.",
        ),
        (
            [("select_multiple often", "x", "Which?", None, None, None, None, None, "no")],
            "Still protected. Only “no” at a single-choice question makes it unprotected.",
        ),
    ],
)
def test_the_report_of_a_form_says_what_becomes_of_a_line(rows: list[tuple[object, ...]], sentence: str) -> None:
    line = next(line for line in read_import(form(*rows)).lines if line.name == "x")
    assert sentence in " ".join([line.words, *(loss.words for loss in line.lost)])


@cache
def _page(name: str) -> str:
    client = signed_in()
    if name == "start":
        return html.unescape(said_on(text_of(client.get(reverse("survey-start")))))
    workbook = form(("text", "a", "?"), ("text", "b", "?"), ("select_one yesno or_other", "x", "Copied?"))
    sent = client.post(reverse("survey-import"), {"file": SimpleUploadedFile("form.xlsx", workbook)})
    return said_on(text_of(sent))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("start", "2 questions together: odds about a respondent change at most 33‑fold (ε ≤ 3.47)"),
        ("start", "±25 percentage points, with 30 people"),
        (
            "start",
            "± is the margin of error. If it is 20 percentage points or more, results show a range instead of a "
            "figure.",
        ),
        ("start", "expected margin of error: ±25 percentage points"),
        ("start", "needs at least 58 people"),
        ("start", "by facts that only the respondent should know, without a device"),
        ("imported", "Nothing is saved yet. The draft gets its own code, and you can change everything in it."),
        ("imported", "Lines not imported: 3 of 6. 1 line was imported in part."),
    ],
)
def test_a_page_says_it(page: str, sentence: str) -> None:
    assert sentence in _page(page)
