"""What several epsilons come to: of people who would be harmed together, or of one response's reports."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Protocol

from surveys.privacy.decimals import float_not_below
from surveys.privacy.rationals import whole_number


class _Protects(Protocol):
    """Anything that has a local epsilon."""

    @property
    def epsilon(self) -> float:
        """The local epsilon in nats."""


def group_epsilon(design: _Protects, size: int) -> float:
    """Return the epsilon of what the reports of a whole group give away about its answers taken together, rounded up.

    Parameters
    ----------
    design : Design, UnaryDesign, OneBitMean or Bands
        What each of them answers through.
    size : int
        How many people share what is to be hidden, such as a household, at least 1.
    """
    size = whole_number(size, "size", 1)
    return float_not_below(size * Fraction(design.epsilon)) if design.epsilon < math.inf else math.inf


def total_epsilon(epsilons: Iterable[float]) -> float:
    """Return the sum of the epsilons of one response's reports (basic composition), rounded up."""
    losses = list(epsilons)
    return math.inf if math.inf in losses else float_not_below(sum(map(Fraction, losses), Fraction(0)))
