from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.intervals.binomial import wilson
from surveys.estimation.two_groups.estimate import TwoGroupEstimate
from surveys.estimation.two_groups.models import (
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_unrelated_unknown,
)


def coverage(
    estimator: Callable[..., TwoGroupEstimate],
    chances: tuple[str, str],
    parameter: int,
    method: str | None,
    truths: list[tuple[float, float, float]],
    *,
    n: int = 20,
) -> np.ndarray:
    """The exact probabilities that the interval holds the truth, over all counts of two groups of n.

    Each truth is the probability of Yes in the two groups, and the parameter's value.
    """
    yes = np.arange(n + 1)
    intervals = [
        [estimator([n - a, a], [n - b, b], *chances).parameters[parameter].interval(0.95, method) for b in yes]
        for a in yes
    ]
    low, high = (np.array([[getattr(one, end) for one in row] for row in intervals]) for end in ("low", "high"))
    covered = []
    for rate1, rate2, value in truths:
        holds = (low <= value + 1e-9) & (value - 1e-9 <= high)
        covered.append(stats.binom.pmf(yes, n, rate1) @ holds @ stats.binom.pmf(yes, n, rate2))
    return np.array(covered)


GRID = np.linspace(0, 1, 6)
UNRELATED = [(0.7 * a + 0.3 * b, 0.3 * a + 0.7 * b, a) for a in GRID for b in GRID]
CHEATING = [(a + b / 6, a + b * 5 / 6, a) for a in GRID for b in GRID if a + b <= 1 + 1e-9]
LYING = [(a * t + (1 - a) * 0.7, a * t + (1 - a) * 0.1, a, t) for a in GRID for t in GRID]


@pytest.mark.parametrize(
    ("estimator", "chances", "truths"),
    [
        (estimate_unrelated_unknown, ("7/10", "3/10"), UNRELATED),
        (estimate_cheating_detection, ("1/6", "5/6"), CHEATING),
        (estimate_lie_detector, ("3/10", "9/10"), [truth[:3] for truth in LYING]),
    ],
)
@pytest.mark.slow
def test_wilson_limits_combined_cover_about_what_they_say(
    estimator: Callable[..., TwoGroupEstimate], chances: tuple[str, str], truths: list
) -> None:
    covered = coverage(estimator, chances, 0, None, truths)
    assert 0.95 < covered.mean() < 0.965
    assert covered.min() > 0.925


def test_wald_covers_less_for_cheating_detection() -> None:
    assert coverage(estimate_cheating_detection, ("1/6", "5/6"), 0, "wald", CHEATING).min() < 0.87


def test_the_likelihood_covers_the_truthful_share_where_wald_does_not() -> None:
    # With 12 in a group, wherever the statement applies to at least 1 in 5.
    truths = [(first, second, t) for first, second, a, t in LYING if a > 0]
    likelihood = coverage(estimate_lie_detector, ("3/10", "9/10"), 1, None, truths, n=12)
    wald = coverage(estimate_lie_detector, ("3/10", "9/10"), 1, "wald", truths, n=12)
    assert likelihood.min() > 0.91
    assert 0.95 < likelihood.mean() < 0.98
    assert wald.min() < 0.82


def test_a_group_that_is_asked_directly_keeps_its_own_wilson_interval() -> None:
    # With p = 1 the first group's Yes-rate is the prevalence; the second group adds nothing.
    interval = estimate_unrelated_unknown([60, 40], [30, 70], 1, "1/3").interval()
    low, high = wilson(np.array([40]), 100, 0.95)
    assert [interval.low, interval.high] == pytest.approx([low[0], high[0]], rel=1e-12)
    # With p = 0 nobody is forced.
    interval = estimate_cheating_detection([60, 40], [30, 70], 0, "1/3").interval()
    assert [interval.low, interval.high] == pytest.approx([low[0], high[0]], rel=1e-12)


