"""Declared sensitivities against brute force over all pairs of neighbours."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import pytest

from surveys.privacy.adjacency import NeighbouringRelation, count_sensitivity, histogram_sensitivity
from surveys.privacy.designs import Design, forced_response, k_ary, warner
from surveys.privacy.mechanisms.most_common import SENSITIVITY, most_common_utilities

Histogram = tuple[int, ...]


def histograms(m: int, largest_n: int) -> list[Histogram]:
    return [h for h in product(range(largest_n + 1), repeat=m) if sum(h) <= largest_n]


def neighbours(relation: NeighbouringRelation, m: int, largest_n: int = 5) -> Iterator[tuple[Histogram, Histogram]]:
    """All pairs of histograms of at most so many responses that differ by one change."""
    for before in histograms(m, largest_n):
        for code in range(m):
            with_one = tuple(count + (j == code) for j, count in enumerate(before))
            if relation is NeighbouringRelation.ADD_OR_REMOVE_ONE:
                yield before, with_one
            else:
                for other in range(m):
                    yield with_one, tuple(count + (j == other) for j, count in enumerate(before))


def largest_change(
    statistic: Callable[[Histogram], tuple[Fraction | int, ...]], relation: NeighbouringRelation, m: int, norm: Callable
) -> Fraction | int:
    return max(
        norm(abs(a - b) for a, b in zip(statistic(one), statistic(other), strict=True))
        for one, other in neighbours(relation, m)
    )


@pytest.mark.parametrize("relation", NeighbouringRelation)
def test_the_sensitivity_of_a_histogram_is_as_declared(relation: NeighbouringRelation) -> None:
    assert largest_change(lambda counts: counts, relation, 3, sum) == histogram_sensitivity(relation)


@pytest.mark.parametrize("relation", NeighbouringRelation)
def test_the_sensitivity_of_a_count_is_as_declared(relation: NeighbouringRelation) -> None:
    assert largest_change(lambda counts: counts[:1], relation, 3, sum) == count_sensitivity(relation)


def test_the_histogram_under_replacement_has_twice_the_sensitivity_of_a_count() -> None:
    assert histogram_sensitivity(NeighbouringRelation.REPLACE_ONE) == 2
    assert histogram_sensitivity(NeighbouringRelation.ADD_OR_REMOVE_ONE) == 1


@pytest.mark.parametrize(
    "design",
    [
        forced_response(),
        forced_response("1/3", "1/10"),
        warner("1/5"),
        k_ary(3, "1/2"),
        k_ary(3, "1/3", ["1/2", "1/3", "1/6"]),
    ],
    ids=["fair coins", "forced", "warner", "uniform spinner", "weighted spinner"],
)
def test_most_common_utilities_change_by_exactly_1_under_replacement(design: Design) -> None:
    def utilities(counts: Histogram) -> tuple[Fraction, ...]:
        return most_common_utilities(counts, design)

    assert largest_change(utilities, NeighbouringRelation.REPLACE_ONE, design.m, max) == SENSITIVITY


def test_utilities_order_answers_as_debiased_counts_do() -> None:
    # A spinner that mostly stops at the first answer: it is reported most and is not the most common.
    design = k_ary(3, "1/4", ["8/10", "1/10", "1/10"])
    utilities = most_common_utilities([60, 30, 10], design)
    assert utilities == tuple(
        count - 100 * Fraction(3, 4) * Fraction(f, 10) for count, f in [(60, 8), (30, 1), (10, 1)]
    )
    assert max(utilities) == utilities[1]


def test_utilities_need_one_count_a_report() -> None:
    with pytest.raises(ValueError, match="counts must hold 3 integers"):
        most_common_utilities([1, 2], k_ary(3))
