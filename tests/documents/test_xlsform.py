"""XLSForms: what fits becomes questions, and every line is accounted for."""

import datetime as dt
import re

import pytest

from surveys.documents.services.creating import read_import
from surveys.documents.services.parsing import DocumentRefused
from surveys.documents.services.xlsform.rows import (
    REASONS,
    UNKNOWN,
    ImportReport,
    Limits,
    limits_of_constraint,
    limits_of_range,
)
from surveys.questionnaire.kinds import MAX_STEPS
from surveys.questionnaire.reports import MAX_ITEMS
from tests.documents.workbooks import CHOICES, form, workbook

YES_NO = ("select_one yesno", "copied", "Have you ever copied?")


def lines_of(imported: ImportReport) -> dict[str, str]:
    """Return what the report says of the survey sheet, by the rows' names."""
    return {line.name: line.words for line in imported.lines if line.sheet == "survey"}


def test_a_whole_form_becomes_a_survey() -> None:
    imported = read_import(
        form(
            ("note", "hello", "Welcome."),
            YES_NO,
            ("select_one often", "how_often", "How often?", None, None, "yes"),
            ("select_multiple often", "which", "Which of these?"),
            ("integer", "hours", "How many hours?", ". >= 0 and . <= 24"),
            ("range", "days", "How many days?", None, "start=1 end=7 step=1"),
            ("text", "why", "Why?"),
            ("note", "bye", "Thank you."),
            form_title="Exams",
            default_language="en",
        )
    )
    content = imported.content
    assert content.fields["title"] == "Exams"
    assert content.fields["introduction"] == "Welcome.\n\nThank you."
    kinds = [question.kind for question in content.questions]
    assert kinds == ["yes_no", "one_of", "several_of", "number_mean", "number_mean"]
    assert content.questions[1].options == ("Never", "Once", "Often")
    assert [question.leave_out for question in content.questions[:2]] == ["visibly", "no"]
    assert content.questions[3].details == {"low": (0, 1), "high": (24, 1), "step": (1, 1), "unit": ""}
    assert content.questions[4].details["high"] == (7, 1)
    assert [line.name for line in imported.lines if not line.taken] == ["why"]


def test_every_line_of_the_form_has_a_line_in_the_report_with_its_row() -> None:
    imported = read_import(form(("note", "hello", "Welcome."), (None, None, None), YES_NO, ("text", "why", "Why?")))
    survey = [line for line in imported.lines if line.sheet == "survey"]
    assert [(line.row, line.name, line.taken) for line in survey] == [
        (2, "hello", True),
        (4, "copied", True),
        (5, "why", False),
    ]
    assert (survey[2].words, survey[1].question) == (str(REASONS["text"]), 1)


@pytest.mark.parametrize(
    ("row", "named"),
    [
        (("text", "x", "?"), ""),
        (("date", "x", "?"), ""),
        (("geopoint", "x", "?"), ""),
        (("image", "x", "?"), ""),
        (("deviceid", "x", None), ""),
        (("username", "x", None), ""),
        (("calculate", "x", None), ""),
        (("rank often", "x", "?"), ""),
        (("acknowledge", "x", "?"), ""),
        (("select_one_from_file towns.csv", "x", "?"), "“choices”"),
        (("matrix", "x", "?"), str(UNKNOWN)),
        (("select_one absent", "x", "?"), "“absent”"),
        (("select_one", "x", "?"), "“”"),
        (("select_one yesno", "x", None), ""),
        (("select_one yesno", "x", "Hello ${name}?"), ""),
        (("select_one yesno", "x", "?" * 501), "501"),
        (("integer", "x", "?"), ""),
        (("integer", "x", "?", ". >= 0"), ""),
        (("decimal", "x", "?", ". > 0 and . < 1"), ""),
        (("integer", "x", "?", ". >= 0 or . <= 3"), ""),
        (("integer", "x", "?", ". >= 0 and . <= 5000000"), f"{MAX_STEPS:,}"),
        (("range", "x", "?", None, "start=5 end=1"), ""),
        (("range", "x", "?", None, "start=0 end=10 step=3"), ""),
    ],
)
def test_what_does_not_fit_is_left_out_with_a_reason(row: tuple[object, ...], named: str) -> None:
    imported = read_import(form(row, YES_NO))
    line = next(line for line in imported.lines if line.name == "x")
    assert (line.taken, line.words != "") == (False, True)
    assert named in line.words
    assert [question.kind for question in imported.content.questions] == ["yes_no"]


