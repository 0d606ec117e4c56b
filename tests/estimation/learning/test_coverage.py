"""How often 95% intervals from a release hold the true coefficient.

2,000 simulated releases each of 2,000 answers, discrete Laplace noise on every cell (seed fixed). The least coverage of
all coefficients, of the logistic and of the linear fit; then how many times as wide the first predictor's logistic
interval is expected to be as without noise, and as with direct answers.

| reports | ε | logistic | linear | by noise | by noise and design |
|---|---|---|---|---|---|
| three of two fair coins | 1/4 | .963 | .948 | 1.24 | 5.42 |
| | 1 | .958 | .948 | 1.02 | 4.44 |
| | 4 | .963 | .948 | 1.00 | 4.37 |
| coins, one of three with 3/4, a group | 1/4 | .958 | .953 | 1.31 | 3.57 |
| | 1 | .953 | .945 | 1.02 | 2.78 |
| | 4 | .954 | .951 | 1.00 | 2.72 |
| three of Warner with 9/10 | 1/4 | .949 | .946 | 1.31 | 2.41 |
| | 1 | .948 | .945 | 1.02 | 1.88 |
| | 4 | .947 | .945 | 1.00 | 1.84 |

Where the likelihood is not regular, 200 releases each: 300 answers under coins (ε = 1, all bootstrapped) .96 at least,
an effect's interval being the whole line in .48; rare answers (1,000, Warner with 9/10, ε = 1/2, .53 bootstrapped) .94.

Of correlations of two items with the same design, 400 releases each: how often the interval holds the true one, how
often it is the whole range, and how often estimate ± 1.96 standard errors would hold it.

| reports | r | answers, ε | held | whole | Wald |
|---|---|---|---|---|---|
| two fair coins | .45 | 300, 1/2 | .958 | .00 | .958 |
| | | 300, 1/20 | .998 | .99 | .700 |
| | .78 | 1,000, 1/2 | .983 | .75 | .915 |
| Warner with 9/10 | .45 | 1,000, 1/50 | .983 | .32 | .968 |
| | 0 | 1,000, 1/50 | .983 | .97 | .360 |
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special, stats

from surveys.estimation.learning.correlation import correlate_released
from surveys.estimation.learning.linear import fit_released_linear
from surveys.estimation.learning.logistic import expect_logistic_precision, fit_released_logistic
from surveys.estimation.regression.correlation import CorrelationMatrix
from surveys.estimation.regression.covariance import Limits
from surveys.privacy.designs import forced_response, k_ary, warner
from tests.estimation.learning.released_data import Population, laplace
from tests.estimation.regression.data import Floats

COINS, MILD = forced_response(), warner("9/10")
POPULATIONS = {
    "three of two fair coins": Population((COINS, COINS, COINS), (-0.5, 1.0, 0.5), (0.35, 0.25, 0.15, 0.25), (2, 2)),
    "coins, one of three with 3/4, a group": Population(
        (COINS, k_ary(3, "3/4"), None), (-0.5, 0.8, -0.4, 0.6), (0.2, 0.2, 0.2, 0.15, 0.1, 0.15), (3, 2)
    ),
    "three of Warner with 9/10": Population((MILD, MILD, MILD), (-1.5, 2.0, 1.0), (0.55, 0.2, 0.15, 0.1), (2, 2)),
}
EPSILONS = ("1/4", "1", "4")


@dataclass(frozen=True)
class Coverage:
    """Shares of intervals that hold each coefficient, and how their median half-width compares with what was expected.

    Attributes
    ----------
    logistic, shares, linear : array of p floats
        Coverage.
    bootstrap : float
        The share of logistic fits whose interval was bootstrapped.
    widths : array of p floats
        Median half-widths of the logistic intervals over those expected from public numbers.
    unbounded : array of p floats
        The shares of logistic intervals that are the whole line.
    """

    logistic: Floats
    shares: Floats
    linear: Floats
    bootstrap: float
    widths: Floats
    unbounded: Floats


def measure(population: Population, n: int, epsilon: str, rounds: int, seed: int = 20_261_125) -> Coverage:
    noise = laplace(epsilon)
    limits, shares, lines = [], [], []
    for table in population.tables(n, noise, rounds, seed):
        fit = fit_released_logistic(table)
        limits.append(fit.interval())
        shares.append(fit.shares())
        lines.append(fit_released_linear(table, [0, 1]).interval())
    low, high = np.array([one.low for one in limits]), np.array([one.high for one in limits])
    below, above = np.array([one.low for one in lines]), np.array([one.high for one in lines])
    expected = expect_logistic_precision(population.truths, n=n, designs=population.designs, noise=noise)
    true = np.array(population.coefficients)
    _, least, most = np.moveaxis(np.array(shares), 2, 0)
    share = special.expit(true[0] + np.append(0.0, true[1:]))
    return Coverage(
        ((low <= true) & (true <= high)).mean(axis=0),
        ((least <= share) & (share <= most)).mean(axis=0),
        ((below <= population.line) & (population.line <= above)).mean(axis=0),
        float(np.mean([one.method == "bootstrap" for one in limits])),
        np.median(high - low, axis=0) / 2 / expected.half_widths(),
        (np.isinf(low) & np.isinf(high)).mean(axis=0),
    )


@pytest.mark.studies
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", POPULATIONS)
def test_intervals_hold_the_truth_as_often_as_they_say(name: str, epsilon: str) -> None:
    coverage = measure(POPULATIONS[name], 2000, epsilon, 2000)
    assert coverage.logistic.min() >= 0.94
    assert coverage.shares.min() >= 0.94
    assert coverage.linear.min() >= 0.94
    assert coverage.widths == pytest.approx(1, abs=0.1)


@pytest.mark.slow
def test_intervals_of_fewer_releases_hold_the_truth_too() -> None:
    # Of 300 releases a coverage of .95 shows less than .90 for a coefficient once in 8,000 times.
    coverage = measure(POPULATIONS["coins, one of three with 3/4, a group"], 2000, "1", 300)
    assert coverage.logistic.min() >= 0.9
    assert coverage.shares.min() >= 0.9
    assert coverage.linear.min() >= 0.9


IRREGULAR = {
    "coins, 300 answers": (POPULATIONS["three of two fair coins"], 300, "1"),
    "rare answers": (Population((MILD, MILD, MILD), (-2.0, 3.0, 1.0), (0.8, 0.1, 0.05, 0.05), (2, 2)), 1000, "1/2"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", IRREGULAR)
def test_bootstrapped_intervals_hold_the_truth_where_the_likelihood_is_not_regular(name: str) -> None:
    population, n, epsilon = IRREGULAR[name]
    coverage = measure(population, n, epsilon, 200)
    assert coverage.bootstrap > 0.5
    # Fewer than this happen once in a million at 95%.
    assert coverage.logistic.min() >= stats.binom.ppf(1e-6, 200, 0.95) / 200


ALIKE, RARE, APART = ((-1.0, 2.0), (0.6, 0.4)), ((-4.0, 6.0), (0.95, 0.05)), ((-3.0, 0.0), (0.95, 0.05))
CORRELATED = {
    "coins": (Population((COINS, COINS), *ALIKE, (2,)), 300, "1/2"),
    "coins, much noise": (Population((COINS, COINS), *ALIKE, (2,)), 300, "1/20"),
    "coins, rare answers": (Population((COINS, COINS), *RARE, (2,)), 1000, "1/2"),
    "Warner, much noise": (Population((MILD, MILD), *ALIKE, (2,)), 1000, "1/50"),
    "Warner, noise alone": (Population((MILD, MILD), *APART, (2,)), 1000, "1/50"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CORRELATED)
def test_intervals_of_correlations_hold_the_truth_where_a_variance_may_be_noise_alone(name: str) -> None:
    (population, n, epsilon), rounds = CORRELATED[name], 400
    joint = population.truths
    a, b = joint[1].sum(), joint[:, 1].sum()
    true = (joint[1, 1] - a * b) / np.sqrt(a * (1 - a) * b * (1 - b))
    correlations = [correlate_released(table) for table in population.tables(n, laplace(epsilon), rounds, seed=5)]

    def held(limits: list[Limits]) -> int:
        return sum(bool(one.low[0, 1] <= true <= one.high[0, 1]) for one in limits)

    # Fewer than this happen once in a million at 95%.
    too_few = stats.binom.ppf(1e-6, rounds, 0.95)
    assert held([one.interval() for one in correlations]) >= too_few
    # The twin: Wald's limits, which take both variances for known to be above 0.
    if name in {"coins, much noise", "Warner, noise alone"}:
        assert held([CorrelationMatrix.interval(one) for one in correlations]) < too_few
