"""Accepting a submission: one INSERT of perturbed reports, idempotent by nonce. Nothing here knows statistics."""

import enum
import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from surveys.models import Group, Mode, Response, Survey
from surveys.models.definition import Definition
from surveys.models.response import CODES, LEFT_OUT
from surveys.privacy.randomness import draw_report

_NONCE = re.compile(r"[A-Za-z0-9_-]{22}")

# One statement: the survey is still open when the row is written, and a resent nonce writes nothing.
_INSERT = """
    INSERT INTO surveys_response (survey_id, group_id, mode, reports, nonce_hash)
    SELECT s.id, %s, %s, %s, %s FROM surveys_survey s WHERE s.id = %s AND s.state = 'open'{room}
    ON CONFLICT (nonce_hash) DO NOTHING
"""
_ROOM = " AND (SELECT COUNT(*) FROM surveys_response r WHERE r.survey_id = s.id) < s.response_cap"


class Outcome(enum.Enum):
    """What became of an accepted submission."""

    ACCEPTED = "accepted"
    REPEATED = "repeated"


class SubmissionRefused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """The submission is not stored; the message says why to people."""


class InvalidSubmission(SubmissionRefused):
    """A field holds what no page of ours sends."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class NotCollecting(SubmissionRefused):
    """The survey takes no answers now: `reason` is a state, "not_yet" or "over"."""

    def __init__(self, reason: str) -> None:
        super().__init__("This survey takes no answers now.")
        self.reason = reason


class SurveyFull(SubmissionRefused):
    """The most responses that its author wants have been reached."""

    def __init__(self) -> None:
        super().__init__("This survey has all the answers it wants.")


class AlteredResend(SubmissionRefused):
    """The same page has already sent other reports: the first stay."""

    def __init__(self, first: str = "") -> None:
        super().__init__("This page has already sent its answers. What came first was kept.")
        self.first = first  # the reports that are stored, where the nonce shows that the same page asks


def new_nonce() -> str:
    """Return the nonce that a page sends along, so that sending twice stores once."""
    return secrets.token_urlsafe(16)


def collect(
    *, survey: Survey, definition: Definition, mode: str, nonce: str, reports: str, group: Group | None = None
) -> Outcome:
    """Store one submission.

    The same nonce with the same reports again is `Outcome.REPEATED`, also after the survey has closed; it never makes a
    second row.

    Raises
    ------
    InvalidSubmission, NotCollecting, SurveyFull, AlteredResend
        All are `SubmissionRefused`; nothing is stored.
    """
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise InvalidSubmission("nonce", "The page's one-time number is missing or damaged: load the page again.")
    if mode not in Mode.values or (mode == Mode.SERVER and not definition.server_mode_allowed):
        raise InvalidSubmission("mode", "This survey does not take answers in that way.")
    if problem := definition.misfit(reports):
        raise InvalidSubmission("reports", problem)
    nonce_hash = _nonce_hash(survey.pk, nonce)
    reason = survey.why_not_collecting(timezone.now())
    if not reason and _insert(survey, group, mode, reports, nonce_hash):
        return Outcome.ACCEPTED
    return _explain(survey, reason, reports, nonce_hash)


def perturb(
    *, definition: Definition, truths: Sequence[int | None], randbelow: Callable[[int], int] = secrets.randbelow
) -> str:
    """Return the reports of truths through the real randomizer: server mode, rehearsal and simulation.

    `None` leaves a question out, where that is allowed.
    """
    if len(truths) != len(definition.items):
        raise InvalidSubmission("answers", f"There must be {len(definition.items)} answers; there are {len(truths)}.")
    reports = []
    for item, truth in zip(definition.items, truths, strict=True):
        if truth is None:
            if not item.can_be_left_out:
                raise InvalidSubmission(
                    f"answer-{item.question_number}", f"Question {item.question_number} has no answer."
                )
            reports.append(LEFT_OUT)
            continue
        if not 0 <= truth < item.design.k:
            raise InvalidSubmission(
                f"answer-{item.question_number}", f"Question {item.question_number}: this is not one of its answers."
            )
        reports.append(CODES[draw_report(item.design, truth, randbelow)])
    return "".join(reports)


def _insert(survey: Survey, group: Group | None, mode: str, reports: str, nonce_hash: bytes) -> bool:
    values = [group.pk if group else None, mode, reports, nonce_hash, survey.pk]
    if survey.response_cap is None:
        with connection.cursor() as cursor:
            cursor.execute(_INSERT.format(room=""), values)
            return bool(cursor.rowcount == 1)
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # SQLite has one writer at a time; here two could both see the last free place.
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [survey.pk])
        cursor.execute(_INSERT.format(room=_ROOM), values)
        return bool(cursor.rowcount == 1)


def _explain(survey: Survey, reason: str, reports: str, nonce_hash: bytes) -> Outcome:
    """Say why nothing was inserted; a resend is answered as the first time, whatever the state is now."""
    first = Response.objects.filter(nonce_hash=nonce_hash).values_list("reports", flat=True).first()
    if first == reports:
        return Outcome.REPEATED
    if first is not None:
        raise AlteredResend(first)
    if not reason:
        reason = Survey.objects.get(pk=survey.pk).why_not_collecting(timezone.now())
    if reason:
        raise NotCollecting(reason)
    raise SurveyFull


def _nonce_hash(survey_id: int, nonce: str) -> bytes:
    return hashlib.blake2b(
        f"{survey_id}:{nonce}".encode(), key=_nonce_key(settings.SECRET_KEY), digest_size=16
    ).digest()


@lru_cache(maxsize=4)
def _nonce_key(secret_key: str) -> bytes:
    return hashlib.sha256(b"deniable.nonce\0" + secret_key.encode()).digest()
