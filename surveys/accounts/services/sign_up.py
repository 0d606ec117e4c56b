"""Names that are free, invitations to sign up, and the accounts made from them."""

import datetime as dt
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.signals import post_save, pre_save
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.accounts.selectors import has_account, usable_invitations
from surveys.accounts.services import mails
from surveys.accounts.services.credentials import LinkIsSpent
from surveys.accounts.services.mails import Letter, site_address
from surveys.models import AccountName, SignUpInvitation
from surveys.models.account_names import check_address, check_name, skeleton
from surveys.models.hashing import keyed_hash
from surveys.models.invitation import TOKEN_LENGTH
from surveys.models.survey import CODE_ALPHABET


def watch_names() -> None:
    """Look at every account before it is stored: the model is Django's, and signals are the one door to it."""
    # Where a form or a command asks for one, it says so at once.
    User._meta.get_field("username").validators.append(check_name)  # noqa: SLF001
    User._meta.get_field("email").validators.append(check_address)  # noqa: SLF001
    pre_save.connect(_look, sender=User, dispatch_uid="deniable.names.look")
    post_save.connect(_keep, sender=User, dispatch_uid="deniable.names.keep")


def check_free(name: str, *, user: User) -> None:
    """Refuse a name that somebody else has, or that could be taken for theirs."""
    alike = AccountName.objects.filter(skeleton=skeleton(name)).first()
    if alike is not None and alike.user_id != user.pk:
        raise name_taken()


def name_taken() -> ValidationError:
    """Return the refusal of a name that is not to be had, to be raised."""
    return ValidationError({"username": _("This username isn’t available. Choose another.")})


def _look(instance: User, update_fields: frozenset[str] | None, **_kwargs: Any) -> None:
    if update_fields is None or "email" in update_fields:
        check_address(instance.email or "")
    if update_fields is None or "username" in update_fields:
        check_name(instance.username)
        check_free(instance.username, user=instance)


def _keep(instance: User, created: bool, update_fields: frozenset[str] | None, **_kwargs: Any) -> None:
    if update_fields is not None and "username" not in update_fields:
        return
    try:
        with transaction.atomic():
            AccountName.objects.update_or_create(user=instance, defaults={"skeleton": skeleton(instance.username)})
    except IntegrityError:
        # Of two at once the second: where no transaction takes its account back, this does.
        if created:
            instance.delete()
        raise name_taken() from None


# Invitations to sign up, and accounts made from them: the token is mailed or shown once, only its hash stays.


DAYS_BY_ADMIN = 7
_DAYS_BY_VISITOR = 1


@dataclass(frozen=True, slots=True)
class SentInvitation:
    """An invitation with its link, which cannot be shown again, and whether it went out by email."""

    invitation: SignUpInvitation
    link: str
    mailed: bool


def invite_instructor(
    *, email: str, note: str = "", invited_by: User | None = None, request: HttpRequest | None = None, mail: bool = True
) -> SentInvitation:
    """Invite somebody to make an account, and email them the link.

    Raises
    ------
    ValidationError
        The address is none, or has an account: nothing is stored or sent.
    """
    invitation = SignUpInvitation(email=email, note=note, invited_by=invited_by)
    token = _prepare(invitation, DAYS_BY_ADMIN)
    invitation.full_clean(exclude=["token_hash"])
    if has_account(email):
        raise ValidationError(
            {"email": _("An account with this email address already exists, so no invitation is needed.")}
        )
    with transaction.atomic():
        usable_invitations().filter(email__iexact=email).delete()
        invitation.save()
    link = site_address(request) + reverse("sign-up-invited", args=[token])
    mailed = mail and mails.send(template="invitation", to=email, link=link, days=DAYS_BY_ADMIN)
    return SentInvitation(invitation, link, mailed)


def sign_up_letters(email: str, *, start: str) -> Iterator[Letter]:
    """Write a letter with a link to an account, whose token is made now, or one that says that there is an account."""
    if has_account(email):
        yield Letter("sign_up_taken", email, {"link": f"{start}{reverse('password-reset')}"})
        return
    invitation = SignUpInvitation(email=email)
    token = _prepare(invitation, _DAYS_BY_VISITOR)
    with transaction.atomic():
        # What visitors asked for and never used is kept no longer than it is good.
        SignUpInvitation.objects.filter(invited_by=None, expires_at__lte=timezone.now()).delete()
        invitation.save()
    yield Letter("sign_up", email, {"link": f"{start}{reverse('sign-up-invited', args=[token])}"})


@transaction.atomic
def accept(*, invitation: SignUpInvitation, username: str, password: str | None) -> User:
    """Make the account, without a password where the provider signs in.

    Raises
    ------
    LinkIsSpent, ValidationError
        The invitation was used, or the name is taken; nothing is stored.
    """
    # Two links to one address: the second waits here for the first, and then finds itself gone.
    same = list(SignUpInvitation.objects.select_for_update().filter(email__iexact=invitation.email).order_by("pk"))
    if not usable_invitations().filter(pk=invitation.pk).update(used_at=timezone.now()):
        raise LinkIsSpent
    if has_account(invitation.email):
        raise LinkIsSpent
    user = make_account(username=username, email=invitation.email, password=password)
    # What admins made in their list stays there; of links that visitors asked for nothing stays.
    done = [row.pk for row in same if row.pk != invitation.pk or row.invited_by_id is None]
    SignUpInvitation.objects.filter(pk__in=done).delete()
    return user


def make_account(*, username: str, email: str, password: str | None) -> User:
    """Store an account; raises ValidationError where its name is taken."""
    try:
        with transaction.atomic():
            return User.objects.create_user(username, email, password)
    except IntegrityError:
        raise name_taken() from None


def _prepare(invitation: SignUpInvitation, days: int) -> str:
    token = "".join(secrets.choice(CODE_ALPHABET) for _letter in range(TOKEN_LENGTH))
    invitation.token_hash = keyed_hash("sign-up", token)
    invitation.expires_at = timezone.now() + dt.timedelta(days=days)
    return token
