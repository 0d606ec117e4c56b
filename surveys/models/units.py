"""The units in which budgets are kept: integers, so that no rounding lends anything."""

from fractions import Fraction
from typing import Any

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
