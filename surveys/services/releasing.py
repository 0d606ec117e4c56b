"""Budgets and releases: a release is charged, drawn once and stored in one transaction, or refused at no charge."""

import secrets
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.formats import get_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys import selectors
from surveys.estimation import item_counts
from surveys.models import Budget, Mechanism, Question, Release, Survey
from surveys.models.definition import AskedQuestion, Definition, Item
from surveys.models.release import MICRO
from surveys.privacy.mechanisms import most_common_utilities
from surveys.privacy.rationals import positive
from surveys.selectors.release_terms import RELATION, Terms
from surveys.selectors.releases import answer_count, is_releasable
from surveys.selectors.responses import fresh_tally_of

LARGEST_EPSILON = 10
"""Above it noise protects next to nothing: one answer's odds may change by e¹⁰, 22,000-fold."""


class Refused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """Nothing was charged, drawn or stored; the message says why to people, `field` where on a form."""

    field: str | None = None


class InvalidEpsilon(Refused):
    """Not above 0, not finite, not exact, or larger than makes sense."""

    field = "epsilon"


class UnknownMechanism(Refused):
    """There is no such mechanism."""

    field = "mechanism"

    def __init__(self, mechanism: object) -> None:
        super().__init__(_("There is no mechanism %(name)r.") % {"name": mechanism})


class ForeignQuestion(Refused):
    """The question belongs to another survey."""

    field = "question"

    def __init__(self) -> None:
        super().__init__(_("This question belongs to another survey."))


class UnsuitableQuestion(Refused):
    """Its reports are not one answer each, so a histogram of them would not be one of answers."""

    field = "question"

    def __init__(self, asked: AskedQuestion) -> None:
        if len(asked.items) > 1:
            why = _("Nothing can be released from “%(question)s”: it has several answers a person, one an option.")
        elif asked.first.range:
            why = _("Nothing can be released from “%(question)s”: its reports are of a number’s two ends, not answers.")
        else:
            why = _("Nothing can be released from “%(question)s”: its reports are not answers to it.")
        super().__init__(why % {"question": asked.text})


class NotOpened(Refused):
    """A draft may still change, so nothing is released from it."""

    field = "question"

    def __init__(self) -> None:
        super().__init__(_("This survey is a draft: it has no answers yet."))


class TooFewAnswers(Refused):
    """Fewer answers than the survey needs to show any result."""

    field = "question"

    def __init__(self, n: int, minimum: int) -> None:
        super().__init__(
            ngettext(
                "This question has %(n)s answer; the survey shows results from %(minimum)s on.",
                "This question has %(n)s answers; the survey shows results from %(minimum)s on.",
                n,
            )
            % {"n": n, "minimum": minimum}
        )


class NoBudget(Refused):
    """Nobody has given this survey a budget."""

    field = "question"

    def __init__(self) -> None:
        super().__init__(_("This survey has no privacy budget: set one first."))


class BudgetTooSmall(Refused):
    """The release costs more than is left."""

    field = "epsilon"

    def __init__(self, left: Fraction) -> None:
        super().__init__(
            _("The budget of this survey has ε = %(left)s left: this release costs more.") % {"left": written(left)}
        )
        self.left = left


class BudgetBelowSpent(Refused):
    """What is spent stays spent."""

    field = "total_epsilon"

    def __init__(self, spent: Fraction) -> None:
        super().__init__(
            _("ε = %(spent)s of this budget is spent: the total cannot be smaller.") % {"spent": written(spent)}
        )
        self.spent = spent


class DuplicateRequest(Refused):
    """The same request has already made its release."""

    def __init__(self, release_id: str) -> None:
        super().__init__(
            _("This request has already made release %(release)s: nothing was charged again.") % {"release": release_id}
        )
        self.release_id = release_id


def decimal(epsilon: Fraction) -> str:
    """Return a whole number of millionths as programs read it, without rounding."""
    units = epsilon * MICRO
    if units.denominator != 1:
        raise ValueError(f"epsilon must be a whole number of millionths, got {epsilon}")
    whole, rest = divmod(units.numerator, MICRO)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")


