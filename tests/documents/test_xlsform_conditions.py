"""Conditions of an XLSForm: which answers decide, and what is sent as it is or asked of everybody all the same."""

import pytest

from surveys.documents.services.creating import read_import
from surveys.documents.services.xlsform.rows import chosen_in
from surveys.questionnaire.question import frozen
from tests.documents.workbooks import CHOICES, form, workbook


@pytest.mark.parametrize(
    ("relevant", "chosen"),
    [
        ("${year} = 'a'", ("year", {"a"})),
        ("${year}='a' or  selected( ${year} , \"b\" )", ("year", {"a", "b"})),
        ("selected(${year}, 'a')", ("year", {"a"})),
        ("${year} = 2", ("year", {"2"})),
        ("${year} = ‘a’ or ${year} = “b”", ("year", {"a", "b"})),
        ("${year} != 'a'", None),
        ("${year} = 'a' or ${term} = 'b'", None),
        ("${year} = 'a' and ${term} = 'b'", None),
        ("${year} > 1", None),
        ("${year} = 'a\"", None),
    ],
)
def test_a_condition_is_read_where_it_names_answers_to_one_question(relevant: str, chosen: object) -> None:
    assert chosen_in(relevant) == chosen


@pytest.mark.parametrize(
    ("protected", "relevant", "asked_if"),
    [
        ("no", "${often} = 'b'", {"question": 1, "answers": [1]}),
        ("no", "selected(${often}, 'c') or ${often} = 'a'", {"question": 1, "answers": [0, 2]}),
        ("yes", "${often} = 'b'", {}),
        ("", "${often} = 'b'", {}),
        ("no", "${often} = 'd'", {}),
        ("no", "${else} = 'b'", {}),
        ("no", "${often} = 'a' or ${often} = 'b' or ${often} = 'c'", {}),
    ],
)
def test_a_condition_becomes_a_branch_where_an_unprotected_answer_decides(
    protected: str, relevant: str, asked_if: dict[str, object]
) -> None:
    raw = form(
        ("select_one often", "often", "How often?", None, None, None, None, None, protected),
        ("select_one yesno", "copied", "Copied?", None, None, None, relevant),
    )
    imported = read_import(raw)
    assert imported.content.questions[1].asked_if == frozen(asked_if)
    line = next(line for line in imported.lines if line.name == "copied")
    assert (line.taken, line.in_part) == (True, not asked_if)


def test_of_yes_and_no_the_answer_that_decides_is_known_by_its_words() -> None:
    """The form lists Yes first, and here No is the first answer."""
    raw = form(
        ("select_one yesno", "enrolled", "Enrolled?", None, None, None, None, None, "no"),
        ("select_one often", "copied", "Copied?", None, None, None, "${enrolled} = 'yes'"),
    )
    assert read_import(raw).content.questions[1].asked_if == {"question": 1, "answers": (1,)}


def test_what_only_some_are_asked_is_protected_or_asked_of_all() -> None:
    raw = form(
        ("select_one often", "often", "How often?", None, None, None, None, None, "no"),
        ("select_one yesno", "copied", "Copied?", None, None, None, "${often} = 'b'", None, "no"),
        ("select_multiple often", "which", "Which?", None, None, None, None, None, "no"),
    )
    imported = read_import(raw)
    assert [question.asked_if for question in imported.content.questions] == [{}, {}, {}]
    assert [line.in_part for line in imported.lines if line.name in {"copied", "which"}] == [True, True]
    assert imported.content.questions[2].design == "forced_response"


@pytest.mark.parametrize("column", ["relevant", "relevance", "Relevance", "bind::relevant", "bind:relevant"])
def test_a_condition_is_read_whatever_its_column_is_called(column: str) -> None:
    rows = [
        ("type", "name", "label", "protected", column),
        ("select_one yesno", "a", "Do you smoke?", "no"),
        ("select_one yesno", "b", "Did you hide it?", None, "${a} = 'yes'"),
    ]
    imported = read_import(workbook({"survey": rows, "choices": CHOICES[:3]}))
    assert imported.content.questions[1].asked_if == {"question": 1, "answers": (1,)}
    assert (imported.left_out, imported.in_part) == (0, 0)


def test_a_note_that_only_some_would_see_is_named_and_shown_to_nobody() -> None:
    raw = form(
        ("select_one yesno", "a", "Do you smoke?", None, None, None, None, None, "no"),
        ("note", "n", "Since you said yes…", None, None, None, "${a} = 'yes'"),
        ("note", "deniable_consent", "I agree.", None, None, None, "${a} = 'yes'"),
        ("begin_group", "g", "Smokers", None, None, None, "${a} = 'yes'"),
        ("note", "m", "You smoke."),
        ("select_one yesno", "b", "Did you hide it?"),
        ("select_one yesno", "c", "From whom?", None, None, None, "${b} = 'yes'"),
        ("end_group",),
        ("select_one yesno", "d", "Did you ever stop?"),
    )
    imported = read_import(raw)
    assert (imported.content.fields["introduction"], imported.content.fields["consent"]) == ("", "")
    assert {line.name for line in imported.lines if not line.taken and line.type == "note"} == {
        "n",
        "deniable_consent",
        "m",
    }
    # The condition of a group holds for each of its questions; of two conditions none is taken.
    asked = [question.asked_if.get("question", 0) for question in imported.content.questions]
    assert asked == [0, 1, 0, 0]
    assert [line.name for line in imported.lines if line.in_part] == ["c"]


def test_a_condition_on_a_name_that_two_have_is_lost() -> None:
    choices = [*CHOICES[:1], ("q", "a", "One"), ("q", "a", "Two"), ("q", "b", "Three")]
    first = ("select_one q", "x", "Which?", None, None, None, None, None, "no")
    for rows, condition in (([first], "${x} = 'a'"), ([first, first], "${x} = 'b'")):
        imported = read_import(form(*rows, ("select_one q", "y", "Why?", None, None, None, condition), choices=choices))
        assert imported.content.questions[-1].asked_if == {}
        assert imported.lines[-1].in_part
