"""Whom a question is asked, in the editor: boxes where an earlier answer can decide, kept while questions move."""

import math
import re

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from surveys.editor.figures import Dial
from surveys.linting.selectors import findings_of
from surveys.models import Survey
from tests.editor.form import NEW, closed, dial_on, posted, press, question
from tests.factories import make_draft, plain, yes_no
from tests.pages import owner_of, text_of, words_of
from tests.questionnaire.test_branches import after

pytestmark = pytest.mark.django_db
YEAR = {"kind": "one_of", "text": "Which year?", "options": "First\nSecond\nLater", "design": "plain"}
BOXES = 'name="questions-2-asked_if"'


def _typed(page: HttpResponseBase) -> list[tuple[str, str]]:
    rows = page.context["editor"].staying  # type: ignore[attr-defined]
    return [(row.typed["text"], row.typed["asked_if"]) for row in rows]


def test_without_an_earlier_answer_that_is_sent_as_it_is_no_page_has_a_word_of_it(teacher: Client) -> None:
    assert "-asked_if" not in text_of(teacher.get(NEW))
    for later in (question(text="B?"), question(**YEAR)):
        page = teacher.post(NEW, posted(question(text="A?"), later, action="refresh"))
        assert "-asked_if" not in text_of(page)


def test_boxes_stand_in_the_folded_part_of_later_questions_and_are_saved(teacher: Client) -> None:
    page = text_of(teacher.post(NEW, posted(closed(**YEAR), question(text="A?"), action="refresh")))
    assert page.count(BOXES) == 3
    assert page.index('<details class="other-designs"') < page.index(BOXES)
    assert f'{BOXES} value="1.3"' in page
    ticked = {"questions-2-asked_if": ["1.2", "1.3"]}
    assert teacher.post(NEW, posted(closed(**YEAR), question(text="A?")) | ticked).status_code == 302
    survey = Survey.objects.get()
    assert [question.asked_if for question in survey.questions] == [{}, {"question": 1, "answers": (1, 2)}]
    stored = teacher.get(reverse("survey-edit", args=[survey.code]))
    assert [typed for _text, typed in _typed(stored)] == ["", "1.2, 1.3"]


def test_a_branch_is_planned_for_those_whom_it_is_asked_if_all_answers_are_equally_common(teacher: Client) -> None:
    rows = (closed(**YEAR), question(text="A?", asked_if="1.2, 1.3"), closed(text="B?"))
    page = teacher.post(NEW, posted(*rows, action="refresh", expected_n="90"))
    editor = page.context["editor"]
    assert [editor.dials[row].class_size for row in editor.staying] == [90, 60, 90]
    # What a precise figure takes is told of all people as well, of whom two of three are asked.
    dial, everybody = (editor.dials[row] for row in editor.staying[1:])
    assert dial.enough == math.ceil(everybody.enough * 3 / 2)
    # Of 59 who are asked a question with two coins no conclusion can be drawn, of 60 one can.
    few = teacher.post(NEW, posted(*rows, action="refresh", expected_n="88")).context["editor"]
    assert few.dials[few.staying[1]].least == 90
    finding = next(finding for finding in few.findings if finding.rule == "too_few")
    assert finding.numbers == (2,)
    assert "90" in finding.fix
    assert "too_few" not in {finding.rule for finding in editor.findings}


def test_the_fold_counts_people_in_all_as_the_line_above_it_does(teacher: Client) -> None:
    rows = (closed(**YEAR), question(text="A?", asked_if="1.2"))

    def planned(n: int) -> tuple[Dial, str]:
        page = teacher.post(NEW, posted(*rows, action="refresh", expected_n=str(n), expected_share="10"))
        editor = page.context["editor"]
        return editor.dials[editor.staying[1]], words_of(dial_on(text_of(page)))

    dial, page = planned(90)
    assert (dial.people, dial.class_size) == (90, 30)
    assert dial.enough_to_show is not None
    assert [
        str(number) for number in (90, 30, dial.enough, f"{dial.enough_to_show:,}") if str(number) not in page
    ] == []
    # With so many it is as the page says, and with three fewer, of whom one is asked, it is not.
    assert planned(dial.enough)[0].half_width <= 0.10 < planned(dial.enough - 3)[0].half_width
    enough, fewer = (planned(n)[0].expected.power for n in (dial.enough_to_show, dial.enough_to_show - 3))
    assert enough is not None
    assert fewer is not None
    assert enough >= 0.8 > fewer


