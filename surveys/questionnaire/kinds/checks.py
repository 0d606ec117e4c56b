"""What a survey owner may write in a question, read and refused: texts and numbers."""

from fractions import Fraction
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from surveys.questionnaire.texts import check_line as _check_line_of_text
from surveys.questionnaire.texts import same_text

MAX_OPTIONS = 20
OPTION_LENGTH = 120
LABEL_LENGTH = 60
# The browser draws below the common denominator, and below a number's steps, from 32 random bits.
LARGEST_DENOMINATOR = 1_000_000
_LARGEST_NUMBER = 10**9


def check_options(options: Any) -> None:  # noqa: ANN401 - whatever stands in the JSON column
    """Refuse options that could not be shown, naming the field."""
    if not isinstance(options, tuple) or not all(isinstance(option, str) for option in options):
        raise ValidationError({"options": gettext("The options must be a list of texts.")})
    if not 2 <= len(options) <= MAX_OPTIONS:
        raise ValidationError(
            {"options": gettext("Enter 2 to %(most)s options, one per line.") % {"most": MAX_OPTIONS}}
        )
    if any(not option.strip() or len(option) > OPTION_LENGTH for option in options):
        raise ValidationError(
            {"options": gettext("Every option must have 1 to %(most)s characters.") % {"most": OPTION_LENGTH}}
        )
    for number, option in enumerate(options, start=1):
        _check_line("options", option, gettext("Option %(number)s.") % {"number": number})
    if len({same_text(option) for option in options}) < len(options):
        raise ValidationError({"options": gettext("Two options are the same. Change one.")})


def check_text(name: str, text: Any, longest: int, *, may_be_empty: bool = False) -> None:  # noqa: ANN401
    """Refuse what is no short line, naming the field."""
    if text is None:
        raise ValidationError({name: gettext("This value is missing. Add it.")})
    if not isinstance(text, str) or len(text) > longest:
        raise ValidationError({name: gettext("Enter at most %(most)s characters.") % {"most": longest}})
    if not text.strip() and not may_be_empty:
        raise ValidationError({name: gettext("Enter this text. Respondents need it.")})
    _check_line(name, text)


def _check_line(name: str, text: str, place: str = "") -> None:
    try:
        _check_line_of_text(text)
    except ValidationError as refused:
        raise ValidationError({name: f"{place} {refused.message}".strip()}) from None


def checked_number(name: str, pair: Any) -> Fraction:  # noqa: ANN401
    """Return a stored [numerator, denominator] whose decimals end, so that people can read and type it."""
    if (
        not isinstance(pair, tuple)
        or len(pair) != 2
        or any(type(part) is not int or abs(part) > _LARGEST_NUMBER * 10**6 for part in pair)
        or not 1 <= pair[1] <= 10**6
        or 10**6 % Fraction(*pair).denominator
        or abs(Fraction(*pair)) > _LARGEST_NUMBER
    ):
        raise ValidationError(
            {name: gettext("Enter a number between −1,000,000,000 and 1,000,000,000 with at most six decimals.")}
        )
    return Fraction(*pair)


def pair_of(value: Fraction) -> list[int]:
    """Return an exact number as it is stored: [numerator, denominator]."""
    return [value.numerator, value.denominator]
