"""Signing in with the provider under attack: nobody gets in by a token, a code or an answer that is not theirs."""

import hmac
import json
import re
import time
from typing import Any

import pytest
from django.test import Client
from joserfc.jwk import ECKey, KeySet, RSAKey
from pytest_django import Settings

from surveys import asgi
from surveys.accounts.services import connections
from surveys.accounts.services import provider as services
from surveys.common import servers
from surveys.models import ProviderAccount, SignIn
from tests.accounts.conftest import Clock
from tests.accounts.people import ACCOUNT, is_signed_in, person
from tests.accounts.provider import (
    BACK,
    CLIENT,
    START,
    Provider,
    come_back,
    go_there,
    provider,
    query_of,
    there_and_back,
)
from tests.accounts.test_pages import missing_headers
from tests.pages import text_of

__all__ = ["provider"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def _connected(provider: Provider) -> None:
    """Ada has connected her account."""
    connections.connect(user=person(), subject_hash=_hash("person-1"))


def _hash(subject: str) -> bytes:
    return connections.subject_hash(services.Identity(subject, {}, ""))


def _claims(provider: Provider, location: str, **changes: Any) -> dict[str, Any]:
    granted = provider.grant(location, **changes)
    return dict(provider.codes[granted["code"]]["claims"])


@pytest.mark.usefixtures("_connected")
def test_an_honest_answer_signs_in_and_leads_where_one_wanted_to_go(client: Client, provider: Provider) -> None:
    response = there_and_back(client, provider, f"{START}?next={ACCOUNT}")
    assert (response.status_code, response["Location"]) == (302, ACCOUNT)
    assert is_signed_in(client)


@pytest.mark.usefixtures("_connected")
@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"aud": "another-client"},
        {"aud": ["another-client"], "azp": CLIENT},
        {"aud": [CLIENT, "another-client"]},
        {"aud": [CLIENT, "another-client"], "azp": "another-client"},
        {"azp": "another-client"},
        {"aud": None},
        {"nonce": "another-browser"},
        {"nonce": None},
        {"exp": int(time.time()) - 120},
        {"exp": float("nan")},
        {"exp": None},
        {"iat": int(time.time()) + 3600},
        {"nbf": int(time.time()) + 3600},
        {"sub": None},
        {"sub": 7},
        {"sub": ""},
        {"sub": ["person-1"]},
    ],
)
def test_a_token_made_for_another_place_browser_or_time_signs_nobody_in(
    client: Client, provider: Provider, claims: dict[str, Any]
) -> None:
    response = there_and_back(client, provider, **claims)
    assert (response.status_code, response.context["why"]) == (400, "unproven")
    assert not is_signed_in(client)


@pytest.mark.usefixtures("_connected")
@pytest.mark.parametrize("audience", [CLIENT, [CLIENT]])
def test_a_token_for_this_server_alone_needs_no_authorized_party(
    client: Client, provider: Provider, audience: object
) -> None:
    there_and_back(client, provider, aud=audience)
    assert is_signed_in(client)


def _by_hand(header: dict[str, Any], claims: dict[str, Any], secret: bytes | None = None) -> str:
    """Return a token that no library would make."""
    text = ".".join(services.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in (header, claims))
    signature = hmac.digest(secret, text.encode(), "sha256") if secret else b""
    return f"{text}.{services.urlsafe_b64encode(signature).decode()}"


@pytest.mark.usefixtures("_connected")
@pytest.mark.parametrize("alg", ["none", "None", "nOnE", ""])
def test_a_token_without_a_signature_signs_nobody_in(client: Client, provider: Provider, alg: str) -> None:
    location = go_there(client)
    provider.token = _by_hand({"alg": alg, "kid": "first"}, _claims(provider, location))
    assert come_back(client, provider.grant(location)).status_code == 400
    assert not is_signed_in(client)


