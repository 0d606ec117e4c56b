"""How a person realises a design with real coins or a die, so that no device needs to be trusted.

A design matrix splits into what is reported whatever the true answer is (the smallest entry of every row) and the rest,
where the report depends on the truth. Both parts are integer weights, and integer weights are outcomes of coins or of
a die: those left over mean "throw again", which keeps the others equally likely.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd

from surveys.privacy.designs import Design

DIE = 6
# Numbers of equally likely outcomes that people can throw: one to four coins, one die, or a die with one or two coins.
_SIDES = (2, 4, 8, 16, DIE, 2 * DIE, 4 * DIE)
MOST = max(_SIDES)
# One throw that decides all is used up to two coins or a die; beyond that two short tables read better than one long.
_EASY = DIE


class Instruction(StrEnum):
    """What a person does after a throw."""

    TAP = "tap"
    TAKE = "take"
    NEXT = "next"
    AGAIN = "again"


@dataclass(frozen=True, slots=True)
class LikeOutcomes:
    """Outcomes of one throw (numbered from 0) that mean the same."""

    outcomes: tuple[int, ...]
    step: Instruction
    reports: tuple[int, ...] = ()  # what to tap (or, of a number, which end to take), one for each truth


@dataclass(frozen=True, slots=True)
class Throw:
    """One throw of coins, of a die or of both, and what each outcome means.

    Of coins alone an outcome's bits are their faces in order, heads 0; with a die it is the coins' bits times six plus
    the die's number less one.
    """

    sides: int
    lines: tuple[LikeOutcomes, ...]

    @property
    def die(self) -> bool:
        """Whether a die is thrown."""
        return self.sides % DIE == 0

    @property
    def coins(self) -> int:
        """How many coins are thrown."""
        return (self.sides // (DIE if self.die else 1)).bit_length() - 1


@dataclass(frozen=True, slots=True)
class OwnChance:
    """Instructions that give a person's reports exactly the probabilities of the design."""

    k: int
    m: int
    stages: tuple[Throw, ...]

    @property
    def matrix(self) -> tuple[tuple[Fraction, ...], ...]:
        """Pr(report | truth) of somebody who follows the instructions: the design matrix again."""
        matrix = [[Fraction(0)] * self.k for _ in range(self.m)]
        reached = Fraction(1)
        for stage in self.stages:
            valid = sum(len(line.outcomes) for line in stage.lines if line.step != Instruction.AGAIN)
            onward = Fraction(0)
            for line in stage.lines:
                share = reached * Fraction(len(line.outcomes), valid)
                if line.step == Instruction.NEXT:
                    onward += share
                for truth, report in enumerate(line.reports):
                    matrix[report][truth] += share
            reached = onward
        return tuple(tuple(row) for row in matrix)


_Part = tuple[int, Instruction, tuple[int, ...]]


def own_chance(design: Design) -> OwnChance | None:
    """Return instructions for the design, or None where coins and a die cannot make its probabilities.

    Parameters
    ----------
    design : Design
        Any design matrix; nothing depends on its name.

    Returns
    -------
    OwnChance or None
        One throw where that is easy, else a throw that says "true answer or random" and a throw for the random answer.
    """
    shared = [min(weights) for weights in zip(*design.columns, strict=True)]
    by_chance: list[_Part] = [(weight, Instruction.TAP, (report,) * design.k) for report, weight in enumerate(shared)]
    by_truth = _parts_that_depend_on_the_truth(design, shared)
    onward: _Part = (sum(shared), Instruction.NEXT, ())

    together = _stage(by_truth + by_chance)
    if together and (together.sides <= _EASY and together.lines[-1].step != Instruction.AGAIN):
        return OwnChance(design.k, design.m, (together,))
    first, second = _stage([*by_truth, onward]), _stage(by_chance)
    if first and second:
        return OwnChance(design.k, design.m, (first, second))
    return OwnChance(design.k, design.m, (together,)) if together else None


def rounding(steps: int) -> Throw | None:
    """Return the throw that rounds a number to one of its two ends, or None where it has too many steps for one throw.

    Parameters
    ----------
    steps : int
        How many steps lead from the lowest number to the highest; at least 1.

    Returns
    -------
    Stage or None
        One line a threshold, lowest first: from that many steps on the high end (1) is taken, below it the low one (0).
        True answers are the numbers in order, `steps` + 1 of them; one that is j steps up is rounded up j times in
        `steps`.
    """
    if not steps >= 1:
        raise ValueError(f"steps must be at least 1, got {steps!r}")
    if steps > MOST:
        return None
    return _stage(
        [(1, Instruction.TAKE, tuple(int(number >= threshold) for number in range(steps + 1)))
         for threshold in range(1, steps + 1)]
    )  # fmt: skip


def _parts_that_depend_on_the_truth(design: Design, shared: Sequence[int]) -> list[_Part]:
    """Walk what is left of all columns at once: between two breakpoints every true answer has one report."""
    rest = [[weight - common for weight, common in zip(column, shared, strict=True)] for column in design.columns]
    walks = [list(accumulate(column)) for column in rest]
    breakpoints = sorted({0, *(end for walk in walks for end in walk)})
    return [
        (stop - start, Instruction.TAP, tuple(bisect_right(walk, start) for walk in walks))
        for start, stop in pairwise(breakpoints)
    ]


def _stage(parts: Sequence[_Part]) -> Throw | None:
    """Give every part its share of the outcomes of the handiest coins or die; None where there are too few."""
    parts = [part for part in parts if part[0]]
    unit = gcd(*(weight for weight, _, _ in parts))
    total = sum(weight for weight, _, _ in parts) // unit if unit else 0
    possible = [sides for sides in _SIDES if 0 < total <= sides]
    if not possible:
        return None
    # With nothing left over if that can be, and then as few outcomes as can be: that is also the fewest throws.
    sides = min(possible, key=lambda sides: (sides % total > 0, sides))
    each = sides // total
    lines, start = [], 0
    for weight, step, reports in parts:
        stop = start + each * weight // unit
        lines.append(LikeOutcomes(tuple(range(start, stop)), step, reports))
        start = stop
    if start < sides:
        lines.append(LikeOutcomes(tuple(range(start, sides)), Instruction.AGAIN))
    return Throw(sides, tuple(lines))
