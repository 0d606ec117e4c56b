"""A survey as an XLSForm: what the format can say comes through and back, and what it cannot say is said in it."""

import io
from collections.abc import Sequence
from typing import Any

import pytest
from django.urls import reverse
from openpyxl import load_workbook

from surveys.common.selectors import draft_of
from surveys.documents.services.creating import read_import
from surveys.documents.services.xlsform.rows import chosen_in
from surveys.documents.services.xlsform.writing import write_xlsform
from surveys.drafts.services.surveys import QuestionDraft, create_survey
from tests.documents.workbooks import CHOICES, form, workbook
from tests.factories import (
    every_kind,
    item_count,
    make_draft,
    number_mean,
    one_by_option,
    one_of,
    plain,
    scale,
    several_of,
    two_lists,
    yes_no,
)
from tests.models.test_translations import BOTH, GERMAN
from tests.pages import owner_of

pytestmark = pytest.mark.django_db

YEAR = "${q1} = '0' or ${q1} = '2'"
ARMS = [{"name": "Coins", "weight": 1}, {"name": "Directly", "weight": 2}]


def _sheets(raw: bytes) -> dict[str, list[dict[str, str]]]:
    """Return the rows of each sheet by column, without empty cells; a label under that name in any language."""
    book = load_workbook(io.BytesIO(raw))
    found = {}
    for sheet in book.worksheets:
        head, *rows = sheet.iter_rows(values_only=True)
        columns = [str(column).partition("::")[0] for column in head]
        found[sheet.title] = [
            {column: str(value) for column, value in zip(columns, row, strict=True) if value} for row in rows
        ]
    return found


def _written(*questions: QuestionDraft, **fields: Any) -> bytes:
    return write_xlsform(draft_of(make_draft(*questions, **fields)))


def _questions(raw: bytes) -> dict[str, dict[str, str]]:
    return {row["name"]: row for row in _sheets(raw)["survey"] if row["type"] not in {"note", "calculate"}}


def test_plain_questions_branches_and_the_order_of_options_come_back() -> None:
    draft = make_draft(
        plain(leave_out="no"),
        yes_no(asked_if={"question": 1, "answers": [0, 2]}),
        one_of(random_order=True),
        several_of(random_order=True, asked_if={"question": 1, "answers": [1]}),
        plain((), "Are you enrolled?", kind="yes_no"),
        yes_no("Have you paid?", asked_if={"question": 5, "answers": [1]}, leave_out="no"),
        number_mean(details={"low": [0, 1], "high": [24, 1], "step": [1, 1], "unit": ""}),
        introduction="Welcome.\n\nIt is short.",
        consent="I agree.\nI am 18.",
        support="Call us.",
    )
    content = read_import(write_xlsform(draft_of(draft))).content
    for name in ("title", "introduction", "consent", "support", "language"):
        assert content.fields[name] == getattr(draft, name)
    fields = ("kind", "text", "options", "details", "leave_out", "random_order", "asked_if")
    stored = list(draft.questions.all())
    for name in fields:
        assert [getattr(read, name) for read in content.questions] == [getattr(one, name) for one in stored], name
    assert [read.design == "plain" for read in content.questions] == [one.design == "plain" for one in stored]


def test_every_kind_is_read_back_and_what_chance_protects_is_protected_again() -> None:
    draft = make_draft(*every_kind())
    imported = read_import(write_xlsform(draft_of(draft)))
    assert imported.left_out == 0
    assert [question.text for question in imported.content.questions] == [one.text for one in draft.questions.all()]
    assert [question.design == "plain" for question in imported.content.questions] == [
        one.design == "plain" for one in draft.questions.all()
    ]


def test_the_columns_say_what_is_protected_who_is_asked_and_in_which_order() -> None:
    rows = _questions(
        _written(
            plain(leave_out="visibly"),
            yes_no(asked_if={"question": 1, "answers": [0, 2]}, leave_out="no"),
            one_of(random_order=True),
        )
    )
    assert [row["protected"] for row in rows.values()] == ["no", "yes", "yes"]
    assert [row.get("relevant") for row in rows.values()] == [None, YEAR, None]
    assert [row.get("parameters") for row in rows.values()] == [None, None, "randomize=true"]
    assert [row.get("required") for row in rows.values()] == [None, "yes", "yes"]


