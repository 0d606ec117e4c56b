"""Lists of statements in the editor: offered where there are arms, lengthened in another one, asked directly too."""

from fractions import Fraction
from typing import Any

import pytest
from django.http.response import HttpResponseBase
from django.test import Client

from surveys.estimation.planning.lists import independent_items, list_plan
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width
from surveys.models import Survey
from surveys.numbers.words import points
from surveys.privacy.designs import k_ary
from tests.editor.form import NEW, arms, posted, press, question
from tests.factories import INNOCUOUS, SENSITIVE
from tests.pages import text_of

pytestmark = pytest.mark.django_db
HALF = Fraction(1, 2)
CARD = 'value="item_count"'
LIST = {
    "kind": "item_count",
    "design": "k_ary",
    "text": "How many?",
    "options": "\n".join(INNOCUOUS),
    "leave_out": "no",
}


def test_the_card_stands_with_the_others_once_there_arearms(teacher: Client) -> None:
    first = text_of(teacher.get(NEW))
    assert CARD not in first
    assert "tatements" not in first.split('<script id="suitable"')[0]
    page = text_of(teacher.post(NEW, posted(question(), action="arm-add")))
    assert page.count(CARD) == 1
    # One that is chosen is shown whatever else there is.
    alone = text_of(teacher.post(NEW, posted(question(**LIST), action="refresh")))
    assert alone.count(CARD) == 1


def _lengthened(teacher: Client) -> tuple[Any, HttpResponseBase]:
    data = posted(question(**LIST), question(text="All?")) | arms(("A", "1"), ("B", "1"))
    page = teacher.post(NEW, data | {"action": "arm-vary-1"})
    return page.context["editor"].staying, page


def test_the_list_of_the_other_arm_has_an_empty_line_for_the_sensitive_statement(teacher: Client) -> None:
    rows, page = _lengthened(teacher)
    assert [(row.typed["arms"], row.typed["quantity"]) for row in rows] == [("1", "1"), ("2", "1"), ("", "")]
    assert rows[1].typed["options"] == "\n".join(INNOCUOUS) + "\n"
    shown = page.content.decode()  # type: ignore[attr-defined]
    field = shown.split('name="questions-2-options"', 1)[1].split("</textarea>", 1)[0]
    assert "autofocus" in field
    assert field.endswith(f"{INNOCUOUS[-1]}\n")


def test_what_it_hides_may_be_asked_directly_beside_it_and_is_saved_so(teacher: Client) -> None:
    rows, page = _lengthened(teacher)
    rows[1].retype("options", rows[1].typed["options"] + SENSITIVE)
    page = press(teacher, page, "arm-direct-1")
    rows = page.context["editor"].staying
    assert [row.typed["text"] for row in rows] == ["How many?", SENSITIVE, "How many?", "All?"]
    assert (rows[1].typed["design"], rows[1].typed["arms"], rows[1].typed["quantity"]) == ("plain", "", "1")
    # Once it is asked so, both lists know where, and the button is gone from them; sent all the same it adds nothing.
    assert [row.direct for row in rows] == [2, 0, 2, 0]
    opened = text_of(press(teacher, page, "open-1"))
    assert "arm-direct" not in opened
    assert len(press(teacher, page, "arm-direct-1").context["editor"].staying) == 4
    # Each has a line of its own in the table of arms.
    lines = page.context["editor"].arm_lines
    assert [[row and row.number for row in line] for line in lines] == [[1, 3], [2, 2], [4, 4]]
    assert press(teacher, page, "save").status_code == 302
    asked = [(each.kind, each.design, each.arms, each.quantity) for each in Survey.objects.get().questions]
    assert list(asked) == [
        ("item_count", "k_ary", (1,), 1),
        ("yes_no", "plain", (), 1),
        ("item_count", "k_ary", (2,), 1),
        ("yes_no", "forced_response", (), 0),
    ]
    survey = Survey.objects.get()
    assert survey.questions[2].options == (*INNOCUOUS, SENSITIVE)
    page = teacher.get(f"/surveys/{survey.code}/edit/")
    assert [row.typed["quantity"] for row in page.context["editor"].staying] == ["1", "1", "1", ""]


@pytest.mark.parametrize("action", ["arm-direct-2", "arm-direct-1", "arm-direct-9", "arm-direct"])
def test_where_there_are_no_two_lists_nothing_is_asked_directly(teacher: Client, action: str) -> None:
    data = posted(question(**LIST), question(text="All?")) | arms(("A", "1"), ("B", "1"))
    page = teacher.post(NEW, data | {"action": action})
    assert len(page.context["editor"].staying) == 2
    assert "arm-direct" not in text_of(page)


def test_the_dial_plans_for_the_sensitive_statement_of_both_lists(teacher: Client) -> None:
    data = posted(question(**LIST), question(text="All?"), expected_n="800") | arms(("A", "1"), ("B", "1"))
    page = teacher.post(NEW, data | {"action": "arm-vary-1"})
    editor = page.context["editor"]
    dial = editor.dials[editor.staying[0]]
    plan = list_plan(independent_items([0.5] * 3), designs=(k_ary(4, HALF), k_ary(5, HALF)))
    assert dial.class_size == 400
    assert dial.half_width == expected_half_width(n=800, design=plan, prevalence=0.3)
    assert expected_half_width(n=dial.enough, design=plan, prevalence=0.3) <= 0.1
    assert expected_half_width(n=dial.enough - 2, design=plan, prevalence=0.3) > 0.1
    assert dial.expected.power == power(
        n=800, design=plan, prevalence=0.3, alternative="one-sided", significance=0.05, method="normal"
    )
    to_show = dial.expected.enough_to_show
    assert to_show
    assert power(n=2 * to_show, design=plan, prevalence=0.3, alternative="one-sided", method="normal") >= 0.8
    shown = text_of(page)
    assert f"±{points(editor.dials[editor.staying[1]].half_width)}" in shown
    few = teacher.post(NEW, data | {"action": "refresh", "expected_n": "30"}).context["editor"]
    assert few.dials[few.staying[0]].too_few
