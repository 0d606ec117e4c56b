"""A share and its interval as a hundred people."""

import math
from dataclasses import dataclass

from surveys.results.figures.items import OptionResult


@dataclass(frozen=True, slots=True)
class PeopleOf100:
    """A hundred dots: those that reports say Yes of, chance included, or what the interval leaves possible."""

    lit: float = 0
    ring: float = 0
    yes: int = 0
    may: int = 0
    could: int = 0
    empty: int = 0

    @property
    def likely(self) -> int:
        """How many the estimate says."""
        return self.yes + self.may

    @property
    def most(self) -> int:
        """How many there are at most."""
        return self.likely + self.could


def people_reported(share: float) -> PeopleOf100:
    """Return the people of whom reports say so, to a tenth, as the share is written beside them."""
    lit = round(100 * share, 1)
    return PeopleOf100(lit=lit, ring=round(100 - lit, 1))


def people_of(option: OptionResult) -> PeopleOf100:
    """Return at least how many, how many likely and at most how many: rounded outwards, as sentences have them."""
    low = math.floor(round(100 * option.low, 6))
    high = math.ceil(round(100 * option.high, 6))
    likely = min(max(round(100 * option.estimate), low), high)
    return PeopleOf100(yes=low, may=likely - low, could=high - likely, empty=100 - high)
