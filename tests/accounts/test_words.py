"""What mails and pages say to protect an account, word for word, each of it once."""

import pytest
from django.template.loader import render_to_string
from django.test import Client

from tests.accounts.people import person, sign_in
from tests.pages import said_on, text_of

CONTEXT = {"username": "ada", "days": 7, "left": 6, "link": "LINK"}
MAILS = [
    (
        "code_refused",
        "For the account ada somebody gave the right password and then three wrong codes. They did not get in.",
    ),
    ("code_refused", "If this wasn’t you, someone knows your password. Reset it by email."),
    ("invitation", "This link is good once, for 7 days:"),
    ("password_changed", "The password of the account ada was changed just now, and its other sign-ins were ended."),
    (
        "recovery_used",
        "A recovery code of the account ada was used just now, in the place of a code of your app.",
    ),
    ("reset", "This link does it; it is good once, for one hour:"),
    ("second_factor_off", "From now on the password alone opens the account ada. The recovery codes are destroyed."),
    ("sign_up", "This link makes it; it is good once, for one day:"),
    ("sign_up_taken", "It has one already."),
    ("sign_up_taken", "Whoever asked has learned nothing."),
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
