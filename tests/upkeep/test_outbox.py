"""The outbox: what waits is sent once the mail server takes it, with growing pauses, given up after a day, and gone."""

import datetime as dt
import logging
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils import timezone, translation

from surveys.accounts.services import mails
from surveys.models import SignUpInvitation, WaitingMail
from surveys.upkeep.services import outbox
from tests.accounts.people import person
from tests.server import ROOT, environment, free_port

pytestmark = pytest.mark.django_db

SECOND, HOUR = dt.timedelta(seconds=1), dt.timedelta(hours=1)


@pytest.fixture(autouse=True)
def _waiting(emails_at_once: Callable[[], None]) -> None:
    emails_at_once()


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception, str], None]:
    """Let the mail server refuse what an address is sent with an error, or every connection without an address."""

    def planted(error: Exception, to: str = "") -> None:
        take = EmailBackend.send_messages

        def send_messages(self: EmailBackend, messages: list[Any]) -> int:
            if [to] == messages[0].to:
                raise error
            return take(self, messages)

        def open_(_self: EmailBackend) -> None:
            if not to:
                raise error

        monkeypatch.setattr(EmailBackend, "open", open_)
        monkeypatch.setattr(EmailBackend, "send_messages", send_messages)

    return planted


def _keep(to: str = "ada@example.org", kind: str = "password_changed") -> dt.datetime:
    """Keep an email; return a moment at which it is due."""
    assert mails.keep(kind, to=to, username="ada", left=3)
    return timezone.now()


def _sent() -> list[str]:
    return [message.to[0] for message in mail.outbox]


def test_what_is_kept_is_sent_in_its_language_and_nothing_is_left() -> None:
    with translation.override("de"):
        now = _keep()
    assert mail.outbox == []
    outbox.send_due(now)
    with translation.override("de"):
        mails.send(template="password_changed", to="ada@example.org", username="ada", left=3)
    assert mail.outbox[0].subject == mail.outbox[1].subject
    assert not WaitingMail.objects.exists()
    outbox.send_due(now + HOUR)
    assert len(mail.outbox) == 2


def test_a_mail_server_that_is_away_is_tried_again_with_growing_pauses(
    refuse: Callable[[Exception], None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = _keep()
    with monkeypatch.context() as patched:
        tries: list[float] = []
        patched.setattr(outbox, "log_failure", lambda *_: tries.append(round((now - made).total_seconds())))
        refuse(ConnectionRefusedError())
        for second in range(0, 24 * 3600, 10):
            now = made + second * SECOND
            outbox.send_due(now)
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1], len(tries) < 40) == (60, 3600, True)
    assert WaitingMail.objects.count() == 1
    with caplog.at_level(logging.ERROR):
        outbox.send_due(made + 24 * HOUR + SECOND)
    assert not WaitingMail.objects.exists()
    assert "given up" in caplog.text
    assert "ada" not in caplog.text


