"""What changes a budget, or shows a release: the budget's row is locked, then the next line of its ledger is written.

The line itself moves the counters, or shows or hides the release.
"""

import logging
import math
from dataclasses import replace
from datetime import datetime
from fractions import Fraction

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.common import record
from surveys.common.record import Begun, Kept, Record
from surveys.models import Budget, ConcentratedBudget, ConcentratedCharge, LedgerEntry, Release, Survey
from surveys.models.release import this_second
from surveys.models.units import MICRO, PICO
from surveys.privacy.rationals import positive, show_value
from surveys.releases.families.plan import LARGEST_EPSILON, Terms
from surveys.releases.ledger.selectors import charge_of
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.services.request import ReleaseRequest, micro_epsilon, pico_delta, stated_reason

logger = logging.getLogger(__name__)


def lock_budget(survey: Survey) -> Budget | None:
    """Return the budget as it is until the transaction ends: of two at once, the second sees what the first has left.

    On PostgreSQL this waits for the row; SQLite's transactions hold the write lock from their beginning. Anyone who
    writes a line without it is refused: the line has another's number, or overspends.
    """
    return Budget.objects.select_for_update().filter(survey_id=survey.pk).first()


def require_left(budget: Budget | None, request: ReleaseRequest) -> Budget:
    """Return the budget, or raise what keeps it from paying for this now."""
    if budget is None:
        raise ReleaseRefused(Why.NO_BUDGET)
    if budget.spent_micro_epsilon + request.micro_epsilon > budget.total_micro_epsilon:
        raise ReleaseRefused(Why.BUDGET_TOO_SMALL, left=budget.remaining_epsilon)
    if budget.spent_pico_delta + request.pico_delta > budget.total_pico_delta:
        raise ReleaseRefused(Why.DELTA_TOO_SMALL, left=budget.remaining_delta)
    return budget


def require_all_charges(survey: Survey) -> Record:
    """Return what the database says of the survey, or raise where the record beside it has more charges.

    Asked again with the budget locked: what the record has then is committed, or was interrupted.
    """
    recorded = record.of_database(Survey.objects.filter(pk=survey.pk))
    known = _read_record()
    for key, there in recorded.items():
        if missing := known.get(key, there).lacking(there):
            epsilon = Fraction(sum(missing.values()), MICRO)
            raise ReleaseRefused(Why.CHARGES_MISSING, n=len(missing), epsilon=epsilon)
    return {key: known.get(key, there) | there for key, there in recorded.items()}


def begin_charge(budget: Budget, known: Record, release: Release, pico_rho: int) -> None:
    """Write a charge that is in the ledger and about to be committed into the record.

    Raises `ReleaseRefused`: NOT_RECORDED, or RELEASE_INTERRUPTED where the budget does not pay for this charge and for
    others that were begun and not completed. Nobody saw those, and most were never charged; but a database that was
    replaced right afterwards would not have them either. The same request again takes its own up.
    """
    key = str(release.request_key)
    begun = [charge for kept in known.values() for other, charge in kept.begun.items() if other != key]
    rho = concentrated_of(budget)
    if begun and (
        budget.spent_micro_epsilon + sum(charge.micro_epsilon for charge in begun) > budget.total_micro_epsilon
        or budget.spent_pico_delta + sum(charge.pico_delta for charge in begun) > budget.total_pico_delta
        or (rho and rho.spent_pico_rho + sum(charge.pico_rho for charge in begun) > rho.total_pico_rho)
    ):
        aside = Fraction(sum(charge.micro_epsilon for charge in begun), MICRO)
        raise ReleaseRefused(Why.RELEASE_INTERRUPTED, aside=aside)
    charge = Begun(release.pk, release.micro_epsilon, release.pico_delta, pico_rho)
    try:
        record.merge({survey: replace(kept, begun={key: charge}) for survey, kept in known.items()})
    except OSError as error:
        raise _not_recorded(error) from error


def complete_charge(known: Record, release: Release) -> None:
    """Write into the record that a charge is committed; where that fails it counts as begun."""
    charged = {release.pk: release.micro_epsilon}
    try:
        record.merge({key: Kept(kept.code, charged=charged) for key, kept in known.items()})
    except OSError:
        logger.exception("a charge is in the record only as begun")


def _read_record() -> Record:
    try:
        return record.read()
    except OSError as error:
        raise _not_recorded(error) from error


def _not_recorded(error: OSError) -> ReleaseRefused:
    return ReleaseRefused(Why.NOT_RECORDED, why=error.strerror or error, command=settings.COMMAND)


def time_of_next_line(budget: Budget) -> datetime:
    """Return the time, or that of the last line where the clock has been set back since: a ledger's never go back."""
    last = budget.ledger.order_by("number").values_list("created_at", flat=True).last()
    return max(this_second(), last) if last else this_second()


def write_charge(budget: Budget, *, release: Release, reason: str, user: User) -> LedgerEntry:
    """Write the line of a release whose parts are stored; this spends what it costs."""
    return _write(
        budget,
        user,
        kind=LedgerEntry.Kind.CHARGE,
        micro_epsilon=release.micro_epsilon,
        pico_delta=release.pico_delta,
        spent_micro_epsilon=budget.spent_micro_epsilon + release.micro_epsilon,
        spent_pico_delta=budget.spent_pico_delta + release.pico_delta,
        release=release,
        reason=reason,
        created_at=release.created_at,
    )


def write_total(
    budget: Budget, *, total_micro_epsilon: int, total_pico_delta: int, reason: str, user: User
) -> LedgerEntry:
    return _write(
        budget,
        user,
        kind=LedgerEntry.Kind.TOTAL,
        micro_epsilon=total_micro_epsilon - budget.total_micro_epsilon,
        pico_delta=total_pico_delta - budget.total_pico_delta,
        total_micro_epsilon=total_micro_epsilon,
        total_pico_delta=total_pico_delta,
        reason=reason,
        created_at=time_of_next_line(budget),
    )


