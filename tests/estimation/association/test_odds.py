import math

import numpy as np
import pytest
from scipy import optimize, stats

from surveys.estimation.association.correlation import correlation, correlation_gradient
from surveys.estimation.association.joint import estimate_joint
from surveys.privacy.designs import forced_response, warner

DIRECT = warner(1)


def most_likely_with_odds_ratio(ratio: float, counts: np.ndarray, matrix: np.ndarray) -> float:
    """The profile log-likelihood by another way: a search over the margins, whose table Plackett's formula gives."""

    def lacking(free: np.ndarray) -> float:
        a, b = 1 / (1 + np.exp(-free))
        if ratio == 1:
            both = a * b
        else:
            s = 1 + (a + b) * (ratio - 1)
            both = (s - math.sqrt(s * s - 4 * ratio * (ratio - 1) * a * b)) / (2 * (ratio - 1))
        return -float(counts @ np.log(matrix @ [1 - a - b + both, b - both, a - both, both]))

    optimum = optimize.minimize(lacking, [0.1, -0.1], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11})
    return -float(optimum.fun)


@pytest.mark.parametrize(
    ("table", "a", "b"),
    [
        ([[37, 12], [15, 46]], DIRECT, DIRECT),
        ([[300, 150], [140, 260]], forced_response("4/5"), warner("9/10")),
        ([[90, 60], [64, 86]], warner("1/5"), forced_response("4/5")),
    ],
)
def test_likelihood_limits_are_where_a_likelihood_ratio_test_begins_to_reject(
    table: list, a: object, b: object
) -> None:
    joint = estimate_joint(table, a, b)
    counts, matrix = joint.cells.counts, np.array(joint.cells.design.matrix, dtype=float)
    highest = float(counts @ np.log(matrix @ joint.cells.constrained))
    interval = joint.odds_ratio.interval(0.9)
    assert 0 < interval.low < joint.odds_ratio.point < interval.high < math.inf
    for limit in (interval.low, interval.high):
        lost = 2 * (highest - most_likely_with_odds_ratio(limit, counts, matrix))
        assert lost == pytest.approx(stats.chi2.ppf(0.9, 1), abs=1e-5)
    assert (interval.method, interval.confidence_level) == ("likelihood_ratio", 0.9)


def test_without_chance_the_odds_ratio_is_the_ordinary_one() -> None:
    odds = estimate_joint([[37, 12], [15, 46]], DIRECT, DIRECT).odds_ratio
    assert odds.point == pytest.approx(37 * 46 / (12 * 15))
    # Woolf's standard error, but with n−1 where it has n.
    assert odds.log_standard_error == pytest.approx(
        math.sqrt((1 / 37 + 1 / 12 + 1 / 15 + 1 / 46) * 110 / 109), rel=1e-10
    )
    wald = odds.interval(0.9, "wald")
    half = stats.norm.ppf(0.95) * odds.log_standard_error
    assert [wald.low, wald.high] == pytest.approx([odds.point * math.exp(-half), odds.point * math.exp(half)])
    assert (wald.method, wald.confidence_level) == ("wald", 0.9)


def test_turning_one_answer_around_inverts_the_odds_ratio() -> None:
    one = estimate_joint([[300, 150], [140, 260]], forced_response("4/5"), warner("9/10")).odds_ratio
    other = estimate_joint([[140, 260], [300, 150]], forced_response("4/5"), warner("9/10")).odds_ratio
    assert one.point == pytest.approx(1 / other.point, rel=1e-8)
    assert one.interval().low == pytest.approx(1 / other.interval().high, rel=1e-6)


def test_an_empty_diagonal_gives_0_or_infinity_and_a_limit_on_the_other_side() -> None:
    agreeing = estimate_joint([[10, 0], [0, 12]], DIRECT, DIRECT).odds_ratio
    differing = estimate_joint([[0, 10], [12, 0]], DIRECT, DIRECT).odds_ratio
    assert (agreeing.point, differing.point) == (math.inf, 0)
    assert agreeing.interval().high == math.inf
    assert differing.interval().low == 0
    assert 1 < agreeing.interval().low < math.inf
    assert agreeing.interval().low == pytest.approx(1 / differing.interval().high, rel=1e-6)
    for odds in (agreeing, differing):
        assert math.isnan(odds.log_standard_error)
        assert math.isnan(odds.interval(method="wald").low)
        assert math.isnan(odds.interval(method="wald").high)


def test_one_empty_cell_leaves_one_finite_limit() -> None:
    joint = estimate_joint([[30, 0], [20, 12]], DIRECT, DIRECT)
    assert joint.odds_ratio.point == math.inf
    interval = joint.odds_ratio.interval()
    assert interval.high == math.inf
    counts, matrix = joint.cells.counts, np.array(joint.cells.design.matrix, dtype=float)
    highest = sum(n * math.log(n / 62) for n in (30, 20, 12))
    lost = 2 * (highest - most_likely_with_odds_ratio(interval.low, counts, matrix))
    assert lost == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-5)


def test_an_answer_of_nobody_leaves_no_odds_ratio() -> None:
    odds = estimate_joint([[10, 12], [0, 0]], DIRECT, DIRECT).odds_ratio
    assert math.isnan(odds.point)
    interval = odds.interval()
    assert (interval.low, interval.high) == (0, math.inf)


