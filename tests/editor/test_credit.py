"""Credit in the editor: a tick, folded away, which the preview and the versions know."""

from urllib.parse import urlencode

import pytest
from django.http import QueryDict
from django.urls import reverse

from surveys.drafts.selectors import document_of
from surveys.editor.forms.differences import differences
from surveys.editor.forms.editor import SurveyEditor
from surveys.editor.forms.preview import preview_of
from surveys.models import CreditKey, Survey
from tests.editor.form import NEW, posted, question
from tests.factories import make_draft
from tests.pages import signed_in, text_of

pytestmark = pytest.mark.django_db


def test_the_tick_is_folded_away_and_off() -> None:
    client = signed_in()
    page = text_of(client.get(NEW))
    assert page.count('name="credit"') == 1
    assert page.index('<details class="settings">') < page.index('name="credit"')
    client.post(NEW, posted(question()))
    assert not Survey.objects.get().questionnaire.credit


def test_it_is_saved_and_shown_again_and_makes_no_key() -> None:
    client = signed_in()
    client.post(NEW, posted(question(), credit="on"))
    survey = Survey.objects.get()
    assert (survey.questionnaire.credit, survey.questionnaire.credit_key) == (True, "")
    assert client.get(reverse("survey-edit", args=[survey.code])).context["editor"].survey["credit"].value() is True
    assert not CreditKey.objects.exists()


def test_versions_differ_in_it() -> None:
    changes = differences(document_of(make_draft()), document_of(make_draft(credit=True)))
    assert [(change.place, change.before, change.after) for change in changes] == [("credit", "No", "Yes")]


def test_a_preview_is_of_a_survey_that_gives_credit() -> None:
    typed = QueryDict(urlencode(posted(question(), credit="on"), doseq=True))
    definition = preview_of(SurveyEditor.posted(typed, None), untitled="Untitled").definition
    assert definition is not None
    assert (definition.credit, definition.credit_key) == (True, "")
