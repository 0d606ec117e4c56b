"""What somebody asks to release: made once, checked before anything is counted, and passed on until it is drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.utils.translation import gettext as _

from surveys.common.selectors import definition_of
from surveys.common.totals import all_in_figures, standing_of
from surveys.models import State, Survey
from surveys.models.budget import REASON_LENGTH
from surveys.models.units import MICRO, PICO
from surveys.numbers.words import exact_number
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.rationals import exact, positive, show_value
from surveys.questionnaire.texts import turning_in, unseen_in
from surveys.releases.families.plan import LARGEST_EPSILON, RELATION, Plan, Terms
from surveys.releases.mechanisms import PLANS
from surveys.releases.refusals import TOO_FEW_SO_FAR, ReleaseRefused, Why
from surveys.releases.selectors.doors import Look, asked_of, why_suppressed
from surveys.releases.selectors.groups import separate_groups

LARGEST_DELTA = Fraction(1, 1000)
"""Above it a mechanism may publish one response of a thousand outright."""


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """A release of some questions of an opened survey by one mechanism, as somebody asks for it; nothing is checked.

    Attributes
    ----------
    survey, questions
        The survey and the numbers of some of its questions; ε and δ are split evenly among the parts.
    mechanism : str
        One of `PLANS`.
    epsilon : Fraction
        The central ε, exact: a whole number of millionths above 0 and at most `LARGEST_EPSILON`; 0 while it is not
        known, but how accurate the release shall be.
    delta : Fraction
        The central δ, exact: above 0 for the mechanisms that need one, else 0.
    options : mapping
        What else the mechanism needs, by the names in `Plan.fields`.
    reason : str
        Why, for the ledger.
    key : UUID
        Made once for each release that somebody asks for; the same request again is refused.
    """

    survey: Survey
    questions: Sequence[int]
    mechanism: str
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    options: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    key: UUID = field(default_factory=uuid4)

    @cached_property
    def micro_epsilon(self) -> int:
        """What it costs in millionths of ε; raises `ReleaseRefused`."""
        return micro_epsilon(self.epsilon)

    @cached_property
    def pico_delta(self) -> int:
        """What it costs in trillionths of δ; raises `ReleaseRefused`."""
        return pico_delta(self.delta)

    def terms(self) -> Terms:
        """Return the plans of its parts before anything is counted, or raise the refusal that says what is wrong.

        An opened design is frozen, so what is found here stays true.
        """
        cost = self.micro_epsilon, self.pico_delta
        if not isinstance(self.mechanism, str) or self.mechanism not in PLANS:
            raise ReleaseRefused(Why.UNKNOWN_MECHANISM, name=self.mechanism)
        mechanism = PLANS[self.mechanism]
        definition = definition_of(self._opened())
        together = asked_of(definition, self.questions)
        if why := mechanism.unsuitable_together(together):
            raise ReleaseRefused(Why.UNSUITABLE_QUESTION, why)
        parts = mechanism.parts_of(together, self.options)
        _require_amounts(mechanism, *cost, parts=len(parts))
        read = [mechanism.read_options(questions, self.options) for questions in parts]
        plans = [
            mechanism(questions, options, PrivacyLoss(Fraction(epsilon, MICRO), Fraction(delta, PICO)), 0)
            for questions, options, epsilon, delta in zip(
                parts, read, *(split(units, len(parts)) for units in cost), strict=True
            )
        ]
        for plan in plans:
            _require_drawable(plan)
        return Terms(definition, tuple(plans))

    def counted(self, terms: Terms, look: Look, answered: Callable[[Plan], int]) -> Terms:
        """Return these terms with groups, where they are wanted, and numbers of answers; raises `ReleaseRefused`."""
        for plan in terms.plans:
            if why := why_suppressed(plan.questions, look):
                raise ReleaseRefused(Why.UNSUITABLE_QUESTION, why)
        plans = [separate_groups(self.survey, plan, look) if plan.counts_groups else plan for plan in terms.plans]
        plans = [replace(plan, n=answered(plan)) for plan in plans]
        for plan in plans:
            if plan.n < terms.definition.minimum_n:
                raise too_few_answers(self.survey, plan.n, terms.definition.minimum_n)
        for plan in plans:
            if why := plan.too_few():
                raise ReleaseRefused(Why.UNSUITABLE_QUESTION, why)
        return replace(terms, plans=tuple(plans))

    def _opened(self) -> Survey:
        """Return the survey as it is stored, if these are questions of it and it is opened."""
        if not self.questions:
            raise ReleaseRefused(Why.NO_QUESTION, _("Choose at least one question."))
        if len(set(self.questions)) < len(self.questions):
            raise ReleaseRefused(Why.NO_QUESTION, _("A question can be in a release only once."))
        stored = Survey.objects.get(pk=self.survey.pk)
        if not all(1 <= number <= stored.question_count for number in self.questions):
            raise ReleaseRefused(Why.NO_SUCH_QUESTION)
        if stored.is_draft:
            raise ReleaseRefused(Why.NOT_OPENED)
        if stored.state == State.SEALED or standing_of(stored).sealing:
            raise ReleaseRefused(Why.SEALED)
        if stored.state == State.PURGED:
            raise ReleaseRefused(Why.PURGED)
        return stored


def too_few_answers(survey: Survey, n: int, minimum: int) -> ReleaseRefused:
    """Return the refusal of fewer answers than the survey needs to show any result, of those in its figures."""
    in_batches = not all_in_figures(Survey.objects.get(pk=survey.pk))
    return ReleaseRefused(Why.TOO_FEW_ANSWERS, TOO_FEW_SO_FAR if in_batches else "", n=n, minimum=minimum)


def split(units: int, parts: int) -> list[int]:
    """Share whole units out evenly; what is left over goes to the first parts, one each."""
    each, rest = divmod(units, parts)
    return [each + (part < rest) for part in range(parts)]


def _require_amounts(mechanism: type[Plan], micro_epsilon: int, pico_delta: int, *, parts: int) -> None:
    if pico_delta and not mechanism.uses_delta:
        raise ReleaseRefused(Why.INVALID_DELTA, _("This mechanism needs no δ, so leave it at 0."))
    if mechanism.uses_delta and not (mechanism.needs_no_delta or pico_delta >= parts):
        raise ReleaseRefused(Why.INVALID_DELTA, _("This mechanism needs a δ. Enter a δ above 0."))
    if not micro_epsilon >= parts:
        raise ReleaseRefused(Why.INVALID_EPSILON, _("Enter an ε of at least a millionth for each question."))


def _require_drawable(plan: Plan) -> None:
    """Refuse parameters that the mechanism cannot take; the counts are not looked at, so the words tell nothing."""
    try:
        mechanism = plan.mechanism
    except ValueError as error:
        raise ReleaseRefused(Why.CANNOT_BE_DRAWN, why=str(error).rstrip(".")) from None
    spends, loss = mechanism.loss, plan.loss
    if not (spends.epsilon <= loss.epsilon and spends.delta <= loss.delta and mechanism.relation is RELATION):
        # A mistake in the program, not of anybody who asks: what is drawn must never cost more than what is charged.
        raise RuntimeError(f"{mechanism!r} costs {spends} under {mechanism.relation}, charged is {loss}")


# What people type as ε, δ and reasons, refused by name where it cannot be.


def micro_epsilon(epsilon: object) -> int:
    """Return ε in millionths, exactly; raises `ReleaseRefused` for whatever is none, NaN and infinity included."""
    try:
        number = positive(epsilon, "ε")
    except ValueError:
        words = _("Enter ε as an exact number above 0, not %(value)s.") % {"value": show_value(epsilon, str)}
        raise ReleaseRefused(Why.INVALID_EPSILON, words) from None
    if not number <= LARGEST_EPSILON:
        raise ReleaseRefused(
            Why.INVALID_EPSILON,
            _("Enter an ε of at most %(most)s. A larger ε protects almost nothing.") % {"most": LARGEST_EPSILON},
        )
    units = number * MICRO
    if units.denominator != 1:
        raise ReleaseRefused(Why.INVALID_EPSILON, _("Enter an ε with at most six decimals."))
    return units.numerator


def pico_delta(delta: object) -> int:
    """Return δ in trillionths, exactly; raises `ReleaseRefused` for whatever is none."""
    try:
        number = exact(delta, "δ")
    except ValueError:
        words = _("Enter δ as an exact number, not %(value)s.") % {"value": show_value(delta, str)}
        raise ReleaseRefused(Why.INVALID_DELTA, words) from None
    if not 0 <= number <= LARGEST_DELTA:
        words = _("Enter a δ between 0 and %(most)s.") % {"most": exact_number(LARGEST_DELTA)}
        raise ReleaseRefused(Why.INVALID_DELTA, words)
    units = number * PICO
    if units.denominator != 1:
        raise ReleaseRefused(Why.INVALID_DELTA, _("Enter a δ with at most twelve decimals."))
    return units.numerator


def stated_reason(reason: str) -> str:
    """Return a reason without space around it; raises `ReleaseRefused` where there is none or it is too long."""
    stated = " ".join(reason.split())
    words = ""
    if not stated:
        words = _("Enter a reason. The ledger keeps it permanently.")
    elif unseen_in(stated):
        words = _("The reason contains unreadable characters. Remove them.")
    elif turning := turning_in(stated):
        words = _("The reason contains a character that changes the direction of the text: %(character)s. Remove it.")
        words %= {"character": turning}
    elif len(stated) > REASON_LENGTH:
        words = _("Enter a reason of at most %(most)s characters.") % {"most": REASON_LENGTH}
    if words:
        raise ReleaseRefused(Why.NO_REASON, words)
    return stated
