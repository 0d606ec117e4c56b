"""Signing in with the provider: the first time, to an account that is there, with two factors, and out again."""

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from surveys.accounts.selectors import provider_account_of
from surveys.accounts.services import connections
from surveys.accounts.services import provider as services
from surveys.accounts.services.sign_up import invite_instructor
from surveys.common import servers
from surveys.models import ProviderAccount, SecondFactor, SignIn, SignUpInvitation
from tests.accounts.conftest import Clock
from tests.accounts.people import (
    ACCOUNT,
    CODE,
    SIGN_IN,
    app_code,
    blamed,
    code_of,
    is_signed_in,
    link_in_mail,
    person,
    sign_in,
    subject_of,
    with_second_factor,
)
from tests.accounts.provider import Provider, come_back, go_there, provider, query_of, there_and_back
from tests.factories import PASSWORD
from tests.pages import text_of

__all__ = ["provider"]

pytestmark = pytest.mark.django_db

SIGN_UP, CONNECT, CONNECTED, CONFIRM = (f"/provider/{name}/" for name in ("sign-up", "connect", "account", "confirm"))
OUT = "/provider/signed-out/"
SUBJECT = "person-1"


def _connected(user: User) -> User:
    connections.connect(user=user, subject_hash=connections.subject_hash(services.Identity(SUBJECT, {}, "")))
    return user


def _made(client: Client, provider: Provider, username: str = "grace", **claims: Any) -> User:
    """Let somebody make an account without a password."""
    assert there_and_back(client, provider, **claims)["Location"] == SIGN_UP
    client.post(SIGN_UP, {"username": username})
    return User.objects.get(username=username)


# The first time.


def _invitation(email: str = "grace@example.org") -> str:
    invite_instructor(email=email)
    return link_in_mail()


def _start_of(link: str) -> str:
    return link.replace("/sign-up/", SIGN_UP)


def test_an_invitation_becomes_an_account_that_the_provider_signs_in_to(client: Client, provider: Provider) -> None:
    link = _invitation()
    assert f'href="{_start_of(link)}"' in text_of(client.get(link))
    response = there_and_back(client, provider, _start_of(link), email="private@example.net", name="Grace Hopper")
    assert response["Location"] == SIGN_UP
    assert "<bdi>grace@example.org</bdi>" in text_of(client.get(SIGN_UP))
    assert not User.objects.exists()
    client.post(SIGN_UP, {"username": "grace"})
    assert is_signed_in(client)
    user = User.objects.get()
    assert (user.username, user.email, user.first_name, user.has_usable_password()) == (
        "grace",
        "grace@example.org",
        "",
        False,
    )
    there_and_back(again := Client(), provider)
    assert is_signed_in(again)
    assert client.get(link, follow=True).redirect_chain  # whoever is signed in makes no other account
    assert Client().get(link).status_code == 410


def test_of_a_person_a_hash_is_stored_and_nothing_else(client: Client, provider: Provider, settings: Settings) -> None:
    """What the provider says of somebody is looked for in every text of the database."""
    settings.OIDC_DOMAINS = ["example.net"]
    said = {"email": "grace@example.net", "email_verified": True, "name": "Hopper", "sub": "subject-of-grace"}
    _made(client, provider, username="amazing", **said)
    rows = [
        repr(row)
        for model in (User, ProviderAccount, SignUpInvitation, SignIn)
        for row in model._default_manager.values()
    ]
    decoded = [repr(row.get_decoded()) for row in SignIn.objects.all()]
    for word in ("grace", "Hopper", "access", "code-"):
        assert [row for row in (*rows, *decoded) if word in row] == []
    row = ProviderAccount.objects.get()
    assert (row.issuer, len(row.subject_hash)) == (provider.address, 16)


