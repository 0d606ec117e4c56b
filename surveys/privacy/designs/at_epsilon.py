"""For a wished epsilon, probabilities that people can say, spin and throw."""

import math
from fractions import Fraction

from surveys.privacy.designs.odds import exp_from_below

CLOSE = Fraction(99, 100)
"""The epsilon reached is at most the wished one and, unless said otherwise, at least this part of it."""


def truth_for(odds: Fraction, least_chance: Fraction) -> Fraction:
    """Return the probability of the truth at which reports change odds by this factor, at most.

    With probability t the truth is reported, else a random answer; the rarest random answer, with probability c, then
    has the odds 1 + t/((1 − t)c).

    Raises
    ------
    ValueError
        If one of the answers is never drawn: then epsilon is infinite.
    """
    if not least_chance > 0:
        raise ValueError("chance must give every answer: with a share of 0 epsilon is infinite")
    gained = (odds - 1) * least_chance
    return gained / (1 + gained)


def half_for(odds: Fraction) -> Fraction:
    """Return the probability of a statement, else of its opposite, at which reports change odds by this factor."""
    return odds / (1 + odds)


def odds_below(exponent: Fraction) -> Fraction:
    """Return odds just below e to this exponent: whatever is made of them promises no more than is kept."""
    return max(exp_from_below(exponent), Fraction(1))


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator from low to high, both at least 0 and low below high.

    Both numbers' continued fractions are followed for as long as they agree.
    """
    if not 0 <= low < high:
        raise ValueError(f"low must be at least 0 and below high, got {low} and {high}")
    integer = math.ceil(low)
    if integer <= high:
        return Fraction(integer)
    below = math.floor(low)
    return below + 1 / simplest_between(1 / (high - below), 1 / (low - below))
