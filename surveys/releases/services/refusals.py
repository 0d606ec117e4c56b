"""Why a release or a budget is refused, an exception for each reason; and what is typed, checked and exact."""

from collections.abc import Collection
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.models import Proposal
from surveys.models.budget import REASON_LENGTH
from surveys.models.texts import turning_in, unseen_in
from surveys.models.units import MICRO, PICO
from surveys.numbers.words import exact_number
from surveys.privacy.rationals import exact, positive, show_value
from surveys.releases.selectors.terms import LARGEST_EPSILON

__all__ = [
    "LARGEST_DELTA",
    "LARGEST_EPSILON",
    "decimal",
    "split",
]


LARGEST_DELTA = Fraction(1, 1000)
"""Above it a mechanism may publish one response of a thousand outright."""


def decimal(amount: Fraction) -> str:
    """Return a whole number of trillionths as programs read it, without rounding."""
    units = amount * PICO
    if units.denominator != 1:
        raise ValueError(f"amount must be a whole number of trillionths, got {amount}")
    sign = "-" if units < 0 else ""
    integer, rest = divmod(abs(units.numerator), PICO)
    return f"{sign}{integer}.{rest:012}".rstrip("0").rstrip(".")


def split(units: int, parts: int) -> list[int]:
    """Share whole units out evenly; what is left over goes to the first parts, one each."""
    each, rest = divmod(units, parts)
    return [each + (part < rest) for part in range(parts)]


# Why a budget was not changed or a release not made, each kind with a name; nothing was charged, drawn or stored.


class ReleaseRefused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """Nothing was charged, drawn or stored; the message says why to people, `field` where on a form."""

    field: str | None = None


class InvalidEpsilon(ReleaseRefused):
    """Not above 0, not finite, not exact, or larger than makes sense."""

    field = "epsilon"


class InvalidDelta(ReleaseRefused):
    """Negative, not exact, larger than makes sense, missing where the mechanism needs it or given where it does not."""

    field = "delta"


