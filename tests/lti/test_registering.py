"""Registering a platform: by hand in the admin, and by a link that the platform opens."""

import re
import socket
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from surveys.common import servers
from surveys.lti.services import registering
from surveys.models import CoursePlatform
from tests.accounts.conftest import Clock, clock
from tests.factories import make_admin, make_user
from tests.lti.platform import (
    CLIENT,
    DEPLOYMENT,
    HERE,
    KEYS,
    LAUNCH,
    LOGIN,
    SCORE,
    TOOL,
    Platform,
    launch,
    platform,
)
from tests.pages import client_of, text_of

__all__ = ["clock", "platform"]

pytestmark = pytest.mark.django_db
LIST = "/admin/surveys/courseplatform/"


def _link(admin: Client) -> str:
    """Make a link as an admin does."""
    page = text_of(admin.post(f"{LIST}link/"))
    (link,) = re.findall(rf"<code>{HERE}([^<]+)</code>", page)
    return link


@pytest.fixture
def link() -> str:
    return _link(client_of(make_admin()))


def _open(client: Client, link: str, platform: Platform, **query: str) -> HttpResponse:
    asked = {"openid_configuration": f"{platform.address}/config", "registration_token": "once", **query}
    return client.get(link, asked)


# By a link.


def test_a_platform_registers_itself_by_a_link(client: Client, platform: Platform, link: str) -> None:
    response = _open(client, link, platform)
    assert (response.status_code, response.context["outcome"]) == (200, "registered")
    row = CoursePlatform.objects.get()
    assert (row.name, row.issuer, row.client_id, row.deployment_ids) == (
        "127.0.0.1", platform.address, CLIENT, DEPLOYMENT,
    )  # fmt: skip
    assert (row.login_address, row.token_address, row.keys_address) == tuple(
        f"{platform.address}/{name}" for name in ("login", "token", "keys")
    )
    ((authorization, sent),) = platform.registered
    assert (authorization, platform.configured_with) == ("Bearer once", "Bearer once")
    assert len(client.get(KEYS).json()["keys"]) == 1
    assert sent == {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "initiate_login_uri": HERE + LOGIN,
        "redirect_uris": [HERE + LAUNCH],
        "client_name": "Deniable",
        "jwks_uri": HERE + KEYS,
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": SCORE,
        TOOL: {
            "domain": "testserver",
            "target_link_uri": HERE + LAUNCH,
            "claims": ["iss", "sub"],
            "messages": [
                {"type": "LtiResourceLinkRequest"},
                {
                    "type": "LtiDeepLinkingRequest",
                    "target_link_uri": HERE + LAUNCH,
                    "label": "Deniable",
                    "placements": ["assignment_selection"],
                },
            ],
        },
    }
    # It is known now: what is wrong with its launch is another thing.
    assert launch(client, platform).context["why"] == "no-survey"


def test_the_page_can_tell_the_window_that_opened_it_and_do_nothing_else(
    client: Client, platform: Platform, link: str
) -> None:
    response = _open(client, link, platform)
    policy = response["Content-Security-Policy"].split("; ")
    assert {"frame-ancestors *", "form-action 'none'", "connect-src 'none'", "script-src 'self'"} <= set(policy)
    assert "X-Frame-Options" not in response
    assert response["Cross-Origin-Opener-Policy"] == "unsafe-none"
    assert "no-store" in response["Cache-Control"]
    assert b"<form" not in response.content
    assert b"js/close.js" in response.content


def test_a_link_works_once_whatever_came_of_it(client: Client, platform: Platform, link: str) -> None:
    platform.status = 500
    assert _open(client, link, platform).status_code == 400
    platform.status = 200
    response = _open(client, link, platform)
    assert (response.status_code, response.context["outcome"]) == (410, "expired")
    assert (platform.asked, CoursePlatform.objects.count()) == (["/config"], 0)


