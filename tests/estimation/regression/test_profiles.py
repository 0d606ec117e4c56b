import numpy as np
import pytest

from surveys.estimation.regression.profiles import limits, line_of
from surveys.estimation.regression.starts import corners


def hills(value: float) -> float:
    """A log-likelihood with its maximum of 0 at 2, and a lower one of −1 at 40."""
    return max(-((value - 2) ** 2) / 2, -1 - (value - 40) ** 2)


def limits_of(level: float, low: float = -np.inf, high: float = -np.inf) -> tuple[float, float]:
    known = {value: hills(value) for value in (-64.0, -16.0, -4.0, 2.0, 4.0, 16.0, 40.0, 64.0)}
    return limits(known | {-np.inf: low, np.inf: high}, level, hills)


@pytest.mark.parametrize(("level", "ends"), [(-4.5, (-1, 41.8708287)), (-0.5, (1, 3))])
def test_limits_are_the_outermost_places_as_high_as_the_level(level: float, ends: tuple[float, float]) -> None:
    assert limits_of(level) == pytest.approx(ends, rel=1e-8)


def test_a_limit_is_infinite_where_the_likelihood_rises_again_at_infinity() -> None:
    assert limits_of(-0.5, high=-0.4) == (pytest.approx(1), np.inf)
    assert limits_of(-0.5, low=-0.5) == (-np.inf, pytest.approx(3))
    assert limits_of(-0.5, high=-0.6) == pytest.approx((1, 3))


def test_a_limit_is_infinite_where_the_farthest_value_is_not_low_enough() -> None:
    assert limits_of(hills(64.0)) == (pytest.approx(2 - np.sqrt(2 * 577)), np.inf)


def test_where_only_one_infinity_is_high_enough_the_other_limit_is_the_nearest_value_looked_at() -> None:
    assert limits_of(1.0, high=2.0) == (64.0, np.inf)
    assert limits_of(1.0, low=2.0) == (-np.inf, -64.0)


def test_a_level_that_nothing_reaches_rules_nothing_out() -> None:
    assert limits_of(1.0) == (-np.inf, np.inf)


def test_a_line_moves_the_linear_predictors_by_what_the_others_cannot() -> None:
    rows = np.array([[1.0, 3.0, 0.0], [1.0, 5.0, 0.0], [1.0, 4.0, 1.0], [1.0, 9.0, 1.0]])
    for column in range(3):
        line = line_of(rows, np.ones(4), column)
        assert (line.residual**2).mean() == pytest.approx(1)
        assert line.others.T @ line.residual == pytest.approx(0, abs=1e-12)
        value, others = line.place_of(rows @ np.array([0.3, -0.2, 0.7]))
        assert value == pytest.approx([0.3, -0.2, 0.7][column])
        assert value / line.unit * line.residual + line.others @ others == pytest.approx(
            rows @ np.array([0.3, -0.2, 0.7])
        )


def test_values_go_as_far_as_what_they_move_is_certain_and_no_farther_than_4096_units() -> None:
    two = line_of(np.column_stack([np.ones(4), [0.0, 0.0, 1.0, 1.0]]), np.ones(4), 1)
    values = two.values(two.certain())
    assert values == pytest.approx(-values[::-1])
    assert (np.diff(values) > 0).all()
    # A difference of two units, half of which the intercept makes up for.
    assert two.unit == pytest.approx(2)
    assert values[-1] == pytest.approx(2 * 60)
    near = line_of(np.column_stack([np.ones(5), [0.0, 1e-4, 1.0, 2.0, 2.0]]), np.ones(5), 0)
    assert near.certain() <= 4096
    assert near.values()[[0, -1]] == pytest.approx([-4096 * near.unit, 4096 * near.unit])


@pytest.mark.parametrize("p", [0, 1, 2, 5])
def test_at_a_corner_as_many_linear_predictors_are_0_as_there_are_parameters(p: int) -> None:
    rng = np.random.default_rng(p)
    rows, shift = rng.normal(size=(50, p)), rng.normal(size=50)
    rows[::7] = 0
    sets, inverses = corners(rows)
    assert sets.shape == (len(inverses), p)
    assert len(sets) > 0
    for chosen, inverse in zip(sets, inverses, strict=True):
        eta = shift + rows @ (inverse @ -shift[chosen])
        assert eta[chosen] == pytest.approx(0, abs=1e-9)
    if p == 1:
        assert set(sets[:, 0]) == set(np.flatnonzero(rows[:, 0]))
