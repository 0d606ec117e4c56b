"""ε and δ as budgets count them, exactly: whole millionths and whole trillionths."""

from fractions import Fraction

from surveys.models.units import PICO
from surveys.selectors.releases.terms import LARGEST_EPSILON

__all__ = ["LARGEST_DELTA", "LARGEST_EPSILON", "decimal", "split"]

LARGEST_DELTA = Fraction(1, 1000)
"""Above it a mechanism may publish one response of a thousand outright."""


def decimal(amount: Fraction) -> str:
    """Return a whole number of trillionths as programs read it, without rounding."""
    units = amount * PICO
    if units.denominator != 1:
        raise ValueError(f"amount must be a whole number of trillionths, got {amount}")
    sign = "-" if units < 0 else ""
    whole, rest = divmod(abs(units.numerator), PICO)
    return f"{sign}{whole}.{rest:012}".rstrip("0").rstrip(".")


def split(units: int, parts: int) -> list[int]:
    """Share whole units out evenly; what is left over goes to the first parts, one each."""
    each, rest = divmod(units, parts)
    return [each + (part < rest) for part in range(parts)]
