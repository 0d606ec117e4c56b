"""The ledger of a survey's budget as pages and files show it: every line, what all of it comes to, and for whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property

from surveys.models import Budget, ConcentratedBudget, LedgerEntry, ReleasePart, Survey
from surveys.models.definition import AskedQuestion, Definition
from surveys.privacy.accounting import concentrated_epsilon, group_privacy
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.releases.mechanism import part_terms
from surveys.releases.mechanisms import OFFERS
from surveys.selectors.releases.ledger_totals import Charged, Total, charged, slack_for, totals_of
from surveys.selectors.releases.ledger_truth import ForTheTruth, for_all_truths, for_one_question
from surveys.selectors.releases.ledger_versions import AllVersions, all_versions
from surveys.selectors.surveys import definition_of

GROUPS = (2, 5, 10)
"""How many responses are looked at together."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the releases tell at most about so many responses together."""

    size: int
    loss: PrivacyLoss


@dataclass(frozen=True, slots=True)
class Point:
    """A budget's ε after one line of its ledger, for a chart over time."""

    day: date
    number: int
    total: Fraction
    spent: Fraction


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
    parts : tuple of (question, Charged)
        What every part of every release cost, in the order of the charges.
    largest_n : int
        The most answers that any part counted, 0 before the first release.
    """

    budget: Budget
    definition: Definition
    lines: tuple[LedgerEntry, ...]
    parts: tuple[tuple[AskedQuestion, Charged], ...]
    largest_n: int

    @property
    def total(self) -> PrivacyLoss:
        """What may be spent."""
        return PrivacyLoss(self.budget.total_epsilon, self.budget.total_delta)

    @property
    def spent(self) -> PrivacyLoss:
        """What is spent, by basic composition."""
        return PrivacyLoss(self.budget.spent_epsilon, self.budget.spent_delta)

    @property
    def remaining(self) -> PrivacyLoss:
        """What is left."""
        return PrivacyLoss(self.budget.remaining_epsilon, self.budget.remaining_delta)

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """What all releases come to: first as charged, then by tighter composition at a δ that is larger by δ'."""
        return totals_of([cost for _question, cost in self.parts], slack_for(self.largest_n))

    @cached_property
    def preset(self) -> ConcentratedBudget | None:
        """The budget in ρ, where one was set before the first charge."""
        return ConcentratedBudget.objects.filter(budget=self.budget).first()

    @property
    def certain(self) -> PrivacyLoss | None:
        """What all that the totals pay for tells, however releases are chosen; None where there is no budget in ρ.

        ρ set beforehand is a filter: it holds for charges chosen adaptively too, and is turned into ε once, with δ'.
        Where ε adds up to less, that is it. The budget's δ is what may stay beside ρ.
        """
        if self.preset is None:
            return None
        slack = slack_for(self.largest_n)
        epsilon = Fraction(concentrated_epsilon(ConcentratedLoss(self.preset.total_rho), slack))
        return PrivacyLoss(min(epsilon, self.budget.total_epsilon), self.budget.total_delta + slack)

    @cached_property
    def truths(self) -> tuple[ForTheTruth, ...]:
        """What the releases tell about the truths of one response: each question that is in one, by number."""
        asked = {question.question_id: question for question, _cost in self.parts}
        losses: dict[int, list[PrivacyLoss]] = {}
        for question, cost in self.parts:
            losses.setdefault(question.question_id, []).append(cost.loss)
        in_order = sorted(asked.values(), key=lambda question: question.number)
        return tuple(for_one_question(question, losses[question.question_id]) for question in in_order)

    @property
    def all_truths(self) -> ForTheTruth:
        """The same for all truths of one response together."""
        return for_all_truths(self.definition, self.spent)

    @property
    def versions(self) -> AllVersions | None:
        """What they come to with the releases of other versions of the survey."""
        return all_versions(self.budget.survey, self.definition, self.spent)

    @property
    def groups(self) -> tuple[Group, ...]:
        """What the releases tell about several responses at once, of one person or of a group."""
        return tuple(Group(size, group_privacy(self.spent, size)) for size in GROUPS)

    @property
    def over_time(self) -> tuple[Point, ...]:
        """The budget's ε after each line."""
        return tuple(
            Point(line.created_at.date(), line.number, line.total_epsilon, line.spent_epsilon) for line in self.lines
        )


def ledger_of(survey: Survey) -> Ledger:
    """Return the ledger of a survey's budget; raises `Budget.DoesNotExist` where there is none."""
    budget = Budget.objects.select_related("survey").get(survey_id=survey.pk)
    definition = definition_of(budget.survey)
    asked = {question.question_id: question for question in definition.questions}
    rows = ReleasePart.objects.filter(release__entry__budget=budget).select_related("release")
    parts = rows.order_by("release__entry__number", "position")
    return Ledger(
        budget=budget,
        definition=definition,
        lines=tuple(budget.ledger.select_related("created_by", "release", "publication").order_by("number")),
        parts=tuple((asked[part.question_id], _cost(part, asked)) for part in parts),
        largest_n=max((part.n for part in parts), default=0),
    )


def _cost(part: ReleasePart, asked: Mapping[int, AskedQuestion]) -> Charged:
    terms = part_terms(part, asked[part.question_id], OFFERS[part.release.mechanism])
    return charged(terms.mechanism, terms.loss)
