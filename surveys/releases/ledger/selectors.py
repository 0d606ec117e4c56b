"""A survey's ledger: what all its charges come to, by several rules, and what they give away of true answers.

The charge is basic composition: ε and δ add up, whatever anybody chose after seeing the results so far, so this is what
budgets are kept in. The other totals are shown beside it. They hold where the number of releases and what each costs
were not chosen by looking at the results of earlier ones, and at a δ that is larger by δ'.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from surveys.common.selectors import definition_of
from surveys.drafts.selectors import other_versions
from surveys.models import Budget, ConcentratedBudget, LedgerEntry, ReleasePart, Survey
from surveys.privacy.accounting.composition import compose, group_privacy
from surveys.privacy.accounting.concentrated import compose_concentrated, concentrated_epsilon, concentrated_from_pure
from surveys.privacy.accounting.local_central import local_then_central, local_then_central_delta
from surveys.privacy.accounting.unequal import advanced_epsilon, optimal_epsilon_of
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.mechanism import CentralMechanism
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.releases.families.options import Questions
from surveys.releases.mechanisms import PLANS

LARGEST_SLACK = Fraction(1, 10**6)
_PEOPLE = 100


class Composition(TextChoices):
    BASIC = "basic", _("Basic composition")
    ADVANCED = "advanced", _("Advanced composition")
    OPTIMAL = "optimal", _("Optimal composition")
    CONCENTRATED = "concentrated", _("Zero-concentrated DP (zCDP)")


@dataclass(frozen=True, slots=True)
class PartCharge:
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


def charge_of(mechanism: CentralMechanism[Any], loss: PrivacyLoss) -> PartCharge:
    """Return what a mechanism costs for which this loss was charged.

    A ρ of its own holds without any δ. Else, an (ε, δ)-private output can be made from one randomized response with
    odds e^ε, but for events of probability δ; so ρ = ε²/2 holds but for these.
    """
    rho = mechanism.concentrated
    if rho is None:
        return PartCharge(loss, concentrated_from_pure(loss.epsilon), loss.delta)
    return PartCharge(loss, rho, Fraction(0))


def slack_for(n: int) -> Fraction:
    """Return δ': the largest power of ten that is at most a hundredth of one person's share of n, and a millionth."""
    return min(LARGEST_SLACK, Fraction(1, 10 ** len(str(max(1, n) * _PEOPLE - 1))))


def totals_of(costs: Sequence[PartCharge], slack: Fraction) -> tuple[Total, ...]:
    """Return the basic total, and the others at the same δ plus δ'."""
    basic = compose(cost.loss for cost in costs)
    delta = min(basic.delta + slack, Fraction(1))
    epsilons = [cost.loss.epsilon for cost in costs]
    by_composition = {
        Composition.ADVANCED: Fraction(advanced_epsilon(epsilons, slack)),
        Composition.OPTIMAL: Fraction(optimal_epsilon_of(epsilons, slack)),
        Composition.CONCENTRATED: _by_concentrated(costs, delta),
    }
    tighter = (
        Total(by, PrivacyLoss(min(epsilon, basic.epsilon), delta), delta - basic.delta)
        for by, epsilon in by_composition.items()
    )
    return (Total(Composition.BASIC, basic, Fraction(0)), *tighter)


def _by_concentrated(costs: Sequence[PartCharge], delta: Fraction) -> Fraction:
    """Add up ρ and convert once; δ' and what Gaussian noise was charged as δ pay for that."""
    beside = sum((cost.beside for cost in costs), Fraction(0))
    rho = compose_concentrated(cost.concentrated for cost in costs)
    return Fraction(concentrated_epsilon(rho, delta - beside))


# What releases tell about the true answers of one response, which reach them only through randomized reports.


