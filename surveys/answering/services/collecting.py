"""Accepting a submission: one INSERT of perturbed reports, idempotent by nonce. Nothing here knows statistics."""

import enum
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import OperationalError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from surveys.answering.selectors import invitation_state
from surveys.common.services import WrittenTogether, write_promptly
from surveys.models import Decline, Group, Invitation, Mode, Response, SpentNonces, Survey
from surveys.models.hashing import keyed_hashes
from surveys.models.invitation import token_hashes
from surveys.questionnaire.definition import Definition

_NONCE = re.compile(r"[A-Za-z0-9_-]{22}")
_MODES = frozenset(Mode.values)

# SQLite has one writer at a time, so that one statement is a whole protocol: the survey is still open when the row is
# written, a nonce that was sent before, folded or not, writes nothing, and only what is written is returned.
_WRITE = """
    INSERT INTO surveys_response (survey_id, group_id, mode, reports, nonce_hash)
    SELECT s.id, %(group)s, %(mode)s, %(reports)s, %(nonce)s FROM surveys_survey s
    WHERE s.id = %(survey)s AND s.state = 'open'{room}
    AND NOT EXISTS (
        SELECT 1 FROM surveys_spentnonces f
        WHERE f.survey_id = s.id AND f.prefix = %(prefix)s AND INSTR(f.hashes, %(rest)s) > 0
    )
    ON CONFLICT (nonce_hash) DO NOTHING RETURNING reports
"""
_ROOM = """
    AND (SELECT COUNT(*) FROM surveys_response r WHERE r.survey_id = s.id)
    + (SELECT COALESCE(SUM(p.count), 0) FROM surveys_foldedpart p WHERE p.survey_id = s.id) < s.response_cap
"""
_INSERT, _INSERT_WHERE_ROOM = (_WRITE.format(room=room) for room in ("", _ROOM))
# Somebody who declines is let in and turned away as somebody who answers, and takes nobody's place.
_WRITE_DECLINE = """
    INSERT INTO surveys_decline (survey_id, nonce_hash) SELECT s.id, %(nonce)s FROM surveys_survey s
    WHERE s.id = %(survey)s AND s.state = 'open'{room} ON CONFLICT (nonce_hash) DO NOTHING RETURNING nonce_hash
"""
_DECLINE, _DECLINE_WHERE_ROOM = (_WRITE_DECLINE.format(room=room) for room in ("", _ROOM))
# On PostgreSQL several write at once: surveys/models/storing.py.
_STORE = "SELECT store_response(%(survey)s, %(group)s, %(mode)s, %(reports)s, %(nonce)s)"
_STORE_ALL = """
    SELECT place, store_response(survey, of_group, who, sent, nonce)
    FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::text[], %s::bytea[])
    WITH ORDINALITY AS r (survey, of_group, who, sent, nonce, place)
"""
_SPEND = """
    UPDATE surveys_invitation SET spent = TRUE WHERE survey_id = %s AND token_hash IN ({hashes}) AND NOT spent
    RETURNING token_hash
"""
# How many folds, one after the other, somebody may meet who spends an invitation.
_TRIES = 100


class Outcome(enum.Enum):
    """What became of an accepted submission."""

    ACCEPTED = "accepted"
    REPEATED = "repeated"
    # The page has sent before, and its reports have been folded since: so nobody can say whether these are the same.
    KEPT = "kept"


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
        super().__init__(_("This survey is not accepting answers now."))
        self.reason = reason


class SurveyFull(SubmissionRefused):
    """The survey owner's maximum number of responses has been reached."""

    def __init__(self) -> None:
        super().__init__(_("This survey is full and accepts no more answers."))


class AlteredResend(SubmissionRefused):
    """The same page has already sent other reports: the first stay."""

    def __init__(self, first: str = "") -> None:
        super().__init__(_("This page has already sent answers. We kept the first ones."))
        self.first = first  # the reports that are stored, where the nonce shows that the same page asks


