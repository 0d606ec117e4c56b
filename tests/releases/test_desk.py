"""The administration's first page: what needs somebody, what is left to spend, and the latest releases."""

from fractions import Fraction

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from surveys.course.services import close_survey, seal_survey
from surveys.models import Mechanism
from tests.factories import make_draft, make_open, make_user, one_of
from tests.releases.setting import make_release, published_release, ready_survey
from tests.releases.steps import text_of

pytestmark = pytest.mark.django_db

FIRST = "/admin/"


def _staff_with(*codenames: str) -> User:
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="surveys", codename__in=codenames))
    return user


def test_where_nothing_waits_it_says_so(staff: Client) -> None:
    make_draft(title="A draft")
    ready_survey(title="With a budget")
    text = text_of(staff.get(FIRST))
    assert "Nothing to do" in text
    assert "A draft" not in text


def test_it_names_surveys_without_a_budget_with_one_used_up_and_closed_but_not_sealed(staff: Client) -> None:
    bare = make_open(title="Bare")
    used = ready_survey(title="Used")
    make_release(used, epsilon=Fraction(1))
    closed = close_survey(survey=ready_survey(title="Closed"))
    seal_survey(survey=close_survey(survey=ready_survey(title="Sealed")))
    page = staff.get(FIRST)
    text = text_of(page)
    assert "3 things wait" in text
    assert "Bare : no budget, so nothing can be released." in text
    assert "Used : nothing is left to spend." in text
    assert f"Closed : closed; {closed.owner.get_username()} can seal it." in text
    assert "Sealed :" not in text
    assert f"/admin/surveys/budget/add/?survey={bare.pk}" in page.content.decode()


def test_an_owner_seals_from_there_and_sees_no_survey_of_others(client: Client) -> None:
    own = close_survey(survey=ready_survey(title="My own"))
    close_survey(survey=ready_survey(title="Of somebody else"))
    client.force_login(own.owner)
    page = client.get(FIRST)
    assert f"/surveys/{own.code}/seal/" in page.content.decode()
    assert "Of somebody else" not in text_of(page)


def test_gauges_say_how_much_is_left_of_how_much(staff: Client) -> None:
    survey = ready_survey(title="Gauged", epsilon=2)
    make_release(survey)
    page = staff.get(FIRST)
    assert "1.5 of central ε 2 left" in text_of(page)
    assert '<rect class="g-used" width="25.0%"' in page.content.decode()


def test_cards_show_the_latest_findings_and_whether_they_are_public(staff: Client) -> None:
    survey = ready_survey({"0": 300, "1": 200, "2": 100}, one_of(), epsilon=9)
    for _ in range(3):
        make_release(survey, mechanism=Mechanism.MOST_COMMON)
    text = text_of(staff.get(FIRST))
    assert text.count("not public") == 3
    public = published_release(survey)
    page = staff.get(FIRST)
    assert text_of(page).count("not public") == 2
    assert f"/r/{public.pk}/" in page.content.decode()
    assert "would truly answer" in text_of(page)


def test_whoever_sees_no_release_and_no_budget_finds_none_here(client: Client) -> None:
    survey = ready_survey(title="Hidden from some")
    make_release(survey)
    for codenames, sees in (((), False), (("view_budget",), True), (("view_release",), True)):
        client.force_login(_staff_with(*codenames))
        text = text_of(client.get(FIRST))
        assert ("Hidden from some" in text) is sees
    client.force_login(_staff_with("view_budget"))
    assert "would truly answer" not in text_of(client.get(FIRST))


def test_the_header_leads_only_where_somebody_may_go(client: Client) -> None:
    ready_survey()
    client.force_login(_staff_with("view_budget"))
    page = client.get(FIRST)
    assert [main.address for main in page.context["main_pages"]] == ["/admin/surveys/budget/"]
    assert 'aria-current="page">Budgets' in client.get("/admin/surveys/budget/").content.decode()
