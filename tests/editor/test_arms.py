"""Random arms in the editor: which there are, which questions each is asked, and what asks for the same."""

import re
from fractions import Fraction

import pytest
from django.test import Client
from django.urls import reverse

from surveys.models import Survey
from surveys.questionnaire.arms import MOST_ARMS, Arm, arms_of
from tests.editor.form import NEW, arms, closed, posted, press, question
from tests.factories import make_draft, yes_no
from tests.pages import owner_of, text_of

pytestmark = pytest.mark.django_db

TWO = [{"name": "Crosswise", "weight": 2}, {"name": "Plain", "weight": 1}]


def _asked(survey: Survey) -> list[tuple[str, list[int], int]]:
    return [(each.text, each.arms, each.quantity) for each in survey.questions]


def test_who_wants_no_arms_sees_one_button_that_is_folded_away(teacher: Client) -> None:
    page = text_of(teacher.get(NEW))
    assert page.count('value="arm-add"') == 1
    assert re.findall(r"\barms\b", page.lower()) == ["arms"]  # the words of that button
    assert page.index('<details class="settings">') < page.index('value="arm-add"')
    teacher.post(NEW, posted(question()))
    assert (Survey.objects.get().questionnaire.arms, _asked(Survey.objects.get())[0][1:]) == ((), ((), 0))


def test_arms_are_added_asked_otherwise_and_saved(teacher: Client) -> None:
    page = teacher.post(NEW, posted(question(text="Ever?"), question(text="Age?"), action="arm-add"))
    assert [arm["name"] for arm in page.context["editor"].arms.typed] == ["A", "B"]
    page = press(teacher, page, "arm-vary-1")
    rows = page.context["editor"].staying
    assert [(row.typed["text"], row.typed["arms"], row.typed["quantity"]) for row in rows] == [
        ("Ever?", "1", "1"),
        ("Ever?", "2", "1"),
        ("Age?", "", ""),
    ]
    lines = page.context["editor"].arm_lines
    assert [[row and row.number for row in line] for line in lines] == [[1, 2], [3, 3]]
    assert press(teacher, page, "save").status_code == 302
    survey = Survey.objects.get()
    assert survey.questionnaire.arms == (Arm(1, "A", 1), Arm(2, "B", 1))
    assert _asked(survey) == [("Ever?", (1,), 1), ("Ever?", (2,), 1), ("Age?", (), 0)]


def test_what_is_stored_comes_back_and_is_saved_unchanged() -> None:
    survey = make_draft(yes_no(arms=[1], quantity=1), yes_no("Or so?", arms=[2], quantity=1), yes_no("All?"), arms=TWO)
    before, client, address = _asked(survey), owner_of(survey), reverse("survey-edit", args=[survey.code])
    page = client.get(address)
    assert press(client, page, "save", address).status_code == 302
    survey.refresh_from_db()
    assert (survey.questionnaire.arms, _asked(survey)) == (arms_of(TWO), before)


def test_boxes_say_in_which_arms_a_question_is_asked(teacher: Client) -> None:
    asked = posted(question(text="First?"), question(text="Both?")) | arms(("A", "1"), ("B", "3"))
    data = asked | {"questions-1-arms": ["2"], "questions-2-arms": ["1", "2"]}
    page = text_of(teacher.post(NEW, data | {"action": "refresh"}))
    assert [f'name="questions-1-arms" value="{number}" checked' in page for number in (1, 2)] == [False, True]
    assert teacher.post(NEW, data).status_code == 302
    assert _asked(Survey.objects.get()) == [("First?", (2,), 0), ("Both?", (), 0)]


def test_planned_answers_and_the_total_are_those_of_an_arm(teacher: Client) -> None:
    rows = question(text="One?", truth="3/4"), question(text="Other?", truth="1/2")
    data = posted(*rows, action="refresh", expected_n="400") | arms(("A", "1"), ("B", "3"))
    editor = teacher.post(NEW, data | {"questions-1-arms": "1", "questions-2-arms": "2"}).context["editor"]
    one, other = (editor.dials[row] for row in editor.staying)
    assert (one.class_size, other.class_size) == (100, 300)
    assert editor.arm_totals == [one.epsilon, other.epsilon]
    assert editor.epsilon == max(one.epsilon, other.epsilon)


def test_an_arm_is_removed_once_it_has_no_question_of_its_own(teacher: Client) -> None:
    rows = [question(text=text) for text in ("One?", "Two?", "Three?")]
    data = posted(*rows, action="arm-remove-2") | arms(("A", "1"), ("B", "1"), ("C", "1"))
    data |= {"questions-1-arms": "1, 2", "questions-2-arms": "2", "questions-3-arms": "3"}
    page = teacher.post(NEW, data)
    assert re.findall(r"\d+", page.context["editor"].said) == ["2"]
    page = press(teacher, press(teacher, page, "delete-2"), "arm-remove-2")
    editor = page.context["editor"]
    assert [arm["name"] for arm in editor.arms.typed] == ["A", "C"]
    assert [(row.typed["text"], row.typed["arms"]) for row in editor.staying] == [("One?", "1"), ("Three?", "2")]
    page = press(teacher, press(teacher, page, "delete-1"), "arm-remove-1")
    editor = page.context["editor"]
    assert (len(editor.arms), [(row.typed["text"], row.typed["arms"]) for row in editor.staying]) == (
        0,
        [("Three?", "")],
    )
    assert "arm-boxes" not in text_of(page)


