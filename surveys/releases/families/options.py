"""What a mechanism needs besides ε and δ: as a field of the form, read exactly, and in words."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from django import forms
from django.utils.formats import sanitize_separators
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.privacy.rationals import exact
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.refusals import ReleaseRefused, Why

Questions = tuple[AskedQuestion, ...]
"""What one part of a release is about: one question, or several that are counted jointly, the outcome first."""


def invalid(field: str, words: str) -> ReleaseRefused:
    """Return the refusal of an option that cannot be what was typed: the words say why, the field is the option's."""
    return ReleaseRefused(Why.INVALID_OPTION, words, field=field)


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that a mechanism needs.

    Attributes
    ----------
    name : str
        Of the field, of what is stored, and of the command's option.
    place : int
        Where it stands among the options of the form.
    needs : str
        What it is, after "Also needs".
    help : str
        How it is written, for the command.
    field : callable
        Returns the form's field for these questions; left empty it is None or "".
    read : callable
        Returns what was typed exactly and fit for JSON, or raises `ReleaseRefused`.
    words : callable
        Says on the page what was given, of a plan.
    needed : bool
        Whether the mechanism cannot do without it; else it is stored only where it was given.
    """

    name: str
    place: int
    needs: Promise
    field: Callable[[Sequence[AskedQuestion]], forms.Field]
    read: Callable[[Questions, object], Any]
    words: Callable[[Any, Any], str]
    help: str = ""
    needed: bool = True


_DECIMAL = re.compile(r"\d{1,12}(\.\d{1,30})?", re.ASCII)
LONGEST = 50


class DecimalField(forms.CharField):
    """A decimal number that is not negative; cleans to an exact Fraction, or to None where nothing is typed."""

    # What is said of a text that is no such number.
    words: ClassVar[Promise] = gettext_lazy("“%(typed)s” is not a number. Enter a decimal number such as 0.5.")

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 12, "autocomplete": "off"})
        super().__init__(max_length=LONGEST, widget=widget, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        typed = super().clean(value)
        if not typed:
            return None
        number = exact_decimal(typed)
        if number is None:
            raise forms.ValidationError(str(self.words) % {"typed": typed})
        return number


def exact_decimal(typed: str) -> Fraction | None:
    """Return the number that is written so, or None; where people write 0,5 they may, and 0.5 is understood always."""
    plain = sanitize_separators(typed)
    return Fraction(plain) if _DECIMAL.fullmatch(plain) else None


_DIGITS = 9


def read_whole_number(name: str, value: object, smallest: int, largest: int) -> int:
    """Return a whole number within limits, as an int or as digits; raises `ReleaseRefused`."""
    number = value
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value.strip()) <= _DIGITS:
        number = int(value)
    if type(number) is int and smallest <= number <= largest:
        return number
    raise invalid(name, _("Enter a whole number from %(low)s to %(high)s.") % {"low": smallest, "high": largest})


def share(name: str, value: object) -> Fraction:
    """Return a share strictly between 0 and 1, from a Fraction or a text as 1/2 or 0.25; raises `ReleaseRefused`."""
    number = _exact(value)
    if number is None or not 0 < number < 1:
        raise invalid(name, _("Enter an exact share between 0 and 1, such as 1/2 or 0.25."))
    return number


def read_number_between(name: str, value: object, smallest: Fraction, below: Fraction) -> Fraction:
    """Return an exact number from the smallest to below a limit; raises `ReleaseRefused`."""
    number = _exact(value)
    if number is None or not smallest <= number < below:
        raise invalid(
            name,
            _(
                "Enter at least %(low)s (the smallest difference between two answers) and less than %(high)s "
                "(the largest)."
            )
            % {"low": smallest, "high": below},
        )
    return number


def _exact(value: object) -> Fraction | None:
    try:
        return exact(value, "value")
    except ValueError:
        return None
