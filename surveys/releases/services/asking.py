"""What somebody asks to release: made sense of before anything is counted, or refused by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from surveys.common.selectors import definition_of
from surveys.common.totals import all_in_figures, standing_of
from surveys.models import Question, State, Survey
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition
from surveys.models.units import MICRO, PICO
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.mechanism import RELATION, Offer, PartTerms
from surveys.releases.families.options import OptionError
from surveys.releases.mechanisms import OFFERS
from surveys.releases.selectors.doors import Look, asked_of, why_suppressed
from surveys.releases.selectors.groups import separate_groups
from surveys.releases.selectors.terms import Terms
from surveys.releases.services.refusals import (
    CannotBeDrawn,
    ForeignQuestion,
    InvalidDelta,
    InvalidEpsilon,
    InvalidOption,
    NoQuestion,
    NotOpened,
    Purged,
    Sealed,
    TooFewAnswers,
    UnknownMechanism,
    UnsuitableQuestion,
    split,
)


@dataclass(frozen=True, slots=True)
class ReleaseCost:
    """What a release is charged, in whole units."""

    micro_epsilon: int
    pico_delta: int

    def of_parts(self, parts: int) -> tuple[PrivacyLoss, ...]:
        """Return what each part pays."""
        epsilons, deltas = split(self.micro_epsilon, parts), split(self.pico_delta, parts)
        return tuple(
            PrivacyLoss(Fraction(epsilon, MICRO), Fraction(delta, PICO))
            for epsilon, delta in zip(epsilons, deltas, strict=True)
        )


@dataclass(frozen=True, slots=True)
class ReleaseRequest:
    """A release that makes sense, whatever the answers are; `asked` is what each of its parts is about."""

    definition: Definition
    in_batches: bool
    offer: Offer[Any]
    asked: tuple[AskedQuestion, ...]
    options: tuple[Mapping[str, Any], ...]
    losses: tuple[PrivacyLoss, ...]

    def with_groups(self, survey: Survey, look: Look) -> "ReleaseRequest":
        """Return the same with the groups that these responses tell apart; raises `InvalidOption` for too few.

        Raises `UnsuitableQuestion` where the number of answers may not be shown.
        """
        for asked in self.asked:
            if why := why_suppressed(asked, look):
                raise UnsuitableQuestion(why)
        try:
            separated = tuple(
                separate_groups(survey, asked, options, look)
                for asked, options in zip(self.asked, self.options, strict=True)
            )
        except OptionError as error:
            raise InvalidOption(error.field, str(error)) from None
        return replace(self, asked=separated)

    def terms(self, answered: Sequence[int]) -> Terms:
        """Return the terms at these numbers of answers; raises `TooFewAnswers`."""
        minimum = self.definition.minimum_n
        for n in answered:
            if n < minimum:
                raise TooFewAnswers(n, minimum, in_batches=self.in_batches)
        for asked, n in zip(self.asked, answered, strict=True):
            if why := self.offer.too_few(asked, n):
                raise UnsuitableQuestion(why)
        parts = zip(self.asked, self.options, self.losses, answered, strict=True)
        return Terms(
            self.definition,
            self.offer,
            tuple(PartTerms(asked, self.offer, options, loss, n) for asked, options, loss, n in parts),
        )


def check_request(
    survey: Survey, questions: Sequence[Question], mechanism: str, cost: ReleaseCost, options: Mapping[str, Any]
) -> ReleaseRequest:
    """Return what is asked for, or raise the refusal that says what is wrong with it.

    An opened design is frozen, so what is found here stays true.
    """
    if not isinstance(mechanism, str) or mechanism not in OFFERS:
        raise UnknownMechanism(mechanism)
    offer = OFFERS[mechanism]
    stored = _opened(survey, questions)
    definition = definition_of(stored)
    together = asked_of(definition, questions)
    if why := offer.unsuitable_together(together):
        raise UnsuitableQuestion(why)
    try:
        asked = offer.parts_of(together, options)
        _require_amounts(cost, offer, parts=len(asked))
        read = tuple(offer.read_options(question, options) for question in asked)
    except OptionError as error:
        raise InvalidOption(error.field, str(error)) from None
    losses = cost.of_parts(len(asked))
    for question, chosen, loss in zip(asked, read, losses, strict=True):
        _require_drawable(offer, question, chosen, loss)
    return ReleaseRequest(definition, not all_in_figures(stored), offer, asked, read, losses)


def _opened(survey: Survey, questions: Sequence[Question]) -> Survey:
    """Return the survey as it is stored, if these are questions of it and it is opened."""
    if not questions:
        raise NoQuestion(_("Choose at least one question."))
    if len({question.pk for question in questions}) < len(questions):
        raise NoQuestion(_("A question can be in a release only once."))
    if any(question.survey_id != survey.pk for question in questions):
        raise ForeignQuestion
    stored = Survey.objects.get(pk=survey.pk)
    if stored.is_draft:
        raise NotOpened
    if stored.state == State.SEALED or standing_of(stored).sealing:
        raise Sealed
    if stored.state == State.PURGED:
        raise Purged
    return stored


def _require_amounts(cost: ReleaseCost, offer: Offer[Any], *, parts: int) -> None:
    if cost.pico_delta and not offer.uses_delta:
        raise InvalidDelta(_("This mechanism needs no δ, so leave it at 0."))
    if offer.uses_delta and not (offer.needs_no_delta or cost.pico_delta >= parts):
        raise InvalidDelta(_("This mechanism needs a δ. Enter a δ above 0."))
    if not cost.micro_epsilon >= parts:
        raise InvalidEpsilon(_("Enter an ε of at least a millionth for each question."))


def _require_drawable(offer: Offer[Any], asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss) -> None:
    """Refuse parameters that the mechanism cannot take; the counts are not looked at, so the words tell nothing."""
    try:
        mechanism = offer.mechanism(asked, options, loss, RELATION)
    except ValueError as error:
        raise CannotBeDrawn(str(error)) from None
    spends = mechanism.loss
    if not (spends.epsilon <= loss.epsilon and spends.delta <= loss.delta and mechanism.relation is RELATION):
        # A mistake in the program, not of anybody who asks: what is drawn must never cost more than what is charged.
        raise RuntimeError(f"{mechanism!r} costs {spends} under {mechanism.relation}, charged is {loss}")
