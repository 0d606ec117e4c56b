"""The units in which budgets and their times are kept: integers, so that no rounding lends anything."""

from datetime import datetime
from fractions import Fraction
from typing import Any

from django.utils import timezone

MICRO = 1_000_000
"""Millionths of ε."""

PICO = 1_000_000_000_000
"""Trillionths of δ."""


class Amount:
    """What a column holds in such units, as an exact fraction."""

    def __init__(self, column: str, unit: int) -> None:
        self._column, self._unit = column, unit

    def __get__(self, row: object, model: Any = None) -> Fraction:  # noqa: ANN401 - of any table
        return Fraction(getattr(row, self._column), self._unit)


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