@dataclass(frozen=True, slots=True)
class TruthLoss:
    """What reports and releases from them tell about the true answers of one response at most, rounded up.

    Attributes
    ----------
    local_epsilon : float
        Of the reports alone, which were randomized before they were sent; infinite where one can prove an answer.
    central : PrivacyLoss
        Of all releases that count these reports, composed first.
    epsilon, delta : float or Fraction
        Of both layers together.
    """

    local_epsilon: float
    central: PrivacyLoss
    epsilon: float | Fraction
    delta: float | Fraction

    @property
    def report_proves(self) -> bool:
        """Whether a report can prove an answer, so that the releases' own ε is the only bound."""
        return self.local_epsilon == math.inf

    @property
    def odds(self) -> float:
        """By which factor the releases change the odds between two true answers of one response at most."""
        return math.exp(self.epsilon)

    @property
    def twice(self) -> PrivacyLoss:
        """What the releases tell about somebody who answered twice, which nothing but invitations prevents."""
        return group_privacy(PrivacyLoss(Fraction(self.epsilon), Fraction(self.delta)), 2)

    @property
    def capped(self) -> "TruthLoss":
        """The same, exact where rounding up has led above what was charged, which no bound can exceed."""
        return replace(
            self, epsilon=_capped(self.epsilon, self.central.epsilon), delta=_capped(self.delta, self.central.delta)
        )


def truth_loss(local_epsilon: float, central: PrivacyLoss) -> TruthLoss:
    """Return what releases of this loss tell about the true answers of one response whose reports tell so much."""
    return TruthLoss(
        local_epsilon,
        central,
        local_then_central(local_epsilon, central.epsilon),
        local_then_central_delta(local_epsilon, central.epsilon, central.delta),
    )


def _capped(bound: float | Fraction, charged: Fraction) -> float | Fraction:
    return min(charged, bound)


# What the releases of all versions of a survey tell together: several ledgers about the true answers of the same
# people.


@dataclass(frozen=True, slots=True)
class AllVersions:
    """What all versions' releases tell about somebody who sent one response to each of them.

    Attributes
    ----------
    numbers : tuple of int
        The other versions from which something was released, as people count them.
    central : PrivacyLoss
        About these responses: the sum of all charges, this version's included.
    truth : PrivacyLoss
        About their true answers, rounded up: in each version both layers first, then the sum.
    """

    numbers: tuple[int, ...]
    central: PrivacyLoss
    truth: PrivacyLoss


def all_versions(
    survey: Survey, definition: Definition, spent: PrivacyLoss, *, before: int | None = None
) -> AllVersions | None:
    """Return what this version's `spent` adds up to with the other versions' charges; None where they have none.

    `before` is the key of a line: later ones do not count, so that what is shown of it never changes.
    """
    versions = {version.pk: version for version in other_versions(survey)}
    lines = LedgerEntry.objects.filter(budget__survey_id__in=versions)
    if before is not None:
        lines = lines.filter(pk__lt=before)
    last = {line.budget.survey_id: line for line in lines.select_related("budget").order_by("number")}
    charged = [(versions[key], line) for key, line in last.items() if line.spent_micro_epsilon]
    if not charged:
        return None
    losses = [(definition_of(other), PrivacyLoss(line.spent_epsilon, line.spent_delta)) for other, line in charged]
    return AllVersions(
        numbers=tuple(sorted(other.edition for other, _line in charged)),
        central=compose([spent, *(loss for _definition, loss in losses)]),
        truth=compose(_of_all_truths(each, loss) for each, loss in [(definition, spent), *losses]),
    )


def _of_all_truths(definition: Definition, spent: PrivacyLoss) -> PrivacyLoss:
    truth = truth_loss(definition.epsilon_of_truths, spent).capped
    return PrivacyLoss(Fraction(truth.epsilon), Fraction(truth.delta))


# The ledger of a survey's budget as pages and files show it: every line, what all of it comes to, and for whom.


GROUPS = (2, 5, 10)
"""How many responses are looked at together."""


def group_losses(loss: PrivacyLoss) -> list[tuple[int, PrivacyLoss]]:
    """Return what releases of this loss tell at most about so many responses together, of one person or of a group."""
    return [(size, group_privacy(loss, size)) for size in GROUPS]


