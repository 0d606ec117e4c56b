"""What people type as a mechanism's options, read exactly or refused by the option's name."""

from fractions import Fraction

from django.utils.translation import gettext as _

from surveys.privacy.rationals import exact
from surveys.selectors.releases.offer import OptionError

_DIGITS = 9


def whole(name: str, value: object, smallest: int, largest: int) -> int:
    """Return a whole number within limits, as an int or as digits; raises `OptionError`."""
    number = value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value.strip()) <= _DIGITS:
        number = int(value)
    if type(number) is int and smallest <= number <= largest:
        return number
    raise OptionError(
        name, _("It must be a whole number from %(low)s to %(high)s.") % {"low": smallest, "high": largest}
    )


def share(name: str, value: object) -> Fraction:
    """Return a share strictly between 0 and 1, as a Fraction or as text such as 1/2 or 0.25; raises `OptionError`."""
    number = _exact(value)
    if number is None or not 0 < number < 1:
        raise OptionError(name, _("It must be an exact share between 0 and 1, such as 1/2 or 0.25."))
    return number


def between(name: str, value: object, smallest: Fraction, below: Fraction) -> Fraction:
    """Return an exact number from the smallest to below a limit; raises `OptionError`."""
    number = _exact(value)
    if number is None or not smallest <= number < below:
        raise OptionError(
            name,
            _("It must be from %(low)s, the smallest difference of two answers, to below %(high)s, the largest.")
            % {"low": smallest, "high": below},
        )
    return number


def _exact(value: object) -> Fraction | None:
    try:
        return exact(value, "value")
    except ValueError:
        return None
