import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from surveys.estimation import estimate_prevalence
from surveys.estimation.intervals.profile import Profile
from surveys.privacy.designs import Design, from_matrix, k_ary, kuk

MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
FOUR_REPORTS = from_matrix(
    [["1/2", "1/10", "1/5"], ["1/4", "3/5", "1/5"], ["1/8", "1/5", "2/5"], ["1/8", "1/10", "1/5"]]
)
WITH_ZEROS = from_matrix([["3/4", 0, 0], ["1/4", "3/4", "1/4"], [0, "1/4", "3/4"]])
counts_of_three = st.lists(st.integers(0, 300), min_size=3, max_size=3).filter(any)


def log_likelihood(counts: np.ndarray, design: Design, prevalence: np.ndarray) -> float:
    reported = np.array(design.matrix, dtype=float) @ prevalence
    if (reported[counts > 0] <= 0).any():
        return -1e300
    return float(counts[counts > 0] @ np.log(reported[counts > 0]))


def profile_by_search(counts: np.ndarray, design: Design, option: int, value: float) -> float:
    """The largest log-likelihood among three prevalences of which one is fixed, by searching one number."""
    others = [other for other in range(3) if other != option]

    def minus(part: float) -> float:
        prevalence = np.zeros(3)
        prevalence[option] = value
        prevalence[others] = (1 - value) * np.array([part, 1 - part])
        return -log_likelihood(counts, design, prevalence)

    inside = optimize.minimize_scalar(minus, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).fun
    return -min(inside, minus(0.0), minus(1.0))