def test_of_a_part_its_questions_are_taken() -> None:
    imported = read_import(form(("begin_group", "x", "Part"), YES_NO, ("end_group", "y", None)))
    assert [line.taken for line in imported.lines if line.sheet == "survey"] == [False, True, True]


def test_what_the_end_of_a_part_says_is_named() -> None:
    columns = (None, None, None, None, "Think hard.")
    imported = read_import(form(("begin_group", "x", "Part"), YES_NO, ("end_group", "y", None, *columns)))
    [line] = [line for line in imported.lines if line.name == "y"]
    assert [lost.column for lost in line.lost] == ["hint"]


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (("Yes", "No"), "yes_no"),
        (("Nein", "Ja"), "yes_no"),
        (("Sí", "No"), "yes_no"),
        (("YES!", "no."), "yes_no"),
        (("True", "False"), "one_of"),
        (("Yes", "Maybe"), "one_of"),
    ],
)
def test_yes_or_no_is_known_by_the_words(labels: tuple[str, str], kind: str) -> None:
    choices = [CHOICES[0], ("q", 1, labels[0]), ("q", 0, labels[1])]
    assert read_import(form(("select_one q", "x", "?"), choices=choices)).content.questions[0].kind == kind


@pytest.mark.parametrize(
    ("row", "lost"),
    [
        (("select_one often", "x", "How often?"), 0),
        (("select_one often or_other", "x", "How often?"), 1),
        (("select_one often", "x", "How often?", None, None, None, "${a} = 1"), 1),
        (("select_one often", "x", "How often?", None, None, None, None, "Think hard."), 1),
        (("select_one often or_other", "x", "How often?", None, None, None, "${a} = 1", "Think hard."), 3),
        (("select_one yesno", "x", "Ever?", None, "randomize=true"), 1),
    ],
)
def test_what_is_lost_of_a_question_that_is_taken_is_reported(row: tuple[object, ...], lost: int) -> None:
    imported = read_import(form(row))
    [line] = [line for line in imported.lines if line.name == "x"]
    assert (line.taken, len(line.lost)) == (True, lost)
    assert not imported.content.questions[0].random_order


def test_what_is_asked_repeatedly_is_left_out_whole() -> None:
    imported = read_import(form(("begin_repeat", "r", "?"), YES_NO, ("end_repeat", "r2", None), YES_NO))
    assert len(imported.content.questions) == 1
    assert [line.row for line in imported.lines if line.sheet == "survey" and not line.taken] == [2, 3, 4]


LANGUAGES = ("type", "name", "label::English (en)", "label::Deutsch (de)", "label::Français (fr)")
IN_TWO = {
    "survey": [LANGUAGES, ("select_one q", "x", "Ever copied?", "Je abgeschrieben?", "Copié ?")],
    "choices": [
        ("list name", "value", *LANGUAGES[2:]),
        ("q", 1, "Once", "Einmal", "Une fois"),
        ("q", 2, "Never", "Nie", "Jamais"),
    ],
}


