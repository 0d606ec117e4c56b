"""The page of group links: what can be typed there, and where it is said what cannot be stored."""

import re
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


def test_a_page_without_groups_has_a_form_for_the_first(survey: Survey) -> None:
    page = _page(survey)
    assert 'class="section empty"' in page
    assert 'value="add"' in page


def test_by_invitation_the_page_leads_to_the_invitations() -> None:
    for survey in (make_open(), make_open(by_invitation=True)):
        address = reverse("survey-invitations", args=[survey.code])
        assert (address in _page(survey)) == survey.by_invitation


def test_each_group_has_its_link_and_its_qr_code_without_any_style(survey: Survey) -> None:
    assert _post(survey, name="Monday, early").status_code == 302
    assert _post(survey, name="Tuesday", slug="second").status_code == 302
    page = _page(survey)
    for slug in ("monday-early", "second"):
        assert f'href="http://testserver/s/{survey.code}/{slug}/"' in page
    assert page.count("<svg") == 2
    assert "style" not in page[page.index("<svg") :]
    assert re.findall(r'aria-label="[^"]*(Monday, early|Tuesday)"', page) == ["Monday, early", "Tuesday"]


@pytest.mark.parametrize(
    ("fields", "field", "named"),
    [
        ({}, "name", ""),
        ({"name": "  "}, "name", ""),
        ({"name": "x" * 81}, "name", "80"),
        ({"name": "A\0B"}, "name", ""),
        ({"name": "A", "slug": "Ä b"}, "slug", "a to z"),
        ({"name": "A", "slug": "x" * 41}, "slug", "40"),
        ({"name": "A", "slug": "receipt"}, "slug", "“receipt”"),
        ({"name": "A", "slug": "i"}, "slug", "“i”"),
        ({"name": "A", "slug": "monday"}, "slug", ""),
        ({"name": "MONDAY"}, "name", ""),
    ],
)
def test_what_cannot_be_a_group_is_refused_at_its_field_and_nothing_is_stored(
    survey: Survey, fields: dict[str, str], field: str, named: str
) -> None:
    add_group(survey=survey, name="Monday")
    (message,) = _refused(_post(survey, **fields), field)
    assert named in message
    assert Group.objects.count() == 1


def _refused(response: HttpResponse, field: str) -> list[str]:
    """Return what is wrong with a field, as it stands in the summary and beside it."""
    page = text_of(response)
    assert response.status_code == 422
    assert "<title>Error:" in page
    messages = re.findall(rf'<a href="#id_{field}">([^<]+)</a>', page)
    assert all(page.count(message) >= 2 for message in messages)
    return messages


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
    assert len(_refused(response, "tuesday_name")) == 1
    assert text_of(response).count('<details class="screen-only" open>') == 1


def test_a_group_is_not_renamed_to_nothing(survey: Survey) -> None:
    add_group(survey=survey, name="Monday")
    assert len(_refused(_post(survey, "rename", group="monday", name=" "), "monday_name")) == 1
    assert Group.objects.get().name == "Monday"


def test_a_group_with_answers_is_not_removed(survey: Survey) -> None:
    send(survey, "1", group=add_group(survey=survey, name="Monday"))
    client = owner_of(survey)
    assert _post(survey, "remove", client=client, group="monday").status_code == 302
    assert _warned(client, survey)
    assert Group.objects.count() == 1


def _warned(client: Client, survey: Survey) -> bool:
    """Whether the page warns of what was pressed before."""
    response = client.get(reverse("survey-groups", args=[survey.code]))
    return [message.level_tag for message in response.context["messages"]] == ["warning"]


@pytest.mark.parametrize("action", ["rename", "remove"])
def test_a_group_of_another_survey_is_not_here(survey: Survey, action: str) -> None:
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
    buttons = re.findall(r'name="action" value="(\w+)"', _page(closed))
    assert buttons == ["rename", "remove"]
    client = owner_of(survey)
    assert _post(survey, client=client, name="Tuesday").status_code == 302
    assert _warned(client, survey)
    seal_survey(survey=closed)
    assert 'name="action"' not in _page(survey)
    assert Group.objects.count() == 1


def test_thirty_groups_leave_no_form_for_another(survey: Survey) -> None:
    Group.objects.bulk_create(Group(survey=survey, slug=f"g{number}", name=f"G {number}") for number in range(30))
    assert 'value="add"' not in _page(survey)
    response = _post(survey, name="One more")
    assert (response.status_code, Group.objects.count()) == (422, 30)
    assert "30" in vars(response)["context"]["problems"][0].message


def test_a_name_that_looks_like_markup_stays_text(survey: Survey) -> None:
    _post(survey, name="<script>alert(1)</script>")
    assert "<script>alert" not in _page(survey)
