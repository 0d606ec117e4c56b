"""What terms cost, for one report and for one truth, alone and together with all that was released before."""

from dataclasses import dataclass

from surveys.models import Survey
from surveys.privacy.accounting import compose, group_privacy
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.mechanism import RELATION, PartTerms
from surveys.selectors.releases.advice import Advice, advice_on, no_release_needed
from surveys.selectors.releases.doors import charged_releases
from surveys.selectors.releases.ledger import GROUPS, Group, Ledger, ledger_of
from surveys.selectors.releases.ledger_truth import ForTheTruth, for_all_truths, for_one_question
from surveys.selectors.releases.terms import Terms


@dataclass(frozen=True, slots=True)
class Losses:
    """What is told about one response: by this release alone, and together with those before it."""

    alone: ForTheTruth
    together: ForTheTruth


@dataclass(frozen=True, slots=True)
class PartCost:
    """One question's part of a release."""

    terms: PartTerms
    losses: Losses


@dataclass(frozen=True, slots=True)
class Cost:
    """A release that may be made, beside its survey's ledger as it stands."""

    terms: Terms
    ledger: Ledger
    parts: tuple[PartCost, ...]
    in_all: Losses
    advice: tuple[Advice, ...]

    relation = RELATION

    @property
    def is_needless(self) -> bool:
        """Whether something that is free serves as well, for every question."""
        return no_release_needed(self.advice, self.terms)

    @property
    def after(self) -> PrivacyLoss:
        """What is left of the budget afterwards."""
        left = self.ledger.remaining
        return PrivacyLoss(left.epsilon - self.terms.epsilon, left.delta - self.terms.delta)

    @property
    def groups(self) -> tuple[Group, ...]:
        """What the release tells about several responses at once, all of which change."""
        return tuple(Group(size, group_privacy(self.terms.loss, size)) for size in GROUPS)


def cost_of(terms: Terms, survey: Survey, *, published_only: bool) -> Cost:
    """Return what these terms cost now; reads the ledger and no report.

    For somebody who may not look at releases, `published_only`: advice then speaks of no other ones.
    """
    ledger = ledger_of(survey)
    return Cost(
        terms=terms,
        ledger=ledger,
        parts=tuple(PartCost(part, _for_one_question(part, ledger)) for part in terms.parts),
        in_all=Losses(
            for_all_truths(terms.definition, terms.loss),
            for_all_truths(terms.definition, compose([ledger.spent, terms.loss])),
        ),
        advice=advice_on(terms, charged_releases().filter(survey_id=survey.pk), published_only=published_only),
    )


def _for_one_question(part: PartTerms, ledger: Ledger) -> Losses:
    earlier = [cost.loss for question, cost in ledger.parts if question.question_id == part.asked.question_id]
    return Losses(for_one_question(part.asked, [part.loss]), for_one_question(part.asked, [*earlier, part.loss]))
