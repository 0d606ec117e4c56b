"""Ten tries a quarter of an hour for one name, whoever it belongs to and whoever makes them."""

import pytest
from django.conf import settings
from django.contrib.auth import hashers
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext

from surveys.accounts.services.credentials import set_password
from surveys.accounts.services.sign_in import TooManyTries, count_try, give_back
from surveys.models import Tries
from tests.accounts.conftest import Clock
from tests.accounts.people import SIGN_IN, is_signed_in, link_in_mail, person, plain, sign_in
from tests.factories import PASSWORD
from tests.pages import text_of

pytestmark = pytest.mark.django_db

LIMIT = 10
KNOWN = "known-browser"


def _fail(times: int = LIMIT, username: str = "ada", client: Client | None = None) -> HttpResponseBase:
    """Fail so often; strangers fail in a browser that nobody knows."""
    client = client or Client()
    for _ in range(times - 1):
        sign_in(client, username, "wrong")
    return sign_in(client, username, "wrong")


def test_after_ten_wrong_passwords_the_right_one_is_not_looked_at(client: Client, clock: Clock) -> None:
    person()
    assert _fail(LIMIT).status_code == 200
    response = sign_in(client)
    assert response.status_code == 429
    # 12:07:30 in a window from 12:00 to 12:15.
    assert response["Retry-After"] == "450"
    assert 'href="/password/reset/"' in text_of(response)
    assert not is_signed_in(client)


def test_the_next_window_begins_anew(client: Client, clock: Clock) -> None:
    person()
    _fail(LIMIT)
    clock.advance(minutes=7.4)
    assert sign_in(client).status_code == 429
    clock.advance(minutes=0.2)
    sign_in(client)
    assert is_signed_in(client)


def test_a_clock_that_was_ahead_and_is_set_back_shuts_nobody_out(client: Client, clock: Clock) -> None:
    person()
    clock.advance(days=1)
    _fail(LIMIT)
    clock.advance(days=-1)
    sign_in(client)
    assert is_signed_in(client)


def test_of_two_servers_whose_clocks_differ_a_little_neither_begins_anew(client: Client, clock: Clock) -> None:
    person()
    clock.advance(minutes=7.6)
    _fail(LIMIT)
    clock.advance(minutes=-0.2)
    assert sign_in(client).status_code == 429


def test_names_of_nobody_are_answered_word_for_word_alike(clock: Clock) -> None:
    person()
    for number in range(LIMIT + 3):
        answers = {
            plain(sign_in(Client(), username, "wrong")).replace(username, "NAME") for username in ("ada", "nobody")
        }
        assert len(answers) == 1, number
        statuses = {sign_in(Client(), f"{username}{number}", "wrong").status_code for username in ("ada", "nobody")}
        assert len(statuses) == 1


@pytest.mark.parametrize("before", [0, LIMIT])
def test_names_of_nobody_take_the_same_work(monkeypatch: pytest.MonkeyPatch, clock: Clock, before: int) -> None:
    """The same statements, and the password hashed as often: once, or not at all when it is too many."""
    person("ada")
    person("bob", is_active=False)
    switched_off = person("eve")
    switched_off.set_unusable_password()
    switched_off.save()
    hashed: list[str] = []
    encode = hashers.MD5PasswordHasher.encode
    monkeypatch.setattr(
        hashers.MD5PasswordHasher,
        "encode",
        lambda self, password, salt: hashed.append(password) or encode(self, password, salt),
    )
    work = {}
    for username in ("ada", "bob", "eve", "nobody"):
        _fail(before, username) if before else None
        hashed.clear()
        with CaptureQueriesContext(connection) as done:
            sign_in(Client(), username, "wrong")
        work[username] = ([query["sql"].split(" ")[0] for query in done.captured_queries], len(hashed))
    assert len({str(one) for one in work.values()}) == 1, work
    assert work["ada"][1] == (0 if before else 1)


def test_other_names_are_not_touched(client: Client, clock: Clock) -> None:
    person("ada")
    person("bob")
    _fail(LIMIT, "ada")
    sign_in(client, "bob")
    assert is_signed_in(client)


def test_what_succeeds_is_not_counted(clock: Clock) -> None:
    person()
    for _ in range(2 * LIMIT):
        client = Client()
        sign_in(client)
        assert is_signed_in(client)