@pytest.mark.parametrize(
    ("default", "language", "text"),
    [
        ("", "en", "Ever copied?"),
        ("Deutsch (de)", "de", "Je abgeschrieben?"),
        ("de", "de", "Je abgeschrieben?"),
        ("Français (fr)", "en", "Copié ?"),
        ("Klingon", "en", "Ever copied?"),
    ],
)
def test_the_default_language_is_taken_first_and_of_the_others_those_that_the_pages_speak(
    default: str, language: str, text: str
) -> None:
    settings = [("form_title", "default_language"), ("Exams", default)]
    imported = read_import(workbook({**IN_TWO, "settings": settings}))
    assert imported.content.fields["language"] == language
    assert imported.content.questions[0].text == text
    # Named as the form names them, whatever their letters.
    others = [line.taken for line in imported.lines if f"label::{line.name}" in LANGUAGES]
    assert sorted(others) == [False, True]
    texts = {"en": ("Ever copied?", "Once\nNever"), "de": ("Je abgeschrieben?", "Einmal\nNie")}
    originals = texts.pop(language) if text in texts[language] else ("Copié ?", "Une fois\nJamais")
    [(code, translated)] = ((code, words) for code, words in texts.items() if code != language)
    assert imported.content.fields["translations"] == {code: dict(zip(originals, translated, strict=True))}


def test_what_a_form_lacks_in_a_language_or_could_not_be_shown_is_missing_there() -> None:
    columns = ("type", "name", "label::English (en)", "label::Deutsch (de)")
    rows = [
        ("select_one q", "a", "First?", None),
        ("select_one q", "b", "Second?", "Turned \u202e round?"),
        ("select_one r", "c", "Third?", "Drittens?"),
    ]
    choices = [
        ("list_name", "name", *columns[2:]),
        ("q", "1", "One", "Eins"),
        ("q", "2", "Two", "Zwei"),
        ("r", "1", "Three", "Drei"),
        ("r", "2", "Four", None),
    ]
    imported = read_import(workbook({"survey": [columns, *rows], "choices": choices}))
    assert [question.text for question in imported.content.questions] == ["First?", "Second?", "Third?"]
    assert imported.content.fields["translations"] == {"de": {"One\nTwo": "Eins\nZwei", "Third?": "Drittens?"}}


def test_an_introduction_of_several_notes_is_translated_where_each_of_them_is() -> None:
    """A form may have any number of notes; here they are one text."""
    columns = ("type", "name", "label::English (en)", "label::Deutsch (de)", "label::Español (es)")
    rows = [
        columns,
        ("note", "one", "Hello.", "Hallo.", "Hola."),
        ("note", "two", "Briefly.", "Kurz.", None),
        ("note", "deniable_support", "Call us.", None, "Llámanos a ${number}."),
        ("select_one yesno", "copied", "Copied?", "Abgeschrieben?", "¿Copiaste?"),
    ]
    choices = [
        ("list_name", "name", *columns[2:]),
        ("yesno", "1", "Yes", "Ja", "Sí"),
        ("yesno", "0", "No", "Nein", "No"),
    ]
    fields = read_import(workbook({"survey": rows, "choices": choices})).content.fields
    assert fields["introduction"] == "Hello.\n\nBriefly."
    assert fields["translations"] == {
        "de": {"Hello.\n\nBriefly.": "Hallo.\n\nKurz.", "Copied?": "Abgeschrieben?"},
        "es": {"Copied?": "¿Copiaste?"},
    }


def test_notes_with_names_of_their_own_are_consent_support_and_what_the_title_is_called() -> None:
    columns = ("type", "name", "label::English (en)", "label::Deutsch (de)")
    rows = [
        columns,
        ("note", "deniable_title", "Exams", "Prüfungen"),
        ("note", "deniable_consent", "Agreed.\nAged 18.", "Ja.\nIch bin 18."),
        ("note", "deniable_support", "Call us.", "Ruf uns an."),
    ]
    fields = read_import(workbook({"survey": rows, "settings": [("form_title",), ("Exams",)]})).content.fields
    assert {name: fields[name] for name in ("title", "introduction", "consent", "support")} == {
        "title": "Exams",
        "introduction": "",
        "consent": "Agreed.\nAged 18.",
        "support": "Call us.",
    }
    assert fields["translations"] == {
        "de": {"Exams": "Prüfungen", "Agreed.\nAged 18.": "Ja.\nIch bin 18.", "Call us.": "Ruf uns an."}
    }