@pytest.mark.usefixtures("_connected")
@pytest.mark.parametrize("published", ["the public key", "a secret"])
def test_nobody_signs_with_what_everybody_knows(client: Client, provider: Provider, published: str) -> None:
    """Whoever knows the public key could make tokens, if it was taken for the secret of HS256."""
    public = RSAKey.generate_key(2048, {"kid": "first"})
    secret = public.as_pem(private=False)
    as_secret = {"kty": "oct", "kid": "first", "k": services.urlsafe_b64encode(secret).decode()}
    provider.published = {"keys": [as_secret if published == "a secret" else public.as_dict(private=False)]}
    location = go_there(client)
    provider.token = _by_hand({"alg": "HS256", "kid": "first"}, _claims(provider, location), secret)
    assert come_back(client, provider.grant(location)).status_code == 400
    assert not is_signed_in(client)


@pytest.mark.usefixtures("_connected")
def test_a_key_that_is_not_the_providers_signs_nobody_in(client: Client, provider: Provider) -> None:
    provider.published = dict(KeySet([provider.key]).as_dict(private=False))
    provider.key = ECKey.generate_key("P-256", {"kid": "first"})
    assert there_and_back(client, provider).status_code == 400
    assert not is_signed_in(client)


@pytest.mark.usefixtures("_connected")
def test_keys_that_were_changed_are_read_again_once(client: Client, provider: Provider) -> None:
    there_and_back(Client(), provider)
    assert provider.asked.count("/keys") == 1
    there_and_back(Client(), provider)
    assert provider.asked.count("/keys") == 1
    provider.key = ECKey.generate_key("P-256", {"kid": "second"})
    there_and_back(client, provider)
    assert is_signed_in(client)
    assert provider.asked.count("/keys") == 2


@pytest.mark.usefixtures("_connected")
def test_a_key_that_nobody_publishes_is_looked_for_once_and_not_for_ever(client: Client, provider: Provider) -> None:
    provider.header = {"kid": "nobody's"}
    assert there_and_back(client, provider).status_code == 400
    assert provider.asked.count("/keys") == 2


# The browser that comes back is the one that went.


@pytest.mark.usefixtures("_connected")
@pytest.mark.parametrize("state", [None, "", "guessed"])
def test_an_answer_without_the_browsers_own_state_signs_nobody_in(
    client: Client, provider: Provider, state: str | None
) -> None:
    brought = provider.grant(go_there(client))
    changed = {name: value for name, value in (brought | {"state": state}).items() if value is not None}
    response = come_back(client, changed)
    assert (response.status_code, response.context["why"]) == (400, "stale")
    # The code was shown to nobody, and the browser's own answer is still good.
    assert "/token" not in provider.asked
    come_back(client, brought)
    assert is_signed_in(client)


@pytest.mark.usefixtures("_connected")
def test_nobody_is_signed_in_to_the_account_of_somebody_else_who_sends_them_back(provider: Provider) -> None:
    """A stranger begins in their own browser, and lets another one come back with their code."""
    brought = provider.grant(go_there(Client()))
    for victim in (Client(), begun := Client()):
        if victim is begun:
            go_there(victim)
        assert come_back(victim, brought).status_code == 400
        assert not is_signed_in(victim)


@pytest.mark.usefixtures("_connected")
def test_the_same_answer_is_good_once(client: Client, provider: Provider) -> None:
    brought = provider.grant(go_there(client))
    kept = client.cookies["sessionid"].value
    come_back(client, brought)
    assert is_signed_in(client)
    again = Client()
    again.cookies["sessionid"] = kept
    for replaying in (client, again):
        assert come_back(replaying, brought).status_code == 400
    assert not is_signed_in(again)
    assert provider.asked.count("/token") == 1


@pytest.mark.usefixtures("_connected")
def test_an_answer_that_proved_nothing_is_looked_at_once(client: Client, provider: Provider) -> None:
    brought = provider.grant(go_there(client), nonce="wrong")
    assert [come_back(client, brought).context["why"] for _ in range(2)] == ["unproven", "stale"]
    assert provider.asked.count("/token") == 1