def test_an_arm_is_drawn_once_with_its_odds_and_decides_what_is_asked() -> None:
    raw = _written(
        plain(),
        yes_no(arms=[1], quantity=1),
        yes_no("Asked directly?", arms=[2], quantity=1),
        one_of(arms=[1, 2], asked_if={"question": 1, "answers": [1]}),
        arms=ARMS,
    )
    calculated = {row["name"]: row["calculation"] for row in _sheets(raw)["survey"] if row["type"] == "calculate"}
    assert calculated == {"arm_draw": "once(random())", "arm": "if(${arm_draw} * 3 < 1, 1, 2)"}
    asked = [row.get("relevant") for row in _questions(raw).values()]
    assert asked == [None, "${arm} = 1", "${arm} = 2", "(${arm} = 1 or ${arm} = 2) and (${q1} = '1')"]
    named = [row["label"] for row in _sheets(raw)["choices"] if row["list_name"] == "arm"]
    assert named == ["Coins", "Directly"]
    # Read again, what only an arm is asked is asked of everybody, and each line says so.
    lines = {line.name: line.words for line in read_import(raw).lines}
    assert lines["q2"].endswith("Its condition is lost: everybody is asked.")


@pytest.mark.parametrize(
    ("questions", "fields", "said"),
    [
        ([yes_no()], {}, ["adds no chance"]),
        ([yes_no()], {"random_order": True}, ["adds no chance", "in random order"]),
        (two_lists(), {"arms": ARMS}, ["adds no chance", "draws one of the arms"]),
        ([plain(), plain(text="Where?")], {}, []),
    ],
)
def test_the_form_begins_with_what_it_cannot_hold(
    questions: Sequence[QuestionDraft], fields: dict[str, object], said: list[str]
) -> None:
    raw = _written(*questions, introduction="Hello.", **fields)
    notes = [row for row in _sheets(raw)["survey"] if row["type"] == "note"]
    assert len(notes) == len(said) + 1
    assert all(words in note["label"] for words, note in zip(said, notes, strict=False))
    assert read_import(raw).content.fields["introduction"] == "Hello."


def test_statements_stand_with_the_question_and_their_number_is_chosen() -> None:
    raw = _written(item_count(("I ski", "I sing"), arms=[1]), yes_no(), arms=ARMS)
    assert _questions(raw)["q1"]["label"] == "How many of these are true of you?\n– I ski\n– I sing"
    choices = [row["label"] for row in _sheets(raw)["choices"] if row["list_name"] == "q1"]
    assert choices == ["0", "1", "2"]


def test_numbers_keep_their_limits_and_steps() -> None:
    rows = _questions(
        _written(number_mean(), number_mean(details={"low": [-5, 1], "high": [5, 1], "step": [1, 1], "unit": ""}))
    )
    assert rows["q1"]["parameters"] == "start=0 end=12 step=0.5"
    assert rows["q2"]["constraint"] == ". >= -5 and . <= 5"


def test_one_option_is_chosen_where_one_is_true_whatever_the_design() -> None:
    raw = _written(one_of(), one_by_option(random_order=True), several_of())
    assert [row["type"] for row in _questions(raw).values()] == ["select_one q1", "select_one q2", "select_multiple q3"]
    choices = [row["label"] for row in _sheets(raw)["choices"] if row["list_name"] == "q2"]
    assert choices == ["Never", "Once", "Often"]
    read = read_import(raw).content.questions[1]
    assert (read.kind, list(read.options), read.random_order) == ("one_of", choices, True)
    assert read.design == "k_ary"  # as every list of which one is chosen


def test_what_an_author_wrote_is_neither_a_formula_nor_another_answer() -> None:
    raw = _written(scale("=1+1 or ${q9}?"), one_of(("=A1", "b"), "x"), title="=cmd()")
    book = load_workbook(io.BytesIO(raw))
    assert {cell.data_type for sheet in book.worksheets for row in sheet for cell in row} <= {"s", "n"}
    assert _questions(raw)["q1"]["label"] == "=1+1 or $ {q9}?"
    assert read_import(raw).content.fields["title"] == "=cmd()"


@pytest.mark.parametrize(
    ("relevant", "found"),
    [
        ("${year} = 'a'", ("year", {"a"})),
        ("${year}='a' or  selected( ${year} , \"b\" )", ("year", {"a", "b"})),
        ("selected(${year}, 'a')", ("year", {"a"})),
        ("${year} != 'a'", None),
        ("${year} = 'a' or ${term} = 'b'", None),
        ("${year} = 'a' and ${term} = 'b'", None),
        ("${year} > 1", None),
        ("${year} = 'a\"", None),
    ],
)
def test_a_condition_is_read_where_it_names_answers_to_one_question(relevant: str, found: object) -> None:
    assert chosen_in(relevant) == found


