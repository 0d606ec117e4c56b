"""Sending emails of accounts, in the background and in the reader's language, with addresses of this site."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connections
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation

from surveys.metrics import services as metrics

_DEMO = "http://127.0.0.1:8000"


def site_address(request: HttpRequest | None = None) -> str:
    """Return what the links in emails begin with, from the configuration: a Host header could lead elsewhere.

    The local demo may run on any port, so there alone the request is believed.
    """
    if settings.SITE_ADDRESS:
        return str(settings.SITE_ADDRESS)
    return request.build_absolute_uri("/").removesuffix("/") if request is not None else _DEMO


# Email: plain text in the reader's language, sent after the answer so that its time reveals to nobody who has an
# account.


MOST_WAITING = 100
# The work for those who do get an email begins when the answer has gone out: it would slow it down a little.
SECONDS_AFTER = 0.25
_log = logging.getLogger(__name__)


def leave_this_machine() -> bool:
    """Whether there is a mail server: without one, emails are written to the log."""
    return not str(settings.EMAIL_BACKEND).endswith("console.EmailBackend")


@contextmanager
def one_connection() -> Iterator[BaseEmailBackend]:
    """Hand out a connection for several emails; after one that was refused the next opens it anew."""
    connection = get_connection()
    try:
        yield connection
    finally:
        _close(connection)


def _close(connection: BaseEmailBackend) -> None:
    with suppress(OSError):
        connection.close()


def send(*, template: str, to: str, over: BaseEmailBackend | None = None, **context: object) -> bool:
    """Write an email from a template, whose first line is the subject, and send it; return whether that worked."""
    subject, _, body = render_to_string(f"accounts/mail/{template}.txt", context).strip().partition("\n")
    try:
        if over is not None:
            over.open()
        EmailMessage(subject, body.strip() + "\n", to=[to], connection=over).send()
    except Exception as refused:  # noqa: BLE001 - a traceback would bring the address into the log
        if over is not None:
            _close(over)
        # Its text may hold the reader's address, and the log holds none.
        _log.error("A mail (%s) could not be sent: %s", template, type(refused).__name__)
        metrics.count_mail("failed")
        return False
    metrics.count_mail("sent")
    return True


def run_in_background(job: Callable[[], object], *, what: Literal["reset", "sign-up", "notice"]) -> bool:
    """Do what emails need after the answer, in this visitor's language; return False where too much is waiting for it.

    Looking up who gets the email belongs to the job: then the answer takes as long for those who get none. Each kind
    has a queue of its own: a stranger who asks for accounts in many names keeps no link to a password from its reader,
    and no stranger a notice of what was done to an account.
    """
    language = translation.get_language()

    def spoken() -> None:
        with translation.override(language):
            job()

    if not settings.MAIL_IN_BACKGROUND:
        spoken()
    elif (queue := _queue(what)).places.acquire(blocking=False):
        metrics.count_waiting(1)
        queue.workers.submit(_done, spoken, queue.places, time.monotonic() + SECONDS_AFTER)
    else:
        metrics.count_mail("dropped")
        _log.error("Too many mails are waiting: one (%s) was not sent", what)
        return False
    return True


def _done(job: Callable[[], None], places: threading.BoundedSemaphore, due: float) -> None:
    # Only as long as is left: a wait of its own for each would let eight requests a second fill the queue.
    time.sleep(max(0, due - time.monotonic()))
    try:
        job()
    except Exception:  # noqa: BLE001 - nobody waits for this thread: what it raised would be lost
        _log.exception("What a mail needs could not be done")
    finally:
        connections.close_all()
        places.release()
        metrics.count_waiting(-1)


@dataclass(frozen=True, slots=True)
class _Queue:
    workers: ThreadPoolExecutor
    places: threading.BoundedSemaphore


@cache
def _queue(what: str) -> _Queue:
    """Return a queue with its threads, made where its first email is sent: not in a process that forks afterwards."""
    workers = 2 if what == "reset" else 1
    return _Queue(
        ThreadPoolExecutor(max_workers=workers, thread_name_prefix=f"mail-{what}"),
        threading.BoundedSemaphore(MOST_WAITING),
    )


# Emails to people about what was done to their own account: an owner who did not do it learns of it.


def tell(*, user: User, what: str, **context: Any) -> None:
    """Send one of the notices, if the person has an email address."""
    if user.email:
        run_in_background(
            lambda: send(template=what, to=user.email, username=user.get_username(), **context), what="notice"
        )
