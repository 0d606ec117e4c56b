"""Declared sensitivities of scores against brute force over all pairs of neighbours."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.mechanisms.mechanism import Norm, Sensitivity
from surveys.privacy.mechanisms.scores import (
    Form,
    Scores,
    combine_forms,
    counts_received,
    cumulated_forms,
    largest_change,
)
from tests.privacy.mechanisms.choices import ADD, REPLACE
from tests.privacy.mechanisms.neighbours import DataSet, data_sets, neighbours
from tests.property_profile import examples

M = 3
weights = st.fractions(min_value=-4, max_value=4, max_denominator=12)
forms = st.tuples(*[weights] * M)
relations, kinds = st.sampled_from(NeighbouringRelation), st.sampled_from(Counted)
ZERO: Form = (Fraction(0),) * M
W = (Fraction(3), Fraction(-1), Fraction(-5))


def negative(form: Form) -> Form:
    return combine_forms((-1, form))


def brute_force(scores: Scores, relation: NeighbouringRelation, largest_n: int) -> Fraction:
    data = data_sets(scores.counted, M, 0, largest_n)
    values = {one: scores.values(one.counts) for one in data}
    return max(
        abs(a - b)
        for one in data
        for other in neighbours(one, scores.counted, relation)
        if other in values
        for a, b in zip(values[one], values[other], strict=True)
    )


@pytest.mark.parametrize(
    ("counted", "relation", "expected"),
    [
        (Counted.CODES, REPLACE, 8),  # from −5 to 3
        (Counted.CODES, ADD, 5),
        (Counted.BITS, REPLACE, 9),  # from the bits with −1 and −5 to the one with 3
        (Counted.BITS, ADD, 6),
    ],
)
def test_the_largest_change_is_the_range_of_what_one_response_adds(
    counted: Counted, relation: NeighbouringRelation, expected: int
) -> None:
    assert largest_change(W, counted, relation) == expected


@pytest.mark.parametrize(("counted", "replaced", "added"), [(Counted.CODES, 2, 3), (Counted.BITS, 6, 6)])
def test_one_code_of_positive_weights_never_adds_nothing(counted: Counted, replaced: int, added: int) -> None:
    form = (Fraction(1), Fraction(2), Fraction(3))
    assert largest_change(form, counted, REPLACE) == replaced
    assert largest_change(form, counted, ADD) == (added if counted is Counted.CODES else 6)


@given(st.lists(forms, min_size=1, max_size=3), kinds, relations)
def test_the_sensitivity_of_linear_scores_is_attained(
    rows: list[Form], counted: Counted, relation: NeighbouringRelation
) -> None:
    scores = Scores(tuple((row,) for row in rows), counted)
    declared = scores.sensitivity(relation)
    assert declared == Sensitivity(brute_force(scores, relation, 1), Norm.ABSOLUTE, relation)


@given(forms, kinds, relations)
def test_the_sensitivity_of_absolute_values_is_attained_by_two_responses(
    form: Form, counted: Counted, relation: NeighbouringRelation
) -> None:
    scores = Scores(((form, negative(form)),), counted)
    assert scores.sensitivity(relation).value == brute_force(scores, relation, 2)


@examples(30)
@given(st.lists(st.lists(forms, min_size=1, max_size=3).map(tuple), min_size=1, max_size=2), kinds, relations)
def test_no_lowest_form_changes_by_more(
    candidates: list[tuple[Form, ...]], counted: Counted, relation: NeighbouringRelation
) -> None:
    scores = Scores(tuple(candidates), counted)
    assert brute_force(scores, relation, 2) <= scores.sensitivity(relation).value


def _forgets_negative_weights(form: Form) -> Fraction:
    return max(form)


def _forgets_the_difference(form: Form) -> Fraction:
    return max(map(abs, form))


@pytest.mark.parametrize("wrong", [_forgets_negative_weights, _forgets_the_difference])
def test_brute_force_catches_a_wrong_range(wrong: Callable[[Form], Fraction]) -> None:
    assert wrong(W) < brute_force(Scores(((W,),)), REPLACE, 1)


def test_brute_force_catches_bits_that_are_taken_for_codes() -> None:
    assert largest_change(W, Counted.CODES, ADD) < brute_force(Scores(((W,),), Counted.BITS), ADD, 1)


def test_a_score_is_the_lowest_of_its_forms() -> None:
    scores = Scores(((W,), (W, negative(W)), (ZERO, W)))
    assert scores.values([2, 1, 0]) == (5, -5, 0)
    assert scores.values([0, 1, 1]) == (-6, -6, -6)


def test_forms_add_up() -> None:
    assert combine_forms((2, W), (Fraction(1, 2), W)) == tuple(Fraction(5, 2) * weight for weight in W)
    assert cumulated_forms([W, W], M) == (ZERO, W, combine_forms((2, W)))
    assert cumulated_forms([], M) == (ZERO,)


def test_integers_of_numpy_are_counts() -> None:
    assert counts_received(np.array([3, 1, 4]), 3) == [3, 1, 4]


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, 3, 4], None, 5, [1, 2, -1], [1, 2, 0.0], [True, 1, 1]])
def test_counts_are_so_many_whole_numbers(counts: object) -> None:
    with pytest.raises(ValueError, match="counts must "):
        counts_received(counts, 3)


def test_bits_have_more_data_sets_than_codes() -> None:
    # What the brute force above goes through: with 2 bits a single response has any of 4 values.
    assert len(data_sets(Counted.BITS, 2, 1, 1)) == 4
    assert DataSet((1, 1), 1) in data_sets(Counted.BITS, 2, 1, 1)
