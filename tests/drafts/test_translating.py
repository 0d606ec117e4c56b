"""Translating a draft, and what is asked of its translations before it opens."""

import re
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from surveys.course.services import open_survey
from surveys.documents.services.creating import duplicate
from surveys.drafts.services.surveys import NotAllowedNow, SavedMeanwhile, save_draft
from surveys.drafts.services.translating import faults_of, texts_of, translate_draft
from surveys.models import Survey
from surveys.questionnaire.question import Question
from tests.factories import PROTECTED, crosswise, make_draft, make_open, make_user, one_of, rewrite, two_lists, yes_no
from tests.questionnaire.test_translations import GERMAN, HEBREW

pytestmark = pytest.mark.django_db
OPTIONS = "Never\nOnce\nOften"


def _draft(*questions: Question, **fields: Any) -> Survey:
    return make_draft(*(questions or (yes_no(), one_of())), **fields)


def _saved(survey: Survey, words: dict[str, str], code: str = "de") -> Survey:
    survey.refresh_from_db()
    return translate_draft(survey=survey, code=code, words=words, revision=survey.revision)


def _refusal(survey: Survey) -> str:
    with pytest.raises(ValidationError) as refused:
        open_survey(survey=survey)
    assert Survey.objects.get(pk=survey.pk).is_draft
    return " ".join(refused.value.messages)


def test_texts_come_in_the_order_of_the_pages_and_each_once() -> None:
    survey = _draft(yes_no(), one_of(), one_of(text="At home?"), introduction="Why we ask.")
    assert [(each.number, each.name, each.text) for each in texts_of(survey.questionnaire)] == [
        (0, "title", "Exams"),
        (0, "introduction", "Why we ask."),
        (1, "text", yes_no().text),
        (2, "text", "How often?"),
        (2, "options", OPTIONS),
        (3, "text", "At home?"),
    ]


def test_what_there_is_is_saved_as_a_revision_and_kept_among_the_saved_ones() -> None:
    survey = _draft()
    saved = _saved(survey, {"Exams": "Prüfungen", "How often?": "  ", "Nowhere?": "Nirgends?"})
    assert saved.questionnaire.translations == {"de": {"Exams": "Prüfungen"}}
    assert saved.revision == 2
    assert saved.saved_versions.first().document["survey"]["translations"] == saved.questionnaire.translations
    assert _saved(saved, {"Exams": "Prüfungen"}).revision == 2
    assert _saved(saved, HEBREW, "he").questionnaire.translations.keys() == {"de", "he"}
    assert _saved(saved, {}).questionnaire.translations == {"he": HEBREW}


def test_somebody_elses_save_and_an_opened_design_are_never_written_over() -> None:
    survey = _draft()
    with pytest.raises(SavedMeanwhile):
        translate_draft(survey=survey, code="de", words=GERMAN, revision=survey.revision - 1)
    with pytest.raises(NotAllowedNow):
        translate_draft(survey=make_open(), code="de", words=GERMAN, revision=1)
    assert [each.questionnaire.translations for each in Survey.objects.all()] == [{}, {}]


def test_a_changed_text_is_missing_and_what_it_was_called_is_kept_until_nothing_is() -> None:
    survey = _saved(_draft(), GERMAN)
    changed = save_draft(survey=survey, questions=[yes_no(), one_of(text="How often last year?")])
    assert "“How often last year?”" in _refusal(changed)
    half = _saved(changed, {text: words for text, words in GERMAN.items() if text != "Exams"})
    assert half.questionnaire.translations["de"]["How often?"] == "Wie oft?"
    complete = _saved(changed, GERMAN | {"How often last year?": "Wie oft voriges Jahr?"})
    assert "How often?" not in complete.questionnaire.translations["de"]


def test_a_survey_opens_in_all_its_languages_and_with_nothing_that_is_not_read() -> None:
    survey = _draft(translations={"de": GERMAN | {"Gone?": "Weg?"}, "he": HEBREW, "en": {"Exams": "Tests"}})
    opened = open_survey(survey=survey)
    assert opened.questionnaire.translations == {"de": GERMAN, "he": HEBREW}


@pytest.mark.parametrize("missing", list(GERMAN))
def test_no_survey_opens_while_a_text_is_missing_and_the_refusal_names_language_and_text(missing: str) -> None:
    hebrew = {text: words for text, words in HEBREW.items() if text != missing}
    refusal = _refusal(_draft(translations={"de": GERMAN, "he": hebrew}))
    place = {"Exams": "", yes_no().text: "1"}.get(missing, "2")
    assert re.fullmatch(rf"עברית[^\d]*{place}: “{re.escape(' / '.join(missing.splitlines()))}”.*", refusal)


def test_of_many_that_are_missing_a_few_are_named() -> None:
    survey = _draft(*(yes_no(f"Number {number}?") for number in range(9)), translations={"de": {}})
    with pytest.raises(ValidationError) as refused:
        open_survey(survey=survey)
    assert len(refused.value.messages) == 5


@pytest.mark.parametrize(
    ("text", "words", "named"),
    [
        (OPTIONS, "Nie\nOft", "3"),
        (OPTIONS, "Nie\nNie\nOft", ""),
        (OPTIONS, "Nie\nOft\nMöchte ich nicht sagen", ""),
        (OPTIONS, f"Nie\nOft\n{'x' * 121}", "120"),
        ("Exams", "x" * 201, "200"),
        ("How often?", "Wie\noft?", ""),
        ("How often?", "x" * 501, "500"),
    ],
)
def test_what_a_text_may_not_be_its_translation_may_not_be(text: str, words: str, named: str) -> None:
    survey = _draft(yes_no(), one_of(**PROTECTED))
    with pytest.raises(ValidationError) as refused:
        _saved(survey, {text: words})
    assert list(refused.value.message_dict) == [text]
    [message] = refused.value.message_dict[text]
    assert named in message
    rewrite(survey, 0, translations={"de": GERMAN | {text: words}})
    assert message in _refusal(survey)


def test_what_is_not_translated_yet_is_no_fault() -> None:
    survey = _draft(yes_no(), one_of(**PROTECTED))
    assert faults_of(survey.questionnaire, "de") == {}
    assert _saved(survey, {OPTIONS: "Nie\nEinmal\nOft"}).questionnaire.translations


def test_two_facts_do_not_become_one_in_another_language() -> None:
    facts = [f"Was your {who} born in spring?" for who in ("mother", "father")]
    asked = [crosswise(f"{fact}?!", details={"innocuous": fact, "innocuous_source": "Births."}) for fact in facts]
    with pytest.raises(ValidationError) as refused:
        _saved(_draft(*asked), dict.fromkeys(facts, "Wurde jemand im Frühling geboren?"))
    assert list(refused.value.message_dict) == [facts[1]]


def test_lists_differ_by_one_statement_in_every_language() -> None:
    arms = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]
    survey = _draft(yes_no(), *two_lists(), arms=arms)
    words = {each.text: each.text for each in texts_of(survey.questionnaire)}
    short, long = (text for text in words if "opera" in text)
    words |= {short: short.replace("opera", "Oper")}
    rewrite(survey, 0, translations={"de": words})
    assert _refusal(survey).startswith("Deutsch: ")
    rewrite(survey, 0, translations={"de": words | {long: long.replace("opera", "Oper")}})
    assert not open_survey(survey=survey).is_draft


def test_a_copy_of_a_survey_has_its_languages() -> None:
    survey = make_open(yes_no(), one_of(), translations={"de": GERMAN})
    assert duplicate(survey=survey, owner=make_user()).questionnaire.translations == {"de": GERMAN}
