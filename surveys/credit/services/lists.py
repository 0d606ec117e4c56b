"""A list of names and receipts: it comes back with what each receipt was worth, and nothing of it is stored."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from surveys.common.services import write_promptly
from surveys.common.spreadsheets import safe_text
from surveys.credit.services.redeeming import ReceiptRefused, judge, read_receipt, require_redeemable, spend
from surveys.models import Survey


@dataclass(frozen=True, slots=True)
class ReceiptList:
    """The rows of a file as they were read, and in which column receipts are."""

    rows: list[list[str]]
    column: int
    delimiter: str

    def receipt_in(self, row: list[str]) -> str:
        return row[self.column].strip() if len(row) > self.column else ""

    @property
    def has_header(self) -> bool:
        """Whether the first row names the columns: there is no receipt in it."""
        return read_receipt(self.receipt_in(self.rows[0])) is None


def redeem_list(*, survey: Survey, handed_in: ReceiptList) -> str:
    """Spend the receipts of a list, all in one transaction, and return its rows as CSV with a result for each.

    Raises ReceiptRefused before the survey has closed.
    """
    require_redeemable(survey)
    found = [_judged(survey, handed_in.receipt_in(row)) for row in handed_in.rows]
    hashes = {each for each in found if isinstance(each, bytes)}
    spent = write_promptly(partial(transaction.atomic(spend), survey, hashes))
    results = list(_results(found, spent))
    if handed_in.has_header:
        results[0] = _("Result")
    return _written(handed_in, results)


def _judged(survey: Survey, receipt: str) -> bytes | str:
    """Return the hash of a receipt, or what to say instead."""
    if not receipt:
        return pgettext("result for a receipt", "no receipt")
    try:
        return judge(survey, read_receipt(receipt))
    except ReceiptRefused:
        return pgettext("result for a receipt", "not a receipt for this survey")


def _results(found: list[bytes | str], spent: set[bytes]) -> Iterator[str]:
    seen: set[bytes] = set()
    for each in found:
        if isinstance(each, str):
            yield each
        elif each in seen:
            yield pgettext("result for a receipt", "twice in this list")
        else:
            seen.add(each)
            if each in spent:
                yield pgettext("result for a receipt", "credit")
            else:
                yield pgettext("result for a receipt", "already used")


def _written(handed_in: ReceiptList, results: list[str]) -> str:
    # Excel reads UTF-8 only behind a byte order mark.
    text = io.StringIO("\ufeff")
    text.seek(0, io.SEEK_END)
    width = max(map(len, handed_in.rows))
    writer = csv.writer(text, delimiter=handed_in.delimiter)
    for row, result in zip(handed_in.rows, results, strict=True):
        cells = [safe_text(cell) for cell in row]
        writer.writerow([*cells, *[""] * (width - len(cells)), result] if row else [])
    return text.getvalue()