def test_a_form_without_a_title_or_a_question_is_a_draft_to_go_on_with() -> None:
    imported = read_import(form())
    assert imported.content.fields["title"]
    assert imported.content.questions == []


def test_no_more_questions_are_taken_than_a_survey_has() -> None:
    imported = read_import(form(*[YES_NO] * 60))
    assert len(imported.content.questions) == 50
    assert sum(not line.taken for line in imported.lines if line.sheet == "survey") == 10
    choices = [CHOICES[0], *[("many", number, f"Choice {number}") for number in range(20)]]
    imported = read_import(form(*[("select_multiple many", "x", "?")] * 10, choices=choices))
    assert len(imported.content.questions) == 7
    assert str(MAX_ITEMS) in imported.lines[-1].words


def test_two_hundred_choices_are_too_many() -> None:
    choices = [CHOICES[0], *[("many", number, f"Choice {number}") for number in range(200)]]
    imported = read_import(form(("select_one many", "x", "?"), choices=choices))
    assert re.findall(r"\d+", lines_of(imported)["x"]) == ["200", "2", "20"]


def test_cells_that_are_no_texts_are_read_as_people_see_them() -> None:
    choices = [CHOICES[0], ("q", 1, 1.0), ("q", 2, 2.5), ("q", 3, True), ("q", 4, dt.date(2026, 5, 1))]
    imported = read_import(form(("select_one q", "x", 2026), choices=choices))
    assert imported.content.questions[0].text == "2026"
    assert imported.content.questions[0].options == ("1", "2.5", "yes", "2026-05-01")


def test_line_breaks_that_excel_keeps_as_a_code_are_line_breaks() -> None:
    imported = read_import(form(("note", "n", "Hello._x000D_\nGoodbye.")))
    assert (imported.content.fields["introduction"], imported.in_part) == ("Hello.\nGoodbye.", 0)


def test_too_long_an_introduction_is_not_cut() -> None:
    imported = read_import(form(("note", "a", "x" * 1500), ("note", "b", "y" * 1500)))
    assert [line.taken for line in imported.lines if line.name in {"a", "b"}] == [True, False]
    assert imported.content.fields["introduction"] == "x" * 1500


def test_a_form_in_another_language_reports_in_the_authors() -> None:
    with pytest.raises(DocumentRefused, match="“survey”"):
        read_import(workbook({"Tabelle1": [("a", "b")]}))


def _triple(limits: Limits | None) -> object:
    return limits and tuple(tuple(limits[name]) for name in ("low", "high", "step"))


@pytest.mark.parametrize(
    ("constraint", "whole_numbers", "limits"),
    [
        (". >= 0 and . <= 24", True, ((0, 1), (24, 1), (1, 1))),
        (".>=0 and .<=24", True, ((0, 1), (24, 1), (1, 1))),
        ("(. > 0) AND (. < 10)", True, ((1, 1), (9, 1), (1, 1))),
        ("0 <= . and 10 >= .", True, ((0, 1), (10, 1), (1, 1))),
        (". <= 5 and . >= -5", True, ((-5, 1), (5, 1), (1, 1))),
        (". >= 0 and . <= 2.5", False, ((0, 1), (5, 2), (1, 100))),
        (". >= 0 and . <= 1000000", False, ((0, 1), (1_000_000, 1), (1, 1))),
        (". >= 0 and . <= 24 and . >= 3", True, ((3, 1), (24, 1), (1, 1))),
        (". >= 10 and . <= 1", True, None),
        (". >= ${low} and . <= 24", True, None),
        ("regex(., '[0-9]+')", True, None),
        ("", True, None),
        (". >= 0.5 and . < 3.5", True, None),
        (". >= 1e9 and . <= 1", True, None),
    ],
)
def test_a_constraint_is_understood_where_it_is_one_interval(
    constraint: str, whole_numbers: bool, limits: object
) -> None:
    assert _triple(limits_of_constraint(constraint, whole_numbers=whole_numbers)) == limits


