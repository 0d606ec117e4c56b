"""How much a survey may ever publish; each change is a line of its ledger, with its reason."""

from fractions import Fraction

from django.contrib.auth.models import User
from django.db import transaction

from surveys.models import Budget, Survey
from surveys.services.releasing import ledger
from surveys.services.releasing.checked import micro_epsilon, pico_delta, stated_reason
from surveys.services.releasing.refusals import BudgetBelowSpent, DeltaBelowSpent


@transaction.atomic
def set_budget(
    *, survey: Survey, total_epsilon: Fraction, total_delta: Fraction = Fraction(0), reason: str, user: User
) -> Budget:
    """Set how much central ε and δ all releases of a survey may ever cost together.

    Raises `InvalidEpsilon`, `InvalidDelta`, `NoReason`, `BudgetBelowSpent` or `DeltaBelowSpent`; nothing is changed
    then.
    """
    epsilon, delta, why = micro_epsilon(total_epsilon), pico_delta(total_delta), stated_reason(reason)
    budget, _created = Budget.objects.select_for_update().get_or_create(survey=survey)
    if budget.spent_micro_epsilon > epsilon:
        raise BudgetBelowSpent(budget.spent_epsilon)
    if budget.spent_pico_delta > delta:
        raise DeltaBelowSpent(budget.spent_delta)
    ledger.write_total(budget, total_micro_epsilon=epsilon, total_pico_delta=delta, reason=why, user=user)
    return budget
