"""Names of accounts and their email addresses: what they may hold, and which names nobody could tell apart.

Both databases compare letters in their own ways (SQLite folds A to Z alone, PostgreSQL as its locale says), so what is
the same is decided here and stored.
"""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# Latin letters that are none of A to Z with a mark, as people read them.
_LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h"}
# What looks alike in some font, in some case: I, l and 1 are three spellings of one sign.
_ALIKE = (("0", "o"), ("1", "l"), ("i", "l"), ("rn", "m"), ("vv", "w"))
_PLAIN = re.compile(r"[A-Za-z0-9.+_-]")


def fold_name(text: str) -> str:
    """Return a name or an address as it is compared with what somebody types: in no letter case, in one spelling."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def skeleton(name: str) -> str:
    """Return what all names have in common that are easily taken for each other: two accounts never share it."""
    bare = (letter for letter in unicodedata.normalize("NFD", fold_name(name)) if not unicodedata.combining(letter))
    plain = "".join(_LETTERS.get(letter, letter) for letter in bare)
    for looks, like in _ALIKE:
        plain = plain.replace(looks, like)
    return plain


def check_name(name: str) -> None:
    """Refuse a name with anything but Latin letters, digits and . + - _ in it.

    Letters of other alphabets look like these (a Cyrillic і), and an @ would let somebody be called like the email
    address of somebody else.
    """
    if unicodedata.normalize("NFKC", name) != name or not all(map(_may_stand, name)):
        raise ValidationError(_("Use only Latin letters (including ä, é or ñ), digits and . + - _."))


def check_address(address: str) -> None:
    """Refuse an email address with other letters than A to Z: each would be one of its own to one database only."""
    if not address.isascii():
        raise ValidationError(
            _("Use the letters A to Z in the email address. Enter a domain with other letters in its xn-- form.")
        )


def _may_stand(letter: str) -> bool:
    parts = unicodedata.normalize("NFD", letter)
    base, marks = parts[0], parts[1:]
    latin = base.isascii() or base in _LETTERS or base.lower() in _LETTERS
    return bool(_PLAIN.fullmatch(letter)) or (latin and base.isalpha() and all(map(unicodedata.combining, marks)))
