"""What is typed: decimals, cleaned to exact Fractions without a float on the way, and why."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from surveys.models.budget import REASON_LENGTH
from surveys.releases.families.options import DecimalField
from surveys.releases.ledger.services import pico_rho
from surveys.releases.refusals import ReleaseRefused
from surveys.releases.services.request import micro_epsilon, pico_delta, stated_reason


class _AmountField(DecimalField):
    _check: Callable[[object], int]

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        """Return the Fraction, or None where nothing is typed."""
        number = super().clean(value)
        if number is not None:
            try:
                self._check(number)
            except ReleaseRefused as error:
                raise forms.ValidationError(str(error)) from None
        return number


class EpsilonField(_AmountField):
    """A central ε typed as a decimal; cleans to an exact Fraction, a whole number of millionths."""

    words = gettext_lazy("“%(typed)s” is not a valid ε. Enter a decimal number above 0, such as 0.5.")
    _check = staticmethod(micro_epsilon)


class RhoField(_AmountField):
    """A central ρ typed as a decimal; cleans to an exact Fraction, or to None where nothing is typed."""

    _check = staticmethod(pico_rho)


class DeltaField(_AmountField):
    """A central δ typed as a decimal; cleans to an exact Fraction, a whole number of trillionths; nothing is 0."""

    words = gettext_lazy("“%(typed)s” is not a valid δ. Enter a decimal number such as 0.000001, or 0.")
    _check = staticmethod(pico_delta)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        return super().clean(value) or Fraction(0)


class ReasonField(forms.CharField):
    """Why something is done; what the ledger would not keep is refused beside it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=REASON_LENGTH, widget=forms.TextInput(attrs={"class": "vTextField"}), **kwargs)

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Field's signature
        try:
            return stated_reason(super().clean(value))
        except ReleaseRefused as refused:
            raise forms.ValidationError(str(refused)) from None
