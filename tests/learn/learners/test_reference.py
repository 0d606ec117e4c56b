import numpy as np
import pytest

from surveys.learn.learners.losses import SquaredLoss, hinge_loss
from surveys.learn.learners.reference import projected_descent
from tests.learn.learners.risks import mean_loss, risk_of
from tests.privacy.learning.learners import domain_of

COUNTS = [3, 9, 4, 14, 11, 2, 8, 9]


def test_descent_stays_in_its_ball() -> None:
    risk = risk_of(domain_of(2, 2), 60, 0)
    free, kept = projected_descent(risk, COUNTS), projected_descent(risk, COUNTS, radius=0.5)
    assert np.linalg.norm(free) > 0.5
    assert np.linalg.norm(kept) == pytest.approx(0.5)
    around = kept + np.array([[0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.01]])
    for other in np.vstack([around, 2 * kept - around]):
        inside = other * min(1, 0.5 / np.linalg.norm(other))
        assert mean_loss(risk, COUNTS, inside) >= mean_loss(risk, COUNTS, kept)


def test_a_lasso_makes_parameters_zero_that_a_ridge_leaves() -> None:
    risk = risk_of(domain_of(2, 2), 60, 0, SquaredLoss())
    without, lasso = projected_descent(risk, COUNTS), projected_descent(risk, COUNTS, lasso=0.15)
    assert (without != 0).all()
    assert (lasso == 0).any()
    # Where a parameter is not 0 the slope is the lasso's, elsewhere it is not steeper.
    h = 1e-6
    slopes = np.array(
        [(mean_loss(risk, COUNTS, lasso + e) - mean_loss(risk, COUNTS, lasso - e)) / (2 * h) for e in np.eye(3) * h]
    )
    assert slopes[lasso != 0] == pytest.approx(-0.15 * np.sign(lasso[lasso != 0]), abs=1e-6)
    assert (np.abs(slopes) <= 0.15 + 1e-6).all()


def test_what_is_not_smooth_is_minimised_by_shorter_and_shorter_steps() -> None:
    risk = risk_of(domain_of(2), 20, "1/10", hinge_loss())
    counts = [9, 2, 1, 8]
    minimum = projected_descent(risk, counts, steps=4000)
    grid = np.stack(np.meshgrid(*[np.linspace(-3, 3, 31)] * 2), axis=-1).reshape(-1, 2)
    assert mean_loss(risk, counts, minimum) <= min(mean_loss(risk, counts, theta) for theta in grid) + 5e-3


def test_a_tilt_is_a_slope_of_its_own() -> None:
    risk = risk_of(domain_of(2), 20, 1, SquaredLoss())
    tilt = np.array([0.3, -0.1])
    moved = projected_descent(risk, [5] * 4, tilt=tilt) - projected_descent(risk, [5] * 4)
    x, _ = (np.array(column, dtype=np.float64) for column in zip(*risk.rows, strict=True))
    assert (x.T @ x / 4 + np.eye(2)) @ moved == pytest.approx(-tilt, abs=1e-9)


def test_descent_takes_at_least_one_step() -> None:
    with pytest.raises(ValueError, match="steps must be"):
        projected_descent(risk_of(domain_of(2), 20), [5] * 4, steps=0)
