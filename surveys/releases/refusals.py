"""Why a release or a budget is refused: one exception with a code for each reason, and its words.

Where it is raised nothing was charged, drawn or stored.
"""

from enum import StrEnum, auto
from fractions import Fraction
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from surveys.numbers.words import exact_number


class Why(StrEnum):
    # What is asked for: words of their own say what is wrong with it.
    INVALID_EPSILON = auto()
    INVALID_DELTA = auto()
    INVALID_RHO = auto()
    INVALID_OPTION = auto()
    NO_REASON = auto()
    NO_QUESTION = auto()
    UNSUITABLE_QUESTION = auto()
    NO_SUCH_QUESTION = auto()
    UNKNOWN_MECHANISM = auto()
    CANNOT_BE_DRAWN = auto()
    # The survey.
    NOT_OPENED = auto()
    SEALED = auto()
    PURGED = auto()
    TOO_FEW_ANSWERS = auto()
    # Its budget.
    NO_BUDGET = auto()
    BUDGET_TOO_SMALL = auto()
    DELTA_TOO_SMALL = auto()
    RHO_TOO_SMALL = auto()
    BUDGET_BELOW_SPENT = auto()
    DELTA_BELOW_SPENT = auto()
    RHO_IS_SET = auto()
    LEDGER_HAS_GONE_ON = auto()
    DUPLICATE_REQUEST = auto()
    # Where the record beside the database says more than the database.
    CHARGES_MISSING = auto()
    RELEASE_INTERRUPTED = auto()
    NOT_RECORDED = auto()
    # Where somebody else has to approve.
    NEEDS_APPROVAL = auto()
    OWN_PROPOSAL = auto()
    MAY_NOT_DECIDE = auto()
    PROPOSAL_DECIDED = auto()
    OTHER_PROPOSAL = auto()
    ANSWERS_HAVE_CHANGED = auto()
    DESIGN_HAS_CHANGED = auto()


class ReleaseRefused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """A budget was not changed or a release not made; the message says why to people, `field` where on a form.

    Parameters
    ----------
    code : Why
        The reason.
    words : str, optional
        What is said instead of the reason's usual words.
    field : str, optional
        The field that it is about, instead of the usual one.
    **facts
        What the words have places for; exact numbers are written for people.
    """

    def __init__(self, code: Why, words: str | Promise = "", *, field: str | None = None, **facts: Any) -> None:
        written = {name: exact_number(fact) if isinstance(fact, Fraction) else fact for name, fact in facts.items()}
        sentence = words or _WORDS[code]
        super().__init__(sentence % written if written else str(sentence))
        self.code, self.field, self.facts = code, field or _FIELDS.get(code), facts


_FIELDS = {
    **dict.fromkeys((Why.INVALID_EPSILON, Why.BUDGET_TOO_SMALL, Why.RHO_TOO_SMALL, Why.RELEASE_INTERRUPTED), "epsilon"),
    **dict.fromkeys((Why.INVALID_DELTA, Why.DELTA_TOO_SMALL), "delta"),
    **dict.fromkeys((Why.INVALID_RHO, Why.RHO_IS_SET), "total_rho"),
    Why.BUDGET_BELOW_SPENT: "total_epsilon",
    Why.DELTA_BELOW_SPENT: "total_delta",
    Why.NO_REASON: "reason",
    **dict.fromkeys((Why.UNKNOWN_MECHANISM, Why.CANNOT_BE_DRAWN), "mechanism"),
    **dict.fromkeys((Why.NO_QUESTION, Why.UNSUITABLE_QUESTION, Why.NO_SUCH_QUESTION), "questions"),
    **dict.fromkeys((Why.NOT_OPENED, Why.SEALED, Why.PURGED, Why.TOO_FEW_ANSWERS), "questions"),
    **dict.fromkeys((Why.NO_BUDGET, Why.CHARGES_MISSING), "questions"),
}
"""Where on a form; the others are about none."""

