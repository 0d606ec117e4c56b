"""All small data sets, and all their neighbours: what brute force goes through."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.mechanism import Counted


class DataSet(NamedTuple):
    """The counts of n responses. Mechanisms read counts alone, so the order of responses does not matter."""

    counts: tuple[int, ...]
    n: int


def data_sets(counted: Counted, length: int, smallest_n: int, largest_n: int) -> list[DataSet]:
    """All data sets with so many responses and counts."""
    sets = []
    for n in range(smallest_n, largest_n + 1):
        if counted is Counted.BITS:
            sets += [DataSet(counts, n) for counts in product(range(n + 1), repeat=length)]
        else:
            sets += [
                DataSet(tuple(codes.count(code) for code in range(length)), n)
                for codes in combinations_with_replacement(range(length), n)
            ]
    return sets


def neighbours(data: DataSet, counted: Counted, relation: NeighbouringRelation) -> Iterator[DataSet]:
    """All data sets that differ from this one by one response, without those that add one where none may be added.

    A response with bits is any subset of them. One response with the bits a may be among those counted where every
    count of a is at least 1 and every other one at most n − 1; so replacing it by b leads to every vector of counts
    from 0 to n that differs from these by at most 1 anywhere.
    """
    length = len(data.counts)
    if counted is Counted.BITS:
        one = list(product((0, 1), repeat=length))
        replaced = list(product((-1, 0, 1), repeat=length))
    else:
        one = [tuple(int(code == chosen) for code in range(length)) for chosen in range(length)]
        replaced = [tuple(new - old for new, old in zip(b, a, strict=True)) for a in one for b in one]
    if relation is NeighbouringRelation.REPLACE_ONE:
        changes = [(change, 0) for change in replaced if any(change)]
    else:
        changes = [(change, 1) for change in one] + [(tuple(-x for x in change), -1) for change in one]
    for change, more in changes:
        other = DataSet(tuple(x + y for x, y in zip(data.counts, change, strict=True)), data.n + more)
        if all(0 <= count <= other.n for count in other.counts):
            yield other
