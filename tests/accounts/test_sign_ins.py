"""One's own sign-ins: listed, ended, and stored with nothing that says from where."""

import json

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import UpdateError
from django.db import connection
from django.test import Client

from surveys.models import SignIn
from surveys.models.sessions import stored_key
from tests.accounts.conftest import Clock
from tests.accounts.people import ACCOUNT, is_signed_in, person, sign_in, with_second_factor
from tests.factories import PASSWORD
from tests.pages import client_of, text_of

pytestmark = pytest.mark.django_db

SIGN_OUT = "/account/sign-out/"
CANARIES = {
    "REMOTE_ADDR": "203.0.113.199",
    "HTTP_USER_AGENT": "CanaryAgent-71f3a9",
    "HTTP_REFERER": "http://canary-5d20/",
}


@pytest.fixture
def three(clock: Clock) -> list[Client]:
    """Three browsers of one person, signed in an hour after each other."""
    person()
    clients = [Client(), Client(), Client()]
    for client in clients:
        sign_in(client)
        clock.advance(hours=1)
    return clients


def _key(client: Client) -> str:
    return stored_key(client.cookies["sessionid"].value)


def test_the_page_lists_where_one_is_signed_in(three: list[Client]) -> None:
    response = three[2].get(ACCOUNT)
    began = [f"{sign_in.signed_in_at:%H:%M}" for sign_in in response.context["sign_ins"]]
    assert sorted(began) == ["12:07", "13:07", "14:07"]
    assert [hour for hour in began if f"2 March 2026, {hour}" not in text_of(response)] == []
    assert response.context["this"] == _key(three[2])
    # Other people's are not there.
    stranger = client_of(person("bob"))
    assert len(stranger.get(ACCOUNT).context["sign_ins"]) == 1


def test_one_sign_in_is_ended_and_the_others_go_on(three: list[Client]) -> None:
    assert three[0].post(SIGN_OUT, {"which": _key(three[1])})["Location"] == ACCOUNT
    assert [is_signed_in(client) for client in three] == [True, False, True]
    assert three[0].post(SIGN_OUT, {"which": _key(three[1])})["Location"] == ACCOUNT


def test_all_other_sign_ins_are_ended(three: list[Client]) -> None:
    three[0].post(SIGN_OUT, {"which": "others"})
    assert [is_signed_in(client) for client in three] == [True, False, False]


@pytest.mark.parametrize("which", ["all", "this"])
def test_this_one_is_ended_too_when_that_is_wanted(three: list[Client], which: str) -> None:
    key = _key(three[0])
    assert three[0].post(SIGN_OUT, {"which": "all" if which == "all" else key})["Location"] == "/sign-in/"
    assert [is_signed_in(client) for client in three] == [False, which == "this", which == "this"]


def test_nobody_ends_the_sign_ins_of_others(three: list[Client]) -> None:
    stranger = client_of(person("bob"))
    for which in (_key(three[0]), "others", "", "x" * 5000, "\x00"):
        stranger.post(SIGN_OUT, {"which": which})
    stranger.post(SIGN_OUT, {"which": "all"})
    assert all(is_signed_in(client) for client in three)


def test_signing_out_ends_the_session_itself(client: Client) -> None:
    person()
    sign_in(client)
    cookie = client.cookies["sessionid"].value
    client.post("/sign-out/")
    kept = Client()
    kept.cookies["sessionid"] = cookie
    assert not is_signed_in(kept)
    assert not SignIn.objects.filter(user__isnull=False).exists()


def test_a_request_under_way_does_not_bring_an_ended_sign_in_back(client: Client) -> None:
    user = person()
    client.force_login(user)
    under_way = client.session
    under_way["something"] = "stored at the end of the request"
    SignIn.objects.filter(user=user).delete()
    with pytest.raises(UpdateError):
        under_way.save()
    assert not SignIn.objects.exists()


def test_a_sign_in_from_before_another_password_is_not_listed(three: list[Client]) -> None:
    """However it was changed: an admin may set it, or a shell."""
    user = User.objects.get()
    user.set_password("another long password")
    user.save()
    fresh = Client()
    sign_in(fresh, password="another long password")
    assert len(fresh.get(ACCOUNT).context["sign_ins"]) == 1


