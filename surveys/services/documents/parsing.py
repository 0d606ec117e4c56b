"""From bytes to what they hold: JSON within limits, read so that nothing in it is lost or takes the server down."""

import codecs
import json
import re
from collections import Counter
from typing import Any

from django.utils.translation import gettext as _

from surveys.services.documents.problems import refuse

MOST_BYTES = 1_000_000
MOST_LEVELS = 12
_MOST_DIGITS = 40
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# A text with all that it holds, or one bracket. Possessive, and a text need not end: each letter is looked at once.
# Fifty questions of twenty options with a share each have about 1,300.
_MOST_OPENED = 20_000
_TEXT_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


class JsonObject(dict[str, Any]):
    """An object of JSON that remembers which names stood in it more than once."""

    repeated: tuple[str, ...] = ()


class OddNumber:
    """A number that no document holds: with decimals, infinite, or endlessly long. It is shown as it was written."""

    def __init__(self, written: str) -> None:
        self._written = written

    def __repr__(self) -> str:
        return self._written


def parse_json(raw: bytes) -> object:
    """Return what JSON in UTF-8 holds; raises DocumentRefused.

    Objects are `JsonObject`; all numbers but integers of a length that somebody may mean are `OddNumber`.
    """
    text = _text(raw)
    _check_depth(text)
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=OddNumber,
            parse_constant=OddNumber,
        )
    except json.JSONDecodeError as error:
        words = _("This is no JSON: line %(line)s, character %(column)s: %(reason)s.")
        raise refuse(words % {"line": error.lineno, "column": error.colno, "reason": error.msg}) from None


def _text(raw: bytes) -> str:
    if len(raw) > MOST_BYTES:
        raise refuse(_("The document is too large: 1 MB is the most."))
    if not raw.strip():
        raise refuse(_("The document is empty."))
    if raw.startswith(b"\x1f\x8b"):
        raise refuse(_("The file is compressed (gzip). Unpack it first."))
    if raw.startswith(_UTF_16):
        raise refuse(_("The file is written in UTF-16. Save it as UTF-8."))
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise refuse(_("The file is not written in UTF-8: see byte %(byte)s.") % {"byte": error.start + 1}) from None


def _check_depth(text: str) -> None:
    """Refuse what is nested too deeply, before a parser that calls itself for each level reads it."""
    level = opened = 0
    for match in _TEXT_OR_BRACKET.finditer(text):
        first = text[match.start()]
        level += (first in "[{") - (first in "]}")
        opened += first in "[{"
        if opened > _MOST_OPENED:
            raise refuse(_("The document holds more lists and objects than any survey has."))
        if level > MOST_LEVELS:
            words = _("Lists and objects are nested too deeply: %(most)s levels are the most.")
            raise refuse(words % {"most": MOST_LEVELS})


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = JsonObject(pairs)
    if len(made) < len(pairs):
        counts = Counter(name for name, _value in pairs)
        made.repeated = tuple(name for name, count in counts.items() if count > 1)
    return made


def _integer(digits: str) -> int | OddNumber:
    return int(digits) if len(digits) <= _MOST_DIGITS else OddNumber(digits)
