import numpy as np
import pytest
from scipy import stats

from surveys.estimation.learning.correlation import correlate_released
from surveys.estimation.learning.table import ReleasedTable
from surveys.estimation.regression.correlation import correlate
from surveys.privacy.designs import forced_response, k_ary, warner
from tests.estimation.learning.released_data import MUCH, NO_NOISE, Population, laplace
from tests.estimation.learning.test_linear import rows_of

COINS, MILD = forced_response(), warner("9/10")
COUNTS = np.array([[[60, 40, 50], [30, 50, 60]], [[30, 35, 40], [45, 40, 70]]])
TABLE = ReleasedTable(COUNTS, int(COUNTS.sum()), (COINS, MILD, k_ary(3, "3/4")), NO_NOISE)
TRIPLE = Population((MILD, MILD, None), (-0.5, 1.5, 0.5), (0.3, 0.3, 0.2, 0.2), (2, 2))


def test_without_noise_correlations_are_those_of_the_rows() -> None:
    correlation, expected = correlate_released(TABLE), correlate(rows_of(COUNTS), TABLE.designs)
    assert correlation.n == expected.n
    assert correlation.point == pytest.approx(expected.point, abs=1e-9)
    # There by the reports' own squares, here by the truths'; the two differ where designs add chance.
    assert correlation.standard_errors == pytest.approx(expected.standard_errors, rel=0.1)
    assert correlate_released(TABLE, [2, 0]).point[0, 1] == pytest.approx(correlation.point[2, 0])


def test_values_may_stand_for_answers() -> None:
    correlation = correlate_released(TABLE, values=[[0, 1], [1, 0], [0, 1, 2]])
    assert correlation.point[0, 1] == pytest.approx(-correlate_released(TABLE).point[0, 1])


def test_correlations_cover_and_without_the_noise_they_would_not() -> None:
    rounds = 200
    joint = TRIPLE.truths.sum(axis=2)
    a, b = joint[1].sum(), joint[:, 1].sum()
    true = (joint[1, 1] - a * b) / np.sqrt(a * (1 - a) * b * (1 - b))
    covered, careless = 0, 0
    for table in TRIPLE.tables(1500, MUCH, rounds, seed=31):
        correlation = correlate_released(table, [0, 1])
        covered += bool(correlation.interval().low[0, 1] <= true <= correlation.interval().high[0, 1])
        quiet = correlate_released(ReleasedTable(table.marginal([0, 1]).counts.clip(0), 1500, (MILD, MILD), NO_NOISE))
        careless += bool(quiet.interval().low[0, 1] <= true <= quiet.interval().high[0, 1])
    # Fewer than this happen once in a million at 95%.
    assert covered >= stats.binom.ppf(1e-6, rounds, 0.95) > careless


def test_truths_that_do_not_seem_to_vary_have_no_correlation_and_any_may_be_theirs() -> None:
    correlation = correlate_released(ReleasedTable([[20, -3], [28, -2]], 43, (None, None), laplace(1)))
    assert np.isnan(correlation.point[0, 1])
    assert np.isnan(correlation.standard_errors[0, 1])
    assert (correlation.interval().low[0, 1], correlation.interval().high[0, 1]) == (-1, 1)


def test_a_variance_that_may_be_noise_alone_goes_with_any_correlation() -> None:
    # Of 60 answers five seem to differ in the second item: as much as the noise on four counts.
    counts, noise = [[30, 0], [25, 5]], laplace("1/4")
    correlation = correlate_released(ReleasedTable(counts, 60, (None, None), noise))
    assert correlation.point[0, 1] > 0.25
    assert (correlation.interval().low[0, 1], correlation.interval().high[0, 1]) == (-1, 1)
    # Ten times as many people, and the same noise: now the variance is theirs.
    many = correlate_released(ReleasedTable(np.multiply(counts, 10), 600, (None, None), noise)).interval()
    assert 0 < many.low[0, 1] < many.high[0, 1] < 1
    # At another level they may be noise again.
    assert (
        correlate_released(ReleasedTable(np.multiply(counts, 2), 120, (None, None), noise)).interval(0.5).low[0, 1] > -1
    )


@pytest.mark.parametrize(
    ("items", "values", "message"),
    [
        ([0], None, "^items"),
        ([0, 5], None, "^items .*0.*2"),
        ([0, 1], [[0, 1]], "^values .*2"),
        ([0, 1], 7, "^values .*2"),
        ([0, 1], [[0, 1], [0, 1, 2]], r"^values\[1\] .*2"),
        ([0, 1], [[0, 1], [0, float("nan")]], r"^values\[1\] .*2"),
    ],
)
def test_what_has_no_correlation_is_refused(items: list[int], values: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correlate_released(TABLE, items, values)