def test_a_stored_branch_is_linted_for_those_whom_it_is_asked() -> None:
    branch = [plain(), yes_no("A?", **after(1, 1, 2))]
    for n, few in ((88, True), (90, False)):
        rules = {finding.rule for finding in findings_of(make_draft(*branch, expected_n=n))}
        assert ("too_few" in rules) is few


def test_what_decides_is_followed_while_questions_move(teacher: Client) -> None:
    rows = [closed(text="A?"), closed(**YEAR), closed(text="B?", asked_if="2.1")]
    page = teacher.post(NEW, posted(*rows, action="up-2"))
    assert _typed(page) == [("Which year?", ""), ("A?", ""), ("B?", "1.1")]
    page = press(teacher, page, "up-3")
    assert _typed(page) == [("Which year?", ""), ("B?", "1.1"), ("A?", "")]
    page = press(teacher, page, "duplicate-2")
    assert [typed for _text, typed in _typed(page)] == ["", "1.1", "1.1", ""]
    page = press(teacher, page, "delete-4")
    assert [typed for _text, typed in _typed(page)] == ["", "1.1", "1.1"]


@pytest.mark.parametrize(("action", "number"), [("delete-1", 1), ("down-1", 1), ("up-2", 1)])
def test_where_it_no_longer_comes_before_everybody_is_asked_and_that_is_said(
    teacher: Client, action: str, number: int
) -> None:
    page = teacher.post(NEW, posted(closed(**YEAR), closed(text="B?", asked_if="1.1"), action=action))
    assert ("B?", "") in _typed(page)
    assert re.search(rf"\b{number}\b", page.context["editor"].said)


@pytest.mark.parametrize("typed", ["9" * 5000 + ".1", "1." + "9" * 5000, "1.1x", "1"])
def test_a_box_that_the_page_has_not_is_refused(teacher: Client, typed: str) -> None:
    rows = [closed(text="A?"), closed(**YEAR), closed(text="B?", asked_if=typed)]
    assert teacher.post(NEW, posted(*rows, action="up-2")).status_code == 200
    page = teacher.post(NEW, posted(*rows))
    assert (page.status_code, list(page.context["editor"].rows[2].form.errors)) == (422, ["asked_if"])


def test_removing_an_empty_question_before_them_changes_numbers_and_nothing_else(teacher: Client) -> None:
    rows = [question(text=""), closed(**YEAR), closed(text="B?", asked_if="2.1")]
    blank = rows[0] | {"truth": "7/10"}
    teacher.post(NEW, posted(blank, *rows[1:], action="autosave", key="x" * 22))
    assert [question.asked_if for question in Survey.objects.get().questions] == [
        {},
        {"question": 1, "answers": (0,)},
    ]


def test_a_protected_question_that_is_to_decide_is_refused_with_the_reason_and_can_be_unticked(teacher: Client) -> None:
    rows = posted(closed(text="A?"), closed(text="B?", asked_if="1.1"))
    page = teacher.post(NEW, rows)
    assert page.status_code == 422
    rows = page.context["editor"].rows
    assert list(rows[1].form.errors) == ["asked_if"]
    # Its box is there, though no such answer may decide, so that it can be unticked.
    assert 'name="questions-2-asked_if" value="1.1" checked' in text_of(page)
    assert not Survey.objects.exists()


def test_answers_to_two_questions_are_refused(teacher: Client) -> None:
    rows = [closed(**YEAR), closed(**YEAR | {"text": "Which subject?"}), closed(text="B?", asked_if="1.1, 2.2")]
    page = teacher.post(NEW, posted(*rows))
    assert (page.status_code, list(page.context["editor"].rows[2].form.errors)) == (422, ["asked_if"])


def test_the_frame_beside_the_editor_shows_it_whoever_is_asked() -> None:
    survey = make_draft(plain(), yes_no("B?", **after(1, 0)))
    client = owner_of(survey)
    page = client.get(reverse("survey-edit", args=[survey.code]))
    rows = [{"typed": row.packed} for row in page.context["editor"].rows]
    frame = text_of(client.post(reverse("survey-preview-typed"), posted(*rows, action="open-2")))
    assert "B?" in frame
    assert "askedIf" not in frame
    assert "askedIf" in text_of(client.get(reverse("survey-preview", args=[survey.code])))
