import math
from fractions import Fraction
from itertools import pairwise

import pytest

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, from_matrix, k_ary, kuk, warner
from surveys.privacy.mechanisms.instability import OrderedAnswers, _distances, require_replace_one
from tests.privacy.mechanisms.ordered import (
    COIN,
    QUESTIONS,
    TRUTHS,
    all_counts,
    local_sensitivities,
    median_by_definition,
    replaced,
)

IDS = [f"{len(values)} answers, {index}" for index, (values, _) in enumerate(QUESTIONS)]
every_question = pytest.mark.parametrize(("values", "design"), QUESTIONS, ids=IDS)
every_n = pytest.mark.parametrize("n", [1, 2, 3, 4, 5])


def ordered(values: tuple[object, ...] = (0, 1, 5), design: Design = COIN) -> OrderedAnswers:
    return OrderedAnswers(values=values, design=design)


@every_question
@every_n
def test_the_median_is_the_first_answer_with_a_debiased_half_at_or_below_it(
    values: tuple[object, ...], design: Design, n: int
) -> None:
    answers = ordered(values, design)
    for counts in all_counts(design.m, n):
        assert answers.values[answers.median_code(counts)] == median_by_definition(answers.values, design, counts)


@pytest.mark.parametrize(
    ("numbers", "median"),
    [([3], 3), ([1, 3], 1), ([1, 1, 3], 1), ([1, 3, 3], 3), ([1, 2, 3, 3], 2), ([1, 1, 3, 3], 1), ([2, 2, 2], 2)],
)
def test_the_median_of_truths_is_the_middle_and_for_even_n_the_lower_middle(numbers: list[int], median: int) -> None:
    answers = ordered((1, 2, 3), TRUTHS)
    assert answers.values[answers.median_code([numbers.count(value) for value in (1, 2, 3)])] == median


def test_the_shares_are_those_of_the_k_ary_formula() -> None:
    t, weights = Fraction(1, 3), [Fraction(1, 7), Fraction(2, 7), Fraction(4, 7)]
    expected = [t / 2 + (1 - t) * sum(weights[:code]) for code in (1, 2)]
    assert ordered(design=k_ary(3, t, weights)).shares == tuple(expected)


@pytest.mark.uncounted
@every_question
@every_n
def test_the_local_sensitivity_at_every_distance_is_that_of_brute_force(
    values: tuple[object, ...], design: Design, n: int
) -> None:
    answers = ordered(values, design)
    for counts, expected in local_sensitivities(answers.values, design, n).items():
        assert [answers.local_sensitivity(counts, j) for j in range(n + 1)] == expected, counts


@pytest.mark.uncounted
@every_question
def test_it_is_at_most_that_of_a_neighbour_at_one_more(values: tuple[object, ...], design: Design) -> None:
    answers = ordered(values, design)
    data = all_counts(design.m, 4)
    for one in data:
        for other in (other for other in data if replaced(one, other) == 1):
            for j in range(5):
                assert answers.local_sensitivity(one, j) <= answers.local_sensitivity(other, j + 1)


@every_question
def test_the_distance_to_a_jump_is_that_of_brute_force_and_differs_by_at_most_1_between_neighbours(
    values: tuple[object, ...], design: Design
) -> None:
    answers, n = ordered(values, design), 5
    local = local_sensitivities(answers.values, design, n)
    for bound in (Fraction(0), Fraction(1), Fraction(3)):
        if bound < answers.width:
            distances = {one: answers.distance_to_jump(one, bound) for one in local}
            for one, expected in local.items():
                assert expected[distances[one]] > bound
                assert not any(width > bound for width in expected[: distances[one]])
            for one in local:
                near = [distances[other] for other in local if replaced(one, other) == 1]
                assert all(abs(distances[one] - distance) <= 1 for distance in near)


