"""Sealing, purging and deleting: each page says with the survey's numbers what is lost, and wants its code typed."""

import pytest
from django.urls import reverse

from surveys.course.services import close_survey, open_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Budget, Group, Question, SavedVersion, Survey
from surveys.sharing.services import invite, new_batch
from tests.course.states import STATES
from tests.factories import fill, make_budget, make_draft, make_open, make_user, send, yes_no
from tests.pages import owner_of, page_of, text_of
from tests.releases.setting import published_release, ready_survey

pytestmark = pytest.mark.django_db

PAGES = {"survey-seal": "closed", "survey-purge": "closed", "survey-delete": "draft"}


def test_the_page_of_sealing_counts_what_is_lost_and_what_stays() -> None:
    survey = make_open(by_invitation=True, minimum_n=5)
    for token in invite(survey=survey, number=30, batch=new_batch()).tokens[:12]:
        send(survey, "1", token=token)
    page = page_of("survey-seal", close_survey(survey=survey))
    assert "Sealing cannot be taken back." in page
    assert "the pages that sent the 12 answers could be known again" in page
    assert "30 invitations, and which of them were used" in page
    assert "The sums of 12 answers, with all results and exports" in page
    assert "The survey itself: 1 question, as it was asked" in page


def test_the_page_of_purging_counts_what_is_lost_and_what_stays() -> None:
    survey = ready_survey({"0": 61, "1": 39}, epsilon=1)
    published_release(survey)
    add_group(survey=survey, name="Monday")
    page = page_of("survey-purge", close_survey(survey=survey))
    assert "It destroys the reports of 100 answers, and with them all results." in page
    assert "100 answers, counted in 2 different combinations of reports" in page
    assert "ε = 0.50 of the budget is not spent, and never will be" in page
    assert "1 release, 1 of them published, and the ledger" in page
    assert "1 group, by name" in page
    assert "delete them, for they hold what is destroyed here" in page


def test_the_page_of_deleting_counts_what_is_lost() -> None:
    survey = make_draft(yes_no(), yes_no("And?"))
    add_group(survey=survey, name="Monday")
    survey.memberships.create(user=make_user(), role="editor", invited_by=survey.owner)
    page = page_of("survey-delete", survey)
    assert "2 questions" in page
    assert "1 saved draft" in page
    assert "1 group link" in page
    assert "The role of 1 person" in page
    assert f"The join code {survey.code}, with every poster" in page


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
    invite(survey=survey, number=2, batch=new_batch()) if survey.by_invitation else None
    client = owner_of(survey)
    response = client.post(reverse("survey-delete", args=[survey.code]), {"code": survey.code}, follow=True)
    assert "“Exams” is deleted." in text_of(response)
    assert list(Survey.objects.all()) == [other]
    left = (Question.objects.count(), Group.objects.count(), SavedVersion.objects.count())
    assert left == (1, 0, SavedVersion.objects.filter(survey=other).count())
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
    assert "its ledger stays. Archive it instead." in text_of(response)
    assert (Survey.objects.count(), Budget.objects.count()) == (1, 1)


def test_a_draft_that_another_has_just_deleted_is_not_found() -> None:
    from django.http import Http404
    from django.test import RequestFactory

    from surveys.course.services import archive_survey
    from surveys.course.views import move_survey

    survey = make_draft()
    Survey.objects.filter(pk=survey.pk).delete()
    with pytest.raises(Http404):
        move_survey(RequestFactory().post("/"), survey, archive_survey, "")
