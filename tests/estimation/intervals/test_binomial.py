import math

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.intervals import binomial
from surveys.estimation.intervals.binomial import (
    METHODS,
    agresti_coull,
    binomial_limits,
    clopper_pearson,
    jeffreys,
    likelihood_ratio,
    wald,
    wilson,
)


@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_limits_equal_those_of_scipy(method: str) -> None:
    n, ours = 37, {"wilson": wilson, "exact": clopper_pearson}[method]
    low, high = ours(np.arange(n + 1), n, 0.9)
    for x in range(n + 1):
        theirs = stats.binomtest(x, n).proportion_ci(0.9, method)
        assert [low[x], high[x]] == pytest.approx([theirs.low, theirs.high], rel=1e-10, abs=1e-15)


def test_jeffreys_limits_are_quantiles_of_the_posterior() -> None:
    low, high = jeffreys(np.array([4, 20]), 37, 0.9)
    assert low == pytest.approx(stats.beta.ppf(0.05, [4.5, 20.5], [33.5, 17.5]), rel=1e-12)
    assert high == pytest.approx(stats.beta.ppf(0.95, [4.5, 20.5], [33.5, 17.5]), rel=1e-12)


def test_agresti_coull_adds_two_successes_and_two_failures() -> None:
    # At z² = 4 exactly.
    low, high = agresti_coull(np.array([8]), 16, 2 * stats.norm.cdf(2) - 1)
    assert [low[0], high[0]] == pytest.approx([0.5 - 2 * math.sqrt(0.25 / 20), 0.5 + 2 * math.sqrt(0.25 / 20)])
    low, high = agresti_coull(np.array([3]), 16, 2 * stats.norm.cdf(2) - 1)
    assert (low[0] + high[0]) / 2 == pytest.approx(5 / 20)


@pytest.mark.parametrize("method", [wilson, clopper_pearson, jeffreys, likelihood_ratio])
def test_none_and_all_have_limits_of_exactly_0_and_1(method: object) -> None:
    low, high = method(np.array([0, 9]), 9, 0.95)
    assert low[0] == 0
    assert high[1] == 1
    assert 0 < high[0] < 1
    assert high[0] == pytest.approx(1 - low[1], rel=1e-12)


def test_rounding_moves_no_limit_below_0_or_above_1() -> None:
    for n in range(1, 200):
        low, high = wilson(np.array([0, n]), n, 0.95)
        assert (low[0], high[1]) == (0, 1)


def test_wald_gives_no_width_to_none_of_thirty() -> None:
    low, high = wald(np.array([0, 15]), 30, 0.95)
    assert (low[0], high[0]) == (0, 0)
    assert high[1] - low[1] == pytest.approx(2 * 1.959964 * math.sqrt(0.25 / 30))
    assert (low[1] + high[1]) / 2 == pytest.approx(0.5)


def test_none_of_n_has_a_likelihood_ratio_limit_in_closed_form() -> None:
    for n in (1, 30, 10**6, 10**12):
        _, high = likelihood_ratio(np.array([0]), n, 0.95)
        assert high[0] == pytest.approx(-math.expm1(-stats.chi2.ppf(0.95, 1) / (2 * n)), rel=1e-10)


@pytest.mark.parametrize("n", [1, 7, 40, 1_000, 10**6])
@pytest.mark.parametrize("confidence_level", [0.5, 0.95, 0.9999])
def test_at_its_limits_the_likelihood_ratio_is_the_quantile_of_chi_squared(n: int, confidence_level: float) -> None:
    counts = np.unique(np.array([0, 1, n // 3, n - 1, n]).clip(0, n))
    low, high = likelihood_ratio(counts, n, confidence_level)
    quantile = stats.chi2.ppf(confidence_level, 1)
    for x, first, last in zip(counts, low, high, strict=True):
        assert first <= x / n <= last
        for limit, end in ((first, 0), (last, 1)):
            if limit != end:
                ratio = 2 * (stats.binom.logpmf(x, n, x / n) - stats.binom.logpmf(x, n, limit))
                assert ratio == pytest.approx(quantile, rel=1e-6)


def test_a_likelihood_ratio_interval_between_edges_starts_from_the_best_there() -> None:
    # 10 of 100 where at least 30 of 100 are expected: the best is .3, and only more than that is compared with it.
    low, high = likelihood_ratio(np.array([10]), 100, 0.95, 0.3, 0.8)
    assert low[0] == 0.3
    ratio = 2 * (stats.binom.logpmf(10, 100, 0.3) - stats.binom.logpmf(10, 100, high[0]))
    assert ratio == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-9)
    # And 90 of 100 where at most 80 are.
    low, high = likelihood_ratio(np.array([90]), 100, 0.95, 0.3, 0.8)
    assert high[0] == 0.8
    ratio = 2 * (stats.binom.logpmf(90, 100, 0.8) - stats.binom.logpmf(90, 100, low[0]))
    assert ratio == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-9)


def test_at_a_level_near_0_the_likelihood_ratio_interval_is_the_maximum() -> None:
    low, high = likelihood_ratio(np.array([0, 3, 10]), 10, 1e-12)
    assert low == pytest.approx([0, 0.3, 1], abs=1e-6)
    assert high == pytest.approx([0, 0.3, 1], abs=1e-6)


def test_newtons_steps_come_from_beyond_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.array([0, 1, 12, 30])
    low, high = likelihood_ratio(counts, 30, 0.95)
    monkeypatch.setattr(binomial, "_MAX_STEPS", 2)
    early_low, early_high = likelihood_ratio(counts, 30, 0.95)
    assert (early_low <= low).all()
    assert (early_high >= high).all()
    assert early_high[1] > high[1]


def test_at_any_number_of_responses_the_likelihood_ratio_interval_holds_the_proportion() -> None:
    n = 4 * 10**18
    counts = np.array([n // 3, n // 2, 5])
    low, high = likelihood_ratio(counts, n, 0.95)
    assert (low <= counts / n).all()
    assert (counts / n <= high).all()
    assert high - low == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("confidence_level", [0, 1, -0.95, 95, math.nan])
def test_a_level_lies_strictly_between_0_and_1(confidence_level: float, method: str) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        binomial_limits(np.array([1]), 2, confidence_level, method)


@pytest.mark.parametrize("method", METHODS)
def test_a_higher_level_gives_a_wider_interval(method: str) -> None:
    counts = np.array([1, 15, 29])
    (low, high), (wider_low, wider_high) = (binomial_limits(counts, 30, level, method) for level in (0.8, 0.99))
    assert (wider_low < low).all()
    assert (high < wider_high).all()


def test_an_unknown_method_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^method .*got 'bayes'"):
        binomial_limits(np.array([1]), 2, 0.95, "bayes")