def written(epsilon: Fraction) -> str:
    """Return the same as people write it in the language in force."""
    return decimal(epsilon).replace(".", str(get_format("DECIMAL_SEPARATOR")))


def micro_epsilon(epsilon: object) -> int:
    """Return ε in millionths, exactly; raises `InvalidEpsilon` for whatever is none, NaN and infinity included."""
    try:
        number = positive(epsilon, "ε")
    except ValueError:
        raise InvalidEpsilon(_("ε must be an exact number above 0, not %(value)s.") % {"value": epsilon}) from None
    if not number <= LARGEST_EPSILON:
        raise InvalidEpsilon(
            _("ε must be at most %(most)s: a larger one protects next to nothing.") % {"most": LARGEST_EPSILON}
        )
    units = number * MICRO
    if units.denominator != 1:
        raise InvalidEpsilon(_("ε can have six decimals at most."))
    return units.numerator


@transaction.atomic
def set_budget(*, survey: Survey, total_epsilon: Fraction, user: User) -> Budget:
    """Set how much central ε all releases of a survey may ever cost together, and log who set it.

    Raises `InvalidEpsilon` or `BudgetBelowSpent`; nothing is changed then.
    """
    total = micro_epsilon(total_epsilon)
    budget, _created = Budget.objects.get_or_create(survey=survey, defaults={"total_micro_epsilon": total})
    changed = Budget.objects.filter(pk=budget.pk, spent_micro_epsilon__lte=total).update(total_micro_epsilon=total)
    budget.refresh_from_db()
    if not changed:
        raise BudgetBelowSpent(budget.spent_epsilon)
    _log(user, budget, f"Total ε set to {decimal(budget.total_epsilon)}.")
    return budget


def check(*, survey: Survey, question: Question, mechanism: str, epsilon: Fraction) -> Terms:
    """Return the terms of a release, or raise what `release` would raise now; no report is counted, nothing charged."""
    cost = micro_epsilon(epsilon)
    definition, item = _released_item(survey, question, mechanism)
    budget = Budget.objects.filter(survey_id=survey.pk).first()
    if budget is None:
        raise NoBudget
    if budget.spent_micro_epsilon + cost > budget.total_micro_epsilon:
        raise BudgetTooSmall(budget.remaining_epsilon)
    n = answer_count(survey, item)
    _require_enough(n, definition)
    return Terms(item=item, mechanism=mechanism, epsilon=Fraction(epsilon), n=n)


def release(
    *,
    user: User,
    survey: Survey,
    question: Question,
    mechanism: str,
    epsilon: Fraction,
    request_key: UUID,
    randbelow: Callable[[int], int] = secrets.randbelow,
) -> Release:
    """Charge the budget, count the reports, draw once and store the draw: all of it or nothing.

    Parameters
    ----------
    user : User
        Who releases, for the ledger.
    survey, question
        An opened survey and one of its questions.
    mechanism : str
        One of `Mechanism`.
    epsilon : Fraction
        The central ε, exact: a whole number of millionths above 0 and at most `LARGEST_EPSILON`.
    request_key : UUID
        Made once for each release that somebody asks for; the same request again is refused.
    randbelow : callable, optional
        The source of uniform integers.

    Raises
    ------
    Refused
        One of its kinds; nothing is charged, drawn or stored.
    """
    cost = micro_epsilon(epsilon)
    with transaction.atomic():
        definition, item = _released_item(survey, question, mechanism)
        _charge(survey, cost, request_key)
        tally = fresh_tally_of(survey, items=len(definition.items))
        counts, _left_out = item_counts(tally.patterns, tally.counts, item.number, item.design.m)
        terms = Terms(item=item, mechanism=mechanism, epsilon=Fraction(epsilon), n=int(counts.sum()))
        _require_enough(terms.n, definition)
        row = Release(
            survey_id=survey.pk,
            question_id=question.pk,
            mechanism=mechanism,
            parameters={
                "epsilon": str(terms.epsilon),
                "sensitivity": str(terms.sensitivity),
                "item": item.number,
                "content_hash": definition.version,
                # The releases of one survey share respondents: what all of them have cost, this one included.
                "spent": str(Budget.objects.get(survey_id=survey.pk).spent_epsilon),
            },
            output=draw(terms, [int(count) for count in counts], randbelow),
            relation=RELATION.name,
            micro_epsilon=cost,
            n=terms.n,
            data_version=tally.version,
            request_key=request_key,
            created_by=user,
        )
        try:
            with transaction.atomic():
                row.save(force_insert=True)
        except IntegrityError:
            # Two budgets do not wait for each other, so only the unique key sees one request used for both.
            raise _duplicate(request_key) from None
        return row


