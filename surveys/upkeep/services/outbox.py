"""Sends the emails that wait. The mail server may be away for a day: docs/decisions/0085-an-outbox.md."""

import datetime as dt
import logging
import time
from collections.abc import Callable, Iterator
from itertools import chain, zip_longest
from smtplib import SMTPRecipientsRefused

from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Q, QuerySet
from django.utils import translation

from surveys.accounts.services import credentials, sign_up
from surveys.accounts.services.mails import Letter, close, log_failure, one_connection, post
from surveys.course.services import reminder_letters
from surveys.metrics import services as metrics
from surveys.models import WaitingMail

KEPT_FOR = dt.timedelta(days=1)
_SHORTEST, _LONGEST = dt.timedelta(minutes=1), dt.timedelta(hours=1)
# A round begins no email later than this: until the shortest pause is over no other process takes it.
_ROUND_SECONDS = 20
# So many of each kind in turn: a notice waits for no thousand invitations.
_AT_ONCE = 10
_log = logging.getLogger(__name__)

# What is written only when it is sent, as it holds a link that the database must not; the others are their templates.
_WRITERS: dict[str, Callable[..., Iterator[Letter]]] = {
    "reset": credentials.reset_letters,
    "sign_up": sign_up.sign_up_letters,
    "purge_soon": reminder_letters,
}


def send_due(now: dt.datetime) -> None:
    """Send what is due, give up what has waited for a day, and count what still waits."""
    _give_up(WaitingMail.objects.filter(made_at__lte=now - KEPT_FOR))
    if due := _due(now):
        with one_connection() as connection:
            _send(due, connection, now)
    metrics.set_waiting(WaitingMail.objects.count())


def _send(due: list[WaitingMail], connection: BaseEmailBackend, now: dt.datetime) -> None:
    latest = time.monotonic() + _ROUND_SECONDS
    for mail in due:
        if time.monotonic() > latest:
            return
        if not _postpone(mail, now):
            continue
        try:
            connection.open()
        except Exception as refused:  # noqa: BLE001 - whatever it is, the email waits
            # Nobody is there: the others need not find that out one by one.
            log_failure(mail.kind, refused)
            for other in due:
                _postpone(other, now)
            return
        try:
            for letter in _letters(mail):
                with translation.override(mail.language):
                    post(letter, connection)
        except Exception as refused:  # noqa: BLE001 - the same
            close(connection)
            log_failure(mail.kind, refused)
            if _for_ever(refused):
                _give_up(WaitingMail.objects.filter(pk=mail.pk))
        else:
            mail.delete()


def _due(now: dt.datetime) -> list[WaitingMail]:
    """Return what is due, of each kind in turn; nothing waits longer than the longest pause, whatever the clock did."""
    waiting = WaitingMail.objects.filter(Q(due_at__lte=now) | Q(due_at__gt=now + _LONGEST))
    kinds = waiting.values_list("kind", flat=True).distinct().order_by("kind")
    rows = [waiting.filter(kind=kind).order_by("due_at", "pk")[:_AT_ONCE] for kind in kinds]
    return [mail for mail in chain.from_iterable(zip_longest(*rows)) if mail is not None]


def _postpone(mail: WaitingMail, now: dt.datetime) -> bool:
    """Let an email wait as long again as it has waited, and return whether no other process has done so meanwhile."""
    later = now + min(max(now - mail.made_at, _SHORTEST), _LONGEST)
    return bool(WaitingMail.objects.filter(pk=mail.pk, due_at=mail.due_at).update(due_at=later))


def _give_up(mails: QuerySet[WaitingMail]) -> None:
    for kind in mails.values_list("kind", flat=True):
        _log.error("A mail (%s) was given up", kind)
        metrics.count_mail("given up")
    mails.delete()


def _letters(mail: WaitingMail) -> Iterator[Letter]:
    writer = _WRITERS.get(mail.kind)
    return writer(mail.to, **mail.context) if writer else iter([Letter(mail.kind, mail.to, mail.context)])


def _for_ever(refused: Exception) -> bool:
    """Whether the mail server said that there is no such address, rather than that it cannot now."""
    return isinstance(refused, SMTPRecipientsRefused) and all(code >= 500 for code, _ in refused.recipients.values())
