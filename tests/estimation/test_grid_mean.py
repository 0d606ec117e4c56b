"""Means and variances of numbers from reports that stand for values."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from surveys.estimation.grid_mean import estimate_grid_mean, estimate_unrelated_number
from surveys.estimation.numbers import estimate_mean
from surveys.privacy.designs import (
    GridMean,
    from_matrix,
    scrambled_mean,
    unrelated_mean,
    warner,
    with_chance,
)
from tests.privacy.test_grid import windowed

SCRAMBLED = scrambled_mean([0, 1, 2, 4], ["1/2", 1, 2], ["1/4", "1/2", "1/4"])
WINDOW = windowed(0, 6, 4, "4/9", 2)


def test_one_bit_is_estimated_as_by_its_own_estimator() -> None:
    estimate = estimate_grid_mean([130, 70], windowed(0, 24, 2, "1/2", 1))
    of_one_bit = estimate_mean([130, 70], warner("3/4"), 0, 24)
    assert estimate.point == pytest.approx(of_one_bit.point, rel=1e-12)
    assert estimate.standard_error == pytest.approx(of_one_bit.standard_error, rel=1e-12)
    likely, theirs = estimate.interval(), of_one_bit.interval(0.95, "likelihood_ratio")
    assert (likely.low, likely.high) == pytest.approx((theirs.low, theirs.high), rel=1e-7)
    wald, theirs = estimate.interval(method="wald"), of_one_bit.interval(0.95, "wald")
    assert (wald.low, wald.high) == pytest.approx((theirs.low, theirs.high), rel=0.005)
    assert estimate.n == 200


def moments(grid: GridMean, truths: list[int], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Means over all samples of n with replacement and all reports: of the estimates, and of the point's square."""
    columns = [[float(p) for p in grid.column(truth)] for truth in truths]
    chances = np.mean(columns, axis=0)
    sums = np.zeros(3)
    for reports in product(range(grid.design.m), repeat=n):
        chance = math.prod(chances[report] for report in reports)
        if chance:
            estimate = estimate_grid_mean([reports.count(code) for code in range(grid.design.m)], grid)
            sums += chance * np.array([estimate.point, estimate.standard_error**2, estimate.variance])
    return sums, chances


@pytest.mark.parametrize("grid", [WINDOW, SCRAMBLED, unrelated_mean([0, 1, 4], "2/3", ["1/2", "1/4", "1/4"])])
def test_the_mean_its_variance_and_that_of_the_numbers_are_unbiased_over_all_samples_and_coins(grid: GridMean) -> None:
    truths = [grid.truths[0], grid.truths[1], grid.truths[1], grid.truths[-1]]
    (mean, error, variance), chances = moments(grid, truths, 2)
    values = np.array(grid.values, dtype=float)
    assert mean == pytest.approx(float(sum(truths)) / 4)
    assert error == pytest.approx((chances @ values**2 - mean**2) / 2)
    assert variance == pytest.approx(np.var(np.array(truths, dtype=float)))
    # The twin: the variance of the reports is no estimate of the numbers'.
    assert chances @ values**2 - mean**2 > 1.2 * variance


def test_reports_that_do_not_tell_squares_leave_the_variance_unknown() -> None:
    rising = [Fraction(1, 4) + Fraction(code, 6) for code in range(4)]
    one_bit = GridMean((0, 2, 4, 6), (-3, 9), from_matrix([[1 - entry for entry in rising], rising]))
    estimate = estimate_grid_mean([30, 20], one_bit)
    assert math.isnan(estimate.variance)
    assert math.isnan(estimate.variance_standard_error)
    assert estimate.standard_error > 0


def test_the_variance_has_the_delta_methods_error() -> None:
    counts = np.array([40, 30, 60, 50, 20])
    estimate = estimate_grid_mean(counts, WINDOW)
    values, n = np.array(WINDOW.values, dtype=float), counts.sum()
    squares = np.array([float(t) ** 2 for t in WINDOW.truths]) @ np.array(WINDOW.design.left_inverse, dtype=float)
    step = 1e-6

    def raw(shares: np.ndarray) -> float:
        return float(shares @ squares - (shares @ values) ** 2)

    shares = counts / n
    gradient = np.array([(raw(shares + step * one) - raw(shares - step * one)) / (2 * step) for one in np.eye(5)])
    covariance = (np.diag(shares) - np.outer(shares, shares)) / (n - 1)
    assert estimate.variance_standard_error == pytest.approx(math.sqrt(gradient @ covariance @ gradient), rel=1e-6)


def test_estimates_outside_the_range_are_cut_and_marked() -> None:
    estimate = estimate_grid_mean([0, 0, 0, 0, 200], WINDOW)
    assert estimate.point > estimate.constrained == 6
    assert estimate.interval().outside
    assert (estimate.interval().low, estimate.interval().high) == (6, 6)
    one = estimate_grid_mean([0, 0, 1, 0, 0], WINDOW)
    assert math.isnan(one.standard_error)
    assert math.isnan(one.interval(method="wald").low)
    assert 0 <= one.interval().low < one.interval().high <= 6