def test_a_question_is_asked_once_in_each_arm_and_can_be_parted_again(teacher: Client) -> None:
    page = teacher.post(NEW, posted(question(), action="arm-add"))
    page = press(teacher, page, "arm-vary-1")
    again = press(teacher, page, "arm-vary-2").context["editor"]
    assert (len(again.staying), again.said != "") == (2, True)
    page = press(teacher, page, "arm-apart-2")
    assert [row.typed["quantity"] for row in page.context["editor"].staying] == ["1", ""]
    # A copy asks for something of its own.
    assert press(teacher, page, "duplicate-1").context["editor"].staying[1].typed["quantity"] == ""


@pytest.mark.parametrize(
    ("named", "field", "number"),
    [
        ((("A", "0"), ("B", "1")), "arms-1-weight", ""),
        ((("A", "x"), ("B", "1")), "arms-1-weight", ""),
        ((("", "1"), ("B", "1")), "arms-1-name", ""),
        ((("A", "1"), ("a ", "1")), "title", ""),
        ((("A", "1"), ("B", "1"), ("C", "1")), "title", "3"),
    ],
)
def test_what_is_wrong_with_arms_is_named_at_its_field_and_nothing_is_stored(
    teacher: Client, named: tuple[tuple[str, str], ...], field: str, number: str
) -> None:
    data = posted(question(arms="1"), question(arms="2")) | arms(*named)
    answer = teacher.post(NEW, data)
    assert (answer.status_code, Survey.objects.count()) == (422, 0)
    [problem] = answer.context["problems"]
    assert problem.field_id == f"id_{field}"
    assert number in problem.message


@pytest.mark.parametrize("sent", ["1", "x", str(MOST_ARMS + 1), "-2"])
def test_arms_that_did_not_arrive_whole_change_nothing(teacher: Client, sent: str) -> None:
    answer = teacher.post(NEW, posted(question()) | {"arms": sent})
    assert (answer.status_code, Survey.objects.count()) == (400, 0)


@pytest.mark.parametrize(
    "action", ["arm-remove-3", "arm-remove", "arm-vary-9", "arm-apart-0", "arm-vary", "arm-turn-1"]
)
def test_a_button_that_is_not_there_changes_nothing(teacher: Client, action: str) -> None:
    page = teacher.post(NEW, posted(question(), action="arm-add"))
    before = [row.packed for row in page.context["editor"].rows]
    after = press(teacher, page, action).context["editor"]
    assert ([row.packed for row in after.rows], len(after.arms)) == (before, 2)


def test_the_preview_is_what_an_arm_meets(teacher: Client) -> None:
    data = posted(question(text="One?"), closed(text="Other?", arms="2")) | arms(("A", "1"), ("B", "1"))
    shown = text_of(teacher.post(reverse("survey-preview-typed"), data | {"questions-1-arms": "1"}))
    assert "One?" in shown
    assert "Other?" not in shown
    survey = make_draft(yes_no("Here?", arms=[1]), yes_no("There?", arms=[2]), arms=TWO)
    address = reverse("survey-preview", args=[survey.code])
    client = owner_of(survey)
    assert [
        ("Here?" in text, "There?" in text) for text in (text_of(client.get(address, {"arm": n})) for n in (1, 2))
    ] == [
        (True, False),
        (False, True),
    ]


def test_saved_drafts_tell_how_arms_changed() -> None:
    survey = make_draft(yes_no(arms=[1]), yes_no("Or so?", arms=[2]), arms=TWO)
    client, address = owner_of(survey), reverse("survey-edit", args=[survey.code])
    page = client.get(address)
    page.context["editor"].arms.typed[1]["weight"] = "5"
    assert press(client, page, "save", address).status_code == 302
    [(_version, changes), _first] = client.get(reverse("survey-versions", args=[survey.code])).context["entries"]
    assert [change.place for change in changes] == ["arms"]


_FACT = {"innocuous": "Born in spring?", "innocuous_source": "Births by month."}


@pytest.mark.parametrize(("share", "turned"), [("1/4", "3/4"), ("0.2", "4/5")])
def test_a_crosswise_question_asked_another_way_has_its_fact_turned_round(
    teacher: Client, share: str, turned: str
) -> None:
    asked = question(design="crosswise", innocuous_share=share, **_FACT)
    page = press(teacher, teacher.post(NEW, posted(asked, action="arm-add")), "arm-vary-1")
    first, copy = page.context["editor"].staying
    assert (first.typed["innocuous"], first.typed["innocuous_share"]) == ("Born in spring?", share)
    assert [copy.typed[name] for name in ("innocuous", "innocuous_share", "innocuous_source")] == ["", turned, ""]
    assert page.context["editor"].said
    assert copy.form.fields["innocuous"].widget.attrs["autofocus"]
    # Nothing is saved until somebody has worded it.
    assert press(teacher, page, "save").status_code == 422
    copy.retype("innocuous", "Born in another season?")
    copy.retype("innocuous_source", "Births by month, the rest of them.")
    assert press(teacher, page, "save").status_code == 302
    stored = [question.parameters for question in Survey.objects.get().questions]
    assert sorted(each["p"][0] / each["p"][1] for each in stored) == pytest.approx(
        sorted([float(Fraction(share)), float(Fraction(turned))])
    )


@pytest.mark.parametrize(
    "changes", [{"design": "triangular", "accepts_infinite": "on"}, {"design": "crosswise", "innocuous_share": "x"}]
)
def test_other_facts_are_asked_as_they_are(teacher: Client, changes: dict[str, str]) -> None:
    asked = question(**({"innocuous_share": "1/4"} | _FACT | changes))
    page = press(teacher, teacher.post(NEW, posted(asked, action="arm-add")), "arm-vary-1")
    assert [row.typed["innocuous"] for row in page.context["editor"].staying] == ["Born in spring?"] * 2
