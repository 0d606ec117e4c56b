"""Who has roles in a survey: asking, answering, changing, leaving, and giving the survey to somebody else.

Nobody takes part who has not said yes.

An owner never learns from an invitation who has an account: one for a name that nobody has is stored, listed and ends
like any other, and one that is declined stays listed until it expires.
"""

import secrets
from collections.abc import Collection

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.accounts.selectors import person_called
from surveys.accounts.services import mails
from surveys.accounts.services.sign_in import TooManyTries, count_try
from surveys.drafts.services.copies import discard_of
from surveys.drafts.services.surveys import NotAllowedNow
from surveys.models import Membership, Role, RoleInvitation, Survey
from surveys.models.account_names import check_address, fold_name
from surveys.models.hashing import keyed_hash
from surveys.people.selectors import HASHED_FOR, members_of, pending_invitations

MOST_PEOPLE = 50
MAILS_FROM_ONE, MAILS_TO_ONE = 20, 3
_LONGEST = 254
_is_address = EmailValidator()


def invite_person(*, survey: Survey, by: User, to: str, roles: Collection[str], start: str = "") -> RoleInvitation:
    """Ask somebody to take roles: by username, or by an email with a link that works once.

    `start` is what the link begins with. Raises ValidationError naming the field, or NotAllowedNow; then nothing is
    stored.
    """
    chosen, to = chosen_roles(roles), to.strip()
    # A letter that only looks like one of an address is refused, not replaced.
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
    if not mails.send(template="role_invitation", to=to, link=link, invitation=asked, survey=asked.survey):
        asked.delete()
        raise ValidationError({"to": _("The email could not be sent. Try again later.")})
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
        raise NotAllowedNow(_("You own this survey, so you don’t need a role."))
    spend(invitation, survey)
    for role in invitation.roles:
        survey.memberships.get_or_create(user=user, role=role, defaults={"invited_by": invitation.invited_by})
    return survey


@transaction.atomic
def decline(*, invitation: RoleInvitation) -> None:
    """Decline, which nobody sees: to its owner the invitation looks open until it expires."""
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
        raise NotAllowedNow(_("Only the survey owner decides who works on the survey."))
    return survey


def spend(invitation: RoleInvitation, survey: Survey) -> None:
    """Use an invitation up; of two answers at once the second finds it used."""
    spent, _rows = RoleInvitation.objects.filter(
        pk=invitation.pk, declined=False, expires_at__gt=timezone.now(), invited_by_id=survey.owner_id
    ).delete()
    if not spent:
        raise NotAllowedNow(_("This invitation is no longer valid. Ask the survey owner for a new one."))


@transaction.atomic
def _stored(asked: RoleInvitation, survey: Survey, by: User) -> RoleInvitation:
    asked.survey = locked_for_owner(survey, by)
    RoleInvitation.objects.filter(expires_at__lte=timezone.now()).delete()
    _check_recipient(asked.survey, asked.recipient)
    if asked.token_hash is None:
        named = person_called(asked.recipient)
        # Nobody learns which of these it was.
        asked.user = named if named is not None and named.is_active else None
    asked.save()
    return asked


def _check_recipient(survey: Survey, to: str) -> None:
    if not to:
        raise ValidationError({"to": _("Enter a username or an email address.")})
    if len(to) > _LONGEST:
        raise ValidationError({"to": _("This entry is too long. Enter a username or an email address.")})
    members, asked = members_of(survey), list(pending_invitations(survey).values_list("recipient", flat=True))
    if fold_name(to) in {fold_name(survey.owner.get_username()), fold_name(survey.owner.email)}:
        raise ValidationError({"to": _("You own this survey, so you don’t need a role.")})
    # By their names only: that an address belongs to one of them would tell whose account it is.
    if fold_name(to) in {fold_name(member.user.get_username()) for member in members}:
        raise ValidationError({"to": _("This person is already on the team. Change their roles in the list.")})
    if fold_name(to) in {fold_name(one) for one in asked}:
        raise ValidationError(
            {"to": _("You have already invited this person. To invite them again, withdraw the team invitation first.")}
        )
    if len(members) + len(asked) >= MOST_PEOPLE:
        raise ValidationError(
            {
                "to": _(
                    "A team can have at most %(most)s people, counting open team invitations. Remove someone "
                    "or withdraw a team invitation first."
                )
                % {"most": MOST_PEOPLE}
            }
        )


def _check_address(to: str) -> None:
    try:
        _is_address(to)
        check_address(to)
    except ValidationError:
        raise ValidationError({"to": _("Enter a full email address, or a username without @.")}) from None


