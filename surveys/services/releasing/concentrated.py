"""Budgets in ρ: a filter, which stops before the sum of adaptively chosen charges exceeds what was set beforehand."""

import math
from fractions import Fraction

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.models import Budget, ConcentratedBudget, ConcentratedCharge, Release, Survey
from surveys.models.units import PICO
from surveys.privacy.rationals import positive, shown
from surveys.selectors.releases.ledger_totals import charged
from surveys.selectors.releases.terms import LARGEST_EPSILON, Terms
from surveys.services.releasing import ledger
from surveys.services.releasing.checked import stated_reason
from surveys.services.releasing.refusals import InvalidRho, NoBudget, RhoIsSet, RhoTooSmall

LARGEST_RHO = Fraction(LARGEST_EPSILON**2, 2)
"""What one release of the largest ε costs at most."""


def pico_rho(rho: object) -> int:
    """Return ρ in trillionths, exactly; raises `InvalidRho` for whatever is none."""
    try:
        number = positive(rho, "ρ")
    except ValueError:
        raise InvalidRho(_("ρ must be an exact number above 0, not %(value)s.") % {"value": shown(rho, str)}) from None
    units = number * PICO
    if not number <= LARGEST_RHO or units.denominator != 1:
        raise InvalidRho(_("ρ must be at most %(most)s, with twelve decimals at most.") % {"most": LARGEST_RHO})
    return units.numerator


@transaction.atomic
def set_rho(*, survey: Survey, total_rho: Fraction, reason: str, user: User) -> ConcentratedBudget:
    """Set for good how much ρ all releases may cost together, beside ε and δ, which hold as well.

    Raises `InvalidRho`, `NoReason`, `NoBudget`, or `RhoIsSet` once it is set or anything is charged: what adds up
    however releases are chosen was set before the first of them.
    """
    units, why = pico_rho(total_rho), stated_reason(reason)
    budget = ledger.locked(survey)
    if budget is None:
        raise NoBudget
    if not may_set_rho(budget):
        raise RhoIsSet
    return ConcentratedBudget.objects.create(
        budget=budget, total_pico_rho=units, reason=why, created_by=user, created_by_name=user.get_username()
    )


def may_set_rho(budget: Budget) -> bool:
    """Whether there is no budget in ρ yet, and nothing is charged."""
    return not budget.spent_micro_epsilon and concentrated_of(budget) is None


def concentrated_of(budget: Budget) -> ConcentratedBudget | None:
    """Return the budget in ρ as it is now, or None."""
    return ConcentratedBudget.objects.filter(budget=budget).first()


def rho_of(terms: Terms) -> Fraction:
    """Return what a release costs in ρ, rounded up to trillionths; a δ that stays beside ρ is charged as δ."""
    rho = sum((charged(part.mechanism, part.loss).concentrated.rho for part in terms.parts), Fraction(0))
    return Fraction(math.ceil(rho * PICO), PICO)


def require_rho_left(budget: Budget, terms: Terms) -> None:
    """Raise `RhoTooSmall` where there is a budget in ρ that cannot pay this release."""
    found = concentrated_of(budget)
    if found is not None and rho_of(terms) > found.remaining_rho:
        raise RhoTooSmall(found.remaining_rho, rho_of(terms))


def write_charge_in_rho(budget: Budget, release: Release, terms: Terms) -> None:
    """Charge a release that is stored to the budget in ρ, if there is one."""
    if concentrated_of(budget) is not None:
        ConcentratedCharge(release=release, pico_rho=int(rho_of(terms) * PICO)).save(force_insert=True)
