import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import (
    Design,
    crosswise,
    forced_response,
    from_matrix,
    k_ary,
    k_ary_at,
    mangat,
    optimized_unary,
    triangular,
    unrelated_question,
    warner,
)
from tests.golden import cases

DEFECTIVE = "KNOWN_PACKAGE_DEFECT"
OF_RRREG = cases("rruni", "warner", "crosswise", "triangular", "uqt_known", "mangat", "forced", "custom")
MODELS = {
    "Warner": warner,
    "Crosswise": crosswise,
    "Triangular": triangular,
    "UQTknown": unrelated_question,
    "Mangat": mangat,
}


def design_of(model: str, p: object) -> Design:
    """The design that RRreg calls by this name."""
    if model == "custom":
        if len({entry for row in p for entry in row}) == 2:  # thirteen digits of one number are better than of all
            return k_ary(len(p), Fraction(str(p[0][0])) - Fraction(str(p[0][1])))
        rows = [[Fraction(str(round(entry, 12))) for entry in row] for row in p[:-1]]
        return from_matrix([*rows, [1 - sum(column) for column in zip(*rows, strict=True)]])
    exact = [Fraction(str(round(value, 12))).limit_denominator(10_000) for value in np.atleast_1d(p)]
    if model in MODELS:
        return MODELS[model](*exact)
    truth = 1 - sum(exact)
    return k_ary(len(exact), truth, [forced / (1 - truth) for forced in exact])


def estimate_of(case: dict) -> object:
    given_ = case["inputs"]
    return estimate_prevalence(list(given_["counts"].values()), design_of(given_["model"], given_["p"]))


@pytest.mark.parametrize(
    "case", [case for case in OF_RRREG if not case["status"].startswith(DEFECTIVE)], ids=lambda case: case["id"]
)
def test_point_and_standard_error_equal_those_of_rrreg(case: dict) -> None:
    estimate, expected = estimate_of(case), case["outputs"]
    answers = slice(None) if isinstance(expected["pi"], list) else 1
    # RRreg's values are stored with 13 digits; one of its zeros is a rounding error of -4e-17.
    assert estimate.point[answers] == pytest.approx(np.array(expected["pi"]), rel=1e-10, abs=1e-12)
    assert estimate.standard_error[answers] == pytest.approx(np.array(expected["pi_se"]), rel=1e-10)


@pytest.mark.parametrize("case", cases("rruni", "forced", "custom"), ids=lambda case: case["id"])
def test_the_whole_covariance_equals_the_derived_one(case: dict) -> None:
    expected = np.array(case["outputs"]["moment_full_covariance_derived"])
    assert estimate_of(case).covariance == pytest.approx(expected, rel=1e-10, abs=1e-16)


@pytest.mark.parametrize(
    "case",
    [case for case in OF_RRREG if -100 < case["outputs"].get("logLik", math.inf) < 0],
    ids=lambda case: case["id"],
)
def test_the_likelihood_of_the_constrained_estimate_is_the_one_that_rrreg_found(case: dict) -> None:
    estimate = estimate_of(case)
    yes = np.array(estimate.design.matrix, dtype=float)[1] @ estimate.constrained
    log_likelihood = stats.binom.logpmf(estimate.counts[1], estimate.n, yes)
    assert log_likelihood == pytest.approx(case["outputs"]["logLik"], rel=1e-10)


@pytest.mark.parametrize("case", cases("rruni", "custom_grr_k3_p.5"), ids=lambda case: case["id"])
def test_where_rrreg_finds_no_estimate_at_the_boundary_there_is_one(case: dict) -> None:
    # RRreg stops with two of three shares missing and a "log-likelihood" of 1,000,000: its penalty for parameters out
    # of range. No probability of a sample has a positive logarithm. The counts are exactly what .8, .2, 0 lead to.
    assert case["status"].startswith(DEFECTIVE)
    assert case["outputs"]["pi"] == [None, 0.8, None]
    assert case["outputs"]["logLik_as_reported_by_RRreg_DO_NOT_TEST"] == 1_000_000
    estimate = estimate_of(case)
    assert estimate.point == pytest.approx([0.8, 0.2, 0], abs=1e-14)
    assert np.array(estimate.design.matrix, float) @ [0.8, 0.2, 0] == pytest.approx(estimate.observed, rel=1e-14)
    assert estimate.constrained == pytest.approx([0.8, 0.2, 0], abs=1e-14)
    reported = np.array(estimate.design.matrix, float) @ estimate.constrained
    log_likelihood = stats.multinomial.logpmf(estimate.counts, estimate.n, reported)
    assert log_likelihood == pytest.approx(case["outputs"]["multinomial_logLik_at_moment_derived"], rel=1e-10)
    assert log_likelihood < 0


