"""Proposals of releases: which wait, who may approve them, and what they ask for."""

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet

from surveys.models import Proposal, Question, State


def may_approve(user: User | AnonymousUser) -> bool:
    """Whether somebody approves and declines what others propose: staff who may publish releases.

    An owner chooses who releases from a survey, and would choose the second person as well.
    """
    return user.is_active and user.is_staff and user.has_perm("surveys.change_release")


def waiting_for(user: User | AnonymousUser) -> QuerySet[Proposal]:
    """Return what others have proposed and somebody may approve, the oldest first."""
    if user.pk is None or not may_approve(user):
        return Proposal.objects.none()
    waiting = Proposal.objects.filter(state=Proposal.State.OPEN).exclude(proposed_by=user.pk)
    gone = (State.SEALED, State.PURGED)
    return waiting.exclude(survey__state__in=gone).select_related("survey").order_by("proposed_at", "pk")


def questions_of(proposal: Proposal) -> list[Question]:
    """Return its questions in their order."""
    return list(Question.objects.filter(pk__in=proposal.questions).order_by("position"))
