"""A release: drawn once, stored and charged in one transaction, or refused at no charge."""

import functools
import math
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from surveys.common.record import Record
from surveys.common.totals import standing_of
from surveys.estimation import item_counts, joint_counts
from surveys.models import Budget, LedgerEntry, Proposal, Question, Release, ReleasePart, State, Survey
from surveys.models.asked_question import AskedQuestion, Item
from surveys.models.units import MICRO, PICO
from surveys.privacy.adjacency import Counted
from surveys.privacy.loss import PrivacyLoss
from surveys.releases.families.mechanism import RELATION, PartTerms
from surveys.releases.families.questions import TICKED, counted_of, groups_in, items_counted, questions_in
from surveys.releases.ledger import services
from surveys.releases.ledger.services import require_rho_left, write_charge_in_rho
from surveys.releases.selectors.doors import answer_count, look_in, look_now
from surveys.releases.selectors.terms import Terms
from surveys.releases.services.asking import ReleaseCost, ReleaseRequest, check_request
from surveys.releases.services.proposals import (
    asked_by,
    lock_for_decision,
    require_as_proposed,
    write_approval,
)
from surveys.releases.services.refusals import (
    DuplicateRequest,
    LedgerHasGoneOn,
    NeedsApproval,
    OtherProposal,
    Purged,
    Sealed,
    micro_epsilon,
    pico_delta,
    stated_reason,
)
from surveys.responses.selectors.tally import Tally, fresh_figures_of

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_SAME_REQUEST = (
    "survey_id",
    "questions",
    "mechanism",
    "micro_epsilon",
    "pico_delta",
    "options",
    "proposed_by_id",
)
STEP_SECONDS = 1.0
"""Far above what any draw takes, so that nearly all releases end after the same one step."""