class InvitationNeeded(SubmissionRefused):
    """The survey takes answers with an invitation only, and there was none."""

    def __init__(self) -> None:
        super().__init__(_("You need an invitation to answer this survey. Use the link on your card or in your email."))


class InvitationUnknown(SubmissionRefused):
    """No invitation to this survey reads like this."""

    def __init__(self) -> None:
        super().__init__(_("This survey has no such invitation. Check the link."))


class InvitationSpent(SubmissionRefused):
    """Somebody has answered with this invitation; which answer that was is not known."""

    def __init__(self) -> None:
        super().__init__(_("This invitation has already been used. Each invitation is for one answer."))


def new_nonce() -> str:
    """Return the nonce that a page sends along, so that sending twice stores once."""
    return secrets.token_urlsafe(16)


def collect(
    *,
    survey: Survey,
    definition: Definition,
    mode: str,
    nonce: str,
    reports: str,
    group: Group | None = None,
    token: str = "",
    blinded: str = "",
) -> Outcome:
    """Store one submission; where an invitation is needed, spend it in the same transaction.

    The same nonce with the same reports again is `Outcome.REPEATED`, also after the survey has closed and though its
    invitation is spent; it never makes a second row. After a fold it is `Outcome.KEPT`. A survey that needs no
    invitation ignores the token. With another blinded number it is another submission: so one gets one receipt.

    Raises
    ------
    InvalidSubmission, NotCollecting, SurveyFull, AlteredResend, InvitationNeeded, InvitationUnknown, InvitationSpent
        All are `SubmissionRefused`; nothing is stored and no invitation is spent.
    """
    current, *earlier = _hashes(survey, nonce, blinded)
    if mode not in _MODES or (mode == Mode.SERVER and not definition.server_mode_allowed):
        raise InvalidSubmission(
            "mode",
            _(
                "Your answers were not accepted, because this survey expects a different form. Open the survey "
                "again and answer there."
            ),
        )
    if group is not None and group.survey_id != survey.pk:
        raise InvalidSubmission("group", _("This survey has no such group. Choose another."))
    if problem := definition.misfit(reports):
        raise InvalidSubmission("reports", problem)
    response = _Response(survey, group, mode, reports, current)
    if blinded and _Declined(survey, current).received_before([current, *earlier]):
        raise AlteredResend
    return _take(response, earlier, by_invitation=definition.by_invitation, token=token)


def decline(*, survey: Survey, definition: Definition, nonce: str, blinded: str, token: str = "") -> Outcome:
    """Note that somebody who asks for a receipt declines; where an invitation is needed, spend it as an answer does.

    The same once more is `Outcome.REPEATED`. Refused like an answer, and raises the same.
    """
    current, *earlier = _hashes(survey, nonce, blinded)
    if _is_answered(survey.pk, [current, *earlier]):
        # The page has sent an answer and does not know that it came: this is the same receipt, and no decline.
        return Outcome.REPEATED
    return _take(_Declined(survey, current), earlier, by_invitation=definition.by_invitation, token=token)


def _hashes(survey: Survey, nonce: str, blinded: str) -> list[bytes]:
    """Return what a submission is stored as, and what it was stored as under earlier keys that still hold."""
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise InvalidSubmission("nonce", _("The page’s one-time number is missing or damaged. Load the page again."))
    return _nonce_hashes(survey.pk, nonce, blinded)


def _take(arrived: "_Response | _Declined", earlier: Sequence[bytes], *, by_invitation: bool, token: str) -> Outcome:
    # While keys are rotated, what was sent under an earlier one is known by that one's hash.
    if outcome := arrived.received_before(earlier):
        return outcome
    reason = arrived.survey.why_not_collecting(timezone.now())
    if by_invitation:
        return _take_invited(arrived, reason, token)
    if not reason and _stored(arrived, ()):
        return Outcome.ACCEPTED
    if outcome := arrived.received_before([arrived.nonce_hash]):
        return outcome
    raise _refusal(arrived.survey, reason)


