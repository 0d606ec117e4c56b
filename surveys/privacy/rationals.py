"""Exact numbers only: every probability and every epsilon that protects somebody is a Fraction."""

import math
import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import SupportsIndex

DECIMALS = 12
"""Of what `plain_decimal` writes: budgets are kept in millionths of ε and trillionths of δ."""

_WRITTEN = re.compile(r"[+-]?\d{1,100}(/\d{1,100}|\.\d{1,100})?", re.ASCII)


def exact(value: object, name: str) -> Fraction:
    """Return the Fraction that somebody wrote down exactly.

    Parameters
    ----------
    value : Fraction, int or str
        A Fraction, an integer, ``"3/4"`` or an exact decimal such as ``"0.75"``.
    name : str
        What the number is called, for the error message.

    Raises
    ------
    ValueError
        If the value is a float (its digits are not what was meant), a bool, or not a number.
    """
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str) and _WRITTEN.fullmatch(value.strip()):
        try:
            return Fraction(value.strip())
        except ZeroDivisionError:
            pass
    raise ValueError(f'{name} must be a Fraction, an integer, or text like "3/4" or "0.75", got {show_value(value)}')


def plain_decimal(number: Fraction) -> str:
    """Return a number of at most twelve decimals as `exact` reads it, without rounding.

    Raises
    ------
    ValueError
        If the number has more decimals.
    """
    units = number * 10**DECIMALS
    if units.denominator != 1:
        raise ValueError(f"number must have at most {DECIMALS} decimals, got {number}")
    sign = "-" if units < 0 else ""
    integer, rest = divmod(abs(units.numerator), 10**DECIMALS)
    return f"{sign}{integer}.{rest:0{DECIMALS}}".rstrip("0").rstrip(".")


def probability(value: object, name: str) -> Fraction:
    """Return the exact probability that somebody wrote down, between 0 and 1 inclusive."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {show_value(number, str)}")
    return number


def positive(value: object, name: str) -> Fraction:
    """Return the exact number above 0 that somebody wrote down."""
    number = exact(value, name)
    if not number > 0:
        raise ValueError(f"{name} must be above 0, got {show_value(number, str)}")
    return number


def distribution(values: Sequence[object], length: int, name: str) -> tuple[Fraction, ...]:
    """Return the exact probabilities that somebody wrote down, so many of them and summing to 1."""
    shares = tuple(probability(value, name) for value in values)
    if len(shares) != length or sum(shares) != 1:
        raise ValueError(f"{name} must hold {length} probabilities that sum to 1")
    return shares


def root_not_below(square: Fraction, unit: Fraction) -> Fraction:
    """Return the smallest multiple of a unit whose square is not below a number of at least 0."""
    ratio = square / unit**2
    below = math.isqrt(math.floor(ratio))
    return unit * (below if below * below == ratio else below + 1)


def as_integer(value: object) -> int | None:
    """Return an integer, numpy's among them, as an int; None for a bool, and for a float even where it is whole."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    try:
        return operator.index(value)
    except TypeError:  # numpy's bools and arrays have the method, and refuse
        return None


def whole_number(value: object, name: str, smallest: int = 0, largest: int | None = None) -> int:
    """Return an integer, numpy's among them, from the smallest to the largest; None leaves it unbounded.

    Raises
    ------
    ValueError
        If the value is a bool, no integer (10.0 is a float), or out of range.
    """
    number = as_integer(value)
    if number is None or not number >= smallest or (largest is not None and not number <= largest):
        allowed = f"of at least {smallest}" if largest is None else f"from {smallest} to {largest}"
        raise ValueError(f"{name} must be an integer {allowed}, got {show_value(value)}")
    return number


def show_value(value: object, write: Callable[[object], str] = repr) -> str:
    """Return a value as an error message writes it, of which Python writes no integer of thousands of digits."""
    try:
        return write(value)
    except ValueError:
        return "a number of thousands of digits"
