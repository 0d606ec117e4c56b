"""The two writes that change a budget: one conditional statement, then the line of the ledger that says so."""

from django.contrib.auth.models import User
from django.db.models import F, Q

from surveys.models import Budget, LedgerEntry, Release, Survey
from surveys.services.releasing.refusals import BudgetTooSmall, DeltaTooSmall, NoBudget


def spend(survey: Survey, *, micro_epsilon: int, pico_delta: int, lines: int | None = None) -> bool:
    """Spend in one conditional statement: of two at once, the second sees what the first has left.

    With `lines`, only where the ledger has so many still.
    """
    return bool(
        Budget.objects.filter(
            Q() if lines is None else Q(entries=lines),
            survey_id=survey.pk,
            spent_micro_epsilon__lte=F("total_micro_epsilon") - micro_epsilon,
            spent_pico_delta__lte=F("total_pico_delta") - pico_delta,
        ).update(
            spent_micro_epsilon=F("spent_micro_epsilon") + micro_epsilon,
            spent_pico_delta=F("spent_pico_delta") + pico_delta,
            entries=F("entries") + 1,
        )
    )


def require_left(survey: Survey, *, micro_epsilon: int, pico_delta: int) -> Budget:
    """Return the budget, or raise what keeps it from paying so much now."""
    budget = Budget.objects.filter(survey_id=survey.pk).first()
    if budget is None:
        raise NoBudget
    if budget.spent_micro_epsilon + micro_epsilon > budget.total_micro_epsilon:
        raise BudgetTooSmall(budget.remaining_epsilon)
    if budget.spent_pico_delta + pico_delta > budget.total_pico_delta:
        raise DeltaTooSmall(budget.remaining_delta)
    return budget


def write_charge(budget: Budget, *, release: Release, reason: str, user: User) -> LedgerEntry:
    """Write the line of a release that `spend` has just paid for, its parts stored."""
    return _write(
        budget,
        kind=LedgerEntry.Kind.CHARGE,
        micro_epsilon=release.micro_epsilon,
        pico_delta=release.pico_delta,
        user=user,
        release=release,
        reason=reason,
        created_at=release.created_at,
    )


def write_total(budget: Budget, *, micro_epsilon: int, pico_delta: int, reason: str, user: User) -> LedgerEntry:
    """Write the line of a total that has just been changed by so much."""
    return _write(
        budget,
        kind=LedgerEntry.Kind.TOTAL,
        micro_epsilon=micro_epsilon,
        pico_delta=pico_delta,
        user=user,
        reason=reason,
    )


def _write(budget: Budget, user: User, **line: object) -> LedgerEntry:
    budget.refresh_from_db()
    entry = LedgerEntry(
        budget=budget,
        number=budget.entries,
        total_micro_epsilon=budget.total_micro_epsilon,
        spent_micro_epsilon=budget.spent_micro_epsilon,
        total_pico_delta=budget.total_pico_delta,
        spent_pico_delta=budget.spent_pico_delta,
        created_by=user,
        # As the account is called now: it may be given another name.
        created_by_name=user.get_username(),
        **line,
    )
    entry.save(force_insert=True)
    return entry
