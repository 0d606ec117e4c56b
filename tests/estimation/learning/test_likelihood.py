import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.learning.climbing import climb_tables
from surveys.estimation.learning.likelihood import noisy_counts, normal_information
from surveys.estimation.learning.logistic import fit_released_logistic, truth_model
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from tests.estimation.learning.released_data import NO_NOISE, Population, laplace
from tests.estimation.regression.data import Floats, gradient

COINS = forced_response()
GAUSSIAN = DiscreteGaussian(Fraction(4))
COUNTS = np.array([[3, -1, 4, 2]])
MEANS = np.array([[2.5, 0.4, 3.0, 1.1]])


def written_out(counts: Floats, shares: Floats, n: int, noise: object) -> float:
    """The logarithm of the probability of noisy counts, by adding up all counts that can have been."""
    tables = np.array([first for first in itertools.product(range(n + 1), repeat=len(counts) - 1) if sum(first) <= n])
    tables = np.column_stack([tables, n - tables.sum(axis=1)])
    chances = {k: noise.probability(k) for k in np.unique(counts - tables).tolist()}
    noises = np.vectorize(chances.get)(counts - tables).prod(axis=1)
    return math.log(stats.multinomial.pmf(tables, n, shares) @ noises)


@pytest.mark.parametrize("noise", [laplace(1), GAUSSIAN, laplace(4)])
def test_it_is_what_all_counts_that_can_have_been_add_up_to(noise: object) -> None:
    (height,) = noisy_counts(COUNTS, 7, noise).at(MEANS).heights
    expected = written_out(COUNTS[0], MEANS[0] / 7, 7, noise) + stats.poisson.logpmf(7, 7)
    assert height == pytest.approx(expected, rel=1e-10)


def test_leaving_out_that_the_counts_sum_to_n_would_be_seen() -> None:
    # The planted fault: independent cells.
    counts = noisy_counts(COUNTS, 7, laplace(1))
    expected = written_out(COUNTS[0], MEANS[0] / 7, 7, laplace(1)) + stats.poisson.logpmf(7, 7)
    (height,) = counts.at(MEANS).heights
    weights = np.exp(counts.logs - np.log(MEANS)[:, :, np.newaxis] * counts.likely)
    cells = float((np.log(weights.sum(axis=2)) + COUNTS * np.log(MEANS) - MEANS).sum())
    assert height == pytest.approx(expected, rel=1e-10)
    assert abs(cells - expected) > 0.5


def test_without_noise_it_is_the_multinomial_one() -> None:
    counts = np.array([[3, 0, 4, 2]])
    ground = noisy_counts(counts, 9, NO_NOISE).at(MEANS * 9 / 7)
    expected = stats.multinomial.logpmf(counts[0], 9, MEANS[0] / 7) + stats.poisson.logpmf(9, 9)
    assert ground.heights == pytest.approx([expected], rel=1e-12)
    assert ground.scores == pytest.approx(counts / (MEANS * 9 / 7) - 1, rel=1e-9)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("noise", [laplace(1), GAUSSIAN, laplace("1/3")])
def test_the_score_is_its_gradient(noise: object, exact: bool) -> None:
    table = noisy_counts(COUNTS, 7, noise, exact=exact)
    here = table.at(MEANS)
    expected = gradient(lambda means: float(table.at(means[np.newaxis]).heights[0]), MEANS[0])
    assert here.scores[0] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("noise", [GAUSSIAN, laplace("1/3")])
def test_its_second_derivatives_are_about_as_said(noise: object, exact: bool) -> None:
    table, means = noisy_counts(np.array([[72, 27, 83, 40]]), 220, noise, exact=exact), 20 * MEANS + 20
    here = table.at(means)
    expected = -gradient(lambda place: table.at(place[np.newaxis]).scores[0], means[0])
    bend = np.diag(here.bends[0]) + np.outer(here.along[0], here.along[0])
    # The sum of the noise is taken to be normal.
    assert bend == pytest.approx(expected, abs=0.08 * np.diagonal(expected).max())


@pytest.mark.parametrize("noise", [laplace(1), DiscreteGaussian(Fraction(36))])
def test_with_eight_cells_the_normal_sum_of_the_noise_has_nearly_the_exact_maximum(noise: object) -> None:
    population = Population((COINS, COINS, COINS), (-0.5, 1.0, 0.5), (0.35, 0.25, 0.15, 0.25), (2, 2))
    for table in population.tables(2000, noise, 5, seed=3):
        fit = fit_released_logistic(table)
        counts = table.counts.reshape(1, -1)
        normal = noisy_counts(counts, table.n, noise, exact=False)
        assert fit.exact
        assert normal.size == 0
        other = climb_tables(truth_model(table.channel, population.rows), normal, fit.place[np.newaxis]).places[0, :3]
        assert np.abs((fit.coefficients - other) / fit.standard_errors()).max() < 0.02


def test_what_is_too_long_is_not_convolved() -> None:
    assert noisy_counts(np.full((1, 4096), 20), 81_920, GAUSSIAN).size == 0
    assert noisy_counts(np.full((1, 64), 200), 12_800, laplace(1)).size > 0


def test_the_information_is_that_of_normal_counts_that_sum_to_n() -> None:
    means, variance = np.array([4.0, 9.0, 2.0]), 3.0
    weights, along = normal_information(means, variance)
    # The counts' covariance, and n beside them.
    covariance = np.block([[np.diag(means) + variance * np.eye(3), means[:, np.newaxis]], [means, means.sum()]])
    slopes = np.vstack([np.eye(3), np.ones(3)])
    expected = slopes.T @ np.linalg.inv(covariance) @ slopes
    assert np.diag(weights) + np.outer(along, along) == pytest.approx(expected, rel=1e-9)
    exact, none = normal_information(means, 0.0)
    assert exact == pytest.approx(1 / means)
    assert none.tolist() == [0, 0, 0]


def test_several_tables_are_as_one_after_the_other() -> None:
    counts, means = np.vstack([COUNTS, COUNTS[:, ::-1]]), np.vstack([MEANS, MEANS])
    both = noisy_counts(counts, 7, GAUSSIAN)
    together, second = both.at(means).of(np.array([1])), both.of(np.array([1])).at(MEANS)
    for name in ("heights", "scores", "bends", "along"):
        assert getattr(second, name) == pytest.approx(getattr(together, name), rel=1e-9)
