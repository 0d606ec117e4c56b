"""The instructions for real coins realise exactly the design matrix, or do not exist."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner
from surveys.privacy.own_chance import DIE, OwnChance, Step, own_chance


def instructions(design: Design) -> OwnChance:
    found = own_chance(design)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "design",
    [
        forced_response(),
        forced_response(truth="3/4", yes="1/2"),
        forced_response(truth="4/5", yes="1/3"),
        warner("3/4"),
        warner("1/4"),
        warner("5/6"),
        *(k_ary(k) for k in range(2, 17)),
        k_ary(3, truth="2/3", weights=["1/2", "1/4", "1/4"]),
        from_matrix([["1/2", "1/4", "0"], ["1/2", "1/2", "1/4"], ["0", "1/4", "3/4"]]),
        from_matrix([["2/3", "1/6"], ["1/6", "1/6"], ["1/6", "2/3"]]),
    ],
    ids=lambda design: f"{design.name} k={design.k} of {design.denominator}",
)
def test_following_the_instructions_gives_exactly_the_design_matrix(design: Design) -> None:
    assert instructions(design).matrix == design.matrix


@given(st.data())
def test_whatever_instructions_exist_give_exactly_the_design_matrix(data: st.DataObject) -> None:
    k, m = data.draw(st.integers(2, 4)), data.draw(st.integers(2, 4))
    column_of_weights = st.lists(st.integers(0, 6), min_size=m, max_size=m).filter(any)
    columns = data.draw(st.lists(column_of_weights, min_size=k, max_size=k))
    rows = list(zip(*([Fraction(weight, sum(column)) for weight in column] for column in columns), strict=True))
    try:
        design = from_matrix(rows)
    except ValueError:
        return
    found = own_chance(design)
    if found is None:
        assert design.denominator > 16
    else:
        assert found.matrix == design.matrix
        assert all(sum(len(line.outcomes) for line in stage.lines) == stage.sides for stage in found.stages)
        assert all(line.outcomes for stage in found.stages for line in stage.lines)


def test_fair_coins_are_two_coins_thrown_once() -> None:
    (stage,) = instructions(forced_response()).stages
    assert stage.coins == 2
    assert [(line.outcomes, line.reports) for line in stage.lines] == [((0, 1), (0, 1)), ((2,), (0, 0)), ((3,), (1, 1))]


def test_three_options_with_half_truth_are_one_die() -> None:
    (stage,) = instructions(k_ary(3)).stages
    assert (stage.sides, stage.coins) == (DIE, 0)


def test_a_long_list_of_options_is_a_coin_and_then_a_table() -> None:
    first, second = instructions(k_ary(9)).stages
    assert (first.coins, second.coins) == (1, 4)
    assert second.lines[-1].step == Step.AGAIN
    assert len(second.lines[-1].outcomes) == 7


def test_a_third_is_two_faces_of_a_die_rather_than_two_coins_thrown_again() -> None:
    _, second = instructions(forced_response(truth="4/5", yes="1/3")).stages
    assert [len(line.outcomes) for line in second.lines] == [4, 2]
    assert second.sides == DIE


def test_a_fifth_is_one_face_of_a_die_and_a_face_to_throw_again() -> None:
    # In one throw "again" would come beside four other lines: so "the truth or chance" is thrown for first.
    first, second = instructions(warner("3/5")).stages
    assert (first.sides, first.lines[-1].step, second.sides) == (DIE, Step.AGAIN, 2)


def test_eight_outcomes_are_two_short_tables_rather_than_a_long_one() -> None:
    first, second = instructions(warner("5/8")).stages
    assert (first.sides, second.sides) == (4, 2)


def test_warner_below_one_half_says_tap_the_opposite() -> None:
    (stage,) = instructions(warner("1/4")).stages
    assert stage.lines[0].reports == (1, 0)


def test_probabilities_too_fine_for_coins_have_no_instructions() -> None:
    assert own_chance(warner("37/100")) is None
    assert own_chance(k_ary(17)) is None


def test_a_wrong_table_would_not_give_the_design_matrix() -> None:
    assert instructions(forced_response(truth="3/4", yes="1/2")).matrix != forced_response().matrix


def test_where_nothing_is_left_to_chance_alone_one_long_table_decides() -> None:
    design = from_matrix([["4/9", 0], ["5/9", 0], [0, "4/9"], [0, "5/9"]])
    found = instructions(design)
    assert [stage.sides for stage in found.stages] == [16]
    assert (found.k, found.m, found.matrix) == (2, 4, design.matrix)


def test_without_anything_to_chance_alone_and_too_fine_for_coins_there_are_no_instructions() -> None:
    assert own_chance(from_matrix([["4/17", 0], ["13/17", 0], [0, "4/17"], [0, "13/17"]])) is None