@dataclass(frozen=True)
class Ledger:
    """Everything that was ever allowed or charged.

    Attributes
    ----------
    budget : Budget
        With its survey.
    definition : Definition
        What was asked.
    lines : tuple of LedgerEntry
        From the first to the last, each with who wrote it and its release.
    parts : tuple of (questions, PartCharge)
        What every part of every release cost, in the order of the charges.
    largest_n : int
        The most answers that any part counted, 0 before the first release.
    """

    budget: Budget
    definition: Definition
    lines: tuple[LedgerEntry, ...]
    parts: tuple[tuple[Questions, PartCharge], ...]
    largest_n: int

    @property
    def total(self) -> PrivacyLoss:
        return PrivacyLoss(self.budget.total_epsilon, self.budget.total_delta)

    @property
    def spent(self) -> PrivacyLoss:
        """What is spent, by basic composition."""
        return PrivacyLoss(self.budget.spent_epsilon, self.budget.spent_delta)

    @property
    def remaining(self) -> PrivacyLoss:
        return PrivacyLoss(self.budget.remaining_epsilon, self.budget.remaining_delta)

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """What all releases come to: first as charged, then by tighter composition at a δ that is larger by δ'."""
        return totals_of([cost for _questions, cost in self.parts], slack_for(self.largest_n))

    @cached_property
    def preset(self) -> ConcentratedBudget | None:
        """The budget in ρ, where one was set before the first charge."""
        return ConcentratedBudget.objects.filter(budget=self.budget).first()

    @property
    def certain(self) -> PrivacyLoss | None:
        """What all releases paid from the totals reveal, however they are chosen; None where there is no budget in ρ.

        ρ set beforehand is a filter: it holds for charges chosen adaptively too, and is turned into ε once, with δ'.
        Where ε adds up to less, that is it. The budget's δ is what may stay beside ρ.
        """
        if self.preset is None:
            return None
        slack = slack_for(self.largest_n)
        epsilon = Fraction(concentrated_epsilon(ConcentratedLoss(self.preset.total_rho), slack))
        return PrivacyLoss(min(epsilon, self.budget.total_epsilon), self.budget.total_delta + slack)

    @cached_property
    def truths(self) -> tuple[tuple[AskedQuestion, TruthLoss], ...]:
        """What the releases tell about the true answers of one response: each question that is in one, by number."""
        losses = ((question, self.losses_of((question,))) for question in self.definition.questions)
        return tuple((question, truth_loss(question.epsilon, compose(each))) for question, each in losses if each)

    def losses_of(self, questions: Questions) -> list[PrivacyLoss]:
        """Return what each part cost that counted the reports to any of these questions."""
        numbers = {question.number for question in questions}
        return [cost.loss for counted, cost in self.parts if numbers.intersection(each.number for each in counted)]

    @property
    def all_truths(self) -> TruthLoss:
        """The same for all true answers of one response together."""
        return truth_loss(self.definition.epsilon_of_truths, self.spent)

    @property
    def versions(self) -> AllVersions | None:
        """What they come to with the releases of other versions of the survey."""
        return all_versions(self.budget.survey, self.definition, self.spent)

    @property
    def groups(self) -> list[tuple[int, PrivacyLoss]]:
        """What the releases tell about several responses at once."""
        return group_losses(self.spent)


def ledger_of(survey: Survey) -> Ledger:
    """Return the ledger of a survey's budget; raises `Budget.DoesNotExist` where there is none."""
    budget = Budget.objects.select_related("survey").get(survey_id=survey.pk)
    definition = definition_of(budget.survey)
    asked = {question.number: question for question in definition.questions}
    rows = ReleasePart.objects.filter(release__entry__budget=budget).select_related("release")
    parts = rows.order_by("release__entry__number", "position")
    plans = [PLANS[part.release.mechanism].of_part(part, asked) for part in parts]
    return Ledger(
        budget=budget,
        definition=definition,
        lines=tuple(budget.ledger.select_related("created_by", "release", "publication").order_by("number")),
        parts=tuple((plan.questions, charge_of(plan.mechanism, plan.loss)) for plan in plans),
        largest_n=max((part.n for part in parts), default=0),
    )