def test_little_data_under_much_chance_says_nothing_about_the_odds_ratio() -> None:
    odds = estimate_joint([[3, 2], [2, 3]], forced_response(), forced_response()).odds_ratio
    assert (odds.interval().low, odds.interval().high) == (0, math.inf)


def test_one_response_has_no_standard_errors() -> None:
    joint = estimate_joint([[0, 0], [0, 1]], DIRECT, DIRECT)
    assert math.isnan(joint.odds_ratio.log_standard_error)
    assert math.isnan(joint.correlation.standard_error)
    assert math.isnan(joint.correlation.point)


def test_an_enormous_standard_error_overflows_nothing() -> None:
    odds = estimate_joint([[4000, 4000], [4000, 4001]], forced_response("1/100"), forced_response("1/100")).odds_ratio
    assert odds.log_standard_error > 400
    interval = odds.interval(method="wald")
    assert interval.low == pytest.approx(0, abs=1e-300)
    assert interval.high > 1e300


def test_a_method_that_does_not_exist_is_refused() -> None:
    odds = estimate_joint([[37, 12], [15, 46]], DIRECT, DIRECT).odds_ratio
    with pytest.raises(ValueError, match=r"^method .*got 'woolf'"):
        odds.interval(method="woolf")
    for method in ("likelihood_ratio", "wald"):
        with pytest.raises(ValueError, match=r"^confidence_level"):
            odds.interval(1, method)


@pytest.mark.slow
def test_the_likelihood_interval_covers_about_what_it_says() -> None:
    # All tables of 12 asked through "9 in 10 answer, a coin for the rest", exactly; the odds ratio is 6.
    design, n = forced_response("9/10"), 12
    truth = np.array([0.4, 0.2, 0.1, 0.3])
    reported = np.kron(np.array(design.matrix, dtype=float), np.array(design.matrix, dtype=float)) @ truth
    missed = 0.0
    for first in range(n + 1):
        for second in range(n - first + 1):
            for third in range(n - first - second + 1):
                counts = [first, second, third, n - first - second - third]
                chance = stats.multinomial.pmf(counts, n, reported)
                if chance > 1e-3:
                    interval = estimate_joint(np.reshape(counts, (2, 2)), design, design).odds_ratio.interval()
                    missed += chance * (not interval.low <= 6 <= interval.high)
    # Tables of less than 1 in 1,000 each are left out, together 1 in 20 of all.
    assert 0.03 < missed < 0.055


def test_without_chance_the_correlation_is_that_of_the_answers() -> None:
    answers = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [37, 12, 15, 46], axis=0)
    expected = np.corrcoef(answers.T)[0, 1]
    estimate = estimate_joint([[37, 12], [15, 46]], DIRECT, DIRECT).correlation
    assert estimate.point == pytest.approx(expected)
    interval = estimate.interval(0.9)
    half = stats.norm.ppf(0.95) * estimate.standard_error / (1 - expected**2)
    assert math.atanh(interval.low) == pytest.approx(math.atanh(expected) - half)
    assert math.atanh(interval.high) == pytest.approx(math.atanh(expected) + half)
    assert (interval.method, interval.confidence_level) == ("fisher", 0.9)


def test_the_error_of_the_correlation_is_that_of_the_delta_method() -> None:
    joint = estimate_joint([[300, 150], [140, 260]], forced_response("4/5"), warner("9/10"))
    cells, step = np.array(joint.cells.point), 1e-6
    gradient = []
    for code in range(4):
        moved = step * (np.arange(4) == code)
        gradient.append((correlation(cells + moved) - correlation(cells - moved)) / (2 * step))
    # Off the simplex the formula with a = π₂ + π₃ and b = π₁ + π₃ goes on as it stands.
    assert correlation_gradient(cells) == pytest.approx(gradient, abs=1e-8)
    expected = math.sqrt(gradient @ joint.covariance @ gradient)
    assert joint.correlation.standard_error == pytest.approx(expected, rel=1e-8)


def test_a_correlation_of_1_has_no_interval() -> None:
    interval = estimate_joint([[10, 0], [0, 12]], DIRECT, DIRECT).correlation.interval()
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert (interval.method, interval.confidence_level) == ("fisher", 0.95)


def test_an_empty_cell_leaves_the_correlation_its_error() -> None:
    estimate = estimate_joint([[15, 0], [14, 13]], DIRECT, DIRECT).correlation
    assert estimate.point == pytest.approx(15 * 13 / math.sqrt(15 * 27 * 29 * 13))
    assert 0 < estimate.standard_error < 0.2
    interval = estimate.interval()
    assert 0 < interval.low < estimate.point < interval.high < 1


def test_a_moment_estimate_that_is_no_distribution_has_no_error_for_the_correlation() -> None:
    joint = estimate_joint([[300, 150], [140, 210]], forced_response(), warner("3/4"))
    assert joint.point.min() < 0
    assert 0.9 < joint.correlation.point < 1
    assert math.isnan(joint.correlation.standard_error)
    assert math.isnan(joint.correlation.interval().low)
    with pytest.raises(ValueError, match=r"^confidence_level"):
        joint.correlation.interval(1)
