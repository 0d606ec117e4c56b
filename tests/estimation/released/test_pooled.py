"""Draws of the same counts, pooled: no weights are better, no tail is too light, and intervals cover the truth."""

import math
import os
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.released import (
    CountNoise,
    PooledNoise,
    estimate_released_histogram,
    estimate_released_options,
    pooled_counts,
)
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.privacy.chance import FALSE_ALARM_RATE

DESIGN = forced_response(Fraction(1, 2), Fraction(1, 2))
SURVEYS = int(os.environ.get("DENIABLE_SURVEYS", "400"))
UNEQUAL = (DiscreteLaplace(Fraction(1, 10), 1), DiscreteLaplace(Fraction(1, 4), 1), DiscreteGaussian(Fraction(30)))


def _noise(*noises: object) -> PooledNoise:
    return PooledNoise(cast("tuple[CountNoise, ...]", noises))


def _exact_tail(noises: tuple[DiscreteLaplace, ...], weights: tuple[float, ...], t: int) -> float:
    """Return Pr(Σ w·Z ≥ t − ½) of two noises by a sum over all pairs."""
    reach = range(-noises[0].reach, noises[0].reach + 1)
    other = range(-noises[1].reach, noises[1].reach + 1)
    return math.fsum(
        noises[0].probability(x) * noises[1].probability(y)
        for x in reach
        for y in other
        if weights[0] * x + weights[1] * y >= t - 0.5 - 1e-12
    )


def test_weights_are_inverse_variances_and_the_variance_is_that_of_no_better_ones() -> None:
    noise = _noise(*UNEQUAL)
    variances = [each.variance for each in UNEQUAL]
    assert sum(noise.weights) == pytest.approx(1)
    assert noise.weights[0] * variances[0] == pytest.approx(noise.weights[2] * variances[2])
    least = 1 / sum(1 / variance for variance in variances)
    assert noise.variance == pytest.approx(least + 1 / 12)
    for shift in (-0.01, 0.01):
        other = [noise.weights[0] + shift, noise.weights[1] - shift, noise.weights[2]]
        assert sum(w * w * variance for w, variance in zip(other, variances, strict=True)) > least


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize(
    "pair", [(Fraction(1), Fraction(1)), (Fraction(1), Fraction(1, 2)), (Fraction(4), Fraction(9))]
)
def test_no_tail_is_lighter_than_it_is_or_much_heavier(pair: tuple[Fraction, Fraction]) -> None:
    noises = tuple(DiscreteLaplace(epsilon, 1) for epsilon in pair)
    noise = _noise(*noises)
    for t in (-3, -1, 0, 1, 2, 3, 6, 12):
        exact, said = _exact_tail(noises, noise.weights, t), float(noise.at_least(t))
        assert said >= exact
        # As if the noise were 2 of 512 steps of a count larger.
        assert said <= max(_exact_tail(noises, noise.weights, t - 1), exact) + 1e-11
    assert noise.at_least(noise.reach) < 1e-11
    assert noise.at_least(-10 * noise.reach) == 1
    assert noise.at_least(10 * noise.reach) < 1e-11


def _coverage(noises: tuple[Any, ...], n: int, truth: float) -> tuple[float, float]:
    """Return how often the pooled interval covers the truth, and how wide it is on average."""
    noise, generator = _noise(*noises), np.random.default_rng(n)
    hits, width, found = 0, 0.0, {}
    for _ in range(SURVEYS):
        count = int(generator.binomial(n, 0.25 + truth / 2))
        drawn = [count + each.sample(lambda bound: int(generator.integers(bound))) for each in noises]
        pooled = pooled_counts([(n - each, each) for each in drawn], noise, n)
        if pooled not in found:
            interval = estimate_released_histogram(pooled, n, DESIGN, noise, one_count=True).interval(0.95)
            found[pooled] = float(interval.low[1]), float(interval.high[1])
        low, high = found[pooled]
        hits, width = hits + (low <= truth <= high), width + (high - low) / SURVEYS
    return hits / SURVEYS, width


@pytest.mark.parametrize("n", [100, 1000])
def test_the_interval_of_pooled_draws_covers_the_truth_and_is_narrower_than_that_of_any(n: int) -> None:
    fewest = stats.binom.ppf(FALSE_ALARM_RATE, SURVEYS, 0.95) / SURVEYS
    covered, width = _coverage(UNEQUAL, n, 0.3)
    assert covered >= fewest
    assert width < min(_coverage((each,), n, 0.3)[1] for each in UNEQUAL)


def test_an_interval_that_takes_pooled_draws_for_one_more_exact_is_caught() -> None:
    """As if two draws of ε were one of 20·ε."""
    noise, n, truth = _noise(*UNEQUAL[:2]), 100, 0.3
    too_fine = DiscreteLaplace(Fraction(5), 1)
    generator, hits = np.random.default_rng(1), 0
    for _ in range(200):
        count = int(generator.binomial(n, 0.25 + truth / 2))
        drawn = [count + each.sample(lambda bound: int(generator.integers(bound))) for each in UNEQUAL[:2]]
        pooled = pooled_counts([(n - each, each) for each in drawn], noise, n)
        interval = estimate_released_histogram(pooled, n, DESIGN, too_fine, one_count=True).interval(0.95)
        hits += bool(interval.low[1] <= truth <= interval.high[1])
    assert hits < stats.binom.ppf(FALSE_ALARM_RATE, 200, 0.95)


def test_equal_draws_are_averaged_and_several_options_pooled_one_by_one() -> None:
    noise = _noise(DiscreteLaplace(Fraction(1, 2), 3), DiscreteLaplace(Fraction(1, 2), 3))
    assert pooled_counts([(10, 20, 31), (12, 20, 34)], noise) == (11, 20, 33)
    found = estimate_released_options((11, 20, 33), 60, DESIGN, noise).interval(0.95)
    assert list(found.low <= found.high) == [True] * 3


@pytest.mark.parametrize(("draws", "says"), [([(1, 2)], "draws must be 2"), ([(1, 2), (1, 2, 3)], "as many counts")])
def test_draws_that_do_not_belong_together_are_refused(draws: list[tuple[int, ...]], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        pooled_counts(draws, _noise(*UNEQUAL[:2]))


def test_noise_that_tells_nothing_is_refused() -> None:
    for none in ((), (DiscreteLaplace(Fraction(1, 10**320), 1),)):
        with pytest.raises(ValueError, match="noises must be"):
            _noise(*none)
