"""What is held against a proposal when somebody approves it, and the two other ways in which it ends."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from surveys.models import Proposal, Release
from surveys.models.release import this_second
from surveys.releases.families.plan import Terms
from surveys.releases.refusals import ReleaseRefused, Why
from surveys.releases.selectors.doors import may_approve
from surveys.releases.services.request import ReleaseRequest, stated_reason


def lock_for_decision(proposal: Proposal, user: User) -> Proposal:
    """Return the proposal as it is until the transaction ends, or raise why this person cannot decide it now.

    Of two at once the second sees what the first has decided: PostgreSQL waits for the row, SQLite for the lock of all.
    """
    locked = _lock_open(proposal)
    if locked.proposed_by_id == user.pk:
        raise ReleaseRefused(Why.OWN_PROPOSAL)
    if not may_approve(user):
        raise ReleaseRefused(Why.MAY_NOT_DECIDE)
    return locked


def request_of(proposal: Proposal) -> ReleaseRequest:
    return ReleaseRequest(
        survey=proposal.survey,
        questions=tuple(proposal.questions),
        mechanism=proposal.mechanism,
        epsilon=proposal.epsilon,
        delta=proposal.delta,
        options=dict(proposal.options),
        reason=proposal.reason,
        key=proposal.request_key,
    )


def require_as_proposed(proposal: Proposal, terms: Terms) -> None:
    """Raise where the same terms mean something else by now: another design, or other numbers of answers."""
    if proposal.content_hash != terms.definition.version:
        raise ReleaseRefused(Why.DESIGN_HAS_CHANGED)
    for then, plan in zip(proposal.answered, terms.plans, strict=True):
        if then != plan.n:
            raise ReleaseRefused(Why.ANSWERS_HAVE_CHANGED, question=plan.question.text, then=then, now=plan.n)


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
    locked = _lock_open(proposal)
    if locked.proposed_by_id != user.pk:
        raise ReleaseRefused(Why.MAY_NOT_DECIDE)
    _decide(locked, Proposal.State.WITHDRAWN, user, this_second())


def decided(proposal: Proposal) -> ReleaseRefused:
    decisions = {
        Proposal.State.APPROVED: _("%(name)s has already approved this proposal, and its release has been made."),
        Proposal.State.DECLINED: _("%(name)s has declined this proposal."),
        Proposal.State.WITHDRAWN: _("%(name)s has withdrawn this proposal."),
    }
    words = decisions[Proposal.State(proposal.state)] % {"name": proposal.decided_by_name}
    return ReleaseRefused(Why.PROPOSAL_DECIDED, words)


def _lock_open(proposal: Proposal) -> Proposal:
    locked = Proposal.objects.select_for_update().get(pk=proposal.pk)
    if not locked.is_open:
        raise decided(locked)
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
