"""How often likelihood-ratio intervals hold where most true shares are 0, and what the old way would do there."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.association.joint import estimate_joint
from surveys.estimation.association.within import MeanWithin, mean_within
from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.likelihood import simplex_maximum
from surveys.estimation.numbers import estimate_distribution
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.scales import estimate_scale
from surveys.privacy.designs import k_ary, kuk

pytestmark = pytest.mark.slow
SAMPLES = 400
QUANTILE = stats.chi2.ppf(0.95, 1)
COIN = "1/2"


@dataclass(frozen=True)
class Case:
    """A true distribution at a vertex or an edge, and what is estimated of it."""

    name: str
    n: int
    truth: float
    reports: np.ndarray
    interval: Callable[[np.ndarray], ScalarInterval]
    estimate: Callable[[np.ndarray], MeanWithin]


def _all_cells(table: np.ndarray, k: int) -> PrevalenceEstimate:
    return estimate_joint(table.reshape(k, k), k_ary(k, COIN), k_ary(k, COIN)).cells


def _scale(n: int) -> Case:
    design, shares = k_ary(10, COIN), np.array([0.9, 0.1, *[0] * 8])
    return Case(
        f"scale of ten points, n = {n}",
        n,
        1.1,
        np.array(design.matrix, dtype=float) @ shares,
        lambda counts: estimate_scale(counts, design, 10).mean.interval(),
        lambda counts: estimate_scale(counts, design, 10).mean,
    )


def _bands() -> Case:
    design, shares = k_ary(20, COIN), np.array([0.9, 0.1, *[0] * 18])
    return Case(
        "twenty bands",
        1000,
        0.1,
        np.array(design.matrix, dtype=float) @ shares,
        lambda counts: estimate_distribution(counts, design, range(21)).mean_interval(),
        lambda counts: mean_within(estimate_prevalence(counts, design), range(20)),
    )


def _cell(row: int, truth: float) -> Case:
    matrix, cells = np.array(k_ary(5, COIN).matrix, dtype=float), np.zeros((5, 5))
    cells[0, 0], cells[1, 1] = 0.8, 0.2

    def estimate(counts: np.ndarray) -> MeanWithin:
        return mean_within(_all_cells(counts, 5), np.eye(25)[6 * row].tolist())

    reports = (matrix @ cells @ matrix.T).ravel()
    return Case(
        f"cell {row}, {row} of 5 × 5", 200, truth, reports, lambda counts: estimate(counts).interval(), estimate
    )


def _among_those_who_say() -> Case:
    design, shares = k_ary(7, COIN), np.array([0.7, 0.1, 0, 0, 0, 0, 0.2])
    return Case(
        "scale of those who say",
        300,
        9 / 8,
        np.array(design.matrix, dtype=float) @ shares,
        lambda counts: estimate_scale(counts, design, 6).mean.interval(),
        lambda counts: estimate_scale(counts, design, 6).mean,
    )


def _more_reports_than_truths() -> Case:
    design, cells = kuk("4/5", "1/5", 2), np.array([0.9, 0, 0, 0.1])
    matrix = np.array(design.matrix, dtype=float)

    def estimate(counts: np.ndarray) -> MeanWithin:
        return mean_within(estimate_joint(counts.reshape(3, 3), design, design).cells, [0, 0, 0, 1])

    reports = np.kron(matrix, matrix) @ cells
    return Case("two of Kuk's questions", 200, 0.1, reports, lambda counts: estimate(counts).interval(), estimate)


CASES = [_scale(200), _scale(1000), _bands(), _cell(0, 0.8), _among_those_who_say()]


def _samples(case: Case) -> list[np.ndarray]:
    return list(np.random.default_rng(1988).multinomial(case.n, case.reports / case.reports.sum(), size=SAMPLES))


def _least(coverage: float) -> float:
    """So many of the samples at least are covered but once in a million times, if the coverage is this."""
    return float(stats.binom.ppf(1e-6, SAMPLES, coverage))


@pytest.mark.parametrize("case", [*CASES, _cell(1, 0.2), _more_reports_than_truths()], ids=lambda case: case.name)
def test_where_most_shares_are_0_intervals_hold_about_as_often_as_they_say(case: Case) -> None:
    intervals = [case.interval(counts) for counts in _samples(case)]
    held = sum(interval.low <= case.truth <= interval.high and not interval.outside for interval in intervals)
    assert held >= _least(0.93)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_measured_against_the_likeliest_truths_they_would_not(case: Case) -> None:
    held = sum(_kept_among_truths(case.estimate(counts), case.truth) for counts in _samples(case))
    assert held < _least(0.93)


def _kept_among_truths(mean: MeanWithin, value: float) -> bool:
    """The planted fault: the likelihood-ratio test against the constrained maximum, both among possible truths only."""
    cells = mean.cells
    shares, matrix = cells.observed, np.array(cells.design.matrix, dtype=float)
    weights = mean.parts - (value - mean.low) / (mean.high - mean.low) * mean.members
    # Distributions with Σ wᵢπᵢ = 0 are mixtures of those on two truths that have it, or on one.
    below, above = np.flatnonzero(weights < -1e-12), np.flatnonzero(weights > 1e-12)
    lower, upper = np.repeat(below, above.size), np.tile(above, below.size)
    part = weights[lower] / (weights[lower] - weights[upper])
    pairs = matrix[:, lower] * (1 - part) + matrix[:, upper] * part
    corners = np.hstack([pairs, matrix[:, np.abs(weights) <= 1e-12]])

    def log_likelihood(reported: np.ndarray) -> float:
        return float(cells.counts[shares > 0] @ np.log(reported[shares > 0]))

    restricted = log_likelihood(corners @ simplex_maximum(shares, corners))
    return 2 * (log_likelihood(matrix @ cells.constrained) - restricted) <= QUANTILE
