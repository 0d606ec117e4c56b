import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from surveys.privacy.designs import (
    Design,
    crosswise,
    forced_response,
    from_matrix,
    k_ary,
    kuk,
    mangat,
    triangular,
    unrelated_question,
    warner,
)
from surveys.privacy.randomness import bernoulli_exp, draw_report
from tests.privacy.chance import exact_outcomes

DESIGNS = [
    forced_response(),
    forced_response("1/3", "1/20"),
    forced_response(1, "1/2"),
    warner("3/4"),
    warner("1/7"),
    *(k_ary(k, Fraction(k - 1, k + 3)) for k in range(2, 9)),
    k_ary(3, "1/2", ["1/2", "1/3", "1/6"]),
    k_ary(3, "1/2", [0, "1/3", "2/3"]),
    unrelated_question("2/3", "1/12"),
    crosswise("1/6"),
    triangular("1/6"),
    mangat("7/10"),
    kuk("1/2", "1/3", draws=2),
    from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]),
]


def exact_column(
    randomizer: Callable[[Design, int, Callable[[int], int]], int], design: Design, truth: int
) -> list[Fraction]:
    """The exact distribution of a randomizer's reports, by giving it every integer that it may draw."""
    column = [Fraction(0)] * design.m
    for draw in range(design.denominator):

        def randbelow(bound: int, draw: int = draw) -> int:
            assert bound == design.denominator, "one integer below the common denominator is drawn"
            return draw

        column[randomizer(design, truth, randbelow)] += Fraction(1, design.denominator)
    return column


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: f"{design.name}-{design.denominator}")
def test_reports_follow_the_design_matrix_exactly(design: Design) -> None:
    for truth in range(design.k):
        assert exact_column(draw_report, design, truth) == [row[truth] for row in design.matrix]


def test_a_randomizer_off_by_one_is_caught() -> None:
    def off_by_one(design: Design, truth: int, randbelow: Callable[[int], int]) -> int:
        return int(randbelow(design.denominator) > design.columns[truth][0])

    design = forced_response()
    assert exact_column(off_by_one, design, 1) != [row[1] for row in design.matrix]


def test_a_byte_modulo_100_is_not_three_quarters() -> None:
    yes = Fraction(sum(byte % 100 < 75 for byte in range(256)), 256)
    assert yes != Fraction(3, 4)
    assert from_matrix([[yes, 1 - yes], [1 - yes, yes]]).epsilon == pytest.approx(1.416, abs=5e-4)


def test_the_same_draw_gives_the_same_report() -> None:
    # The browser module walks the column in this order too: below the weight of No it is No.
    assert [draw_report(forced_response(), 1, lambda _bound, draw=draw: draw) for draw in range(4)] == [0, 1, 1, 1]


def test_the_default_source_reaches_every_report() -> None:
    assert {draw_report(forced_response(), 0) for _ in range(200)} == {0, 1}  # fails once in 10^24


@pytest.mark.parametrize("truth", [-1, 2, True, 0.0, "0", None, np.float64(1)])
def test_a_truth_that_is_no_code_is_refused_without_repeating_it(truth: object) -> None:
    with pytest.raises(ValueError, match=r"^truth must be an integer from 0 to 1$"):
        draw_report(forced_response(), truth)


@pytest.mark.parametrize("gamma", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(3, 2)])
def test_bernoulli_exp_is_the_exponential(gamma: Fraction) -> None:
    outcomes, undecided = exact_outcomes(lambda randbelow: bernoulli_exp(gamma, randbelow), depth=8)
    assert undecided < 2e-3
    assert outcomes[True] <= math.exp(-gamma) + 1e-15
    assert math.exp(-gamma) - 1e-15 <= outcomes[True] + undecided


def test_bernoulli_exp_that_counts_from_zero_is_caught() -> None:
    def planted(randbelow: Callable[[int], int]) -> bool:
        return not bernoulli_exp(Fraction(1, 3), randbelow)

    outcomes, undecided = exact_outcomes(planted, depth=8)
    assert outcomes[True] + undecided < math.exp(-1 / 3)


@pytest.mark.parametrize("gamma", [Fraction(-1, 2), math.nan])
def test_bernoulli_exp_refuses_a_negative_exponent(gamma: Fraction) -> None:
    with pytest.raises(ValueError, match=r"^gamma"):
        bernoulli_exp(gamma)