def pad_duration(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Let a function, whether it returns or raises, end at the next whole step after its beginning.

    How long a release takes says nothing about its draw then: an exact sampler's time depends on what it draws. The
    rest is slept after the transaction has ended, so that nobody waits for a lock meanwhile.
    """

    @functools.wraps(function)
    def slow(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        began = time.monotonic()
        try:
            return function(*args, **kwargs)
        finally:
            taken = time.monotonic() - began
            if STEP_SECONDS:
                time.sleep(math.ceil(taken / STEP_SECONDS) * STEP_SECONDS - taken)

    return slow


def same_as(
    made: Release,
    *,
    survey: Survey,
    questions: Sequence[Question],
    mechanism: str,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    options: Mapping[str, Any] | None = None,
) -> bool:
    """Whether a release is of these questions, by this mechanism with these options, and for this cost."""
    cost = ReleaseCost(micro_epsilon(epsilon), pico_delta(delta))
    request = check_request(survey, questions, mechanism, cost, options or {})
    asked = [
        (tuple(each.question_id for each in questions_in(question)), dict(chosen), loss)
        for question, chosen, loss in zip(request.asked, request.options, request.losses, strict=True)
    ]
    drawn = [
        (part.question_keys, part.parameters["options"], PrivacyLoss(part.epsilon, part.delta))
        for part in made.parts.order_by("position")
    ]
    return made.survey_id == survey.pk and made.mechanism == mechanism and drawn == asked


def check(
    *,
    survey: Survey,
    questions: Sequence[Question],
    mechanism: str,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    options: Mapping[str, Any] | None = None,
) -> Terms:
    """Return the terms of a release, or raise what `release` would raise now; nothing is drawn or charged."""
    cost = ReleaseCost(micro_epsilon(epsilon), pico_delta(delta))
    request = check_request(survey, questions, mechanism, cost, options or {})
    services.require_all_charges(survey)
    budget = Budget.objects.filter(survey_id=survey.pk).first()
    budget = services.require_left(budget, micro_epsilon=cost.micro_epsilon, pico_delta=cost.pico_delta)
    request = request.with_groups(survey, look_now(survey, request.definition))
    terms = request.terms([answer_count(survey, asked) for asked in request.asked])
    require_rho_left(budget, terms)
    return terms


@pad_duration
def release(
    *,
    user: User,
    survey: Survey,
    questions: Sequence[Question],
    mechanism: str,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    options: Mapping[str, Any] | None = None,
    reason: str,
    request_key: UUID,
    lines: int | None = None,
    randbelow: Callable[[int], int] = secrets.randbelow,
) -> Release:
    """Lock the budget, count the reports, draw once, store the draw and charge it: all of it or nothing.

    Parameters
    ----------
    user : User
        Who releases, for the ledger.
    survey, questions
        An opened survey and some of its questions; ε and δ are split evenly among them.
    mechanism : str
        One of `OFFERS`.
    epsilon : Fraction
        The central ε, exact: a whole number of millionths above 0 and at most `LARGEST_EPSILON`.
    delta : Fraction, optional
        The central δ, exact: above 0 for the mechanisms that need one, else 0.
    options : mapping, optional
        What else the mechanism needs, by the names in `Offer.options`.
    reason : str
        Why, for the ledger.
    request_key : UUID
        Made once for each release that somebody asks for; the same request again is refused.
    lines : int, optional
        How many lines the ledger must have: those it had when somebody agreed to the terms.
    randbelow : callable, optional
        The source of uniform integers.

    Raises
    ------
    Refused
        One of its kinds; nothing is charged, drawn or stored. Where the site asks for two people all of them are
        `NeedsApproval`: only `approve` makes a release there.
    """
    if settings.RELEASES_NEED_APPROVAL:
        _require_new(request_key)
        raise NeedsApproval
    cost, why = ReleaseCost(micro_epsilon(epsilon), pico_delta(delta)), stated_reason(reason)
    return _draw_and_charge(
        check_request(survey, questions, mechanism, cost, options or {}),
        cost,
        user=user,
        survey=survey,
        reason=why,
        request_key=request_key,
        lines=lines,
        randbelow=randbelow,
    )


def _draw_and_charge(
    request: ReleaseRequest,
    cost: ReleaseCost,
    *,
    user: User,
    survey: Survey,
    reason: str,
    request_key: UUID,
    lines: int | None,
    randbelow: Callable[[int], int],
    proposal: Proposal | None = None,
) -> Release:
    # Durable: around it nobody may open a transaction that takes the charge back after the draw was seen.
    with transaction.atomic(durable=True):
        approved = lock_for_decision(proposal, user) if proposal else None
        budget, known = _budget_that_pays(survey, cost, request_key, lines)
        tally = fresh_figures_of(survey, items=len(request.definition.columns))
        # Sealing may have begun to destroy whole responses before they were read.
        if standing_of(survey).sealing:
            raise Sealed
        request = request.with_groups(survey, look_in(survey, request.definition, tally))
        terms = request.terms([answered_of(asked, tally) for asked in request.asked])
        if approved:
            require_as_proposed(approved, terms)
        require_rho_left(budget, terms)
        row = _stored(
            Release(
                survey_id=survey.pk,
                mechanism=str(request.offer.name),
                relation=RELATION.name,
                micro_epsilon=cost.micro_epsilon,
                pico_delta=cost.pico_delta,
                data_version=tally.version,
                request_key=request_key,
                exact_figures=Survey.objects.values_list("exact_figures", flat=True).get(pk=survey.pk),
                created_by=user,
                created_at=services.time_of_next_line(budget),
            )
        )
        for position, part in enumerate(terms.parts, start=1):
            _draw(row, part, position=position, version=request.definition.version, tally=tally, randbelow=randbelow)
        pico_rho = write_charge_in_rho(budget, row, terms)
        services.write_charge(budget, release=row, reason=reason, user=user)
        if approved:
            write_approval(approved, row, user)
        # Last, so that hardly anything can keep what is begun from being committed.
        services.begin_charge(budget, known, row, pico_rho)
    services.complete_charge(known, row)
    return row


def _budget_that_pays(survey: Survey, cost: ReleaseCost, request_key: UUID, lines: int | None) -> tuple[Budget, Record]:
    """Return the budget, locked until the charge is written, with all that is known to be charged; or raise why not."""
    budget = services.lock_budget(survey)
    # Only now: on PostgreSQL the statement above has waited for other releases from this budget.
    _require_new(request_key)
    known = services.require_all_charges(survey)
    budget = services.require_left(budget, micro_epsilon=cost.micro_epsilon, pico_delta=cost.pico_delta)
    if lines is not None and budget.entries != lines:
        raise LedgerHasGoneOn
    return budget, known


def _require_new(request_key: UUID) -> None:
    earlier = Release.objects.filter(request_key=request_key).first()
    if earlier is not None:
        raise DuplicateRequest(earlier.pk)


def _stored(row: Release) -> Release:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        # Two budgets do not wait for each other, so only the unique key sees one request used for both; and a guard
        # sees a survey that was sealed or purged since.
        _require_new(row.request_key)
        state = Survey.objects.values_list("state", flat=True).get(pk=row.survey_id)
        if state in {State.SEALED, State.PURGED}:
            raise (Sealed if state == State.SEALED else Purged) from None
        raise
    return row


def _draw(
    row: Release,
    part: PartTerms,
    *,
    position: int,
    version: str,
    tally: Tally,
    randbelow: Callable[[int], int],
) -> None:
    """Run the mechanism once on the counts of the reports and store its output, which is all that is ever stored."""
    output = part.mechanism.release(counts_of(part.asked, tally), randbelow)
    sensitivity = part.mechanism.sensitivity
    _outcome, *beside = questions_in(part.asked)
    ReleasePart(
        release=row,
        position=position,
        question_id=part.asked.question_id,
        parameters={
            "epsilon": str(part.loss.epsilon),
            "delta": str(part.loss.delta),
            "sensitivity": str(sensitivity.value),
            "norm": sensitivity.norm.name,
            "content_hash": version,
            "options": dict(part.options),
            **({"beside": [question.question_id for question in beside]} if beside else {}),
            **({"groups": asdict(groups)} if (groups := groups_in(part.asked)) else {}),
        },
        output=part.offer.stored(output, part.asked),
        micro_epsilon=int(part.loss.epsilon * MICRO),
        pico_delta=int(part.loss.delta * PICO),
        n=part.n,
    ).save(force_insert=True)


def counts_of(asked: AskedQuestion, tally: Tally) -> list[int]:
    """Return how often each report of a question came, or of several options how often each was reported.

    Of several questions together: how often each pattern of their reports came, the last one's changing fastest, and
    group by group where these are shown separately, which change fastest then.
    """
    if len(questions_in(asked)) > 1:
        return _patterns_of(asked, tally).ravel().tolist()
    if counted_of(asked) is Counted.BITS:
        return [_reports_of(item, tally)[TICKED] for item in asked.items]
    return _reports_of(asked.first, tally)


def answered_of(asked: AskedQuestion, tally: Tally) -> int:
    """Return how many responses leave none of the questions out: a public number."""
    return int(_patterns_of(asked, tally).sum())


def _patterns_of(asked: AskedQuestion, tally: Tally) -> npt.NDArray[np.int64]:
    items = items_counted(asked)
    numbers, shape, patterns = [item.number for item in items], [item.design.m for item in items], tally.patterns
    if groups := groups_in(asked):
        patterns = np.column_stack([patterns, places_of_groups(tally.groups, groups.keys)])
        numbers, shape = [*numbers, patterns.shape[1] - 1], [*shape, len(groups.keys)]
    return joint_counts(patterns, tally.counts, numbers, tuple(shape))


def places_of_groups(groups: npt.NDArray[np.int64], keys: Sequence[int | None]) -> npt.NDArray[np.uint8]:
    """Return the place of each response's group among those shown separately; the last stands for all others."""
    places = np.full(groups.shape, len(keys) - 1, dtype=np.uint8)
    for place, key in enumerate(keys):
        if key is not None:
            places[groups == key] = place
    return places


def _reports_of(item: Item, tally: Tally) -> list[int]:
    # Who left it out visibly is not counted.
    counts, _left_out = item_counts(tally.patterns, tally.counts, item.number, item.design.m)
    return [int(count) for count in counts]


# Two people: one proposes terms, for which nothing is read, drawn or charged; another approves, which does all of it.


@transaction.atomic
def propose(
    *,
    user: User,
    survey: Survey,
    questions: Sequence[Question],
    mechanism: str,
    epsilon: Fraction,
    delta: Fraction = Fraction(0),
    options: Mapping[str, Any] | None = None,
    reason: str,
    request_key: UUID,
) -> Proposal:
    """Store terms that could be released now, for somebody else to look at; the same request again is the same one.

    Raises what `check` raises, `DuplicateRequest` where this request has made its release, or `OtherProposal`.
    """
    why = stated_reason(reason)
    request = check_request(
        survey, questions, mechanism, ReleaseCost(micro_epsilon(epsilon), pico_delta(delta)), options or {}
    )
    proposal = Proposal(
        survey=survey,
        questions=[question.question_id for asked in request.asked for question in questions_in(asked)],
        content_hash=request.definition.version,
        mechanism=str(request.offer.name),
        micro_epsilon=micro_epsilon(epsilon),
        pico_delta=pico_delta(delta),
        options=dict(options or {}),
        reason=why,
        request_key=request_key,
        proposed_by=user,
        proposed_by_name=user.get_username(),
    )
    if earlier := _earlier(proposal):
        return earlier
    _require_new(request_key)
    terms = check(
        survey=survey, questions=questions, mechanism=mechanism, epsilon=epsilon, delta=delta, options=options
    )
    proposal.answered = [part.n for part in terms.parts]
    try:
        with transaction.atomic():
            proposal.save(force_insert=True)
    except IntegrityError:
        # Sent twice at once.
        if earlier := _earlier(proposal):
            return earlier
        raise
    return proposal


def _earlier(proposal: Proposal) -> Proposal | None:
    """Return what the same request has proposed before; raises `OtherProposal` where that is something else."""
    earlier = Proposal.objects.filter(request_key=proposal.request_key).first()
    if earlier and any(getattr(earlier, name) != getattr(proposal, name) for name in _SAME_REQUEST):
        raise OtherProposal
    return earlier


def check_proposal(proposal: Proposal) -> Terms:
    """Return the terms as they are now, or raise why they cannot be approved; nothing is drawn."""
    terms = check(**asked_by(proposal))
    require_as_proposed(proposal, terms)
    return terms


@pad_duration
def approve(
    *,
    proposal: Proposal,
    user: User,
    lines: int | None = None,
    randbelow: Callable[[int], int] = secrets.randbelow,
) -> Release:
    """Draw and charge what somebody else has proposed, as `release` does, and say of the proposal that it is approved.

    Raises what `release` raises, `OwnProposal`, `MayNotDecide`, `ProposalDecided`, and what `require_as_proposed` does.
    """
    # As it is stored: its terms never change, so they are the same once it is locked.
    proposal = Proposal.objects.select_related("survey").get(pk=proposal.pk)
    asked = asked_by(proposal)
    cost = ReleaseCost(proposal.micro_epsilon, proposal.pico_delta)
    return _draw_and_charge(
        check_request(asked["survey"], asked["questions"], proposal.mechanism, cost, asked["options"]),
        cost,
        user=user,
        survey=asked["survey"],
        reason=proposal.reason,
        request_key=proposal.request_key,
        lines=lines,
        randbelow=randbelow,
        proposal=proposal,
    )


# Whether a release is shown to everybody: all of it that ever changes, and each change is a line of the ledger.


def publish(*, release: Release, user: User) -> None:
    """Show a release to everybody, at its address and in the list of the survey's published releases."""
    _show(release, user, LedgerEntry.Kind.PUBLISH)


def withdraw(*, release: Release, user: User) -> None:
    """Hide a release again; it has been paid for all the same."""
    _show(release, user, LedgerEntry.Kind.WITHDRAW)


@transaction.atomic
def _show(release: Release, user: User, kind: LedgerEntry.Kind) -> None:
    """Write the line, which shows or hides the release; nothing where that is so already."""
    budget = services.lock_budget(release.survey)
    # Only now: any earlier request has finished.
    if budget is None or Release.objects.get(pk=release.pk).published == (kind == LedgerEntry.Kind.PUBLISH):
        return
    services.write_publication(budget, kind=kind, release=release, user=user)