def test_looking_at_a_username_that_is_taken_makes_nothing(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_DOMAINS = ["example.org"]
    person("ada")
    there_and_back(client, provider, email="x@example.org", email_verified=True)
    response = client.post(SIGN_UP, {"username": "ADA"})
    assert (response.status_code, blamed(response)) == (422, ["username"])
    assert not ProviderAccount.objects.exists()


def test_twenty_usernames_can_be_tried(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_DOMAINS = ["example.org"]
    person("ada")
    there_and_back(client, provider, email="x@example.org", email_verified=True)
    for _ in range(20):
        client.post(SIGN_UP, {"username": "ada"})
    assert client.post(SIGN_UP, {"username": "free"}).status_code == 422
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("doors", "claims", "opened"),
    [
        ({}, {"email": "a@example.org", "email_verified": True}, False),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": "a@example.org", "email_verified": True}, True),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": "a@EXAMPLE.org", "email_verified": True}, True),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": "a@example.org", "email_verified": False}, False),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": "a@example.org", "email_verified": "true"}, False),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": "a@example.org"}, False),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": "a@evil.example.org", "email_verified": True}, False),
        ({"OIDC_DOMAINS": [".example.org"]}, {"email": "a@cs.example.org", "email_verified": True}, True),
        ({"OIDC_DOMAINS": [".example.org"]}, {"email": "a@evilexample.org", "email_verified": True}, False),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": "a@example.org@evil.example", "email_verified": True}, False),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email": ["a@example.org"], "email_verified": True}, False),
        ({"OIDC_DOMAINS": ["example.org"]}, {"email_verified": True}, False),
        ({"OIDC_GROUP": ("groups", "staff")}, {"groups": ["students", "staff"]}, True),
        ({"OIDC_GROUP": ("groups", "staff")}, {"groups": "staff"}, True),
        ({"OIDC_GROUP": ("groups", "staff")}, {"groups": ["staff of others"]}, False),
        ({"OIDC_GROUP": ("groups", "staff")}, {"groups": "staff of others"}, False),
        ({"OIDC_GROUP": ("groups", "staff")}, {}, False),
        ({"OIDC_GROUP": ("groups", "staff")}, {"email": "a@example.org", "email_verified": True}, False),
    ],
)
@pytest.mark.parametrize("in_the_token", [True, False])
def test_without_an_invitation_a_proven_address_or_a_group_opens_what_the_operator_says(  # noqa: PLR0917 - fixtures
    client: Client,
    provider: Provider,
    settings: Settings,
    doors: dict[str, Any],
    claims: dict[str, Any],
    opened: bool,
    in_the_token: bool,
) -> None:
    for name, value in doors.items():
        setattr(settings, name, value)
    provider.userinfo = {"sub": SUBJECT, **({} if in_the_token else claims)}
    response = there_and_back(client, provider, **(claims if in_the_token else {}))
    assert response.status_code == (302 if opened else 403)
    assert client.get(SIGN_UP).status_code == (200 if opened else 302)


@pytest.mark.parametrize("subject", ["person-2", None])
def test_what_is_said_of_another_person_opens_nothing(
    client: Client, provider: Provider, settings: Settings, subject: str | None
) -> None:
    settings.OIDC_GROUP = ("groups", "staff")
    provider.userinfo = {"sub": subject, "groups": ["staff"]}
    assert there_and_back(client, provider).status_code == 400


def test_where_invitations_are_not_for_the_provider_none_is_accepted_through_it(
    client: Client, provider: Provider, settings: Settings
) -> None:
    link = _invitation()
    settings.OIDC_INVITATIONS = False
    assert "/provider/" not in text_of(client.get(link))
    assert client.get(_start_of(link))["Location"] == link


def test_an_invitation_that_was_used_meanwhile_makes_no_second_account(client: Client, provider: Provider) -> None:
    link = _invitation()
    there_and_back(client, provider, _start_of(link))
    Client().post(link, {"username": "first", "password1": PASSWORD, "password2": PASSWORD})
    assert client.post(SIGN_UP, {"username": "second"}).status_code == 410
    assert User.objects.get().username == "first"
    assert not ProviderAccount.objects.exists()