@pytest.mark.parametrize(
    ("protected", "relevant", "words", "asked_if"),
    [
        (
            "no",
            "${often} = 'b'",
            "Asked only of those with certain answers to question 1.",
            {"question": 1, "answers": [1]},
        ),
        ("no", "selected(${often}, 'c') or ${often} = 'a'", "Asked only", {"question": 1, "answers": [0, 2]}),
        ("yes", "${often} = 'b'", "Only an answer that is not protected can decide", {}),
        ("", "${often} = 'b'", "Only an answer that is not protected can decide", {}),
        ("no", "${often} = 'nowhere'", "Its condition is lost: everybody is asked.", {}),
        ("no", "${else} = 'b'", "Its condition is lost: everybody is asked.", {}),
        (
            "no",
            "${often} = 'a' or ${often} = 'b' or ${often} = 'c'",
            "Its condition is lost: everybody is asked. Name",
            {},
        ),
    ],
)
def test_a_condition_becomes_a_branch_where_an_unprotected_answer_decides(
    protected: str, relevant: str, words: str, asked_if: dict[str, object]
) -> None:
    raw = form(
        ("select_one often", "often", "How often?", None, None, None, None, None, protected),
        ("select_one yesno", "copied", "Copied?", None, None, None, relevant),
    )
    imported = read_import(raw)
    assert imported.content.questions[1].asked_if == asked_if
    assert words in next(line.words for line in imported.lines if line.name == "copied")


def test_of_yes_and_no_the_answer_that_decides_is_told_by_its_words() -> None:
    """The form lists Yes first, and here No is the first answer."""
    raw = form(
        ("select_one yesno", "enrolled", "Enrolled?", None, None, None, None, None, "no"),
        ("select_one often", "copied", "Copied?", None, None, None, "${enrolled} = 'yes'"),
    )
    assert read_import(raw).content.questions[1].asked_if == {"question": 1, "answers": [1]}


def test_what_only_some_are_asked_is_protected_or_asked_of_all() -> None:
    raw = form(
        ("select_one often", "often", "How often?", None, None, None, None, None, "no"),
        ("select_one yesno", "copied", "Copied?", None, None, None, "${often} = 'b'", None, "no"),
        ("select_multiple often", "which", "Which?", None, None, None, None, None, "no"),
        choices=CHOICES,
    )
    imported = read_import(raw)
    words = {line.name: line.words for line in imported.lines}
    assert [question.asked_if for question in imported.content.questions] == [{}, {}, {}]
    assert "What is sent as it is, is asked of everybody" in words["copied"]
    assert "It is protected all the same" in words["which"]
    assert imported.content.questions[2].design == "forced_response"


def test_the_form_is_a_download_that_anybody_may_have_who_sees_the_survey() -> None:
    draft = make_draft(*every_kind(), language="he")
    response = owner_of(draft).get(reverse("survey-xlsform", args=[draft.code]))
    assert response["Content-Disposition"] == f'attachment; filename="survey-{draft.code}.xlsx"'
    imported = read_import(response.content)
    assert imported.content.fields["language"] == "he"
    assert imported.left_out == 0


def test_each_language_has_a_column_and_is_read_back_from_it() -> None:
    draft = make_draft(yes_no(), one_of(), translations=BOTH)
    raw = write_xlsform(draft_of(draft))
    head, *_rows, last = load_workbook(io.BytesIO(raw))["survey"].iter_rows(values_only=True)
    asked = dict(zip(head, last, strict=True))
    assert asked["label::English (en)"] == "How often?"
    assert asked["label::Deutsch (de)"] == GERMAN["How often?"]
    assert read_import(raw).content.fields["translations"] == BOTH


def test_a_survey_in_several_languages_comes_back_with_every_text_that_the_form_can_carry() -> None:
    own = {
        "title": "Exams",
        "introduction": "Why we ask.\n\nIt is short.",
        "consent": "You may stop.\nYou are 18.",
        "support": "Call us.",
    }
    asked = [
        plain(leave_out="no"),
        yes_no(asked_if={"question": 1, "answers": [0]}),
        several_of(random_order=True),
        number_mean(details={"low": [0, 1], "high": [9, 1], "step": [1, 1], "unit": "hours"}),
        number_mean("And without a unit?", details={"low": [0, 1], "high": [9, 1], "step": [1, 1], "unit": ""}),
    ]
    draft = make_draft(*asked, **own)
    texts = [text for row in (draft, *draft.questions.all()) for text in row.texts.values()]
    said = {code: {text: _called(text, code) for text in texts} for code in ("de", "he")}
    draft.translations = said
    draft.save()
    imported = read_import(write_xlsform(draft_of(draft)))
    assert imported.left_out == 0
    assert imported.content.fields["translations"] == said
    assert {name: imported.content.fields[name] for name in own} == own
    assert [question.details.get("unit") for question in imported.content.questions[-2:]] == ["hours", ""]
    assert imported.in_part == 0
    # Written again it is the same form.
    again = create_survey(owner=draft.owner, questions=imported.content.questions, **imported.content.fields)
    assert _sheets(write_xlsform(draft_of(again))) == _sheets(write_xlsform(draft_of(draft)))


