"""What all charges of a ledger come to together: as charged, and by composition that is tighter.

The charge is basic composition: ε and δ add up, whatever anybody chose after seeing the results so far, so this is what
budgets are kept in. The other totals are shown beside it. They hold where the number of releases and what each costs
were not chosen by looking at the results of earlier ones, and at a δ that is larger by δ'.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from surveys.privacy.accounting import compose, compose_concentrated, concentrated_epsilon, concentrated_from_pure
from surveys.privacy.accounting.unequal import advanced_epsilon, optimal_epsilon_of
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism

LARGEST_SLACK = Fraction(1, 10**6)
_PEOPLE = 100


class Composition(TextChoices):
    """By which theorem losses are added up."""

    BASIC = "basic", _("Basic composition")
    ADVANCED = "advanced", _("Advanced composition")
    OPTIMAL = "optimal", _("Optimal composition")
    CONCENTRATED = "concentrated", _("Zero-concentrated privacy")


@dataclass(frozen=True, slots=True)
class Charged:
    """What one part of a release cost.

    Attributes
    ----------
    loss : PrivacyLoss
        As charged.
    concentrated : ConcentratedLoss
        The same but for events of probability `beside`, as zero-concentrated privacy.
    beside : Fraction
        The δ that stays beside ρ: 0 where the mechanism has a ρ of its own, as Gaussian noise and choices do.
    """

    loss: PrivacyLoss
    concentrated: ConcentratedLoss
    beside: Fraction


@dataclass(frozen=True, slots=True)
class Total:
    """What all of them come to.

    Attributes
    ----------
    by : Composition
        By which theorem.
    loss : PrivacyLoss
        At most this; an ε that is no charge is a float's exact value, rounded up, and never above the basic one.
    slack : Fraction
        δ', which the loss's δ has in it beyond what is charged; 0 for the basic total.
    """

    by: Composition
    loss: PrivacyLoss
    slack: Fraction

    @property
    def delta_charged(self) -> Fraction:
        """δ without δ'."""
        return self.loss.delta - self.slack


def charged(mechanism: CentralMechanism[Any], loss: PrivacyLoss) -> Charged:
    """Return what a mechanism costs for which this loss was charged.

    A ρ of its own holds without any δ. Else, an (ε, δ)-private output can be made from one randomized response with
    odds e^ε, but for events of probability δ; so ρ = ε²/2 holds but for these.
    """
    own = mechanism.concentrated
    if own is None:
        return Charged(loss, concentrated_from_pure(loss.epsilon), loss.delta)
    return Charged(loss, own, Fraction(0))


def slack_for(n: int) -> Fraction:
    """Return δ': the largest power of ten that is at most a hundredth of one person's share of n, and a millionth."""
    return min(LARGEST_SLACK, Fraction(1, 10 ** len(str(max(1, n) * _PEOPLE - 1))))


def totals_of(costs: Sequence[Charged], slack: Fraction) -> tuple[Total, ...]:
    """Return the basic total, and the others at the same δ plus δ'."""
    basic = compose(cost.loss for cost in costs)
    delta = min(basic.delta + slack, Fraction(1))
    epsilons = [cost.loss.epsilon for cost in costs]
    found = {
        Composition.ADVANCED: Fraction(advanced_epsilon(epsilons, slack)),
        Composition.OPTIMAL: Fraction(optimal_epsilon_of(epsilons, slack)),
        Composition.CONCENTRATED: _by_concentrated(costs, delta),
    }
    tighter = (
        Total(by, PrivacyLoss(min(epsilon, basic.epsilon), delta), delta - basic.delta) for by, epsilon in found.items()
    )
    return (Total(Composition.BASIC, basic, Fraction(0)), *tighter)


def _by_concentrated(costs: Sequence[Charged], delta: Fraction) -> Fraction:
    """Add up ρ and convert once; δ' and what Gaussian noise was charged as δ pay for that."""
    beside = sum((cost.beside for cost in costs), Fraction(0))
    rho = compose_concentrated(cost.concentrated for cost in costs)
    return Fraction(concentrated_epsilon(rho, delta - beside))
