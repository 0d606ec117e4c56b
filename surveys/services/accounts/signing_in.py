"""Signing in: the name and the password, then the second factor of those who have one."""

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest

from surveys.models.account_names import folded
from surveys.selectors.accounts import person_called
from surveys.services.accounts.known_browsers import number_in
from surveys.services.accounts.tries import count_try, forget_tries, give_back

TRIES_A_WINDOW = 10
_TRIES_OF_ALL_BROWSERS = 5 * TRIES_A_WINDOW


def person_with(*, request: HttpRequest, username: str, password: str, mark: str) -> User | None:
    """Return whose name and password these are, or None; `mark` is what the browser was marked with.

    Raises
    ------
    TooManyTries
        Before the password is looked at, for names of accounts and of nobody alike.
    """
    number, name = number_in(mark, username), folded(username)
    counted = [count_try(what="browser" if number else "sign-in", name=number or name, limit=TRIES_A_WINDOW)]
    if number:
        # Whoever once knew the password can have collected any number of marks.
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
    """Lift what failed tries have closed: the owner of the account's mail address has set another password."""
    forget_tries(what="sign-in", name=folded(user.get_username()))
    forget_tries(what="marked", name=folded(user.get_username()))
    forget_tries(what="password-again", name=str(user.pk))