@pytest.mark.parametrize(
    ("hint", "protected", "unit"),
    [
        ("hours", "yes", "hours"),
        ("hours", None, ""),
        ("Count the nap after lunch, too.", "no", ""),
        ("Hours.\nNot minutes.", "yes", ""),
    ],
    ids=["written here", "elsewhere", "too long", "two lines"],
)
def test_a_numbers_hint_is_its_unit_in_a_form_that_was_written_here(
    hint: str, protected: str | None, unit: str
) -> None:
    raw = form(("integer", "sleep", "Sleep?", ". >= 0 and . <= 24", None, None, None, hint, protected))
    imported = read_import(raw)
    assert imported.content.questions[0].details["unit"] == unit
    assert ("Its hint is lost." in imported.lines[-1].words, imported.lines[-1].in_part) == (not unit, not unit)


def test_options_that_a_document_has_in_another_number_of_lines_are_written_as_they_are() -> None:
    draft = make_draft(one_of(), translations={"de": GERMAN | {"Never\nOnce\nOften": "Nie\nEinmal"}})
    _head, *choices = load_workbook(io.BytesIO(write_xlsform(draft_of(draft))))["choices"].iter_rows(values_only=True)
    assert [choice[2:] for choice in choices] == [("Never", "Never"), ("Once", "Once"), ("Often", "Often")]


@pytest.mark.parametrize("step", [1, 2, 3])
def test_what_is_not_translated_yet_comes_back_so_and_a_translation_that_is_the_same_word_as_one(step: int) -> None:
    draft = make_draft(yes_no(), one_of(), scale(), number_mean(), introduction="Why we ask.", support="Call us.")
    texts = [text for row in (draft, *draft.questions.all()) for text in row.texts.values()]
    draft.translations = {"de": dict(zip(texts[::step], texts[::step], strict=True)), "he": {texts[step]: texts[step]}}
    draft.save()
    imported = read_import(write_xlsform(draft_of(draft))).content
    points, ends = "\n".join(imported.questions[2].options), {"Never", "Always"}
    expected = {
        code: (words.keys() - ends) | ({points} if ends <= words.keys() else set())
        for code, words in draft.translations.items()
    }
    found = imported.fields["translations"]
    assert {code: words.keys() for code, words in found.items()} == expected
    assert all(text == said for words in found.values() for text, said in words.items())


def test_an_arms_name_refers_to_no_answer() -> None:
    arms = [ARMS[0], {"name": "${q1}", "weight": 1}]
    labels = [row["label"] for row in _sheets(_written(yes_no(arms=[1]), yes_no(arms=[2]), arms=arms))["choices"]]
    assert labels[:2] == ["Coins", "$ {q1}"]


def _called(text: str, code: str) -> str:
    return "\n".join(line and f"{code} {line}" for line in text.split("\n"))


def test_an_introduction_of_several_notes_is_translated_where_each_of_them_is() -> None:
    """A form may have any number of notes; here they are one text."""
    columns = ("type", "name", "label::English (en)", "label::Deutsch (de)", "label::Español (es)")
    rows = [
        columns,
        ("note", "one", "Hello.", "Hallo.", "Hola."),
        ("note", "two", "It is short.", "Es ist kurz.", None),
        ("note", "deniable_support", "Call us.", None, "Llámanos a ${number}."),
        ("select_one yesno", "copied", "Copied?", "Abgeschrieben?", "¿Copiaste?"),
    ]
    choices = [
        ("list_name", "name", *columns[2:]),
        ("yesno", "1", "Yes", "Ja", "Sí"),
        ("yesno", "0", "No", "Nein", "No"),
    ]
    fields = read_import(workbook({"survey": rows, "choices": choices})).content.fields
    assert fields["introduction"] == "Hello.\n\nIt is short."
    assert fields["translations"] == {
        "de": {"Hello.\n\nIt is short.": "Hallo.\n\nEs ist kurz.", "Copied?": "Abgeschrieben?"},
        "es": {"Copied?": "¿Copiaste?"},
    }
