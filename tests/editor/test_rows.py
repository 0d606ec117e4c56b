"""The list of questions without a script: every button shows the page anew, and nothing that was typed is lost."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from surveys.drafts.services.surveys import MAX_QUESTIONS
from surveys.editor.forms.rows import LONGEST_TYPED, MAX_REMOVED, QuestionRow
from surveys.models import Survey
from surveys.numbers.words import nats
from tests.editor.form import NEW, closed, posted, question
from tests.factories import make_draft, yes_no
from tests.pages import page_of, text_of

pytestmark = pytest.mark.django_db
GONE = {"removed": "on"}


def _rows(teacher: Client, action: str, *rows: dict[str, str]) -> list[QuestionRow]:
    response = teacher.post(NEW, posted(*rows, action=action))
    assert response.status_code == 200
    shown: list[QuestionRow] = response.context["editor"].rows
    return shown


def _texts(rows: list[QuestionRow]) -> str:
    """The texts in their order: those of open questions in capitals, those of removed ones in brackets."""
    return " ".join(
        f"({row.typed['text']})" if row.removed else row.typed["text"].upper() if row.is_open else row.typed["text"]
        for row in rows
    )


def _three(*, opened: int = 0) -> list[dict[str, str]]:
    return [question(text=text) if place == opened else closed(text=text) for place, text in enumerate("abc", start=1)]


@pytest.mark.parametrize(
    ("action", "texts", "focus"),
    [
        ("open-2", "a B c", "2 text"),
        ("open-1", "A b c", "1 text"),
        ("close", "a b c", "1 open"),
        ("up-3", "A c b", "2 up"),
        ("up-2", "b A c", "1 down"),
        ("up-1", "A b c", ""),
        ("down-1", "b A c", "2 down"),
        ("down-2", "A c b", "3 up"),
        ("down-3", "A b c", ""),
        ("move-1-3", "b c A", "3 open"),
        ("move-3-1", "c A b", "1 open"),
        ("move-4-1", "A b c", ""),
        ("duplicate-2", "a b B c", "3 text"),
        ("delete-2", "A (b) c", "2 restore"),
        ("delete-4", "A b c", ""),
        ("restore-1", "A b c", ""),
        ("refresh", "A b c", ""),
        ("open-0", "A b c", ""),
        ("open-999999999999", "A b c", ""),
        ("explode", "A b c", ""),
        ("", "A b c", ""),
    ],
)
def test_a_button_does_what_it_says_and_takes_the_reader_there(
    teacher: Client, action: str, texts: str, focus: str
) -> None:
    rows = _rows(teacher, action, *_three(opened=1))
    assert _texts(rows) == texts
    assert "".join(f"{place} {row.focus}" for place, row in enumerate(rows, start=1) if row.focus) == focus


def test_a_page_tells_what_a_button_did_and_focuses_one_control(teacher: Client) -> None:
    response = teacher.post(NEW, posted(*_three(), action="up-3"))
    page, done = text_of(response), response.context["editor"].said
    assert re.findall(r"\d", done) == ["2"]
    assert f'aria-live="polite">{done}</p>' in page
    assert page.count("autofocus") == 1


def test_who_begins_is_taken_to_the_title_and_who_goes_on_to_the_top(teacher: Client) -> None:
    [control] = re.findall(r"<[^>]* autofocus[^>]*>", text_of(teacher.get(NEW)))
    assert 'id="id_title"' in control
    survey = make_draft(yes_no())
    page = page_of("survey-edit", survey)
    assert 'name="questions-1-text"' in page
    assert "autofocus" not in page


def test_opening_a_question_shows_all_that_was_typed_in_any_field(teacher: Client) -> None:
    typed = {name: f"{name} typed" for name in question()} | {"accepts_infinite": "on", "arms": "", "quantity": ""}
    [row] = _rows(teacher, "open-1", {"typed": json.dumps(typed)})
    # Boxes for an earlier answer stand only where there is one.
    assert row.typed == typed | {"asked_if": ""}
    assert {name: row.form[name].value() for name in typed} == typed


def test_questions_are_saved_in_their_order_without_the_removed_ones(teacher: Client) -> None:
    rows = (closed(text="First?"), closed(text="Gone?", truth="abc") | GONE, question(text="Second?"))
    assert teacher.post(NEW, posted(*rows)).status_code == 302
    stored = [(number, each.text) for number, each in enumerate(Survey.objects.get().questions, 1)]
    assert list(stored) == [(1, "First?"), (2, "Second?")]


def test_a_removed_question_comes_back_whole_where_it_was(teacher: Client) -> None:
    rows = [closed(text="a"), closed(text="b", truth="abc") | GONE, closed(text="c")]
    back = _rows(teacher, "restore-2", *rows)
    assert _texts(back) == "a b c"
    assert back[1].typed["truth"] == "abc"


def test_moving_steps_over_removed_questions(teacher: Client) -> None:
    rows = [closed(text="a"), closed(text="b") | GONE, closed(text="c")]
    assert _texts(_rows(teacher, "up-3", *rows)) == "c a (b)"
    assert _texts(_rows(teacher, "down-1", *rows)) == "(b) c a"


def test_a_question_that_nobody_typed_anything_into_goes_for_good(teacher: Client) -> None:
    rows = _rows(teacher, "delete-2", closed(text="a"), {"typed": "{}"})
    assert _texts(rows) == "a"
    assert rows[0].focus == "open"
    assert _rows(teacher, "delete-1", {"typed": "{}"}) == []


def test_the_last_twenty_removed_questions_can_be_put_back(teacher: Client) -> None:
    rows = [closed(text=f"gone {number}") | GONE for number in range(MAX_REMOVED)]
    kept = _rows(teacher, "delete-1", closed(text="a"), *rows)
    assert len(kept) == MAX_REMOVED
    assert _texts(kept).endswith("(gone 19)")


@pytest.mark.parametrize("action", ["add", "duplicate-1", f"restore-{MAX_QUESTIONS + 1}"])
def test_no_more_questions_are_added_than_a_survey_can_have(teacher: Client, action: str) -> None:
    full = [*[closed()] * MAX_QUESTIONS, closed(text="gone") | GONE]
    response = teacher.post(NEW, posted(*full, action=action))
    assert len(response.context["editor"].staying) == MAX_QUESTIONS
    assert str(MAX_QUESTIONS) in response.context["editor"].said


def test_a_finding_is_mended_in_the_question_that_it_names(teacher: Client) -> None:
    first, second = _rows(teacher, "mend-2-seen_to_leave_out", question(), closed(text="b"))
    assert (first.typed["design"], first.typed["leave_out"]) == ("forced_response", "visibly")
    assert (second.typed["design"], second.typed["leave_out"]) == ("k_ary", "protected")
    assert second.is_open
    assert not second.wrong


@pytest.mark.parametrize("action", ["mend-3-seen_to_leave_out", "mend-1-nothing_known", "mend-0-infinite_epsilon"])
def test_a_mend_that_does_not_exist_changes_nothing(teacher: Client, action: str) -> None:
    assert [row.typed["leave_out"] for row in _rows(teacher, action, question(), closed())] == ["visibly", "visibly"]


def test_what_is_too_long_for_one_field_stays_open_instead_of_getting_lost(teacher: Client) -> None:
    rows = _rows(teacher, "open-2", question(text="a", options="x" * LONGEST_TYPED), closed(text="b"))
    assert [row.is_open for row in rows] == [True, True]
    assert len(rows[0].typed["options"]) == LONGEST_TYPED


BROKEN = {
    "no JSON": "{",
    "nothing": "",
    "a list": "[]",
    "a number": "1",
    "a field that no question has": '{"position": "1"}',
    "a number in a field": '{"text": 1}',
    "an object in a field": '{"text": {"a": "b"}}',
    "nested without end": "[" * 20_000,
    "a number of many digits": "1" * 20_000,
    "too long": json.dumps({"text": "x" * LONGEST_TYPED}),
    "half of a surrogate pair": '{"text": "\\ud800"}',
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("action", ["save", "add"])
def test_a_row_that_did_not_arrive_whole_is_named_and_nothing_is_stored(
    teacher: Client, case: str, action: str
) -> None:
    response = teacher.post(NEW, posted(closed(text="Whole?"), {"typed": BROKEN[case]}, action=action))
    assert response.status_code == 400
    assert "id_questions-2-text" in {problem.field_id for problem in response.context["problems"]}
    assert response.context["editor"].rows[0].typed["text"] == "Whole?"
    assert Survey.objects.count() == 0


@pytest.mark.parametrize(
    "damage",
    [
        {"questions": "many"},
        {"questions": "-1"},
        {"questions": "1000000"},
        {"questions": "9" * 5000},
        {"questions": "²"},
        {"questions": ""},
        {"questions": "2"},
        {"revision": "first"},
        {"revision": "9" * 5000},
        {"key": "<script>"},
        {"key": "x" * 5000},
        {"title": "\x00"},
    ],
)
@pytest.mark.parametrize("action", ["save", "add", "over-1"])
def test_a_damaged_form_never_breaks_the_page_or_empties_the_list_in_silence(
    teacher: Client, damage: dict[str, str], action: str
) -> None:
    response = teacher.post(NEW, posted(question(), action=action) | damage)
    assert response.status_code in ({400} if "questions" in damage else {200, 302, 422})
    assert Survey.objects.count() == (response.status_code == 302)


def test_a_post_with_nothing_in_it_names_what_is_missing(teacher: Client) -> None:
    response = teacher.post(NEW, {})
    assert response.status_code == 400
    editor = response.context["editor"]
    assert editor.damage in {problem.message for problem in response.context["problems"]}
    assert "title" in editor.survey.errors


def test_a_script_gets_the_parts_that_change_alone(teacher: Client) -> None:
    data: dict[str, Any] = posted(*_three(opened=2), action="down-1")
    parts = teacher.post(NEW, data, headers={"X-Parts": "1"})
    assert parts.status_code == 200
    page = text_of(parts)
    assert "<html" not in page
    assert f'data-said="{parts.context["editor"].said}"' in page
    assert nats(parts.context["editor"].epsilon) == "3.30"
    assert 'id="total"' in page
    # A refusal is a page, and not for a script.
    assert b"<html" in teacher.post(NEW, data | {"questions": "x"}, headers={"X-Parts": "1"}).content
