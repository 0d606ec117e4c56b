"""What every page of accounts has in common: headers, who may come by which method, what password managers read."""

import re
from collections.abc import Callable

import pytest
from django.http.response import HttpResponseBase
from django.test import Client

from surveys.accounts.services.sign_up import invite_instructor
from tests.accounts.people import code_of, link_in_mail, person, sign_in, with_second_factor
from tests.pages import client_of, text_of
from tests.security.test_headers import DIRECTIVES, EXPECTED

pytestmark = pytest.mark.django_db


def _stranger() -> Client:
    return Client()


def _member() -> Client:
    return client_of(person("bob"))


def _half_way() -> Client:
    with_second_factor("cleo")
    sign_in(client := Client(), "cleo")
    return client


def _with_second_factor() -> Client:
    user, _ = with_second_factor("dora")
    sign_in(client := Client(), "dora")
    client.post("/sign-in/code/", {"code": code_of(user)})
    return client


PAGES: list[tuple[str, Callable[[], Client], int]] = [
    ("/sign-in/", _stranger, 200),
    ("/sign-in/code/", _half_way, 200),
    ("/sign-in/code/", _stranger, 302),
    ("/sign-up/", _stranger, 403),
    ("/sign-up/sent/", _stranger, 200),
    ("/sign-up/AAAA/", _stranger, 410),
    ("{invitation}", _stranger, 200),
    ("/password/reset/", _stranger, 200),
    ("/password/reset/sent/", _stranger, 200),
    ("/password/reset/MQ/x-y/", _stranger, 410),
    ("{reset}", _stranger, 302),
    ("/password/change/", _member, 200),
    ("/password/change/", _stranger, 302),
    ("/account/", _member, 200),
    ("/account/", _stranger, 302),
    ("/account/sign-out/", _member, 405),
    ("/account/two-factor/", _member, 200),
    ("/account/two-factor/", _with_second_factor, 200),
    ("/account/two-factor/codes/", _with_second_factor, 200),
    ("/account/two-factor/codes/", _member, 302),
    ("/account/two-factor/off/", _with_second_factor, 200),
    ("/account/two-factor/off/", _stranger, 302),
    ("/admin/login/", _stranger, 302),
    ("/admin/login/", _member, 403),
]


def _address(template: str) -> str:
    if template == "{invitation}":
        invite_instructor(email="grace@example.org")
        return link_in_mail()
    if template == "{reset}":
        person("eve")
        Client().post("/password/reset/", {"email": "eve@example.org"})
        return link_in_mail()
    return template


def missing_headers(response: HttpResponseBase) -> list[str]:
    policy = {part.strip() for part in response["Content-Security-Policy"].split(";")}
    missing = [name for name in EXPECTED if response.get(name) != EXPECTED[name]] + sorted(DIRECTIVES - policy)
    missing += ["unsafe"] if "unsafe" in response["Content-Security-Policy"] else []
    return missing + [part for part in ("no-store", "private") if part not in response.get("Cache-Control", "")]


@pytest.mark.parametrize(("template", "visitor", "status"), PAGES)
def test_every_page_carries_the_headers_and_is_kept_nowhere(
    template: str, visitor: Callable[[], Client], status: int
) -> None:
    client, address = visitor(), _address(template)
    response = client.get(address)
    assert response.status_code == status
    assert missing_headers(response) == []
    assert "style=" not in text_of(response)
    assert "<script" not in text_of(response)


def test_no_page_takes_a_method_that_it_does_not_need() -> None:
    member, stranger = _member(), _stranger()
    pages = {_address(template) for template, _visitor, _status in PAGES if "admin" not in template} - {"/sign-in/"}
    taken = [
        (method, address)
        for address in sorted(pages)
        for method in ("PUT", "PATCH", "DELETE", "OPTIONS")
        if {client.generic(method, address).status_code for client in (member, stranger)} - {302, 405}
    ]
    assert taken == []


@pytest.mark.parametrize(
    "address",
    [
        "/sign-in/",
        "/sign-in/code/",
        "/sign-up/",
        "/password/reset/",
        "/password/change/",
        "/account/sign-out/",
        "/account/two-factor/",
        "/account/two-factor/off/",
    ],
)
def test_no_form_of_another_site_is_accepted(address: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person())
    assert client.post(address, {"which": "all"}).status_code == 403


WANTED = {
    "/sign-in/": (_stranger, {"username": "username", "password": "current-password"}),
    "/sign-in/code/": (_half_way, {"code": "one-time-code", "recovery": "off"}),
    "{invitation}": (
        _stranger,
        {"username": "username", "password1": "new-password", "password2": "new-password"},
    ),
    "/password/reset/": (_stranger, {"email": "email"}),
    "/password/change/": (
        _member,
        {
            "username": "username",
            "password": "current-password",
            "new_password1": "new-password",
            "new_password2": "new-password",
        },
    ),
    "/account/two-factor/": (_member, {"code": "one-time-code", "password": "current-password"}),
    "/account/two-factor/off/": (_with_second_factor, {"code": "one-time-code", "password": "current-password"}),
}


@pytest.mark.parametrize("template", WANTED)
def test_password_managers_and_phones_know_what_each_field_is(template: str) -> None:
    visitor, wanted = WANTED[template]
    page = text_of(visitor().get(_address(template)))
    fields = {
        name[1]: re.search(r'autocomplete="([\w-]+)"', tag)
        for tag in re.findall(r"<input[^>]*>", page)
        if (name := re.search(r'name="(\w+)"', tag)) and 'type="hidden"' not in tag
    }
    assert {name: match[1] if match else None for name, match in fields.items()} == wanted
    # Paste is never in the way: no page has a script, and none a handler.
    assert "onpaste" not in page
    if template in {"/sign-in/code/", "/account/two-factor/"}:
        assert 'inputmode="numeric"' in page


def test_the_sign_in_page_says_the_ways_in(client: Client) -> None:
    page = text_of(client.get("/sign-in/"))
    for address in ("/password/reset/", "/sign-up/"):
        assert f'href="{address}"' in page
