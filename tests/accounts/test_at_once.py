"""Many at once: no more tries than the limit, and whatever is good once is used once."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django_otp.plugins.otp_static.models import StaticToken

from surveys.accounts.services.credentials import (
    code_is_right,
    new_key,
    recovery_code_is_right,
    reset_password,
    turn_on,
)
from surveys.accounts.services.sign_in import count_try, give_back
from surveys.accounts.services.sign_up import accept, invite_instructor
from surveys.models import SecondFactor, SignUpInvitation, Tries
from tests.accounts.people import app_code, code_of, person, with_second_factor
from tests.at_once import at_once, tally
from tests.factories import PASSWORD

# These run on the database in use: a SQLite file, or PostgreSQL where DATABASE_URL says so.
pytestmark = pytest.mark.usefixtures("transactional_db")

NEW_PASSWORD = "seven purple elephants sing"


def _at_once(times: int, act: Callable[[int], object]) -> Counter[str]:
    """Return how often each outcome came: what was returned, or an exception's name."""
    return tally(at_once(*(partial(act, number) for number in range(times))))


def test_of_thirty_tries_exactly_ten_are_made() -> None:
    outcomes = _at_once(30, lambda _: bool(count_try(what="test", name="a", limit=10)))
    assert outcomes == {"True": 10, "TooManyTries": 20}
    assert Tries.objects.get().number == 10


def test_what_is_given_back_is_counted_as_often_as_it_was_taken() -> None:
    taken = [count_try(what="test", name="a", limit=10) for _ in range(10)]
    _at_once(10, lambda number: give_back(taken[number]))
    assert Tries.objects.get().number == 0


def test_one_code_lets_one_in() -> None:
    user, codes = with_second_factor()
    code = code_of(user)
    assert _at_once(10, lambda _: code_is_right(user=user, code=code))["True"] == 1
    assert _at_once(10, lambda _: recovery_code_is_right(user=user, code=codes[0]))["True"] == 1
    assert StaticToken.objects.count() == 9


def test_one_second_factor_is_set_up() -> None:
    user, keys = person(), [new_key() for _ in range(6)]
    outcomes = _at_once(6, lambda number: len(turn_on(user=user, key=keys[number], code=app_code(keys[number]))))
    assert outcomes == {"10": 1, "ValidationError": 5}
    assert (SecondFactor.objects.count(), StaticToken.objects.count()) == (1, 10)


def test_one_link_makes_one_account() -> None:
    invitation = invite_instructor(email="grace@example.org").invitation
    outcomes = _at_once(
        8, lambda number: accept(invitation=invitation, username=f"grace{number}", password=PASSWORD).email
    )
    assert outcomes == {"grace@example.org": 1, "LinkIsSpent": 7}
    assert User.objects.count() == 1


def test_two_links_to_one_address_make_one_account() -> None:
    """Where sign-up is open, somebody may ask twice before the first mail has come."""
    invitations = [invite_instructor(email=f"grace{number}@example.org").invitation for number in range(6)]
    SignUpInvitation.objects.update(email="grace@example.org")
    for invitation in invitations:
        invitation.refresh_from_db()
    outcomes = _at_once(
        6, lambda number: accept(invitation=invitations[number], username=f"grace{number}", password=PASSWORD).email
    )
    assert outcomes == {"grace@example.org": 1, "LinkIsSpent": 5}


def test_one_gets_a_name() -> None:
    invitations = [invite_instructor(email=f"grace{number}@example.org").invitation for number in range(6)]
    outcomes = _at_once(
        6, lambda number: accept(invitation=invitations[number], username="grace", password=PASSWORD).username
    )
    assert outcomes == {"grace": 1, "ValidationError": 5}
    assert SignUpInvitation.objects.filter(used_at=None).count() == 5


def test_one_uses_a_link_to_another_password() -> None:
    user = person()
    token = default_token_generator.make_token(user)
    outcomes = _at_once(
        6, lambda number: reset_password(user=user, token=token, password=f"{NEW_PASSWORD} {number}").username
    )
    assert outcomes == {"ada": 1, "LinkIsSpent": 5}
