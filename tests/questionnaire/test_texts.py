"""Each text of a survey is where its declaration says that it is read, and in all that is made of surveys."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from surveys.answering.services.collecting import new_nonce
from surveys.common.selectors import definition_of
from surveys.documents.services.creating import duplicate
from surveys.drafts.selectors import SURVEY_FIELDS, document_of
from surveys.drafts.services.translating import faults_of, texts_of
from surveys.editor.forms.differences import differences
from surveys.editor.forms.editor import SurveyForm
from surveys.models import Survey
from surveys.questionnaire.document import COLUMNS, TEXTS, WHERE_SET, Place
from tests.editor.form import posted, question
from tests.factories import make_draft, make_open, rewrite, yes_no
from tests.pages import owner_of, page_of, text_of
from tests.rehearsing.rehearsals import rehearse

pytestmark = pytest.mark.django_db

DOORS = ("answer", "own-coin", "server-coin")
# The pages of each place; "answer" is the first page of the doors that a phone comes through.
PAGES = {
    Place.HEADLINE: {*DOORS, "receipt"},
    Place.PROMISE: {"answer"},
    Place.CONSENT: {*DOORS},
    Place.RECEIPT: {"receipt", *DOORS},
}
WRITTEN = {name: f"written-as-{name}." for name in TEXTS}
GERMAN = {text: f"auf-deutsch-{name}." for name, text in WRITTEN.items()}
QUESTION = "Have you ever cheated in an exam?"
names = pytest.mark.parametrize("name", TEXTS)
doors = pytest.mark.parametrize("page", [*DOORS, "receipt"])


def _survey() -> Survey:
    translations = {"de": GERMAN | {QUESTION: "Hast du schon einmal geschummelt?"}}
    return make_open(yes_no(QUESTION), server_mode_allowed=True, translations=translations, **WRITTEN)


def _draft(**changes: str) -> Survey:
    return make_draft(yes_no(QUESTION), server_mode_allowed=True, **(WRITTEN | changes))


def _html(survey: Survey, page: str, language: str = "en") -> str:
    client = Client()
    client.get(reverse("answer", args=[survey.code]), {"language": language})
    if page == "receipt":
        client.post(reverse("answer", args=[survey.code]), {"mode": "own_coin", "nonce": new_nonce(), "item-1": "1"})
    return text_of(client.get(reverse(page, args=[survey.code])))


@doors
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_page_has_the_texts_of_its_places_in_its_language_and_no_others(page: str, language: str) -> None:
    html = _html(_survey(), page, language)
    texts = {name: WRITTEN[name] if language == "en" else GERMAN[WRITTEN[name]] for name in TEXTS}
    assert {name for name in TEXTS if texts[name] in html} == {
        name for name, text in TEXTS.items() if page in PAGES[text.place]
    }
    assert not any(text in html for text in {*WRITTEN.values(), *GERMAN.values()} - set(texts.values()))


@doors
def test_a_text_that_is_not_written_leaves_no_heading(page: str) -> None:
    survey = make_open(yes_no(QUESTION), server_mode_allowed=True, consent="May we?", title="Exams")
    html = _html(survey, page)
    assert not [text.heading for text in TEXTS.values() if text.heading and f">{text.heading}<" in html]


@doors
def test_where_nobody_can_decline_what_is_read_on_the_receipt_is_read_there_alone(page: str) -> None:
    unasked = {name: "" for name, text in TEXTS.items() if text.place is Place.CONSENT}
    survey = make_open(yes_no(QUESTION), server_mode_allowed=True, **(WRITTEN | unasked))
    html = _html(survey, page)
    at_the_end = [name for name, text in TEXTS.items() if text.place is Place.RECEIPT]
    assert [name for name in at_the_end if WRITTEN[name] in html] == (at_the_end if page == "receipt" else [])


def test_the_previews_have_what_the_first_page_has() -> None:
    draft = _draft()
    first = {name for name, text in TEXTS.items() if "answer" in PAGES[text.place]}
    stored = page_of("survey-preview", draft)
    assert {name for name in TEXTS if WRITTEN[name] in stored} == first
    typed = owner_of(draft).post(reverse("survey-preview-typed"), posted(question(), **WRITTEN))
    assert {name: getattr(typed.context["definition"], name) for name in TEXTS} == WRITTEN


@names
def test_the_ethics_packet_has_it_once_and_its_translation(name: str) -> None:
    draft = _draft(**{other: "" for other in TEXTS if other not in {name, "title"}})
    rewrite(draft, 0, translations={"de": GERMAN})
    packet = page_of("survey-ethics", draft)
    printed = packet.partition('aria-labelledby="languages-title"')
    assert WRITTEN[name] in printed[0].partition("<h1")[2]
    assert GERMAN[WRITTEN[name]] in printed[2]
    without = page_of("survey-ethics", _draft(**{name: "x" if name == "title" else ""}))
    assert WRITTEN[name] not in without
    assert {other for other in TEXTS if WRITTEN[other] not in without} == {name}


@names
def test_a_document_has_it_and_gives_it_back(name: str) -> None:
    draft = _draft()
    assert document_of(draft)["survey"][name] == WRITTEN[name]
    assert getattr(duplicate(survey=draft, owner=draft.owner).questionnaire, name) == WRITTEN[name]


@names
def test_the_schema_and_the_formats_name_it(name: str) -> None:
    schema = json.loads((Path(settings.BASE_DIR) / "static/schemas/survey-1.schema.json").read_text(encoding="utf-8"))
    stated = schema["$defs"]["survey"]["properties"][name]
    assert stated == {"type": "string", "maxLength": TEXTS[name].longest} | (
        {"minLength": 1} if name == "title" else {}
    )
    formats = (Path(settings.BASE_DIR) / "docs/formats.md").read_text(encoding="utf-8")
    assert f"`{name}`" in formats.partition("### The survey's fields")[2].partition("###")[0]


@names
def test_the_editor_shows_it_with_its_length_and_says_what_differs(name: str) -> None:
    draft, text = _draft(), TEXTS[name]
    page = owner_of(draft).get(reverse("survey-edit", args=[draft.code]))
    field = page.context["editor"].survey[name]
    assert str(field) in page.content.decode()
    assert field.field.max_length == text.longest
    assert field.value() == WRITTEN[name]
    assert str(text.help) in page.content.decode()
    [change] = differences(document_of(draft), document_of(_draft(**{name: "Another."})))
    label = SurveyForm.base_fields[name].label
    assert (change.place, change.what, change.before, change.after) == (name, label, WRITTEN[name], "Another.")


@names
def test_it_can_be_translated_and_a_translation_keeps_its_rules(name: str) -> None:
    draft, written = _draft(), WRITTEN[name]
    assert (0, name, written) in [(each.number, each.name, each.text) for each in texts_of(draft.questionnaire)]
    assert written in page_of("survey-languages", draft) + text_of(
        owner_of(draft).get(reverse("survey-language", args=[draft.code, "de"]))
    )
    for translated, is_refused in (("Anders.", False), ("An\u202eders.", True)):
        translations = {"de": {written: translated}}
        assert (written in faults_of(replace(draft.questionnaire, translations=translations), "de")) == is_refused


@pytest.mark.parametrize("name", [name for name in COLUMNS if name not in WHERE_SET])
def test_what_is_frozen_is_hashed_written_and_kept_by_the_database(name: str) -> None:
    survey = _survey()
    written = survey.questionnaire
    assert name in SURVEY_FIELDS
    kept = getattr(written, name)
    assert definition_of(survey).content[name] == kept == getattr(definition_of(survey), name)
    other = {str: "de" if name == "language" else "Another.", int: 11, bool: not kept}[type(kept)]
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        rewrite(survey, 0, **{name: other})
    draft = _draft()
    version = definition_of(draft).version
    rewrite(draft, 0, **{name: other})
    assert definition_of(draft).version != version


def test_a_rehearsal_has_every_text() -> None:
    copy = rehearse(_survey()).survey
    assert {name: getattr(copy.questionnaire, name) for name in TEXTS} == WRITTEN
