"""What files and the ethics packet say of a survey in several languages."""

import json

import pytest
from django.urls import reverse
from django.utils import translation

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.exporting.files.codebook import HEAD, TEXTS
from surveys.exporting.selectors import column_name
from surveys.models import Survey
from tests.exporting.reports import download, table_of
from tests.factories import (
    crosswise,
    fill,
    make_draft,
    make_open,
    number_window,
    one_of,
    plain,
    several_of,
    yes_no,
)
from tests.pages import owner_of, page_of, words_of
from tests.questionnaire.test_translations import BOTH, GERMAN

pytestmark = pytest.mark.django_db


def test_the_json_file_holds_all_translations_as_they_are_frozen() -> None:
    survey = make_open(yes_no(), one_of(), translations=BOTH)
    fill(survey, {"01": 30, "12": 30})
    survey = close_survey(survey=survey)
    response = owner_of(survey).get(reverse("survey-export-json", args=[survey.code]))
    content = b"".join(response.streaming_content) if response.streaming else response.content
    assert json.loads(content)["definition"]["translations"] == BOTH


def test_the_packet_shows_every_text_beside_what_it_is_called() -> None:
    packet = page_of("survey-ethics", make_open(yes_no(), one_of(), translations=BOTH))
    shown = words_of(packet[packet.index('id="languages-title"') :])
    for words in BOTH.values():
        for text, translated in words.items():
            assert f"{' '.join(text.split())} {' '.join(translated.split())}" in shown


def test_the_packet_of_a_draft_says_what_is_missing_and_without_languages_nothing_of_them() -> None:
    draft = make_draft(yes_no(), one_of(), translations={"de": {"How often?": GERMAN["How often?"]}})
    [(code, _name, texts)] = owner_of(draft).get(reverse("survey-ethics", args=[draft.code])).context["translated"]
    assert (code, [translated for _text, translated in texts].count("")) == ("de", 3)
    assert "languages-title" not in page_of("survey-ethics", make_draft())


def _in_two_languages() -> Survey:
    questions = [
        plain(leave_out="visibly"),
        yes_no(asked_if={"question": 1, "answers": [1, 2]}),
        crosswise(),
        several_of(),
        number_window(),
    ]
    german = {
        "Which year are you in?": "In welchem Jahr bist du?",
        "First year\nSecond year\nLater": "Erstes Jahr\nZweites Jahr\nSpäter",
        "Have you ever cheated in an exam?": "Hast du schon einmal geschummelt?",
        "Have you ever shoplifted?": "Hast du schon einmal etwas gestohlen?",
        "Was your mother born in January, February or March?": "Hat deine Mutter im ersten Vierteljahr Geburtstag?",
        "Births by month, national statistics: 1 of 4.": "Geburten nach Monaten: 1 von 4.",
        "Which did you use?": "Was davon?",
        "Coffee\nTablets\nSomething illegal": "Kaffee\nTabletten\nVerbotenes",
        "How many hours did you sleep last night?": "Wie viele Stunden hast du geschlafen?",
        "hours": "Stunden",
        "Exams": "Prüfungen",
    }
    survey = make_open(*questions, translations={"de": german})
    fill(survey, {"0-00000": 14, "1000000": 25, "2000000": 2, "--00000": 1})
    return close_survey(survey=survey)


def test_the_codebook_has_columns_for_each_other_language_where_it_is_coarsened_too() -> None:
    survey = _in_two_languages()
    head, rows = table_of(download(owner_of(survey), survey, "survey-export-codebook-csv"))
    assert tuple(head) == (*HEAD, "value", *(f"{name}_de" for name in TEXTS))
    codes = {(row["column"], row["code"]): row for row in (dict(zip(head, row, strict=True)) for row in rows)}
    assert [(codes["q1", code]["report"], codes["q1", code]["report_de"]) for code in "01"] == [
        ("First year or skipped", "Erstes Jahr oder übersprungen"),
        ("Second year or Later", "Zweites Jahr oder Später"),
    ]
    assert codes["q1", "1"]["truth_de"] == "Zweites Jahr oder Später"
    assert (codes["q2", "1"]["question_de"], codes["q2", "1"]["truth_de"]) == (
        "Hast du schon einmal geschummelt?",
        "Ja",
    )
    german = definition_of(survey).in_language("de")
    with translation.override("de"):
        for item in german.items[1:]:
            column = [row for row in codes.values() if row["column"] == column_name(item)]
            assert [row["report_de"] for row in column] == list(map(str, item.report_labels))
            assert {row["option_de"] for row in column} == {item.option}
            if not item.grid:
                assert [row["truth_de"] for row in column] == list(item.labels)


def test_the_codebook_to_print_has_every_language_and_of_one_alone_it_is_as_ever() -> None:
    survey = _in_two_languages()
    page = page_of("survey-export-codebook", survey)
    for german in ("In welchem Jahr bist du?", "Was davon? – Tabletten"):
        assert f'<p class="quiet" lang="de" dir="auto">{german}</p>' in page
    assert page.count('<span class="elsewhere" lang="de" dir="auto">Zweites Jahr oder Später</span>') == 2
    alone = make_open(yes_no(), one_of())
    assert "elsewhere" not in page_of("survey-export-codebook", alone)
    assert tuple(table_of(download(owner_of(alone), alone, "survey-export-codebook-csv"))[0]) == HEAD
