"""What people type as ε, δ and reasons, refused by name where it cannot be."""

import re
import unicodedata

from django.utils.translation import gettext as _

from surveys.models.budget import REASON_LENGTH
from surveys.models.units import MICRO, PICO
from surveys.privacy.rationals import exact, positive, shown
from surveys.services.releasing.amounts import LARGEST_DELTA, LARGEST_EPSILON, written
from surveys.services.releasing.refusals import InvalidDelta, InvalidEpsilon, NoReason

# Control characters, which PostgreSQL does not store either, and halves of characters.
_UNREADABLE = {"Cc", "Cs"}
# Embeddings, overrides and isolates: what follows them is shown in another order than it is stored.
_TURNS_AROUND = re.compile("[\u202a-\u202e\u2066-\u2069]")


def micro_epsilon(epsilon: object) -> int:
    """Return ε in millionths, exactly; raises `InvalidEpsilon` for whatever is none, NaN and infinity included."""
    try:
        number = positive(epsilon, "ε")
    except ValueError:
        raise InvalidEpsilon(
            _("ε must be an exact number above 0, not %(value)s.") % {"value": shown(epsilon, str)}
        ) from None
    if not number <= LARGEST_EPSILON:
        raise InvalidEpsilon(
            _("ε must be at most %(most)s: a larger one protects next to nothing.") % {"most": LARGEST_EPSILON}
        )
    units = number * MICRO
    if units.denominator != 1:
        raise InvalidEpsilon(_("ε can have six decimals at most."))
    return units.numerator


def pico_delta(delta: object) -> int:
    """Return δ in trillionths, exactly; raises `InvalidDelta` for whatever is none."""
    try:
        number = exact(delta, "δ")
    except ValueError:
        raise InvalidDelta(_("δ must be an exact number, not %(value)s.") % {"value": shown(delta, str)}) from None
    if not 0 <= number <= LARGEST_DELTA:
        raise InvalidDelta(_("δ must be between 0 and %(most)s.") % {"most": written(LARGEST_DELTA)})
    units = number * PICO
    if units.denominator != 1:
        raise InvalidDelta(_("δ can have twelve decimals at most."))
    return units.numerator


def stated_reason(reason: str) -> str:
    """Return a reason without space around it; raises `NoReason` where there is none or it is too long."""
    stated = " ".join(reason.split())
    if not stated:
        raise NoReason(_("Say why: the ledger keeps it for good."))
    if any(unicodedata.category(character) in _UNREADABLE for character in stated):
        raise NoReason(_("The reason has characters in it that nobody can read."))
    if turned := _TURNS_AROUND.search(stated):
        raise NoReason(
            _("The reason has a character in it that turns the direction of the text: %(character)s.")
            % {"character": f"U+{ord(turned[0]):04X} {unicodedata.name(turned[0])}"}
        )
    if len(stated) > REASON_LENGTH:
        raise NoReason(_("The reason can have %(most)s characters at most.") % {"most": REASON_LENGTH})
    return stated
