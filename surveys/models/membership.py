"""Who else may do what with a survey, and whom its owner has asked."""

import datetime as dt
from enum import Enum

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from surveys.models.hashing import HASH_BYTES
from surveys.models.survey import Survey

GOOD_FOR = dt.timedelta(days=14)


class Right(Enum):
    """What a page of a survey asks of its visitor."""

    SEE = "see"
    EDIT = "edit"
    ANALYSE = "analyse"
    RELEASE = "release"
    OWN = "own"


class Role(models.TextChoices):
    """What a survey's owner lets somebody do."""

    EDITOR = "editor", _("Editor")
    ANALYST = "analyst", _("Analyst")
    RELEASER = "releaser", _("Releaser")


RIGHTS_OF: dict[str, frozenset[Right]] = {
    Role.EDITOR: frozenset({Right.SEE, Right.EDIT}),
    Role.ANALYST: frozenset({Right.SEE, Right.ANALYSE}),
    Role.RELEASER: frozenset({Right.SEE, Right.RELEASE}),
}
OWNERS_RIGHTS = frozenset(Right)


class Membership(models.Model):
    """One role of one person in one survey; somebody may have several."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=8, choices=Role.choices)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("survey", "user", "role"), name="membership_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        )

    def __str__(self) -> str:
        return f"{self.user}: {self.role}"


def good_until() -> dt.datetime:
    return timezone.now() + GOOD_FOR


class RoleInvitation(models.Model):
    """What an owner has asked of one person, who has not answered: to take roles, or to take the survey over.

    Whether anybody has the name that was typed is for nobody to see: a row for a name that nobody has looks the same,
    and so does one that was declined, until it expires. The link of one that went by email is stored as a keyed hash.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="role_invitations")
    # As typed: a username or an email address. With an answer the row goes, and with it the address.
    recipient = models.CharField(max_length=254)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="role_invitations"
    )
    token_hash = models.BinaryField(max_length=HASH_BYTES, unique=True, null=True)
    editor = models.BooleanField(default=False)
    analyst = models.BooleanField(default=False)
    releaser = models.BooleanField(default=False)
    # The survey itself is offered; `editor` and `analyst` are then what its owner so far stays.
    ownership = models.BooleanField(default=False)
    declined = models.BooleanField(default=False)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(default=good_until)

    class Meta:
        """Nobody is asked twice at once, and a survey is offered to one person at a time."""

        ordering = ("made_at", "pk")
        constraints = (
            models.UniqueConstraint(fields=("survey", "recipient", "ownership"), name="role_invitation_once"),
            models.UniqueConstraint(
                fields=("survey",), condition=Q(ownership=True), name="role_invitation_one_new_owner"
            ),
            models.CheckConstraint(
                condition=Q(ownership=True) | Q(editor=True) | Q(analyst=True) | Q(releaser=True),
                name="role_invitation_offers_something",
            ),
            models.CheckConstraint(
                condition=Q(user=None) | Q(token_hash=None), name="role_invitation_to_a_name_or_by_mail"
            ),
        )

    def __str__(self) -> str:
        return self.recipient

    @property
    def roles(self) -> tuple[Role, ...]:
        return tuple(role for role in Role if getattr(self, role))