@pytest.mark.parametrize(
    ("parameters", "limits"),
    [
        ("start=1 end=7 step=2", ((1, 1), (7, 1), (2, 1))),
        ("start = 1; end = 7, step = 0.5", ((1, 1), (7, 1), (1, 2))),
        ("", ((0, 1), (10, 1), (1, 1))),
        ("start=1 end=seven", None),
        ("start=3 end=3", None),
        ("step=0", None),
        ("start=1 end=7 colour=red", None),
    ],
)
def test_a_range_is_read_from_its_parameters(parameters: str, limits: object) -> None:
    assert _triple(limits_of_range(parameters)) == limits


@pytest.mark.parametrize(
    ("parameters", "shuffled"),
    [
        ("randomize=true", True),
        ("Randomize = TRUE; seed=42", True),
        ("randomize=true()", True),
        ("randomize=false", False),
        ("seed=1", False),
        (None, False),
    ],
)
def test_choices_in_random_order_are_options_in_random_order(parameters: str | None, *, shuffled: bool) -> None:
    rows = [(type_, type_[:10], "Which?", None, parameters) for type_ in ("select_one often", "select_multiple often")]
    imported = read_import(form(*rows))
    assert [question.random_order for question in imported.content.questions] == [shuffled, shuffled]
    # A seed is named: each phone draws an order of its own.
    assert {line.in_part for line in imported.lines if line.sheet == "survey"} == {"seed" in (parameters or "")}


def test_what_no_survey_can_hold_is_named_and_keeps_nothing_else_out() -> None:
    imported = read_import(
        form(
            ("note", "a", "Turned \u202e round"),
            ("note", "deniable_support", "x" * 3000),
            ("note", "b", "Welcome."),
            form_title="A\u202etitle",
        )
    )
    assert imported.content.fields["introduction"] == "Welcome."
    assert "\u202e" not in imported.content.fields["title"]
    assert [line.name for line in imported.lines if line.sheet == "survey" and not line.taken] == [
        "a",
        "deniable_support",
    ]
    assert [line.name for line in imported.lines if line.in_part] == ["form_title"]


def test_a_choice_that_quotes_an_answer_keeps_its_question_out() -> None:
    choices = [CHOICES[0], ("who", "1", "${pet}"), ("who", "2", "Someone else")]
    imported = read_import(form(("text", "pet", "Pet?"), ("select_one who", "w", "Who is it?"), choices=choices))
    assert imported.content.questions == []
    assert "quotes" in lines_of(imported)["w"]


def test_of_a_choice_with_rules_and_pictures_each_cell_is_named_with_its_column() -> None:
    columns = ("type", "name", "label", "constraint", "Constraint Message", "default", "guidance_hint", "media::image")
    choices = [("list_name", "name", "label", "audio"), ("q", 1, "One", "one.mp3"), ("q", 2, "Two"), ("r", 1, "Un")]
    row = ("select_multiple q", "x", "Which?", "count-selected(.) <= 1", "One at most", "1", "Read slowly", "map.png")
    imported = read_import(workbook({"survey": [columns, row], "choices": choices}))
    lost = {line.sheet: [loss.column for loss in line.lost] for line in imported.lines if line.in_part}
    assert lost == {"survey": list(columns[3:]), "choices": ["audio"]}
    # A list that nothing uses, and everything else that the form says.
    assert [(line.sheet, line.row) for line in imported.lines if not line.taken] == [("choices", 4)]


def test_two_choices_keep_their_words_unless_they_read_yes_and_no() -> None:
    choices = [CHOICES[0], ("q", "yes", "I agree"), ("q", "no", "I disagree")]
    assert read_import(form(("select_one q", "x", "?"), choices=choices)).content.questions[0].options == (
        "I agree",
        "I disagree",
    )


