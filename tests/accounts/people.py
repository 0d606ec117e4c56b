"""People with and without a second factor, what they type, and what pages and mails came of it."""

import re
import time
from typing import Any

from django.contrib.auth.models import User
from django.core import mail
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.test import Client
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.accounts.services.credentials import new_recovery_codes
from surveys.models import RecoveryCodes
from tests.factories import PASSWORD, make_user
from tests.pages import text_of

SIGN_IN, CODE, ACCOUNT = "/sign-in/", "/sign-in/code/", "/account/"


def person(username: str = "ada", **fields: Any) -> User:
    return make_user(username, email=f"{username}@example.org", **fields)


def with_second_factor(username: str = "ada", **fields: Any) -> tuple[User, list[str]]:
    """Return somebody with a second factor, and their recovery codes."""
    user = person(username, **fields)
    TOTPDevice.objects.create(user=user, name="app")
    return user, new_recovery_codes(user=user)


def code_of(user: User, steps: int = 0) -> str:
    """Return what the app shows now, or so many steps later."""
    device = TOTPDevice.objects.get(user=user)
    totp = TOTP(device.bin_key, device.step, device.t0, device.digits, device.drift)
    totp.time = time.time() + steps * device.step
    return f"{totp.token():06}"


def app_code(key: str, steps: int = 0) -> str:
    """Return what an app with this secret shows now, or so many steps later."""
    totp = TOTP(bytes.fromhex(key))
    totp.time = time.time() + steps * totp.step
    return f"{totp.token():06}"


def wrong_code(user: User) -> str:
    """Return six digits that the app shows neither now nor a step before or after."""
    near = {code_of(user, steps) for steps in (-1, 0, 1)}
    return next(f"{number:06}" for number in range(10) if f"{number:06}" not in near)


def sign_in(
    client: Client, username: str = "ada", password: str = PASSWORD, *, address: str = "", **headers: Any
) -> HttpResponseBase:
    fields = {"username": username, "password": password, "next": address}
    return client.post(SIGN_IN, fields, **headers)  # type: ignore[return-value]


def is_signed_in(client: Client) -> bool:
    return client.get(ACCOUNT).status_code == 200


def allow_the_next_code(user: User) -> None:
    """Let the wait behind a wrong code be over."""
    for model in (TOTPDevice, RecoveryCodes):
        model.objects.filter(user=user).update(throttling_failure_timestamp=None)


def link_in_mail(number: int = -1) -> str:
    """Return the path of the link in a mail that was sent."""
    link = re.search(r"https?://[\w.:]+(/\S+)", str(mail.outbox[number].body))
    assert link, mail.outbox[number].body
    return link[1]


def subject_of(what: str) -> str:
    """Return the subject of the mails about something, by the name of their template."""
    return (
        render_to_string(f"accounts/mail/{what}.txt", {"left": 1, "days": 1, "provider": "the university"})
        .strip()
        .splitlines()[0]
    )


def blamed(response: HttpResponseBase) -> list[str]:
    """Return the names of the fields that a page says something is wrong with, in their order."""
    problems = response.context["problems"]  # type: ignore[attr-defined]
    return [problem.field_id.removeprefix("id_") for problem in problems]


def plain(response: HttpResponseBase) -> str:
    """The page without what is new in every answer."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text_of(response))