@pytest.mark.parametrize("case", cases("ldp", "grr"), ids=lambda case: case["id"])
def test_frequencies_equal_those_of_pure_ldp_but_its_variance_is_of_the_noise_only(case: dict) -> None:
    given_ = case["inputs"]
    design = k_ary(len(given_["counts"]), Fraction(given_["p"] - given_["q"]))
    estimate = estimate_prevalence(given_["counts"], design)
    assert estimate.point == pytest.approx(case["outputs"]["freq_unbiased"], rel=1e-10, abs=1e-12)
    assert design.epsilon == pytest.approx(given_["epsilon"], rel=1e-10)
    at_epsilon = estimate_prevalence(given_["counts"], k_ary_at(given_["epsilon"], len(given_["counts"])))
    assert at_epsilon.point == pytest.approx(case["outputs"]["freq_unbiased"], rel=1e-10, abs=1e-12)
    # What VAR* leaves out is the sampling of the respondents themselves.
    ours = estimate.standard_error**2 * (estimate.n - 1) / estimate.n
    sampling = estimate.point * (1 - estimate.point) / estimate.n
    assert ours - sampling == pytest.approx(case["outputs"]["var_formula_multi_freq_ldpy"], rel=1e-9)


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
    "design",
    [
        forced_response("1/3", "1/5"),
        k_ary(3, "1/2"),
        k_ary(3, "1/3", ["1/2", "1/3", "1/6"]),
        from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]),
        optimized_unary(1, 2).design,
    ],
    ids=["forced", "3-ary", "weighted", "three reports", "bits"],
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


@pytest.mark.parametrize(
    ("design", "counts"),
    [(forced_response(), [0, 1]), (from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]]), [1, 0, 0])],
    ids=["square", "three reports"],
)
def test_one_response_has_no_standard_error(design: Design, counts: list[int]) -> None:
    estimate = estimate_prevalence(counts, design)
    assert np.isnan(estimate.standard_error).all()
    assert estimate.covariance.shape == (2, 2)
    assert estimate.point.sum() == pytest.approx(1)


def test_two_responses_have_one() -> None:
    # λ̂ = 1/2 each, so λ̂(1−λ̂)/(n−1) = 1/4, and two fair coins have the slope 1/2.
    assert estimate_prevalence([1, 1], forced_response()).standard_error == pytest.approx([1, 1], rel=1e-12)


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


def test_fewer_reports_than_truths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 reports for 3 truths"):
        estimate_prevalence([1, 2], from_matrix([["1/2", "1/4", "1/5"], ["1/2", "3/4", "4/5"]]))


@given(
    st.integers(2, 6).flatmap(lambda k: st.lists(st.integers(0, 10_000), min_size=k, max_size=k).filter(any)),
    st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20),
)
def test_estimates_of_any_counts_are_coherent(counts: list[int], truth: Fraction) -> None:
    estimate = estimate_prevalence(counts, k_ary(len(counts), truth))
    assert estimate.point.sum() == pytest.approx(1)
    assert estimate.constrained.sum() == pytest.approx(1)
    assert (estimate.constrained >= 0).all()
    for method in estimate.interval_methods:
        interval = estimate.interval(method=method)
        assert (interval.low >= 0).all()
        assert (interval.low <= interval.high).all()
        assert (interval.high <= 1).all()
    for method in ("wilson", "clopper_pearson", "wald", "likelihood_ratio"):
        interval = estimate.interval(method=method)
        # Each option's interval holds its own moment estimate, once that is limited as the interval is.
        limited = np.clip(estimate.point, 0, 1)
        assert (interval.low <= limited + 1e-9).all()
        assert (limited <= interval.high + 1e-9).all()


@given(st.lists(st.integers(0, 1000), min_size=3, max_size=3).filter(any), st.integers(2, 1000))
def test_so_many_times_the_answers_keep_the_estimate_and_divide_the_covariance(counts: list[int], times: int) -> None:
    design = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
    few, many = estimate_prevalence(counts, design), estimate_prevalence([times * count for count in counts], design)
    assert many.point == pytest.approx(few.point, abs=1e-12)
    if few.n > 1:
        assert many.covariance * (many.n - 1) == pytest.approx(few.covariance * (few.n - 1), abs=1e-9)
