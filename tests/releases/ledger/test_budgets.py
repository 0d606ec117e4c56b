"""What a survey may ever publish: raised and lowered with a reason, never below what is spent."""

from fractions import Fraction

import pytest

from surveys.models import Budget, LedgerEntry
from surveys.models.units import MICRO
from surveys.releases.ledger.services import set_budget
from surveys.releases.refusals import Why
from surveys.releases.services.request import split
from tests.factories import make_admin, make_open
from tests.releases.refused import refusing
from tests.releases.setting import HALF, make_release, ready_survey

pytestmark = pytest.mark.django_db


def test_a_first_total_is_the_first_line_of_the_ledger() -> None:
    user = make_admin()
    budget = set_budget(
        survey=make_open(), total_epsilon=HALF, total_delta=Fraction(1, 10**6), reason="Allowed.", user=user
    )
    line = budget.ledger.get()
    assert (line.number, line.kind, line.epsilon, line.delta) == (1, "total", HALF, Fraction(1, 10**6))
    assert (line.created_by, line.reason, str(line)) == (user, "Allowed.", f"{budget} #1")
    assert (budget.remaining_epsilon, budget.remaining_delta) == (HALF, Fraction(1, 10**6))


def test_a_budget_grows_and_shrinks_down_to_what_is_spent() -> None:
    survey, user = ready_survey(), make_admin()
    make_release(survey)
    set_budget(survey=survey, total_epsilon=Fraction(3), reason="More.", user=user)
    budget = set_budget(survey=survey, total_epsilon=HALF, reason="No more.", user=user)
    assert (budget.total_epsilon, budget.remaining_epsilon) == (HALF, 0)
    changes = list(budget.ledger.filter(kind="total").values_list("number", "micro_epsilon", "reason"))
    assert changes == [(1, MICRO, "For the tests."), (3, 2 * MICRO, "More."), (4, -2_500_000, "No more.")]


def test_a_budget_below_what_is_spent_is_refused_and_nothing_is_written() -> None:
    survey = ready_survey()
    make_release(survey)
    with refusing(Why.BUDGET_BELOW_SPENT) as refused:
        set_budget(survey=survey, total_epsilon=Fraction(499_999, MICRO), reason="Less.", user=make_admin())
    assert (refused.value.field, refused.value.facts["spent"]) == ("total_epsilon", HALF)
    assert Budget.objects.get().total_micro_epsilon == MICRO
    assert LedgerEntry.objects.count() == 2


def test_a_delta_below_what_is_spent_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from surveys.releases.mechanisms.laplace_histogram import LaplaceHistogramPlan

    monkeypatch.setattr(LaplaceHistogramPlan, "uses_delta", True)
    survey = ready_survey(delta=Fraction(1, 10**6))
    make_release(survey, delta=Fraction(1, 10**6))
    with refusing(Why.DELTA_BELOW_SPENT) as refused:
        set_budget(survey=survey, total_epsilon=Fraction(1), reason="Less.", user=make_admin())
    assert (refused.value.field, refused.value.facts["spent"]) == ("total_delta", Fraction(1, 10**6))
    assert LedgerEntry.objects.count() == 2


def test_units_are_shared_out_whole_and_all() -> None:
    for units in range(1, 30):
        for parts in range(1, 12):
            shares = split(units, parts)
            assert (sum(shares), max(shares) - min(shares) <= 1) == (units, True)
