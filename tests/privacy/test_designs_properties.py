"""What holds for every design whatever its parameters are."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import Design, crosswise, forced_response, k_ary, kuk, mangat, named, triangular, warner
from surveys.privacy.designs import unrelated_question as unrelated
from tests.privacy.any_design import designs, lopsided, proper, share


def largest_log_ratio(design: Design) -> float:
    """Local epsilon by its definition: every report, every pair of truths."""
    return max(
        math.inf if not other else math.log(Fraction(entry, other))
        for row in design.matrix
        for entry in row
        for other in row
        if entry
    )


@given(designs)
def test_every_column_is_a_distribution(design: Design) -> None:
    assert [sum(column) for column in zip(*design.matrix, strict=True)] == [1] * design.k
    assert all(0 <= entry <= 1 for row in design.matrix for entry in row)
    assert {sum(weights) for weights in design.columns} == {design.denominator}


@given(designs)
def test_epsilon_is_the_largest_log_ratio_of_two_entries_of_a_row(design: Design) -> None:
    assert design.epsilon == pytest.approx(largest_log_ratio(design), rel=1e-12)


@given(designs)
def test_the_estimating_weights_undo_the_matrix_exactly(design: Design) -> None:
    weights = design.left_inverse
    assert (len(weights), {len(row) for row in weights}) == (design.k, {design.m})
    product = [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*design.matrix, strict=True)]
        for row in weights
    ]
    assert product == [[int(i == j) for j in range(design.k)] for i in range(design.k)]


@given(designs)
def test_parameters_survive_json_and_rebuild_the_design(design: Design) -> None:
    assert named(design.name, design.k, json.loads(json.dumps(design.parameters))) == design


@given(designs, st.data())
def test_no_posterior_odds_exceed_the_prior_odds_by_more_than_the_odds_of_the_design(
    design: Design, data: st.DataObject
) -> None:
    parts = data.draw(st.lists(st.integers(1, 9), min_size=design.k, max_size=design.k))
    prior = [Fraction(part, sum(parts)) for part in parts]
    for odds, posterior in zip(design.odds, design.posterior(prior), strict=True):
        changed = [after / before for after, before in zip(posterior, prior, strict=True)]
        assert max(changed) == odds * min(changed) if min(changed) else odds == math.inf


@given(proper, share)
def test_forced_response_and_the_unrelated_question_follow_their_definition(truth: Fraction, yes: Fraction) -> None:
    by_yes = ((1 - truth) * yes, truth + (1 - truth) * yes)
    assert forced_response(truth, yes).matrix[1] == by_yes
    assert unrelated(truth, yes).matrix[1] == by_yes


@given(lopsided)
def test_crosswise_is_warner_with_another_meaning(p: Fraction) -> None:
    assert crosswise(p).matrix == warner(p).matrix
    assert crosswise(p) != warner(p)


@given(proper)
def test_mangat_is_triangular_with_the_other_probability(p: Fraction) -> None:
    assert mangat(p).matrix == triangular(1 - p).matrix


@given(st.integers(2, 6), proper)
def test_two_decks_with_one_draw_are_any_two_answer_design(draws: int, p: Fraction) -> None:
    assert kuk(p, p / 2).matrix[1] == (p / 2, p)
    reds = [sum(red * row[truth] for red, row in enumerate(kuk(p, p / 2, draws).matrix)) for truth in (0, 1)]
    assert reds == [draws * p / 2, draws * p]


@given(st.integers(2, 6), proper)
def test_k_ary_is_the_truth_or_an_equal_share(k: int, truth: Fraction) -> None:
    matrix = k_ary(k, truth).matrix
    assert all(matrix[i][j] == (truth if i == j else 0) + (1 - truth) / k for i in range(k) for j in range(k))
