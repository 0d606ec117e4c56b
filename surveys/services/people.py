"""Asking people to take roles in a survey, and their answers: nobody takes part who has not said yes.

An owner never learns from an invitation who has an account: one for a name that nobody has is stored, listed and ends
like any other, and one that is declined stays listed until it expires.
"""

import secrets
from collections.abc import Collection

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.models import Role, RoleInvitation, Survey
from surveys.models.account_names import check_address, folded
from surveys.models.hashing import keyed_hash
from surveys.selectors.accounts import person_called
from surveys.selectors.people import HASHED_FOR, asked_of, members_of
from surveys.services.accounts import mailing
from surveys.services.accounts.tries import TooManyTries, count_try
from surveys.services.surveys import NotAllowedNow

MOST_PEOPLE = 50
MAILS_FROM_ONE, MAILS_TO_ONE = 20, 3
_LONGEST = 254
_is_address = EmailValidator()


def invite_person(*, survey: Survey, by: User, to: str, roles: Collection[str], start: str = "") -> RoleInvitation:
    """Ask somebody to take roles: by username, or by a mail with a link that works once.

    `start` is what the link begins with. Raises ValidationError naming the field, or NotAllowedNow; then nothing is
    stored.
    """
    chosen, to = chosen_roles(roles), to.strip()
    # A letter that only looks like one of an address is told, not replaced.
    to = to if "@" in to else User.normalize_username(to)
    asked = RoleInvitation(recipient=to, invited_by=by, **dict.fromkeys(map(str, chosen), True))
    if "@" not in to:
        return _stored(asked, survey, by)
    _check_address(to)
    _count_mails(by, to)
    token = secrets.token_urlsafe(24)
    asked.token_hash = keyed_hash(HASHED_FOR, token)
    asked = _stored(asked, survey, by)
    # Only now: nobody who writes to the database waits for a mail server.
    link = start + reverse("invited-by-link", args=[token])
    if not mailing.send(template="role_invitation", to=to, link=link, invitation=asked, survey=asked.survey):
        asked.delete()
        raise ValidationError({"to": _("The mail could not be sent. Try again later.")})
    return asked


@transaction.atomic
def withdraw_invitation(*, survey: Survey, by: User, recipient: str, ownership: bool) -> None:
    """Take an invitation back; one that is gone already stays gone."""
    locked_for_owner(survey, by).role_invitations.filter(recipient=recipient, ownership=ownership).delete()


@transaction.atomic
def accept_roles(*, invitation: RoleInvitation, user: User) -> Survey:
    """Give the user the roles that were offered; raises NotAllowedNow when the invitation is not good any more."""
    survey = Survey.objects.select_for_update().get(pk=invitation.survey_id)
    if survey.owner_id == user.pk:
        raise NotAllowedNow(_("This survey is yours: its owner needs no role."))
    spend(invitation, survey)
    for role in invitation.roles:
        survey.memberships.get_or_create(user=user, role=role, defaults={"invited_by": invitation.invited_by})
    return survey


@transaction.atomic
def decline(*, invitation: RoleInvitation) -> None:
    """Say no, which nobody is told: to its owner the invitation looks open until it expires."""
    RoleInvitation.objects.filter(pk=invitation.pk).update(declined=True)


def chosen_roles(roles: Collection[str]) -> list[Role]:
    """Return the roles that were chosen; raises ValidationError where none is, or one that there is not."""
    if not roles:
        raise ValidationError({"roles": _("Choose at least one role.")})
    if not set(roles) <= set(Role.values):
        raise ValidationError({"roles": _("Choose roles from the list.")})
    return [role for role in Role if role in roles]


def locked_for_owner(survey: Survey, by: User) -> Survey:
    """Return the survey locked until the transaction ends; raises NotAllowedNow when somebody else owns it by now."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if survey.owner_id != by.pk or not by.is_active:
        raise NotAllowedNow(_("Only the owner of a survey decides who takes part."))
    return survey


def spend(invitation: RoleInvitation, survey: Survey) -> None:
    """Use an invitation up; of two answers at once the second finds it used."""
    spent, _rows = RoleInvitation.objects.filter(
        pk=invitation.pk, declined=False, expires_at__gt=timezone.now(), invited_by_id=survey.owner_id
    ).delete()
    if not spent:
        raise NotAllowedNow(_("This invitation is not good any more."))


@transaction.atomic
def _stored(asked: RoleInvitation, survey: Survey, by: User) -> RoleInvitation:
    asked.survey = locked_for_owner(survey, by)
    RoleInvitation.objects.filter(expires_at__lte=timezone.now()).delete()
    _check_recipient(asked.survey, asked.recipient)
    if asked.token_hash is None:
        named = person_called(asked.recipient)
        # Nobody is told which of these it was.
        asked.user = named if named is not None and named.is_active else None
    asked.save()
    return asked


def _check_recipient(survey: Survey, to: str) -> None:
    if not to:
        raise ValidationError({"to": _("Write a username or a mail address.")})
    if len(to) > _LONGEST:
        raise ValidationError({"to": _("This is longer than any username or mail address.")})
    members, asked = members_of(survey), list(asked_of(survey).values_list("recipient", flat=True))
    if folded(to) in {folded(survey.owner.get_username()), folded(survey.owner.email)}:
        raise ValidationError({"to": _("This survey is yours: its owner needs no role.")})
    # By their names only: that an address belongs to one of them would tell whose account it is.
    if folded(to) in {folded(member.user.get_username()) for member in members}:
        raise ValidationError({"to": _("This person takes part already: change their roles in the list.")})
    if folded(to) in {folded(one) for one in asked}:
        raise ValidationError({"to": _("You have asked already. To ask anew, withdraw the invitation first.")})
    if len(members) + len(asked) >= MOST_PEOPLE:
        raise ValidationError(
            {"to": _("%(most)s people at most can take part in a survey or be asked to.") % {"most": MOST_PEOPLE}}
        )


def _check_address(to: str) -> None:
    try:
        _is_address(to)
        check_address(to)
    except ValidationError:
        raise ValidationError({"to": _("This is no mail address. A username has no @ in it.")}) from None


def _count_mails(by: User, to: str) -> None:
    """Refuse to fill mailboxes: so many mails in a quarter of an hour from one person, and fewer to one address.

    Counted for both together: what others asked of this address neither keeps this person's mail from it nor is told.
    """
    try:
        count_try(what="role-invitations-by", name=str(by.pk), limit=MAILS_FROM_ONE)
        count_try(what="role-invitations-to", name=f"{by.pk} {folded(to)}", limit=MAILS_TO_ONE)
    except TooManyTries:
        raise ValidationError(
            {"to": _("Many mails have been sent just now. Try again in a quarter of an hour.")}
        ) from None
