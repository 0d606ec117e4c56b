"""Signing in: tries are counted for each name, known browsers have tries of their own, and sign-ins are ended.

Names of nobody are counted alike, and no address is stored. A try is counted before it is made and given back when it
succeeds, so that of many at once no more than the limit are made: what a check after the fact would let through.
"""

import datetime as dt
import re
import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from surveys.accounts.selectors import person_called
from surveys.models import SignIn, Tries
from surveys.models.account_names import fold_name
from surveys.models.hashing import keyed_hash, keyed_hashes
from surveys.models.sessions import stored_key, whole_hour

WINDOW_SECONDS = 15 * 60


def store_sign_ins_by_hour() -> None:
    """Replace Django's receiver, which stores to the microsecond when each person last signed in."""
    user_logged_in.disconnect(dispatch_uid="update_last_login")
    user_logged_in.connect(_store_hour, dispatch_uid="deniable.last_login")


def _store_hour(user: User, **_kwargs: object) -> None:
    user.last_login = whole_hour(timezone.now())
    user.save(update_fields=["last_login"])


class TooManyTries(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """There were as many tries as one window allows; `until` is when the next one begins."""

    def __init__(self, until: dt.datetime) -> None:
        super().__init__(until)
        self.until = until


@dataclass(frozen=True, slots=True)
class Try:
    name_hash: bytes
    window: int


def count_try(*, what: str, name: str, limit: int) -> Try:
    """Count one try; raises TooManyTries where the limit is reached, and counts nothing then."""
    counted = Try(keyed_hash(f"tries.{what}", name), _window())
    rows = Tries.objects.filter(name_hash=counted.name_hash)
    now = rows.filter(window=counted.window)
    # The next window may have begun by another server's clock; a later one by a clock that has been set back.
    others = rows.exclude(window__range=(counted.window, counted.window + 1))
    # Each statement tests and writes at once. A second round is needed only if another one began the window meanwhile.
    for _round in range(2):
        if now.filter(number__lt=limit).update(number=F("number") + 1):
            return counted
        if others.update(window=counted.window, number=1) or _began(counted):
            return counted
    raise TooManyTries(dt.datetime.fromtimestamp((counted.window + 1) * WINDOW_SECONDS, dt.UTC))


def is_first(*, what: str, name: str, seconds: int = WINDOW_SECONDS) -> bool:
    """Whether nobody has used this before, of what holds no longer than so many seconds: then it has been used.

    It is remembered as a try of a later window, and forgotten as those are.
    """
    Tries.objects.filter(window__lt=_window()).delete()
    used = Tries(name_hash=keyed_hash(f"used.{what}", name), window=_window() + -(-seconds // WINDOW_SECONDS))
    try:
        with transaction.atomic():
            used.save(force_insert=True)
    except IntegrityError:
        return False
    return True


def _window() -> int:
    return int(timezone.now().timestamp()) // WINDOW_SECONDS


def give_back(counted: Try) -> None:
    """Take back a try that did not fail."""
    rows = Tries.objects.filter(name_hash=counted.name_hash, window=counted.window, number__gt=0)
    rows.update(number=F("number") - 1)


def forget_tries(*, what: str, name: str) -> None:
    """Forget what failed for a name: its owner has shown in another way who they are."""
    Tries.objects.filter(name_hash=keyed_hash(f"tries.{what}", name)).delete()


def _began(counted: Try) -> bool:
    """Begin a window for a name that is not counted yet, and forget the earlier windows of all names."""
    try:
        with transaction.atomic():
            Tries.objects.create(name_hash=counted.name_hash, window=counted.window)
    except IntegrityError:
        return False
    Tries.objects.filter(window__lt=counted.window).delete()
    return True


# Browsers in which somebody signed in before: strangers who fail with a name do not shut its owner out of them.
#
# The mark is a signed cookie with a random number and the keyed hash of one name. Tries from a marked browser are
# counted by its number instead of the name, as strictly; the number is stored nowhere.


_SALT = "deniable.known-browser"
_PURPOSE = "known-browser"


def new_mark(username: str, number: str = "") -> str:
    """Return the mark of a browser in which this person has just signed in, with the number it had before."""
    held = keyed_hash(_PURPOSE, fold_name(username)).hex()
    return signing.dumps([held, number or secrets.token_urlsafe(16)], salt=_SALT)


def number_in(mark: str, username: str) -> str:
    """Return the browser's number, or nothing where the mark is another person's, too old or no mark."""
    try:
        held, number = signing.loads(mark, salt=_SALT, max_age=settings.KNOWN_BROWSER_COOKIE_AGE)
    except signing.BadSignature:
        return ""
    known = [hashed.hex() for hashed in keyed_hashes(_PURPOSE, fold_name(username))]
    return str(number) if held in known else ""


# Signing in: the name and the password, then an authentication code from those who use two-factor authentication.


TRIES_A_WINDOW = 10
_TRIES_OF_ALL_BROWSERS = 5 * TRIES_A_WINDOW


def person_with(*, request: HttpRequest, username: str, password: str, mark: str) -> User | None:
    """Return whose name and password these are, or None; `mark` is what the browser was marked with.

    Raises
    ------
    TooManyTries
        Before the password is looked at, for names of accounts and of nobody alike.
    """
    number, name = number_in(mark, username), fold_name(username)
    counted = [count_try(what="browser" if number else "sign-in", name=number or name, limit=TRIES_A_WINDOW)]
    if number:
        # Anyone who once knew the password can have collected any number of marks.
        counted.append(count_try(what="marked", name=name, limit=_TRIES_OF_ALL_BROWSERS))
    named = person_called(username)
    spelled = named.get_username() if named is not None else username
    user = authenticate(request, username=spelled, password=password)
    if not isinstance(user, User):
        return None
    for one in counted:
        give_back(one)
    return user


def password_again(*, user: User, password: str) -> bool:
    """Return whether this is the password of somebody who is signed in; counted like signing in.

    Raises
    ------
    TooManyTries
        A session that somebody left open guesses no faster than a stranger.
    """
    counted = count_try(what="password-again", name=str(user.pk), limit=TRIES_A_WINDOW)
    if not user.check_password(password):
        return False
    give_back(counted)
    return True


@transaction.atomic
def let_in_again(*, user: User) -> None:
    """Lift what failed tries have closed: the owner of the account's email address has set another password."""
    forget_tries(what="sign-in", name=fold_name(user.get_username()))
    forget_tries(what="marked", name=fold_name(user.get_username()))
    forget_tries(what="password-again", name=str(user.pk))


# Ending sign-ins: a session whose row is deleted is over, wherever its cookie is.


_STORED_KEY = re.compile(r"[0-9a-f]{32}")


def sign_out_everywhere(*, user: User, except_key: str | None = None) -> int:
    """End the person's sign-ins, but for the session with this key; return how many there were."""
    others = SignIn.objects.filter(user_id=user.pk)
    if except_key:
        others = others.exclude(pk=stored_key(except_key))
    return others.delete()[0]


def sign_out(*, user: User, sign_in: str) -> bool:
    """End one of the person's sign-ins, known by its stored key; return whether it was there."""
    # PostgreSQL takes no text with a zero byte.
    return bool(_STORED_KEY.fullmatch(sign_in)) and bool(SignIn.objects.filter(user_id=user.pk, pk=sign_in).delete()[0])