def test_while_the_server_is_away_each_round_knocks_once(
    refuse: Callable[[Exception], None], caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(5):
        now = _keep(f"{number}@example.org")
    refuse(ConnectionRefusedError())
    outbox.send_due(now)
    outbox.send_due(now + 2 * SECOND)
    assert len(caplog.records) == 1
    assert "example.org" not in caplog.text
    assert WaitingMail.objects.count() == 5


def test_an_address_that_does_not_exist_is_given_up_and_one_that_is_busy_is_not(
    refuse: Callable[[Exception, str], None], caplog: pytest.LogCaptureFixture
) -> None:
    for to, code in (("gone@example.org", 550), ("busy@example.org", 450)):
        refuse(SMTPRecipientsRefused({to: (code, to.encode())}), to)
        _keep(to)
    outbox.send_due(_keep())
    assert _sent() == ["ada@example.org"]
    assert [waiting.to for waiting in WaitingMail.objects.all()] == ["busy@example.org"]
    assert "example.org" not in caplog.text


def test_kinds_take_turns_so_that_none_waits_behind_another() -> None:
    for number in range(30):
        _keep(f"{number}@example.org", "sign_up_taken")
    outbox.send_due(_keep())
    assert len(_sent()) == 11
    assert "ada@example.org" in _sent()[:2]


def test_a_round_ends_before_another_process_may_take_what_it_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0, 1, 50])
    monkeypatch.setattr(outbox, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    _keep("grace@example.org")
    now = _keep()
    with mails.one_connection() as connection:
        outbox._send(outbox._due(now), connection, now)
    assert _sent() == ["grace@example.org"]
    assert WaitingMail.objects.get().due_at <= now


def test_of_two_housekeepers_one_sends() -> None:
    now = _keep()
    both = [outbox._due(now), outbox._due(now)]
    with mails.one_connection() as connection:
        for due in both:
            outbox._send(due, connection, now)
    assert len(mail.outbox) == 1


def test_a_clock_that_was_ahead_holds_nothing_back() -> None:
    now = _keep()
    WaitingMail.objects.update(due_at=now + 30 * 24 * HOUR)
    outbox.send_due(now)
    assert len(mail.outbox) == 1


def test_what_waits_holds_no_link() -> None:
    """Whoever reads the database, or a backup, gets into no account by it: a link is made when it is sent."""
    person()
    for kind, to in (("reset", "ada@example.org"), ("sign_up", "grace@example.org")):
        assert mails.keep(kind, to=to, start="https://survey.example.org")
    assert [waiting.context for waiting in WaitingMail.objects.all()] == [{"start": "https://survey.example.org"}] * 2
    assert not SignUpInvitation.objects.exists()
    outbox.send_due(timezone.now())
    assert sorted(_sent()) == ["ada@example.org", "grace@example.org"]
    assert all("https://survey.example.org/" in str(message.body) for message in mail.outbox)


class _Mailbox(socketserver.ThreadingTCPServer):
    """A mail server that takes everything."""

    allow_reuse_address = daemon_threads = True
    taken: list[str]


class _Talk(socketserver.StreamRequestHandler):
    server: _Mailbox

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline().decode().strip().lower():
            if line == "data":
                self.wfile.write(b"354 go on\r\n")
                while (text := self.rfile.readline()) != b".\r\n":
                    self.server.taken.append(text.decode().strip())
            self.wfile.write(b"221 bye\r\n" if line == "quit" else b"250 yes\r\n")


@contextmanager
def _mail_server(port: int) -> Iterator[list[str]]:
    with _Mailbox(("127.0.0.1", port), _Talk) as server:
        server.taken = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.taken
        server.shutdown()


_KEEP = """
from surveys.accounts.services.mails import keep
keep("password_changed", to="ada@example.org", username="ada")
"""
_LATER = """
from django.utils.timezone import now
from surveys.models import WaitingMail
WaitingMail.objects.update(due_at=now())
"""


@pytest.mark.uncounted
def test_an_email_outlives_a_restart_and_a_mail_server_that_is_down(tmp_path: Path) -> None:
    port = free_port()
    variables = environment(tmp_path) | {"DENIABLE_EMAIL_URL": f"smtp://127.0.0.1:{port}"}

    def manage(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=variables, check=True, capture_output=True, text=True
        )
        return done.stdout + done.stderr

    manage("migrate", "--verbosity", "0")
    manage("shell", "--no-imports", "--command", _KEEP)
    assert "A mail (password_changed) could not be sent: ConnectionRefusedError" in manage("housekeeping", "--once")
    # A minute later, which this does not wait for.
    manage("shell", "--no-imports", "--command", _LATER)
    with _mail_server(port) as taken:
        said = manage("housekeeping", "--once")
        assert "To: ada@example.org" in taken, said
        manage("housekeeping", "--once")
        assert taken.count("To: ada@example.org") == 1
