"""What releasers type as numbers: decimals, cleaned to exact Fractions without a float on the way."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.formats import sanitize_separators
from django.utils.translation import gettext as _

from surveys.services import releasing

_DECIMAL = re.compile(r"\d{1,12}(\.\d{1,30})?", re.ASCII)
LONGEST = 50


class DecimalField(forms.CharField):
    """A decimal number that is not negative; cleans to an exact Fraction, or to None where nothing is typed."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"inputmode": "decimal", "size": 12, "autocomplete": "off"})
        super().__init__(max_length=LONGEST, widget=widget, **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction."""
        typed = super().clean(value)
        if not typed:
            return None
        number = exact_decimal(typed)
        if number is None:
            raise forms.ValidationError(self.words % {"typed": typed})
        return number

    @property
    def words(self) -> str:
        """What is said of a text that is no such number."""
        return _("“%(typed)s” is not a number. Write a decimal number such as 0.5.")


def exact_decimal(typed: str) -> Fraction | None:
    """Return the number that is written so, or None; where people write 0,5 they may, and 0.5 is understood always."""
    plain = sanitize_separators(typed)
    return Fraction(plain) if _DECIMAL.fullmatch(plain) else None


class _AmountField(DecimalField):
    def _checked(self, value: Any, check: Callable[[object], int]) -> Any:  # noqa: ANN401 - Field's signature
        number = super().clean(value)
        if number is not None:
            try:
                check(number)
            except releasing.Refused as error:
                raise forms.ValidationError(str(error)) from None
        return number


class EpsilonField(_AmountField):
    """A central ε typed as a decimal; cleans to an exact Fraction, a whole number of millionths."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction."""
        return self._checked(value, releasing.micro_epsilon)

    @property
    def words(self) -> str:
        """What is said of a text that is no such number."""
        return _("“%(typed)s” is not an ε. Write a decimal number above 0, such as 0.5.")


class RhoField(_AmountField):
    """A central ρ typed as a decimal; cleans to an exact Fraction, or to None where nothing is typed."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction."""
        return self._checked(value, releasing.pico_rho)


class DeltaField(_AmountField):
    """A central δ typed as a decimal; cleans to an exact Fraction, a whole number of trillionths; nothing is 0."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction."""
        return self._checked(value, releasing.pico_delta) or Fraction(0)

    @property
    def words(self) -> str:
        """What is said of a text that is no such number."""
        return _("“%(typed)s” is not a δ. Write a decimal number such as 0.000001, or 0.")
