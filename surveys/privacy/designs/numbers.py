"""Designs for questions whose answer is a number within known limits."""

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import exact


class OutsideLimitsError(ValueError):
    """A number was answered that is not within the question's limits; the message does not repeat it."""


@dataclass(frozen=True)
class OneBitMean:
    """For the mean of a number, rounded at random to one of the two limits, which is then reported through a design.

    The limit is the high one with probability (x − low)/(high − low), so its mean is x. A report is as much protected
    as one of `design`, whose epsilon is attained between the two limits.

    Parameters
    ----------
    low, high : exact numbers
        The limits, low below high.
    design : Design
        Two answers: code 0 is the low limit, code 1 the high one.

    References
    ----------
    Ding, Kulkarni & Yekhanin (2017), Collecting telemetry data privately.
    """

    low: Fraction
    high: Fraction
    design: Design

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", exact(self.low, "low"))
        object.__setattr__(self, "high", exact(self.high, "high"))
        if not self.low < self.high:
            raise ValueError(f"low must be below high, got {self.low} and {self.high}")
        if self.design.k != 2:
            raise ValueError(f"design must be for two answers, the low and the high limit, not for {self.design.k}")

    @property
    def epsilon(self) -> float:
        """The local epsilon between any two numbers within the limits."""
        return self.design.epsilon

    def share(self, value: object) -> Fraction:
        """Return the probability that this number is rounded to the high limit."""
        return (within(value, self.low, self.high) - self.low) / (self.high - self.low)

    def column(self, value: object) -> tuple[Fraction, ...]:
        """Return Pr(report | value), one probability a report."""
        high = self.share(value)
        return tuple((1 - high) * if_low + high * if_high for if_low, if_high in self.design.matrix)


@dataclass(frozen=True)
class Bands:
    """For the distribution of a number: the band it falls into is reported as one of k answers.

    Band i holds the numbers from edge i up to, but not including, edge i + 1; the last one includes its upper edge.

    Parameters
    ----------
    edges : tuple of exact numbers
        Increasing; one more than there are bands.
    design : Design
        For as many answers as there are bands.
    """

    edges: tuple[Fraction, ...]
    design: Design

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(exact(edge, "edges") for edge in self.edges))
        if not all(left < right for left, right in pairwise(self.edges)):
            raise ValueError("edges must increase")
        if len(self.edges) != self.design.k + 1:
            raise ValueError(
                f"edges must be one more than the {self.design.k} answers of the design, got {len(self.edges)}"
            )

    @property
    def low(self) -> Fraction:
        """The lower limit."""
        return self.edges[0]

    @property
    def high(self) -> Fraction:
        """The upper limit."""
        return self.edges[-1]

    @property
    def epsilon(self) -> float:
        """The local epsilon between any two numbers within the limits."""
        return self.design.epsilon

    def code(self, value: object) -> int:
        """Return the number of the band that holds this number, from 0."""
        number = within(value, self.low, self.high)
        return min(bisect_right(self.edges, number), self.design.k) - 1

    def column(self, value: object) -> tuple[Fraction, ...]:
        """Return Pr(report | value), one probability a report."""
        band = self.code(value)
        return tuple(row[band] for row in self.design.matrix)


def within(value: object, low: Fraction, high: Fraction) -> Fraction:
    """Return the exact number that was answered; no message repeats it."""
    try:
        number = exact(value, "value")
    except ValueError:
        raise OutsideLimitsError("value must be an exact number") from None
    if not low <= number <= high:
        raise OutsideLimitsError(f"value must be from {low} to {high}")
    return number