def test_wilson_limits_combine_like_newcombes_difference() -> None:
    # The honest No share is (λ₂−λ₁)/(p₂−p₁).
    interval = estimate_cheating_detection([70, 30], [44, 56], "1/4", "3/4").honest_no.interval(0.9)
    (low1,), (high1,) = wilson(np.array([30]), 100, 0.9)
    (low2,), (high2,) = wilson(np.array([56]), 100, 0.9)
    assert interval.low == pytest.approx((0.26 - np.hypot(0.56 - low2, high1 - 0.3)) / 0.5)
    assert interval.high == pytest.approx((0.26 + np.hypot(high2 - 0.56, 0.3 - low1)) / 0.5)
    assert (interval.confidence_level, interval.method, interval.outside) == (0.9, "wilson", False)


def test_any_binomial_method_combines() -> None:
    estimate = estimate_unrelated_unknown([60, 40], [30, 70], 1, "1/3")
    exact = estimate.interval(method="clopper_pearson")
    theirs = stats.binomtest(40, 100).proportion_ci()
    assert [exact.low, exact.high] == pytest.approx([theirs.low, theirs.high], rel=1e-10)
    assert exact.method == "clopper_pearson"


def test_wald_is_the_point_plus_and_minus_z_standard_errors() -> None:
    estimate = estimate_unrelated_unknown([60, 40], [30, 70], "7/10", "1/10")
    interval = estimate.innocuous_rate.interval(0.9, "wald")
    half = stats.norm.ppf(0.95) * estimate.innocuous_rate.standard_error
    point = estimate.innocuous_rate.point
    assert [interval.low, interval.high] == pytest.approx([point - half, point + half])


@pytest.mark.parametrize("method", ["wilson", "wald"])
def test_an_interval_that_no_prevalence_is_in_says_so(method: str) -> None:
    # The prevalence would be 1.85, or −.85, and the other way round nothing is wrong.
    above = estimate_unrelated_unknown([2, 198], [180, 20], "7/10", "1/5").interval(method=method)
    below = estimate_unrelated_unknown([198, 2], [20, 180], "7/10", "1/5").interval(method=method)
    fits = estimate_unrelated_unknown([100, 100], [80, 120], "7/10", "1/5").interval(method=method)
    assert (above.low, above.high, above.outside) == (1, 1, True)
    assert (below.low, below.high, below.outside) == (0, 0, True)
    assert not fits.outside


@pytest.mark.parametrize(("counts", "only"), [([9, 0], 0), ([0, 9], 1)])
def test_an_interval_of_exactly_0_or_1_lies_not_outside(counts: list[int], only: int) -> None:
    # The first group is asked directly, and all say the same.
    interval = estimate_unrelated_unknown(counts, [5, 6], 1, "1/2").interval(method="wald")
    assert (interval.low, interval.high, interval.outside) == (only, only, False)


def test_methods_that_do_not_exist_are_refused() -> None:
    estimate = estimate_lie_detector([18, 32], [42, 18], "3/10", "9/10")
    with pytest.raises(ValueError, match=r"^method .*got 'wilson'"):
        estimate.truthful_share.interval(method="wilson")
    with pytest.raises(ValueError, match=r"^method"):
        estimate.interval(method="bayes")


@pytest.mark.parametrize("method", ["wilson", "wald", "likelihood_ratio"])
@pytest.mark.parametrize("confidence_level", [0, 1, 95, float("nan")])
def test_a_level_lies_strictly_between_0_and_1(method: str, confidence_level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        estimate_lie_detector([18, 32], [42, 18], "3/10", "9/10").interval(confidence_level, method)


def test_a_higher_level_gives_a_wider_interval() -> None:
    estimate = estimate_lie_detector([18, 32], [42, 18], "3/10", "9/10")
    for parameter in estimate.parameters:
        narrow, wide = parameter.interval(0.8), parameter.interval(0.99)
        assert wide.low < narrow.low < narrow.high < wide.high
        assert (narrow.confidence_level, wide.confidence_level) == (0.8, 0.99)
