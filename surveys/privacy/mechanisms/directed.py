"""Decimals rounded away from the truth on either side, with as many digits as a decision needs."""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

_DIGITS = 60


def down_and_up(digits: int) -> tuple[Context, Context]:
    """Return two contexts of so many digits: one rounds down, the other up; `exp` and `ln` round to nearest in both."""
    down, up = (
        Context(prec=digits, rounding=way, Emax=MAX_EMAX, Emin=MIN_EMIN) for way in (ROUND_FLOOR, ROUND_CEILING)
    )
    return down, up


def limits(number: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Return decimals of so many digits, one not above the number and one not below."""
    down, up = down_and_up(digits)
    parts = [Decimal(part) for part in number.as_integer_ratio()]
    return down.divide(*parts), up.divide(*parts)


def exp_limits(exponent: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Return decimals of so many digits between which e to the exponent lies, the lower one not below 0."""
    (down, up), (low, high) = down_and_up(digits), limits(exponent, digits)
    return max(Decimal(0), down.next_minus(down.exp(low))), up.next_plus(up.exp(high))


def log_exceeds(ratio: Fraction, exponent: Fraction) -> bool:
    """Return whether ln(ratio) > exponent, exactly, for a ratio above 0 and an exponent other than 0.

    They are never equal, as no rational power of e but 1 is rational (Lindemann), so some number of digits decides.
    """
    digits = _DIGITS
    while True:
        (down, up), (low, high), (least, most) = down_and_up(digits), limits(ratio, digits), limits(exponent, digits)
        low, high = down.next_minus(down.ln(low)), up.next_plus(up.ln(high))
        if low >= most or high <= least:
            return low >= most
        digits *= 2
