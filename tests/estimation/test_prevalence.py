import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner
from tests.golden import cases

COUNTS_OF_RRREG = cases("rruni", "warner", "crosswise", "forced")


def design_of(model: str, p: object) -> Design:
    """The design that RRreg calls by this name."""
    exact = [Fraction(str(round(value, 12))).limit_denominator(10_000) for value in np.atleast_1d(p)]
    if model in ("Warner", "Crosswise"):
        return warner(exact[0])
    truth = 1 - sum(exact)
    return k_ary(len(exact), truth, [forced / (1 - truth) for forced in exact])


@pytest.mark.parametrize("case", COUNTS_OF_RRREG, ids=lambda case: case["id"])
def test_point_and_standard_error_equal_those_of_rrreg(case: dict) -> None:
    given_, expected = case["inputs"], case["outputs"]
    estimate = estimate_prevalence(list(given_["counts"].values()), design_of(given_["model"], given_["p"]))
    answers = slice(None) if isinstance(expected["pi"], list) else 1
    # RRreg's values are stored with 13 digits.
    assert estimate.point[answers] == pytest.approx(np.array(expected["pi"]), rel=1e-10)
    assert estimate.standard_error[answers] == pytest.approx(np.array(expected["pi_se"]), rel=1e-10)


@pytest.mark.parametrize("case", cases("rruni", "forced"), ids=lambda case: case["id"])
def test_the_whole_covariance_equals_the_derived_one(case: dict) -> None:
    given_ = case["inputs"]
    estimate = estimate_prevalence(list(given_["counts"].values()), design_of(given_["model"], given_["p"]))
    assert estimate.covariance == pytest.approx(np.array(case["outputs"]["moment_full_covariance_derived"]), rel=1e-10)


@pytest.mark.parametrize("case", cases("ldp", "grr"), ids=lambda case: case["id"])
def test_frequencies_equal_those_of_pure_ldp(case: dict) -> None:
    given_ = case["inputs"]
    design = k_ary(len(given_["counts"]), Fraction(given_["p"] - given_["q"]))
    estimate = estimate_prevalence(given_["counts"], design)
    assert estimate.point == pytest.approx(case["outputs"]["freq_unbiased"], rel=1e-10, abs=1e-12)
    assert design.epsilon == pytest.approx(given_["epsilon"], rel=1e-10)


def test_fair_coins_estimate_twice_the_yes_rate_less_one_half() -> None:
    estimate = estimate_prevalence([60, 40], forced_response())
    assert estimate.point == pytest.approx([0.7, 0.3])
    assert estimate.standard_error[1] == pytest.approx(2 * math.sqrt(0.4 * 0.6 / 99))
    assert estimate.n == 100
    assert estimate.counts.dtype == np.int64
    assert estimate.observed == pytest.approx([0.6, 0.4])


def test_the_moment_estimate_may_leave_0_to_1_and_the_constrained_one_does_not() -> None:
    estimate = estimate_prevalence([90, 10], forced_response())
    assert estimate.point == pytest.approx([1.3, -0.3])
    assert estimate.constrained == pytest.approx([1, 0], abs=0)


@pytest.mark.parametrize(
    "design", [forced_response("1/3", "1/5"), k_ary(3, "1/2"), k_ary(3, "1/3", ["1/2", "1/3", "1/6"])]
)
def test_point_and_covariance_are_unbiased_exactly(design: Design) -> None:
    # The expectation over every possible vector of 3 reports.
    prevalence = np.arange(1, design.k + 1) / np.arange(1, design.k + 1).sum()
    reported = np.array(design.matrix, dtype=float) @ prevalence
    mean, second, stated = np.zeros(design.k), np.zeros((design.k, design.k)), np.zeros((design.k, design.k))
    for reports in product(range(design.m), repeat=3):
        probability = reported[list(reports)].prod()
        estimate = estimate_prevalence([reports.count(code) for code in range(design.m)], design)
        mean += probability * estimate.point
        second += probability * np.outer(estimate.point, estimate.point)
        stated += probability * estimate.covariance
    assert mean == pytest.approx(prevalence, rel=1e-12)
    assert stated == pytest.approx(second - np.outer(mean, mean), rel=1e-10, abs=1e-14)


def test_one_response_has_no_standard_error() -> None:
    estimate = estimate_prevalence([0, 1], forced_response())
    assert np.isnan(estimate.standard_error).all()
    assert estimate.point == pytest.approx([-0.5, 1.5])


def test_an_estimate_cannot_be_changed() -> None:
    counts = np.array([60, 40])
    estimate = estimate_prevalence(counts, forced_response())
    counts[0] = 0
    assert estimate.n == 100
    for array in (estimate.counts, estimate.point, estimate.covariance, estimate.constrained, estimate.interval().low):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    "counts",
    [
        [60],
        [60, 30, 10],
        [[60, 40]],
        [60.0, 40.0],
        [math.nan, 40],
        [True, False],
        ["60", "40"],
        [-1, 41],
        [0, 0],
        [],
        [10**30, 1],
    ],
)
def test_what_is_no_count_is_refused(counts: object) -> None:
    with pytest.raises(ValueError, match=r"^counts must be"):
        estimate_prevalence(counts, forced_response())


def test_a_singular_design_is_refused() -> None:
    singular = from_matrix([["1/2", "1/2", "1/4"], ["1/4", "1/4", "1/2"], ["1/4", "1/4", "1/4"]])
    with pytest.raises(ValueError, match="singular"):
        estimate_prevalence([1, 2, 3], singular)


@given(
    st.integers(2, 6).flatmap(lambda k: st.lists(st.integers(0, 10_000), min_size=k, max_size=k).filter(any)),
    st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20),
)
def test_estimates_of_any_counts_are_coherent(counts: list[int], truth: Fraction) -> None:
    estimate = estimate_prevalence(counts, k_ary(len(counts), truth))
    assert estimate.point.sum() == pytest.approx(1)
    assert estimate.constrained.sum() == pytest.approx(1)
    assert (estimate.constrained >= 0).all()
    for method in ("wilson", "clopper_pearson", "wald"):
        interval = estimate.interval(method=method)
        assert (interval.low >= 0).all()
        assert (interval.low <= interval.high).all()
        assert (interval.high <= 1).all()
        # Each option's interval holds its own moment estimate, once that is limited as the interval is.
        limited = np.clip(estimate.point, 0, 1)
        assert (interval.low <= limited + 1e-9).all()
        assert (limited <= interval.high + 1e-9).all()


@given(st.integers(0, 50), st.integers(1, 50))
def test_yes_and_no_mirror_each_other(no: int, yes: int) -> None:
    interval = estimate_prevalence([no, yes], forced_response()).interval()
    assert interval.low[0] == pytest.approx(1 - interval.high[1], abs=1e-12)


def test_warner_with_p_and_with_1_minus_p_agree() -> None:
    straight = estimate_prevalence([30, 70], warner("3/4"))
    swapped = estimate_prevalence([70, 30], warner("1/4"))
    assert straight.point == pytest.approx(swapped.point)
    assert straight.interval().low == pytest.approx(swapped.interval().low)
    assert straight.interval().high == pytest.approx(swapped.interval().high)
