"""What people type as ε, δ and reasons, refused by name where it cannot be."""

from django.utils.translation import gettext as _

from surveys.common.numbers import exactly
from surveys.models.budget import REASON_LENGTH
from surveys.models.texts import turning_in, unseen_in
from surveys.models.units import MICRO, PICO
from surveys.privacy.rationals import exact, positive, shown
from surveys.services.releasing.amounts import LARGEST_DELTA, LARGEST_EPSILON
from surveys.services.releasing.refusals import InvalidDelta, InvalidEpsilon, NoReason


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
        raise InvalidDelta(_("δ must be between 0 and %(most)s.") % {"most": exactly(LARGEST_DELTA)})
    units = number * PICO
    if units.denominator != 1:
        raise InvalidDelta(_("δ can have twelve decimals at most."))
    return units.numerator


def stated_reason(reason: str) -> str:
    """Return a reason without space around it; raises `NoReason` where there is none or it is too long."""
    stated = " ".join(reason.split())
    if not stated:
        raise NoReason(_("Say why: the ledger keeps it for good."))
    if unseen_in(stated):
        raise NoReason(_("The reason has characters in it that nobody can read."))
    if turning := turning_in(stated):
        raise NoReason(
            _("The reason has a character in it that turns the direction of the text: %(character)s.")
            % {"character": turning}
        )
    if len(stated) > REASON_LENGTH:
        raise NoReason(_("The reason can have %(most)s characters at most.") % {"most": REASON_LENGTH})
    return stated
