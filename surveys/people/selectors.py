"""Who takes part in a survey, whom its owner has asked, and what waits for somebody's answer."""

import datetime as dt
import re
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import F, QuerySet
from django.utils import timezone

from surveys.models import Membership, Role, RoleInvitation, Survey
from surveys.models.hashing import keyed_hashes

HASHED_FOR = "role-invitation"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")


@dataclass(frozen=True, slots=True)
class Member:
    """A person with their roles in one survey: which of them, who gave them and when."""

    user: User
    memberships: tuple[Membership, ...]

    @property
    def roles(self) -> tuple[Role, ...]:
        """Their roles, in the order in which roles are listed."""
        theirs = {membership.role for membership in self.memberships}
        return tuple(role for role in Role if role in theirs)

    @property
    def since(self) -> dt.datetime:
        return min(membership.created_at for membership in self.memberships)


def members_of(survey: Survey) -> list[Member]:
    people: dict[int, list[Membership]] = {}
    rows = Membership.objects.filter(survey_id=survey.pk).select_related("user", "invited_by")
    for membership in rows.order_by("created_at", "pk"):
        people.setdefault(membership.user_id, []).append(membership)
    return [Member(rows[0].user, tuple(rows)) for rows in people.values()]


def pending_invitations(survey: Survey) -> QuerySet[RoleInvitation]:
    """Return whom the owner has asked and not heard from; who declined is among them until the time is over."""
    return RoleInvitation.objects.filter(survey_id=survey.pk, expires_at__gt=timezone.now())


def waiting_for(user: User | AnonymousUser) -> QuerySet[RoleInvitation]:
    return _good().filter(user_id=user.pk) if user.is_active else RoleInvitation.objects.none()


def waiting_at(*, user: User | AnonymousUser, code: str, ownership: bool) -> RoleInvitation:
    """Return what waits for the user's answer in one survey; raises `RoleInvitation.DoesNotExist`."""
    return waiting_for(user).get(survey__code=code.upper(), ownership=ownership)


def waiting_behind(token: str) -> RoleInvitation:
    """Return the invitation that a link from an email opens; raises `RoleInvitation.DoesNotExist`."""
    # Most of what is no token never reaches the database, which takes no NUL.
    if not _TOKEN.fullmatch(token):
        raise RoleInvitation.DoesNotExist
    return _good().get(token_hash__in=keyed_hashes(HASHED_FOR, token))


def _good() -> QuerySet[RoleInvitation]:
    """Return the invitations that hold: not declined, not over, and made by somebody who still owns the survey."""
    return RoleInvitation.objects.filter(
        declined=False,
        expires_at__gt=timezone.now(),
        invited_by_id=F("survey__owner_id"),
        invited_by__is_active=True,
        survey__rehearsal_of=None,
    ).select_related("survey", "invited_by")
