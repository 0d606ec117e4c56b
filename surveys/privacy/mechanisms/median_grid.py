"""A noisy median as it is published, and the public grid that it is on."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from surveys.privacy.rationals import positive


@dataclass(frozen=True, slots=True)
class ReleasedMedian:
    """What was published: a number between the smallest and the largest value, or None where it was refused.

    Attributes
    ----------
    value : Fraction or None
        The noisy median, None where it was refused.
    distance : int or None
        The noisy distance that says how much noise a smooth sensitivity asked for.
    """

    value: Fraction | None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class MedianGrid:
    """The numbers low, low + step, low + 2·step, … below high, and high itself: low and high are the outer values.

    It depends on public numbers only, so rounding to it and keeping a number between its ends cost nothing.

    Parameters
    ----------
    values : tuple of Fraction
        Increasing, at least two.
    step : Fraction
        Above 0, and at most the smallest difference of two values, which keeps them apart.
    """

    values: tuple[Fraction, ...]
    step: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", positive(self.step, "step"))
        smallest = min(high - low for low, high in pairwise(self.values))
        if not self.step <= smallest:
            raise ValueError(f"step must be at most {smallest}, the smallest difference of two values, got {self.step}")

    @property
    def last(self) -> int:
        """The position of the high end; the low end has position 0."""
        return math.ceil((self.values[-1] - self.values[0]) / self.step)

    def place(self, number: Fraction) -> Fraction:
        """Return how many steps a number is above the low end."""
        return (number - self.values[0]) / self.step

    def nearest(self, number: Fraction) -> int:
        """Return the position nearest to a number between the ends; of two as near, the upper one."""
        return math.floor(self.place(number) + Fraction(1, 2))

    @property
    def rounding(self) -> Fraction:
        """How far, in steps, any of the values is at most from the position nearest to it."""
        return max(abs(self.place(value) - self.nearest(value)) for value in self.values)

    def number(self, position: int) -> Fraction:
        """Return the number at a position, kept between the ends."""
        return max(self.values[0], min(self.values[0] + position * self.step, self.values[-1]))

    def position(self, number: Fraction | None) -> int | None:
        """Return the position of a number, None where it is not on the grid."""
        if not isinstance(number, Fraction):
            return None
        if number == self.values[-1]:
            return self.last
        place = self.place(number)
        return int(place) if place.denominator == 1 and 0 <= place < self.last else None
