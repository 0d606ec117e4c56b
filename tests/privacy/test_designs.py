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
    k_ary_at,
    kuk,
    mangat,
    optimized_unary,
    triangular,
    unrelated_question,
    warner,
)

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
THREE_REPORTS = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])


def test_fair_coins_report_yes_for_three_of_four_yes_and_one_of_four_no() -> None:
    design = forced_response()
    assert design.matrix == ((3 * QUARTER, QUARTER), (QUARTER, 3 * QUARTER))
    assert design.epsilon == pytest.approx(math.log(3), rel=1e-15)
    assert (design.k, design.m, design.denominator) == (2, 2, 4)
    assert design.columns == ((3, 1), (1, 3))


def test_fair_coins_have_the_yes_rate_a_quarter_plus_half_the_prevalence() -> None:
    design = forced_response()
    assert (design.offset, design.slope) == (QUARTER, HALF)


def test_warner_at_three_quarters_is_as_private_as_fair_coins() -> None:
    assert warner("3/4").matrix == forced_response().matrix
    assert warner("3/4").epsilon == pytest.approx(math.log(3), rel=1e-15)


def test_warner_below_one_half_has_a_negative_slope() -> None:
    assert warner("1/4").slope == -HALF


def test_the_unrelated_question_is_asked_when_the_sensitive_one_is_not() -> None:
    design = unrelated_question("2/3", "1/12")
    assert design.matrix[1] == (Fraction(1, 36), Fraction(25, 36))
    assert design.odds == (Fraction(35, 11), 25)


def test_the_crosswise_report_1_says_that_both_answers_are_the_same() -> None:
    # Sensitive Yes: the same if the innocuous answer is Yes, which it is with probability p.
    assert crosswise("1/6").matrix == ((Fraction(1, 6), Fraction(5, 6)), (Fraction(5, 6), Fraction(1, 6)))


def test_the_triangular_report_0_says_no_to_both() -> None:
    assert triangular("1/6").matrix == ((Fraction(5, 6), 0), (Fraction(1, 6), 1))


def test_mangat_sends_everybody_with_yes_to_yes() -> None:
    assert mangat("7/10").matrix == ((Fraction(7, 10), 0), (Fraction(3, 10), 1))


def test_kuk_reports_the_number_of_red_cards() -> None:
    assert kuk("7/10", "1/5").matrix[1] == (Fraction(1, 5), Fraction(7, 10))
    two_draws = kuk("1/2", "1/3", draws=2)
    assert two_draws.matrix == ((Fraction(4, 9), QUARTER), (Fraction(4, 9), HALF), (Fraction(1, 9), QUARTER))
    assert (two_draws.k, two_draws.m) == (2, 3)


def test_four_answers_kept_three_times_of_four_have_epsilon_ln_9() -> None:
    design = k_ary(4, "2/3")
    assert all(design.matrix[i][i] == Fraction(3, 4) for i in range(4))
    assert design.epsilon == pytest.approx(math.log(9), rel=1e-15)


def test_a_spinner_with_weights_favours_its_options() -> None:
    design = k_ary(3, HALF, [HALF, QUARTER, QUARTER])
    assert design.matrix == (
        (3 * QUARTER, QUARTER, QUARTER),
        (Fraction(1, 8), Fraction(5, 8), Fraction(1, 8)),
        (Fraction(1, 8), Fraction(1, 8), Fraction(5, 8)),
    )
    assert design.odds == (3, 5, 5)