@dataclass(frozen=True, slots=True)
class _Response:
    survey: Survey
    group: Group | None
    mode: str
    reports: str
    nonce_hash: bytes

    @property
    def columns(self) -> tuple[int, int | None, str, str, bytes]:
        return self.survey.pk, self.group.pk if self.group else None, self.mode, self.reports, self.nonce_hash

    def insert(self) -> bool:
        return _insert(self)

    def received_before(self, nonce_hashes: Sequence[bytes]) -> Outcome | None:
        return _received_before(self.survey.pk, nonce_hashes, self.reports)


@dataclass(frozen=True, slots=True)
class _Declined:
    survey: Survey
    nonce_hash: bytes

    def insert(self) -> bool:
        """Whether this very row is in the table now: only of a survey that is open, and that is not full."""
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                # Closing waits for whoever holds this, and whoever comes later finds the survey closed.
                cursor.execute("SELECT 1 FROM surveys_survey WHERE id = %s FOR KEY SHARE", [self.survey.pk])
            given: dict[str, Any] = {"survey": self.survey.pk, "nonce": self.nonce_hash}
            cursor.execute(_DECLINE if self.survey.response_cap is None else _DECLINE_WHERE_ROOM, given)
            return bool(cursor.fetchall())

    def received_before(self, nonce_hashes: Sequence[bytes]) -> Outcome | None:
        there = Decline.objects.filter(survey_id=self.survey.pk, nonce_hash__in=nonce_hashes).exists()
        return Outcome.REPEATED if there else None


def _take_invited(arrived: _Response | _Declined, reason: str, token: str) -> Outcome:
    hashes = token_hashes(arrived.survey.pk, token)
    if not hashes:
        # A respondent who sends again has the link that it was sent with.
        raise NotCollecting(reason) if reason else InvitationUnknown() if token else InvitationNeeded()
    if not reason and _stored(arrived, hashes):
        return Outcome.ACCEPTED
    if outcome := arrived.received_before([arrived.nonce_hash]):
        return outcome
    refusal = _refusal(arrived.survey, reason)
    if isinstance(refusal, NotCollecting):
        raise refusal
    state = invitation_state(arrived.survey, token)
    if state == "unknown":
        raise InvitationUnknown
    raise InvitationSpent if state == "spent" else refusal


def _stored(arrived: _Response | _Declined, hashes: Sequence[bytes]) -> bool:
    """Whether the row was written, and one of the invitations spent if there are any; both or neither."""
    if isinstance(arrived, _Response) and arrived.survey.response_cap is None and not hashes:
        return _store_with_others(arrived)
    return write_promptly(partial(_write, arrived, hashes))


def _write(arrived: _Response | _Declined, hashes: Sequence[bytes]) -> bool:
    with transaction.atomic():
        # The row first: a survey that takes none lets go of no invitation.
        stored = arrived.insert() and (not hashes or _spend(arrived.survey, hashes))
        if not stored:
            transaction.set_rollback(True)
        return stored


def _insert_all(responses: list[_Response]) -> list[bool]:
    """Whether each of these very rows is in the table now."""
    if len(responses) == 1:
        return [_insert(responses[0])]
    if connection.vendor == "postgresql":
        return _insert_all_at_once(responses)
    with transaction.atomic():
        return [_insert(response) for response in responses]


_store_with_others = WrittenTogether(_insert_all)


def _insert_all_at_once(responses: list[_Response]) -> list[bool]:
    # Two that wait for each other's rows would wait for ever: all take them in the same order.
    order = sorted(range(len(responses)), key=lambda place: responses[place].nonce_hash)
    columns = zip(*(responses[place].columns for place in order), strict=True)
    with connection.cursor() as cursor:
        cursor.execute(_STORE_ALL, [list(column) for column in columns])
        stored = {order[place - 1]: is_stored for place, is_stored in cursor.fetchall()}
    return [stored[place] for place in range(len(responses))]


