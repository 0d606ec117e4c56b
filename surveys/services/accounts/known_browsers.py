"""Browsers in which somebody signed in before: strangers who fail with a name do not shut its owner out of them.

The mark is a signed cookie with a random number and the keyed hash of one name. Tries from a marked browser are counted
by its number instead of the name, as strictly; the number is stored nowhere.
"""

import secrets

from django.conf import settings
from django.core import signing

from surveys.models.account_names import folded
from surveys.models.hashing import keyed_hash, keyed_hashes

_SALT = "deniable.known-browser"
_PURPOSE = "known-browser"


def new_mark(username: str, number: str = "") -> str:
    """Return the mark of a browser in which this person has just signed in, with the number it had before."""
    held = keyed_hash(_PURPOSE, folded(username)).hex()
    return signing.dumps([held, number or secrets.token_urlsafe(16)], salt=_SALT)


def number_in(mark: str, username: str) -> str:
    """Return the browser's number, or nothing where the mark is another person's, too old or no mark."""
    try:
        held, number = signing.loads(mark, salt=_SALT, max_age=settings.KNOWN_BROWSER_COOKIE_AGE)
    except signing.BadSignature:
        return ""
    known = [hashed.hex() for hashed in keyed_hashes(_PURPOSE, folded(username))]
    return str(number) if held in known else ""
