"""Which parts of the responses are large enough to be told apart."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

_Key = TypeVar("_Key", bound=Hashable)


def large_enough(sizes: Mapping[_Key, int], minimum_n: int) -> frozenset[_Key]:
    """Return the parts whose figures may be shown beside those of the whole.

    A part below the minimum is hidden. So that nobody finds it by taking the shown parts from the whole, the hidden
    ones must hold at least the minimum together, or nobody: the smallest of the others are hidden until they do.
    """
    return told_apart([sizes], minimum_n)


def told_apart(countings: Sequence[Mapping[_Key, int]], minimum_n: int) -> frozenset[_Key]:
    """Return the parts that are large enough in every counting: in responses, and in answers to each item, say.

    Told apart is a part that holds at least the minimum in the first counting, and at least as many or nobody in each
    of the others. The others of the first counting's parts must together hold at least the minimum or nobody, in each
    counting again: the smallest are hidden until they do. So in every counting each sum of parts told apart, with what
    is hidden or without, is 0 or at least the minimum, and so is all that subtraction can leave.

    Parameters
    ----------
    countings : sequence of mappings
        Sizes by part; no part is in a later counting that is not in the first. A later counting of fewer than the
        minimum altogether decides nothing: of it nothing is shown anywhere.
    minimum_n : int
        At least 1.
    """
    whole = countings[0]
    all_counted = [whole, *(sizes for sizes in countings[1:] if sum(sizes.values()) >= minimum_n)]
    told = {
        key
        for key, size in whole.items()
        if size >= minimum_n and not any(0 < sizes.get(key, 0) < minimum_n for sizes in all_counted)
    }
    hidden = [sum(size for key, size in sizes.items() if key not in told) for sizes in all_counted]
    # Once is enough: what is hidden further adds nobody or enough to each counting, so none falls short anew.
    # Of equal parts always the same one: two pages must not hide one each.
    for key in sorted(told, key=lambda key: (whole[key], repr(key))):
        here = [sizes.get(key, 0) for sizes in all_counted]
        if any(size and 0 < rest < minimum_n for size, rest in zip(here, hidden, strict=True)):
            told.remove(key)
            hidden = [rest + size for size, rest in zip(here, hidden, strict=True)]
    return frozenset(told)
