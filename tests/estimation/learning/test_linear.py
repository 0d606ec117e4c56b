from functools import cache

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.learning.correlation import correlate_released
from surveys.estimation.learning.linear import ReleasedLinearFit, expect_linear_precision, fit_released_linear
from surveys.estimation.learning.table import ReleasedTable
from surveys.estimation.regression.linear import fit_linear
from surveys.privacy.designs import direct, forced_response, k_ary, warner
from tests.estimation.learning.released_data import MUCH, NO_NOISE, Population, laplace
from tests.estimation.regression.data import Floats

COINS, MILD = forced_response(), warner("9/10")
PAIR = Population((MILD, MILD), (-0.5, 1.0), (0.6, 0.4), (2,))
VALUES = [1.0, 2.5, 7.0]


def rows_of(counts: Floats) -> list[Floats]:
    """The codes of each respondent, an array an item."""
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    return list(np.unravel_index(cells, counts.shape))


def test_without_noise_it_is_the_fit_to_the_rows_themselves() -> None:
    counts = np.array([[[60, 40, 50], [30, 50, 60]], [[30, 35, 40], [45, 40, 30]], [[20, 15, 40], [55, 30, 30]]])
    table = ReleasedTable(counts, int(counts.sum()), (direct(3), COINS, None), NO_NOISE)
    outcome, first, group = rows_of(counts)
    known = np.column_stack([np.ones(outcome.size), group == 1, group == 2])
    expected = fit_linear(np.array(VALUES)[outcome], known, [first], [COINS])
    fit = fit_released_linear(table, VALUES)
    order = [0, 2, 3, 1]
    assert fit.coefficients[order] == pytest.approx(expected.coefficients, abs=1e-9)
    assert fit.standard_errors()[order] == pytest.approx(expected.standard_errors(), rel=1e-6)
    assert fit.interval().low[order] == pytest.approx(expected.interval().low, rel=1e-6)
    assert fit.interval().high[order] == pytest.approx(expected.interval().high, rel=1e-6)
    assert fit.residual_deviation == pytest.approx(expected.residual_deviation, rel=1e-9)
    assert fit.precision.released == pytest.approx(fit.precision.without_noise)
    assert fit.precision.released[1] > 1.5 * fit.precision.direct[1]


ROUNDS = 200
TOO_FEW = stats.binom.ppf(1e-6, ROUNDS, 0.95)
"""Fewer intervals than this hold the truth once in a million, if each does with 95%."""


@cache
def fits(*, misread: bool = False) -> list[ReleasedLinearFit]:
    """Fits to simulated releases; their reports may be taken for truths."""
    designs = (None, None) if misread else PAIR.designs
    return [fit_released_linear(table, [0, 1]) for table in PAIR.tables(1000, MUCH, ROUNDS, seed=21, designs=designs)]


def covered(fits: list[ReleasedLinearFit], half_widths: str | None = None) -> Floats:
    number = np.zeros(2)
    for fit in fits:
        if half_widths is None:
            limits = fit.interval()
            number += (limits.low <= PAIR.line) & (PAIR.line <= limits.high)
        else:
            number += np.abs(fit.coefficients - PAIR.line) <= 1.96 * getattr(fit.precision, half_widths)
    return number


def test_intervals_cover_and_the_estimate_is_without_bias() -> None:
    assert covered(fits()).min() >= TOO_FEW
    errors = np.array([fit.coefficients - PAIR.line for fit in fits()])
    expected = expect_linear_precision(PAIR.truths, [0, 1], n=1000, designs=PAIR.designs, noise=MUCH)
    # A ratio of two has a small bias; then 4.9 standard errors of a mean and of a standard deviation.
    assert np.abs(errors.mean(axis=0) / expected.released).max() < 0.1 + 4.9 / np.sqrt(ROUNDS)
    assert errors.std(axis=0) == pytest.approx(expected.released, rel=4.9 / np.sqrt(2 * ROUNDS))
    assert expected.coefficients == pytest.approx(PAIR.line)


def test_ignoring_the_noise_would_cover_too_little() -> None:
    assert covered(fits(), "without_noise").min() < TOO_FEW


def test_taking_reports_for_truths_would_cover_too_little() -> None:
    assert covered(fits(misread=True))[1] < TOO_FEW


def test_where_nothing_is_known_the_interval_is_the_whole_line() -> None:
    table = ReleasedTable([[30, 2], [25, 3]], 60, (COINS, COINS), laplace("1/10"))
    fit = fit_released_linear(table, [0, 1])
    assert fit.interval().undetermined.tolist()[1]
    assert (fit.interval().low[1], fit.interval().high[1]) == (-np.inf, np.inf)
    [clear] = PAIR.tables(4000, laplace(1), 1, seed=4)
    assert not fit_released_linear(clear, [0, 1]).interval().undetermined.any()


def test_without_anybody_in_a_group_there_is_no_estimate() -> None:
    table = ReleasedTable([[20, -5], [25, -3]], 45, (None, None), laplace(1))
    fit = fit_released_linear(table, [0, 1])
    assert np.isnan(fit.coefficients).all()
    assert fit.interval().undetermined.all()
    assert np.isnan(fit.residual_deviation)
    assert np.isinf(fit.precision.released).all()


def test_items_may_be_left_out() -> None:
    [table] = Population((MILD, MILD, None), (-0.5, 1.0, 0.3), (0.3, 0.3, 0.2, 0.2), (2, 2)).tables(
        2000, laplace(1), 1, seed=3
    )
    some = fit_released_linear(table, [3, 5], outcome=1, predictors=[2])
    assert some.coefficients == pytest.approx(fit_released_linear(table.marginal([1, 2]), [3, 5]).coefficients)
    assert some.regression.items == (1, 2)
    # Of two two-answer items the slope is the correlation, but for the units.
    point, correlation = table.marginal([1, 2]).point, correlate_released(table, [1, 2]).point[0, 1]
    deviations = [np.sqrt(share * (1 - share)) for share in (point[1].sum(), point[:, 1].sum())]
    assert some.coefficients[1] == pytest.approx(2 * correlation * deviations[0] / deviations[1])


@pytest.mark.parametrize("values", [[0.0], [0, float("nan")], [1, 1], "01", [0, float("inf")], [0, 1, 2]])
def test_values_that_are_no_numbers_are_refused(values: object) -> None:
    [table] = PAIR.tables(2000, laplace(1), 1, seed=3)
    with pytest.raises(ValueError, match="values must be"):
        fit_released_linear(table, values)


def test_truths_that_leave_an_answer_to_nobody_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^truths"):
        expect_linear_precision([[0.5, 0], [0.5, 0]], [0, 1], n=100, designs=(COINS, k_ary(2, "1/2")), noise=laplace(1))