def _count_mails(by: User, to: str) -> None:
    """Refuse to fill mailboxes: so many emails in a quarter of an hour from one person, and fewer to one address.

    Counted for both together: what others asked of this address neither keeps this person's email from it nor is
    revealed.
    """
    try:
        count_try(what="role-invitations-by", name=str(by.pk), limit=MAILS_FROM_ONE)
        count_try(what="role-invitations-to", name=f"{by.pk} {fold_name(to)}", limit=MAILS_TO_ONE)
    except TooManyTries:
        raise ValidationError({"to": _("You have just sent too many emails. Try again in 15 minutes.")}) from None


# People who take part in a survey: their roles changed or taken back, their leaving, and the survey in other hands.


STAYS = (Role.EDITOR, Role.ANALYST)
"""What somebody may stay who gives a survey away."""


@transaction.atomic
def change_roles(*, survey: Survey, by: User, person: User, roles: Collection[str]) -> None:
    """Give somebody who takes part these roles and no others; those that stay keep their day."""
    survey, chosen = locked_for_owner(survey, by), chosen_roles(roles)
    theirs = _roles_of(survey, person)
    theirs.exclude(role__in=chosen).delete()
    kept = set(theirs.values_list("role", flat=True))
    Membership.objects.bulk_create(
        Membership(survey=survey, user=person, role=role, invited_by=by) for role in chosen if role not in kept
    )
    if Role.EDITOR not in chosen:
        discard_of(user=person, survey=survey)


@transaction.atomic
def remove_person(*, survey: Survey, by: User, person: User) -> None:
    """Take all roles from somebody, and an offer of the survey with them."""
    survey = locked_for_owner(survey, by)
    _roles_of(survey, person).delete()
    _forget(survey, person)


@transaction.atomic
def leave(*, survey: Survey, user: User) -> None:
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    _roles_of(survey, user).delete()
    _forget(survey, user)


@transaction.atomic
def offer_survey(*, survey: Survey, by: User, to: User, stays: bool) -> RoleInvitation:
    """Offer the survey to somebody who takes part; nothing changes before they take it."""
    survey = locked_for_owner(survey, by)
    _roles_of(survey, to)
    survey.role_invitations.filter(ownership=True).delete()
    kept = dict.fromkeys(map(str, STAYS), stays)
    return RoleInvitation.objects.create(
        survey=survey, recipient=to.get_username(), user=to, invited_by=by, ownership=True, **kept
    )


@transaction.atomic
def accept_survey(*, invitation: RoleInvitation, user: User) -> Survey:
    """Make the user the owner of what they were offered; raises NotAllowedNow when it is not offered any more."""
    survey = Survey.objects.select_for_update().get(pk=invitation.survey_id)
    if invitation.user_id != user.pk or not invitation.ownership:
        raise NotAllowedNow(
            _("You were not asked to take over this survey. Check that you are signed in with the right account.")
        )
    spend(invitation, survey)
    _hand_over(survey, user, stays=bool(invitation.roles))
    return survey


@transaction.atomic
def transfer_survey(*, survey: Survey, to: User, stays: bool = False) -> Survey:
    """Make somebody the owner without asking anybody: for operators, when an owner is gone."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not to.is_active:
        raise ValidationError(
            _("The account %(name)s is deactivated. Choose another account.") % {"name": to.get_username()}
        )
    if survey.owner_id != to.pk:
        _hand_over(survey, to, stays=stays)
    return survey


def _hand_over(survey: Survey, to: User, *, stays: bool) -> None:
    before = survey.owner
    survey.owner = to
    survey.save(update_fields=["owner", "updated_at"])
    survey.access_tokens.filter(maker=before).delete()
    # Its owner has every right: a role besides would only be left behind at the next change of hands.
    survey.memberships.filter(user=to).delete()
    # What the one before has asked of people is not for the next to answer for.
    survey.role_invitations.all().delete()
    if stays:
        Membership.objects.bulk_create(
            Membership(survey=survey, user=before, role=role, invited_by=to) for role in STAYS
        )
    else:
        discard_of(user=before, survey=survey)


def _forget(survey: Survey, person: User) -> None:
    """Drop what somebody who takes part no more was offered, and what they rehearsed with."""
    survey.role_invitations.filter(user=person, ownership=True).delete()
    discard_of(user=person, survey=survey)


def _roles_of(survey: Survey, person: User) -> QuerySet[Membership]:
    roles = survey.memberships.filter(user=person)
    if not roles:
        raise NotAllowedNow(_("This person is no longer on the team. Reload the page."))
    return roles
