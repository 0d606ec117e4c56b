"""How much a survey may ever publish; each change is a line of its ledger, with its reason."""

from fractions import Fraction

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from surveys.models import Budget, Survey
from surveys.services.releasing.checked import micro_epsilon, pico_delta, stated_reason
from surveys.services.releasing.ledger import write_total
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
    budget, _created = Budget.objects.get_or_create(survey=survey)
    # The row is locked from here on, so what the change is measured against cannot move.
    changed = Budget.objects.filter(pk=budget.pk, spent_micro_epsilon__lte=epsilon, spent_pico_delta__lte=delta).update(
        entries=F("entries") + 1, total_micro_epsilon=epsilon, total_pico_delta=delta
    )
    before = budget.ledger.last()
    if not changed:
        budget.refresh_from_db()
        if budget.spent_micro_epsilon > epsilon:
            raise BudgetBelowSpent(budget.spent_epsilon)
        raise DeltaBelowSpent(budget.spent_delta)
    write_total(
        budget,
        micro_epsilon=epsilon - (before.total_micro_epsilon if before else 0),
        pico_delta=delta - (before.total_pico_delta if before else 0),
        reason=why,
        user=user,
    )
    return budget
