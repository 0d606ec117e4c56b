"""The list of names and receipts that a survey owner uploads: read in memory, and kept nowhere."""

import csv
import io
from itertools import islice

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.credit.services.lists import ReceiptList
from surveys.credit.services.redeeming import read_receipt

MOST_BYTES = 1_000_000
MOST_ROWS = 5_000
MOST_COLUMNS = 50
_TOO_LARGE = _("Choose a CSV file of at most 1 MB.")
_DELIMITERS = ";,\t"


class ReceiptListForm(forms.Form):
    """A CSV file, cleaned to a ReceiptList."""

    file = forms.FileField(
        label=_("List of names and receipts"),
        help_text=_("A CSV file with any columns, one of them with receipts; at most 1 MB."),
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
        # A request that is larger than any file may be has none.
        error_messages={"required": _TOO_LARGE, "empty": _("The file is empty. Choose another.")},
    )

    def clean_file(self) -> ReceiptList:
        file: UploadedFile = self.cleaned_data["file"]
        if file.size is None or file.size > MOST_BYTES:
            raise ValidationError(_TOO_LARGE)
        return _read(file.read())


def _read(raw: bytes) -> ReceiptList:
    """Return the rows of a file, by the delimiter and the column that show most receipts."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ValidationError(gettext("This file is not text in UTF-8. In Excel, save it as “CSV UTF-8”."))
    best, most = None, 0
    for delimiter in _DELIMITERS:
        rows = _rows(text, delimiter)
        for column, receipts in enumerate(_receipts_by_column(rows)):
            if receipts > most:
                best, most = ReceiptList(rows, column, delimiter), receipts
    if best is None:
        raise ValidationError(gettext("No receipt was found in this file. Check that it has a column of receipts."))
    if len(best.rows) > MOST_ROWS:
        raise ValidationError(
            gettext("Choose a file of at most %(most)s rows. Split a longer list.") % {"most": f"{MOST_ROWS:,}"}
        )
    return best


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows, and one more than there may be at most; nothing where these are not the columns of a list."""
    try:
        rows = list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), MOST_ROWS + 1))
    except csv.Error:
        return []
    return [] if max(map(len, rows), default=0) > MOST_COLUMNS else rows


def _receipts_by_column(rows: list[list[str]]) -> list[int]:
    counts = [0] * MOST_COLUMNS
    for row in rows:
        for column, cell in enumerate(row):
            counts[column] += read_receipt(cell) is not None
    return counts
