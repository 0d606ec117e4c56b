"""Emails in the reader's language, with addresses of this site: sent now, or kept until housekeeping has sent them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation

from surveys.metrics import services as metrics
from surveys.models import WaitingMail

# Of one kind: emails that strangers ask for keep no other kind from its reader.
MOST_WAITING = 1000
_DEMO = "http://127.0.0.1:8000"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Letter:
    """An email to be: its template, whose first line is the subject, and what the template shows."""

    template: str
    to: str
    context: dict[str, object] = field(default_factory=dict)


def site_address(request: HttpRequest | None = None) -> str:
    """Return what links in emails and on other sites begin with, as configured: a Host header could lead elsewhere.

    The local demo may run on any port, so there alone the request is believed.
    """
    if settings.SITE_ADDRESS:
        return str(settings.SITE_ADDRESS)
    return request.build_absolute_uri("/").removesuffix("/") if request is not None else _DEMO


def leave_this_machine() -> bool:
    """Whether there is a mail server: without one, emails are written to the log."""
    return not settings.MAILERS["default"]["BACKEND"].endswith("console.EmailBackend")


def connection() -> BaseEmailBackend:
    """Return a connection to the mail server, not yet open."""
    mailer = settings.MAILERS["default"]
    server: BaseEmailBackend = get_connection(mailer["BACKEND"], **mailer.get("OPTIONS", {}))
    return server


@contextmanager
def one_connection() -> Iterator[BaseEmailBackend]:
    """Hand out a connection for several emails; after one that was refused the next opens it anew."""
    over = connection()
    try:
        yield over
    finally:
        close(over)


def close(over: BaseEmailBackend) -> None:
    with suppress(OSError):
        over.close()


def send(*, template: str, to: str, over: BaseEmailBackend | None = None, **context: object) -> bool:
    """Send an email while somebody waits for it; return whether that worked."""
    try:
        post(Letter(template, to, context), over or connection())
    except Exception as refused:  # noqa: BLE001 - a traceback would bring the address into the log
        if over is not None:
            close(over)
        log_failure(template, refused)
        return False
    return True


def post(letter: Letter, over: BaseEmailBackend) -> None:
    """Hand a letter to the mail server, in the language of this thread; raises what Python's SMTP library raises."""
    written = render_to_string(f"accounts/mail/{letter.template}.txt", letter.context)
    subject, _, body = written.strip().partition("\n")
    EmailMessage(subject, body.strip() + "\n", to=[letter.to], connection=over).send()
    metrics.count_mail("sent")


def log_failure(kind: str, refused: Exception) -> None:
    """Log and count an email that was not sent, without the error's text: it may hold the address."""
    _log.error("A mail (%s) could not be sent: %s", kind, type(refused).__name__)
    metrics.count_mail("failed")


def keep(kind: str, *, to: str, **context: object) -> bool:
    """Keep an email, to be sent within seconds in the language of this thread; return False where too many wait.

    So nobody waits for the mail server, nor for a look-up of who has that address, whose time would show whether
    somebody has an account.
    """
    waiting = WaitingMail.objects.filter(kind=kind)
    # Asked for again while the mail server is away, it would come as often.
    if waiting.filter(to=to, context=context).exists():
        return True
    if waiting.count() >= MOST_WAITING:
        metrics.count_mail("dropped")
        _log.error("Too many mails are waiting: one (%s) was not kept", kind)
        return False
    WaitingMail.objects.create(kind=kind, to=to, language=translation.get_language() or "en", context=context)
    return True


def tell(*, user: User, what: str, **context: object) -> None:
    """Notify somebody of what was done to their own account, if they have an address: they may not have done it."""
    if user.email:
        keep(what, to=user.email, username=user.get_username(), **context)
