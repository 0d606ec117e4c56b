"""Profile limits agree with the likelihood by brute force."""

import os

import numpy as np
import pytest
import scipy

from surveys.estimation.regression.logistic import LogisticFit, fit_logistic
from surveys.estimation.regression.randomized_predictors import (
    RandomizedPredictorsFit,
    fit_logistic_randomized_predictors,
)
from surveys.privacy.designs import Design, forced_response, warner
from tests.estimation.regression.brute_force import Brute, BruteLatent, BruteLogistic
from tests.estimation.regression.data import Floats, sigmoid
from tests.estimation.regression.latent_data import reported

DESIGNS = {"coins": forced_response(), "forced": forced_response("4/5"), "warner": warner("7/10")}
ALLOWED = scipy.stats.chi2.ppf(0.95, 1) / 2
CELLS = [(name, n, effect) for name in DESIGNS for n in (50, 100, 300) for effect in (0.0, 0.5)]
SETS = int(os.environ.get("TESTS_PROFILES", "0"))
"""So many simulated sets are compared, of one after the other of the 18 kinds; otherwise a few that are hard."""
INFINITE = 2
LOGISTIC = range(SETS) if SETS else (2, 92, 144, 267, 284)
LATENT = range(SETS) if SETS else (1,)


def logistic_set(number: int) -> tuple[Floats, Floats, Design]:
    """An intercept and a normal predictor, in every fourth set two."""
    name, n, effect = CELLS[number % len(CELLS)]
    rng = np.random.default_rng(number)
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2 if number // len(CELLS) % 4 == 3 else 1))])
    truths = (rng.random(n) < sigmoid(-0.5 + effect * x[:, 1])).astype(np.int64)
    return x, reported(DESIGNS[name], truths, rng), DESIGNS[name]


def latent_set(number: int) -> RandomizedPredictorsFit:
    """Two groups and one randomized predictor, in every fourth set none and two."""
    name, n, effect = CELLS[number % len(CELLS)]
    design, rng = DESIGNS[name], np.random.default_rng(number)
    two = number // len(CELLS) % 4 == 3
    group = rng.integers(0, 2, size=n)
    group[:2] = [0, 1]
    truths = [(rng.random(n) < 0.4).astype(np.int64) for _ in range(2 if two else 1)]
    y = (rng.random(n) < sigmoid(-0.5 + effect * sum(truths))).astype(np.int64)
    x = None if two else group[:, np.newaxis]
    reports = [reported(design, truth, rng) for truth in truths]
    return fit_logistic_randomized_predictors(reported(design, y, rng), design, reports, [design] * len(truths), x)


def level_of(fit: LogisticFit | RandomizedPredictorsFit) -> float:
    return (fit.log_likelihood if fit.converged else fit.log_likelihood_bound) - ALLOWED


def brute_logistic(number: int, column: int) -> tuple[LogisticFit, BruteLogistic]:
    x, y, design = logistic_set(number)
    if_no, if_yes = np.array(design.matrix, dtype=float)[y].T
    return fit_logistic(y, x, design), BruteLogistic(x, column, if_no, if_yes)


def brute_latent(fit: RandomizedPredictorsFit, column: int) -> BruteLatent:
    counted, reports = fit.patterns, fit.patterns.reports
    return BruteLatent(counted.rows, column, counted.counts, reports.if_no, reports.if_yes, reports.predictors)


def differences(fit: LogisticFit | RandomizedPredictorsFit, brute: Brute) -> list[str]:
    """What is wrong with the limits of one coefficient, unless it cannot be estimated."""
    if np.isnan(fit.coefficients[brute.column]):
        return []
    interval = fit.profile_interval(brute.column)
    return brute.differences((interval.low, interval.high), level_of(fit))


@pytest.mark.uncounted
@pytest.mark.parametrize("number", LOGISTIC)
def test_profile_limits_are_those_of_the_likelihood_by_brute_force(number: int) -> None:
    for column in range(logistic_set(number)[0].shape[1]):
        assert differences(*brute_logistic(number, column)) == []


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize("number", LATENT)
def test_so_are_those_with_randomized_predictors(number: int) -> None:
    fit = latent_set(number)
    for column in range(fit.coefficients.size):
        assert differences(fit, brute_latent(fit, column)) == []


@pytest.mark.slow
@pytest.mark.uncounted
def test_brute_force_notices_limits_that_are_too_short_too_long_or_not_infinite() -> None:
    fit, brute = brute_logistic(6, 1)
    interval = fit.profile_interval(brute.column)
    low, high = interval.low, interval.high
    assert np.isfinite([low, high]).all()
    for wrong in [(low + 0.01, high), (low, high - 0.01), (low - 0.01, high), (low, high + 0.01)]:
        assert len(brute.differences(wrong, level_of(fit))) >= 1
    for wrong in [(-np.inf, high), (low, np.inf), (np.nan, high), (-np.inf, np.inf)]:
        assert len(brute.differences(wrong, level_of(fit))) >= 1


@pytest.mark.uncounted
def test_brute_force_notices_a_limit_where_there_is_none() -> None:
    fit, brute = brute_logistic(INFINITE, 1)
    interval = fit.profile_interval(1)
    assert np.isinf(interval.high)
    assert len(brute.differences((interval.low, 50.0), level_of(fit))) >= 1


def test_more_rows_than_the_starts_are_judged_on_have_the_same_limits() -> None:
    rng = np.random.default_rng(4)
    x = np.column_stack([np.ones(2_100), rng.normal(size=2_100)])
    y = reported(DESIGNS["coins"], (rng.random(2_100) < sigmoid(x @ [-0.5, 0.5])).astype(np.int64), rng)
    fit = fit_logistic(y, x, DESIGNS["coins"])
    interval = fit.profile_interval(1)
    for limit in (interval.low, interval.high):

        def fall(level: Floats, limit: float = limit) -> float:
            return -float(
                np.log(np.where(y == 1, 0, 1) + (2 * y - 1) * (0.25 + 0.5 * sigmoid(level + limit * x[:, 1]))).sum()
            )

        assert fit.log_likelihood + scipy.optimize.minimize(fall, [0.0]).fun == pytest.approx(ALLOWED, abs=1e-6)
