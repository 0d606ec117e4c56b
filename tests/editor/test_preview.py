"""The preview of what is typed: the respondents' page, in a frame of the editor alone, from which nothing is sent."""

import json
import re

import pytest
from django.http import HttpResponse
from django.test import Client

from surveys.editor.forms.rows import QuestionRow
from surveys.models import Survey
from tests.editor.form import NEW, closed, posted, question
from tests.pages import text_of

pytestmark = pytest.mark.django_db
PREVIEW = "/surveys/preview/"


def _policy(response: HttpResponse) -> dict[str, str]:
    return {part.split()[0]: " ".join(part.split()[1:]) for part in response["Content-Security-Policy"].split("; ")}


def test_it_shows_what_is_typed_from_the_open_question_on_and_stores_nothing(teacher: Client) -> None:
    page = text_of(
        teacher.post(PREVIEW, posted(closed(text="First?"), question(text="Second?"), title="T", action="save"))
    )
    assert ">Second?</h1>" in page
    assert ">First?</h1>" in page
    assert 'data-start="2"' in page
    assert "js/respond.js" in page
    assert Survey.objects.count() == 0


def test_it_asks_in_the_language_of_the_survey(teacher: Client) -> None:
    page = text_of(teacher.post(PREVIEW, posted(question(), language="de"), headers={"Accept-Language": "es"}))
    assert '<html lang="de"' in page


def test_only_our_own_pages_may_frame_it_and_nothing_can_leave_it(teacher: Client) -> None:
    for rows in ([question()], [question(text="")]):
        response = teacher.post(PREVIEW, posted(*rows))
        assert isinstance(response, HttpResponse)
        policy = _policy(response)
        assert response["X-Frame-Options"] == "SAMEORIGIN"
        assert policy["frame-ancestors"] == "'self'"
        assert policy["form-action"] == policy["connect-src"] == "'none'"
        assert policy["script-src"] == "'self'"


def test_the_editor_alone_may_frame_and_nobody_may_frame_the_editor(teacher: Client) -> None:
    editor, listed = teacher.get(NEW), teacher.get("/surveys/")
    assert isinstance(editor, HttpResponse)
    assert isinstance(listed, HttpResponse)
    assert _policy(editor)["frame-src"] == "'self'"
    assert (editor["X-Frame-Options"], _policy(editor)["frame-ancestors"]) == ("DENY", "'none'")
    assert "frame-src" not in _policy(listed)


def test_an_open_question_that_cannot_be_asked_yet_has_what_is_missing(teacher: Client) -> None:
    page = text_of(teacher.post(PREVIEW, posted(closed(), question(kind="one_of", design="k_ary", options="A"))))
    assert re.search(r"<li>[^<]*\b2: .*\b20\b", page)
    assert "js/respond.js" not in page


def test_other_questions_that_cannot_be_asked_yet_are_left_out_and_named(teacher: Client) -> None:
    rows = [closed(text=""), question(text="Whole?"), closed(text="Gone?") | {"removed": "on"}]
    page = text_of(teacher.post(PREVIEW, posted(*rows, title="")))
    assert 'data-start="1"' in page
    notice = page.split('id="preview"')[1].split("</div>")[0]
    [wrong] = QuestionRow(question(text="")).wrong
    assert wrong.message in notice
    assert "Gone?" not in page


@pytest.mark.parametrize(
    "data",
    [
        {},
        posted(),
        posted(question()) | {"questions": "x"},
        posted({"typed": "{"}),
        posted(question(), language="xx", title="x" * 5000, opens_at="never"),
        posted(*[closed(kind="several_of", options="\n".join("abcdefghijklmnopqrst"))] * 8),
        posted(question(text="</script><script>alert(1)</script>", truth="<b>")),
    ],
)
def test_whatever_is_typed_never_breaks_it(teacher: Client, data: dict[str, str]) -> None:
    response = teacher.post(PREVIEW, data)
    assert response.status_code == 200
    assert b"<script>alert" not in response.content


def test_the_definition_that_the_page_reads_is_that_of_the_typed_questions(teacher: Client) -> None:
    page = teacher.post(PREVIEW, posted(question(truth="3/4"))).content.decode()
    script = re.search(r'<script id="definition" type="application/json">(.*?)</script>', page)
    assert script is not None
    [asked] = json.loads(script[1])["questions"]
    assert (asked["denominator"], asked["columns"]) == (8, [[7, 1], [1, 7]])


def test_it_is_there_for_those_who_signed_in_and_only_as_an_answer_to_a_form(teacher: Client) -> None:
    assert Client().post(PREVIEW, posted(question())).status_code == 302
    assert teacher.get(PREVIEW).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = teacher.cookies
    assert strict.post(PREVIEW, posted(question())).status_code == 403
