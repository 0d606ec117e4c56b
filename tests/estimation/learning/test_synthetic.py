import numpy as np
import pytest
from scipy import stats

from surveys.estimation.learning.synthetic import draw_synthetic_rows, integer_weights
from surveys.estimation.learning.table import ReleasedTable
from surveys.privacy.designs import forced_response, k_ary
from tests.estimation.learning.released_data import laplace
from tests.privacy.chance import FALSE_ALARM_RATE, exact_outcomes, seeded

TABLE = ReleasedTable([[40, 30, 20], [25, 35, 30]], 180, (forced_response(), k_ary(3, "1/2")), laplace(1))


def p_value(rows: np.ndarray) -> float:
    """Of the rows against the constrained estimate, by χ²."""
    cells = np.ravel_multi_index(rows.T, TABLE.shape)
    expected = len(rows) * TABLE.constrained.ravel()
    seen = np.bincount(cells, minlength=expected.size)
    possible = expected > 0
    assert seen[~possible].sum() == 0
    return float(stats.chisquare(seen[possible], expected[possible]).pvalue)


def test_rows_follow_the_constrained_estimate() -> None:
    rows = draw_synthetic_rows(TABLE, 5000, seeded(3))
    assert rows.shape == (5000, 2)
    assert p_value(rows) > FALSE_ALARM_RATE
    # The planted fault: rows of a table in which the predictor's codes are in another order.
    assert p_value(np.column_stack([rows[:, 0], (rows[:, 1] + 1) % 3])) < FALSE_ALARM_RATE


def test_each_row_is_one_exact_draw() -> None:
    half = ReleasedTable([50, 50], 100, (None,), laplace(1))
    bounds = []

    def lowest(bound: int) -> int:
        bounds.append(bound)
        return bound - 1

    assert draw_synthetic_rows(half, 2, lowest).tolist() == [[1], [1]]
    assert bounds == [2**53, 2**53]
    assert integer_weights(half.constrained) == [2**52, 2**52]


def test_every_draw_below_the_sum_leads_to_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surveys.estimation.learning.synthetic._DIGITS", 3)
    table = ReleasedTable([25, 0, 75], 100, (None,), laplace(1))
    outcomes, left = exact_outcomes(lambda draw: int(draw_synthetic_rows(table, 1, draw)[0, 0]), 1)
    assert left == 0
    assert {code: float(chance) for code, chance in outcomes.items()} == {0: 0.25, 2: 0.75}


def test_nobody_is_drawn_where_nobody_is_wanted() -> None:
    assert draw_synthetic_rows(TABLE, 0).shape == (0, 2)


@pytest.mark.parametrize("number", [-1, 1.5, True, 10**16])
def test_a_number_of_rows_that_is_none_is_refused(number: object) -> None:
    with pytest.raises(ValueError, match=r"^number"):
        draw_synthetic_rows(TABLE, number)
