"""Whom a question is asked, in the editor: boxes where an earlier answer can decide, kept while questions move."""

import math
from typing import Any

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from surveys.editor.figures import Dial
from surveys.linting.selectors import findings_of
from surveys.models import Survey
from tests.editor.form import NEW, closed, posted, question
from tests.factories import make_draft, plain, yes_no
from tests.models.test_branches import after
from tests.pages import owner_of, signed_in, text_of, words_of

pytestmark = pytest.mark.django_db
YEAR = {"kind": "one_of", "text": "Which year?", "options": "First\nSecond\nLater", "design": "plain"}
LABEL = "Ask only those who answered"


@pytest.fixture
def author() -> Client:
    return signed_in()


def _press(client: Client, page: HttpResponseBase, action: str) -> Any:  # noqa: ANN401
    editor = page.context["editor"]  # type: ignore[attr-defined]
    rows = [{"typed": row.packed} | ({"removed": "on"} if row.removed else {}) for row in editor.rows]
    return client.post(NEW, posted(*rows, action=action, revision=str(editor.revision)))


def _typed(page: HttpResponseBase) -> list[tuple[str, str]]:
    rows = page.context["editor"].staying  # type: ignore[attr-defined]
    return [(row.typed["text"], row.typed["asked_if"]) for row in rows]


def test_without_an_earlier_answer_that_is_sent_as_it_is_no_page_has_a_word_of_it(author: Client) -> None:
    assert LABEL not in text_of(author.get(NEW))
    page = author.post(NEW, posted(question(text="A?"), question(text="B?"), action="refresh"))
    assert LABEL not in text_of(page)
    page = author.post(NEW, posted(question(text="A?"), question(**YEAR), action="refresh"))
    assert LABEL not in text_of(page)


def test_boxes_stand_in_the_folded_part_of_later_questions_and_are_saved(author: Client) -> None:
    page = text_of(author.post(NEW, posted(closed(**YEAR), question(text="A?"), action="refresh")))
    assert page.count(LABEL) == 1
    assert page.index('<details class="techniques"') < page.index(LABEL)
    assert 'value="1.3"' in page
    ticked = {"questions-2-asked_if": ["1.2", "1.3"]}
    assert author.post(NEW, posted(closed(**YEAR), question(text="A?")) | ticked).status_code == 302
    survey = Survey.objects.get()
    assert list(survey.questions.values_list("asked_if", flat=True)) == [{}, {"question": 1, "answers": [1, 2]}]
    stored = author.get(reverse("survey-edit", args=[survey.code]))
    assert [typed for _text, typed in _typed(stored)] == ["", "1.2, 1.3"]


def test_a_branch_is_planned_for_those_whom_it_is_asked_if_all_answers_are_equally_common(author: Client) -> None:
    rows = (closed(**YEAR), question(text="A?", asked_if="1.2, 1.3"), closed(text="B?"))
    page = author.post(NEW, posted(*rows, action="refresh", expected_n="90"))
    editor = page.context["editor"]
    assert [editor.dials[row].class_size for row in editor.staying] == [90, 60, 90]
    told = words_of(text_of(page))
    assert "60 of them are asked this. That takes all answers to question 1 to be equally common." in told
    # What a precise figure takes is told of all people as well, of whom two of three are asked.
    dial, everybody = (editor.dials[row] for row in editor.staying[1:])
    assert dial.enough == math.ceil(everybody.enough * 3 / 2)
    # Of 59 who are asked a question with two coins no conclusion can be drawn, of 60 one can.
    few = author.post(NEW, posted(*rows, action="refresh", expected_n="88")).context["editor"]
    assert few.dials[few.staying[1]].least == 90
    found = {finding.rule: finding for finding in few.findings}
    assert found["too_few"].numbers == (2,)
    assert "Ask at least 90 people" in found["too_few"].fix
    assert "equally common" in found["too_few"].why
    assert "too_few" not in {finding.rule for finding in editor.findings}