def _insert(response: _Response) -> bool:
    """Whether this very row is in the table now; the number of rows that a database reports is not asked."""
    survey, group, mode, reports, nonce = response.columns
    given = {"survey": survey, "group": group, "mode": mode, "reports": reports, "nonce": nonce}
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_STORE, given)
            return bool(cursor.fetchone()[0])
        given["prefix"], given["rest"] = _parts(nonce)
        cursor.execute(_INSERT if response.survey.response_cap is None else _INSERT_WHERE_ROOM, given)
        return bool(cursor.fetchall() == [(reports,)])


def _spend(survey: Survey, hashes: Sequence[bytes]) -> bool:
    """Spend one of the invitations, in the transaction that has stored the response.

    A fold may write the invitations anew while this waits for it: what was not there then is found by the next try.
    """
    statement = _SPEND.format(hashes=", ".join(["%s"] * len(hashes)))
    for _try in range(_TRIES):
        with connection.cursor() as cursor:
            cursor.execute(statement, [survey.pk, *hashes])
            if cursor.fetchall():
                return True
        if not Invitation.objects.filter(survey_id=survey.pk, token_hash__in=hashes, spent=False).exists():
            return False
    raise OperationalError("the invitations were written anew all the time")


def find_resend(*, survey: Survey, nonce: str, reports: str, blinded: str = "") -> Outcome | None:
    """Return what to answer to a page that has sent before, and None to one that has not; raises AlteredResend."""
    return _received_before(survey.pk, _nonce_hashes(survey.pk, nonce, blinded), reports)


def has_declined(*, survey: Survey, nonce: str, blinded: str) -> bool:
    """Whether this page has declined before."""
    current, *earlier = _hashes(survey, nonce, blinded)
    return _Declined(survey, current).received_before([current, *earlier]) is not None


def _received_before(survey_id: int, nonce_hashes: Sequence[bytes], reports: str) -> Outcome | None:
    """Return what to answer to a page that has sent before, whatever the state is now; None when it has not."""
    if not nonce_hashes:
        return None
    # In this order: a fold between the two reads moves the nonce from where it was not found to where it will be.
    first = Response.objects.filter(nonce_hash__in=nonce_hashes).values_list("reports", flat=True).first()
    if first == reports:
        return Outcome.REPEATED
    if first is not None:
        raise AlteredResend(first)
    return Outcome.KEPT if any(_is_folded(survey_id, one) for one in nonce_hashes) else None


def _is_answered(survey_id: int, nonce_hashes: Sequence[bytes]) -> bool:
    # In this order, as above.
    waiting = Response.objects.filter(nonce_hash__in=nonce_hashes).exists()
    return waiting or any(_is_folded(survey_id, one) for one in nonce_hashes)


def _is_folded(survey_id: int, nonce_hash: bytes) -> bool:
    prefix, rest = _parts(nonce_hash)
    kept = SpentNonces.objects.filter(survey_id=survey_id, prefix=prefix).values_list("hashes", flat=True)
    return any(rest in bytes(hashes) for hashes in kept)


def _parts(nonce_hash: bytes) -> tuple[bytes, bytes]:
    """Return where a hash stands among the spent ones, and as what."""
    return nonce_hash[: SpentNonces.PREFIX_BYTES], nonce_hash[SpentNonces.PREFIX_BYTES :]


def _refusal(survey: Survey, reason: str) -> SubmissionRefused:
    """Say why nothing was inserted, where the page has not sent before."""
    if not reason:
        reason = Survey.objects.get(pk=survey.pk).why_not_collecting(timezone.now())
    return NotCollecting(reason) if reason else SurveyFull()


def _nonce_hashes(survey_id: int, nonce: str, blinded: str = "") -> list[bytes]:
    """Return what a nonce is stored as, and what it was stored as under earlier keys that still hold.

    With the blinded number, where one was sent: who sends another one later is somebody else.
    """
    return keyed_hashes("nonce", f"{survey_id}:{nonce}:{blinded}" if blinded else f"{survey_id}:{nonce}")
