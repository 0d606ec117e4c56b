"""A number with its interval, and the range in which it is measured."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of what is measured, and its unit."""

    low: Fraction
    high: Fraction
    unit: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as far as a release tells.

    Attributes
    ----------
    raw : float or None
        As it was drawn: it may lie beyond what is possible. None where the counts lead to no number.
    value : float or None
        The nearest that is possible.
    low, high : float
        The confidence interval, for both kinds of chance.
    scale : Scale
        What is possible.
    among_those_who_say : bool
        Whether chance hides who says no number, so that this is about the others.
    """

    raw: float | None
    value: float | None
    low: float
    high: float
    scale: Scale
    among_those_who_say: bool

    @property
    def says_nothing(self) -> bool:
        """Whether the interval leaves all but everything possible."""
        least, most = float(self.scale.low), float(self.scale.high)
        return self.high - self.low > 0.99 * (most - least)


def squared(unit: str) -> str:
    """Return what the variance of numbers in this unit is measured in."""
    if not unit:
        return ""
    return f"({unit})²" if " " in unit else f"{unit}²"