def test_when_one_last_signed_in_is_known_to_the_hour(client: Client, clock: Clock) -> None:
    person()
    clock.advance(minutes=17.05)
    sign_in(client)
    last = User.objects.get().last_login
    assert last is not None
    assert (last.hour, last.minute, last.second, last.microsecond) == (clock.now.hour, 0, 0, 0)


def test_when_one_was_last_seen_is_known_to_the_hour(client: Client, clock: Clock) -> None:
    person()
    sign_in(client)
    seen = []
    for _ in range(4):
        seen.append(SignIn.objects.get().seen_at)
        clock.advance(minutes=40)
        client.get(ACCOUNT)
    row = SignIn.objects.get()
    assert [moment.strftime("%H:%M:%S") for moment in seen] == ["12:00:00", "12:00:00", "13:00:00", "14:00:00"]
    assert row.signed_in_at is not None
    assert row.signed_in_at.strftime("%H:%M:%S") == "12:07:00"


def test_looking_at_pages_within_an_hour_writes_nothing(client: Client, clock: Clock) -> None:
    person()
    sign_in(client)
    client.get(ACCOUNT)
    with connection.execute_wrapper(_no_writing):
        assert client.get(ACCOUNT).status_code == 200


def _no_writing(execute: object, sql: str, params: object, many: object, context: object) -> object:
    assert sql.startswith("SELECT"), sql
    return execute(sql, params, many, context)  # type: ignore[operator]


def test_a_copy_of_the_database_opens_no_session(client: Client) -> None:
    person()
    sign_in(client)
    cookie = client.cookies["sessionid"].value
    (row,) = SignIn.objects.all()
    assert cookie not in json.dumps([row.session_key, row.session_data, row.get_decoded()])
    thief = Client()
    for stolen in (row.session_key, row.pk):
        thief.cookies["sessionid"] = stolen
        assert not is_signed_in(thief)
    # Nor does any page show what the cookie holds.
    assert cookie not in text_of(client.get(ACCOUNT))


def test_a_session_ends_after_eight_hours(client: Client, clock: Clock) -> None:
    person()
    sign_in(client)
    clock.advance(hours=7.9)
    assert is_signed_in(client)
    clock.advance(hours=0.2)
    assert not is_signed_in(client)


def _everything_stored() -> str:
    """Return every cell of every table, and every session decoded."""
    cells = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - names of our own tables
            cells += [str(cell) for row in cursor.fetchall() for cell in row]
    return "\n".join([*cells, *(str(row.get_decoded()) for row in SignIn.objects.all())])


def test_nothing_like_an_address_is_stored_whatever_somebody_does(client: Client) -> None:
    user, codes = with_second_factor()
    for password in ("wrong", PASSWORD):
        sign_in(client, password=password, **CANARIES)
    client.post("/sign-in/code/", {"recovery": codes[0]}, **CANARIES)  # type: ignore[arg-type]
    assert is_signed_in(client)
    for address, fields in (
        ("/password/reset/", {"email": user.email}),
        ("/password/change/", {"password": "wrong"}),
        ("/account/two-factor/off/", {"password": "wrong", "code": "1"}),
        (SIGN_OUT, {"which": "others"}),
    ):
        client.post(address, fields, **CANARIES)  # type: ignore[arg-type]
        client.get(address, **CANARIES)  # type: ignore[arg-type]
    stored = _everything_stored()
    assert "ada" in stored
    for canary in ("203.0.113.199", "CanaryAgent-71f3a9", "canary-5d20", "127.0.0.1", "testserver", codes[0], PASSWORD):
        assert canary not in stored, canary


def test_what_is_stored_of_a_sign_in_is_what_the_page_says() -> None:
    """A column more would need its word in the threat model."""
    columns = {field.name for field in SignIn._meta.get_fields()}
    assert columns == {"session_key", "session_data", "expire_date", "user", "signed_in_at", "seen_at"}


def test_the_data_of_a_session_are_few(client: Client) -> None:
    person()
    sign_in(client)
    assert set(client.session.keys()) == {"_auth_user_id", "_auth_user_backend", "_auth_user_hash", "_signed_in_at"}
