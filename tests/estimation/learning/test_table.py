from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.learning.table import ReleasedTable, SummedNoise, expected_table, rearranged, regression_of
from surveys.estimation.released.noise import likely_noise
from surveys.privacy.designs import direct, forced_response, from_matrix, k_ary, kuk
from tests.estimation.learning.released_data import NO_NOISE, Population, laplace

COINS = forced_response()
NOISE = laplace(1)
COUNTS = [[[40, 30], [20, 25]], [[35, 30], [28, 27]]]
TABLE = ReleasedTable(COUNTS, 240, (COINS, COINS, None), NOISE)


def test_the_moment_estimate_undoes_the_designs_and_sums_to_1() -> None:
    inverse = np.array(COINS.inverse, dtype=float)
    shares = (np.array(COUNTS) + 5 / 8) / 240
    expected = np.einsum("ia,jb,abc->ijc", inverse, inverse, shares)
    assert TABLE.point == pytest.approx(expected)
    assert TABLE.point.sum() == pytest.approx(1)
    assert TABLE.constrained.min() >= 0
    assert TABLE.constrained.sum() == pytest.approx(1)


def test_the_covariance_is_what_simulated_releases_have() -> None:
    population = Population((COINS, None), (-0.5, 1.0), (0.6, 0.4), (2,))
    noise, rounds = laplace("1/5"), 1000
    functional = np.array([[1.0, -2.0], [0.5, 3.0]])
    functional -= (functional * population.truths).sum()
    tables = population.tables(400, noise, rounds, seed=5)
    estimates = np.array([(functional * table.point).sum() for table in tables])
    variance = float(tables[0].channel.covariance(functional[np.newaxis], population.truths)[0, 0])
    # 4.9 standard errors of a mean, and of the variance of about normal numbers: one run in a million leaves either.
    assert estimates.mean() == pytest.approx(0, abs=4.9 * np.sqrt(variance / rounds))
    assert estimates.var() == pytest.approx(variance, rel=4.9 * np.sqrt(2 / rounds) * 1.3)
    # The planted fault: the noise left out.
    quiet = float(tables[0].channel.without_noise().covariance(functional[np.newaxis], population.truths)[0, 0])
    assert estimates.var() > quiet * (1 + 4.9 * np.sqrt(2 / rounds) * 1.3)


def test_direct_answers_have_the_multinomial_covariance() -> None:
    functional = np.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]) - 0.3
    truths = np.full((2, 2, 2), 0.1)
    truths[0, 0, 0] = 0.3
    assert TABLE.channel.direct().covariance(functional[np.newaxis], truths) == pytest.approx(0.3 * 0.7 / 240)


def test_a_marginal_adds_up_counts_and_noise() -> None:
    marginal = TABLE.marginal([2, 0])
    assert marginal.counts.tolist() == np.array(COUNTS).sum(axis=1).T.tolist()
    assert marginal.designs == (None, COINS)
    assert marginal.noise.variance == pytest.approx(2 * NOISE.variance)
    assert TABLE.marginal([0, 1, 2]).noise is NOISE
    assert rearranged(np.array(COUNTS), [1, 0]).tolist() == np.array(COUNTS).sum(axis=2).T.tolist()


def test_summed_noise_is_a_convolution() -> None:
    values, chances = likely_noise(SummedNoise(NOISE, 3))
    single = stats.dlaplace.pmf(np.arange(-NOISE.reach, NOISE.reach + 1), NOISE.rate)
    assert values.tolist() == list(range(-3 * NOISE.reach, 3 * NOISE.reach + 1))
    assert chances == pytest.approx(np.convolve(np.convolve(single, single), single), abs=1e-13)
    assert SummedNoise(NOISE, 3).at_least([-10_000, 10_000]) == pytest.approx([1, 0], abs=1e-12)


def test_designs_with_more_reports_than_truths_are_read_through_their_own_weights() -> None:
    design = kuk("7/10", "3/10", 2)
    table = ReleasedTable([60, 50, 40], 150, (design,), NO_NOISE)
    assert table.shape == (2,)
    assert table.point == pytest.approx(np.array(design.left_inverse, dtype=float) @ [0.4, 1 / 3, 4 / 15])


def test_what_is_published_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        TABLE.counts[0, 0, 0] = 1


