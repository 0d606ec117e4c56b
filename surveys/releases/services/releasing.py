"""A release: drawn once, stored and charged in one transaction, or refused at no charge."""

import functools
import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from surveys.common.record import Record
from surveys.common.totals import standing_of
from surveys.estimation.patterns import item_counts, joint_counts
from surveys.models import Budget, LedgerEntry, Proposal, Release, ReleasePart, State, Survey
from surveys.models.units import MICRO, PICO
from surveys.privacy.adjacency import Counted
from surveys.privacy.loss import PrivacyLoss
from surveys.questionnaire.asked_question import Item
from surveys.releases.families.plan import RELATION, Plan, Terms
from surveys.releases.families.questions import TICKED, counted_of
from surveys.releases.ledger import services
from surveys.releases.ledger.services import require_rho_left, write_charge_in_rho
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import answer_count, look_in, look_now
from surveys.releases.services.proposals import (
    lock_for_decision,
    request_of,
    require_as_proposed,
    write_approval,
)
from surveys.releases.services.request import ReleaseRequest, stated_reason
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


def same_as(made: Release, request: ReleaseRequest) -> bool:
    """Whether a release is of these questions, by this mechanism with these options, and for this cost."""
    asked = [(plan.numbers, dict(plan.options), plan.loss) for plan in request.terms().plans]
    drawn = [
        (part.questions, part.parameters["options"], PrivacyLoss(part.epsilon, part.delta))
        for part in made.parts.order_by("position")
    ]
    return made.survey_id == request.survey.pk and made.mechanism == request.mechanism and drawn == asked


def check(request: ReleaseRequest) -> Terms:
    """Return the terms of a release, or raise what `release` would raise now; nothing is drawn or charged."""
    survey, terms = request.survey, request.terms()
    services.require_all_charges(survey)
    budget = Budget.objects.filter(survey_id=survey.pk).first()
    budget = services.require_left(budget, request)
    terms = request.counted(
        terms, look_now(survey, terms.definition), lambda plan: answer_count(survey, plan.questions)
    )
    require_rho_left(budget, terms)
    return terms


@pad_duration
def release(
    request: ReleaseRequest,
    *,
    user: User,
    lines: int | None = None,
    randbelow: Callable[[int], int] = secrets.randbelow,
) -> Release:
    """Lock the budget, count the reports, draw once, store the draw and charge it: all of it or nothing.

    Parameters
    ----------
    request : ReleaseRequest
        What is asked for.
    user : User
        Who releases, for the ledger.
    lines : int, optional
        How many lines the ledger must have: those it had when somebody agreed to the terms.
    randbelow : callable, optional
        The source of uniform integers.

    Raises
    ------
    ReleaseRefused
        Nothing is charged, drawn or stored. Where the site asks for two people everything is refused with
        NEEDS_APPROVAL: only `approve` makes a release there.
    """
    if settings.RELEASES_NEED_APPROVAL:
        require_new(request.key)
        raise ReleaseRefused(Why.NEEDS_APPROVAL)
    return _draw_and_charge(request, user=user, lines=lines, randbelow=randbelow)


def _draw_and_charge(
    request: ReleaseRequest,
    *,
    user: User,
    lines: int | None,
    randbelow: Callable[[int], int],
    proposal: Proposal | None = None,
) -> Release:
    survey = request.survey
    cost = {"micro_epsilon": request.micro_epsilon, "pico_delta": request.pico_delta}
    reason, terms = stated_reason(request.reason), request.terms()
    # Durable: around it nobody may open a transaction that takes the charge back after the draw was seen.
    with transaction.atomic(durable=True):
        approved = lock_for_decision(proposal, user) if proposal else None
        budget, known = _budget_that_pays(request, lines)
        tally = fresh_figures_of(survey, items=len(terms.definition.columns))
        # Sealing may have begun to destroy whole responses before they were read.
        if standing_of(survey).sealing:
            raise ReleaseRefused(Why.SEALED)
        terms = request.counted(
            terms, look_in(survey, terms.definition, tally), lambda plan: int(patterns_of(plan, tally).sum())
        )
        if approved:
            require_as_proposed(approved, terms)
        require_rho_left(budget, terms)
        row = _stored(
            Release(
                survey_id=survey.pk,
                mechanism=str(terms.mechanism.name),
                relation=RELATION.name,
                **cost,
                data_version=tally.version,
                request_key=request.key,
                exact_figures=Survey.objects.values_list("exact_figures", flat=True).get(pk=survey.pk),
                created_by=user,
                created_at=services.time_of_next_line(budget),
            )
        )
        for position, plan in enumerate(terms.plans, start=1):
            part = part_of(plan, plan.draw(counts_of(plan, tally), randbelow), terms.definition.version)
            part.release, part.position = row, position
            part.save(force_insert=True)
        pico_rho = write_charge_in_rho(budget, row, terms)
        services.write_charge(budget, release=row, reason=reason, user=user)
        if approved:
            write_approval(approved, row, user)
        # Last, so that hardly anything can keep what is begun from being committed.
        services.begin_charge(budget, known, row, pico_rho)
    services.complete_charge(known, row)
    return row


