"""Budgets in the admin: typed as decimals, kept as integers, never below what is spent; surveys only to look at."""

import re
from fractions import Fraction

import pytest
from django.contrib.auth.models import User
from django.test import Client

from surveys.models import Budget, Mechanism, Survey
from surveys.releases.refusals import ReleaseRefused, Why
from tests.factories import make_draft, make_open, one_of, yes_no
from tests.releases.setting import make_release, ready_survey
from tests.releases.steps import text_of

pytestmark = pytest.mark.django_db

ADD = "/admin/surveys/budget/add/"


def _change(budget: Budget) -> str:
    return f"/admin/surveys/budget/{budget.pk}/change/"


def _sent(**changes: object) -> dict[str, object]:
    return {"total_epsilon": "1", "reason": "Agreed with the ethics board."} | changes


def test_a_decimal_total_is_stored_exactly(staff: Client) -> None:
    survey = make_open()
    response = staff.post(ADD, _sent(survey=survey.pk, total_epsilon="0.100001", total_delta="0.0000000000010"))
    budget = Budget.objects.get(survey=survey)
    assert (response.status_code, budget.total_micro_epsilon, budget.total_pico_delta) == (302, 100_001, 1)


def test_the_total_is_shown_as_it_was_typed(staff: Client) -> None:
    budget = ready_survey().budget
    staff.post(_change(budget), _sent(total_epsilon="2.5", total_delta="0.000001"))
    page = staff.get(_change(budget)).content.decode()
    assert re.findall(r'name="total_(?:epsilon|delta)" value="([^"]*)"', page) == ["2.5", "0.000001"]


def test_raising_and_lowering_are_lines_of_the_ledger_with_reason_and_name(staff: Client, admin: User) -> None:
    budget = ready_survey().budget
    staff.post(_change(budget), _sent(total_epsilon="2.5", reason="More is needed."))
    staff.post(_change(budget), _sent(total_epsilon="0.75", reason="Less will do."))
    raised, lowered = budget.ledger.filter(created_by=admin)
    assert (raised.number, raised.epsilon, raised.reason) == (2, Fraction(3, 2), "More is needed.")
    assert (lowered.number, lowered.epsilon, lowered.reason) == (3, Fraction(-7, 4), "Less will do.")
    text = text_of(staff.get(_change(budget)))
    assert "+1.5" in text
    assert "−1.75" in text


BAD = [
    *(
        ("total_epsilon", number)
        for number in ("0", "-1", "nan", "inf", "1e400", "abc", "", "0.1234567", "11", "9" * 400, "\x00")
    ),
    *(("total_delta", number) for number in ("-1", "nan", "inf", "1e400", "abc", "1", "0.0011", "0.0000000000001")),
    *(("reason", reason) for reason in ("", "   ", "x" * 301, "More\u202e.", "bell\x07")),
]


def test_what_cannot_be_is_refused_beside_its_field(staff: Client) -> None:
    survey, budget = make_open(), ready_survey().budget
    for field, value in BAD:
        for address in (ADD, _change(budget)):
            response = staff.post(address, _sent(survey=survey.pk, **{field: value}))
            assert list(response.context["adminform"].form.errors) == [field], (address, field, value)
    assert (Budget.objects.count(), budget.ledger.count()) == (1, 1)


def test_totals_below_what_is_spent_are_refused_by_name(staff: Client) -> None:
    survey = ready_survey({"0": 61, "1": 39}, one_of(), delta=Fraction(1, 10**6))
    make_release(survey, mechanism=Mechanism.GAUSSIAN_HISTOGRAM, delta=Fraction(1, 10**6))
    response = staff.post(_change(survey.budget), _sent(total_epsilon="0.4", total_delta="0.0000001"))
    errors = response.context["adminform"].form.errors
    assert errors == {
        "total_epsilon": [str(ReleaseRefused(Why.BUDGET_BELOW_SPENT, spent=Fraction(1, 2)))],
        "total_delta": [str(ReleaseRefused(Why.DELTA_BELOW_SPENT, spent=Fraction(1, 10**6)))],
    }
    assert Budget.objects.get().total_micro_epsilon == 1_000_000


def test_a_second_budget_for_a_survey_is_not_offered(staff: Client) -> None:
    taken, free = ready_survey(), make_open()
    choices = staff.get(ADD).context["adminform"].form.fields["survey"].queryset
    assert list(choices) == [free]
    assert staff.post(ADD, _sent(survey=taken.pk)).status_code == 200
    assert Budget.objects.count() == 1


def test_what_is_spent_is_shown_and_cannot_be_posted(staff: Client) -> None:
    survey = ready_survey()
    make_release(survey)
    staff.post(_change(survey.budget), _sent(spent_micro_epsilon="0", spent="0"))
    assert Budget.objects.get().spent_micro_epsilon == 500_000
    page = staff.get("/admin/surveys/budget/").content.decode()
    cells = re.findall(r'class="field-(?:total|spent|remaining)">([^<]*)', page)
    assert [" ".join(cell.split()) for cell in cells] == ["ε = 1", "ε = 0.5", "ε = 0.5"]


def test_a_budget_stays_with_its_survey(staff: Client) -> None:
    survey, other = ready_survey(), make_open()
    staff.post(_change(survey.budget), _sent(survey=other.pk))
    assert Budget.objects.get().survey == survey


def test_no_budget_can_be_deleted(staff: Client) -> None:
    unspent, spent = ready_survey().budget, ready_survey()
    make_release(spent)
    addresses = [f"/admin/surveys/budget/{budget.pk}/delete/" for budget in (unspent, spent.budget)]
    assert [staff.post(address, {"post": "yes"}).status_code for address in addresses] == [403, 403]
    staff.post("/admin/surveys/budget/", {"action": "delete_selected", "_selected_action": unspent.pk, "post": "yes"})
    assert Budget.objects.count() == 2


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
    names = ("Administration of Deniable", "Users", "Groups", "Surveys", "Budgets", "Ledger", "Releases")
    assert [name for name in names if name not in page] == []
