"""The instructions for real coins realise exactly the design matrix, or do not exist."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner
from surveys.privacy.own_chance import DIE, MOST, Instruction, OwnChance, Throw, own_chance, rounding


def instructions(design: Design) -> OwnChance:
    stages = own_chance(design)
    assert stages is not None
    return stages


@pytest.mark.parametrize(
    "design",
    [
        forced_response(),
        forced_response(truth="3/4", yes="1/2"),
        forced_response(truth="4/5", yes="1/3"),
        warner("3/4"),
        warner("1/4"),
        warner("5/6"),
        *(k_ary(k) for k in range(2, 25)),
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
    stages = own_chance(design)
    if stages is None:
        assert design.denominator > MOST
    else:
        assert stages.matrix == design.matrix
        assert all(sum(len(line.outcomes) for line in stage.lines) == stage.sides for stage in stages.stages)
        assert all(line.outcomes for stage in stages.stages for line in stage.lines)


def test_fair_coins_are_two_coins_thrown_once() -> None:
    (stage,) = instructions(forced_response()).stages
    assert stage.coins == 2
    assert [(line.outcomes, line.reports) for line in stage.lines] == [((0, 1), (0, 1)), ((2,), (0, 0)), ((3,), (1, 1))]


def test_three_options_with_half_truth_are_one_die() -> None:
    (stage,) = instructions(k_ary(3)).stages
    assert (stage.sides, stage.coins) == (DIE, 0)


def test_a_long_list_of_options_is_a_coin_and_then_a_table() -> None:
    first, second = instructions(k_ary(15)).stages
    assert (first.coins, second.coins, second.die) == (1, 4, False)
    assert second.lines[-1].step == Instruction.AGAIN
    assert len(second.lines[-1].outcomes) == 1


@pytest.mark.parametrize(("options", "coins", "again"), [(9, 1, 3), (12, 1, 0), (17, 2, 7), (20, 2, 4), (24, 2, 0)])
def test_a_die_and_coins_together_reach_further_than_either(options: int, coins: int, again: int) -> None:
    first, second = instructions(k_ary(options)).stages
    assert (first.coins, first.die) == (1, False)
    assert (second.coins, second.die, second.sides) == (coins, True, DIE * 2**coins)
    assert sum(len(line.outcomes) for line in second.lines if line.step == Instruction.AGAIN) == again


def test_a_third_is_two_faces_of_a_die_rather_than_two_coins_thrown_again() -> None:
    _, second = instructions(forced_response(truth="4/5", yes="1/3")).stages
    assert [len(line.outcomes) for line in second.lines] == [4, 2]
    assert second.sides == DIE


def test_a_fifth_is_one_face_of_a_die_and_a_face_to_throw_again() -> None:
    # In one throw "again" would come beside four other lines: so "the truth or chance" is thrown for first.
    first, second = instructions(warner("3/5")).stages
    assert (first.sides, first.lines[-1].step, second.sides) == (DIE, Instruction.AGAIN, 2)


def test_eight_outcomes_are_two_short_tables_rather_than_a_long_one() -> None:
    first, second = instructions(warner("5/8")).stages
    assert (first.sides, second.sides) == (4, 2)


def test_warner_below_one_half_says_tap_the_opposite() -> None:
    (stage,) = instructions(warner("1/4")).stages
    assert stage.lines[0].reports == (1, 0)


def test_probabilities_too_fine_for_coins_have_no_instructions() -> None:
    assert own_chance(warner("37/100")) is None
    assert own_chance(k_ary(25)) is None


def test_a_wrong_table_would_not_give_the_design_matrix() -> None:
    assert instructions(forced_response(truth="3/4", yes="1/2")).matrix != forced_response().matrix


def test_where_nothing_is_left_to_chance_alone_one_long_table_decides() -> None:
    design = from_matrix([["4/9", 0], ["5/9", 0], [0, "4/9"], [0, "5/9"]])
    stages = instructions(design)
    assert [stage.sides for stage in stages.stages] == [12]
    assert (stages.k, stages.m, stages.matrix) == (2, 4, design.matrix)


def test_without_anything_to_chance_alone_and_too_fine_for_coins_there_are_no_instructions() -> None:
    assert own_chance(from_matrix([["4/25", 0], ["21/25", 0], [0, "4/25"], [0, "21/25"]])) is None


def rounding_throw(steps: int) -> Throw:
    stages = rounding(steps)
    assert stages is not None
    return stages


@pytest.mark.parametrize("steps", range(1, MOST + 1))
def test_a_number_is_rounded_up_as_often_as_it_is_steps_from_the_lowest(steps: int) -> None:
    rounded = OwnChance(steps + 1, 2, (rounding_throw(steps),)).matrix
    assert rounded[1] == tuple(Fraction(up, steps) for up in range(steps + 1))
    assert [a + b for a, b in zip(*rounded, strict=True)] == [1] * (steps + 1)


def test_every_outcome_of_the_rounding_throw_is_a_threshold_and_they_rise() -> None:
    stage = rounding_throw(10)
    assert (stage.sides, stage.lines[-1].step, len(stage.lines[-1].outcomes)) == (12, Instruction.AGAIN, 2)
    assert [line.reports.index(1) for line in stage.lines[:-1]] == list(range(1, 11))
    assert {line.step for line in stage.lines[:-1]} == {Instruction.TAKE}


def test_a_number_of_too_many_steps_has_no_rounding_throw() -> None:
    assert rounding(MOST + 1) is None
    assert rounding(1_000_000) is None


@pytest.mark.parametrize("steps", [0, -3, float("nan")])
def test_a_number_without_steps_is_refused(steps: int) -> None:
    with pytest.raises(ValueError, match=r"^steps"):
        rounding(steps)


def test_a_rounding_throw_of_other_steps_would_not_round_right() -> None:
    assert OwnChance(13, 2, (rounding_throw(12),)).matrix[1] != tuple(Fraction(up, 13) for up in range(13))