def test_a_link_works_for_an_hour(client: Client, platform: Platform, clock: Clock) -> None:
    link = _link(client_of(make_admin()))
    clock.advance(minutes=61)
    assert _open(client, link, platform).status_code == 410
    for made_up in ("x", "a:b:c", registering.signing.dumps("x", salt="another")):
        assert _open(client, f"/lti/register/{made_up}/", platform).status_code == 410
    assert platform.asked == []


def test_a_platform_without_a_deployment_is_told_apart(client: Client, platform: Platform, link: str) -> None:
    platform.registration = {"client_id": CLIENT}
    assert _open(client, link, platform).context["deployments"] == ""
    assert CoursePlatform.objects.get().deployment_ids == ""
    assert launch(client, platform).context["why"] == "unknown"


def test_a_platform_may_have_an_issuer_of_another_host(client: Client, platform: Platform, link: str) -> None:
    platform.configuration = {"issuer": "https://canvas.example.org"}
    assert _open(client, link, platform).status_code == 200
    row = CoursePlatform.objects.get()
    assert (row.name, row.issuer) == ("127.0.0.1", "https://canvas.example.org")


def test_without_a_token_none_is_sent(client: Client, platform: Platform, link: str) -> None:
    _open(client, link, platform, registration_token="")
    assert platform.registered[0][0] == ""


@pytest.mark.parametrize(
    "configuration",
    [
        {"issuer": "http://other.example"},
        {"issuer": None},
        {"issuer": 7},
        {"authorization_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "http://other.example/"},
        {"jwks_uri": ["x"]},
        {"registration_endpoint": None},
        {"registration_endpoint": "http://other.example/"},
        {"token_endpoint": "https://example.org/" + "x" * 500},
    ],
)
def test_a_platform_that_does_not_say_who_it_is_is_not_registered(
    client: Client, platform: Platform, link: str, configuration: dict[str, Any]
) -> None:
    platform.configuration = configuration
    assert _open(client, link, platform).status_code == 400
    assert not CoursePlatform.objects.exists()


@pytest.mark.parametrize(
    "registration", [{}, {"client_id": 7}, {"client_id": ""}, {"client_id": "x" * 256}, {"client_id": "a\0b"}]
)
def test_a_platform_that_does_not_take_the_tool_is_not_registered(
    client: Client, platform: Platform, link: str, registration: dict[str, Any]
) -> None:
    platform.registration = registration
    assert _open(client, link, platform).status_code == 400
    assert not CoursePlatform.objects.exists()


def test_a_platform_is_registered_once(client: Client, platform: Platform, link: str) -> None:
    platform.row()
    assert _open(client, link, platform).status_code == 400
    assert CoursePlatform.objects.count() == 1


@pytest.mark.parametrize("token", ["a\r\nX-Evil: 1", "ä", "a\0"])
def test_a_token_that_is_no_header_is_not_sent(client: Client, platform: Platform, link: str, token: str) -> None:
    _open(client, link, platform, registration_token=token)
    assert platform.registered[0][0] == ""


# Where such a link may lead.


@pytest.mark.parametrize(
    "address",
    [
        "",
        "x",
        "file:///etc/passwd",
        "http://example.org/config",
        "ftp://example.org/",
        "https://",
        "https://[",
        "//x/y",
    ],
)
def test_what_is_no_safe_address_is_not_asked(
    client: Client, platform: Platform, link: str, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert _open(client, link, platform, openid_configuration=address).status_code == 400
    assert "A platform was not registered" in caplog.text


_PRIVATE = ("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",  # noqa: S104
            "::1", "fe80::1", "fd00::1", "::ffff:10.0.0.1")  # fmt: skip


def _found(*numbers: str) -> Callable[..., object]:
    return lambda *_args, **_what: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, 443)) for number in numbers]


