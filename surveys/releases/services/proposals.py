"""What is held against a proposal when somebody approves it, and the two other ways in which it ends."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from surveys.models import Proposal, Release
from surveys.models.units import this_second
from surveys.releases.selectors.proposals import may_approve, questions_of
from surveys.releases.selectors.terms import Terms
from surveys.releases.services.refusals import (
    AnswersHaveChanged,
    DesignHasChanged,
    MayNotDecide,
    OwnProposal,
    ProposalDecided,
    stated_reason,
)


def lock_for_decision(proposal: Proposal, user: User) -> Proposal:
    """Return the proposal as it is until the transaction ends, or raise why this person cannot decide it now.

    Of two at once the second sees what the first has decided: PostgreSQL waits for the row, SQLite for the lock of all.
    """
    locked = _lock_open(proposal)
    if locked.proposed_by_id == user.pk:
        raise OwnProposal
    if not may_approve(user):
        raise MayNotDecide
    return locked


def asked_by(proposal: Proposal) -> dict[str, Any]:
    """Return what `releasing.check` takes."""
    questions = questions_of(proposal)
    if len(questions) < len(proposal.questions):
        raise DesignHasChanged
    return {
        "survey": proposal.survey,
        "questions": questions,
        "mechanism": proposal.mechanism,
        "epsilon": proposal.epsilon,
        "delta": proposal.delta,
        "options": dict(proposal.options),
    }


def require_as_proposed(proposal: Proposal, terms: Terms) -> None:
    """Raise where the same terms mean something else by now: another design, or other numbers of answers."""
    if proposal.content_hash != terms.definition.version:
        raise DesignHasChanged
    for then, part in zip(proposal.answered, terms.parts, strict=True):
        if then != part.n:
            raise AnswersHaveChanged(part.asked.text, then, part.n)


def write_approval(proposal: Proposal, release: Release, user: User) -> None:
    """Say of a locked proposal which release was charged for it; at its time, which was taken before the draw."""
    _decide(proposal, Proposal.State.APPROVED, user, release.created_at, release=release)


@transaction.atomic
def decline(*, proposal: Proposal, user: User, reason: str) -> None:
    """Refuse what somebody else has proposed, and say why; nothing was ever charged."""
    why = stated_reason(reason)
    _decide(lock_for_decision(proposal, user), Proposal.State.DECLINED, user, this_second(), why_declined=why)


@transaction.atomic
def take_back(*, proposal: Proposal, user: User) -> None:
    """Withdraw what one has proposed oneself."""
    locked = _lock_open(proposal)
    if locked.proposed_by_id != user.pk:
        raise MayNotDecide
    _decide(locked, Proposal.State.WITHDRAWN, user, this_second())


def _lock_open(proposal: Proposal) -> Proposal:
    locked = Proposal.objects.select_for_update().get(pk=proposal.pk)
    if not locked.is_open:
        raise ProposalDecided(locked)
    return locked


def _decide(
    proposal: Proposal,
    state: Proposal.State,
    user: User,
    decided_at: datetime,
    *,
    why_declined: str = "",
    release: Release | None = None,
) -> None:
    proposal.state, proposal.why_declined, proposal.release = state, why_declined, release
    proposal.decided_by, proposal.decided_by_name = user, user.get_username()
    proposal.decided_at = decided_at
    proposal.save(update_fields=["state", "why_declined", "release", "decided_by", "decided_by_name", "decided_at"])
