"""Form fields for what people write down exactly: probabilities and numbers."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from surveys.privacy.rationals import exact, probability


class ProbabilityField(forms.CharField):
    """One exact probability strictly between 0 and 1, typed as "1/2", "3/4" or "0.75"; cleans to a Fraction."""

    def __init__(self, *, max_length: int = 40, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction; an empty field stays "" where it is not required."""
        typed = super().clean(value)
        return _share(typed) if typed else ""


class SharesField(forms.CharField):
    """Exact probabilities separated by commas, or nothing; cleans to a tuple of Fractions."""

    def __init__(self, *, max_length: int = 400, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fractions in the order typed, () for an empty field."""
        typed = super().clean(value)
        return tuple(_share(part.strip()) for part in typed.split(",")) if typed else ()


class NumberField(forms.CharField):
    """One exact number, typed as "12", "-3" or "7.5"; cleans to a Fraction, or to None where nothing is typed."""

    def __init__(self, *, max_length: int = 40, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction; whether it is in order the model decides."""
        typed = super().clean(value)
        return _number(typed) if typed else None


class NumbersField(forms.CharField):
    """Exact numbers separated by commas, spaces or lines; cleans to a list of Fractions."""

    def __init__(self, *, max_length: int = 600, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fractions in the order typed."""
        typed = super().clean(value)
        return [_number(part) for part in re.split(r"[\s,;]+", typed) if part]


def _share(typed: str) -> Fraction:
    try:
        number = probability(typed, "probability")
    except ValueError:
        raise forms.ValidationError(
            _("“%(typed)s” is not a probability. Write a fraction or a decimal between 0 and 1, such as 1/2 or 0.75.")
            % {"typed": typed}
        ) from None
    if not 0 < number < 1:
        raise forms.ValidationError(
            _("“%(typed)s” leaves nothing to chance. Write a fraction or a decimal between 0 and 1, such as 1/2.")
            % {"typed": typed}
        )
    return number


def _number(typed: str) -> Fraction:
    try:
        return exact(typed.replace("−", "-"), "number")
    except ValueError:
        raise forms.ValidationError(
            _("“%(typed)s” is not a number. Write one such as 12, −3 or 7.5, with a point before the decimals.")
            % {"typed": typed}
        ) from None


def written(value: Sequence[int]) -> str:
    """Return a stored [numerator, denominator] as it is typed."""
    return str(Fraction(*value))


def named_message(form: forms.BaseForm, name: str, message: str) -> str:
    """Put the field's name before a message, but for one of ours that says what to do where nothing was typed."""
    if name not in form.fields:
        return message
    required = str(form.fields[name].error_messages["required"])
    if message == required != str(forms.Field.default_error_messages["required"]):
        return message
    return _("%(field)s: %(message)s") % {"field": str(form[name].label).rstrip("?"), "message": message}
