"""The median of ordered answers from randomized reports, and how far the data are from ones where it jumps.

References
----------
Nissim, Raskhodnikova & Smith (2007), Smooth sensitivity and sampling in private data analysis.
Dwork & Lei (2009), Differential privacy and robust statistics.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import NamedTuple

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs.design import Design
from surveys.privacy.mechanisms.scores import counts_received, cumulated_forms
from surveys.privacy.rationals import exact


class Jump(NamedTuple):
    """A difference between the medians of two neighbours, and in how many reports the nearer of them differs.

    Attributes
    ----------
    distance : int
        In how many reports the nearer of the two neighbours differs.
    width : Fraction
        The difference of their medians.
    """

    distance: int
    width: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedAnswers:
    """One question whose answers have an order and a number each, reported through a design for as many answers.

    Parameters
    ----------
    values : tuple of exact numbers
        Increasing: the points of a scale, or the middles of bands.
    design : Design
        Whose inverse makes the debiased number of people at or below an answer an increasing function of the number
        of reports at or below it: k-ary designs do, with any spinner. An answer without a place in the order
        ("prefer not to say" as one more protected answer) has no value, so a design with one does not fit.
    """

    values: tuple[Fraction, ...]
    design: Design
    shares: tuple[Fraction, ...] = field(init=False, repr=False, compare=False)
    """Which share of all reports must be at or below each answer but the last for the median to be so."""

    def __post_init__(self) -> None:
        values = tuple(exact(value, "values") for value in self.values)
        object.__setattr__(self, "values", values)
        if not all(low < high for low, high in pairwise(values)):
            raise ValueError(f"values must increase, got {', '.join(map(str, values))}")
        if not len(values) == self.design.k:
            raise ValueError(
                f"values must be one for each of the {self.design.k} answers of the design, got {len(values)}: an "
                "answer without a place in the order, such as a protected “prefer not to say”, has no median"
            )
        object.__setattr__(self, "shares", _shares(self.design))

    @property
    def width(self) -> Fraction:
        """How far apart the two outer values are: no two medians differ by more."""
        return self.values[-1] - self.values[0]

    def surpluses(self, counts: Sequence[int]) -> list[int]:
        """Return by how much the reports at or below each answer but the last exceed what the median needs there.

        Raises
        ------
        ValueError
            If there is not one count a report, an integer of at least 0, or there are no reports.
        """
        received = counts_received(counts, self.design.m)
        n = sum(received)
        if not n >= 1:
            raise ValueError("counts must hold at least one response: no responses have no median")
        return [
            below - math.ceil(n * share) for below, share in zip(accumulate(received[:-1]), self.shares, strict=True)
        ]

    def median_code(self, counts: Sequence[int]) -> int:
        """Return the first answer with a debiased half of all people at or below it (for even n, the lower middle)."""
        reached = (code for code, surplus in enumerate(self.surpluses(counts)) if surplus >= 0)
        return next(reached, self.design.k - 1)

    def jumps(self, counts: Sequence[int]) -> list[Jump]:
        """Return the jumps of the median that are wider than all nearer ones, the nearest first, the widest last.

        The widest at a distance of at most j is exactly the local sensitivity at distance j under REPLACE_ONE: the most
        by which the medians of two neighbours differ, one of which differs from these counts in at most j reports. So
        it is at most what it is at distance j + 1 for a neighbour of these counts.
        """
        surpluses = self.surpluses(counts)
        jumps = [Jump(distance, self.values[high] - self.values[low]) for low, high, distance in _distances(surpluses)]
        jumps.sort(key=lambda jump: (jump.distance, -jump.width))
        nearer = accumulate((jump.width for jump in jumps), max, initial=Fraction(0))
        return [jump for jump, width in zip(jumps, nearer, strict=False) if jump.width > width]

    def local_sensitivity(self, counts: Sequence[int], distance: int = 0) -> Fraction:
        """Return the widest jump of the median between neighbours, one of them at most this far from the counts."""
        return max((jump.width for jump in self.jumps(counts) if jump.distance <= distance), default=Fraction(0))

    def distance_to_jump(self, counts: Sequence[int], bound: Fraction) -> int:
        """Return how many reports must be replaced before the local sensitivity exceeds a bound below the width.

        It differs by at most 1 between neighbours, as any distance to a set of data does.
        """
        return next(jump.distance for jump in self.jumps(counts) if jump.width > bound)


def require_replace_one(relation: NeighbouringRelation) -> None:
    """Refuse the relation for which the distances here are not proved."""
    if relation is not NeighbouringRelation.REPLACE_ONE:
        raise ValueError(
            "relation must be REPLACE_ONE: an added or removed response moves all the thresholds of the median by "
            "fractions, and how stable it is then has not been proved here"
        )


def _shares(design: Design) -> tuple[Fraction, ...]:
    """Return which share of all reports must be at or below each answer but the last for half of all people to be.

    The debiased number of people at or below answer c is a·N + b·(n − N), N being the reports at or below it: for the
    design t·I + (1−t)·f·1ᵀ the first c rows of the inverse sum to a = (1 − (1−t)F)/t in the columns up to c and to
    b = −(1−t)F/t in the others, F = f_0 + … + f_c. It is at least n/2 just where N is at least
    n·(1/2 − b)/(a − b) = n·(t/2 + (1−t)F).
    """
    shares = []
    for code, weights in enumerate(cumulated_forms(design.inverse, design.m)[1:-1], 1):
        inside, outside = set(weights[:code]), set(weights[code:])
        if not (len(inside) == len(outside) == 1 and min(inside) > min(outside)):
            raise ValueError(
                "design must let the number of reports at or below an answer decide how many people are there, as "
                f"k-ary designs do; {design.name} does not"
            )
        a, b = inside.pop(), outside.pop()
        shares.append((Fraction(1, 2) - b) / (a - b))
    return tuple(shares)


def _distances(surpluses: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield for each two answers low < high how far the nearest jump from at least high to at most low is.

    A jump is a pair of neighbours y, z: all surpluses of y before high are negative, and that of z at low is not. One
    report moves from low or below to high or above, so y has −1 at low. Such a z exists for y exactly if y has at
    most −1 before high and −1 at low, and such a y for z exactly if z has at most 0 before high and 0 at low. With
    g = surplus + 1, or surplus, at the data, the nearest y, or z, differs in

        max(0, E − g[low]) + max(0, max g[low:high]),  E = max(0, max g[:low])  reports.

    *No fewer.* If E is g[c] > 0, then between c and low there must be E − g[low] more reports than now; if it is 0, at
    or below low. They come in, and at or below the largest g of low:high so many and g more go out.
    *No more.* Move the lowest E reports and g more from low:high as that maximum asks; put max(0, E − g[low]) of them
    on low and the others on the last answer (if too few move, take more from above low). A threshold is at least 1
    and increases with the answer, so no count becomes negative.
    """
    for low in range(len(surpluses)):
        for high in range(low + 1, len(surpluses) + 1):
            above, so_far, at_low = max(surpluses[low:high]), max(surpluses[:low], default=-1), surpluses[low]
            yield (
                low,
                high,
                min(
                    max(0, max(0, so_far + more) - at_low - more) + max(0, above + more)
                    for more in (0, 1)  # of z, of y
                ),
            )