def test_signing_in_does_not_hand_a_guesser_new_tries(client: Client, clock: Clock) -> None:
    """Otherwise the owner's own sign-in in between would be worth ten more guesses."""
    person()
    _fail(LIMIT - 1)
    sign_in(client)
    assert is_signed_in(client)
    assert _fail(1).status_code == 200
    assert _fail(1).status_code == 429


@pytest.mark.uncounted
@pytest.mark.parametrize("hours", [6, pytest.param(24, marks=pytest.mark.slow)])
def test_strangers_who_guess_all_day_shut_no_owner_out(client: Client, clock: Clock, hours: int) -> None:
    person()
    sign_in(client)
    for hour in range(hours):
        client.post("/sign-out/")
        _fail(LIMIT + 1)
        # A browser in which they signed in before, by the right password at once.
        sign_in(client, "ADA" if hour % 2 else "ada")
        assert is_signed_in(client)
        clock.advance(hours=1)
    # Another browser: a mail leads there, while the stranger goes on.
    _fail(LIMIT + 1)
    new = Client()
    assert sign_in(new).status_code == 429
    new.post("/password/reset/", {"email": "ada@example.org"})
    page = new.get(link_in_mail(), follow=True).redirect_chain[-1][0]
    new.post(page, dict.fromkeys(("new_password1", "new_password2"), "seven purple elephants sing"))
    _fail(LIMIT + 1)
    sign_in(new, password="seven purple elephants sing")
    assert is_signed_in(new)


def test_a_known_browser_has_ten_tries_of_its_own_and_no_more(client: Client, clock: Clock) -> None:
    person()
    sign_in(client)
    client.post("/sign-out/")
    _fail(LIMIT, client=client)
    assert sign_in(client).status_code == 429
    # Failing there closes nothing for other browsers.
    other = Client()
    sign_in(other)
    assert is_signed_in(other)


@pytest.mark.parametrize("how", ["another person's", "too old", "forged", "torn", "none"])
def test_only_the_owners_own_fresh_mark_counts(client: Client, clock: Clock, how: str) -> None:
    person("ada")
    person("bob")
    sign_in(client, "bob" if how == "another person's" else "ada")
    mark = client.cookies[KNOWN].value
    client.post("/sign-out/")
    if how == "too old":
        clock.advance(days=91)
    elif how == "forged":
        mark = mark[:-4] + ("AAAA" if mark[-4:] != "AAAA" else "BBBB")
    elif how == "torn":
        mark = mark[5:]
    elif how == "none":
        mark = "x"
    client.cookies[KNOWN] = mark
    _fail(LIMIT, "ada")
    assert sign_in(client, "ada").status_code == 429


@pytest.mark.uncounted
def test_all_known_browsers_together_have_fifty(clock: Clock) -> None:
    """Whoever once knew the password can have collected any number of marks."""
    user = person()
    browsers = [Client() for _browser in range(7)]
    for browser in browsers:
        sign_in(browser)
        browser.post("/sign-out/")
    set_password(user=user, password="another " + PASSWORD)
    looked_at = 0
    for browser in browsers:
        for _try in range(LIMIT):
            looked_at += sign_in(browser, password="guess").status_code != 429
    assert looked_at == 5 * LIMIT


def test_the_mark_names_nobody_and_is_sent_to_the_sign_in_page_alone(client: Client) -> None:
    person("ada")
    response = sign_in(client)
    cookie = response.cookies[KNOWN]
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == (SIGN_IN, "Strict", True)
    assert cookie["max-age"] == settings.KNOWN_BROWSER_COOKIE_AGE
    assert "ada" not in cookie.value


def test_of_a_name_only_a_keyed_hash_is_stored_and_not_for_long(clock: Clock, settings: object) -> None:
    _fail(1, "somebody")
    first = Tries.objects.get()
    settings.SECRET_KEY = "another key"  # type: ignore[attr-defined]
    _fail(1, "somebody")
    assert Tries.objects.exclude(pk=first.pk).get().name_hash != first.name_hash
    clock.advance(minutes=16)
    _fail(1, "somebody else")
    assert Tries.objects.count() == 1


def test_a_try_given_back_late_changes_nothing_in_the_next_window(clock: Clock) -> None:
    counted = count_try(what="test", name="a", limit=1)
    clock.advance(minutes=16)
    count_try(what="test", name="a", limit=1)
    give_back(counted)
    with pytest.raises(TooManyTries):
        count_try(what="test", name="a", limit=1)
