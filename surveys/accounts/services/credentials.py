"""Passwords, reset or changed, and two-factor authentication with its recovery codes; both end all other sign-ins."""

import datetime as dt
import re
import secrets
from collections.abc import Iterator
from typing import Literal

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django_otp import verify_token
from django_otp.util import random_hex

from surveys.accounts.selectors import recovery_codes_left, recovery_codes_of, second_factor_of
from surveys.accounts.services import mails
from surveys.accounts.services.mails import Letter, site_address, tell
from surveys.accounts.services.sign_in import TooManyTries, count_try, give_back, let_in_again, sign_out_everywhere
from surveys.models import RecoveryCodes, SecondFactor
from surveys.models.account_names import fold_name
from surveys.models.survey import CODE_ALPHABET

MAILS_A_WINDOW = 3


class LinkIsSpent(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """The link was used, withdrawn or has expired; nothing was changed."""


def ask_for_link(kind: Literal["reset", "sign_up"], *, email: str, request: HttpRequest) -> None:
    """Email a link for a new password or a new account; the visitor does not learn whether the address has one.

    Nobody fills another's mailbox: a stranger who asks in the owner's stead fills the window with links that reach the
    owner, each good for longer than the window lasts. Each kind is counted by itself: emails of one kind that strangers
    ask for must not keep another from its reader. What was not sent does not count.
    """
    try:
        counted = count_try(what=f"mail.{kind}", name=fold_name(email), limit=MAILS_A_WINDOW)
    except TooManyTries:
        return
    if not mails.keep(kind, to=email, start=site_address(request)):
        give_back(counted)


@transaction.atomic
def reset_password(*, user: User, token: str, password: str) -> User:
    """Store another password for the owner of this token; raises LinkIsSpent for the second of two at once."""
    user = User.objects.select_for_update().get(pk=user.pk)
    if not default_token_generator.check_token(user, token):
        raise LinkIsSpent
    return set_password(user=user, password=password)


@transaction.atomic
def set_password(*, user: User, password: str, except_key: str | None = None) -> User:
    """Store another password, end all access tokens and all sign-ins but one, and lift what failed tries closed."""
    user = User.objects.select_for_update().get(pk=user.pk)
    user.set_password(password)
    user.save(update_fields=["password"])
    sign_out_everywhere(user=user, except_key=except_key)
    user.access_tokens.all().delete()
    let_in_again(user=user)
    allow_one_more_code(user=user)
    tell(user=user, what="password_changed")
    return user


def reset_letters(email: str, *, start: str) -> Iterator[Letter]:
    """Write a letter with a link to another password for each account of this address."""
    for user in User.objects.filter(email__iexact=email, is_active=True):
        # Letters that only look alike after folding are another person's address.
        if user.has_usable_password() and fold_name(user.email) == fold_name(email):
            uid = urlsafe_base64_encode(force_bytes(user.pk))
            path = reverse("password-reset-confirm", args=[uid, default_token_generator.make_token(user)])
            yield Letter("reset", user.email, {"username": user.get_username(), "link": f"{start}{path}"})


# Two-factor authentication: codes of an app, and recovery codes for the day the phone is lost.


RECOVERY_CODES = 10
# 12 of 31 letters and digits: 59 bits, and nothing that is misread on paper.
_LENGTH = 12
# As many wrong codes behind the right password are no slip of the finger.
_TELLS_AFTER = 3
_CODE = re.compile(r"[0-9]{6}")


def new_key() -> str:
    """Return a secret for an app, in hexadecimal digits; nothing is stored."""
    return str(random_hex(20))


@transaction.atomic
def turn_on(*, user: User, key: str, code: str, except_key: str | None = None) -> list[str]:
    """Turn two-factor authentication on if a code shows that the app has the secret; return the recovery codes once.

    Raises
    ------
    ValidationError
        The code is not right, or it is on already. Nothing is stored.
    """
    # Of two at once the second waits here, and then finds the device of the first.
    user = User.objects.select_for_update().get(pk=user.pk)
    if second_factor_of(user) is not None:
        raise ValidationError(_("Two-factor authentication is already on. Turn it off before setting it up again."))
    device = SecondFactor.objects.create(user=user, name="app", key=key, confirmed=True)
    if not (_CODE.fullmatch(code) and device.verify_token(code)):
        raise ValidationError(
            {"code": _("This code is wrong or out of date. Enter the next code that your app shows.")}
        )
    sign_out_everywhere(user=user, except_key=except_key)
    tell(user=user, what="second_factor_on")
    return _new_codes(user)


@transaction.atomic
def turn_off(*, user: User) -> None:
    """Turn two-factor authentication off and delete its recovery codes, and end no sign-in: each knows the password."""
    SecondFactor.objects.filter(user_id=user.pk).delete()
    RecoveryCodes.objects.filter(user_id=user.pk).delete()
    tell(user=user, what="second_factor_off")


@transaction.atomic
def new_recovery_codes(*, user: User) -> list[str]:
    """Return ten other recovery codes, this once; the earlier ones are worth nothing from now on."""
    user = User.objects.select_for_update().get(pk=user.pk)
    return _new_codes(user)


def code_is_right(*, user: User, code: str) -> bool:
    """Return whether the app shows this code; the same code is accepted once.

    Raises
    ------
    TooManyTries
        After each wrong code the next one is looked at only twice as long after it as the one before.
    """
    device = second_factor_of(user)
    return device is not None and _verified(user, device, code if _CODE.fullmatch(code) else "")


def recovery_code_is_right(*, user: User, code: str) -> bool:
    """Return whether this is a recovery code that has not been used, and spend it; raises TooManyTries likewise."""
    codes = recovery_codes_of(user)
    written = re.sub(r"[\s-]+", "", code).upper()
    if codes is None or not _verified(user, codes, written):
        return False
    tell(user=user, what="recovery_used", left=recovery_codes_left(user))
    return True


def allow_one_more_code(*, user: User) -> None:
    """Let the next code be looked at now, without forgetting how many were wrong: if it is too, the wait is as long."""
    for model in (SecondFactor, RecoveryCodes):
        model.objects.filter(user_id=user.pk).update(throttling_failure_timestamp=None)


def _verified(user: User, device: SecondFactor | RecoveryCodes, code: str) -> bool:
    """Look at a code under a lock: of two requests with the same code the second finds it used."""
    now, failed_at = timezone.now(), device.throttling_failure_timestamp
    if failed_at is not None and failed_at > now:
        # The clock has been set back; nobody waits until it is as late again.
        type(device).objects.filter(pk=device.pk).update(throttling_failure_timestamp=now)
        device.throttling_failure_timestamp = now
    allowed, why = device.verify_is_allowed()
    if not allowed:
        raise TooManyTries(why["locked_until"] + dt.timedelta(seconds=1))
    if verify_token(user, device.persistent_id, code) is not None:
        return True
    device.refresh_from_db(fields=["throttling_failure_count"])
    if device.throttling_failure_count == _TELLS_AFTER:
        tell(user=user, what="code_refused")
    return False


def _new_codes(user: User) -> list[str]:
    RecoveryCodes.objects.filter(user_id=user.pk).delete()
    holder = RecoveryCodes.objects.create(user=user, name="recovery codes")
    codes = ["".join(secrets.choice(CODE_ALPHABET) for _letter in range(_LENGTH)) for _code in range(RECOVERY_CODES)]
    for code in codes:
        holder.token_set.create(token=holder.hashes_of(code)[0])
    return ["-".join(code[start : start + 4] for start in range(0, _LENGTH, 4)) for code in codes]