class InvalidOption(ReleaseRefused):
    """Something else that the mechanism needs is missing or impossible."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class NoReason(ReleaseRefused):
    """A ledger says why."""

    field = "reason"


class UnknownMechanism(ReleaseRefused):
    field = "mechanism"

    def __init__(self, mechanism: object) -> None:
        super().__init__(_("The mechanism %(name)r does not exist. Choose another one.") % {"name": mechanism})


class NoQuestion(ReleaseRefused):
    """Nothing is asked for, or one question twice."""

    field = "questions"


class ForeignQuestion(ReleaseRefused):
    """The question belongs to another survey."""

    field = "questions"

    def __init__(self) -> None:
        super().__init__(_("This question belongs to another survey. Choose a question from this survey."))


class UnsuitableQuestion(ReleaseRefused):
    """The mechanism makes no sense of its reports."""

    field = "questions"


class CannotBeDrawn(ReleaseRefused):
    """The mechanism does not take these parameters for this question."""

    field = "mechanism"

    def __init__(self, why: str) -> None:
        super().__init__(
            _("This mechanism can’t be run with these values: %(why)s. Change the values.") % {"why": why.rstrip(".")}
        )


class NotOpened(ReleaseRefused):
    """A draft may still change, so nothing is released from it."""

    field = "questions"

    def __init__(self) -> None:
        super().__init__(_("This survey is a draft, so it has no answers yet. Open the survey first."))


class Sealed(ReleaseRefused):
    """Sealing ends releases too: what is not spent then never is."""

    field = "questions"

    def __init__(self) -> None:
        super().__init__(_("This survey is sealed, so nothing more can be released from it."))


class Purged(ReleaseRefused):
    field = "questions"

    def __init__(self) -> None:
        super().__init__(_("The reports of this survey have been deleted, so nothing more can be released from it."))


class TooFewAnswers(ReleaseRefused):
    """Fewer answers than the survey needs to show any result, of those that are in its figures."""

    field = "questions"

    def __init__(self, n: int, minimum: int, *, in_batches: bool = False) -> None:
        numbers = {"n": n, "minimum": minimum}
        if in_batches:
            message = ngettext(
                "%(n)s answer to this question has been counted so far, but results need at least %(minimum)s. "
                "Until the survey closes, answers are counted in batches, so that no figure reveals a single "
                "response.",
                "%(n)s answers to this question have been counted so far, but results need at least "
                "%(minimum)s. Until the survey closes, answers are counted in batches, so that no figure "
                "reveals a single response.",
                n,
            )
        else:
            message = ngettext(
                "This question has %(n)s answer, but results need at least %(minimum)s.",
                "This question has %(n)s answers, but results need at least %(minimum)s.",
                n,
            )
        super().__init__(message % numbers)


class NoBudget(ReleaseRefused):
    """Nobody has given this survey a budget."""

    field = "questions"

    def __init__(self) -> None:
        super().__init__(_("This survey has no privacy budget yet. Set one first."))


class BudgetTooSmall(ReleaseRefused):
    """The release costs more than is left."""

    field = "epsilon"

    def __init__(self, left: Fraction) -> None:
        super().__init__(
            _(
                "This release costs more than the ε = %(left)s remaining in this survey’s budget. Enter a "
                "smaller ε, or raise the budget."
            )
            % {"left": exact_number(left)}
        )
        self.left = left


class DeltaTooSmall(ReleaseRefused):
    """The release costs more δ than is left."""

    field = "delta"

    def __init__(self, left: Fraction) -> None:
        super().__init__(
            _(
                "This release costs more than the δ = %(left)s remaining in this survey’s budget. Enter a "
                "smaller δ, or raise the budget."
            )
            % {"left": exact_number(left)}
        )
        self.left = left


class InvalidRho(ReleaseRefused):
    """Not above 0, not exact, or larger than makes sense."""

    field = "total_rho"


class RhoIsSet(ReleaseRefused):
    """A budget in ρ is set once, before the first charge."""

    field = "total_rho"

    def __init__(self) -> None:
        super().__init__(_("A budget in ρ is set once, before anything is charged, and can’t be changed."))


class RhoTooSmall(ReleaseRefused):
    """The release costs more ρ than is left."""

    field = "epsilon"

    def __init__(self, left: Fraction, cost: Fraction) -> None:
        super().__init__(
            _(
                "This release costs ρ = %(cost)s, but only ρ = %(left)s remains in this survey’s budget. "
                "Enter a smaller ε."
            )
            % {"left": exact_number(left), "cost": exact_number(cost)}
        )
        self.left = left


class BudgetBelowSpent(ReleaseRefused):
    """What is spent stays spent."""

    field = "total_epsilon"

    def __init__(self, spent: Fraction) -> None:
        super().__init__(
            _("Enter a total of at least ε = %(spent)s, because that much is already spent.")
            % {"spent": exact_number(spent)}
        )
        self.spent = spent


class DeltaBelowSpent(ReleaseRefused):
    """What is spent stays spent."""

    field = "total_delta"

    def __init__(self, spent: Fraction) -> None:
        super().__init__(
            _("Enter a total of at least δ = %(spent)s, because that much is already spent.")
            % {"spent": exact_number(spent)}
        )
        self.spent = spent


class DuplicateRequest(ReleaseRefused):
    """The same request has already made its release."""

    def __init__(self, release_id: str) -> None:
        super().__init__(
            _("Release %(release)s was already made from this request. Nothing was charged again.")
            % {"release": release_id}
        )
        self.release_id = release_id


class LedgerHasGoneOn(ReleaseRefused):
    """A line was written after the terms were shown."""

    def __init__(self) -> None:
        super().__init__(
            _("The budget or its releases have changed since these terms were shown. Review the terms again.")
        )


# Where the record beside the database says more than the database.


class ChargesMissing(ReleaseRefused):
    """The database was replaced by one that lacks charges."""

    field = "questions"

    def __init__(self, charges: Collection[int]) -> None:
        super().__init__(
            ngettext(
                "The database was restored from an earlier copy, which lacks %(n)s charge to this survey (ε = "
                "%(epsilon)s). Charges can’t be undone, so nothing more can be released from this survey.",
                "The database was restored from an earlier copy, which lacks %(n)s charges to this survey (ε = "
                "%(epsilon)s in all). Charges can’t be undone, so nothing more can be released from this "
                "survey.",
                len(charges),
            )
            % {"n": len(charges), "epsilon": exact_number(Fraction(sum(charges), MICRO))}
        )


class ReleaseInterrupted(ReleaseRefused):
    """What is left does not pay for this release as well as for one that may have been charged."""

    field = "epsilon"

    def __init__(self, aside: Fraction) -> None:
        super().__init__(
            _(
                "A release of this survey was interrupted and may have been charged. ε = %(aside)s is set "
                "aside for that release, and the rest of the budget can’t cover a new one. Repeat the "
                "interrupted request, or raise the budget."
            )
            % {"aside": exact_number(aside)}
        )


class NotRecorded(ReleaseRefused):
    """Without the record no charge is acknowledged."""

    def __init__(self, why: OSError) -> None:
        super().__init__(
            _(
                "The server can’t use its record of charges (%(why)s), so nothing was charged. Ask a server "
                "administrator to run “manage.py doctor” for details."
            )
            % {"why": why.strerror or why}
        )


# Where somebody else has to approve.


class NeedsApproval(ReleaseRefused):
    """The site asks for two people, and one alone has asked for a release."""

    def __init__(self) -> None:
        super().__init__(_("On this site, a second person approves each release. Propose the release first."))


class OwnProposal(ReleaseRefused):
    """Nobody approves their own proposal."""

    def __init__(self) -> None:
        super().__init__(_("You proposed this release yourself, so another person must approve it."))


class MayNotDecide(ReleaseRefused):
    """Without the right to."""

    def __init__(self) -> None:
        super().__init__(_("You don’t have permission to decide on this proposal."))


class ProposalDecided(ReleaseRefused):
    """A decision is final."""

    def __init__(self, proposal: Proposal) -> None:
        decisions = {
            Proposal.State.APPROVED: _("%(name)s has already approved this proposal, and its release has been made."),
            Proposal.State.DECLINED: _("%(name)s has declined this proposal."),
            Proposal.State.WITHDRAWN: _("%(name)s has withdrawn this proposal."),
        }
        super().__init__(decisions[Proposal.State(proposal.state)] % {"name": proposal.decided_by_name})


class OtherProposal(ReleaseRefused):
    """One request is one proposal."""

    def __init__(self) -> None:
        super().__init__(_("Another proposal was already made from this request. Start again."))


class AnswersHaveChanged(ReleaseRefused):
    """What was proposed was about so many answers, and there are not as many now."""

    def __init__(self, question: str, then: int, now: int) -> None:
        super().__init__(
            _(
                "“%(question)s” had %(then)s counted answers when this release was proposed, and now has "
                "%(now)s. Propose the release again."
            )
            % {"question": question, "then": then, "now": now}
        )


class DesignHasChanged(ReleaseRefused):
    """The survey is not the one that was proposed from."""

    def __init__(self) -> None:
        super().__init__(
            _("The questions or their designs have changed since this release was proposed. Propose it again.")
        )


# What people type as ε, δ and reasons, refused by name where it cannot be.


def micro_epsilon(epsilon: object) -> int:
    """Return ε in millionths, exactly; raises `InvalidEpsilon` for whatever is none, NaN and infinity included."""
    try:
        number = positive(epsilon, "ε")
    except ValueError:
        raise InvalidEpsilon(
            _("Enter ε as an exact number above 0, not %(value)s.") % {"value": show_value(epsilon, str)}
        ) from None
    if not number <= LARGEST_EPSILON:
        raise InvalidEpsilon(
            _("Enter an ε of at most %(most)s. A larger ε protects almost nothing.") % {"most": LARGEST_EPSILON}
        )
    units = number * MICRO
    if units.denominator != 1:
        raise InvalidEpsilon(_("Enter an ε with at most six decimals."))
    return units.numerator


def pico_delta(delta: object) -> int:
    """Return δ in trillionths, exactly; raises `InvalidDelta` for whatever is none."""
    try:
        number = exact(delta, "δ")
    except ValueError:
        raise InvalidDelta(
            _("Enter δ as an exact number, not %(value)s.") % {"value": show_value(delta, str)}
        ) from None
    if not 0 <= number <= LARGEST_DELTA:
        raise InvalidDelta(_("Enter a δ between 0 and %(most)s.") % {"most": exact_number(LARGEST_DELTA)})
    units = number * PICO
    if units.denominator != 1:
        raise InvalidDelta(_("Enter a δ with at most twelve decimals."))
    return units.numerator


def stated_reason(reason: str) -> str:
    """Return a reason without space around it; raises `NoReason` where there is none or it is too long."""
    stated = " ".join(reason.split())
    if not stated:
        raise NoReason(_("Enter a reason. The ledger keeps it permanently."))
    if unseen_in(stated):
        raise NoReason(_("The reason contains unreadable characters. Remove them."))
    if turning := turning_in(stated):
        raise NoReason(
            _("The reason contains a character that changes the direction of the text: %(character)s. Remove it.")
            % {"character": turning}
        )
    if len(stated) > REASON_LENGTH:
        raise NoReason(_("Enter a reason of at most %(most)s characters.") % {"most": REASON_LENGTH})
    return stated
