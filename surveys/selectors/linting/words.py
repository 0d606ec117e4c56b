"""Texts as rules read them: words in lower case, clauses, and what of the author's words was found."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = re.compile(r"[.;:!?¿¡()\n]+")


@lru_cache(maxsize=2048)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words, in lower case and with straight apostrophes."""
    return tuple(word.replace("’", "'") for word in _WORD.findall(unicodedata.normalize("NFC", text).lower()))


def line_of(text: str) -> str:
    """Return the words with one space between any two."""
    return " ".join(words_of(text))


@lru_cache(maxsize=2048)
def clauses_of(text: str) -> tuple[str, ...]:
    """Return the words of each clause as a line; clauses end at a full stop, a question mark and the like."""
    return tuple(line for part in _CLAUSE.split(text) if (line := line_of(part)))


def as_written(text: str, line: str) -> str:
    """Return the author's own words for a line of them, as it stands in the text; the line where it is not found."""
    between = r"[\W_]+"
    # An apostrophe may be the typographic one.
    words = between.join(re.escape(word).replace("'", "['’]") for word in line.split())
    found = re.search(words, unicodedata.normalize("NFC", text), re.IGNORECASE) if words else None
    return found[0] if found else line
