"""Counts drawn again and again, of which the largest is published."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation.released.counts import upper_tail
from surveys.estimation.released.histogram import estimate_released_histogram
from surveys.learn.pages.winners_curse import coverage_of_best
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.learn.case import Case, Fault, Numbers, Page


def the_largest_of_many_draws_is_covered_too_rarely_and_at_the_level_for_all_often_enough(
    numbers_of: Callable[..., Numbers],
) -> None:
    eight, twenty = ({"draws": "8"}, {"draws": "20", "epsilon": "0.05"})
    assert numbers_of(**eight)["coverage"] == pytest.approx(0.843, abs=0.001)
    assert numbers_of(**twenty)["coverage"] == pytest.approx(0.628, abs=0.001)
    for asked in (eight, twenty, {"draws": "2"}, {"draws": "20", "epsilon": "1"}):
        assert numbers_of(**asked, level="all")["coverage"] >= 0.95


def whoever_draws_once_is_covered_as_said(numbers_of: Callable[..., Numbers]) -> None:
    assert all(numbers_of(draws="1", epsilon=at)["coverage"] >= 0.95 for at in ("0.05", "0.1", "0.5", "1"))


def the_exact_coverage_is_that_of_simulated_releases(_numbers_of: Callable[..., Numbers]) -> None:
    noise, generator, surveys = DiscreteLaplace(Fraction(1, 20), 1), np.random.default_rng(3), 20_000
    # The difference of two geometric variables is the same noise.
    errors = np.diff(generator.geometric(1 - np.exp(-0.05), (surveys, 20, 2)))[..., 0]
    best = generator.binomial(300, 0.4, surveys) + errors.max(axis=1)
    last = max(count for count in range(120, 226) if _holds(count, noise))
    # The share of 20,000 is off by five standard errors, .017, once in a million times.
    assert np.mean(best <= last) == pytest.approx(coverage_of_best(noise, 0.95, 20), abs=0.017)


def _without_noise(count: int, n: int, _noise: DiscreteLaplace, rate: float) -> float:
    return upper_tail(count, n, DiscreteLaplace(Fraction(50), 1), rate)


def _holds(count: int, noise: DiscreteLaplace) -> bool:
    interval = estimate_released_histogram(
        [300 - count, count], 300, forced_response(), noise, one_count=True
    ).interval()
    return bool(interval.low[1] <= 0.3 <= interval.high[1])


def what_a_survey_publishes_has_the_interval_of_the_core(numbers_of: Callable[..., Numbers]) -> None:
    for seed in range(1, 21):
        numbers = numbers_of(seed=str(seed), draws="20", epsilon="0.05")
        if 0 < numbers["estimate"] < 1:
            count = round(300 * (0.25 + 0.5 * numbers["estimate"]))
            noise = DiscreteLaplace(Fraction(1, 20), 1)
            estimate = estimate_released_histogram([300 - count, count], 300, forced_response(), noise, one_count=True)
            assert (numbers["low"], numbers["high"]) == pytest.approx(
                (estimate.interval().low[1], estimate.interval().high[1])
            )
        assert numbers["held"][0] == (numbers["low"] <= 0.3 <= numbers["high"])
        assert numbers["estimate"] == max(numbers["drawn"])


PAGE = Page(
    cases=[Case({"draws": "8"}, {"total": 0.8, "level": 0.95}), Case({"level": "all"}, {"level": 1 - 0.05 / 8})],
    printed="coverage",
    claims={
        the_largest_of_many_draws_is_covered_too_rarely_and_at_the_level_for_all_often_enough: Fault(
            asked={"level": "one"}
        ),
        whoever_draws_once_is_covered_as_said: Fault(asked={"draws": "8"}),
        the_exact_coverage_is_that_of_simulated_releases: Fault(code={"upper_tail": _without_noise}),
        what_a_survey_publishes_has_the_interval_of_the_core: Fault(
            wrong={"estimate": lambda found, _asked: min(found["drawn"])}
        ),
    },
)
