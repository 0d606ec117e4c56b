"""What mails and pages say to protect an account, word for word, each of it once."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from tests.accounts.people import person, sign_in
from tests.pages import said_on, text_of

CONTEXT = {"username": "ada", "days": 7, "left": 6, "link": "LINK", "provider": "the university"}
MAILS = [
    (
        "code_refused",
        "Someone entered the right password for the account ada, then three wrong codes. The sign-in failed.",
    ),
    ("code_refused", "If this wasn’t you, someone else knows your password. Reset it by email."),
    ("invitation", "You are invited to create an account for surveys on sensitive topics. You can use this link once,"),
    (
        "password_changed",
        "The password of the account ada has just been changed, and the account’s other sessions have ended.",
    ),
    (
        "provider_connected",
        "The account ada has just been connected to an account at the university, which can now be used to sign in.",
    ),
    (
        "provider_disconnected",
        "The account ada has just been disconnected from the university. From now on, only its password is used to",
    ),
    (
        "recovery_used",
        "A recovery code of the account ada has just been used instead of a code from your app.",
    ),
    ("reset", "Someone, probably you, wants to reset the password of the account"),
    (
        "second_factor_off",
        "From now on, a password is enough to sign in to the account ada. The account’s recovery codes have",
    ),
    (
        "sign_up",
        "Someone, probably you, requested an account with this email address. You can use this link once, within one "
        "day, to create the account:",
    ),
    (
        "sign_up_taken",
        "Someone, probably you, requested an account with this email address, but you already have one. Forgotten",
    ),
    (
        "token_made",
        "The account ada has just created an access token, with which a program can download the exports of the survey",
    ),
    ("token_made", "If this wasn’t you, change your password at once. This ends all of your access tokens and"),
    (
        "sign_up_taken",
        "If this wasn’t you, you can ignore this email. The person who made the request was not shown that you have "
        "an account.",
    ),
]


@pytest.mark.parametrize(("name", "sentence"), MAILS)
def test_a_mail_says_what_happened_or_how_long_its_link_is_good(name: str, sentence: str) -> None:
    assert sentence in " ".join(render_to_string(f"accounts/mail/{name}.txt", CONTEXT).split())


def test_of_too_many_tries_a_page_says_how_long_to_wait(client: Client, db: None) -> None:
    person()
    for _ in range(10):
        sign_in(Client(), password="wrong")
    page = said_on(text_of(sign_in(client)))
    assert "Too many attempts to sign in with this username." in page


PAGES = [
    (
        "signed_out",
        {},
        "You may still be signed in to the university. Then anyone who uses this browser can sign in as",
    ),
    ("provider_account", {}, "Anyone who can sign in to your account at the university can then sign in here."),
    ("provider_account", {}, "From the university, we store only a code that stands for your account there, not your"),
    ("provider_sign_up", {}, "From the university, we store only a code that stands for your account there, not your"),
    ("provider_refused", {"why": "same-address"}, "Sign in with its password, then connect it on your account page."),
]


@pytest.mark.parametrize(("name", "context", "sentence"), PAGES)
def test_a_page_of_the_provider_says_what_is_stored_and_who_can_sign_in(
    rf: RequestFactory, name: str, context: dict[str, str], sentence: str
) -> None:
    request = rf.get("/")
    request.user = AnonymousUser()
    page = render_to_string(f"accounts/{name}.html", {**context, "provider": "the university"}, request)
    assert sentence in said_on(page)
