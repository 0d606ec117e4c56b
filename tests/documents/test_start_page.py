"""The page for new surveys: every way to begin, and what a template or a copy becomes."""

import html

import pytest
from django.test import Client
from django.urls import reverse

from surveys.answering.words.designs import odds_bound
from surveys.documents.starters import CLASS_SIZE, STARTERS
from surveys.drafts.selectors import MOST_TO_DUPLICATE, document_of, write_document
from surveys.drafts.services.groups import add_group
from surveys.models import Membership, Role, Survey
from surveys.numbers.words import points, says_too_little
from tests.factories import crosswise, every_kind, make_draft, make_open, make_user, rewrite, send
from tests.pages import client_of, owner_of, signed_in, text_of

pytestmark = pytest.mark.django_db

START = reverse("survey-start")


def _from(client: Client, key: str, **fields: str) -> int:
    return client.post(reverse("survey-start-from", args=[key]), fields).status_code


def test_every_template_is_offered_with_its_numbers_and_its_study() -> None:
    page = html.unescape(text_of(signed_in().get(START)))
    for starter in STARTERS:
        part = page.split(f'id="starter-{starter.key}"')[1].split("</ul>")[0]
        enough = starter.least <= CLASS_SIZE
        shown = [str(starter.topic), starter.after, odds_bound(starter.losses), f"±{points(starter.half_width)}"]
        assert [words for words in shown if " ".join(words.split()) not in part] == []
        assert ("<strong>±" in part) == enough
        assert enough or f" {starter.least} " in part
    # What the page says of ranges.
    assert says_too_little(-0.2, 0.2)
    assert not says_too_little(-0.199, 0.199)


def test_a_template_becomes_a_draft_of_whoever_chose_it_and_opens_in_the_editor() -> None:
    client = signed_in("anna")
    response = client.post(reverse("survey-start-from", args=["exam-cheating"]), {"language": "en"})
    survey = Survey.objects.get()
    assert response["Location"] == reverse("survey-edit", args=[survey.code])
    assert survey.owner.username == "anna"
    assert survey.title == "Exams, honestly"
    assert len(survey.questions) == 2


def test_a_template_is_created_in_the_language_chosen_not_in_that_of_the_page() -> None:
    client = signed_in()
    assert _from(client, "card-deck", language="de") == 302
    assert Survey.objects.get().language == "de"


@pytest.mark.parametrize("language", ["", "fr", "../de", "EN"])
def test_another_language_is_refused_by_name_and_nothing_is_created(language: str) -> None:
    response = signed_in().post(reverse("survey-start-from", args=["card-deck"]), {"language": language})
    assert response.status_code == 422
    assert 'href="#id_language"' in response.content.decode()
    assert not Survey.objects.exists()


def test_there_is_no_template_of_another_name() -> None:
    assert _from(signed_in(), "tax-evasion", language="en") == 404


def test_a_copy_says_the_same_and_has_a_code_and_an_owner_of_its_own() -> None:
    survey = make_draft(*every_kind(), title="Original")
    add_group(survey=survey, name="North")
    response = owner_of(survey).post(reverse("survey-duplicate", args=[survey.code]))
    copy = Survey.objects.exclude(pk=survey.pk).get()
    assert response["Location"] == reverse("survey-edit", args=[copy.code])
    assert write_document(document_of(copy)) == write_document(document_of(survey))
    assert copy.code != survey.code


def test_an_editors_copy_belongs_to_the_editor() -> None:
    survey, editor = make_draft(), make_user("editor")
    Membership.objects.create(survey=survey, user=editor, role=Role.EDITOR)
    client = client_of(editor)
    assert client.post(reverse("survey-duplicate", args=[survey.code])).status_code == 302
    assert Survey.objects.exclude(pk=survey.pk).get().owner == editor


def test_a_copy_of_an_answered_survey_is_a_draft_without_answers() -> None:
    survey = make_open(crosswise())
    send(survey, "1")
    owner_of(survey).post(reverse("survey-duplicate", args=[survey.code]))
    copy = Survey.objects.exclude(pk=survey.pk).get()
    assert copy.is_draft
    assert not copy.responses.exists()


def test_what_no_rule_allows_any_more_is_not_copied() -> None:
    survey = make_draft()
    rewrite(survey, 0, title=" ")
    response = owner_of(survey).post(reverse("survey-duplicate", args=[survey.code]))
    assert response["Location"] == reverse("survey-detail", args=[survey.code])
    assert Survey.objects.count() == 1


def test_only_surveys_that_one_may_edit_are_offered_for_a_copy() -> None:
    user = make_user("anna")
    make_draft(owner=user, title="Her own")
    make_draft(title="A stranger’s")
    for role in Role:
        shared = make_draft(title=f"Shared as {role}")
        Membership.objects.create(survey=shared, user=user, role=role)
    client = client_of(user)
    page = text_of(client.get(START))
    assert "Her own" in page
    assert "Shared as editor" in page
    for hidden in ("A stranger’s", "Shared as analyst", "Shared as releaser"):
        assert hidden not in page


def test_of_many_surveys_the_last_ones_are_offered() -> None:
    user = make_user()
    for number in range(MOST_TO_DUPLICATE + 2):
        make_draft(owner=user, title=f"Survey {number:02}")
    client = client_of(user)
    page = text_of(client.get(START))
    assert page.count("Duplicate") == MOST_TO_DUPLICATE
    assert "Survey 01" not in page


def test_the_document_is_a_download_under_the_name_of_the_code() -> None:
    survey = make_draft(*every_kind())
    response = owner_of(survey).get(reverse("survey-document", args=[survey.code]))
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == f'attachment; filename="survey-{survey.code}.json"'
    assert response.content == write_document(document_of(survey))
    assert survey.code.encode() not in response.content
    assert survey.owner.username.encode() not in response.content
