"""No set of shown figures, added and taken away, is of fewer people than the minimum."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from surveys.responses.told import parts_large_enough, separable_parts
from tests.property_profile import examples

_SIZES = st.dictionaries(st.integers(0, 40), st.integers(0, 40), max_size=8)
_MINIMA = st.integers(1, 15)


def _by_subtraction(sizes: Mapping[int, int], shown: Collection[int]) -> Iterator[int]:
    """Yield the size of everything that sums and differences of the total and the shown parts can be the figures of."""
    total = sum(sizes.values())
    for number in range(len(shown) + 1):
        for parts in combinations(shown, number):
            together = sum(sizes[part] for part in parts)
            yield from (together, total - together)


def _too_small(
    sizes: Mapping[int, int], minimum: int, rule: Callable[[Mapping[int, int], int], Collection[int]]
) -> bool:
    # Below the minimum no total is shown, and so nothing can be subtracted from it.
    if sum(sizes.values()) < minimum:
        return bool(rule(sizes, minimum))
    return any(0 < size < minimum for size in _by_subtraction(sizes, rule(sizes, minimum)))


@pytest.mark.uncounted
@examples(500)
@given(_SIZES, _MINIMA)
def test_nothing_smaller_than_the_minimum_follows_by_adding_and_subtracting(
    sizes: dict[int, int], minimum: int
) -> None:
    assert not _too_small(sizes, minimum, parts_large_enough)


def test_suppressing_only_what_is_too_small_itself_is_caught() -> None:
    def naive(sizes: Mapping[int, int], minimum: int) -> set[int]:
        return {key for key, size in sizes.items() if size >= minimum}

    sizes, minimum = find(st.tuples(_SIZES, _MINIMA), lambda drawn: _too_small(*drawn, naive))
    assert not _too_small(sizes, minimum, parts_large_enough)


@given(_SIZES, _MINIMA)
def test_no_more_is_hidden_than_is_needed(sizes: dict[int, int], minimum: int) -> None:
    shown = parts_large_enough(sizes, minimum)
    hidden = {key: size for key, size in sizes.items() if key not in shown}
    sacrificed = [size for size in hidden.values() if size >= minimum]
    if sacrificed:
        # Without the largest of them the others would be too few.
        assert sum(hidden.values()) - max(sacrificed) < minimum
        assert max(sacrificed) <= min((sizes[key] for key in shown), default=max(sacrificed))


@given(_SIZES, _MINIMA, st.randoms(use_true_random=False))
def test_the_order_of_the_parts_makes_no_difference(sizes: dict[int, int], minimum: int, random: object) -> None:
    turned = list(sizes.items())
    random.shuffle(turned)  # type: ignore[attr-defined]
    assert parts_large_enough(dict(turned), minimum) == parts_large_enough(sizes, minimum)


_COUNTINGS = st.lists(
    st.dictionaries(st.integers(0, 6), st.one_of(st.just(0), st.integers(0, 30)), max_size=7), min_size=1, max_size=5
).map(lambda answers: [_responses(answers), *answers])


def _responses(answers: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """As many in each part as answered the item that most of it answered, and some who answered none."""
    return {part: max(sizes.get(part, 0) for sizes in answers) + part % 3 for part in range(7)}


def _too_small_in_any(countings: Sequence[Mapping[int, int]], minimum: int, separate: Collection[int]) -> list[int]:
    """What subtraction leaves in any counting of which anything is shown, with the same parts separate in all."""
    shown = [sizes for sizes in countings if sum(sizes.values()) >= minimum]
    return [
        size
        for sizes in shown
        for size in _by_subtraction(sizes, [part for part in separate if part in sizes])
        if 0 < size < minimum
    ]


@pytest.mark.uncounted
@examples(500)
@given(_COUNTINGS, _MINIMA)
def test_nothing_too_small_follows_in_any_question_where_all_show_the_same_parts(
    countings: list[dict[int, int]], minimum: int
) -> None:
    assert not _too_small_in_any(countings, minimum, separable_parts(countings, minimum))


def test_deciding_for_each_question_by_itself_is_caught() -> None:
    def each_alone(countings: Sequence[Mapping[int, int]], minimum: int) -> bool:
        """Whether a part is shown in one counting and suppressed in another, and so found between the two."""
        shown = [parts_large_enough(sizes, minimum) for sizes in countings if sum(sizes.values()) >= minimum]
        return any(_too_small_in_any(countings, minimum, parts) for parts in shown)

    countings, minimum = find(st.tuples(_COUNTINGS, _MINIMA), lambda drawn: each_alone(*drawn))
    assert not _too_small_in_any(countings, minimum, separable_parts(countings, minimum))


@given(_COUNTINGS, _MINIMA)
def test_for_all_questions_together_no_more_is_hidden_than_for_each_by_itself(
    countings: list[dict[int, int]], minimum: int
) -> None:
    counted = [countings[0], *(sizes for sizes in countings[1:] if sum(sizes.values()) >= minimum)]
    separate = separable_parts(countings, minimum)
    too_small = [part for part in countings[0] if any(0 < sizes.get(part, 0) < minimum for sizes in counted)]
    if not too_small:
        assert separate == {part for part, size in countings[0].items() if size}


def test_three_classes_lose_none_to_some_skipped_answers_and_one_to_three_people_without_a_class() -> None:
    classes = {1: 25, 2: 25, 3: 25}
    skipped = [{1: 23, 2: 25, 3: 21}, {1: 25, 2: 22, 3: 24}]
    assert separable_parts([classes, *skipped], 10) == {1, 2, 3}
    # The intersection of what each question would show by itself would lose two classes, and then the third.
    assert separable_parts([{**classes, 0: 3}, *({**sizes, 0: 3} for sizes in skipped)], 10) == {2, 3}


def test_a_single_answer_within_a_part_keeps_it_from_being_shown() -> None:
    classes = {1: 25, 2: 25, 3: 26}
    # The first of the others goes with it, so that nobody finds the one by subtracting.
    assert separable_parts([classes, {1: 1, 2: 20, 3: 20}], 10) == {3}
    assert separable_parts([{**classes, 0: 1}], 10) == {2, 3}
