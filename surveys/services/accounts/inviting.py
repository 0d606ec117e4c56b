"""Invitations to sign up, and accounts made from them: the token is mailed or shown once, only its hash stays."""

import datetime as dt
import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.models import SignUpInvitation
from surveys.models.hashing import keyed_hash
from surveys.models.invitation import TOKEN_LENGTH
from surveys.models.survey import CODE_ALPHABET
from surveys.selectors.accounts import has_account, usable_invitations
from surveys.services.accounts import mailing
from surveys.services.accounts.addresses import site_address
from surveys.services.accounts.naming import taken
from surveys.services.accounts.passwords import LinkIsSpent, counted_mail
from surveys.services.accounts.tries import give_back

DAYS_BY_ADMIN = 7
_DAYS_BY_VISITOR = 1


@dataclass(frozen=True, slots=True)
class Invited:
    """An invitation with its link, which nobody can be told again, and whether it went out by mail."""

    invitation: SignUpInvitation
    link: str
    mailed: bool


def invite_instructor(
    *, email: str, note: str = "", invited_by: User | None = None, request: HttpRequest | None = None, mail: bool = True
) -> Invited:
    """Invite somebody to make an account, and mail them the link.

    Raises
    ------
    ValidationError
        The address is none, or has an account: nothing is stored or sent.
    """
    invitation = SignUpInvitation(email=email, note=note, invited_by=invited_by)
    token = _prepare(invitation, DAYS_BY_ADMIN)
    invitation.full_clean(exclude=["token_hash"])
    if has_account(email):
        raise ValidationError({"email": _("Somebody with this mail address has an account already.")})
    with transaction.atomic():
        usable_invitations().filter(email__iexact=email).delete()
        invitation.save()
    link = site_address(request) + reverse("sign-up-invited", args=[token])
    return Invited(invitation, link, mail and _mail("invitation", invitation, link, days=DAYS_BY_ADMIN))


def ask_to_sign_up(*, email: str, request: HttpRequest) -> None:
    """Mail a link to an account to whoever has this address, or word that they have one; the visitor reads neither."""
    counted = counted_mail("sign-up", email)
    if counted is None:
        return
    start = site_address(request)

    def answer() -> None:
        if has_account(email):
            mailing.send(template="sign_up_taken", to=email, link=f"{start}{reverse('password-reset')}")
            return
        invitation = SignUpInvitation(email=email)
        token = _prepare(invitation, _DAYS_BY_VISITOR)
        with transaction.atomic():
            # What visitors asked for and never used is kept no longer than it is good.
            SignUpInvitation.objects.filter(invited_by=None, expires_at__lte=timezone.now()).delete()
            invitation.save()
        if not _mail("sign_up", invitation, f"{start}{reverse('sign-up-invited', args=[token])}"):
            give_back(counted)

    if not mailing.in_background(answer, what="sign-up"):
        give_back(counted)


@transaction.atomic
def accept(*, invitation: SignUpInvitation, username: str, password: str) -> User:
    """Make the account; raises LinkIsSpent or ValidationError (the name is taken), and stores nothing then."""
    # Two links to one address: the second waits here for the first, and then finds itself gone.
    same = list(SignUpInvitation.objects.select_for_update().filter(email__iexact=invitation.email).order_by("pk"))
    if not usable_invitations().filter(pk=invitation.pk).update(used_at=timezone.now()):
        raise LinkIsSpent
    if has_account(invitation.email):
        raise LinkIsSpent
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, invitation.email, password)
    except IntegrityError:
        raise taken() from None
    # What admins made in their list stays there; of links that visitors asked for nothing stays.
    done = [row.pk for row in same if row.pk != invitation.pk or row.invited_by_id is None]
    SignUpInvitation.objects.filter(pk__in=done).delete()
    return user


def _prepare(invitation: SignUpInvitation, days: int) -> str:
    token = "".join(secrets.choice(CODE_ALPHABET) for _letter in range(TOKEN_LENGTH))
    invitation.token_hash = keyed_hash("sign-up", token)
    invitation.expires_at = timezone.now() + dt.timedelta(days=days)
    return token


def _mail(template: str, invitation: SignUpInvitation, link: str, **context: object) -> bool:
    return mailing.send(template=template, to=invitation.email, link=link, **context)
