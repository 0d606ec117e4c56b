"""Signing in with a certified provider, which is another project's idea of the protocol."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from surveys.accounts.services.sign_up import invite_instructor
from surveys.models import ProviderAccount
from surveys.upkeep.selectors.diagnosis import Grade, _provider
from tests.accounts.certified import HOME, SECRET, Certified, Visitor, certified
from tests.accounts.people import ACCOUNT, is_signed_in, link_in_mail
from tests.accounts.provider import come_back, go_there
from tests.pages import text_of

__all__ = ["certified"]

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]


@pytest.fixture(autouse=True)
def _settings(certified: Certified, settings: Settings) -> None:
    settings.OIDC_ISSUER, settings.OIDC_NAME = certified.plain, "the university"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET, settings.SITE_ADDRESS = "deniable", SECRET, HOME
    settings.OIDC_DOMAINS = ["university.example"]


def _signed_in(name: str, start: str = "/provider/", visitor: Visitor | None = None) -> Client:
    client = Client()
    brought = (visitor or Visitor()).sign_in(go_there(client, start), name)
    assert come_back(client, brought).status_code == 302
    return client


def _new(name: str) -> Client:
    client = _signed_in(name)
    client.post("/provider/sign-up/", {"username": name})
    assert is_signed_in(client)
    return client


def test_a_person_of_the_domain_makes_an_account_and_comes_back_to_it() -> None:
    """This provider says the email address only when it is asked for it."""
    _new("grace")
    assert is_signed_in(_signed_in("grace"))
    assert not is_signed_in(_signed_in("another"))
    assert User.objects.get().email == ""


def test_an_invitation_is_accepted_through_it() -> None:
    invite_instructor(email="ada@example.org")
    client = _signed_in("ada", link_in_mail().replace("/sign-up/", "/provider/sign-up/"))
    client.post("/provider/sign-up/", {"username": "ada"})
    assert is_signed_in(client)
    assert User.objects.get().email == "ada@example.org"


def test_a_provider_that_takes_only_pushed_requests_gets_them(certified: Certified, settings: Settings) -> None:
    settings.OIDC_ISSUER = certified.pushed
    _new("grace")
    assert is_signed_in(_signed_in("grace"))
    assert ProviderAccount.objects.get().issuer == certified.pushed


def test_somebody_without_a_password_is_asked_again_by_it() -> None:
    visitor = Visitor()
    client = _signed_in("grace", visitor=visitor)
    client.post("/provider/sign-up/", {"username": "grace"})
    location = go_there(client, f"/provider/confirm/?next={ACCOUNT}two-factor/")
    assert 'name="password"' in visitor.read(location)
    brought = visitor.sign_in(location, "grace")
    assert come_back(client, brought)["Location"] == f"{ACCOUNT}two-factor/"
    assert client.get(f"{ACCOUNT}two-factor/").status_code == 200


def test_who_declines_there_is_not_signed_in() -> None:
    client = Client()
    response = come_back(client, Visitor().decline(go_there(client)))
    assert (response.status_code, response.context["why"]) == (403, "declined")


def test_an_answer_of_it_is_good_once() -> None:
    client = Client()
    brought = Visitor().sign_in(go_there(client), "grace")
    assert come_back(client, brought).status_code == 302
    assert come_back(client, brought).status_code == 400


def test_the_link_after_signing_out_leads_to_where_its_session_ends() -> None:
    visitor = Visitor()
    client = _new("grace")
    page = text_of(client.get(client.post("/sign-out/")["Location"]))
    address = re.search(r'rel="noreferrer" href="([^"]+)"', page)
    assert address
    assert "logout" in visitor.read(address[1])


def test_the_doctor_finds_it_sound() -> None:
    assert [grade for grade, _ in _provider()] == [Grade.SOUND]


@pytest.mark.parametrize(
    ("name", "value", "grade"),
    [
        ("SITE_ADDRESS", "https://another.example.org", Grade.WRONG),
        ("OIDC_CLIENT_ID", "nobody", Grade.WRONG),
        ("OIDC_ISSUER", "http://127.0.0.1:9", Grade.WRONG),
    ],
)
def test_the_doctor_finds_what_it_does_not_know(settings: Settings, name: str, value: str, grade: Grade) -> None:
    setattr(settings, name, value)
    assert [found for found, _ in _provider()] == [grade]
