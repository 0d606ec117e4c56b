"""Differential tests against OpenDP."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from surveys.privacy.designs import crosswise, k_ary, k_ary_at, optimized_unary, symmetric_unary, warner

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("p", ["0.6", "0.75", "0.9"])
def test_the_epsilon_of_two_answers_is_that_of_opendp(dp: object, p: str) -> None:
    assert warner(p).epsilon == pytest.approx(dp.m.make_randomized_response_bool(float(p)).map(1), rel=1e-10)


@pytest.mark.parametrize("k", [2, 4, 8])
def test_the_epsilon_of_k_answers_is_that_of_opendp(dp: object, k: int) -> None:
    design = k_ary(k, "1/2")
    theirs = dp.m.make_randomized_response(list(range(k)), float(design.matrix[0][0]))
    assert design.epsilon == pytest.approx(theirs.map(1), rel=1e-10)


@pytest.mark.parametrize("p", ["1/6", "0.25", "0.9"])
def test_the_epsilon_of_crosswise_is_that_of_opendp_for_the_likelier_answer(dp: object, p: str) -> None:
    # Their randomized response keeps the truth with at least one half; the crosswise report may reverse it.
    kept = float(max(Fraction(p), 1 - Fraction(p)))
    assert crosswise(p).epsilon == pytest.approx(dp.m.make_randomized_response_bool(kept).map(1), rel=1e-10)


@pytest.mark.parametrize("k", [2, 3, 10, 20])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 5.0])
def test_a_wanted_epsilon_is_not_exceeded_by_opendps_count_either(dp: object, epsilon: float, k: int) -> None:
    design = k_ary_at(epsilon, k)
    theirs = dp.m.make_randomized_response(list(range(k)), float(design.matrix[0][0])).map(1)
    # Theirs rounds up, and so may exceed ours by the float rounding of the probability.
    assert design.epsilon == pytest.approx(theirs, rel=1e-9)
    assert theirs <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("make", [optimized_unary, symmetric_unary])
def test_a_unary_report_costs_at_most_what_opendp_charges_for_two_bits(dp: object, make: Callable) -> None:
    # Two truths differ in two bits, each of which is at most as private as a symmetric one with the larger odds.
    design = make(1.0, 5)
    larger = max(design.bit.odds)
    one_bit = dp.m.make_randomized_response_bool(float(larger / (1 + larger))).map(1)
    assert design.epsilon <= 2 * one_bit * (1 + 1e-12)
    assert design.epsilon <= 1
    if make is symmetric_unary:
        assert design.epsilon == pytest.approx(2 * one_bit, rel=1e-9)
