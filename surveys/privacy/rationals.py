"""Exact numbers only: every probability and every epsilon that protects somebody is a Fraction."""

import re
from collections.abc import Sequence
from fractions import Fraction

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
    raise ValueError(f'{name} must be a Fraction, an integer, or text like "3/4" or "0.75", got {value!r}')


def probability(value: object, name: str) -> Fraction:
    """Return the exact probability that somebody wrote down, between 0 and 1 inclusive."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {number}")
    return number


def positive(value: object, name: str) -> Fraction:
    """Return the exact number above 0 that somebody wrote down."""
    number = exact(value, name)
    if not number > 0:
        raise ValueError(f"{name} must be above 0, got {number}")
    return number


def distribution(values: Sequence[object], length: int, name: str) -> tuple[Fraction, ...]:
    """Return the exact probabilities that somebody wrote down, so many of them and summing to 1."""
    shares = tuple(probability(value, name) for value in values)
    if len(shares) != length or sum(shares) != 1:
        raise ValueError(f"{name} must hold {length} probabilities that sum to 1")
    return shares
