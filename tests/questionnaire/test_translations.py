"""A survey in further languages: its texts by what they stand for, its definition in each, and what is frozen of it."""

from dataclasses import asdict
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import translation

from surveys.common.selectors import definition_of
from surveys.questionnaire.kinds import prefer_not_to_say
from surveys.questionnaire.translations import LONGEST_TEXT, MOST_TEXTS, check_translations
from tests.factories import PROTECTED, every_kind, make_draft, make_open, one_of, rewrite, scale, several_of, yes_no

pytestmark = pytest.mark.django_db

GERMAN = {
    "Exams": "Prüfungen",
    "Have you ever cheated in an exam?": "Hast du schon einmal in einer Prüfung geschummelt?",
    "How often?": "Wie oft?",
    "Never\nOnce\nOften": "Nie\nEinmal\nOft",
}
HEBREW = {
    "Exams": "מבחנים",
    "Have you ever cheated in an exam?": "האם העתקתם פעם במבחן?",
    "How often?": "באיזו תדירות?",
    "Never\nOnce\nOften": "אף פעם\nפעם אחת\nהרבה",
}
BOTH = {"de": GERMAN, "he": HEBREW}


def _two_questions() -> list[Any]:
    return [yes_no(), one_of(**PROTECTED)]


def test_in_a_language_every_text_is_its_own_and_the_pages_words_are_that_languages() -> None:
    definition = definition_of(make_open(*_two_questions(), translations=BOTH))
    assert definition.languages == ("en", "de", "he")
    german = definition.in_language("de")
    assert (german.language, german.title) == ("de", "Prüfungen")
    assert [question.text for question in german.questions] == list(GERMAN.values())[1:3]
    assert german.questions[0].first.labels == ("Nein", "Ja")
    with translation.override("de"):
        assert german.questions[1].first.labels == ("Nie", "Einmal", "Oft", prefer_not_to_say())
    assert german.questions[1].first.labels[-1] != definition.questions[1].first.labels[-1]
    assert german.languages == definition.languages
    assert definition.in_language("en") is definition


def test_texts_keep_the_order_of_their_fields_however_they_are_stored() -> None:
    (question,) = make_draft(scale()).questionnaire.questions
    assert list(question.texts) == ["text", "low_end", "high_end"]


def test_chances_codes_items_and_version_are_the_same_in_every_language() -> None:
    definition = definition_of(make_open(*_two_questions(), translations=BOTH))
    for code in ("de", "he"):
        spoken = definition.in_language(code)
        assert [item.design for item in spoken.items] == [item.design for item in definition.items]
        assert [item.key for item in spoken.items] == [item.key for item in definition.items]
        assert (spoken.version, spoken.content) == (definition.version, definition.content)
        assert (spoken.columns, spoken.epsilon) == (definition.columns, definition.epsilon)
        for there, here in zip(spoken.browser["questions"], definition.browser["questions"], strict=True):
            assert there | {"reports": ()} == here | {"reports": ()}


def test_of_every_kind_and_design_each_text_is_translated() -> None:
    draft = make_draft(*every_kind(), introduction="Why we ask.", consent="You may stop.", support="Call us.")
    written = draft.questionnaire
    texts = {text for part in (written, *written.questions) for text in part.texts.values()}
    words = {text: "\n".join(f"⟨{line}⟩" for line in text.split("\n")) for text in texts}
    rewrite(draft, 0, translations={"es": words})
    spoken = definition_of(draft).in_language("es")
    read = [spoken.title, spoken.introduction, spoken.consent, spoken.support]
    for question in spoken.questions:
        read += [question.text, *question.options]
        details = [each for part in (question.answers, question.chance) for each in asdict(part).values()]
        read += [detail for detail in details if isinstance(detail, str) and detail]
    assert all(text.startswith("⟨") for text in read)
    assert len(read) > 25


def test_however_its_line_breaks_are_written_a_text_is_the_same() -> None:
    words = {"Why we ask.\n\nWhat we do.": "Warum.\r\n\r\nWas."}
    for written in ("Why we ask.\n\nWhat we do.", "Why we ask.\r\n\r\nWhat we do."):
        survey = make_draft(introduction=written, translations={"de": words})
        assert definition_of(survey).in_language("de").introduction == "Warum.\r\n\r\nWas."
        assert definition_of(survey).introduction == written


def test_what_is_not_translated_stays_as_it_is_written() -> None:
    definition = definition_of(make_draft(*_two_questions(), translations={"de": {"How often?": "Wie oft?"}}))
    german = definition.in_language("de")
    assert (german.title, german.questions[1].text) == ("Exams", "Wie oft?")
    assert german.questions[1].options == ("Never", "Once", "Often")


def test_a_survey_in_its_own_language_alone_has_the_version_it_had() -> None:
    survey = make_draft(*_two_questions())
    assert "translations" not in definition_of(survey).content
    assert definition_of(survey).languages == ()
    version = definition_of(survey).version
    rewrite(survey, 0, translations={"en": {"Exams": "Tests"}})
    assert definition_of(survey).version == version
    with pytest.raises(KeyError):
        definition_of(survey).in_language("de")


def test_what_is_read_is_frozen_and_what_is_read_no_longer_is_not_part_of_it() -> None:
    survey = make_draft(*_two_questions(), translations={"de": GERMAN | {"Gone?": "Weg?"}})
    content = definition_of(survey).content
    assert content["translations"] == {"de": GERMAN}
    before = definition_of(survey).version
    rewrite(survey, 0, translations={"de": GERMAN | {"Exams": "Klausuren"}})
    assert definition_of(survey).version != before


def test_it_is_frozen_once_the_survey_is_open() -> None:
    survey = make_open(*_two_questions(), translations=BOTH)
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        rewrite(survey, 0, translations={})


def test_each_arm_and_each_option_that_is_an_item_are_in_the_language() -> None:
    arms = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]
    questions = [yes_no(), scale(arms=[2]), several_of()]
    german = GERMAN | {
        "How often were you afraid?": "Wie oft hattest du Angst?",
        "Never": "Nie",
        "Always": "Immer",
        "Which did you use?": "Was davon?",
        "Coffee\nTablets\nSomething illegal": "Kaffee\nTabletten\nVerbotenes",
    }
    definition = definition_of(make_open(*questions, arms=arms, translations={"de": german})).in_language("de")
    second = definition.in_arm(2)
    asked = ["Hast du schon einmal in einer Prüfung geschummelt?", "Wie oft hattest du Angst?", "Was davon?"]
    assert [question.text for question in second.questions] == asked
    assert second.questions[1].first.labels[0] == "1 (Nie)"
    assert [item.option for item in definition.in_arm(1).items] == ["", "Kaffee", "Tabletten", "Verbotenes"]
    assert (second.language, second.all_arms.language) == ("de", "de")


@pytest.mark.parametrize(
    "stored",
    [
        [],
        {"fr": {}},
        {"de": []},
        {"de": {"A": ""}},
        {"de": {" ": "B"}},
        {"de": {"A": 1}},
        {"de": {"A": "x" * (LONGEST_TEXT + 1)}},
        {"de": {"A": "turned \u202e round"}},
        {"de": {str(number): "x" for number in range(MOST_TEXTS + 1)}},
    ],
    ids=range(9),
)
def test_what_are_no_translations_is_refused(stored: object) -> None:
    with pytest.raises(ValidationError):
        check_translations(stored)
    check_translations({"de": {"A\nB": "x" * LONGEST_TEXT}, "he": {}})