NOT_DETERMINED = from_matrix([[1, 1, 0], [0, 0, 1]])  # its epsilon is infinite as well


@pytest.mark.parametrize(
    ("counts", "n", "designs", "noise", "message"),
    [
        (COUNTS, 240, None, NOISE, "^designs"),
        (COUNTS, 240, (COINS, "coins", None), NOISE, r"^designs\[1\] .*Design"),
        ([[1.5, 2], [3, 4]], 40, (COINS, COINS), NOISE, "^counts .*integers"),
        ([[float("nan"), 2], [3, 4]], 40, (COINS, COINS), NOISE, "^counts .*integers"),
        ([[1, 2], [3]], 40, (COINS, COINS), NOISE, "^counts .*integers"),
        (COUNTS, 240, (COINS, COINS), NOISE, "^counts .*axis"),
        (COUNTS, 240, (COINS, COINS, k_ary(3, "1/2")), NOISE, "^counts .*axis"),
        ([[], []], 40, (COINS, None), NOISE, "^counts .*axis"),
        (COUNTS, 39, (COINS, COINS, None), NOISE, "^n .*5.*8.*got 39"),
        (COUNTS, float("nan"), (COINS, COINS, None), NOISE, "^n "),
        ([[-500, 2], [3, 4]], 40, (COINS, COINS), NOISE, "^counts .*74.*0.*40"),
        ([[1, 2], [3, 400]], 40, (COINS, COINS), NOISE, "^counts .*74.*0.*40"),
        ([[10, 20], [3, 4]], 40, (NOT_DETERMINED, COINS), NOISE, r"^designs\[0\]"),
    ],
)
def test_what_is_no_released_table_is_refused(
    counts: object, n: object, designs: object, noise: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ReleasedTable(counts, n, designs, noise)


def test_noise_without_a_variance_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^noise"):
        ReleasedTable(COUNTS, 240, (COINS, COINS, None), laplace(Fraction(1, 10**200)))


@pytest.mark.parametrize(
    ("outcome", "predictors", "message"),
    [
        (3, None, "^outcome .*0.*2"),
        (0, [0, 1], "^predictors .*0"),
        (0, [1, 1], "^predictors"),
        (0, [7], "^predictors .*0.*2"),
        (0, "12", "^predictors .*of items"),
        (0, [1.0], "^predictors .*of items"),
    ],
)
def test_what_is_no_regression_is_refused(outcome: object, predictors: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        regression_of(TABLE, outcome, predictors)


def test_items_of_a_marginal_must_be_different() -> None:
    with pytest.raises(ValueError, match=r"^items"):
        TABLE.marginal([1, 1])


def test_a_regression_may_leave_items_out() -> None:
    regression = regression_of(TABLE, 1, [2])
    assert regression.items == (1, 2)
    assert regression.table.counts.tolist() == np.array(COUNTS).sum(axis=0).tolist()
    assert regression_of(TABLE, 1, None).items == (1, 0, 2)
    assert regression.rows.tolist() == [[1, 0], [1, 1]]


def test_the_expected_table_is_that_of_the_truths() -> None:
    truths = [[0.5, 0.1], [0.2, 0.2]]
    table, assumed = expected_table(truths, 4000, (COINS, direct()), NOISE)
    assert assumed.tolist() == truths
    assert table.counts.tolist() == [[1700, 500], [1100, 700]]


@pytest.mark.parametrize(
    ("truths", "designs", "message"),
    [
        ([[0.5, 0.5], [0.5, 0.5]], (COINS, COINS), "^truths .*probabilities"),
        ([[float("nan"), 0.5], [0.25, 0.25]], (COINS, COINS), "^truths .*probabilities"),
        ([[1.5, 0.0], [-0.5, 0.0]], (COINS, COINS), "^truths .*probabilities"),
        ([0.5, 0.5], (COINS, COINS), "^designs .*Design.*None"),
        ([0.5, 0.5], None, "^designs .*Design.*None"),
        ([0.5, 0.25, 0.25], (COINS,), "^truths .*shape"),
        ("half", (COINS,), "^truths .*real"),
    ],
)
def test_truths_that_are_no_distribution_are_refused(truths: object, designs: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expected_table(truths, 1000, designs, NOISE)