@pytest.mark.parametrize("number", _PRIVATE)
def test_an_address_of_a_network_of_its_own_is_not_asked(
    client: Client, link: str, settings: Settings, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    """Whoever opens the link sees nothing of what it answers, but even the question is not theirs to ask."""
    settings.LOCAL_DEMO = False
    asked: list[str] = []
    monkeypatch.setattr(registering, "open_address", lambda address, **_what: asked.append(address))
    monkeypatch.setattr(socket, "getaddrinfo", _found("93.184.216.34", number))
    assert not servers.is_public("https://intranet.example.org/")
    assert client.get(link, {"openid_configuration": "https://intranet.example.org/"}).status_code == 400
    assert asked == []


def test_nor_one_that_the_configuration_names(
    client: Client, platform: Platform, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registering, "_require_public", lambda address: _refuse() if "intranet" in address else None)
    for name in ("token_endpoint", "jwks_uri", "registration_endpoint"):
        platform.configuration = {name: "https://intranet.example.org/"}
        assert _open(client, _link(client_of(make_user(is_staff=True, is_superuser=True))), platform).status_code == 400
    assert (platform.registered, CoursePlatform.objects.count()) == ([], 0)
    platform.configuration = {}
    assert _open(client, link, platform).status_code == 200


def _refuse() -> None:
    raise registering.NotRegistered("not public")


def test_a_public_address_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", _found("93.184.216.34", "2606:2800:220:1::1"))
    assert servers.is_public("https://example.org/")
    monkeypatch.setattr(socket, "getaddrinfo", _no_such_name)
    assert not servers.is_public("https://example.org/")


def _no_such_name(*_args: object, **_what: object) -> None:
    raise socket.gaierror


@pytest.mark.parametrize("body", [b"", b"[]", b"x" * 300_000, b"[" * 100_000])
def test_whatever_it_answers_it_is_only_refused(client: Client, platform: Platform, link: str, body: bytes) -> None:
    platform.body = body
    assert _open(client, link, platform).status_code == 400


def test_no_redirect_is_followed_for_a_configuration(client: Client, platform: Platform, link: str) -> None:
    platform.status = 302
    assert _open(client, link, platform).status_code == 400
    assert platform.asked == ["/config"]


# By hand.


def _described(platform: Platform, **changes: str) -> dict[str, str]:
    return {
        "name": "Moodle",
        "issuer": platform.address,
        "client_id": CLIENT,
        "deployment_ids": "1\n2",
        "login_address": f"{platform.address}/login",
        "token_address": f"{platform.address}/token",
        "keys_address": f"{platform.address}/keys",
        **changes,
    }


def test_an_admin_enters_a_platform_and_reads_what_to_tell_it(platform: Platform) -> None:
    admin = client_of(make_admin())
    page = admin.get(f"{LIST}add/")
    for address in (LOGIN, LAUNCH, KEYS):
        assert f"<code>{HERE}{address}</code>" in text_of(page)
    assert admin.post(f"{LIST}add/", _described(platform)).status_code == 302
    row = CoursePlatform.objects.get()
    assert len(Client().get(KEYS).json()["keys"]) == 1
    assert f"<code>{HERE}{LOGIN}</code>" in text_of(admin.get(f"{LIST}{row.pk}/change/"))
    assert row.name in text_of(admin.get(LIST))


@pytest.mark.parametrize("field", ["issuer", "login_address", "token_address", "keys_address"])
@pytest.mark.parametrize("address", ["", "http://moodle.example.org/x", "ftp://moodle.example.org/"])
def test_an_address_without_https_is_refused_in_its_field(platform: Platform, field: str, address: str) -> None:
    page = client_of(make_admin()).post(f"{LIST}add/", _described(platform, **{field: address}))
    assert list(page.context["adminform"].form.errors) == [field]
    assert not CoursePlatform.objects.exists()


def test_only_who_may_add_platforms_makes_links(platform: Platform) -> None:
    clerk = make_user(is_staff=True)
    client = client_of(clerk)
    assert client.post(f"{LIST}link/").status_code == 403
    assert client.get(LIST).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="add_courseplatform"))
    assert client.post(f"{LIST}link/").status_code == 200
    assert client.get(f"{LIST}link/").status_code == 405
    for stranger in (Client(), client_of(make_user())):
        assert stranger.post(f"{LIST}link/").status_code in {302, 403}