def test_of_two_accounts_made_at_once_by_one_person_there_is_one(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_GROUP = ("groups", "staff")
    there_and_back(other := Client(), provider, groups="staff")
    _made(client, provider, groups="staff")
    response = other.post(SIGN_UP, {"username": "hopper"})
    assert (response.status_code, response.context["why"]) == (403, "taken")
    assert not is_signed_in(other)
    assert User.objects.get().username == "grace"


# Accounts that are there already.


@pytest.mark.parametrize("verified", [True, False])
def test_an_equal_email_address_takes_over_no_account(
    client: Client, provider: Provider, settings: Settings, verified: bool
) -> None:
    settings.OIDC_DOMAINS, settings.OIDC_GROUP = ["example.org"], ("groups", "staff")
    ada = person("ada")
    response = there_and_back(client, provider, email="ADA@example.org", email_verified=verified, groups="staff")
    assert not is_signed_in(client)
    if verified:
        assert (response.status_code, response.context["why"]) == (403, "same-address")
    else:
        client.post(SIGN_UP, {"username": "another"})
        assert User.objects.get(username="another") != ada
    assert provider_account_of(ada) is None


def test_somebody_who_is_signed_in_connects_their_account_with_their_password(
    client: Client, provider: Provider
) -> None:
    user = person()
    sign_in(client)
    assert f'href="{CONNECT}"' in text_of(client.get(ACCOUNT))
    assert there_and_back(client, provider, CONNECT)["Location"] == CONNECTED
    assert provider_account_of(user) is None
    assert client.post(CONNECTED, {"password": "wrong"}).status_code == 422
    assert provider_account_of(user) is None
    client.post(CONNECTED, {"password": PASSWORD})
    assert provider_account_of(user) is not None
    assert mail.outbox[-1].subject == subject_of("provider_connected")
    there_and_back(again := Client(), provider)
    assert is_signed_in(again)


def test_what_was_shown_to_connect_is_good_for_ten_minutes(client: Client, provider: Provider, clock: Clock) -> None:
    user = person()
    sign_in(client)
    there_and_back(client, provider, CONNECT)
    clock.advance(minutes=11)
    client.post(CONNECTED, {"password": PASSWORD})
    assert provider_account_of(user) is None


def test_connecting_begins_anew_after_ten_minutes(client: Client, provider: Provider, clock: Clock) -> None:
    person()
    sign_in(client)
    brought = provider.grant(go_there(client, CONNECT))
    clock.advance(minutes=11)
    assert come_back(client, brought).context["why"] == "stale"


def test_an_account_at_the_provider_signs_in_to_one_account_only(client: Client, provider: Provider) -> None:
    _connected(person("ada"))
    bob = person("bob")
    sign_in(client, "bob")
    response = there_and_back(client, provider, CONNECT)
    assert (response.status_code, response.context["why"]) == (403, "taken")
    # Of two at once the second finds it taken when it is stored.
    with pytest.raises(services.Refused):
        _connected(bob)
    assert provider_account_of(bob) is None


def test_disconnecting_needs_the_password_and_another_way_to_sign_in(client: Client, provider: Provider) -> None:
    user = _connected(person())
    sign_in(client)
    assert client.post(CONNECTED, {"password": "wrong"}).status_code == 422
    client.post(CONNECTED, {"password": PASSWORD})
    assert provider_account_of(user) is None
    assert mail.outbox[-1].subject == subject_of("provider_disconnected")
    assert there_and_back(Client(), provider).status_code == 403


def test_the_only_way_to_sign_in_is_not_taken_away(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_GROUP = ("groups", "staff")
    user = _made(client, provider, groups="staff")
    there_and_back(client, provider, f"{CONFIRM}?next={CONNECTED}", auth_time=int(time.time()))
    assert CONNECTED not in text_of(client.get(ACCOUNT))
    assert client.post(CONNECTED, {"password": ""})["Location"] == ACCOUNT
    assert provider_account_of(user) is not None


# People without a password are asked again by the provider.

SENSITIVE = ["/password/change/", "/account/two-factor/", "/account/two-factor/codes/", "/account/two-factor/off/"]


@pytest.fixture
def _without_password(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_GROUP = ("groups", "staff")
    _made(client, provider, groups="staff")


@pytest.mark.usefixtures("_without_password")
@pytest.mark.parametrize("address", SENSITIVE)
@pytest.mark.parametrize("method", ["get", "post"])
def test_without_a_password_the_provider_asks_again_first(
    client: Client, provider: Provider, address: str, method: str
) -> None:
    response = getattr(client, method)(address)
    assert response["Location"] == f"{CONFIRM}?next={address}"
    asked = provider.asked_for(go_there(client, response["Location"]))
    assert (asked["prompt"], asked["max_age"]) == ("login", "0")


@pytest.mark.usefixtures("_without_password")
def test_somebody_who_was_asked_again_sets_up_two_factor_authentication_and_chooses_a_password(
    client: Client, provider: Provider
) -> None:
    address = "/account/two-factor/"
    response = there_and_back(client, provider, f"{CONFIRM}?next={address}", auth_time=int(time.time()))
    assert response["Location"] == address
    client.get(address)
    assert client.post(address, {"code": "000000"}).status_code == 422
    key = client.session["second_factor_key"]
    assert client.post(address, {"code": app_code(key)}).status_code == 200
    assert SecondFactor.objects.count() == 1
    new = {"new_password1": PASSWORD, "new_password2": PASSWORD}
    assert client.post("/password/change/", new)["Location"] == ACCOUNT
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.usefixtures("_without_password")
@pytest.mark.parametrize(
    "claims",
    [
        {"auth_time": None},
        {"auth_time": 1_000_000_000},
        {"auth_time": "now"},
        {"auth_time": True},
    ],
)
def test_a_provider_that_did_not_ask_again_confirms_nothing(
    client: Client, provider: Provider, claims: dict[str, Any]
) -> None:
    assert there_and_back(client, provider, CONFIRM, **claims).status_code == 400
    assert client.get("/account/two-factor/").status_code == 302


@pytest.mark.usefixtures("_without_password")
def test_another_persons_account_confirms_nothing(client: Client, provider: Provider) -> None:
    response = there_and_back(client, provider, CONFIRM, auth_time=int(time.time()), sub="person-2")
    assert (response.status_code, response.context["why"]) == (403, "another")
    assert client.get("/account/two-factor/").status_code == 302


@pytest.mark.usefixtures("_without_password")
def test_being_asked_again_is_good_for_ten_minutes(client: Client, provider: Provider, clock: Clock) -> None:
    there_and_back(client, provider, CONFIRM, auth_time=int(time.time()))
    assert client.get("/account/two-factor/").status_code == 200
    clock.advance(minutes=11)
    assert client.get("/account/two-factor/").status_code == 302


# Two factors.


def test_without_two_factors_at_the_provider_ours_is_asked_for(client: Client, provider: Provider) -> None:
    user, _ = with_second_factor()
    _connected(user)
    response = there_and_back(client, provider, f"/provider/?next={ACCOUNT}", acr="1", amr=["pwd"])
    assert response["Location"] == CODE
    assert not is_signed_in(client)
    assert client.post(CODE, {"code": code_of(user)})["Location"] == ACCOUNT
    assert is_signed_in(client)


@pytest.mark.parametrize("claims", [{"acr": "https://refeds.org/profile/mfa"}, {"amr": ["pwd", "mfa"]}])
@pytest.mark.parametrize("has_own", [True, False])
def test_two_factors_at_the_provider_are_enough_where_the_operator_accepts_them(
    client: Client, provider: Provider, settings: Settings, claims: dict[str, Any], has_own: bool
) -> None:
    settings.STAFF_SECOND_FACTOR = True
    settings.OIDC_SECOND_FACTOR = ["mfa", "https://refeds.org/profile/mfa"]
    user = with_second_factor(is_staff=True)[0] if has_own else person(is_staff=True)
    _connected(user)
    there_and_back(client, provider, **claims)
    assert is_signed_in(client)
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize(
    "claims", [{}, {"acr": "mfa2"}, {"amr": "mfa"}, {"amr": [["mfa"]]}, {"acr": ["mfa"]}, {"acr": {"mfa": 1}}]
)
def test_staff_without_two_factors_anywhere_set_them_up_first(
    client: Client, provider: Provider, settings: Settings, claims: dict[str, Any]
) -> None:
    settings.STAFF_SECOND_FACTOR = True
    settings.OIDC_SECOND_FACTOR = ["mfa"]
    _connected(person(is_staff=True))
    there_and_back(client, provider, **claims)
    assert client.get("/admin/")["Location"] == "/account/two-factor/"


def test_two_factors_are_asked_for_where_the_provider_knows_the_value(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_SECOND_FACTOR = ["mfa", "gold"]
    assert "acr_values" not in query_of(go_there(client))
    servers._kept.clear()
    provider.metadata = {"acr_values_supported": ["gold", "silver"]}
    assert query_of(go_there(client))["acr_values"] == ["gold"]


def test_tries_that_strangers_spend_neither_stop_the_provider_nor_are_given_back_by_it(
    client: Client, provider: Provider
) -> None:
    _connected(person())
    for _ in range(10):
        sign_in(Client(), password="wrong")
    there_and_back(client, provider)
    assert is_signed_in(client)
    assert sign_in(Client()).status_code == 429


# Keys, and passwords that are closed.


def test_an_earlier_key_still_finds_the_account_and_the_next_sign_in_renews_it(
    client: Client, provider: Provider, settings: Settings
) -> None:
    earlier = settings.SECRET_KEY
    user = _connected(person())
    before = bytes(ProviderAccount.objects.get().subject_hash)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another-key-of-this-server", [earlier]
    there_and_back(client, provider)
    assert is_signed_in(client)
    assert bytes(ProviderAccount.objects.get().subject_hash) != before
    settings.SECRET_KEY_FALLBACKS = []
    there_and_back(again := Client(), provider)
    assert is_signed_in(again)
    # Without the key nobody is found; the owner connects anew, over what is stored.
    settings.SECRET_KEY = "a-third-key-of-this-server"
    assert there_and_back(Client(), provider).status_code == 403
    _connected(user)
    there_and_back(Client(), provider)
    assert ProviderAccount.objects.count() == 1


def test_another_provider_signs_nobody_in_to_accounts_of_the_first(
    client: Client, provider: Provider, settings: Settings
) -> None:
    _connected(person())
    ProviderAccount.objects.update(issuer="https://earlier.example")
    assert there_and_back(client, provider).status_code == 403


def test_where_passwords_are_closed_none_is_taken_asked_for_or_set(
    client: Client, provider: Provider, settings: Settings
) -> None:
    user = _connected(person())
    link = _invitation()
    settings.PASSWORD_SIGN_IN = False
    page = client.get(SIGN_IN)
    assert (page.status_code, 'type="password"' in text_of(page), 'href="/provider/"' in text_of(page)) == (
        200,
        False,
        True,
    )
    assert sign_in(client).status_code == 403
    assert not is_signed_in(client)
    for address in ("/password/reset/", "/password/reset/MQ/x-y/"):
        assert client.get(address).status_code == 404
    assert 'type="password"' not in text_of(client.get(link))
    client.post(link, {"username": "new", "password1": PASSWORD, "password2": PASSWORD})
    assert User.objects.count() == 1
    there_and_back(client, provider)
    assert is_signed_in(client)
    assert client.get("/password/change/").status_code == 404
    # A password that is stored is worth nothing: the provider asks again.
    assert client.get("/account/two-factor/")["Location"].startswith(CONFIRM)
    assert user.has_usable_password()


# Signing out.


@pytest.mark.parametrize(("address", "fields"), [("/sign-out/", {}), ("/account/sign-out/", {"which": "all"})])
def test_signing_out_says_that_the_providers_session_goes_on(
    client: Client, provider: Provider, address: str, fields: dict[str, str]
) -> None:
    _connected(person())
    there_and_back(client, provider)
    assert client.post(address, fields)["Location"] == OUT
    assert f'href="{provider.address}/end?client_id=deniable"' in text_of(client.get(OUT))
    assert not is_signed_in(client)


@pytest.mark.parametrize("end", [None, "javascript:alert(1)", "http://other.example/"])
def test_without_an_address_to_end_it_the_page_names_none(client: Client, provider: Provider, end: str | None) -> None:
    provider.metadata = {"end_session_endpoint": end}
    page = client.get(OUT)
    assert (page.status_code, "noreferrer" in text_of(page)) == (200, False)
    servers._kept.clear()
    provider.status = 500
    assert client.get(OUT).status_code == 200


def test_people_who_signed_in_with_a_password_leave_as_always(client: Client, provider: Provider) -> None:
    _connected(person())
    sign_in(client)
    assert client.post("/sign-out/")["Location"] == "/"


def test_the_sign_in_page_gains_one_button(client: Client, provider: Provider, settings: Settings) -> None:
    page = text_of(client.get(SIGN_IN, {"next": ACCOUNT}))
    assert page.count("/provider/") == 1
    assert f'href="/provider/?next={ACCOUNT}"' in page


def test_a_public_client_shows_no_secret(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_CLIENT_SECRET = ""
    brought = provider.grant(go_there(client))
    assert come_back(client, brought).status_code == 400
    assert provider.forms[-1]["client_id"] == "deniable"
    assert "client_secret" not in provider.forms[-1]


def test_the_secret_goes_in_the_form_where_the_provider_takes_it_only_there(client: Client, provider: Provider) -> None:
    provider.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    come_back(client, provider.grant(go_there(client)))
    assert provider.forms[-1]["client_secret"].startswith("a secret")
