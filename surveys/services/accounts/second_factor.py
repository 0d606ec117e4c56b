"""The second factor: codes of an app, and recovery codes for the day the phone is lost."""

import datetime as dt
import re
import secrets

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django_otp import verify_token
from django_otp.util import random_hex

from surveys.models import RecoveryCodes, SecondFactor
from surveys.models.survey import CODE_ALPHABET
from surveys.selectors.accounts import recovery_codes_left, recovery_codes_of, second_factor_of
from surveys.services.accounts.notices import tell
from surveys.services.accounts.signing_out import sign_out_everywhere
from surveys.services.accounts.tries import TooManyTries

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
    """Store the second factor once a code shows that the app has it; return the recovery codes, this once.

    Raises
    ------
    ValidationError
        The code is not right, or there is a second factor already. Nothing is stored.
    """
    # Of two at once the second waits here, and then finds the device of the first.
    user = User.objects.select_for_update().get(pk=user.pk)
    if second_factor_of(user) is not None:
        raise ValidationError(_("You have a second factor already. Turn it off before you set up another."))
    device = SecondFactor.objects.create(user=user, name="app", key=key, confirmed=True)
    if not (_CODE.fullmatch(code) and device.verify_token(code)):
        raise ValidationError({"code": _("This is not the code that the app should show now. Try its next one.")})
    sign_out_everywhere(user=user, except_key=except_key)
    transaction.on_commit(lambda: tell(user=user, what="second_factor_on"))
    return _new_codes(user)


@transaction.atomic
def turn_off(*, user: User) -> None:
    """Remove the second factor and its recovery codes, and end no sign-in: each knows the password."""
    SecondFactor.objects.filter(user_id=user.pk).delete()
    RecoveryCodes.objects.filter(user_id=user.pk).delete()
    transaction.on_commit(lambda: tell(user=user, what="second_factor_off"))


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