def write_publication(budget: Budget, *, kind: LedgerEntry.Kind, release: Release, user: User) -> LedgerEntry:
    """Write the line that publishes or withdraws a release, and thereby does so; it costs nothing."""
    return _write(budget, user, kind=kind, publication=release, created_at=time_of_next_line(budget))


def _write(budget: Budget, user: User, **line: object) -> LedgerEntry:
    """Write the next line: it costs nothing, and total and spent stay as they are, but for what the line says."""
    as_before = {
        "micro_epsilon": 0,
        "pico_delta": 0,
        "total_micro_epsilon": budget.total_micro_epsilon,
        "spent_micro_epsilon": budget.spent_micro_epsilon,
        "total_pico_delta": budget.total_pico_delta,
        "spent_pico_delta": budget.spent_pico_delta,
    }
    # As the account is called now: it may be given another name, from the moment that this transaction has ended.
    name = User.objects.select_for_update(no_key=True).values_list("username", flat=True).get(pk=user.pk)
    entry = LedgerEntry(
        budget=budget, number=budget.entries + 1, created_by=user, created_by_name=name, **as_before | line
    )
    entry.save(force_insert=True)
    budget.refresh_from_db()
    return entry


# Budgets in ρ: a filter, which stops before the sum of adaptively chosen charges exceeds what was set beforehand.


LARGEST_RHO = Fraction(LARGEST_EPSILON**2, 2)
"""What one release of the largest ε costs at most."""


def pico_rho(rho: object) -> int:
    """Return ρ in trillionths, exactly; raises `ReleaseRefused` for whatever is none."""
    try:
        number = positive(rho, "ρ")
    except ValueError:
        words = _("Enter ρ as an exact number above 0, not %(value)s.") % {"value": show_value(rho, str)}
        raise ReleaseRefused(Why.INVALID_RHO, words) from None
    units = number * PICO
    if not number <= LARGEST_RHO or units.denominator != 1:
        words = _("Enter a ρ of at most %(most)s, with at most twelve decimals.") % {"most": LARGEST_RHO}
        raise ReleaseRefused(Why.INVALID_RHO, words)
    return units.numerator


@transaction.atomic
def set_rho(*, survey: Survey, total_rho: Fraction, reason: str, user: User) -> ConcentratedBudget:
    """Set, once, how much ρ all releases may cost together, beside ε and δ, which hold as well.

    Raises `ReleaseRefused`, RHO_IS_SET once it is set or anything is charged: what adds up however releases are chosen
    was set before the first of them.
    """
    units, why = pico_rho(total_rho), stated_reason(reason)
    budget = lock_budget(survey)
    if budget is None:
        raise ReleaseRefused(Why.NO_BUDGET)
    if not may_set_rho(budget):
        raise ReleaseRefused(Why.RHO_IS_SET)
    return ConcentratedBudget.objects.create(
        budget=budget, total_pico_rho=units, reason=why, created_by=user, created_by_name=user.get_username()
    )


def concentrated_of(budget: Budget) -> ConcentratedBudget | None:
    """Return the budget in ρ as it is now, or None."""
    return ConcentratedBudget.objects.filter(budget=budget).first()


def may_set_rho(budget: Budget) -> bool:
    """Whether there is no budget in ρ yet, and nothing is charged."""
    return not budget.spent_micro_epsilon and concentrated_of(budget) is None


def rho_of(terms: Terms) -> Fraction:
    """Return what a release costs in ρ, rounded up to trillionths; a δ that stays beside ρ is charged as δ."""
    rho = sum((charge_of(plan.mechanism, plan.loss).concentrated.rho for plan in terms.plans), Fraction(0))
    return Fraction(math.ceil(rho * PICO), PICO)


def require_rho_left(budget: Budget, terms: Terms) -> None:
    """Raise `ReleaseRefused` where there is a budget in ρ that cannot pay this release."""
    preset = concentrated_of(budget)
    if preset is not None and rho_of(terms) > preset.remaining_rho:
        raise ReleaseRefused(Why.RHO_TOO_SMALL, left=preset.remaining_rho, cost=rho_of(terms))


def write_charge_in_rho(budget: Budget, release: Release, terms: Terms) -> int:
    """Charge a release that is stored to the budget in ρ, if there is one, and return how many trillionths."""
    if concentrated_of(budget) is None:
        return 0
    pico_rho = int(rho_of(terms) * PICO)
    ConcentratedCharge(release=release, pico_rho=pico_rho).save(force_insert=True)
    return pico_rho


# How much a survey may ever publish; each change is a line of its ledger, with its reason.


@transaction.atomic
def set_budget(
    *, survey: Survey, total_epsilon: Fraction, total_delta: Fraction = Fraction(0), reason: str, user: User
) -> Budget:
    """Set how much central ε and δ all releases of a survey may ever cost together.

    Raises `ReleaseRefused`; nothing is changed then.
    """
    epsilon, delta, why = micro_epsilon(total_epsilon), pico_delta(total_delta), stated_reason(reason)
    budget, _created = Budget.objects.select_for_update().get_or_create(survey=survey)
    if budget.spent_micro_epsilon > epsilon:
        raise ReleaseRefused(Why.BUDGET_BELOW_SPENT, spent=budget.spent_epsilon)
    if budget.spent_pico_delta > delta:
        raise ReleaseRefused(Why.DELTA_BELOW_SPENT, spent=budget.spent_delta)
    write_total(budget, total_micro_epsilon=epsilon, total_pico_delta=delta, reason=why, user=user)
    return budget
