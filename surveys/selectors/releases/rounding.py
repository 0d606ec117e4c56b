"""Rounding of what is promised at most: never down."""

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction


def rounded_up(value: float, digits: int) -> float:
    """Round to so many significant digits, upwards: what is promised at most must not be printed as less."""
    if not value > 0:
        return 0.0
    if value == math.inf:
        return value
    return float(Context(prec=digits, rounding=ROUND_CEILING).plus(Decimal(repr(float(value)))))


def exactly_rounded_up(value: Fraction, digits: int) -> Fraction:
    """Return the smallest number of so many significant digits that is not below an exact one above 0."""
    if not value > 0:
        raise ValueError(f"value must be above 0, got {value}")
    unit = Fraction(10) ** (math.floor(math.log10(value)) - digits + 1)
    # A logarithm that is off by its last bit leads to one digit more or fewer, never below the value.
    return math.ceil(value / unit) * unit
