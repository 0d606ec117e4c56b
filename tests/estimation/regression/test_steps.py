"""Step functions of predictors against all that there are."""

import itertools

import numpy as np
import pytest

from surveys.estimation.regression.outcome import LogisticModel, Outcomes
from surveys.estimation.regression.steps import (
    best_along,
    best_in_planes,
    certain,
    climb,
    first_of_highest,
    highest_step,
    soften_place,
)
from surveys.estimation.regression.two_shares import TwoShares
from tests.estimation.regression.data import Floats


def height(rows: Floats, gains: Floats, place: Floats) -> float:
    return float(gains[rows @ place > 0].sum())


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_of_all_steps_of_one_predictor_the_best_is_found(seed: int, *, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    predictor = rng.integers(-2, 3, size=15).astype(float) if tied else rng.normal(size=15)
    rows, gains = np.column_stack([np.ones(15), predictor]), rng.normal(size=15)
    cuts = [-np.inf, *np.unique(predictor), np.inf]
    best = max(gains[side * predictor > side * cut].sum() for cut, side in itertools.product(cuts, (1, -1)))
    place = highest_step(rows, gains, [np.array([0.0, side]) for side in (1.0, -1.0)])
    assert height(rows, gains, place) == pytest.approx(best)


@pytest.mark.parametrize("coordinate", [0, 1, 2])
def test_along_a_line_no_place_is_higher(coordinate: int) -> None:
    rng = np.random.default_rng(coordinate)
    rows, gains = rng.normal(size=(12, 3)).round(1), rng.normal(size=12)
    rows[:3, coordinate] = 0
    start = rng.normal(size=3)
    place, gain = best_along(rows, gains, start, coordinate)
    assert (np.delete(place, coordinate) == np.delete(start, coordinate)).all()
    line = [start + np.eye(3)[coordinate] * shift for shift in np.linspace(-60, 60, 24_001)]
    assert gain == pytest.approx(height(rows, gains, place))
    assert gain == pytest.approx(max(height(rows, gains, point) for point in line))


def test_a_climb_ends_where_no_coordinate_helps() -> None:
    rng = np.random.default_rng(4)
    rows, gains = rng.normal(size=(40, 3)), rng.normal(size=40)
    place, gain = climb(rows, gains, np.array([1.0, 0.0, 0.0]))
    assert gain == pytest.approx(height(rows, gains, place))
    assert gain > best_along(rows, gains, np.array([1.0, 0.0, 0.0]), 0)[1]
    assert climb(rows, gains, np.array([1.0, 0.0, 0.0]), 1)[1] < gain
    for coordinate in range(3):
        assert best_along(rows, gains, place, coordinate)[1] == pytest.approx(gain)


def test_the_highest_of_several_climbs_is_taken() -> None:
    rng = np.random.default_rng(12)
    rows, gains = rng.normal(size=(40, 3)), rng.normal(size=40)
    starts = [*np.eye(3), *-np.eye(3)]
    heights = [climb(rows, gains, start)[1] for start in starts]
    assert height(rows, gains, highest_step(rows, gains, starts)) == pytest.approx(max(heights))
    assert max(heights) > min(heights)


def test_a_step_is_so_far_out_that_all_is_certain_and_a_softened_one_leaves_a_tenth_in_doubt() -> None:
    rows, place = np.array([[1.0], [-2.0], [3.0], [4.0], [-5.0]]), np.array([0.5])
    assert certain(rows, place).tolist() == [30.0]
    # A tenth of the weight lies as near as the first row, more than a tenth as near as the second.
    assert soften_place(rows, place, np.ones(5)).tolist() == [2.0]
    assert soften_place(rows, place, np.array([1.0, 6, 1, 1, 1])).tolist() == [1.0]
    assert soften_place(rows, place, np.array([1.01, 6, 1, 1, 1])).tolist() == [2.0]
    # A row on the edge is not torn off it.
    edge = np.array([[0.0], [2.0]])
    assert certain(edge, place) == pytest.approx(30 / 2e-8)
    assert soften_place(edge[:1], place, np.ones(1)).tolist() == [0.5]


def test_of_equally_high_places_the_first_is_taken() -> None:
    assert first_of_highest(np.array([-np.inf, 2.0, 2 + 1e-13, 1.0])) == 1
    assert first_of_highest(np.array([-np.inf, 2.0, 2 + 1e-11, 1.0])) == 2


def test_without_predictors_there_is_nothing_to_scale() -> None:
    assert highest_step(np.empty((3, 0)), np.ones(3), [np.empty(0)]).shape == (0,)
    assert certain(np.empty((3, 0)), np.empty(0)).shape == (0,)


def test_a_row_gains_by_its_weight_and_the_ratio_of_its_two_likelihoods() -> None:
    outcomes = Outcomes(np.array([0.25, 0.75, 0.0]), np.array([0.75, 0.25, 1.0]), np.array([1.0, 2.0, 1.0]))
    assert outcomes.gains() == pytest.approx([np.log(3), -2 * np.log(3), 300 * np.log(10)])


def test_the_step_of_a_model_is_as_likely_as_its_reports_can_be() -> None:
    rows, yes = np.column_stack([np.ones(6), np.arange(6.0)]), np.array([0, 0, 1, 1, 1, 1])
    outcomes = Outcomes(np.where(yes, 0.25, 0.75), np.where(yes, 0.75, 0.25), np.ones(6))
    model = LogisticModel(rows, np.zeros(6), outcomes)
    far, soft = model.step([np.array([0.0, 1.0])])
    assert model.at(far).log_likelihood == pytest.approx(6 * np.log(0.75), rel=1e-12)
    assert np.abs(rows @ far).min() == pytest.approx(30)
    assert np.abs(rows @ soft).min() == pytest.approx(2)


def _of_two_questions(sides: np.ndarray, p: np.ndarray) -> np.ndarray:
    yes = np.array([[[0, 1 - share], [share, 1]] for share in p])
    return np.where(sides[:, np.newaxis, np.newaxis] > 0, yes, 1 - yes)


def test_with_two_questions_the_innocuous_rate_stays_where_it_is() -> None:
    rows = np.column_stack([np.ones(6), np.arange(6.0)])
    sides, p = np.array([-1.0, -1, 1, 1, 1, 1]), np.array([0.8, 0.3] * 3)
    model = TwoShares(rows, _of_two_questions(sides, p), np.ones(6))
    far, soft = model.step([np.array([0.0, 1.0, 0.5])])
    assert far[-1] == soft[-1] == 0.5
    innocuous = 1 / (1 + np.exp(-0.5 * sides))
    assert model.at(far).log_likelihood == pytest.approx(np.log(p + (1 - p) * innocuous).sum(), rel=1e-12)
    # The report of the group that is asked the sensitive question more often decides.
    for side in (1.0, -1.0):
        pair = TwoShares(np.ones((2, 1)), _of_two_questions(np.array([-side, side]), np.array([0.2, 0.8])), np.ones(2))
        assert pair.step([np.zeros(2)])[0][0] * side > 0


def test_a_predictor_that_these_rows_lack_changes_nothing() -> None:
    rows, gains, place = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([2.0, 3.0]), np.array([1.0, 1.0])
    moved, gained = best_along(rows, gains, place, 1)
    assert (moved.tolist(), gained) == ([1.0, 1.0], 2.0)


def test_beyond_the_outermost_rows_all_have_turned() -> None:
    rows, start = np.array([[1.0], [2.0], [4.0]]), np.array([-7.0])
    for side in (1.0, -1.0):
        place, gained = best_along(rows, side * np.ones(3), start, 0)
        assert gained == max(0.0, 3 * side)
        assert (side * (rows @ place) > 0).all()
    shifted = np.array([[1.0, 9.0], [1.0, -4.0], [1.0, 30.0]])
    assert best_along(shifted, -np.ones(3), np.array([0.0, 1.0]), 0)[0].tolist() == [-65.0, 1.0]
    assert best_along(shifted, np.ones(3), np.array([0.0, 1.0]), 0)[0].tolist() == [39.0, 1.0]


def test_with_two_coordinates_no_step_beside_a_shift_is_missed() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 3, 7, 11):
        rows, shift, gains = rng.normal(size=(n, 2)), rng.normal(size=n), rng.normal(size=n)
        place = best_in_planes(rows, gains, rng.normal(size=2), shift)
        corners = [np.linalg.solve(rows[list(two)], -shift[list(two)]) for two in itertools.combinations(range(n), 2)]
        nudges = 1e-6 * np.array([[np.cos(turn), np.sin(turn)] for turn in np.linspace(0, 6.28, 100)])
        tried = np.concatenate([1e12 * nudges, *(corner + nudges for corner in corners)])
        highest = (gains * (shift + tried @ rows.T > 0)).sum(axis=1).max()
        assert gains[shift + rows @ place > 0].sum() == pytest.approx(highest, rel=1e-12)


def test_of_equal_rows_none_turns_without_the_others() -> None:
    rows = np.array([[1.0, 0.1], [1.0, 0.1], [1.0, 0.1]]) * 0.3
    place, gained = best_along(rows, np.array([2.0, -3.0, 2.5]), np.array([0.7, 0.2]), 0)
    assert gained == pytest.approx(1.5)
    assert (rows @ place > 0).all()
