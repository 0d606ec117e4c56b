"""Writing a survey in further languages: out of sight, then a page of its own with the texts side by side."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.course.services import open_survey
from surveys.drafts.selectors import document_of
from surveys.drafts.services.surveys import save_draft
from surveys.drafts.services.translating import translate_draft
from surveys.editor.forms.differences import differences
from surveys.models import Survey
from tests.editor.form import NEW, posted, question
from tests.factories import make_draft, make_open, one_of, yes_no
from tests.pages import owner_of, signed_in, text_of
from tests.questionnaire.test_translations import GERMAN, HEBREW

pytestmark = pytest.mark.django_db
OPTIONS = "Never\nOnce\nOften"


@pytest.fixture
def survey() -> Survey:
    return make_draft(yes_no(), one_of())


def _address(survey: Survey, code: str = "de") -> str:
    return reverse("survey-language", args=[survey.code, code])


def _fields(client: Client, survey: Survey, code: str = "de") -> dict[str, str]:
    """Return the names of the fields by the texts that they stand for."""
    return {each.text: field.html_name for each, field in client.get(_address(survey, code)).context["form"].pairs}


def _send(survey: Survey, words: dict[str, str], code: str = "de", **changes: str) -> HttpResponse:
    client = owner_of(survey)
    names = _fields(client, survey, code)
    survey.refresh_from_db()
    sent = {names[text]: typed for text, typed in words.items()} | {"revision": str(survey.revision)} | changes
    return client.post(_address(survey, code), sent)


def test_it_is_out_of_sight_until_somebody_asks_for_it() -> None:
    page = text_of(signed_in().get(NEW))
    assert page.count('value="languages"') == 1
    assert page.index('<details class="settings">') < page.index('value="languages"') < page.index("</details>")


def test_asking_for_it_saves_what_is_typed_and_lists_the_languages() -> None:
    client = signed_in()
    asked = client.post(NEW, posted(question(), action="languages"))
    survey = Survey.objects.get()
    assert asked["Location"] == reverse("survey-languages", args=[survey.code])
    listed = client.get(asked["Location"]).context["languages"]
    assert [language.name for language in listed] == ["Deutsch", "Español", "עברית"]
    assert not any(language.translated for language in listed)


def test_originals_and_fields_stand_side_by_side_each_with_its_own_label(survey: Survey) -> None:
    response = owner_of(survey).get(_address(survey, "he"))
    pairs = response.context["form"].pairs
    assert [(each.text, field.label) for each, field in pairs] == [
        ("Exams", "Title"),
        (yes_no().text, "Question 1"),
        ("How often?", "Question 2"),
        (OPTIONS, "Question 2, Options"),
    ]
    page = text_of(response)
    for _each, field in pairs:
        label = f'<span class="visually-hidden">{field.label}:</span> <span lang="he"'
        assert f'<label for="{field.id_for_label}">{label}' in page
    assert page.count('lang="he"') >= 2 * len(pairs)


def test_what_is_typed_is_saved_shown_again_and_offered(survey: Survey) -> None:
    typed = GERMAN | {OPTIONS: " Nie \r\n\r\nEinmal\r\nOft\r\n"}
    saved = _send(survey, typed)
    assert saved["Location"] == reverse("survey-languages", args=[survey.code])
    survey.refresh_from_db()
    assert survey.questionnaire.translations == {"de": GERMAN}
    listed = owner_of(survey).get(reverse("survey-languages", args=[survey.code])).context["languages"]
    assert [language.missing for language in listed if language.translated] == [0]
    assert "Wie oft?" in text_of(owner_of(survey).get(_address(survey)))
    assert "Wie oft?" in text_of(owner_of(survey).get(reverse("survey-preview", args=[survey.code]) + "?language=de"))
    assert not open_survey(survey=survey).is_draft


def test_a_part_can_be_saved_and_the_list_says_how_much_is_missing(survey: Survey) -> None:
    _send(survey, {"Exams": "Prüfungen"})
    listed = owner_of(survey).get(reverse("survey-languages", args=[survey.code])).context["languages"]
    assert [(language.translated, language.missing) for language in listed if language.code == "de"] == [(1, 3)]
    refused = text_of(owner_of(survey).post(reverse("survey-open", args=[survey.code]), {}))
    assert f"“{yes_no().text}”" in refused
    assert Survey.objects.get(pk=survey.pk).is_draft


def test_what_is_wrong_stands_at_its_field_and_all_that_was_typed_stays(survey: Survey) -> None:
    refused = _send(survey, GERMAN | {OPTIONS: "Nie\nOft", "Exams": "x" * 201})
    assert refused.status_code == 422
    form = refused.context["form"]
    wrong = {each.text: list(field.errors) for each, field in form.pairs if field.errors}
    assert wrong.keys() == {OPTIONS, "Exams"}
    assert re.findall(r"\d+", wrong[OPTIONS][0]) == ["3", "2"]
    page = text_of(refused)
    assert {problem.message.split(":")[0] for problem in refused.context["problems"]} == {
        "Title",
        "Question 2, Options",
    }
    for problem in refused.context["problems"]:
        assert f'href="#{problem.field_id}"' in page
    assert "Wie oft?" in page
    assert Survey.objects.get(pk=survey.pk).questionnaire.translations == {}


def test_what_nobody_sees_or_turns_the_text_is_refused(survey: Survey) -> None:
    refused = _send(survey, {"Exams": "Prüfungen \u202e"})
    assert refused.status_code == 422
    assert [each.text for each, field in refused.context["form"].pairs if field.errors] == ["Exams"]


def test_a_save_over_somebody_elses_is_asked_about_and_what_was_typed_stays_with_its_text(survey: Survey) -> None:
    client, names = owner_of(survey), _fields(owner_of(survey), survey)
    save_draft(survey=survey, questions=[one_of(), yes_no()], title="Tests")
    sent = {names["How often?"]: "Wie oft?", names["Exams"]: "Prüfungen", "revision": "1"}
    meanwhile = client.post(_address(survey), sent)
    assert meanwhile.status_code == 409
    assert meanwhile.context["meanwhile"]
    typed = {each.text: field.value() for each, field in meanwhile.context["form"].pairs}
    assert typed["How often?"] == "Wie oft?"
    assert 'name="revision" value="2"' in text_of(meanwhile)
    assert client.post(_address(survey), sent | {"revision": "2"}).status_code == 302
    assert Survey.objects.get(pk=survey.pk).questionnaire.translations == {"de": {"How often?": "Wie oft?"}}


def test_a_language_is_no_longer_offered_by_one_button(survey: Survey) -> None:
    assert 'value="remove"' not in text_of(owner_of(survey).get(_address(survey)))
    _send(survey, GERMAN)
    assert 'value="remove"' in text_of(owner_of(survey).get(_address(survey)))
    assert _send(survey, {}, action="remove").status_code == 302
    assert Survey.objects.get(pk=survey.pk).questionnaire.translations == {}


def test_what_a_changed_text_was_called_is_shown_to_copy_from(survey: Survey) -> None:
    _send(survey, GERMAN)
    survey.refresh_from_db()
    save_draft(survey=survey, questions=[yes_no(), one_of(text="How often last year?")])
    response = owner_of(survey).get(_address(survey))
    assert response.context["form"].earlier == [("How often?", "Wie oft?")]
    assert "Wie oft?" in text_of(response)


def test_only_languages_of_respondents_pages_and_only_drafts_have_such_a_page(survey: Survey) -> None:
    client = owner_of(survey)
    for code in ("en", "fr", "DE"):
        assert client.get(_address(survey, code)).status_code == 404
    opened = make_open()
    for address in (_address(opened), reverse("survey-languages", args=[opened.code])):
        assert owner_of(opened).get(address)["Location"] == reverse("survey-detail", args=[opened.code])
    assert owner_of(opened).post(_address(opened), {"revision": "1"}).status_code == 302


def test_the_editor_keeps_translations_and_tells_how_versions_differ_in_them(survey: Survey) -> None:
    before = document_of(survey)
    translated = translate_draft(survey=survey, code="he", words=HEBREW, revision=1)
    [change] = differences(before, document_of(translated))
    assert (change.place, change.what, change.before) == ("translations.he", "עברית", "")
    assert all(words in change.after for words in HEBREW.values())
    address, form = reverse("survey-edit", args=[survey.code]), posted(question(text="Other?"), title="Tests")
    page = owner_of(survey).post(address, form | {"revision": "1"})
    assert page.status_code == 409
    assert not [change for change in page.context["conflict"].differences if change.place == "translations.he"]
    assert owner_of(survey).post(address, form | {"revision": "2"}).status_code == 302
    assert Survey.objects.get(pk=survey.pk).questionnaire.translations == {"he": HEBREW}


def test_the_preview_of_an_arm_keeps_its_language(survey: Survey) -> None:
    arms = [{"name": "One", "weight": 1}, {"name": "Other", "weight": 1}]
    dealt = make_draft(yes_no(), one_of(arms=[2]), arms=arms, translations={"de": GERMAN})
    page = text_of(owner_of(dealt).get(reverse("survey-preview", args=[dealt.code]) + "?arm=2&language=de"))
    assert "Wie oft?" in page
    assert 'href="?arm=1&amp;language=de"' in page
    assert 'href="?arm=2&amp;language=en"' in page
