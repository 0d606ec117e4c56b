"""Likelihood-ratio limits among all distributions of the reports."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from surveys.estimation.association.within import mean_within
from surveys.estimation.intervals import reported
from surveys.estimation.intervals.binomial import likelihood_loss
from surveys.estimation.intervals.reported import accepted_ratios, lost_likelihood, restricted_likelihood
from surveys.estimation.numbers import estimate_distribution
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import from_matrix, k_ary
from tests.property_profile import examples

MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
counts_of_four = st.lists(st.integers(0, 60), min_size=4, max_size=4).filter(any)
QUANTILE = stats.chi2.ppf(0.95, 1)


def _random_cases(number: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Counts, often 0, and weights of both signs."""
    random, cases = np.random.default_rng(20_261), []
    while len(cases) < number:
        m = int(random.integers(2, 7))
        counts, weights = random.integers(0, 30, m) * (random.random(m) < 0.7), random.normal(size=m)
        if counts.any() and weights.min() < 0 < weights.max():
            cases.append((counts, weights))
    return cases


def _lost_by_search(counts: np.ndarray, weights: np.ndarray) -> float:
    """The same by a general maximiser under constraints, from several starts."""
    seen, m = counts > 0, counts.size
    observed = counts[seen] / counts.sum()

    def lost(chances: np.ndarray) -> float:
        return float(counts[seen] @ (np.log(observed) - np.log(np.maximum(chances[seen], 1e-300))))

    def slope(chances: np.ndarray) -> np.ndarray:
        return np.where(seen, -counts / np.maximum(chances, 1e-300), 0.0)

    constraints = [
        {"type": "eq", "fun": lambda chances: chances.sum() - 1, "jac": lambda _: np.ones(m)},
        {"type": "eq", "fun": lambda chances: weights @ chances, "jac": lambda _: weights},
    ]
    optima = [
        optimize.minimize(
            lost,
            start,
            jac=slope,
            bounds=[(1e-12, 1)] * m,
            constraints=constraints,
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-13},
        )
        for start in np.random.default_rng(3).dirichlet(np.ones(m), 4)
    ]
    fits = [one.fun for one in optima if abs(weights @ one.x) < 1e-8 and abs(one.x.sum() - 1) < 1e-8]
    return min(fits)


@pytest.mark.parametrize(("counts", "weights"), _random_cases(60))
def test_what_a_weighted_sum_of_0_costs_is_what_a_search_over_all_distributions_finds(
    counts: np.ndarray, weights: np.ndarray
) -> None:
    assert lost_likelihood(counts, weights) == pytest.approx(_lost_by_search(counts, weights), rel=1e-6, abs=1e-7)


def test_a_report_that_nobody_sent_gets_what_the_others_leave() -> None:
    # 10 of 10 sent the first report, which counts 1; the second counts −1: half and half is the only way.
    assert lost_likelihood(np.array([10, 0]), np.array([1.0, -1.0])) == pytest.approx(10 * math.log(2), rel=1e-12)
    assert lost_likelihood(np.array([10, 0]), np.array([-1.0, 1.0])) == pytest.approx(10 * math.log(2), rel=1e-12)


def test_weights_of_one_sign_leave_those_of_weight_0_only() -> None:
    assert lost_likelihood(np.array([3, 4]), np.array([0.0, 1.0])) == math.inf
    assert lost_likelihood(np.array([3, 0]), np.array([0.0, 1.0])) == 0
    assert lost_likelihood(np.array([3, 4]), np.array([-1.0, -2.0])) == math.inf


def test_what_was_observed_exactly_costs_nothing() -> None:
    assert lost_likelihood(np.array([1, 2, 3]), np.array([1.0, 1.0, -1.0])) == 0


@pytest.mark.parametrize("counts", [[30, 12], [5, 1], [9, 0], [0, 1], [400_000, 1]])
def test_of_two_reports_it_is_the_binomial_likelihood(counts: list[int]) -> None:
    low, high, outside = accepted_ratios(np.array(counts), np.array([0.0, 1.0]), np.ones(2), likelihood_loss(0.95))
    n, yes = sum(counts), counts[1]
    assert not outside
    for limit, end in ((low, 0), (high, 1)):
        ratio = 2 * (stats.binom.logpmf(yes, n, yes / n) - stats.binom.logpmf(yes, n, limit))
        if limit == end:
            assert ratio <= QUANTILE
        else:
            assert ratio == pytest.approx(QUANTILE, rel=1e-8)


@pytest.mark.parametrize("design", [MIXING, k_ary(3, "2/3", ["1/2", "1/4", "1/4"])], ids=["mixing", "k-ary"])
@pytest.mark.parametrize("counts", [[40, 30, 30], [60, 15, 25], [1, 0, 2]], ids=str)
def test_a_limit_is_where_a_search_over_the_reports_finds_the_quantile(design: object, counts: list[int]) -> None:
    mean = mean_within(estimate_prevalence(counts, design), [0.0, 1.0, 5.0])
    interval = mean.interval()
    weights = np.array([0.0, 1.0, 5.0]) @ np.array(design.left_inverse, dtype=float)
    for limit, end in ((interval.low, 0), (interval.high, 5)):
        lost = _lost_by_search(np.array(counts), weights - limit)
        if limit == end:
            assert 2 * lost <= QUANTILE + 1e-6
        else:
            assert 2 * lost == pytest.approx(QUANTILE, rel=1e-5)


