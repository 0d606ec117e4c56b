import math

import numpy as np
import pytest

from surveys.estimation.numbers import estimate_distribution, quantile_edges
from surveys.estimation.stated_distribution import StatedDistributionEstimate, estimate_stated_distribution
from surveys.privacy.designs import from_matrix, k_ary

FIVE = k_ary(5, "1/2")
EDGES = [0, 10, 20, 50, 100]
SHARES = np.array([0.2, 0.3, 0.2, 0.1, 0.2])
# Whoever says nothing is seen to, and the others go through a k-ary design of their own.
OPEN = from_matrix(
    [
        ["5/8", "1/8", "1/8", "1/8", 0],
        ["1/8", "5/8", "1/8", "1/8", 0],
        ["1/8", "1/8", "5/8", "1/8", 0],
        ["1/8", "1/8", "1/8", "5/8", 0],
        [0, 0, 0, 0, 1],
    ]
)


def _expected(n: int = 400_000) -> StatedDistributionEstimate:
    counts = np.rint(np.array(FIVE.matrix, dtype=float) @ SHARES * n).astype(int)
    return estimate_stated_distribution(counts, FIVE, EDGES)


def test_of_the_expected_counts_all_figures_are_those_of_the_people_who_say() -> None:
    estimate, stated = _expected(), SHARES[:4] / 0.8
    assert estimate.mean == pytest.approx(np.array([5, 15, 35, 75]) @ stated, abs=1e-3)
    assert estimate.constrained_mean == pytest.approx(estimate.mean)
    # By the delta method: the variance of what each report adds to Σ(v − mean)π, over the share of those who say.
    worth = (np.array([5, 15, 35, 75, 0]) - np.array([1, 1, 1, 1, 0]) * estimate.mean) / 0.8
    values = np.repeat(worth @ np.array(FIVE.left_inverse, dtype=float), estimate.bands.counts)
    assert estimate.mean_standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(400_000), rel=1e-3)
    assert estimate.mean_bounds == pytest.approx(
        (np.array([0, 10, 20, 50]) @ stated, np.array([10, 20, 50, 100]) @ stated), abs=1e-3
    )
    assert estimate.distribution_function == pytest.approx(np.cumsum(stated)[:3], abs=1e-5)
    assert estimate.quantile(0.5) == pytest.approx(10 + 10 * 0.25 / 0.375, abs=1e-3)


@pytest.mark.parametrize("method", ["likelihood_ratio", "wald"])
def test_where_it_is_seen_who_says_nothing_it_is_the_distribution_of_the_others(method: str) -> None:
    counts = [90, 120, 70, 60]
    stated = estimate_stated_distribution([*counts, 60], OPEN, EDGES)
    plain = estimate_distribution(counts, k_ary(4, "1/2"), EDGES)
    assert (stated.mean, stated.constrained_mean) == pytest.approx((plain.mean, plain.constrained_mean))
    assert stated.distribution_function == pytest.approx(plain.distribution_function)
    assert [stated.quantile(p) for p in (0.25, 0.5, 0.9)] == pytest.approx(
        [plain.quantile(p) for p in (0.25, 0.5, 0.9)]
    )
    mean, expected = stated.mean_interval(0.9, method), plain.mean_interval(0.9, method)
    assert (mean.low, mean.high) == pytest.approx((expected.low, expected.high), rel=0.01)
    assert (mean.method, mean.outside) == (method, False)


def test_its_likelihood_ratio_intervals_are_those_of_the_others_exactly() -> None:
    counts = [90, 120, 70, 60]
    stated = estimate_stated_distribution([*counts, 60], OPEN, EDGES)
    plain = estimate_distribution(counts, k_ary(4, "1/2"), EDGES)
    mean, expected = stated.mean_interval(0.9), plain.mean_interval(0.9)
    assert (mean.low, mean.high) == pytest.approx((expected.low, expected.high), abs=1e-5)


@pytest.mark.parametrize("probability", [0.1, 0.25, 0.5, 0.75, 0.9])
@pytest.mark.parametrize("counts", [[90, 120, 70, 60, 60], [9, 3, 5, 4, 2], [0, 0, 1, 0, 0], [300, 1, 1, 1, 1]])
def test_a_quantile_is_between_the_edges_that_the_intervals_of_the_shares_below_give(
    counts: list[int], probability: float
) -> None:
    estimate = estimate_stated_distribution(counts, FIVE, EDGES)
    for method in ("likelihood_ratio", "wald"):
        below = estimate.distribution_interval(0.9, method)
        expected = quantile_edges(below.high < probability, below.low > probability, estimate.edges)
        interval = estimate.quantile_interval(probability, 0.9, method)
        assert (interval.low, interval.high, interval.method) == (*expected, method)


def test_all_shares_below_hold_at_once_at_the_level_of_bonferroni() -> None:
    estimate = _expected(400)
    together = estimate.distribution_interval(0.95, simultaneous=True)
    by_itself = estimate.distribution_interval(1 - 0.05 / 3)
    assert together.low == pytest.approx(by_itself.low)
    assert (together.simultaneous, by_itself.simultaneous) == (True, False)
    assert (together.confidence_level, together.method) == (0.95, "likelihood_ratio")


def test_where_nobody_says_anything_nothing_is_known() -> None:
    estimate = estimate_stated_distribution([5, 5, 5, 5, 400], FIVE, EDGES)
    assert math.isnan(estimate.mean)
    assert math.isnan(estimate.constrained_mean)
    assert math.isnan(estimate.quantile(0.5))
    assert np.isnan(estimate.distribution_function).all()
    assert (estimate.mean_interval().low, estimate.mean_interval().high) == (0, 100)
    interval = estimate.quantile_interval(0.5)
    assert (interval.low, interval.high) == (0, 100)
    with pytest.raises(ValueError, match=r"^probability"):
        estimate.quantile(1)


def test_walds_interval_beyond_the_edges_is_marked_and_cut() -> None:
    low = estimate_stated_distribution([1000, 1, 1, 1, 1], FIVE, [0, 1, 2, 3, 1000]).mean_interval(method="wald")
    assert (low.outside, low.low, low.high) == (True, 0, 0)
    high = estimate_stated_distribution([1, 1, 1, 1000, 1], FIVE, [0, 1000, 1001, 1002, 1003]).mean_interval(
        method="wald"
    )
    assert (high.outside, high.low, high.high) == (True, 1003, 1003)


def test_the_design_has_a_truth_a_band_and_one_more() -> None:
    with pytest.raises(ValueError, match=r"^edges .*5.*4"):
        estimate_stated_distribution([1, 1, 1, 1, 1], FIVE, [*EDGES, 200])
    with pytest.raises(ValueError, match=r"^design .*2"):
        estimate_stated_distribution([1, 1], k_ary(2, "1/2"), [0, 1])


@pytest.mark.parametrize("probability", [0, 1, math.nan])
def test_a_quantile_is_of_a_share_between_none_and_all(probability: float) -> None:
    with pytest.raises(ValueError, match=r"^probability"):
        _expected().quantile_interval(probability)
