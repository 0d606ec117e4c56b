"""The page of group links: what can be typed there, and what is said when it cannot be stored."""

from functools import partial

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from surveys.course.services import close_survey, seal_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Group, Survey
from tests.factories import make_draft, make_open, send
from tests.pages import owner_of, page_of, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    return make_open()


def _post(survey: Survey, action: str = "add", *, client: Client | None = None, **fields: str) -> HttpResponse:
    response = (client or owner_of(survey)).post(
        reverse("survey-groups", args=[survey.code]), {"action": action, **fields}
    )
    assert isinstance(response, HttpResponse)
    return response


_page = partial(page_of, "survey-groups")


def test_a_page_without_groups_says_what_they_are_for(survey: Survey) -> None:
    page = _page(survey)
    assert "No groups yet" in page
    assert "Members read the name of their group before they answer" in page
    assert "Groups can be added while answers come in" in page


def test_by_invitation_the_page_says_that_a_link_alone_opens_nothing() -> None:
    assert "by invitation only" not in _page(make_open())
    page = _page(survey := make_open(by_invitation=True))
    assert "these links by themselves open nothing" in page
    assert reverse("survey-invitations", args=[survey.code]) in page


def test_each_group_has_its_link_and_its_qr_code_without_any_style(survey: Survey) -> None:
    assert _post(survey, name="Monday, early").status_code == 302
    assert _post(survey, name="Tuesday", slug="second").status_code == 302
    page = _page(survey)
    for slug in ("monday-early", "second"):
        assert f'href="http://testserver/s/{survey.code}/{slug}/"' in page
    assert page.count("<svg") == 2
    assert "style" not in page[page.index("<svg") :]
    assert 'aria-label="QR code for Tuesday"' in page


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "Give the group a name."),
        ({"name": "  "}, "Give the group a name."),
        ({"name": "x" * 81}, "at most 80 characters"),
        ({"name": "A\0B"}, "Null characters are not allowed."),
        ({"name": "A", "slug": "Ä b"}, "small letters from a to z"),
        ({"name": "A", "slug": "x" * 41}, "at most 40 characters"),
        ({"name": "A", "slug": "receipt"}, "“receipt” is an address of the survey’s own pages."),
        ({"name": "A", "slug": "i"}, "“i” is an address of the survey’s own pages."),
        ({"name": "A", "slug": "monday"}, "Another group has this link."),
        ({"name": "MONDAY"}, "There is a group of this name already."),
    ],
)
def test_what_cannot_be_a_group_is_refused_by_name_and_nothing_is_stored(
    survey: Survey, fields: dict[str, str], message: str
) -> None:
    add_group(survey=survey, name="Monday")
    response = _post(survey, **fields)
    page = text_of(response)
    assert response.status_code == 422
    assert "<title>Error: Groups of" in page
    assert page.count(message) >= 2  # in the summary and beside the field
    assert Group.objects.count() == 1


def test_a_group_is_renamed_and_removed(survey: Survey) -> None:
    add_group(survey=survey, name="Monday")
    assert _post(survey, "rename", group="monday", name="Early").status_code == 302
    assert Group.objects.get().name == "Early"
    assert "Early" in _page(survey)
    assert _post(survey, "remove", group="monday", name="").status_code == 302
    assert Group.objects.count() == 0


def test_a_name_that_cannot_be_is_shown_at_its_own_group(survey: Survey) -> None:
    add_group(survey=survey, name="Monday")
    add_group(survey=survey, name="Tuesday")
    response = _post(survey, "rename", group="tuesday", name="monday")
    page = text_of(response)
    assert response.status_code == 422
    assert '<a href="#id_tuesday_name">There is a group of this name already.</a>' in page
    assert page.count('<details class="screen-only" open>') == 1


def test_a_group_is_not_renamed_to_nothing(survey: Survey) -> None:
    add_group(survey=survey, name="Monday")
    response = _post(survey, "rename", group="monday", name=" ")
    assert response.status_code == 422
    assert '<a href="#id_monday_name">Give the group a name.</a>' in text_of(response)
    assert Group.objects.get().name == "Monday"


def test_a_group_with_answers_is_not_removed(survey: Survey) -> None:
    send(survey, "1", group=add_group(survey=survey, name="Monday"))
    client = owner_of(survey)
    assert _post(survey, "remove", client=client, group="monday").status_code == 302
    assert "Somebody has answered in this group" in text_of(client.get(reverse("survey-groups", args=[survey.code])))
    assert Group.objects.count() == 1


@pytest.mark.parametrize("action", ["rename", "remove"])
def test_a_group_of_another_survey_is_not_found(survey: Survey, action: str) -> None:
    add_group(survey=make_draft(), name="Monday")
    assert _post(survey, action, group="monday", name="Mine").status_code == 404
    assert Group.objects.get().name == "Monday"


def test_a_stranger_changes_nothing(survey: Survey) -> None:
    add_group(survey=survey, name="Monday")
    for action in ("add", "rename", "remove"):
        assert _post(survey, action, client=signed_in(), group="monday", name="Mine").status_code == 404
    assert Group.objects.get().name == "Monday"


def test_a_closed_survey_gets_no_more_groups_and_a_sealed_one_keeps_its_own(survey: Survey) -> None:
    add_group(survey=survey, name="Monday")
    closed = close_survey(survey=survey)
    assert "no more groups can be added" in _page(closed)
    assert "Rename or remove" in _page(closed)
    client = owner_of(survey)
    assert _post(survey, client=client, name="Tuesday").status_code == 302
    assert "a new group would stay empty" in text_of(client.get(reverse("survey-groups", args=[survey.code])))
    seal_survey(survey=closed)
    assert "Rename or remove" not in _page(survey)
    assert Group.objects.count() == 1


def test_thirty_groups_leave_no_form_for_another(survey: Survey) -> None:
    Group.objects.bulk_create(Group(survey=survey, slug=f"g{number}", name=f"G {number}") for number in range(30))
    page = _page(survey)
    assert "These are 30 groups, the most that a survey can have." in page
    assert "Add a group" not in page
    response = _post(survey, name="One more")
    assert (response.status_code, Group.objects.count()) == (422, 30)
    assert "30 groups at most" in text_of(response)


def test_a_name_that_looks_like_markup_stays_text(survey: Survey) -> None:
    _post(survey, name="<script>alert(1)</script>")
    assert "<script>alert" not in _page(survey)
