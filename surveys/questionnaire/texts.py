"""What no text may hold that people read: characters that nobody sees, and those that show others in another order."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# Control characters, which PostgreSQL does not store all, halves of characters, and separators of lines.
_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}
_HALF = re.compile("[\ud800-\udfff]")
# Embeddings, overrides and isolates: what follows them is shown in another order than it is stored. The marks that
# Hebrew and Arabic need beside digits and Latin words (U+200E, U+200F, U+061C) move their neighbours only, and stay.
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def check_line(text: str) -> None:
    """Refuse a text that is not one line which reads as it is stored."""
    if len(text.splitlines()) > 1 or text != text.rstrip("\r\n"):
        raise ValidationError(_("Enter this text on one line, without line breaks."))
    check_lines(text)
    if "\t" in text:
        raise ValidationError(_("Remove this unreadable character: %(character)s.") % {"character": "U+0009"})


def check_lines(text: str) -> None:
    """Refuse a text, of any number of lines, that does not read as it is stored."""
    if words := unstorable(text):
        raise ValidationError(words)
    if unseen := unseen_in(text.replace("\n", "").replace("\r", "").replace("\t", "")):
        raise ValidationError(_("Remove this unreadable character: %(character)s.") % {"character": unseen})
    if turning := turning_in(text):
        raise ValidationError(
            _("Remove this character, which changes the text direction: %(character)s.") % {"character": turning}
        )


def unstorable(text: str) -> str:
    """Say what keeps a text out of every database, or return ""."""
    if "\x00" in text:
        return _("Remove the character NUL (\\u0000) from the text.")
    # Half of a pair stands for no character: it cannot be written in UTF-8.
    if _HALF.search(text):
        return _("Remove the unpaired surrogate (a character from \\ud800 to \\udfff) from the text.")
    return ""


def unseen_in(text: str) -> str:
    """Return the first character that nobody sees, by its number, or ""."""
    unseen = next((letter for letter in text if unicodedata.category(letter) in _UNSEEN), "")
    return unseen and f"U+{ord(unseen):04X}"


def turning_in(text: str) -> str:
    """Return the first character that turns the direction of the text, by its number and name, or ""."""
    turning = _TURNS.search(text)
    return f"U+{ord(turning[0]):04X} {unicodedata.name(turning[0])}" if turning else ""


def same_text(text: str) -> str:
    """Return what two texts have in common that people read as the same."""
    # Characters that are not seen, such as a zero-width space, are no letters.
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return " ".join(seen.casefold().split())