@pytest.mark.parametrize("design", [MIXING, FOUR_REPORTS, WITH_ZEROS], ids=["mixing", "four reports", "zeros"])
@pytest.mark.parametrize(
    "counts", [[40, 30, 30], [80, 15, 5], [3, 0, 2], [0, 0, 9], [1, 0, 0], [400, 10, 600]], ids=str
)
def test_limits_are_where_a_search_finds_the_profile_down_to_the_quantile(design: Design, counts: list[int]) -> None:
    observed = np.array(counts + [sum(counts) // 5] * (design.m - 3))
    estimate = estimate_prevalence(observed, design)
    interval = estimate.interval(method="likelihood_ratio")
    highest = log_likelihood(observed, design, estimate.constrained)
    quantile = stats.chi2.ppf(0.95, 1)
    for option in range(3):
        assert interval.low[option] <= estimate.constrained[option] <= interval.high[option]
        for limit, end in ((interval.low[option], 0), (interval.high[option], 1)):
            ratio = 2 * (highest - profile_by_search(observed, design, option, limit))
            if limit == end:
                assert ratio <= quantile + 1e-6
            else:
                assert ratio == pytest.approx(quantile, rel=1e-5)


def test_a_profile_with_a_flat_top_has_its_limits_where_it_falls() -> None:
    # The two reports that were received speak equally for the first two truths: only their sum is known.
    design = from_matrix(
        [["1/2", "1/2", "1/10"], ["1/10", "1/10", "1/2"], ["3/10", "1/10", "1/5"], ["1/10", "3/10", "1/5"]]
    )
    counts = np.array([50, 50, 0, 0])
    estimate = estimate_prevalence(counts, design)
    interval = estimate.interval()
    assert interval.low[:2].tolist() == [0, 0]
    assert interval.high[0] == pytest.approx(interval.high[1])
    assert interval.high[0] == pytest.approx(1 - interval.low[2])
    drop = log_likelihood(counts, design, estimate.constrained) - profile_by_search(counts, design, 0, interval.high[0])
    assert 2 * drop == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-6)


def test_with_two_truths_the_limits_are_roots_of_one_function() -> None:
    design, counts = kuk("4/5", "1/5", 2), np.array([250, 180, 70])
    estimate = estimate_prevalence(counts, design)
    highest = log_likelihood(counts, design, estimate.constrained)

    def excess(yes: float) -> float:
        drop = highest - log_likelihood(counts, design, np.array([1 - yes, yes]))
        return 2 * drop - float(stats.chi2.ppf(0.95, 1))

    interval = estimate.interval()
    assert interval.method == "likelihood_ratio"
    yes = estimate.constrained[1]
    assert interval.low[1] == pytest.approx(optimize.brentq(excess, 1e-9, yes, xtol=1e-14), rel=1e-8)
    assert interval.high[1] == pytest.approx(optimize.brentq(excess, yes, 1 - 1e-9, xtol=1e-14), rel=1e-8)
    assert interval.low[0] == pytest.approx(1 - interval.high[1], rel=1e-8)


def test_where_nothing_binds_a_profile_is_the_binomial_likelihood_ratio_of_one_report() -> None:
    # The others follow freely, so for a k-ary design both methods give the same limits.
    design, counts = k_ary(3, "4/5"), np.array([400, 350, 250])
    estimate = estimate_prevalence(counts, design)
    binomial = estimate.interval(method="likelihood_ratio")
    matrix = np.array(design.matrix, dtype=float)
    for option in range(3):
        profile = Profile(counts / 1000, 1000, matrix, np.eye(3)[option])
        for limit in (binomial.low[option], binomial.high[option]):
            reported = 1 / 15 + 4 / 5 * limit
            expected = stats.binom.logpmf(counts[option], 1000, reported)
            expected -= stats.binom.logpmf(counts[option], 1000, counts[option] / 1000)
            found = 1000 * (profile.at(limit)[0] - profile.at(estimate.constrained[option])[0])
            assert found == pytest.approx(expected, rel=1e-8)


def test_the_derivative_of_a_profile_is_its_slope() -> None:
    profile = Profile(np.array([0.5, 0.3, 0.2]), 100, np.array(MIXING.matrix, dtype=float), np.array([1.0, 2.0, 4.0]))
    for value in (1.3, 1.9, 2.2, 3.5):
        slope = (profile.at(value + 1e-6)[0] - profile.at(value - 1e-6)[0]) / 2e-6
        assert profile.at(value)[1] == pytest.approx(slope, rel=1e-5)


def test_a_value_under_which_something_seen_cannot_happen_has_no_likelihood() -> None:
    profile = Profile(np.array([0.2, 0.5, 0.3]), 10, np.array(WITH_ZEROS.matrix, dtype=float), np.eye(3)[0])
    likelihood, derivative = profile.at(0.0)
    assert likelihood == -math.inf
    assert math.isnan(derivative)
    assert profile.at(0.1)[0] > -math.inf


def test_steps_are_limited_and_stay_between_the_end_and_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    estimate = estimate_prevalence([40, 30, 30], MIXING)
    full = estimate.interval()
    monkeypatch.setattr("surveys.estimation.intervals.profile._MAX_STEPS", 1)
    early = estimate.interval()
    assert early.low == pytest.approx(full.low, abs=0.02)
    assert early.low.tolist() != full.low.tolist()


@settings(max_examples=15, deadline=None)
@given(counts=counts_of_three, order=st.permutations(range(3)))
def test_limits_follow_the_labels_of_truths_and_reports(counts: list[int], order: list[int]) -> None:
    interval = estimate_prevalence(counts, MIXING).interval()
    relabelled = from_matrix([[MIXING.matrix[report][truth] for truth in order] for report in order])
    permuted = estimate_prevalence([counts[code] for code in order], relabelled).interval()
    assert permuted.low == pytest.approx(interval.low[order], abs=1e-7)
    assert permuted.high == pytest.approx(interval.high[order], abs=1e-7)


@settings(max_examples=15, deadline=None)
@given(counts=counts_of_three, levels=st.tuples(st.floats(0.3, 0.99), st.floats(0.3, 0.99)))
def test_intervals_are_nested_and_hold_the_constrained_estimate(counts: list[int], levels: tuple[float, float]) -> None:
    estimate = estimate_prevalence(counts, MIXING)
    narrow, wide = (estimate.interval(level) for level in sorted(levels))
    assert (wide.low <= narrow.low + 1e-9).all()
    assert (narrow.high <= wide.high + 1e-9).all()
    assert (narrow.low <= estimate.constrained + 1e-12).all()
    assert (estimate.constrained <= narrow.high + 1e-12).all()
    assert not narrow.outside.any()


@settings(max_examples=15, deadline=None)
@given(counts=counts_of_three)
def test_a_hundred_times_the_answers_narrow_the_interval_and_keep_the_estimate(counts: list[int]) -> None:
    few, many = estimate_prevalence(counts, MIXING), estimate_prevalence([100 * count for count in counts], MIXING)
    assert many.constrained == pytest.approx(few.constrained, abs=1e-6)
    assert (few.interval().low <= many.interval().low + 1e-7).all()
    assert (many.interval().high <= few.interval().high + 1e-7).all()
