"""Redeeming: each receipt gives credit once, after its survey has closed, and nothing says whose answer it was for."""

import enum
import hashlib
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from surveys.common.selectors import definition_of
from surveys.common.services import write_promptly
from surveys.credit import blind
from surveys.credit.services import modulus_of, read
from surveys.models import CoursePlatform, State, Survey, WaitingScore
from surveys.models.hashing import HASH_BYTES

REDEEMABLE = frozenset({State.CLOSED, State.SEALED})
SERIAL_BYTES = 32
_MESSAGE_BYTES = blind.PREFIX_BYTES + SERIAL_BYTES
# 320 bytes in base64url.
_RECEIPT = re.compile(r"[A-Za-z0-9_-]{427}")
# Of those who redeem a receipt at once one has written it.
_SPEND = """
    INSERT INTO surveys_spentreceipt (survey_id, receipt_hash) VALUES (%s, %s)
    ON CONFLICT (receipt_hash) DO NOTHING RETURNING receipt_hash
"""


class ReceiptProblem(enum.Enum):
    """Why a receipt gives no credit."""

    NOT_YET = "not_yet"
    OVER = "over"
    NOT_A_RECEIPT = "not_a_receipt"
    OF_ANOTHER_SURVEY = "of_another_survey"
    SPENT = "spent"


_WORDS = {
    ReceiptProblem.NOT_YET: _("Receipts can be redeemed once the survey has closed."),
    ReceiptProblem.OVER: _("Receipts for this survey can no longer be redeemed."),
    ReceiptProblem.NOT_A_RECEIPT: _("This isn’t a receipt for this survey. Copy the whole receipt."),
    ReceiptProblem.OF_ANOTHER_SURVEY: _("This receipt is for another survey."),
    ReceiptProblem.SPENT: _("This receipt has already been used."),
}


class ReceiptRefused(Exception):  # noqa: N818 - reads as a sentence where it is raised
    """The receipt gives no credit, and nothing is stored; the message says why to people."""

    def __init__(self, reason: ReceiptProblem) -> None:
        super().__init__(str(_WORDS[reason]))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt as somebody hands it in; whether it is one, its signature says."""

    code: str  # of the survey that its link names; "" where it came without a link
    message: bytes
    signature: bytes

    def hash_for(self, survey: Survey) -> bytes:
        """Return what is stored once it is spent.

        The serial is random and as long as a key: a hash without one says as little, and still holds after the
        server's key has changed.
        """
        serial = self.message[blind.PREFIX_BYTES :]
        return hashlib.blake2b(b"%d:" % survey.pk + serial, digest_size=HASH_BYTES).digest()


class Score(NamedTuple):
    """Where credit for a receipt goes: to a student, as a course platform names them."""

    platform: CoursePlatform
    line_item: str
    subject: str


def read_receipt(text: str) -> Receipt | None:
    """Return the receipt in a text, or in a whole link, with its lines broken or quoted for a spreadsheet or not."""
    link, _hash, written = "".join(text.split()).removeprefix("'").rpartition("#")
    raw = read(written) if _RECEIPT.fullmatch(written) else None
    if raw is None:
        return None
    code = link.partition("?")[0].rstrip("/").rpartition("/")[2].upper()
    return Receipt(code, raw[:_MESSAGE_BYTES], raw[_MESSAGE_BYTES:])


def redeem(*, survey: Survey, receipt: str, score: Score | None = None) -> None:
    """Spend a receipt; where a student is named, let their score wait in the same transaction.

    A student who brings a second receipt has spent both, and one score waits. Raises ReceiptRefused.
    """
    require_redeemable(survey)
    found = judge(survey, read_receipt(receipt))
    write_promptly(partial(_redeem, survey, found, score))


def require_redeemable(survey: Survey) -> None:
    if survey.state not in REDEEMABLE:
        raise ReceiptRefused(ReceiptProblem.OVER if survey.state == State.PURGED else ReceiptProblem.NOT_YET)


def judge(survey: Survey, receipt: Receipt | None) -> bytes:
    """Return the hash of a receipt that is one of this survey's; raises ReceiptRefused."""
    key = definition_of(survey).credit_key
    if receipt is None or not key:
        raise ReceiptRefused(ReceiptProblem.NOT_A_RECEIPT)
    if receipt.code not in {"", survey.code}:
        raise ReceiptRefused(ReceiptProblem.OF_ANOTHER_SURVEY)
    if not blind.verify(modulus_of(key), receipt.message, receipt.signature):
        raise ReceiptRefused(ReceiptProblem.NOT_A_RECEIPT)
    return receipt.hash_for(survey)


@transaction.atomic
def _redeem(survey: Survey, receipt_hash: bytes, score: Score | None) -> None:
    if not spend(survey, [receipt_hash]):
        raise ReceiptRefused(ReceiptProblem.SPENT)
    if score is not None:
        WaitingScore.objects.bulk_create(
            [WaitingScore(survey=survey, key=secrets.token_bytes(HASH_BYTES), **score._asdict())],
            update_conflicts=True,
            unique_fields=["survey", "platform", "line_item", "subject"],
            update_fields=["tries"],
        )


def spend(survey: Survey, receipt_hashes: Iterable[bytes]) -> set[bytes]:
    """Spend receipts inside a transaction, and return those that were not spent before."""
    spent = set()
    # Two lists that wait for each other's rows would wait for ever: all take them in the same order.
    for receipt_hash in sorted(receipt_hashes):
        with connection.cursor() as cursor:
            cursor.execute(_SPEND, [survey.pk, receipt_hash])
            if cursor.fetchall():
                spent.add(receipt_hash)
    return spent
