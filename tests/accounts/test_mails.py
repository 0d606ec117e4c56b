"""Emails: in the visitor's language, plain, kept while the answer goes out, and configured by one variable."""

import logging
import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from surveys.accounts.services import mails
from surveys.accounts.services.mails import tell
from surveys.accounts.services.sign_up import invite_instructor
from surveys.environment import mailer, site_address
from surveys.models import WaitingMail
from surveys.settings import _without_address
from tests.accounts.people import person

pytestmark = pytest.mark.django_db

TEMPLATES = (
    "invitation",
    "sign_up",
    "sign_up_taken",
    "reset",
    "password_changed",
    "second_factor_on",
    "second_factor_off",
    "recovery_used",
    "code_refused",
    "token_made",
)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_mail_has_a_subject_and_short_plain_text(template: str) -> None:
    link, username = "https://survey.example.org/x/", "o'neil&sons"
    assert mails.send(template=template, to="ada@example.org", link=link, username=username, left=3, days=7)
    (sent,) = mail.outbox
    body = str(sent.body)
    assert 15 < len(sent.subject) < 60
    assert "\n" not in sent.subject
    assert sent.content_subtype == "plain"
    assert "&#" not in body
    assert "<" not in body
    assert "{" not in body
    assert len(body) < 600
    assert username in body or link in body
    if link in body:
        # By itself on its line, so that no full stop becomes a part of it.
        assert f"\n{link}\n" in body


def test_a_mail_is_in_the_visitors_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the catalogs say is their tests' matter; here it is which one is asked."""
    person()
    asked: list[str | None] = []
    monkeypatch.setattr(
        mails,
        "render_to_string",
        lambda *args: asked.append(translation.get_language()) or render_to_string(*args),
    )
    for language in ("de", "es", "en"):
        Client().post("/password/reset/", {"email": "ada@example.org"}, headers={"Accept-Language": language})
    assert asked == ["de", "es", "en"]


def test_who_has_an_address_is_looked_up_only_when_the_email_is_sent(
    settings: object, emails_at_once: Callable[[], None]
) -> None:
    """So that the answer takes as long for addresses of nobody: the request itself looks for nobody."""
    emails_at_once()
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]
    person()
    for address in ("/password/reset/", "/sign-up/"):
        statements = []
        for email in ("ada@example.org", "nobody@example.org"):
            with CaptureQueriesContext(connection) as captured:
                assert Client().post(address, {"email": email}).status_code == 302
            statements.append([re.split(r' WHERE | VALUES | SET | "s\d', query["sql"])[0] for query in captured])
        assert statements[0] == statements[1]
        assert not any("auth_user" in statement for statement in statements[0])
    assert WaitingMail.objects.count() == 4
    assert mail.outbox == []


def test_when_too_much_is_waiting_an_email_is_dropped_and_that_is_logged(
    emails_at_once: Callable[[], None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    emails_at_once()
    monkeypatch.setattr(mails, "MOST_WAITING", 1)
    assert mails.keep("reset", to="ada@example.org")
    assert not mails.keep("reset", to="grace@example.org")
    assert WaitingMail.objects.count() == 1
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_emails_that_strangers_ask_for_keep_no_other_from_its_reader(
    settings: object, emails_at_once: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    emails_at_once()
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]
    monkeypatch.setattr(mails, "MOST_WAITING", 3)
    for address in ("/sign-up/", "/password/reset/"):
        for number in range(10):
            Client().post(address, {"email": f"somebody{number}@example.org"})
    assert WaitingMail.objects.count() == 6
    tell(user=person(), what="second_factor_off")
    assert WaitingMail.objects.count() == 7


def test_the_same_email_waits_once(emails_at_once: Callable[[], None]) -> None:
    emails_at_once()
    user = person()
    for left in (9, 9, 8):
        tell(user=user, what="recovery_used", left=left)
    assert [each.context["left"] for each in WaitingMail.objects.order_by("pk")] == [9, 8]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("smtp://localhost", ("localhost", 25, "", "", False, False)),
        (
            "smtp+starttls://us%40er:p%3Ass%2F@mail.example.org",
            ("mail.example.org", 587, "us@er", "p:ss/", True, False),
        ),
        ("smtps://user:pass@mail.example.org:4465", ("mail.example.org", 4465, "user", "pass", False, True)),
    ],
)
def test_one_variable_says_where_mail_goes(
    monkeypatch: pytest.MonkeyPatch, url: str, expected: tuple[object, ...]
) -> None:
    monkeypatch.setenv("DENIABLE_EMAIL_URL", url)
    configured = mailer("DENIABLE_EMAIL_URL", "")
    names = ("host", "port", "username", "password", "use_tls", "use_ssl")
    assert tuple(configured["OPTIONS"][name] for name in names) == expected
    over = mail.get_connection(configured["BACKEND"], **configured["OPTIONS"])
    assert [getattr(over, name) for name in names] == list(expected)


def test_without_a_word_mail_goes_to_the_console(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DENIABLE_EMAIL_URL", raising=False)
    assert mailer("DENIABLE_EMAIL_URL", "") == {"BACKEND": "django.core.mail.backends.console.EmailBackend"}


@pytest.mark.parametrize(
    "url", ["", "smtp:", "smtp://", "http://mail", "smtp://u:secret@host:99999", "smtp://[", "console://x"]
)
def test_a_wrong_value_is_refused_by_name_and_its_password_not_repeated(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("DENIABLE_EMAIL_URL", url)
    with pytest.raises(ImproperlyConfigured, match="DENIABLE_EMAIL_URL") as refused:
        mailer("DENIABLE_EMAIL_URL", "")
    assert "secret" not in str(refused.value)


def test_links_begin_with_the_address_that_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DENIABLE_ADDRESS", raising=False)
    assert site_address("DENIABLE_ADDRESS", ["a.example", "b.example"], "") == "https://a.example"
    assert site_address("DENIABLE_ADDRESS", [], "") == ""
    monkeypatch.setenv("DENIABLE_ADDRESS", "https://c.example:8443/")
    assert site_address("DENIABLE_ADDRESS", ["a.example"], "") == "https://c.example:8443"


@pytest.mark.parametrize(
    "address", ["c.example", "ftp://c.example", "https://", "https://[", "https://c.example?", "https://u:p@c.example"]
)
def test_an_address_that_cannot_be_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DENIABLE_ADDRESS", address)
    with pytest.raises(ImproperlyConfigured, match="DENIABLE_ADDRESS"):
        site_address("DENIABLE_ADDRESS", [], "")


def test_an_address_below_a_path_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DENIABLE_ADDRESS", "https://c.example/below")
    with pytest.raises(ImproperlyConfigured, match=r"DENIABLE_ADDRESS .*can’t run below a path"):
        site_address("DENIABLE_ADDRESS", [], "")


def test_an_invitation_says_for_how_long_it_is_good() -> None:
    invite_instructor(email="grace@example.org")
    assert "within 7 days" in str(mail.outbox[0].body)


@pytest.mark.parametrize("address", ["/sign-up/TOKEN/", "/password/reset/MQ/TOKEN/", "/invited/link/TOKEN/"])
def test_an_error_behind_a_link_is_logged_without_its_token(address: str) -> None:
    record = logging.LogRecord("tests", logging.ERROR, "", 0, "%s: %s", ("Internal Server Error", address), None)
    assert _without_address(record)
    assert "TOKEN" not in record.getMessage()
    assert record.getMessage().endswith("/…")
