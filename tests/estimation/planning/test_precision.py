import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation.planning.deviation import Prevalence
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import unrelated_unknown_plan
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, warner

COINS, DIRECT = forced_response(), warner(1)
MIXED = [["1/2", "1/4", "1/6"], ["1/4", "1/2", "1/6"], ["1/4", "1/4", "2/3"]]


@pytest.mark.parametrize(("n", "points"), [(30, 35), (100, 19), (300, 11), (1000, 6)])
def test_fair_coins_give_these_half_widths_at_thirty_percent(n: int, points: int) -> None:
    assert round(100 * expected_half_width(n=n, design=COINS, prevalence=0.3)) == points


def test_asking_thirty_people_directly_gives_sixteen_points() -> None:
    assert round(100 * expected_half_width(n=30, design=DIRECT, prevalence=0.3)) == 16


def test_a_higher_level_needs_a_wider_interval() -> None:
    half_widths = [
        expected_half_width(n=50, design=COINS, prevalence=0.5, confidence_level=level) for level in (0.8, 0.95)
    ]
    assert half_widths[1] / half_widths[0] == pytest.approx(1.959964 / 1.281552, rel=1e-5)


def test_an_option_that_the_spinner_favours_is_harder_to_see() -> None:
    design = k_ary(3, "1/2", ["8/10", "1/10", "1/10"])
    favoured, other = (expected_half_width(n=100, design=design, prevalence=0.2, option=option) for option in (0, 1))
    assert favoured > other


@given(st.floats(0.001, 0.5), st.floats(0, 1))
def test_the_sample_size_is_the_smallest_that_reaches_the_half_width(half_width: float, prevalence: float) -> None:
    n = sample_size(half_width=half_width, design=COINS, prevalence=prevalence)
    assert expected_half_width(n=n, design=COINS, prevalence=prevalence) <= half_width * (1 + 1e-12)
    assert expected_half_width(n=n - 1, design=COINS, prevalence=prevalence) > half_width * (1 - 1e-12)


def test_ten_points_at_thirty_percent_need_369_responses() -> None:
    assert sample_size(half_width=0.1, design=COINS, prevalence=0.3) == 369


def test_a_report_that_is_certain_has_no_width_whatever_the_rounding() -> None:
    for part in range(1, 100):
        design = forced_response(f"{part}/100", 1)
        assert expected_half_width(n=30, design=design, prevalence=1) == pytest.approx(0, abs=1e-5)


def test_one_response_to_fair_coins_says_nothing() -> None:
    assert expected_half_width(n=1, design=COINS, prevalence=0.5) == pytest.approx(1.96, abs=0.001)


@pytest.mark.parametrize(("design", "share"), [(DIRECT, 0), (DIRECT, 1), (forced_response("3/10", 1), 1)])
def test_reports_that_do_not_vary_make_no_plan(design: Design, share: float) -> None:
    with pytest.raises(ValueError, match=r"^prevalence"):
        sample_size(half_width=0.1, design=design, prevalence=share)


def test_somebody_has_to_answer() -> None:
    assert sample_size(half_width=2, design=COINS, prevalence=0.5) == 1


@pytest.mark.parametrize("half_width", [0, -0.1, math.nan, math.inf])
def test_a_half_width_is_above_0(half_width: float) -> None:
    with pytest.raises(ValueError, match=r"^half_width"):
        sample_size(half_width=half_width, design=COINS, prevalence=0.3)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"n": 0}, "^n .*1"),
        ({"n": math.nan}, "^n .*1"),
        ({"prevalence": 1.5}, "^prevalence"),
        ({"prevalence": math.nan}, "^prevalence"),
        ({"option": 2}, "^option .*0.*1"),
        ({"confidence_level": 1}, "^confidence_level"),
        ({"design": from_matrix(MIXED)}, "one of them"),
        ({"prevalence": [0.5, 0.6]}, "one share or 2"),
        ({"prevalence": [1.5, -0.5]}, "one share or 2"),
        ({"prevalence": [0.5, 0.25, 0.25]}, "one share or 2"),
        ({"prevalence": [math.nan, 0.5]}, "one share or 2"),
    ],
)
def test_impossible_plans_are_refused_by_name(wrong: dict, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        expected_half_width(**{"n": 30, "design": COINS, "prevalence": 0.3, **wrong})


def scatter(design: Design, shares: list[Fraction], option: int) -> float:
    """The standard deviation of what one report adds to an option's estimate, from all reports."""
    reports = [sum(p * share for p, share in zip(row, shares, strict=True)) for row in design.matrix]
    weights = design.left_inverse[option]
    variance = sum(p * weight**2 for p, weight in zip(reports, weights, strict=True)) - shares[option] ** 2
    return math.sqrt(variance)


@pytest.mark.parametrize("option", [0, 1, 2])
def test_reports_that_depend_on_all_shares_are_planned_from_all_of_them(option: int) -> None:
    shares = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]
    design = from_matrix(MIXED)
    half_width = expected_half_width(n=100, design=design, prevalence=[0.5, 0.3, 0.2], option=option)
    assert half_width == pytest.approx(1.959964 / 10 * scatter(design, shares, option), rel=1e-6)


