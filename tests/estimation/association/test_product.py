from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation.association.joint import product
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import forced_response, from_matrix, k_ary, kuk, named, warner
from tests.property_profile import examples

THREE_REPORTS = from_matrix([["1/2", "1/8"], ["1/4", "1/4"], ["1/4", "5/8"]])


def test_a_pair_of_reports_has_the_product_of_the_probabilities() -> None:
    a, b = forced_response("1/3"), k_ary(3, "1/2")
    both = product(a, b)
    assert (both.m, both.k) == (6, 6)
    for report_a in range(2):
        for report_b in range(3):
            for truth_a in range(2):
                for truth_b in range(3):
                    entry = both.matrix[3 * report_a + report_b][3 * truth_a + truth_b]
                    assert entry == a.matrix[report_a][truth_a] * b.matrix[report_b][truth_b]


@examples(50)
@given(
    st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20),
    st.fractions(min_value=Fraction(11, 20), max_value=Fraction(19, 20), max_denominator=20),
)
def test_two_answers_lose_the_sum_of_their_epsilons(truth: Fraction, p: Fraction) -> None:
    a, b = k_ary(3, truth), warner(p)
    assert product(a, b).epsilon == pytest.approx(a.epsilon + b.epsilon, rel=1e-12)


def test_more_reports_than_truths_keep_each_designs_own_weights() -> None:
    # Kuk's design has weights of its own, which are not those of least squares.
    draws = kuk("3/4", "1/5", draws=2)
    for a, b in ((THREE_REPORTS, warner("3/4")), (warner("3/4"), draws), (draws, warner("3/4")), (draws, draws)):
        expected = np.kron(np.array(a.left_inverse, dtype=float), np.array(b.left_inverse, dtype=float))
        assert np.array(product(a, b).left_inverse, dtype=float) == pytest.approx(expected, rel=1e-12)


def test_a_square_product_has_the_only_inverse_there_is() -> None:
    both = product(warner("3/4"), forced_response())
    assert both.estimating_weights is None
    assert named(both.name, both.k, both.parameters) == both
    estimate = estimate_prevalence([40, 30, 20, 10], both)
    assert np.array(both.matrix, dtype=float) @ estimate.point == pytest.approx(estimate.observed)
