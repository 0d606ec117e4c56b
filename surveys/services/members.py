"""People who take part in a survey: their roles changed or taken back, their leaving, and the survey in other hands."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from surveys.models import Membership, Role, RoleInvitation, Survey
from surveys.services.copies import discard_of
from surveys.services.people import chosen_roles, locked_for_owner, spend
from surveys.services.surveys import NotAllowedNow

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
    """Give back all one's roles."""
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
        raise NotAllowedNow(_("This survey was not offered to you."))
    spend(invitation, survey)
    _hand_over(survey, user, stays=bool(invitation.roles))
    return survey


@transaction.atomic
def transfer_survey(*, survey: Survey, to: User, stays: bool = False) -> Survey:
    """Make somebody the owner without asking anybody: for operators, when an owner is gone."""
    survey = Survey.objects.select_for_update().get(pk=survey.pk)
    if not to.is_active:
        raise ValidationError(_("%(name)s is deactivated.") % {"name": to.get_username()})
    if survey.owner_id != to.pk:
        _hand_over(survey, to, stays=stays)
    return survey


def _hand_over(survey: Survey, to: User, *, stays: bool) -> None:
    before = survey.owner
    survey.owner = to
    survey.save(update_fields=["owner", "updated_at"])
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
        raise NotAllowedNow(_("This person does not take part any more."))
    return roles