TOO_FEW_SO_FAR = ngettext_lazy(
    "%(n)s answer to this question has been counted so far, but results need at least %(minimum)s. "
    "Until the survey closes, answers are counted in batches, so that no figure reveals a single "
    "response.",
    "%(n)s answers to this question have been counted so far, but results need at least "
    "%(minimum)s. Until the survey closes, answers are counted in batches, so that no figure "
    "reveals a single response.",
    "n",
)
"""Of too few answers, while they are counted in batches."""

_WORDS: dict[Why, Any] = {
    Why.NO_SUCH_QUESTION: _("This survey has no such question. Choose one of its questions."),
    Why.UNKNOWN_MECHANISM: _("The mechanism %(name)r does not exist. Choose another one."),
    Why.CANNOT_BE_DRAWN: _("This mechanism can’t be run with these values: %(why)s. Change the values."),
    Why.NOT_OPENED: _("This survey is a draft, so it has no answers yet. Open the survey first."),
    Why.SEALED: _("This survey is sealed, so nothing more can be released from it."),
    Why.PURGED: _("The reports of this survey have been deleted, so nothing more can be released from it."),
    Why.TOO_FEW_ANSWERS: ngettext_lazy(
        "This question has %(n)s answer, but results need at least %(minimum)s.",
        "This question has %(n)s answers, but results need at least %(minimum)s.",
        "n",
    ),
    Why.NO_BUDGET: _("This survey has no privacy budget yet. Set one first."),
    Why.BUDGET_TOO_SMALL: _(
        "This release costs more than the ε = %(left)s remaining in this survey’s budget. Enter a "
        "smaller ε, or raise the budget."
    ),
    Why.DELTA_TOO_SMALL: _(
        "This release costs more than the δ = %(left)s remaining in this survey’s budget. Enter a "
        "smaller δ, or raise the budget."
    ),
    Why.RHO_TOO_SMALL: _(
        "This release costs ρ = %(cost)s, but only ρ = %(left)s remains in this survey’s budget. Enter a smaller ε."
    ),
    Why.BUDGET_BELOW_SPENT: _("Enter a total of at least ε = %(spent)s, because that much is already spent."),
    Why.DELTA_BELOW_SPENT: _("Enter a total of at least δ = %(spent)s, because that much is already spent."),
    Why.RHO_IS_SET: _("A budget in ρ is set once, before anything is charged, and can’t be changed."),
    Why.LEDGER_HAS_GONE_ON: _(
        "The budget or its releases have changed since these terms were shown. Review the terms again."
    ),
    Why.DUPLICATE_REQUEST: _("Release %(release)s was already made from this request. Nothing was charged again."),
    Why.CHARGES_MISSING: ngettext_lazy(
        "The database was restored from an earlier copy, which lacks %(n)s charge to this survey (ε = "
        "%(epsilon)s). Charges can’t be undone, so nothing more can be released from this survey.",
        "The database was restored from an earlier copy, which lacks %(n)s charges to this survey (ε = "
        "%(epsilon)s in all). Charges can’t be undone, so nothing more can be released from this "
        "survey.",
        "n",
    ),
    Why.RELEASE_INTERRUPTED: _(
        "A release of this survey was interrupted and may have been charged. ε = %(aside)s is set "
        "aside for that release, and the rest of the budget can’t cover a new one. Repeat the "
        "interrupted request, or raise the budget."
    ),
    Why.NOT_RECORDED: _(
        "The server can’t use its record of charges (%(why)s), so nothing was charged. Ask a server "
        "administrator to run “%(command)s doctor” for details."
    ),
    Why.NEEDS_APPROVAL: _("On this site, a second person approves each release. Propose the release first."),
    Why.OWN_PROPOSAL: _("You proposed this release yourself, so another person must approve it."),
    Why.MAY_NOT_DECIDE: _("You don’t have permission to decide on this proposal."),
    Why.OTHER_PROPOSAL: _("Another proposal was already made from this request. Start again."),
    Why.ANSWERS_HAVE_CHANGED: _(
        "“%(question)s” had %(then)s counted answers when this release was proposed, and now has "
        "%(now)s. Propose the release again."
    ),
    Why.DESIGN_HAS_CHANGED: _(
        "The questions or their designs have changed since this release was proposed. Propose it again."
    ),
}
"""What each reason says, but for those that are raised with words of their own."""