def _budget_that_pays(request: ReleaseRequest, lines: int | None) -> tuple[Budget, Record]:
    """Return the budget, locked until the charge is written, with all that is known to be charged; or raise why not."""
    budget = services.lock_budget(request.survey)
    # Only now: on PostgreSQL the statement above has waited for other releases from this budget.
    require_new(request.key)
    known = services.require_all_charges(request.survey)
    budget = services.require_left(budget, request)
    if lines is not None and budget.entries != lines:
        raise ReleaseRefused(Why.LEDGER_HAS_GONE_ON)
    return budget, known


def require_new(request_key: UUID) -> None:
    """Refuse a request that has made its release."""
    earlier = Release.objects.filter(request_key=request_key).first()
    if earlier is not None:
        raise ReleaseRefused(Why.DUPLICATE_REQUEST, release=earlier.pk)


def _stored(row: Release) -> Release:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        # Two budgets do not wait for each other, so only the unique key sees one request used for both; and a guard
        # sees a survey that was sealed or purged since.
        require_new(row.request_key)
        state = Survey.objects.values_list("state", flat=True).get(pk=row.survey_id)
        if state in {State.SEALED, State.PURGED}:
            raise ReleaseRefused(Why.SEALED if state == State.SEALED else Why.PURGED) from None
        raise
    return row


def part_of(plan: Plan, output: dict[str, Any], version: str) -> ReleasePart:
    sensitivity = plan.mechanism.sensitivity
    beside = list(plan.numbers[1:])
    return ReleasePart(
        question=plan.question.number,
        parameters={
            "epsilon": str(plan.loss.epsilon),
            "delta": str(plan.loss.delta),
            "sensitivity": str(sensitivity.value),
            "norm": sensitivity.norm.name,
            "content_hash": version,
            "options": dict(plan.options),
            **({"beside": beside} if beside else {}),
            **({"groups": asdict(plan.groups)} if plan.groups else {}),
        },
        output=output,
        micro_epsilon=int(plan.loss.epsilon * MICRO),
        pico_delta=int(plan.loss.delta * PICO),
        n=plan.n,
    )


def counts_of(plan: Plan, tally: Tally) -> list[int]:
    """Return how often each report of a question came, or of several options how often each was reported.

    Of several questions together: how often each pattern of their reports came, the last one's changing fastest, and
    group by group where these are shown separately, which change fastest then.
    """
    if len(plan.questions) > 1:
        return patterns_of(plan, tally).ravel().tolist()
    if counted_of(plan.question) is Counted.BITS:
        return [_reports_of(item, tally)[TICKED] for item in plan.question.items]
    return _reports_of(plan.question.first, tally)


def patterns_of(plan: Plan, tally: Tally) -> npt.NDArray[np.int64]:
    """Return how often each pattern of reports came, of the responses that leave none of the questions out."""
    items = [question.first for question in plan.questions]
    numbers, shape, patterns = [item.number for item in items], [item.design.m for item in items], tally.patterns
    if groups := plan.groups:
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
def propose(request: ReleaseRequest, *, user: User) -> Proposal:
    """Store terms that could be released now, for somebody else to look at; the same request again is the same one.

    Raises what `check` raises, and `ReleaseRefused` where this request has made its release or another proposal.
    """
    reason = stated_reason(request.reason)
    terms = request.terms()
    proposal = Proposal(
        survey=request.survey,
        questions=[number for plan in terms.plans for number in plan.numbers],
        content_hash=terms.definition.version,
        mechanism=str(terms.mechanism.name),
        micro_epsilon=request.micro_epsilon,
        pico_delta=request.pico_delta,
        options=dict(request.options),
        reason=reason,
        request_key=request.key,
        proposed_by=user,
        proposed_by_name=user.get_username(),
    )
    if earlier := _earlier(proposal):
        return earlier
    require_new(request.key)
    proposal.answered = [plan.n for plan in check(request).plans]
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
    """Return what the same request has proposed before; raises `ReleaseRefused` where that is something else."""
    earlier = Proposal.objects.filter(request_key=proposal.request_key).first()
    if earlier and any(getattr(earlier, name) != getattr(proposal, name) for name in _SAME_REQUEST):
        raise ReleaseRefused(Why.OTHER_PROPOSAL)
    return earlier


def check_proposal(proposal: Proposal) -> Terms:
    """Return the terms as they are now, or raise why they cannot be approved; nothing is drawn."""
    terms = check(request_of(proposal))
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

    Raises what `release` raises, and `ReleaseRefused` where this person may not decide it or it has changed.
    """
    # As it is stored: its terms never change, so they are the same once it is locked.
    proposal = Proposal.objects.select_related("survey").get(pk=proposal.pk)
    return _draw_and_charge(request_of(proposal), user=user, lines=lines, randbelow=randbelow, proposal=proposal)


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
