"""The file around a workbook: a ZIP archive whose sizes are known before anything is unpacked."""

import io
import zipfile
import zlib

from django.utils.translation import gettext as _

from surveys.services.documents.parsing import MOST_BYTES
from surveys.services.documents.problems import DocumentRefused, refuse

MOST_ENTRIES = 200
# A form of a thousand rows is a tenth of that.
MOST_UNPACKED = 5_000_000
# Every tag takes the library some microseconds, whatever it holds; styles take it longer, and nobody sees them here.
MOST_TAGS = 100_000
_MOST_AROUND = 250_000
_CONTENT = ("xl/worksheets/", "xl/sharedStrings")
_ARCHIVE = b"PK"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_PLAIN = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 1


def is_package(raw: bytes) -> bool:
    """Whether a file may be a workbook, of the new kind or the old: no document begins as they do."""
    return raw.startswith((_ARCHIVE, _OLD_EXCEL))


def check_package(raw: bytes) -> None:
    """Refuse what is no plain workbook, or would be too large once it is unpacked; raises DocumentRefused."""
    if len(raw) > MOST_BYTES:
        raise refuse(_("The workbook is too large: 1 MB is the most."))
    if raw.startswith(_OLD_EXCEL):
        raise refuse(_("This is a workbook of the old kind (.xls), or one with a password. Save it as .xlsx."))
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _check_entries(archive.infolist())
            _check_texts(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError, RuntimeError):
        raise _unreadable() from None


def _check_entries(entries: list[zipfile.ZipInfo]) -> None:
    names = {entry.filename for entry in entries}
    if len(entries) > MOST_ENTRIES:
        raise refuse(_("The workbook has too many parts: %(most)s are the most.") % {"most": MOST_ENTRIES})
    # No more than this is ever read of an entry, whatever is packed in it.
    if sum(entry.file_size for entry in entries) > MOST_UNPACKED:
        raise refuse(_("The workbook would be too large once it is unpacked: 5 MB are the most."))
    if "xl/workbook.xml" not in names:
        raise refuse(_("This is no Excel workbook (.xlsx). Save the form as one."))
    if any(entry.flag_bits & _ENCRYPTED or entry.compress_type not in _PLAIN for entry in entries):
        raise _unreadable()
    if any(name.startswith("xl/externalLinks/") for name in names):
        raise refuse(_("The workbook has links to other files. Replace them by their values."))
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise refuse(_("The workbook has macros. Save it as .xlsx."))


def _check_texts(archive: zipfile.ZipFile) -> None:
    """Refuse what a few bytes can be packed with: definitions of entities, which workbooks have none of, and tags."""
    tags = largest = sheets = 0
    for entry in archive.infolist():
        text = archive.read(entry)
        # In two bytes a letter neither could be found.
        if text.startswith((b"\xff\xfe", b"\xfe\xff")) or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
            raise refuse(_("The workbook defines entities of its own: it is not read."))
        here = text.count(b"<")
        tags, largest, sheets = tags + here, max(largest, here), sheets + text.count(b"sheetId")
        if tags > MOST_TAGS or (len(text) > _MOST_AROUND and not entry.filename.startswith(_CONTENT)):
            raise refuse(_("The workbook has too much in it besides the form. Copy the sheets into a new one."))
    # Several sheets may name one part, which the library then reads once for each.
    if largest * sheets > MOST_TAGS:
        raise refuse(_("The workbook has too much in it besides the form. Copy the sheets into a new one."))


def _unreadable() -> DocumentRefused:
    return refuse(_("The workbook is damaged or encrypted: it cannot be read."))
