"""Bounds that rounding cannot break: computed in decimals, then rounded to the float on the safe side.

A float formula is right to about 16 digits, so half of its results are too small by the last of them; a privacy
guarantee that is too small is wrong. `decimal` rounds every operation as specified, its exp and ln included. With
60 digits even thousands of operations err by less than 1e-50 of the result; `upper` and `lower` allow for 1e-40 and
take the next float. Where exp(x) − 1 or ln(1 + x) would cancel, as many digits are added as cancel.
"""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction

HUGE = 10**9
"""An epsilon beyond which e^ε is not computed any more, as nothing is protected."""

LARGEST = sys.float_info.max
SMALLEST = math.ulp(0.0)
"""What a float can hold above 0: a number beyond the one rounds up to infinity, any below the other to it."""

_DIGITS = 60
_ALLOWANCE = Decimal("1e-40")


@contextmanager
def many_digits(extra: int = 0) -> Iterator[None]:
    """Compute with 60 digits, and more where more cancel; no exponent that e^HUGE needs is too large."""
    with localcontext(Context(prec=_DIGITS + extra, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        yield


def decimal(value: float | Fraction) -> Decimal:
    """Return a number as a decimal; a float stands for its binary value."""
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return Decimal(value)


def cancelled_digits(x: Decimal) -> int:
    """Return how many digits are lost when 1 + x is taken for a small x, or exp(x) − 1."""
    return max(0, -x.adjusted())


def expm1(x: Decimal) -> Decimal:
    """Return exp(x) − 1, as exact for a tiny x as for any other."""
    with many_digits(cancelled_digits(x)):
        return x.exp() - 1


def log1p(x: Decimal) -> Decimal:
    """Return ln(1 + x), as exact for a tiny x as for any other."""
    with many_digits(cancelled_digits(x)):
        return (1 + x).ln()


def upper(value: Decimal) -> float:
    """Return a float that is certainly not below the number computed, and at most the second above; 0 for 0."""
    return 0.0 - lower(value.copy_negate())


def lower(value: Decimal) -> float:
    """Return a float that is certainly not above the number computed, and at most the second below; 0 for 0."""
    if not value or value.is_infinite():
        return float(value)
    with many_digits():
        bound = value - abs(value) * _ALLOWANCE
    nearest = float(bound)
    return nearest if Decimal(nearest) <= bound else math.nextafter(nearest, -math.inf)


def float_not_below(value: float | Fraction) -> float:
    """Return the smallest float that is not below an exact number of at least 0; infinity beyond all floats."""
    if value > LARGEST:
        return math.inf
    nearest = float(value)
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def nonnegative(value: float | Fraction, name: str) -> Decimal:
    """Return a number of at least 0, infinity included, as a decimal."""
    if not value >= 0:
        raise ValueError(f"{name} must be at least 0, got {value!r}")
    return decimal(value)


def share(value: float | Fraction, name: str) -> Decimal:
    """Return a number from 0 to 1 as a decimal."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {value!r}")
    return decimal(value)
