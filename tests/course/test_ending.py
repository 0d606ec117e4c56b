"""Sealing, purging and deleting: each page says with the survey's numbers what is lost, and wants its code typed."""

import re

import pytest
from django.http import Http404
from django.test import RequestFactory
from django.urls import reverse

from surveys.course.services import archive_survey, open_survey
from surveys.course.views import move_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Budget, Group, SavedVersion, Survey
from tests.course.states import STATES
from tests.factories import fill, make_budget, make_draft, make_user, yes_no
from tests.pages import owner_of, page_of, text_of, words_of

pytestmark = pytest.mark.django_db

PAGES = {"survey-seal": "closed", "survey-purge": "closed", "survey-delete": "draft"}


def test_the_page_of_deleting_counts_what_is_lost() -> None:
    survey = make_draft(yes_no(), yes_no("And?"))
    add_group(survey=survey, name="Monday")
    survey.memberships.create(user=make_user(), role="editor", invited_by=survey.owner)
    page = page_of("survey-delete", survey)
    lost = words_of(page.split('id="lost-title"')[1].split("</ul>")[0])
    assert re.findall(r"\b\d+\b", lost) == ["2", "1", "1", "1"]
    assert survey.code in lost


@pytest.mark.parametrize("name", PAGES)
def test_any_other_word_is_named_and_does_nothing(name: str) -> None:
    survey = STATES[PAGES[name]]()
    client = owner_of(survey)
    for typed in ("", "yes", "EXAMS", " ", "\N{FULLWIDTH LATIN CAPITAL LETTER A}", "x" * 500, f"{survey.code} "[1:]):
        response = client.post(reverse(name, args=[survey.code]), {"code": typed})
        assert response.status_code == 422, typed
        page = text_of(response)
        assert "<title>Error: " in page
        assert 'href="#id_code"' in page
        assert Survey.objects.get(pk=survey.pk).state == survey.state


@pytest.mark.parametrize("name", PAGES)
def test_the_code_may_be_typed_in_small_letters_with_spaces_around(name: str) -> None:
    survey = STATES[PAGES[name]]()
    client = owner_of(survey)
    assert client.post(reverse(name, args=[survey.code]), {"code": f" {survey.code.lower()} "}).status_code == 302
    assert not Survey.objects.filter(pk=survey.pk, state=survey.state).exists()


def test_a_deleted_draft_takes_everything_of_its_own_along_and_nothing_else() -> None:
    survey, other = make_draft(), make_draft()
    add_group(survey=survey, name="Monday")
    client = owner_of(survey)
    response = client.post(reverse("survey-delete", args=[survey.code]), {"code": survey.code}, follow=True)
    assert "“Exams”" in text_of(response)
    assert list(Survey.objects.all()) == [other]
    left = (Group.objects.count(), SavedVersion.objects.count())
    assert left == (0, SavedVersion.objects.filter(survey=other).count())
    assert client.get(reverse("survey-detail", args=[survey.code])).status_code == 404


def test_a_draft_that_is_being_rehearsed_goes_with_its_rehearsal() -> None:
    survey = make_draft()
    copy = open_survey(survey=make_draft(owner=survey.owner, rehearsal_of=survey))
    fill(copy, {"1": 5})
    owner_of(survey).post(reverse("survey-delete", args=[survey.code]), {"code": survey.code})
    assert Survey.objects.count() == 0


def test_a_draft_with_a_ledger_stays_and_says_why() -> None:
    survey = make_draft()
    make_budget(survey)
    response = owner_of(survey).post(reverse("survey-delete", args=[survey.code]), {"code": survey.code}, follow=True)
    assert 'class="notice warn" role="status"' in text_of(response)
    assert (Survey.objects.count(), Budget.objects.count()) == (1, 1)


def test_a_draft_that_another_has_just_deleted_is_not_found() -> None:
    survey = make_draft()
    Survey.objects.filter(pk=survey.pk).delete()
    with pytest.raises(Http404):
        move_survey(RequestFactory().post("/"), survey, archive_survey, "")
