"""Budgets in the admin: typed as decimals, kept as integers, never below what is spent; surveys only to look at."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from surveys.models import Budget, Survey
from tests.factories import make_draft, make_open, one_of, yes_no
from tests.releases.setting import make_release, ready_survey

pytestmark = pytest.mark.django_db

ADD = "/admin/surveys/budget/add/"


def _change(budget: Budget) -> str:
    return f"/admin/surveys/budget/{budget.pk}/change/"


def test_a_decimal_total_is_stored_exactly(staff: Client) -> None:
    survey = make_open()
    response = staff.post(ADD, {"survey": survey.pk, "total_epsilon": "0.100001"})
    assert (response.status_code, survey.budget.total_micro_epsilon) == (302, 100_001)


def test_the_total_is_shown_as_it_was_typed(staff: Client) -> None:
    budget = ready_survey().budget
    staff.post(_change(budget), {"total_epsilon": "2.5"})
    assert 'name="total_epsilon" value="2.5"' in staff.get(_change(budget)).content.decode()


@pytest.mark.parametrize("total", ["0", "-1", "nan", "inf", "1e400", "abc", "", "0.1234567", "11"])
def test_a_total_that_is_no_epsilon_is_refused_beside_its_field(staff: Client, total: str) -> None:
    response = staff.post(ADD, {"survey": make_open().pk, "total_epsilon": total})
    assert list(response.context["adminform"].form.errors) == ["total_epsilon"]
    assert not Budget.objects.exists()


def test_a_total_below_what_is_spent_is_refused_by_name(staff: Client) -> None:
    survey = ready_survey()
    make_release(survey)
    response = staff.post(_change(survey.budget), {"total_epsilon": "0.4"})
    [error] = response.context["adminform"].form.errors["total_epsilon"]
    assert error == "ε = 0.5 of this budget is spent: the total cannot be smaller."
    assert Budget.objects.get().total_micro_epsilon == 1_000_000


def test_a_second_budget_for_a_survey_is_not_offered(staff: Client) -> None:
    taken, free = ready_survey(), make_open()
    choices = staff.get(ADD).context["adminform"].form.fields["survey"].queryset
    assert list(choices) == [free]
    assert staff.post(ADD, {"survey": taken.pk, "total_epsilon": "1"}).status_code == 200
    assert Budget.objects.count() == 1


def test_what_is_spent_is_shown_and_cannot_be_posted(staff: Client) -> None:
    survey = ready_survey()
    make_release(survey)
    staff.post(_change(survey.budget), {"total_epsilon": "1", "spent_micro_epsilon": "0", "spent": "0"})
    assert Budget.objects.get().spent_micro_epsilon == 500_000
    page = staff.get("/admin/surveys/budget/").content.decode()
    cells = re.findall(r'class="field-(?:total|spent|remaining)">([^<]*)', page)
    assert cells == ["1", "0.5", "0.5"]


def test_a_budget_stays_with_its_survey(staff: Client) -> None:
    survey, other = ready_survey(), make_open()
    staff.post(_change(survey.budget), {"total_epsilon": "1", "survey": other.pk})
    assert Budget.objects.get().survey == survey


def test_an_unspent_budget_can_be_deleted_and_a_spent_one_cannot(staff: Client) -> None:
    unspent, spent = ready_survey().budget, ready_survey()
    make_release(spent)
    statuses = [
        staff.post(f"/admin/surveys/budget/{budget.pk}/delete/", {"post": "yes"}).status_code
        for budget in (unspent, spent.budget)
    ]
    assert statuses == [302, 403]
    assert list(Budget.objects.all()) == [spent.budget]


def test_the_log_says_once_who_set_which_total(staff: Client, admin: User) -> None:
    staff.post(_change(ready_survey().budget), {"total_epsilon": "2"})
    entry = LogEntry.objects.get()
    assert (entry.user, entry.get_change_message()) == (admin, "Total ε set to 2.")


@pytest.mark.parametrize("make", [make_draft, make_open])
def test_a_survey_is_only_to_look_at(staff: Client, make: type[Survey]) -> None:
    survey = make(yes_no(), one_of())
    address = f"/admin/surveys/survey/{survey.pk}/change/"
    page = staff.get(address).content.decode()
    assert one_of().text in page
    assert survey.get_state_display() in page
    assert 'name="title"' not in page
    assert staff.post(address, {"title": "Other"}).status_code == 403
    assert staff.post(f"/admin/surveys/survey/{survey.pk}/delete/", {"post": "yes"}).status_code == 403


def test_people_and_groups_stay_in_the_admin(staff: Client) -> None:
    page = staff.get("/admin/").content.decode()
    names = ("Deniable administration", "Users", "Groups", "Surveys", "Budgets", "Releases")
    assert [name for name in names if name not in page] == []