def test_the_fold_counts_people_in_all_as_the_line_above_it_does(author: Client) -> None:
    rows = (closed(**YEAR), question(text="A?", asked_if="1.2"))

    def planned(n: int) -> tuple[Dial, str]:
        page = author.post(NEW, posted(*rows, action="refresh", expected_n=str(n), expected_share="10"))
        editor = page.context["editor"]
        return editor.dials[editor.staying[1]], words_of(text_of(page))

    dial, told = planned(90)
    assert "For you, with 90 people 30 of them are asked this." in told
    assert "If 10% is true, 90 people show with a probability of" in told
    assert f"{dial.enough} people would give ±10." in told
    assert dial.enough_to_show is not None
    assert f"For a probability of 80% it takes {dial.enough_to_show:,}." in told
    # With so many it is as the page says, and with three fewer, of whom one is asked, it is not.
    assert planned(dial.enough)[0].half_width <= 0.10 < planned(dial.enough - 3)[0].half_width
    enough, fewer = (planned(n)[0].expected.power for n in (dial.enough_to_show, dial.enough_to_show - 3))
    assert enough is not None
    assert fewer is not None
    assert enough >= 0.8 > fewer


def test_a_stored_branch_is_linted_for_those_whom_it_is_asked() -> None:
    branch = [plain(), yes_no("A?", **after(1, 1, 2))]
    for n, few in ((88, True), (90, False)):
        found = {finding.rule: finding for finding in findings_of(make_draft(*branch, expected_n=n))}
        assert ("too_few" in found) is few
    everybody = {finding.rule: finding for finding in findings_of(make_draft(plain(), yes_no("A?"), expected_n=30))}
    assert "equally common" not in everybody["too_few"].why


def test_what_decides_is_followed_while_questions_move(author: Client) -> None:
    rows = [closed(text="A?"), closed(**YEAR), closed(text="B?", asked_if="2.1")]
    page = author.post(NEW, posted(*rows, action="up-2"))
    assert _typed(page) == [("Which year?", ""), ("A?", ""), ("B?", "1.1")]
    page = _press(author, page, "up-3")
    assert _typed(page) == [("Which year?", ""), ("B?", "1.1"), ("A?", "")]
    page = _press(author, page, "duplicate-2")
    assert [typed for _text, typed in _typed(page)] == ["", "1.1", "1.1", ""]
    page = _press(author, page, "delete-4")
    assert [typed for _text, typed in _typed(page)] == ["", "1.1", "1.1"]


@pytest.mark.parametrize(("action", "number"), [("delete-1", 1), ("down-1", 1), ("up-2", 1)])
def test_where_it_no_longer_comes_before_everybody_is_asked_and_that_is_said(
    author: Client, action: str, number: int
) -> None:
    page = author.post(NEW, posted(closed(**YEAR), closed(text="B?", asked_if="1.1"), action=action))
    assert ("B?", "") in _typed(page)
    said = page.context["editor"].said
    assert f"Question {number} is asked of everybody now" in said


def test_removing_an_empty_question_before_them_changes_numbers_and_nothing_else(author: Client) -> None:
    rows = [question(text=""), closed(**YEAR), closed(text="B?", asked_if="2.1")]
    blank = rows[0] | {"truth": "7/10"}
    author.post(NEW, posted(blank, *rows[1:], action="autosave", key="x" * 22))
    assert list(Survey.objects.get().questions.values_list("asked_if", flat=True)) == [
        {},
        {"question": 1, "answers": [0]},
    ]


def test_a_protected_question_that_is_to_decide_is_refused_with_the_reason_and_can_be_unticked(author: Client) -> None:
    rows = posted(closed(text="A?"), closed(text="B?", asked_if="1.1"))
    page = author.post(NEW, rows)
    assert page.status_code == 422
    shown = text_of(page)
    assert "a missing answer would tell the truth" in shown
    assert "Question 1, answer 1" in shown
    assert not Survey.objects.exists()


def test_answers_to_two_questions_are_refused(author: Client) -> None:
    rows = [closed(**YEAR), closed(**YEAR | {"text": "Which subject?"}), closed(text="B?", asked_if="1.1, 2.2")]
    page = author.post(NEW, posted(*rows))
    assert page.status_code == 422
    assert "The answers must be to one question." in text_of(page)


def test_the_frame_beside_the_editor_shows_it_whoever_is_asked() -> None:
    survey = make_draft(plain(), yes_no("B?", **after(1, 0)))
    client = owner_of(survey)
    page = client.get(reverse("survey-edit", args=[survey.code]))
    rows = [{"typed": row.packed} for row in page.context["editor"].rows]
    frame = text_of(client.post(reverse("survey-preview-typed"), posted(*rows, action="open-2")))
    assert "B?" in frame
    assert "askedIf" not in frame
    assert "askedIf" in text_of(client.get(reverse("survey-preview", args=[survey.code])))
