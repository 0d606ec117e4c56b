"""A release as pages show it: computed from the stored rows and the frozen design, from nothing else."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from surveys.models import Release, ReleasePart
from surveys.models.definition import Definition
from surveys.privacy.accounting import group_privacy, local_then_central, local_then_central_delta
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import total_epsilon
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.finding import Finding
from surveys.releases.mechanism import PartTerms, part_terms
from surveys.releases.mechanisms import OFFERS
from surveys.selectors.releases.draws import Draws, draws_of
from surveys.selectors.releases.ledger_versions import AllVersions, all_versions
from surveys.selectors.releases.terms import Terms
from surveys.selectors.surveys import definition_of


@dataclass(frozen=True, slots=True)
class TruthLoss:
    """What reports and releases from them tell about the truths of one response at most, rounded up.

    Attributes
    ----------
    local_epsilon : float
        Of the reports alone, which chance was added to before they were sent; it may be infinite.
    epsilon, delta : float or Fraction
        Of the releases, which reach the truths through the reports only: never more than the releases' own, which are
        exact.
    """

    local_epsilon: float
    epsilon: float | Fraction
    delta: float | Fraction

    @property
    def odds(self) -> float:
        """By which factor the releases change the odds between two true answers of one response at most."""
        return math.exp(self.epsilon)

    @property
    def twice(self) -> PrivacyLoss:
        """What the releases tell about somebody who answered twice, which nothing but invitations prevents."""
        return group_privacy(PrivacyLoss(Fraction(self.epsilon), Fraction(self.delta)), 2)


@dataclass(frozen=True)
class PartReading:
    """What one part says, beside the terms on which it was drawn."""

    part: ReleasePart
    terms: PartTerms
    draws: Draws

    @cached_property
    def found(self) -> Finding:
        """What the stored output says."""
        return self.terms.finding(self.part.output)

    @property
    def truth(self) -> TruthLoss:
        """What this part tells about one truth."""
        return _of_truth(self.terms.local_epsilon, self.part.epsilon, self.part.delta)


@dataclass(frozen=True)
class Reading:
    """A release with all its parts."""

    release: Release
    definition: Definition
    parts: tuple[PartReading, ...]

    @property
    def terms(self) -> Terms:
        """The terms of the whole release."""
        return Terms(self.definition, OFFERS[self.release.mechanism], tuple(part.terms for part in self.parts))

    @property
    def relation(self) -> NeighbouringRelation:
        """What the guarantee calls neighbours."""
        return NeighbouringRelation[self.release.relation]

    @property
    def spent_epsilon(self) -> Fraction:
        """What all releases of the survey had cost together after this one."""
        return self.release.entry.spent_epsilon

    @property
    def spent_delta(self) -> Fraction:
        """The same for δ."""
        return self.release.entry.spent_delta

    @property
    def proves(self) -> bool:
        """Whether a report can prove an answer, so that the release's own ε is the only bound."""
        return self.truth.local_epsilon == math.inf

    @property
    def truth(self) -> TruthLoss:
        """What the release tells about the truths of one response to all of its questions together."""
        local = total_epsilon(part.terms.local_epsilon for part in self.parts)
        return _of_truth(local, self.release.epsilon, self.release.delta)

    @property
    def truth_so_far(self) -> TruthLoss:
        """What all releases up to and including this one tell about all truths of one response together."""
        return _of_truth(self.definition.epsilon, self.spent_epsilon, self.spent_delta)

    @cached_property
    def versions(self) -> AllVersions | None:
        """The same together with the releases of other versions before this one."""
        spent = PrivacyLoss(self.spent_epsilon, self.spent_delta)
        return all_versions(self.release.survey, self.definition, spent, before=self.release.entry.pk)


def reading_of(release: Release, draws: Mapping[int, Draws] | None = None) -> Reading:
    """Return what a release says, beside these draws of its questions; as they are now if not given."""
    definition = definition_of(release.survey)
    asked = {question.question_id: question for question in definition.questions}
    offer, beside = OFFERS[release.mechanism], draws_of(release) if draws is None else draws
    return Reading(
        release=release,
        definition=definition,
        parts=tuple(
            PartReading(
                part=part,
                terms=part_terms(part, asked[part.question_id], offer, beside[part.question_id].chosen_from),
                draws=beside[part.question_id],
            )
            for part in release.parts.all()
        ),
    )


def _of_truth(local_epsilon: float, epsilon: Fraction, delta: Fraction) -> TruthLoss:
    return TruthLoss(
        local_epsilon,
        _capped(local_then_central(local_epsilon, epsilon), epsilon),
        _capped(local_then_central_delta(local_epsilon, epsilon, delta), delta),
    )


def _capped(bound: float, exact: Fraction) -> float | Fraction:
    """Return the exact number that a bound, rounded up to a float, may be above though it cannot exceed it."""
    if bound >= exact:
        return exact
    return bound