def draw(terms: Terms, counts: Sequence[int], randbelow: Callable[[int], int] = secrets.randbelow) -> dict[str, Any]:
    """Run the mechanism once on the counts of the reports and return its output, which is all that is ever stored."""
    if terms.is_one_count:
        [noisy] = terms.laplace.add_noise(counts[1:], randbelow)
        return {"noisy_counts": [terms.n - noisy, noisy]}
    if terms.is_histogram:
        return {"noisy_counts": list(terms.laplace.add_noise(counts, randbelow))}
    index = terms.exponential.choose(most_common_utilities(counts, terms.item.design), randbelow)
    return {"index": index, "label": terms.item.labels[index]}


@transaction.atomic
def publish(*, release: Release, user: User) -> None:
    """Show a release to everybody who has its address."""
    Release.objects.filter(pk=release.pk).update(published=True)
    _log(user, release, "Published.")


@transaction.atomic
def withdraw(*, release: Release, user: User) -> None:
    """Hide a release again; it has been paid for all the same."""
    Release.objects.filter(pk=release.pk).update(published=False)
    _log(user, release, "Withdrawn; the charge stays.")


def _released_item(survey: Survey, question: Question, mechanism: str) -> tuple[Definition, Item]:
    if mechanism not in Mechanism.values:
        raise UnknownMechanism(mechanism)
    if question.survey_id != survey.pk:
        raise ForeignQuestion
    survey = Survey.objects.get(pk=survey.pk)
    if survey.is_draft:
        raise NotOpened
    definition = selectors.definition_of(survey)
    asked = next(asked for asked in definition.questions if asked.question_id == question.pk)
    if not is_releasable(asked):
        raise UnsuitableQuestion(asked)
    return definition, asked.first


def _charge(survey: Survey, cost: int, request_key: UUID) -> None:
    """Spend `cost` in one conditional statement: of two at once, the second sees what the first has left."""
    charged = Budget.objects.filter(
        survey_id=survey.pk, spent_micro_epsilon__lte=F("total_micro_epsilon") - cost
    ).update(spent_micro_epsilon=F("spent_micro_epsilon") + cost)
    # Only now: on PostgreSQL the statement above has waited for whoever was spending from this budget.
    if Release.objects.filter(request_key=request_key).exists():
        raise _duplicate(request_key)
    if charged:
        return
    budget = Budget.objects.filter(survey_id=survey.pk).first()
    if budget is None:
        raise NoBudget
    raise BudgetTooSmall(budget.remaining_epsilon)


def _duplicate(request_key: UUID) -> DuplicateRequest:
    return DuplicateRequest(Release.objects.get(request_key=request_key).pk)


def _require_enough(n: int, definition: Definition) -> None:
    if n < definition.minimum_n:
        raise TooFewAnswers(n, definition.minimum_n)


def _log(user: User, changed: Budget | Release, message: str) -> None:
    # In one language for everybody who reads it, whatever the person at work reads.
    LogEntry.objects.log_actions(
        user_id=user.pk, queryset=[changed], action_flag=CHANGE, change_message=message, single_object=True
    )
