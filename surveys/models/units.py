"""The units in which budgets and their times are kept: integers, so that no rounding lends anything."""

from datetime import datetime
from fractions import Fraction

from django.utils import timezone

MICRO = 1_000_000
"""Millionths of ε."""

PICO = 1_000_000_000_000
"""Trillionths of δ."""


def this_second() -> datetime:
    """Return the time in whole seconds: parts of them, stored with releases, would tell how long draws take."""
    return timezone.now().replace(microsecond=0)


def plain_decimal(amount: Fraction) -> str:
    """Return a whole number of trillionths as programs read it, without rounding."""
    units = amount * PICO
    if units.denominator != 1:
        raise ValueError(f"amount must be a whole number of trillionths, got {amount}")
    sign = "-" if units < 0 else ""
    integer, rest = divmod(abs(units.numerator), PICO)
    return f"{sign}{integer}.{rest:012}".rstrip("0").rstrip(".")