def test_the_limits_of_a_ratio_are_those_of_the_sums_that_are_0() -> None:
    estimate = estimate_prevalence([140, 120, 90, 50], k_ary(4, "1/2"))
    mean = mean_within(estimate, [1, 2, 5], [0, 1, 3])
    interval = mean.interval(0.9)
    inverse = np.array(estimate.design.left_inverse, dtype=float)
    for limit in (interval.low, interval.high):
        weights = (np.array([1, 2, 0, 5]) - limit * np.array([1, 1, 0, 1])) @ inverse
        assert 2 * _lost_by_search(estimate.counts, weights) == pytest.approx(stats.chi2.ppf(0.9, 1), rel=1e-5)


@examples(60)
@given(counts=counts_of_four, levels=st.tuples(st.floats(0.3, 0.999), st.floats(0.3, 0.999)))
def test_limits_widen_with_the_level(counts: list[int], levels: tuple[float, float]) -> None:
    for among in ([0, 1, 2, 3], [0, 1, 3]):
        values = [float(place**2) for place in range(len(among))]
        mean = mean_within(estimate_prevalence(counts, k_ary(4, "1/2")), values, among)
        narrow, wide = (mean.interval(level, "likelihood_ratio") for level in sorted(levels))
        assert wide.low <= narrow.low + 1e-9
        assert narrow.high <= wide.high + 1e-9
        assert narrow.outside or not wide.outside
        for interval in (narrow, wide):
            assert mean.low <= interval.low <= interval.high <= mean.high


@examples(30)
@given(counts=counts_of_four)
def test_a_hundred_times_the_answers_narrow_the_interval(counts: list[int]) -> None:
    few, many = (
        mean_within(estimate_prevalence([times * count for count in counts], k_ary(4, "1/2")), [1, 2, 3, 4]).interval()
        for times in (1, 100)
    )
    assert few.low <= many.low + 1e-9
    assert many.high <= few.high + 1e-9


def test_limits_of_10_to_the_15_responses_are_those_of_the_normal_distribution() -> None:
    mean = mean_within(estimate_prevalence([4 * 10**14, 3 * 10**14, 3 * 10**14], k_ary(3, "1/2")), [1, 2, 3])
    interval = mean.interval()
    half = 1.959963984540054 * mean.standard_error
    assert interval.high - mean.point == pytest.approx(half, rel=1e-5)
    assert mean.point - interval.low == pytest.approx(half, rel=1e-5)


def test_what_no_truths_can_have_is_cut_and_marked() -> None:
    # Even the spinner alone sends the second point more often than one in a hundred: nobody's mean is that low.
    for counts, end in (([980, 10, 10], 1), ([10, 10, 980], 3)):
        interval = mean_within(estimate_prevalence(counts, k_ary(3, "1/2")), [1, 2, 3]).interval()
        assert (interval.low, interval.high, interval.outside) == (end, end, True)


def test_a_mean_that_leaves_the_values_but_is_not_rejected_at_the_end_is_no_misfit() -> None:
    interval = mean_within(estimate_prevalence([70, 15, 14], k_ary(3, "1/2")), [1, 2, 3]).interval()
    assert (interval.low, interval.outside) == (1, False)
    assert interval.high > 1


def test_a_ratio_can_reach_the_other_end_by_way_of_infinity() -> None:
    # Of the first two truths together hardly anybody: a share of 36 in them is next to one of minus 36. With 1 rejected
    # and 0 kept, those kept go on from 36 to infinity and from minus infinity to 0.
    estimate = estimate_prevalence([50, 13, 30], k_ary(3, "1/4", ["6/10", "3/10", "1/10"]))
    share = mean_within(estimate, [1.0, 0.0], [0, 1])
    assert share.point == pytest.approx(36.2, abs=0.1)
    inverse = np.array(estimate.design.left_inverse, dtype=float)
    at_one, at_zero = (
        2 * lost_likelihood(estimate.counts, inverse[0] - part * (inverse[0] + inverse[1])) for part in (1, 0)
    )
    assert at_zero < QUANTILE < at_one
    interval = share.interval(0.95, "likelihood_ratio")
    assert (interval.low, interval.high, interval.outside) == (0, 1, False)


def test_the_mean_of_bands_is_outside_only_with_the_numbers_at_either_edges() -> None:
    none, all_right = ([980, 10, 10], [10, 10, 980])
    for counts, low, high in ((none, 0, 1), (all_right, 2, 3)):
        interval = estimate_distribution(counts, k_ary(3, "1/2"), [0, 1, 2, 3]).mean_interval()
        assert (interval.low, interval.high, interval.outside) == (low, high, True)


def test_of_one_condition_it_is_the_same_loss() -> None:
    counts, weights = np.array([12, 0, 7, 5]), np.array([1.0, -2.0, 0.5, -0.25])
    lost, chances = restricted_likelihood(counts, weights[:, np.newaxis])
    assert lost == pytest.approx(lost_likelihood(counts, weights), abs=1e-8)
    assert weights @ chances == pytest.approx(0, abs=1e-7)


def test_a_loss_is_never_overstated_however_early_the_search_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, conditions = np.array([30, 0, 7, 1]), np.array([[1.0, 0.3], [-2.0, 1.0], [0.5, -1.0], [-0.25, 0.1]])
    exact, _ = restricted_likelihood(counts, conditions)
    monkeypatch.setattr(reported, "_BARRIERS", (1.0,))
    for steps in (1, 2, 3):
        monkeypatch.setattr(reported, "_MOST_STEPS", steps)
        assert 0 <= restricted_likelihood(counts, conditions)[0] <= exact + 1e-9
