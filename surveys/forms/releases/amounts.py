"""What releasers type as numbers: decimals, cleaned to exact Fractions without a float on the way."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from surveys.releases.options import DecimalField
from surveys.services import releasing


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