def test_lines_without_a_type_disabled_lines_settings_and_sheets_are_named() -> None:
    raw = workbook(
        {
            "Survey ": [
                ("Type", "Name", "Label", "Disabled"),
                (None, None, "A remark"),
                ("select_one yesno", "a", "Ever?", "yes"),
                ("select_one yesno", "b", "Often?", "no"),
                ("cascading_select places", "c", "Where?"),
            ],
            "CHOICES": CHOICES[:3],
            "Settings": [("Form Title", "form_id", "style"), ("Exams", "exams", "pages"), ("More", None, None)],
            "external_choices": [("list_name", "name")],
        }
    )
    imported = read_import(raw)
    assert [question.text for question in imported.content.questions] == ["Often?"]
    assert imported.content.fields["title"] == "Exams"
    left = [(line.sheet, line.row, line.name) for line in imported.lines if not line.taken]
    assert sorted(left) == [
        ("external_choices", 1, ""),
        ("settings", 2, "form_id"),
        ("settings", 2, "style"),
        ("settings", 3, ""),
        ("survey", 2, ""),
        ("survey", 3, "a"),
        ("survey", 5, "c"),
    ]


def test_labels_without_a_language_are_in_the_default_one() -> None:
    rows = [("type", "name", "label", "label::Deutsch (de)"), ("select_one q", "x", "Ever?", "Je?")]
    choices = [("list_name", "name", "label::English (en)", "label::Deutsch (de)")]
    choices += [("q", "1", "One", "Eins"), ("q", "2", "Two", "Zwei")]
    settings = [("default_language",), ("English (en)",)]
    imported = read_import(workbook({"survey": rows, "choices": choices, "settings": settings}))
    assert (imported.content.questions[0].text, imported.content.questions[0].options) == ("Ever?", ("One", "Two"))
    assert imported.content.fields["translations"] == {"de": {"Ever?": "Je?", "One\nTwo": "Eins\nZwei"}}
    # Where the default one has a column of its own, that counts, and the other is named.
    settings = [("default_language",), ("Deutsch (de)",)]
    imported = read_import(workbook({"survey": rows, "choices": choices, "settings": settings}))
    assert imported.content.questions[0].text == "Je?"
    assert [loss.column for line in imported.lines for loss in line.lost] == ["label"]


def test_a_default_language_without_labels_and_a_second_note_of_one_name_are_named() -> None:
    rows = [("type", "name", "label::Deutsch (de)")]
    rows += [("note", "deniable_consent", "Ja."), ("note", "deniable_consent", "Gern.")]
    imported = read_import(workbook({"survey": rows, "settings": [("default_language",), ("Klingon",)]}))
    assert imported.content.fields["consent"] == "Ja."
    assert [line.row for line in imported.lines if not line.taken] == [3]
    assert [loss.column for line in imported.lines for loss in line.lost] == ["default_language"]


def test_translations_that_are_lost_are_named_with_their_column() -> None:
    columns = ("type", "name", "label::English (en)", "label::Deutsch (de)")
    rows = [
        columns,
        ("note", "a", "Hello.", "Hallo."),
        ("note", "b", "Welcome.", None),
        ("select_one q", "x", "Ever?", "Je, ${name}?"),
        ("select_one q", "y", "Often?", None),
    ]
    choices = [("list_name", "name", *columns[2:]), ("q", "1", "One", "Eins"), ("q", "2", "Two", None)]
    imported = read_import(workbook({"survey": rows, "choices": choices}))
    assert imported.content.fields["translations"] == {}
    lost = [(line.name, loss.column) for line in imported.lines for loss in line.lost]
    # Of the choices, at each question that uses them; an empty cell is only missing.
    assert lost == [("a", columns[3]), ("x", columns[3]), ("x", "type"), ("y", "type")]
