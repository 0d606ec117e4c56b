"""Words in a drawing that nothing wraps or cuts for us: how wide they are, where lines end, what may be in them."""

import re
import textwrap
import unicodedata
from itertools import takewhile

# XML 1.0 cannot hold these, whatever they are written as.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Of a system font, in parts of its size; wide is what East Asian writing and pictures take.
_AVERAGE, _WIDE = 0.56, 1.05
_ELLIPSIS = "…"


def clean(text: str) -> str:
    """Return a text without what XML cannot hold, its spaces and line ends as single spaces."""
    return re.sub(r"[ \t\r\n]+", " ", _NOT_XML.sub("", text)).strip(" ")


def width(text: str, size: float) -> float:
    """Return about how wide a text is; a font of the reader's own may be a tenth wider."""
    return sum(_advance(letter) for letter in text) * size


def wrapped(text: str, *, size: float, room: float, lines: int) -> list[str]:
    """Return a text as so many lines at most, none wider than the room; what is cut ends in an ellipsis."""
    text = clean(text)
    average = width(text, size) / len(text) if text else size
    per_line = max(2, int(room / average))
    parts = textwrap.wrap(text, per_line)
    kept = [_cut(line, size, room) for line in parts[:lines]]
    if len(parts) > lines:
        kept[-1] = _cut(parts[lines - 1].rstrip(_ELLIPSIS) + " " + parts[lines], size, room, always=True)
    return kept


def _cut(text: str, size: float, room: float, *, always: bool = False) -> str:
    if not always and width(text, size) <= room:
        return text
    widths = [width(text[:end], size) for end in range(1, len(text) + 1)]
    fitting = len(list(takewhile(lambda wide: wide <= room - size, widths)))
    return text[:fitting].rstrip() + _ELLIPSIS


def _advance(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    return _WIDE if unicodedata.east_asian_width(letter) in {"W", "F"} else _AVERAGE
