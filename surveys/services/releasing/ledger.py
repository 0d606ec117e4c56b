"""What changes a budget, or shows a release: the budget's row is locked, then the next line of its ledger is written.

The line itself moves the counters, or shows or hides the release.
"""

from datetime import datetime

from django.contrib.auth.models import User

from surveys.models import Budget, LedgerEntry, Release, Survey
from surveys.models.units import this_second
from surveys.services.releasing.refusals import BudgetTooSmall, DeltaTooSmall, NoBudget


def locked(survey: Survey) -> Budget | None:
    """Return the budget as it is until the transaction ends: of two at once, the second sees what the first has left.

    On PostgreSQL this waits for the row; SQLite's transactions hold the write lock from their beginning. Whoever writes
    a line without it is refused: the line has another's number, or overspends.
    """
    return Budget.objects.select_for_update().filter(survey_id=survey.pk).first()


def require_left(budget: Budget | None, *, micro_epsilon: int, pico_delta: int) -> Budget:
    """Return the budget, or raise what keeps it from paying so much now."""
    if budget is None:
        raise NoBudget
    if budget.spent_micro_epsilon + micro_epsilon > budget.total_micro_epsilon:
        raise BudgetTooSmall(budget.remaining_epsilon)
    if budget.spent_pico_delta + pico_delta > budget.total_pico_delta:
        raise DeltaTooSmall(budget.remaining_delta)
    return budget


def time_of_next_line(budget: Budget) -> datetime:
    """Return the time, or that of the last line where the clock has been set back since: a ledger's never go back."""
    last = budget.ledger.order_by("number").values_list("created_at", flat=True).last()
    return max(this_second(), last) if last else this_second()


def write_charge(budget: Budget, *, release: Release, reason: str, user: User) -> LedgerEntry:
    """Write the line of a release whose parts are stored; this spends what it costs."""
    return _write(
        budget,
        kind=LedgerEntry.Kind.CHARGE,
        micro_epsilon=release.micro_epsilon,
        pico_delta=release.pico_delta,
        total_micro_epsilon=budget.total_micro_epsilon,
        spent_micro_epsilon=budget.spent_micro_epsilon + release.micro_epsilon,
        total_pico_delta=budget.total_pico_delta,
        spent_pico_delta=budget.spent_pico_delta + release.pico_delta,
        user=user,
        release=release,
        reason=reason,
        created_at=release.created_at,
    )


def write_total(
    budget: Budget, *, total_micro_epsilon: int, total_pico_delta: int, reason: str, user: User
) -> LedgerEntry:
    """Write the line that sets the totals."""
    return _write(
        budget,
        kind=LedgerEntry.Kind.TOTAL,
        micro_epsilon=total_micro_epsilon - budget.total_micro_epsilon,
        pico_delta=total_pico_delta - budget.total_pico_delta,
        total_micro_epsilon=total_micro_epsilon,
        spent_micro_epsilon=budget.spent_micro_epsilon,
        total_pico_delta=total_pico_delta,
        spent_pico_delta=budget.spent_pico_delta,
        user=user,
        reason=reason,
        created_at=time_of_next_line(budget),
    )


def write_publication(budget: Budget, *, kind: LedgerEntry.Kind, release: Release, user: User) -> LedgerEntry:
    """Write the line that publishes or withdraws a release, and thereby does so; it costs nothing."""
    return _write(
        budget,
        kind=kind,
        micro_epsilon=0,
        pico_delta=0,
        total_micro_epsilon=budget.total_micro_epsilon,
        spent_micro_epsilon=budget.spent_micro_epsilon,
        total_pico_delta=budget.total_pico_delta,
        spent_pico_delta=budget.spent_pico_delta,
        user=user,
        publication=release,
        created_at=time_of_next_line(budget),
    )


def _write(budget: Budget, user: User, **line: object) -> LedgerEntry:
    # As the account is called now: it may be given another name, from the moment that this transaction has ended.
    name = User.objects.select_for_update(no_key=True).values_list("username", flat=True).get(pk=user.pk)
    entry = LedgerEntry(budget=budget, number=budget.entries + 1, created_by=user, created_by_name=name, **line)
    entry.save(force_insert=True)
    budget.refresh_from_db()
    return entry