@pytest.mark.usefixtures("_connected")
def test_a_code_that_was_used_signs_nobody_in(client: Client, provider: Provider) -> None:
    location = go_there(client)
    brought = provider.grant(location)
    provider.codes.clear()
    assert come_back(client, brought).status_code == 400
    assert not is_signed_in(client)


@pytest.mark.usefixtures("_connected")
def test_the_code_of_another_browser_is_worth_nothing(client: Client, provider: Provider) -> None:
    """PKCE: a stolen code needs the secret of the browser that began."""
    stolen = provider.grant(go_there(Client()))
    own = provider.asked_for(go_there(client))
    assert come_back(client, stolen | {"state": own["state"]}).status_code == 400
    assert not is_signed_in(client)


@pytest.mark.usefixtures("_connected")
def test_an_answer_is_good_for_ten_minutes(client: Client, provider: Provider, clock: Clock) -> None:
    brought = provider.grant(go_there(client))
    clock.advance(minutes=11)
    assert come_back(client, brought).status_code == 400
    assert "/token" not in provider.asked


@pytest.mark.usefixtures("_connected")
@pytest.mark.parametrize("iss", ["https://other.example", "", None])
def test_an_answer_of_another_issuer_is_refused_before_its_code_is_shown_to_anybody(
    client: Client, provider: Provider, iss: str | None
) -> None:
    brought = provider.grant(go_there(client))
    changed = {name: value for name, value in (brought | {"iss": iss}).items() if value is not None}
    response = come_back(client, changed)
    assert (response.status_code, response.context["why"]) == (400, "unproven")
    assert "/token" not in provider.asked


@pytest.mark.usefixtures("_connected")
def test_a_provider_that_does_not_name_itself_in_answers_need_not(client: Client, provider: Provider) -> None:
    provider.metadata = {"authorization_response_iss_parameter_supported": False}
    brought = provider.grant(go_there(client))
    del brought["iss"]
    come_back(client, brought)
    assert is_signed_in(client)


@pytest.mark.usefixtures("_connected")
def test_an_error_of_the_provider_is_no_sign_in(client: Client, provider: Provider) -> None:
    state = provider.asked_for(go_there(client))["state"]
    brought = {"error": "access_denied", "error_description": "<b>", "state": state, "iss": provider.address}
    response = come_back(client, brought)
    assert (response.status_code, response.context["why"]) == (403, "declined")
    assert "<b>" not in text_of(response)


@pytest.mark.usefixtures("_connected")
@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "///evil.example"]
)
def test_nobody_is_sent_to_another_site(client: Client, provider: Provider, address: str) -> None:
    response = there_and_back(client, provider, f"{START}?next={address}")
    assert response["Location"] == "/surveys/"
    assert client.get(f"{START}?next={address}")["Location"] == "/surveys/"


@pytest.mark.usefixtures("_connected")
def test_the_session_of_before_is_not_the_session_of_after(client: Client, provider: Provider) -> None:
    planted = client.session
    planted["planted"] = "by somebody else"
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    there_and_back(client, provider)
    assert client.cookies["sessionid"].value != planted.session_key
    assert "planted" not in client.session
    assert SignIn.objects.get().user is not None


@pytest.mark.usefixtures("_connected")
def test_a_deactivated_account_is_refused_as_one_that_nobody_has(provider: Provider) -> None:
    known, unknown = Client(), Client()
    ada = ProviderAccount.objects.get().user
    ada.is_active = False
    ada.save()
    pages = [there_and_back(known, provider), there_and_back(unknown, provider, sub="nobody")]
    assert [(page.status_code, page.context["why"]) for page in pages] == [(403, "no-account")] * 2
    # Of the page of a language that one may go on to, the address has what the browser came with.
    assert len({re.sub(r'name="next" value="[^"]+"', "", text_of(page)) for page in pages}) == 1
    assert not is_signed_in(known)