@pytest.mark.parametrize("option", [0, 1])
def test_two_answers_with_more_reports_need_one_share(option: int) -> None:
    design = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])
    half_width = expected_half_width(n=100, design=design, prevalence=0.3, option=option)
    shares = [Fraction(7, 10), Fraction(3, 10)]
    assert half_width == pytest.approx(
        1.959964 / 10 * scatter(design, shares if option else shares[::-1], option), rel=1e-6
    )
    assert half_width == expected_half_width(
        n=100, design=design, prevalence=[0.3, 0.7][:: 1 - 2 * option], option=option
    )


def test_shares_of_all_options_are_taken_where_one_would_do() -> None:
    half_width = expected_half_width(n=50, design=COINS, prevalence=(0.7, 0.3))
    assert half_width == expected_half_width(n=50, design=COINS, prevalence=0.3)
    nobody = expected_half_width(n=50, design=COINS, prevalence=(1, 0))
    assert nobody == expected_half_width(n=50, design=COINS, prevalence=0)


@pytest.mark.parametrize("draws", [1, 2, 5])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_several_cards_have_the_variance_of_the_model(draws: int, share: float) -> None:
    red = 0.2 + 0.5 * share
    variance = red * (1 - red) / (draws * 0.25) + (1 - 1 / draws) * share * (1 - share)
    half_width = expected_half_width(n=1, design=kuk("0.7", "0.2", draws), prevalence=share)
    assert half_width == pytest.approx(1.9599639845 * math.sqrt(variance), rel=1e-9)


def test_the_unknown_innocuous_rate_widens_the_interval() -> None:
    unknown = unrelated_unknown_plan("0.7", "0.3", "0.4")
    # λ = .33 and .37: (.7²·.2211 + .3²·.2331)/.5/.4², at 100 responses.
    expected = 1.959964 * math.sqrt((0.49 * 0.2211 + 0.09 * 0.2331) / 0.5 / 0.16 / 100)
    assert expected_half_width(n=100, design=unknown, prevalence=0.3) == pytest.approx(expected, rel=1e-6)
    assert unknown.k == 2


@given(st.integers(1, 10**12), st.floats(0, 1), st.sampled_from([COINS, warner("9/10"), k_ary(4, "1/2")]))
def test_the_half_width_of_n_responses_needs_n_responses(n: int, prevalence: float, design: Design) -> None:
    half_width = expected_half_width(n=n, design=design, prevalence=prevalence)
    assert sample_size(half_width=half_width, design=design, prevalence=prevalence) == n


@pytest.mark.parametrize("half_width", [1e-160, 5e-324, 1e-8])
def test_a_half_width_that_nobody_can_reach_is_refused_by_name(half_width: float) -> None:
    with pytest.raises(ValueError, match=r"^half_width is"):
        sample_size(half_width=half_width, design=COINS, prevalence=0.3)


def test_a_million_billion_responses_are_the_most() -> None:
    least = expected_half_width(n=10**15, design=COINS, prevalence=0.3)
    assert sample_size(half_width=least, design=COINS, prevalence=0.3) == pytest.approx(10**15, abs=5)
    with pytest.raises(ValueError, match=r"^half_width is"):
        sample_size(half_width=least * (1 - 1e-12), design=COINS, prevalence=0.3)


@pytest.mark.parametrize("n", [10**400, 10**15 + 1, 10.5, math.inf, True, None, "10"])
def test_a_plan_is_for_a_whole_number_of_responses(n: object) -> None:
    with pytest.raises(ValueError, match=r"^n .*1"):
        expected_half_width(n=n, design=COINS, prevalence=0.3)


@pytest.mark.parametrize("prevalence", [None, "0.3", True, [0.5, "0.5"], [None, 1], "10", 10**400])
def test_a_prevalence_is_a_number_or_several(prevalence: object) -> None:
    with pytest.raises(ValueError, match=r"^prevalence must be"):
        expected_half_width(n=30, design=COINS, prevalence=prevalence)


@pytest.mark.parametrize("design", [None, "x", 0.5])
def test_a_plan_needs_a_design(design: object) -> None:
    with pytest.raises(ValueError, match=r"^design .*Design"):
        expected_half_width(n=30, design=design, prevalence=0.3)


@pytest.mark.parametrize(
    "prevalence", [np.array([0.7, 0.3]), [Fraction(7, 10), Fraction(3, 10)], Fraction(3, 10), np.float64(0.3)], ids=repr
)
def test_numbers_of_numpy_and_fractions_are_taken(prevalence: Prevalence) -> None:
    for design in (COINS, kuk("4/5", "1/5", 2)):
        half_width = expected_half_width(n=np.int64(50), design=design, prevalence=prevalence, option=np.int64(1))
        assert half_width == pytest.approx(expected_half_width(n=50, design=design, prevalence=0.3), rel=1e-12)
    assert sample_size(half_width=0.1, design=COINS, prevalence=prevalence) == 369
    needed = sample_size(power=0.8, design=COINS, prevalence=prevalence)
    assert power(n=needed, design=COINS, prevalence=prevalence) >= 0.8
    assert power(n=needed - 1, design=COINS, prevalence=prevalence) < 0.8
