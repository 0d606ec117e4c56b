"""What the releases of all versions of a survey tell together: several ledgers about the truths of the same people."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from surveys.models import LedgerEntry, Survey
from surveys.models.definition import Definition
from surveys.privacy.accounting import compose
from surveys.privacy.loss import PrivacyLoss
from surveys.selectors.editions import other_versions
from surveys.selectors.releases.ledger_truth import ForTheTruth, for_all_truths
from surveys.selectors.surveys import definition_of


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
        About their truths, rounded up: in each version both kinds of chance first, then the sum.
    """

    numbers: tuple[int, ...]
    central: PrivacyLoss
    truth: PrivacyLoss


def all_versions(
    survey: Survey, definition: Definition, spent: PrivacyLoss, *, before: int | None = None
) -> AllVersions | None:
    """Return what this version's `spent` adds up to with the other versions' charges; None where they have none.

    `before` is the key of a line: later ones do not count, so that what is told of it never changes.
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
        truth=compose(_truths([(definition, spent), *losses])),
    )


def _truths(losses: Iterable[tuple[Definition, PrivacyLoss]]) -> Iterable[PrivacyLoss]:
    return (_exactly(for_all_truths(definition, loss)) for definition, loss in losses)


def _exactly(truth: ForTheTruth) -> PrivacyLoss:
    """Return a bound that is rounded up, but never above what was charged, which it cannot exceed."""
    charged = truth.central
    return PrivacyLoss(min(Fraction(truth.epsilon), charged.epsilon), min(Fraction(truth.delta), charged.delta))
