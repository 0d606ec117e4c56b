"""Declared sensitivities against brute force over all pairs of neighbours."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import pytest

from surveys.privacy.adjacency import Counted, NeighbouringRelation, count_sensitivity, histogram_sensitivity
from tests.privacy.mechanisms import neighbours as small

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


@pytest.mark.parametrize("wrong", [None, "REPLACE_ONE", Counted.CODES], ids=str)
def test_what_is_no_relation_has_no_sensitivity(wrong: object) -> None:
    for sensitivity in (
        lambda: count_sensitivity(wrong),
        lambda: histogram_sensitivity(wrong),
        lambda: histogram_sensitivity(wrong, Counted.BITS, 3),
    ):
        with pytest.raises(ValueError, match=r"^relation .*NeighbouringRelation"):
            sensitivity()


@pytest.mark.parametrize("wrong", [None, "BITS", NeighbouringRelation.REPLACE_ONE], ids=str)
def test_what_is_no_kind_of_counts_has_no_sensitivity(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"^counted .*Counted"):
        histogram_sensitivity(NeighbouringRelation.REPLACE_ONE, wrong, 3)


@pytest.mark.parametrize("relation", NeighbouringRelation)
def test_the_sensitivity_of_a_count_is_as_declared(relation: NeighbouringRelation) -> None:
    assert largest_change(lambda counts: counts[:1], relation, 3, sum) == count_sensitivity(relation)


@pytest.mark.parametrize("relation", NeighbouringRelation)
@pytest.mark.parametrize(
    ("counted", "length"), [(Counted.CODES, 2), (Counted.CODES, 4), (Counted.BITS, 1), (Counted.BITS, 3)]
)
def test_the_sensitivity_of_any_histogram_is_that_in_l1_and_in_squared_l2(
    relation: NeighbouringRelation, counted: Counted, length: int
) -> None:
    changes = [
        tuple(a - b for a, b in zip(other.counts, one.counts, strict=True))
        for one in small.data_sets(counted, length, 0, 3)
        for other in small.neighbours(one, counted, relation)
    ]
    declared = histogram_sensitivity(relation, counted, length)
    assert max(sum(map(abs, change)) for change in changes) == declared
    assert max(sum(x * x for x in change) for change in changes) == declared


@pytest.mark.parametrize(("counted", "length"), [(Counted.CODES, 1), (Counted.BITS, 0), (Counted.CODES, 2.0)])
def test_a_histogram_needs_counts(counted: Counted, length: object) -> None:
    with pytest.raises(ValueError, match=r"^length"):
        histogram_sensitivity(NeighbouringRelation.REPLACE_ONE, counted, length)


def test_the_histogram_under_replacement_has_twice_the_sensitivity_of_a_count() -> None:
    assert histogram_sensitivity(NeighbouringRelation.REPLACE_ONE) == 2
    assert histogram_sensitivity(NeighbouringRelation.ADD_OR_REMOVE_ONE) == 1
