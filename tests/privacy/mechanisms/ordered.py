"""Small ordered questions, with everything about their medians by definition and brute force."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from surveys.privacy.adjacency import Counted
from surveys.privacy.designs import Design, k_ary
from tests.privacy.mechanisms.neighbours import data_sets

TRUTHS = k_ary(3, 1)
COIN = k_ary(3, "1/2")
LATE = k_ary(3, "1/3", ["1/7", "2/7", "4/7"])
EARLY = k_ary(4, "2/3", ["8/15", "4/15", "2/15", "1/15"])

QUESTIONS = [
    ((0, 1), k_ary(2, 1)),
    ((0, 1), k_ary(2, "1/4", ["1/5", "4/5"])),
    ((0, 1, 5), TRUTHS),
    ((0, 4, 5), COIN),
    (("1/3", 1, 5), LATE),
    ((-2, 2, 4, 9), k_ary(4, 1)),
    ((1, 2, 3, 4), k_ary(4, "1/5")),
    ((0, 1, 3, 7), EARLY),
]
"""Values and design, with equal and unequal distances, coins and spinners."""


def all_counts(m: int, n: int) -> list[tuple[int, ...]]:
    return [data.counts for data in data_sets(Counted.CODES, m, n, n)]


def replaced(one: Sequence[int], other: Sequence[int]) -> int:
    """How many reports of one data set must be replaced to make it the other."""
    return sum(max(0, a - b) for a, b in zip(one, other, strict=True))


def median_by_definition(values: Sequence[Fraction], design: Design, counts: Sequence[int]) -> Fraction:
    """The first value with half of all debiased people at or below it, from the inverse of the matrix."""
    people = [sum(w * count for w, count in zip(row, counts, strict=True)) for row in design.inverse]
    half = Fraction(sum(counts), 2)
    return next(value for code, value in enumerate(values) if sum(people[: code + 1]) >= half)


@cache
def local_sensitivities(values: tuple[Fraction, ...], design: Design, n: int) -> dict[tuple[int, ...], list[Fraction]]:
    """For each data set the local sensitivity of the median at distance 0, 1, …, n."""
    data = all_counts(design.m, n)
    medians = {one: median_by_definition(values, design, one) for one in data}
    distances = {(one, other): replaced(one, other) for one in data for other in data}
    local = {
        one: max(abs(medians[one] - medians[other]) for other in data if distances[one, other] <= 1) for one in data
    }
    return {
        one: [max(local[other] for other in data if distances[one, other] <= j) for j in range(n + 1)] for one in data
    }