@every_n
def test_for_truths_it_is_the_textbook_formula_of_order_statistics(n: int) -> None:
    values = (-2, 2, 4, 9)
    answers = ordered(values, k_ary(4, 1))
    for counts in all_counts(4, n):
        numbers = [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
        middle = math.ceil(n / 2)

        def at(rank: int, numbers: list[int] = numbers) -> int:
            return values[0] if rank < 1 else values[-1] if rank > n else numbers[rank - 1]

        for j in range(n + 1):
            textbook = max(at(middle + t) - at(middle + t - j - 1) for t in range(j + 2))
            assert answers.local_sensitivity(counts, j) == textbook


def test_counting_only_the_changes_up_to_the_upper_of_the_two_neighbours_is_caught() -> None:
    # 2 of 3 say 0: the median is 0, and 5 after one change. From the upper neighbour's side alone it seems 1 away.
    answers = ordered((0, 1, 5), TRUTHS)
    assert answers.local_sensitivity((2, 0, 1)) == local_sensitivities(answers.values, TRUTHS, 3)[2, 0, 1][0] == 5
    surpluses = answers.surpluses((2, 0, 1))
    upper = max(0, -1 - surpluses[0]) + max(0, max(surpluses) + 1)
    assert (upper, min(d for low, high, d in _distances(surpluses) if (low, high) == (0, 2))) == (1, 0)


@every_question
def test_the_widest_jump_is_as_wide_as_all_values_and_possible_in_the_end(
    values: tuple[object, ...], design: Design
) -> None:
    answers = ordered(values, design)
    *_, last = answers.jumps([1_000] * design.m)
    assert last.width == answers.width
    assert last.distance <= 1_000 * design.m


def test_jumps_are_ever_farther_and_ever_wider() -> None:
    jumps = ordered((0, 1, 3, 7), k_ary(4, "1/2")).jumps((10, 30, 20, 5))
    assert len(jumps) > 1
    for nearer, farther in pairwise(jumps):
        assert nearer.distance < farther.distance
        assert nearer.width < farther.width


def test_nothing_jumps_before_the_first_distance() -> None:
    assert ordered((0, 1, 5), TRUTHS).local_sensitivity((9, 0, 0), 1) == 0


def test_a_two_answer_design_in_k_ary_form_is_taken() -> None:
    # π̂ = (λ̂ − (1 − p))/(2p − 1) with p = 3/4: the median is answer 1 if more than half of the reports are.
    answers = ordered((0, 1), warner("3/4"))
    assert [answers.median_code((10 - ones, ones)) for ones in (4, 5, 6)] == [0, 0, 1]


@pytest.mark.parametrize("values", [(0, 1), (0, 1, 2, 3)])
def test_an_answer_without_a_value_or_a_value_without_an_answer_is_refused(values: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^values .*3"):
        ordered(values, COIN)


@pytest.mark.parametrize("values", [(0, 0, 1), (2, 1, 3), (0, math.nan, 1), (0, 0.5, 1), (0, math.inf, 1)])
def test_values_that_are_not_exact_or_do_not_increase_are_refused(values: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match=r"^values must"):
        ordered(values)


@pytest.mark.parametrize(
    "design",
    [
        warner("1/4"),  # says the opposite more often than not
        from_matrix([["3/4", "1/8", 0], ["1/4", "3/4", "1/4"], [0, "1/8", "3/4"]]),  # near answers are likelier
    ],
    ids=["warner", "near answers"],
)
def test_a_design_whose_cumulated_counts_do_not_decide_is_refused(design: Design) -> None:
    with pytest.raises(ValueError, match=r"^design must let"):
        ordered(tuple(range(design.k)), design)


def test_a_design_without_an_inverse_is_refused() -> None:
    with pytest.raises(ValueError, match="reports as truths"):
        ordered((0, 1), kuk("1/2", "1/4", 2))


@pytest.mark.parametrize("counts", [(1, 2), (1, 2, 3, 4), (1, -1, 3), (1, 2.0, 3), (True, 1, 1), None])
def test_counts_that_are_none_are_refused(counts: object) -> None:
    with pytest.raises(ValueError, match=r"^counts must"):
        ordered().surpluses(counts)


def test_no_responses_have_no_median() -> None:
    with pytest.raises(ValueError, match=r"^counts"):
        ordered().median_code((0, 0, 0))


def test_an_added_or_removed_response_is_refused_with_the_reason() -> None:
    require_replace_one(NeighbouringRelation.REPLACE_ONE)
    with pytest.raises(ValueError, match=r"^relation .*REPLACE_ONE"):
        require_replace_one(NeighbouringRelation.ADD_OR_REMOVE_ONE)
