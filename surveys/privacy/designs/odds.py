"""Exact odds that are as large as an epsilon allows, and never larger; and what epsilons come to together."""

import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from surveys.privacy.decimals import decimal, float_not_below, log1p, many_digits, upper
from surveys.privacy.rationals import positive

LARGEST_DENOMINATOR = 10**9
"""Of a design for a given epsilon, unless said otherwise: a browser draws an integer below it from 32 random bits."""

_DIGITS = 60


def exact_epsilon(epsilon: object) -> Fraction:
    """Return a wanted epsilon as a Fraction; a float stands for its binary value.

    Raises
    ------
    ValueError
        If it is not a finite number above 0.
    """
    if not isinstance(epsilon, float):
        return positive(epsilon, "epsilon")
    if not 0 < epsilon < math.inf:
        raise ValueError(f"epsilon must be above 0 and finite, got {epsilon}")
    return Fraction(epsilon)


def exp_from_below(exponent: Fraction) -> Fraction:
    """Return a rational number that is certainly below e to this exponent and shares its first 50 digits.

    `decimal` rounds the division down as instructed, and its exponential is specified to be correctly rounded, so that
    the next smaller decimal number is below the true value.
    """
    context = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    quotient = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return Fraction(context.next_minus(context.exp(quotient)))


def largest_odds(exponent: Fraction, cost: int, limit: int) -> Fraction:
    """Return the largest a/b of at most e to this exponent with a + cost·b of at most the limit.

    Parameters
    ----------
    exponent : Fraction
        Above 0: the logarithm that the odds may not exceed.
    cost : int
        At least 1: how often the b occurs in the common denominator.
    limit : int
        The largest common denominator.

    Raises
    ------
    ValueError
        If only odds of 1 stay within both, which would tell nothing.

    Notes
    -----
    A walk down the Stern-Brocot tree: any fraction between two neighbours is a sum of multiples of both, so it costs
    more than the neighbours do together. Steps in one direction are taken at once.
    """
    # e to this is beyond the limit in any case.
    bound = exp_from_below(min(exponent, Fraction(limit.bit_length())))
    (a, b), (c, d) = (0, 1), (1, 0)
    moved = limit > cost
    while moved:
        up = min((bound * b - a) // (c - bound * d), (limit - a - cost * b) // (c + cost * d))
        a, b = a + up * c, b + up * d
        down = math.ceil((c - bound * d) / (bound * b - a)) - 1 if bound * b > a else 0
        c, d = c + down * a, d + down * b
        moved = up + down > 0
    if not a > b:
        raise ValueError(f"epsilon is too small for a common denominator of at most {limit}")
    return Fraction(a, b)


def log_of(odds: Fraction) -> float:
    """Return the logarithm of odds of at least 1, rounded up, however close to 1 or large they are."""
    with many_digits():
        return upper(log1p(decimal(odds - 1)))


def total_epsilon(epsilons: Iterable[float]) -> float:
    """Return the sum of the epsilons of one response's reports (basic composition), rounded up.

    Parameters
    ----------
    epsilons : iterable of floats
        Of each report.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    ValueError
        If the sum is NaN.

    Examples
    --------
    >>> from surveys.privacy import total_epsilon
    >>> total_epsilon([0.5, 0.25])
    0.75
    """
    losses = list(epsilons)
    return math.inf if math.inf in losses else float_not_below(sum(map(Fraction, losses), Fraction(0)))
