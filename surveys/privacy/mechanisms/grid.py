"""Fixed point: exact values as whole steps from a base, so that sums and noise are integers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from surveys.privacy.adjacency import NeighbouringRelation, require_member
from surveys.privacy.rationals import exact, whole_number


@dataclass(frozen=True, slots=True)
class Grid:
    """Values as base + unit·step, with the largest unit for which all steps are integers."""

    base: Fraction
    unit: Fraction
    steps: tuple[int, ...]

    def sum_of(self, counts: Sequence[int]) -> int:
        """Return Σ step·count."""
        return sum(step * count for step, count in zip(self.steps, counts, strict=True))

    def value(self, steps: int, n: int) -> Fraction:
        """Return what so many steps in the sum of n values stand for."""
        return self.base * n + self.unit * steps

    def steps_of(self, value: Fraction, n: int) -> int | None:
        """Return how many steps a sum of n values is; None between two of them."""
        steps = (value - self.base * n) / self.unit
        return steps.numerator if steps.denominator == 1 else None


def grid_for(values: Sequence[Fraction], relation: NeighbouringRelation) -> tuple[Grid, int]:
    """Return the grid of these values, and by how many steps one response moves their sum at most.

    With n public the grid begins at the smallest value, and a replaced response moves the sum by at most its largest
    step. Where a response comes or goes n is not known, the grid begins at 0, and the sum moves by the largest |step|.
    Either way the steps have no common divisor: noise on a finer grid would be no smaller, and two values are two
    neighbouring integers, so that their sum is one count.

    Raises
    ------
    ValueError
        If no response could move the sum, or the relation is none.
    """
    require_member(NeighbouringRelation, relation, "relation")
    base = min(values) if relation is NeighbouringRelation.REPLACE_ONE else Fraction(0)
    shifted = [value - base for value in values]
    if not any(shifted):
        raise ValueError(f"values must differ, or their sum tells nothing, got {', '.join(map(str, values))}")
    denominator = math.lcm(*(value.denominator for value in shifted))
    integers = [int(value * denominator) for value in shifted]
    divisor = math.gcd(*integers)
    steps = tuple(number // divisor for number in integers)
    return Grid(base, Fraction(divisor, denominator), steps), max(map(abs, steps))


def exact_values(values: Sequence[object]) -> tuple[Fraction, ...]:
    """Return at least two exact values, one a code."""
    if not isinstance(values, Sequence) or isinstance(values, str) or not len(values) >= 2:
        raise ValueError(f"values must be at least two exact numbers, one a code, got {values!r}")
    return tuple(exact(value, "values") for value in values)


def code_counts(counts: Sequence[int], length: int) -> tuple[int, ...]:
    """Return how often each code was reported: so many integers of at least 0."""
    if len(counts) != length:
        raise ValueError(f"counts must be {length}, one a code, got {counts!r}")
    return tuple(whole_number(count, "counts") for count in counts)
