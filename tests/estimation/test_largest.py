"""Which answers may be the most frequent, and how often what is said of the largest estimate holds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from surveys.estimation.largest import may_be_largest
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import direct, from_matrix, k_ary
from tests.estimation import largest_coverage
from tests.estimation.coverage_tables import PAGE
from tests.estimation.largest_coverage import BEFORE, SCORE, USED, everywhere, interval_table, set_table, simulate

UNEQUAL = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])


def test_an_answer_is_excluded_where_another_is_significantly_more_frequent() -> None:
    # 150 against 80: z = 70/√230 = 4.6; against 130: 20/√280 = 1.2, with 1.96 for one of two comparisons.
    estimate = estimate_prevalence([150, 130, 80], direct(3))
    assert may_be_largest(estimate).tolist() == [True, True, False]
    # At the level of which 20/√280 is just the quantile, the second one is excluded.
    tail = float(special.ndtr(-20 / math.sqrt(280)))
    assert may_be_largest(estimate, 1 - 2 * tail + 1e-6).tolist() == [True, True, False]
    assert may_be_largest(estimate, 1 - 2 * tail - 1e-6).tolist() == [True, False, False]


def test_a_coin_and_an_even_spinner_change_the_shares_and_not_the_test() -> None:
    counts = [120, 100, 80, 60]
    assert (
        may_be_largest(estimate_prevalence(counts, k_ary(4, "1/2"))).tolist()
        == may_be_largest(estimate_prevalence(counts, direct(4))).tolist()
        == [True, True, False, False]
    )


def test_where_reports_are_not_answers_it_is_the_true_ones_that_are_compared() -> None:
    truths = np.array([0.5, 0.3, 0.2])
    counts = np.round(2_000 * np.array(UNEQUAL.matrix, dtype=float) @ truths).astype(int)
    estimate = estimate_prevalence(counts, UNEQUAL)
    rows = np.array(UNEQUAL.left_inverse, dtype=float)
    weights = rows[0] - rows[1]
    z = weights @ estimate.observed * math.sqrt(2_000) / math.sqrt(weights**2 @ estimate.observed)
    tail = float(special.ndtr(-z))
    assert may_be_largest(estimate, 1 - 2 * tail + 1e-9).tolist()[1]
    assert may_be_largest(estimate, 1 - 2 * tail - 1e-9).tolist() == [True, False, False]


@given(st.lists(st.integers(0, 500), min_size=2, max_size=6).filter(any), st.floats(0.5, 0.999))
def test_the_largest_estimate_is_always_in_it_and_a_higher_level_excludes_no_more(
    counts: list[int], confidence_level: float
) -> None:
    estimate = estimate_prevalence(counts, k_ary(len(counts), "1/2"))
    in_set, surer = may_be_largest(estimate, confidence_level), may_be_largest(estimate, 0.9999)
    assert in_set[int(estimate.point.argmax())]
    assert (surer | ~in_set).all()


def test_of_two_answers_it_is_one_one_sided_test() -> None:
    # z = 60/√400 = 3 at most 1.645; 30/√400 = 1.5.
    assert may_be_largest(estimate_prevalence([230, 170], direct())).tolist() == [True, False]
    assert may_be_largest(estimate_prevalence([215, 185], direct())).tolist() == [True, True]


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="confidence_level"):
        may_be_largest(estimate_prevalence([3, 4], direct()), 1.5)


def test_the_simulation_computes_what_the_program_does() -> None:
    generator, design = np.random.default_rng(5), k_ary(5, "1/2")
    counts = generator.multinomial(100, [0.3, 0.2, 0.2, 0.2, 0.1], size=50)
    by_test = largest_coverage._by_test(counts, 100, wald=False)
    for row, in_set in zip(counts, by_test, strict=True):
        assert may_be_largest(estimate_prevalence(row, design)).tolist() == in_set.tolist()
    one = simulate("5 equal", design, 100, samples=50)
    assert one.width[USED] > one.width[BEFORE]


@pytest.mark.studies
def test_it_holds_however_close_the_shares_are_and_the_page_says_how_often() -> None:
    found = everywhere()
    page = PAGE.read_text(encoding="utf-8")
    assert interval_table(found) in page
    assert set_table(found) in page
    # Three standard deviations of .005 below what is said.
    assert min(one.held[USED] for one in found) > 0.935
    assert min(one.in_set[SCORE] for one in found) > 0.935
    # The twin: as if the answer had been fixed before.
    assert min(one.held[BEFORE] for one in found) < 0.85
