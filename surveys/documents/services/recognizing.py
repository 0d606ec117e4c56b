"""Files of other programs, recognized by their content, so that the refusal can say what each seems to be."""

import codecs
import re
from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.documents.services.parsing import DocumentRefused, refuse
from surveys.drafts.selectors import FORMAT

_HEAD = 20_000
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_WORD_DOCUMENT = "WordDocument".encode("utf-16-le")


def _begins(pattern: bytes) -> Callable[[bytes], bool]:
    """Return what looks for a pattern near the beginning of a file."""
    compiled = re.compile(pattern, re.IGNORECASE)
    return lambda raw: bool(compiled.search(raw[:_HEAD].removeprefix(codecs.BOM_UTF8).lstrip()))


def _has(*parts: bytes) -> Callable[[bytes], bool]:
    """Return what looks for names of parts, which stand in an archive as they are."""
    return lambda raw: all(part in raw for part in parts)


# The first that fits counts. With True, saving it as a workbook makes a form of it that can be read.
_SEEN: tuple[tuple[Callable[[bytes], bool], Promise, bool], ...] = (
    (_begins(rb"<LimeSurveyDocType"), _("a LimeSurvey survey (.lss or .lsq)"), False),
    (_begins(rb'"?class"?\t"?type/scale"?\t'), _("a LimeSurvey survey (tab-separated text)"), False),
    (_begins(rb"\AVariable / Field Name|\A\"Variable / Field Name\""), _("a REDCap data dictionary"), False),
    (_begins(rb"<ODM\b[^>]*redcap"), _("a REDCap project (XML)"), False),
    (_begins(rb'\A\{\s*"SurveyEntry"\s*:|"SurveyElements"\s*:\s*\['), _("a Qualtrics survey (.qsf)"), False),
    (_begins(rb'\A\{(?s:.*)(?<!\\)"(?:pages|elements)"\s*:\s*\['), _("a SurveyJS survey (JSON)"), False),
    (_begins(rb"http://www\.w3\.org/2002/xforms"), _("a converted XForm (XML)"), False),
    (_begins(rb"\A%PDF-"), _("a PDF"), False),
    (_begins(rb"\A(?:<!doctype html|<html)"), _("a web page"), False),
    (_begins(rb"\A<\?xml|\A<[a-z]+[ >]"), _("an XML file"), False),
    (_begins(rb"\APK(?s:.*)opendocument\.spreadsheet"), _("an OpenDocument spreadsheet (.ods)"), True),
    (_begins(rb"\APK(?s:.*)opendocument\.text"), _("a text document"), False),
    (_has(b"PK", b"word/document.xml"), _("a Word document"), False),
    (_has(b"PK", b".lss"), _("a LimeSurvey archive (.lsa)"), False),
    (_has(_OLD_OFFICE, _WORD_DOCUMENT), _("a Word document"), False),
    (_begins(b"\\A" + re.escape(_OLD_OFFICE)), _("an old Excel workbook (.xls) or a file with a password"), True),
    (_begins(rb"\A[^\n<>{}\[\]]*[,;\t][^\n<>{}\[\]]*\r?\n"), _("a CSV table"), True),
)


def foreign(raw: bytes) -> DocumentRefused | None:
    """Return the refusal for a file that another program wrote, None for one that may be a document or a form."""
    if b"xl/workbook.xml" in raw or f'"{FORMAT}"'.encode() in raw:
        return None
    for matches, kind, is_table in _SEEN:
        if matches(raw):
            words = gettext(
                "This looks like %(kind)s. Import an XLSForm (.xlsx) or a JSON file exported from Deniable."
            )
            if is_table:
                words = gettext(
                    "This looks like %(kind)s. If it contains an XLSForm, save it as an Excel workbook (.xlsx) without "
                    "a password."
                )
            return refuse(words % {"kind": kind})
    return None