def test_two_groups_separate_two_numbers() -> None:
    values = [0, 2, 5]
    sensitive, unrelated = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6])
    p1, p2 = Fraction(4, 5), Fraction(3, 10)
    # Counts that are exactly as expected: the estimates are the truth.
    counts = [np.rint(1_000 * (float(p) * sensitive + (1 - float(p)) * unrelated)).astype(int) for p in (p1, p2)]
    weighted = estimate_unrelated_number(counts[0], counts[1], values, p1, p2)
    numbers = np.array(values)
    for estimate, shares in ((weighted.sensitive, sensitive), (weighted.unrelated, unrelated)):
        assert estimate.point == pytest.approx(shares @ numbers, rel=1e-12)
        spread = shares @ numbers**2 - (shares @ numbers) ** 2
        assert estimate.variance == pytest.approx(spread + estimate.standard_error**2, rel=1e-9)
    variances = [(c @ numbers**2 / 1_000 - (c @ numbers / 1_000) ** 2) / 999 for c in counts]
    expected = math.sqrt((0.7**2 * variances[0] + 0.2**2 * variances[1]) / 0.5**2)
    assert weighted.sensitive.standard_error == pytest.approx(expected, rel=1e-12)
    expected = math.sqrt((0.3**2 * variances[0] + 0.8**2 * variances[1]) / 0.5**2)
    assert weighted.unrelated.standard_error == pytest.approx(expected, rel=1e-12)
    wald, likely = weighted.sensitive.interval(method="wald"), weighted.sensitive.interval()
    assert (wald.high - wald.low) / 2 == pytest.approx(1.959963984540054 * weighted.sensitive.standard_error)
    assert (likely.low, likely.high) == pytest.approx((wald.low, wald.high), abs=0.02)


def test_the_variance_of_the_sensitive_number_is_unbiased_over_all_answers_of_two_groups_of_two() -> None:
    values = [0, 1, 3]
    sensitive, unrelated = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    chances = [p * sensitive + (1 - p) * unrelated for p in (0.75, 0.25)]
    mean = variance = 0.0
    for answers in product(range(3), repeat=4):
        chance = math.prod(chances[place // 2][answer] for place, answer in enumerate(answers))
        counts = [[answers[start : start + 2].count(code) for code in range(3)] for start in (0, 2)]
        estimate = estimate_unrelated_number(counts[0], counts[1], values, "3/4", "1/4").sensitive
        mean, variance = mean + chance * estimate.point, variance + chance * estimate.variance
    numbers = np.array(values)
    assert mean == pytest.approx(sensitive @ numbers)
    assert variance == pytest.approx(sensitive @ numbers**2 - (sensitive @ numbers) ** 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: estimate_grid_mean([1, 2], warner("3/4")), "^grid .*GridMean"),  # type: ignore[arg-type]
        (lambda: estimate_grid_mean([1, 2], WINDOW), "^counts .*5"),
        (
            lambda: estimate_grid_mean([1] * 5, WINDOW).interval(method="bayes"),
            "^method",
        ),
        (lambda: estimate_unrelated_number([1, 2], [2, 1], [0, 1], "1/2", "1/2"), "^p1 and p2"),
        (lambda: estimate_unrelated_number([1, 2], [2, 1], [1, 1], "1/2", "1/4"), "^values .*2.*36"),
        (lambda: estimate_unrelated_number([1, 2], [2], [0, 1], "1/2", "1/4"), "^counts2 .*2"),
    ],
)
def test_what_is_no_estimate_is_refused_by_name(make, message: str) -> None:  # noqa: ANN001
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.studies
def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    # 2,000 studies each: .93 and .97 are more than four standard deviations of .005 from .95.
    generator = np.random.default_rng(11)
    for grid, n in (
        (windowed(0, 10, 9, "3/10", 4), 200),
        (with_chance(SCRAMBLED, "2/3"), 150),
        (SCRAMBLED, 150),
        (unrelated_mean([0, 1, 4], "2/3", ["1/2", "1/4", "1/4"]), 100),
    ):
        truths = [grid.truths[0], grid.truths[0], grid.truths[1], grid.truths[-1]]
        chances = np.mean([[float(p) for p in grid.column(x)] for x in truths], axis=0)
        mean, held, narrow = float(sum(truths)) / 4, 0, 0
        for _ in range(2_000):
            estimate = estimate_grid_mean(generator.multinomial(n, chances / chances.sum()), grid)
            interval = estimate.interval()
            held += interval.low <= mean <= interval.high
            # The twin: the design's noise forgotten, only the numbers' own spread counted.
            half = 1.96 * math.sqrt(np.var([float(x) for x in truths]) / n)
            narrow += abs(estimate.point - mean) <= half
        assert 0.93 < held / 2_000 < 0.97
        assert narrow / 2_000 < 0.93


@pytest.mark.studies
def test_intervals_of_two_groups_hold_the_sensitive_mean() -> None:
    generator = np.random.default_rng(12)
    values, sensitive, unrelated = [0, 1, 4], np.array([0.6, 0.3, 0.1]), np.array([0.3, 0.4, 0.3])
    chances = [p * sensitive + (1 - p) * unrelated for p in (0.8, 0.3)]
    mean, held = float(sensitive @ values), 0
    for _ in range(2_000):
        counts = [generator.multinomial(150, chance) for chance in chances]
        interval = estimate_unrelated_number(counts[0], counts[1], values, "4/5", "3/10").sensitive.interval()
        held += interval.low <= mean <= interval.high
    assert 0.93 < held / 2_000 < 0.97
