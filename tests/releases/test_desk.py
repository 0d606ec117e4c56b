"""The administration's first page: what needs somebody, what is left to spend, and the latest releases."""

import re
from fractions import Fraction

import pytest
from django.test import Client

from surveys.course.services import close_survey, seal_survey
from surveys.models import Mechanism
from tests.factories import make_draft, make_open, one_of
from tests.releases.setting import make_release, published_release, ready_survey, staff_with
from tests.releases.steps import text_of

pytestmark = pytest.mark.django_db

FIRST = "/admin/"


def test_where_nothing_waits_it_says_so(staff: Client) -> None:
    make_draft(title="A draft")
    ready_survey(title="With a budget")
    page = staff.get(FIRST)
    assert (page.context["todos"], "A draft" in text_of(page)) == ([], False)


def test_it_names_surveys_without_a_budget_with_one_used_up_and_closed_but_not_sealed(staff: Client) -> None:
    bare = make_open(title="Bare")
    used = ready_survey(title="Used")
    make_release(used, epsilon=Fraction(1))
    closed = close_survey(survey=ready_survey(title="Closed"))
    seal_survey(survey=close_survey(survey=ready_survey(title="Sealed")))
    page = staff.get(FIRST)
    addresses = {
        bare: f"/admin/surveys/budget/add/?survey={bare.pk}",
        used: f"/admin/surveys/budget/{used.budget.pk}/change/",
        closed: f"/admin/surveys/survey/{closed.pk}/change/",
    }
    todos = page.context["todos"]
    assert {each.survey: each.address for each in todos} == addresses
    assert [address for address in addresses.values() if f'href="{address}"' not in page.content.decode()] == []
    text = text_of(page)
    assert [each.what for each in todos if f"{each.survey.title} : {each.what}" not in text] == []
    assert closed.owner.get_username() in todos[-1].what


def test_an_owner_seals_from_there_and_sees_no_survey_of_others(client: Client) -> None:
    survey = close_survey(survey=ready_survey(title="My own"))
    close_survey(survey=ready_survey(title="Foreign"))
    client.force_login(survey.owner)
    page = client.get(FIRST)
    assert f"/surveys/{survey.code}/seal/" in page.content.decode()
    assert "Foreign" not in text_of(page)


def test_gauges_say_how_much_is_left_of_how_much(staff: Client) -> None:
    survey = ready_survey(title="Gauged", epsilon=2)
    make_release(survey)
    page = staff.get(FIRST)
    assert re.search(r"\b1\.5 .*\b2 ", text_of(page))
    assert '<rect class="g-used" width="25.0%"' in page.content.decode()


def test_cards_show_the_latest_findings_and_whether_they_are_public(staff: Client) -> None:
    survey = ready_survey({"0": 300, "1": 200, "2": 100}, one_of(), epsilon=9)
    for _ in range(3):
        make_release(survey, mechanism=Mechanism.MOST_COMMON)
    assert re.findall(r'href="(/r/[^"]+)"', staff.get(FIRST).content.decode()) == []
    public = published_release(survey)
    page = staff.get(FIRST)
    assert re.findall(r'href="(/r/[^"]+)"', page.content.decode()) == [f"/r/{public.pk}/"]
    assert len(page.context["latest"]) == 3
    assert page.context["latest"][0].headline in page.content.decode()


def test_whoever_sees_no_release_and_no_budget_finds_none_here(client: Client) -> None:
    survey = ready_survey(title="Hidden")
    make_release(survey)
    for codenames, sees in (((), False), (("view_budget",), True), (("view_release",), True)):
        client.force_login(staff_with(*codenames))
        text = text_of(client.get(FIRST))
        assert ("Hidden" in text) is sees
    client.force_login(staff_with("view_budget"))
    assert list(client.get(FIRST).context["latest"]) == []


def test_the_header_leads_only_where_somebody_may_go(client: Client) -> None:
    ready_survey()
    client.force_login(staff_with("view_budget"))
    page = client.get(FIRST)
    assert [main.address for main in page.context["main_pages"]] == ["/admin/surveys/budget/"]
    assert 'aria-current="page">Budgets' in client.get("/admin/surveys/budget/").content.decode()
