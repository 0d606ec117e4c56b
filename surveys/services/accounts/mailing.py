"""Mail: plain text in the reader's language, sent after the answer so that its time tells nobody who has an account."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connections
from django.template.loader import render_to_string
from django.utils import translation

MOST_WAITING = 100
# The work for those who do get a mail begins when the answer has gone out: it would slow it down a little.
SECONDS_AFTER = 0.25
_log = logging.getLogger(__name__)


def send(*, template: str, to: str, **context: object) -> bool:
    """Write a mail from a template, whose first line is the subject, and send it; return whether that worked."""
    subject, _, body = render_to_string(f"account/mail/{template}.txt", context).strip().partition("\n")
    try:
        EmailMessage(subject, body.strip() + "\n", to=[to]).send()
    except (OSError, SMTPException) as refused:
        # Its text may hold the reader's address, and the log holds none.
        _log.error("A mail (%s) could not be sent: %s", template, type(refused).__name__)
        return False
    return True


def in_background(job: Callable[[], object], *, notice: bool = False) -> None:
    """Do what mails need after the answer, in this visitor's language; drop it where too much is waiting.

    Looking up who gets the mail belongs to the job: then the answer takes as long for those who get none. Notices of
    what was done to an account have a queue of their own: strangers, who can ask for other mails, do not fill it.
    """
    language = translation.get_language()

    def spoken() -> None:
        with translation.override(language):
            job()

    if not settings.MAIL_IN_BACKGROUND:
        spoken()
    elif (queue := _queue(notice=notice)).places.acquire(blocking=False):
        queue.workers.submit(_done, spoken, queue.places)
    else:
        _log.error("Too many mails are waiting: one was not sent")


def _done(job: Callable[[], None], places: threading.BoundedSemaphore) -> None:
    time.sleep(SECONDS_AFTER)
    try:
        job()
    except Exception:  # noqa: BLE001 - nobody waits for this thread: what it raised would be lost
        _log.exception("What a mail needs could not be done")
    finally:
        connections.close_all()
        places.release()


@dataclass(frozen=True, slots=True)
class _Queue:
    workers: ThreadPoolExecutor
    places: threading.BoundedSemaphore


@lru_cache(maxsize=2)
def _queue(*, notice: bool) -> _Queue:
    """Return a queue with its threads, made where its first mail is sent: not in a process that forks afterwards."""
    name, workers = ("notice", 1) if notice else ("mail", 2)
    return _Queue(
        ThreadPoolExecutor(max_workers=workers, thread_name_prefix=name), threading.BoundedSemaphore(MOST_WAITING)
    )
