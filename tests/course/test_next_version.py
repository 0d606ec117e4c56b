"""Changing an opened survey makes a draft of its next version; what was opened stays as it is."""

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.common.selectors import draft_of
from surveys.common.totals import response_count
from surveys.course.services import begin_next_version, close_survey, open_survey
from surveys.drafts.selectors import editions_of
from surveys.drafts.services.groups import add_group
from surveys.drafts.services.surveys import NotAllowedNow, save_draft
from surveys.models import Role, Survey
from tests.at_once import at_once
from tests.course.states import member_of
from tests.factories import every_kind, fill, make_draft, make_open, make_user, yes_no
from tests.pages import owner_of, page_of, text_of

pytestmark = pytest.mark.django_db


def test_the_next_version_says_all_that_this_one_says_and_has_a_code_of_its_own() -> None:
    survey = make_open(
        *every_kind(),
        introduction="Why.",
        consent="I agree.",
        by_invitation=True,
        response_cap=40,
        time_zone="Asia/Tokyo",
    )
    add_group(survey=survey, name="Monday, early")
    draft = begin_next_version(survey=survey)
    assert (draft.state, draft.previous, draft.edition, draft.owner) == ("draft", survey, 2, survey.owner)
    before, after = ({**draft_of(one).content, "code": ""} for one in (survey, Survey.objects.get(pk=draft.pk)))
    assert after == before
    assert draft.code != survey.code
    assert (draft.response_cap, draft.time_zone) == (40, "Asia/Tokyo")
    assert list(draft.groups.values_list("name", "slug")) == [("Monday, early", "monday-early")]


def test_its_times_are_left_out_for_they_are_those_of_the_last_round() -> None:
    survey = make_open(opens_at="2026-01-01T00:00:00Z", closes_at=timezone.now())
    draft = begin_next_version(survey=survey)
    assert (draft.opens_at, draft.closes_at) == (None, None)


def test_the_version_that_was_answered_stays_as_it_is() -> None:
    survey = make_open()
    fill(survey, {"1": 12})
    before = Survey.objects.filter(pk=survey.pk).values().get()
    draft = begin_next_version(survey=survey)
    save_draft(survey=draft, questions=[yes_no("Something else?")], title="Other")
    assert Survey.objects.filter(pk=survey.pk).values().get() == before
    assert (response_count(survey), response_count(draft)) == (12, 0)
    assert survey.questions[0].text == yes_no().text


def test_people_have_in_the_next_version_the_roles_that_they_have_in_this_one() -> None:
    survey, colleague = make_open(), make_user()
    client = member_of(survey, Role.EDITOR, Role.ANALYST, user=colleague)
    response = client.post(reverse("survey-next-version", args=[survey.code]))
    draft = Survey.objects.get(previous=survey)
    assert response["Location"] == reverse("survey-edit", args=[draft.code])
    assert draft.owner == survey.owner
    assert set(draft.memberships.values_list("user", "role")) == {(colleague.pk, "editor"), (colleague.pk, "analyst")}


def test_a_version_that_has_been_begun_is_gone_on_with() -> None:
    survey = make_open()
    client = owner_of(survey)
    address = reverse("survey-next-version", args=[survey.code])
    first, second = client.post(address)["Location"], client.post(address)["Location"]
    assert first == second
    assert Survey.objects.filter(previous=survey).count() == 1
    assert owner_of(survey).get(reverse("survey-detail", args=[survey.code])).context["next_draft"].edition == 2


def test_of_two_at_once_both_get_the_same_draft(transactional_db: None) -> None:
    survey = make_open()
    drafts = at_once(*[lambda: begin_next_version(survey=survey).pk] * 2)
    assert drafts == [Survey.objects.get(previous=survey).pk] * 2


def test_versions_are_numbered_on_whichever_they_are_made_from() -> None:
    first = make_open()
    second = open_survey(survey=begin_next_version(survey=first))
    third = open_survey(survey=begin_next_version(survey=second))
    branch = begin_next_version(survey=first)
    assert [survey.edition for survey in (first, second, third, branch)] == [1, 2, 3, 4]
    for survey in (first, second, third, branch):
        assert editions_of(survey, user=first.owner) == [first, second, third, branch]


def test_each_page_links_to_all_versions_and_marks_its_own() -> None:
    first = close_survey(survey=make_open(yes_no(), yes_no("And?"), owner=make_user()))
    second = begin_next_version(survey=first)
    for here, there in ((first, second), (second, first)):
        page = page_of("survey-detail", here)
        assert f'<a href="{reverse("survey-detail", args=[there.code])}">Version {there.edition}</a>' in page
        assert f'<strong aria-current="true">Version {here.edition}' in page


def test_a_version_that_somebody_may_not_see_is_not_linked() -> None:
    survey = make_open()
    draft = begin_next_version(survey=survey)
    client = member_of(survey, Role.ANALYST)
    assert draft.code not in text_of(client.get(reverse("survey-detail", args=[survey.code])))


@pytest.mark.parametrize("rehearsed", [False, True])
def test_drafts_and_copies_to_rehearse_with_have_no_next_version(rehearsed: bool) -> None:
    survey = make_draft()
    if rehearsed:
        survey = open_survey(survey=make_draft(rehearsal_of=survey))
    with pytest.raises(NotAllowedNow):
        begin_next_version(survey=survey)
    assert Survey.objects.filter(previous=survey).count() == 0


def test_somebody_taken_off_the_next_version_does_not_see_its_code() -> None:
    survey = make_open()
    client = member_of(survey, Role.EDITOR)
    draft = begin_next_version(survey=survey)
    draft.memberships.all().delete()
    answer = client.post(reverse("survey-next-version", args=[survey.code]), follow=True)
    assert answer.redirect_chain == [(reverse("survey-detail", args=[survey.code]), 302)]
    assert 'class="notice warn" role="status"' in text_of(answer)
    assert draft.code not in text_of(answer)


def test_whoever_was_given_a_survey_begins_a_next_version_of_their_own() -> None:
    survey = make_open()
    theirs = begin_next_version(survey=survey)
    Survey.objects.filter(pk=survey.pk).update(owner=make_user())
    survey.refresh_from_db()
    mine = begin_next_version(survey=survey)
    assert mine.pk != theirs.pk
    assert mine.owner_id == survey.owner_id
