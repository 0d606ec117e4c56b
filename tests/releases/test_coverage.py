"""Intervals of what is released cover the truth at least as often as they say, at every size of a survey.

Two kinds of chance lie between truths and a release: respondents are a sample whose reports are randomized, and noise
is added. Each gate has a false-alarm rate of 1e-6 and is seeded; each has a twin that forgets one kind of chance.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from surveys.estimation.released.histogram import estimate_released_histogram
from surveys.estimation.released.numbers import (
    estimate_released_mean,
    estimate_released_total,
    estimate_released_variance,
)
from surveys.estimation.released.options import estimate_released_options
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import LaplaceHistogram
from surveys.privacy.mechanisms.mean import BoundedMean
from surveys.questionnaire.question import Question
from surveys.releases.families.plan import Plan
from surveys.releases.families.questions import reported_numbers
from tests.factories import number_mean, one_of, scale, several_of, yes_no
from tests.privacy.chance import FALSE_ALARM_RATE
from tests.releases.asked import terms_of

SIZES = (30, 100, 1000, 10_000)
LEVEL, SURVEYS = 0.95, 60
FIVE = (0.35, 0.3, 0.2, 0.1, 0.05)
"""How many people truly give each answer, or of several options tick each."""

Floats: TypeAlias = npt.NDArray[np.float64]
Drawn: TypeAlias = Any
"""The output of whichever mechanism it is."""

Covers: TypeAlias = Callable[[Plan, Drawn, Floats], bool]


def _fewest(surveys: int) -> int:
    return int(stats.binom.ppf(FALSE_ALARM_RATE, surveys, LEVEL))


def _histogram(terms: Plan, output: Drawn, truth: Floats) -> bool:
    """Of the answer with the code 1, which was chosen before anything was drawn."""
    mechanism: Drawn = terms.mechanism
    estimate = estimate_released_histogram(
        output, terms.n, terms.design, mechanism.noise, one_count=mechanism.is_one_count
    ).interval(LEVEL)
    return bool(estimate.low[1] <= truth[1] <= estimate.high[1])


def _one_count(terms: Plan, output: Drawn, truth: Floats) -> bool:
    share = truth[terms.options["answer"]]
    return _histogram(terms, output, np.array([1 - share, share]))


def _options(terms: Plan, output: Drawn, truth: Floats) -> bool:
    mechanism: Drawn = terms.mechanism
    interval = estimate_released_options(output, terms.n, terms.design, mechanism.noise).interval(LEVEL)
    return bool(interval.low[0] <= truth[0] <= interval.high[0])


def _mean(terms: Plan, output: Drawn, truth: Floats) -> bool:
    mechanism: Drawn = terms.mechanism
    interval = estimate_released_mean(output, terms.n, mechanism).interval(LEVEL)
    return bool(interval.low <= _numbers(terms) @ truth <= interval.high)


def _total(terms: Plan, output: Drawn, truth: Floats) -> bool:
    mechanism: Drawn = terms.mechanism
    interval = estimate_released_total(output, terms.n, mechanism, reported_numbers(terms.question)).interval(LEVEL)
    return bool(interval.low <= terms.n * (_numbers(terms) @ truth) <= interval.high)


def _variance(terms: Plan, output: Drawn, truth: Floats) -> bool:
    mechanism: Drawn = terms.mechanism
    interval = estimate_released_variance(output, terms.n, mechanism).interval(LEVEL)
    return bool(interval.low <= _numbers(terms) ** 2 @ truth - (_numbers(terms) @ truth) ** 2 <= interval.high)


def _numbers(terms: Plan) -> Floats:
    return np.array(reported_numbers(terms.question).numbers, dtype=float)


class Case(NamedTuple):
    draft: Question
    mechanism: str
    covers: Covers


CASES = {
    "two answers, Laplace": Case(yes_no(), "laplace_histogram", _histogram),
    "three answers, Laplace": Case(one_of(), "laplace_histogram", _histogram),
    "three answers, Gaussian": Case(one_of(), "gaussian_histogram", _histogram),
    "several options": Case(several_of(), "laplace_histogram", _options),
    "one count": Case(scale(), "one_count", _one_count),
    "mean of a range": Case(number_mean(), "mean", _mean),
    "mean of a scale": Case(scale(), "mean", _mean),
    "total of a range": Case(number_mean(), "total", _total),
    "variance of a scale": Case(scale(), "variance", _variance),
}


def _releases(terms: Plan, seed: int) -> Iterator[tuple[Drawn, Floats]]:
    """Draw people from a population, their reports and a release of them, again and again; with the true shares."""
    generator = np.random.default_rng(seed)
    matrix = np.array(terms.question.design.matrix, dtype=float)
    several = terms.question.kind == "several_of"
    truth = np.array(FIVE[: len(terms.question.items) if several else terms.question.design.k])
    if not several:
        truth /= truth.sum()
    for _ in range(SURVEYS):
        if several:
            counts = generator.binomial(terms.n, matrix[1, 0] + (matrix[1, 1] - matrix[1, 0]) * truth)
        else:
            counts = generator.multinomial(terms.n, matrix @ truth)
        reports = [int(count) for count in counts]
        yield terms.mechanism.release(reports, lambda bound: int(generator.integers(bound))), truth


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_intervals_cover_the_truth_as_often_as_they_say(name: str) -> None:
    draft, mechanism, covers = CASES[name]
    covered = {}
    for n in SIZES:
        terms = terms_of(draft, mechanism, epsilon=Fraction(1, 2), n=n)
        covered[n] = sum(covers(terms, output, truth) for output, truth in _releases(terms, seed=n))
    assert min(covered.values()) >= _fewest(SURVEYS), covered
    assert sum(covered.values()) >= _fewest(SURVEYS * len(SIZES)), covered


@pytest.mark.parametrize("name", ["two answers, Laplace", "three answers, Gaussian", "several options"])
def test_an_interval_that_forgets_the_noise_is_caught(name: str) -> None:
    draft, mechanism, covers = CASES[name]
    terms = terms_of(draft, mechanism, epsilon=Fraction(1, 50), n=100)
    noiseless = replace(terms, loss=PrivacyLoss(Fraction(5000), terms.loss.delta))
    assert sum(covers(noiseless, output, truth) for output, truth in _releases(terms, seed=1)) < _fewest(SURVEYS)


def test_an_interval_for_a_share_that_forgets_the_coins_is_caught() -> None:
    terms = terms_of(yes_no(), "laplace_histogram", epsilon=Fraction(1, 2))
    points, mechanism = terms.accuracy(LEVEL).points, cast("LaplaceHistogram", terms.mechanism)
    hits = sum(
        100 * abs(estimate_released_histogram(output, terms.n, terms.design, mechanism.noise).point[1] - truth[1])
        <= points
        for output, truth in _releases(terms, seed=2)
    )
    assert hits < _fewest(SURVEYS)


def test_an_interval_for_a_mean_that_forgets_the_coins_is_caught() -> None:
    terms = terms_of(number_mean(), "mean", epsilon=Fraction(1, 2))
    at_most, mechanism = terms.accuracy(LEVEL).at_most, cast("BoundedMean", terms.mechanism)
    hits = sum(
        abs(float(mechanism.value(output)) - _numbers(terms) @ truth) <= at_most
        for output, truth in _releases(terms, seed=3)
    )
    assert hits < _fewest(SURVEYS)
