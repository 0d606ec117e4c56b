import itertools
import math

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.numbers import estimate_mean
from surveys.estimation.stated_mean import estimate_stated_mean, stated_mean_deviation
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary

SPINNER = k_ary(3, "1/2")
SKEWED = k_ary(3, "2/3", ["1/2", "1/4", "1/4"])


def _triples(n: int) -> list[tuple[int, int, int]]:
    return [(a, b, n - a - b) for a, b in itertools.product(range(n + 1), repeat=2) if a + b <= n]


def _reports(design: Design, shares: list[float]) -> np.ndarray:
    return np.array(design.matrix, dtype=float) @ shares


def test_the_mean_is_that_of_the_first_two_shares_on_the_numbers_scale() -> None:
    # 30, 40 and 30 of 100 through a half-and-half coin: shares .2667, .4667 and .2667; 7 of 11 parts of the range.
    estimate = estimate_stated_mean([30, 40, 30], SPINNER, 0, 12)
    assert estimate.point == pytest.approx(12 * 7 / 11)
    assert estimate.constrained == pytest.approx(12 * 7 / 11)


@pytest.mark.parametrize("design", [SPINNER, SKEWED])
def test_of_the_expected_counts_the_mean_is_the_true_one(design: Design) -> None:
    counts = np.rint(_reports(design, [0.3, 0.5, 0.2]) * 2400).astype(int)
    assert estimate_stated_mean(counts, design, -4, 4).point == pytest.approx(-4 + 8 * 5 / 8, abs=0.005)


def test_where_everybody_says_it_is_the_mean_of_all() -> None:
    # Reported truthfully by design but for a coin between the two ends, and nobody is silent.
    silent = from_matrix([["3/4", "1/4", 0], ["1/4", "3/4", 0], [0, 0, 1]])
    stated, plain = (
        estimate_stated_mean([60, 40, 0], silent, 10, 30),
        estimate_mean([60, 40], forced_response(), 10, 30),
    )
    assert stated.point == pytest.approx(plain.point)
    assert stated.standard_error == pytest.approx(plain.standard_error)
    for method in ("likelihood_ratio", "wald"):
        interval, all_of_them = stated.interval(0.9, method), plain.interval(0.9, method)
        assert interval.low == pytest.approx(all_of_them.low, rel=0.02)
        assert interval.high == pytest.approx(all_of_them.high, rel=0.02)


def test_the_standard_error_is_that_of_the_samples() -> None:
    # 20,000 samples of 2,000: the standard deviation of the estimates is known to half a percent; 4.9 sigma of it.
    rng, shares = np.random.default_rng(20261121), [0.36, 0.44, 0.2]
    samples = rng.multinomial(2000, _reports(SPINNER, shares), size=20_000)
    truths = samples / 2000 @ np.array(SPINNER.inverse, dtype=float).T
    means = 12 * truths[:, 1] / (truths[:, 0] + truths[:, 1])
    expected = np.rint(_reports(SPINNER, shares) * 2000).astype(int)
    stated = estimate_stated_mean(expected, SPINNER, 0, 12).standard_error
    assert stated == pytest.approx(means.std(), rel=0.03)
    planned = 12 * stated_mean_deviation(SPINNER, mean=0.55, unsaid=0.2) / math.sqrt(2000)
    assert stated == pytest.approx(planned, rel=0.001)


@pytest.mark.parametrize(("design", "shares"), [(SPINNER, [0.45, 0.45, 0.1]), (SKEWED, [0.2, 0.4, 0.4])])
@pytest.mark.slow
def test_the_likelihood_ratio_interval_holds_the_true_mean_as_often_as_it_says(
    design: Design, shares: list[float]
) -> None:
    # All counts of 24 respondents with their probabilities: no sampling error in this test.
    true = 10 * shares[1] / (shares[0] + shares[1])
    covered = 0.0
    for counts in _triples(24):
        interval = estimate_stated_mean(counts, design, 0, 10).interval()
        if interval.low <= true <= interval.high:
            covered += stats.multinomial.pmf(counts, 24, _reports(design, shares))
    assert 0.935 <= covered <= 0.985


def test_an_interval_with_half_the_deviation_would_be_caught() -> None:
    true, covered = 5.0, 0.0
    for counts in _triples(24):
        interval = estimate_stated_mean(counts, SPINNER, 0, 10).interval(0.67)
        if interval.low <= true <= interval.high:
            covered += stats.multinomial.pmf(counts, 24, _reports(SPINNER, [0.45, 0.45, 0.1]))
    assert not 0.935 <= covered <= 0.985


@pytest.mark.parametrize("counts", [[0, 0, 5], [0, 1, 9], [1, 1, 30]])
def test_where_nobody_may_say_anything_is_possible_and_nothing_is_estimated(counts: list[int]) -> None:
    estimate = estimate_stated_mean(counts, SPINNER, 0, 12)
    interval = estimate.interval()
    assert math.isnan(estimate.point)
    assert math.isnan(estimate.constrained)
    assert math.isnan(estimate.standard_error)
    assert (interval.low, interval.high, interval.outside) == (0, 12, False)
    assert math.isnan(estimate.interval(method="wald").low)


@pytest.mark.parametrize("design", [forced_response(), k_ary(4)])
def test_a_design_without_three_answers_is_refused(design: Design) -> None:
    with pytest.raises(ValueError, match=r"^design"):
        estimate_stated_mean([1] * design.k, design, 0, 1)
    with pytest.raises(ValueError, match=r"^design"):
        stated_mean_deviation(design)


@pytest.mark.parametrize(("low", "high"), [(1, 1), (2, 1), (math.nan, 1), (0, math.inf), (-1e101, 0)])
def test_ends_that_are_no_range_are_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match=r"^low and high"):
        estimate_stated_mean([1, 1, 1], SPINNER, low, high)


@pytest.mark.parametrize(
    ("mean", "unsaid"), [(-0.1, 0), (1.1, 0), (0.5, 1), (0.5, -0.1), (math.nan, 0), (0.5, math.nan)]
)
def test_shares_that_make_no_plan_are_refused(mean: float, unsaid: float) -> None:
    with pytest.raises(ValueError, match=r"^mean .*0.*1.*0.*1"):
        stated_mean_deviation(SPINNER, mean=mean, unsaid=unsaid)