@pytest.mark.parametrize(
    "design",
    [
        forced_response(1),
        forced_response(HALF, 0),
        forced_response(HALF, 1),
        warner(1),
        mangat("7/10"),
        triangular("1/6"),
        unrelated_question(HALF, 0),
        kuk(HALF, 0, draws=2),
        k_ary(3, 1),
        k_ary(2, HALF, [0, 1]),
    ],
)
def test_a_report_that_proves_an_answer_makes_epsilon_infinite(design: Design) -> None:
    assert design.epsilon == math.inf
    assert math.inf in design.odds


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: forced_response(0), "^truth .*0"),
        (lambda: warner(HALF), "^p .*1/2"),
        (lambda: crosswise(HALF), "^p .*1/2"),
        (lambda: mangat(0), "^p .*0"),
        (lambda: triangular(1), "^p .*1"),
        (lambda: unrelated_question(0, HALF), "^p .*0"),
        (lambda: kuk(HALF, "0.5"), "^p1 and p2 .*1/2"),
        (lambda: k_ary(3, 0), "^truth .*0"),
        (lambda: from_matrix([[HALF, HALF]] * 2), "^rows: all columns"),
    ],
)
def test_a_design_that_tells_nothing_is_refused(make: Callable[[], object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        make()


@pytest.mark.parametrize("draws", [0, -1, True, 2.0, "2", 101, 10**9])
def test_kuk_needs_from_one_to_a_hundred_draws(draws: object) -> None:
    with pytest.raises(ValueError, match=r"^draws .*1.*100"):
        kuk(HALF, QUARTER, draws)


def test_decks_of_one_colour_each_cannot_give_both_colours_in_two_draws() -> None:
    with pytest.raises(ValueError, match=r"report 1 .*never"):
        kuk(1, 0, draws=2)


def test_epsilon_is_computed_without_overflow() -> None:
    tiny = Fraction(1, 10**400)
    assert warner(1 - tiny).epsilon == pytest.approx(400 * math.log(10))


def test_a_small_epsilon_keeps_its_digits() -> None:
    tiny = Fraction(1, 10**12)
    exactly = 4 * 10**-12 + 16e-36 / 3  # ln((1/2 + t)/(1/2 - t)) = 2·artanh(2t)
    assert warner(HALF + tiny).epsilon == pytest.approx(exactly, rel=1e-15)


def test_the_posterior_is_bayes_rule() -> None:
    design = forced_response()
    assert design.posterior([Fraction(9, 10), Fraction(1, 10)])[1] == (Fraction(3, 4), QUARTER)


def test_no_posterior_exceeds_what_epsilon_allows_and_two_answers_attain_it() -> None:
    prior = Fraction(1, 5)
    raised = 3 * prior / (1 - prior + 3 * prior)
    assert forced_response().posterior([1 - prior, prior])[1][1] == raised


def test_a_report_that_the_prior_excludes_has_no_posterior() -> None:
    assert forced_response(1).posterior([1, 0]) == ((1, 0), None)


@pytest.mark.parametrize("prior", [[1], [HALF, QUARTER], [HALF, HALF, 0]])
def test_a_prior_has_one_probability_a_truth_and_sums_to_1(prior: list[Fraction]) -> None:
    with pytest.raises(ValueError, match=r"^prior .*2.*1"):
        forced_response().posterior(prior)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([[1, 0]], "two reports"),
        ([[1], [0]], "two truths"),
        ([[1, 0], [0]], "equal length"),
        ([], "two reports"),
        ([["1/2", "1/2"], ["1/2", "1/3"]], "column 1 .*5/6"),
        ([[1, "1/2"], [0, "1/2"], [0, 0]], "report 2 .*never"),
        ([["1/2", "1/2"], ["1/2", "1/2"]], "tell nothing"),
        ([["3/2", 0], ["-1/2", 1]], "row 0 .*0 and 1"),
        ([[0.5, 0], [0.5, 1]], "row 0 .*Fraction"),
    ],
)
def test_a_matrix_that_is_no_design_is_refused(rows: list[list[object]], complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"^rows: .*{complaint}"):
        from_matrix(rows)


@pytest.mark.parametrize(
    "rows", [5, None, [1, 0], [[1, 0], 10**5000]], ids=["number", "none", "numbers", "long number"]
)
def test_a_matrix_without_rows_is_refused_by_name(rows: object) -> None:
    with pytest.raises(ValueError, match=r"^rows"):
        from_matrix(rows)


def test_a_design_refuses_floats_even_without_a_constructor() -> None:
    with pytest.raises(ValueError, match=r"^every entry .*Fraction"):
        Design("mine", ((0.75, 0.25), (0.25, 0.75)))


def test_slope_and_offset_are_for_two_answers() -> None:
    with pytest.raises(ValueError, match="3 and 3"):
        _ = k_ary(3).slope
    with pytest.raises(ValueError, match="2 and 3"):
        _ = THREE_REPORTS.offset


@pytest.mark.parametrize("k", [1, 0, -3, True, 2.0, "3", 1001, 10**400])
def test_a_question_has_at_least_two_answers(k: object) -> None:
    with pytest.raises(ValueError, match=r"^k .*2.*1000"):
        k_ary(k)
    with pytest.raises(ValueError, match=r"^k .*2.*1000"):
        k_ary_at(1, k)


@pytest.mark.parametrize("weights", [[1], [HALF, HALF, HALF], [HALF, QUARTER, 0]])
def test_the_spinner_has_one_weight_an_answer_and_they_sum_to_1(weights: list[Fraction]) -> None:
    with pytest.raises(ValueError, match=r"^weights .*3.*1"):
        k_ary(3, HALF, weights)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: forced_response(2), "truth"),
        (lambda: forced_response(HALF, 2), "yes"),
        (lambda: warner(2), "p"),
        (lambda: mangat(2), "p"),
        (lambda: crosswise(2), "p"),
        (lambda: triangular(2), "p"),
        (lambda: unrelated_question(2, HALF), "p"),
        (lambda: unrelated_question(HALF, 2), "q"),
        (lambda: kuk(2, HALF), "p1"),
        (lambda: kuk(HALF, 2), "p2"),
        (lambda: k_ary(3, 2), "truth"),
        (lambda: k_ary(2, HALF, [2, -1]), "weights"),
        (lambda: forced_response().posterior([2, -1]), "prior"),
    ],
)
def test_a_number_that_is_no_probability_is_refused_by_name(make: Callable[[], object], name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} .*got 2"):
        make()


def test_integers_of_numpy_are_integers() -> None:
    assert kuk("1/2", "1/3", np.int64(2)) == kuk("1/2", "1/3", 2)
    assert k_ary(np.int64(4)) == k_ary(4)
    assert k_ary_at(1, np.int64(4)) == k_ary_at(1, 4)
    assert optimized_unary(1, np.int64(4)) == optimized_unary(1, 4)
    assert type(optimized_unary(1, np.int64(4)).k) is int
    assert type(kuk("1/2", "1/3", np.int64(2)).parameters["draws"]) is int
