import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, from_matrix, kuk
from tests.golden import cases


@pytest.mark.parametrize("case", cases("rruni", "kuk"), ids=lambda case: case["id"])
def test_point_and_standard_error_equal_those_of_rrreg(case: dict) -> None:
    given_, expected = case["inputs"], case["outputs"]
    design = kuk(*(str(p) for p in given_["p"]), given_.get("Kukrep", 1))
    estimate = estimate_prevalence(list(given_["counts"].values()), design)
    assert estimate.point[1] == pytest.approx(expected["pi"], rel=1e-10)
    # RRreg's values are stored with 13 digits.
    assert estimate.standard_error == pytest.approx([expected["pi_se"]] * 2, rel=1e-10)
    assert estimate.covariance[0, 1] == -estimate.covariance[0, 0]


@pytest.mark.parametrize("draws", [2, 3])
def test_the_variance_is_nearly_the_true_one_in_the_mean(draws: int) -> None:
    # Exactly, over every possible sample of four respondents; the formula's bias is of the order 1/n².
    design, prevalence, n = kuk("4/5", "1/5", draws), np.array([0.6, 0.4]), 4
    reported = np.array(design.matrix, dtype=float) @ prevalence
    mean = second = 0.0
    for reports in product(range(design.m), repeat=n):
        estimate = estimate_prevalence([reports.count(code) for code in range(design.m)], design)
        probability = reported[list(reports)].prod()
        mean += probability * estimate.point[1]
        second += probability * estimate.point[1] ** 2
    p1, p2 = 0.8, 0.2
    red = p2 + (p1 - p2) * 0.4
    variance = red * (1 - red) / (draws * n * (p1 - p2) ** 2) + (1 - 1 / draws) * 0.4 * 0.6 / n
    assert mean == pytest.approx(0.4)
    assert second - mean**2 == pytest.approx(variance, rel=1e-12)


def test_one_draw_is_a_two_answer_design_like_any_other() -> None:
    one, same = kuk("7/10", "1/5"), from_matrix([["4/5", "3/10"], ["1/5", "7/10"]])
    first, second = estimate_prevalence([65, 35], one), estimate_prevalence([65, 35], same)
    assert first.point == pytest.approx(second.point)
    assert first.covariance == pytest.approx(second.covariance, rel=1e-12)


def test_more_cards_make_the_standard_error_smaller() -> None:
    # The same share of reds from 100 respondents.
    errors = [
        estimate_prevalence(counts, kuk("4/5", "1/5", draws)).standard_error[1]
        for draws, counts in ((1, [50, 50]), (2, [25, 50, 25]), (4, [0, 25, 50, 25, 0]))
    ]
    assert errors[0] > errors[1] > errors[2]


def test_no_reds_from_one_card_each_have_a_standard_error_of_0_as_any_two_answer_design_has() -> None:
    assert estimate_prevalence([50, 0], kuk("4/5", "1/5")).standard_error.tolist() == [0, 0]


def test_two_responses_have_a_standard_error() -> None:
    # φ = 1/2 and π̂ = 1/2: V = .25/(3·.36) + .5·.25/1.
    estimate = estimate_prevalence([1, 0, 1], kuk("4/5", "1/5", 2))
    assert estimate.standard_error[1] ** 2 == pytest.approx(0.25 / (3 * 0.36) + 0.125)


def test_one_response_has_no_standard_error() -> None:
    assert np.isnan(estimate_prevalence([0, 1, 0], kuk("4/5", "1/5", 2)).standard_error).all()


@pytest.mark.parametrize("counts", [[50, 0, 0], [0, 0, 50]])
def test_all_cards_of_one_colour_have_the_standard_error_of_one_card(counts: list[int]) -> None:
    estimate = estimate_prevalence(counts, kuk("4/5", "1/5", 2))
    assert estimate.standard_error == pytest.approx([0, 0], abs=1e-8)
    assert sorted(estimate.constrained) == pytest.approx([0, 1])
    interval = estimate.interval()
    assert (interval.high - interval.low > 0).all()


@given(st.lists(st.integers(0, 1000), min_size=4, max_size=4).filter(any))
def test_exchanging_the_decks_exchanges_the_answers(counts: list[int]) -> None:
    straight = estimate_prevalence(counts, kuk("4/5", "1/5", 3))
    exchanged = estimate_prevalence(counts, kuk("1/5", "4/5", 3))
    assert straight.point == pytest.approx(exchanged.point[::-1], abs=1e-12)
    assert straight.constrained == pytest.approx(exchanged.constrained[::-1], abs=1e-9)
    assert straight.standard_error == pytest.approx(exchanged.standard_error, nan_ok=True)
    assert np.isnan(straight.standard_error).any() == (sum(counts) == 1)


@pytest.mark.parametrize("counts", [[49, 1, 0], [45, 5, 0], [0, 3, 47], [40, 10, 0]], ids=str)
def test_outside_0_to_1_the_standard_error_is_the_unbiased_multinomial_one(counts: list[int]) -> None:
    # At 0, 1 and 2 reds a response adds (reds/2 − .2)/.6 to the estimate.
    estimate, adds = estimate_prevalence(counts, kuk("4/5", "1/5", 2)), (np.arange(3) / 2 - 0.2) / 0.6
    assert not 0 <= estimate.point[1] <= 1
    each = np.repeat(adds, counts)
    assert estimate.standard_error == pytest.approx([each.std(ddof=1) / math.sqrt(50)] * 2)
    assert estimate.covariance[0, 1] == pytest.approx(-estimate.covariance[0, 0])


def all_samples(n: int, design: Design) -> Iterator[list[int]]:
    """Every possible vector of counts of n reports."""
    for counts in product(range(n + 1), repeat=design.m - 1):
        if sum(counts) <= n:
            yield [*counts, n - sum(counts)]


def test_for_small_samples_the_formula_is_too_small_and_wald_intervals_do_not_use_it() -> None:
    design, n, z = kuk("4/5", "3/10", 3), 6, 1.959963984540054
    reported = np.array(design.matrix, dtype=float) @ [0.7, 0.3]
    contributions = (np.arange(4) / 3 - 0.3) / 0.5
    variance = stated = unbiased = 0.0
    for counts in all_samples(n, design):
        weight = stats.multinomial.pmf(counts, n, reported)
        shares = np.array(counts) / n
        yes = shares @ contributions
        red = 0.3 + 0.5 * yes
        formula = red * (1 - red) / ((3 * n - 1) * 0.25) + 2 / 3 * yes * (1 - yes) / (n - 1)
        estimate = estimate_prevalence(counts, design)
        of_one = shares @ (contributions - yes) ** 2
        expected = formula if 0 <= yes <= 1 else of_one / (n - 1)
        assert estimate.covariance[1, 1] == pytest.approx(expected, abs=1e-12)
        half = z * math.sqrt(of_one / n)
        wald = estimate.interval(method="wald")
        assert [wald.low[1], wald.high[1]] == pytest.approx(np.clip([yes - half, yes + half], 0, 1).tolist(), abs=1e-7)
        variance += weight * (yes - 0.3) ** 2
        stated += weight * formula
        unbiased += weight * of_one / (n - 1)
    assert variance == pytest.approx(0.0783, abs=5e-5)
    assert stated == pytest.approx(0.0712, abs=5e-5)
    assert unbiased == pytest.approx(variance, rel=1e-9)