# The provider itself, and what stands between.


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://other.example"},
        {"token_endpoint": "http://other.example/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": None},
    ],
)
def test_a_provider_that_is_another_or_without_https_is_not_used(
    client: Client, provider: Provider, metadata: dict[str, Any]
) -> None:
    provider.metadata = metadata
    response = client.get(START)
    assert (response.status_code, response.context["why"]) == (503, "away")


@pytest.mark.parametrize("body", [b"", b"[]", b"[" * 100_000, b"\xff", b'{"a": "' + b"x" * 300_000 + b'"}'])
def test_what_is_no_document_or_too_long_is_no_answer(client: Client, provider: Provider, body: bytes) -> None:
    provider.body = body
    assert client.get(START).status_code == 503


def test_a_provider_that_is_away_is_left_alone_for_ten_seconds(client: Client, provider: Provider) -> None:
    provider.status = 500
    for _ in range(3):
        assert client.get(START).status_code == 503
    assert len(provider.asked) == 1


def test_no_redirect_is_followed(client: Client, provider: Provider) -> None:
    provider.status = 302
    assert client.get(START).status_code == 503
    assert len(provider.asked) == 1


def test_a_slow_provider_is_given_up(
    client: Client, provider: Provider, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_SECONDS_FOR_ALL", 0)
    assert client.get(START).status_code == 503


@pytest.mark.usefixtures("_connected")
def test_a_request_is_pushed_where_the_provider_requires_it(client: Client, provider: Provider) -> None:
    """The browser then carries neither what is asked for nor the state."""
    provider.metadata = {
        "require_pushed_authorization_requests": True,
        "pushed_authorization_request_endpoint": f"{provider.address}/pushed",
    }
    location = go_there(client)
    assert set(query_of(location)) == {"client_id", "request_uri"}
    come_back(client, provider.grant(location))
    assert is_signed_in(client)


def test_a_provider_that_lists_nothing_is_asked_for_nothing_special(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_SECOND_FACTOR = ["mfa"]
    provider.metadata = {"acr_values_supported": 5, "token_endpoint_auth_methods_supported": None}
    assert come_back(client, provider.grant(go_there(client))).status_code == 403


def test_a_provider_that_requires_pushed_requests_and_takes_none_is_away(client: Client, provider: Provider) -> None:
    provider.metadata = {"require_pushed_authorization_requests": True}
    assert client.get(START).status_code == 503


@pytest.mark.usefixtures("_connected")
def test_nothing_that_the_provider_says_reaches_the_log(
    client: Client, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    there_and_back(client, provider, nonce="wrong", email="ada@example.org", name="Ada Lovelace")
    there_and_back(client, provider, sub="person-2", email="ada@example.org")
    state = provider.asked_for(go_there(client))["state"]
    come_back(client, {"error": "person-3 said no", "state": state, "iss": provider.address})
    assert "the token does not hold" in caplog.text
    assert [word for word in ("ada", "Ada", "person-", "access", "code-") if word in caplog.text] == []


def test_without_a_provider_there_are_no_pages_of_it(client: Client) -> None:
    client.force_login(person())
    for path in ("", "back/", "sign-up/", "sign-up/X/", "connect/", "confirm/", "signed-out/", "account/"):
        assert client.get(f"/provider/{path}").status_code == 404
    assert BACK not in text_of(Client().get("/sign-in/"))


def test_nobody_waits_behind_those_who_wait_for_the_provider() -> None:
    waiting = {asgi._threads_for("GET", f"/provider/{path}") for path in ("", "back/", "signed-out/")}
    assert waiting == {asgi._provider_threads}
    assert asgi._threads_for("GET", "/sign-in/") is not asgi._provider_threads


def test_every_page_of_the_provider_carries_the_headers_and_is_kept_nowhere(client: Client, provider: Provider) -> None:
    pages = [
        client.get(f"/provider/{path}") for path in ("", "back/", "sign-up/", "signed-out/", "account/", "connect/")
    ]
    client.force_login(person())
    pages += [client.get(f"/provider/{path}") for path in ("account/", "connect/", "confirm/")]
    assert [missing for page in pages if (missing := missing_headers(page))] == []
