import math
from fractions import Fraction

import numpy as np
import pytest

from surveys.learn.learners.losses import GeneralLinearLoss, LinearLoss, LogisticLoss, SquaredLoss, hinge_loss

HUBER = GeneralLinearLoss((("-1/2", "-1/2"), ("1/2", "1/2")), of_margin=False)
ABSOLUTE = GeneralLinearLoss(((0, -1), (0, 1)), of_margin=False)
LOSSES = {
    "logistic": LogisticLoss(),
    "squared": SquaredLoss(Fraction(3)),
    "hinge": hinge_loss(),
    "rounded hinge": hinge_loss("1/4"),
    "huber": HUBER,
    "absolute": ABSOLUTE,
}
EACH = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
SCORES = [Fraction(step, 7) for step in range(-21, 22)]


@EACH
@pytest.mark.parametrize("outcome", [Fraction(-1), Fraction(1)])
def test_slopes_are_those_of_the_values(loss: LinearLoss, outcome: Fraction) -> None:
    h = Fraction(1, 10**6)
    for score in SCORES:
        low, high = loss.slope_limits(score, outcome)
        left, right = (
            (loss.value(score + end, outcome) - loss.value(score + begin, outcome)) / h
            for begin, end in ((-h, 0), (0, h))
        )
        assert low <= high
        assert left - 2 * h <= low + h
        assert high - h <= right + 2 * h
        assert float(low) == pytest.approx(float(left), abs=1e-5)


@EACH
@pytest.mark.parametrize("outcome", [-1, 1])
def test_floats_are_those_of_the_exact_losses(loss: LinearLoss, outcome: int) -> None:
    scores = np.array(SCORES, dtype=np.float64)
    outcomes = np.full(scores.shape, float(outcome))
    exact = [float(loss.value(score, Fraction(outcome))) for score in SCORES]
    assert loss.values(scores, outcomes) == pytest.approx(exact, rel=1e-12, abs=1e-12)
    jumps = [loss.slope_limits(score, Fraction(outcome)) for score in SCORES]
    smooth = [place for place, (low, high) in enumerate(jumps) if high - low < 1e-20]
    slopes = loss.slopes(scores, outcomes)
    assert slopes[smooth] == pytest.approx([float(jumps[place][0]) for place in smooth], abs=1e-12)
    gradients = loss.gradients(np.array([2.0, 0.0]), np.column_stack([scores / 2, scores]), outcomes)
    assert gradients == pytest.approx(slopes[:, None] * np.column_stack([scores / 2, scores]))


@EACH
def test_constants_hold_and_are_attained(loss: LinearLoss) -> None:
    # Along a feature of length 1, for parameters within the radius.
    reach = loss.radius or Fraction(40)
    slopes = [loss.slope_limits(score, Fraction(y)) for y in (-1, 1) for score in (-reach, -1, 0, 1, reach)]
    largest = max(abs(slope) for limits in slopes for slope in limits)
    assert largest <= loss.lipschitz
    assert float(largest) == pytest.approx(float(loss.lipschitz), rel=1e-9)
    if loss.smoothness is not None:
        rises = [
            (loss.slope_limits(score + Fraction(1, 1000), Fraction(1))[0] - loss.slope_limits(score, Fraction(1))[0])
            * 1000
            for score in SCORES
        ]
        assert max(rises) <= loss.smoothness + Fraction(1, 10**20)
        assert float(max(rises)) == pytest.approx(float(loss.smoothness), rel=0.02)
        curvatures = [float(loss.curvature(score + Fraction(1, 1000), Fraction(1))) for score in SCORES]
        assert curvatures == pytest.approx([float(rise) for rise in rises], abs=2e-3)


def test_all_of_them_are_convex_linear_models_without_strong_convexity() -> None:
    for loss in LOSSES.values():
        assert (loss.convex, loss.linear_model, loss.strong_convexity) == (True, True, 0)


def test_which_outcomes_a_loss_is_for() -> None:
    assert [loss.needs_signs for loss in LOSSES.values()] == [True, False, True, True, False, False]


def test_hinge_loss_is_its_textbook_formula() -> None:
    for score in SCORES:
        assert hinge_loss().value(score, Fraction(1)) - hinge_loss().value(Fraction(1), Fraction(1)) == max(
            0, 1 - score
        )


def test_logistic_limits_are_narrow_and_hold_the_slope() -> None:
    low, high = LogisticLoss().slope_limits(Fraction(1, 3), Fraction(1))
    assert 0 < high - low < Fraction(1, 10**55)
    assert float(low) == pytest.approx(-1 / (1 + math.exp(1 / 3)), rel=1e-14)


def test_logistic_values_do_not_overflow() -> None:
    assert LogisticLoss().value(Fraction(-5000), Fraction(1)) == 5000


@pytest.mark.parametrize(
    ("loss", "needed", "pattern"),
    [
        (SquaredLoss(), "lipschitz", "Lipschitz constant .*SquaredLoss"),
        (hinge_loss(), "smoothness", "smooth gradient .*GeneralLinearLoss"),
    ],
)
def test_a_loss_without_what_a_learner_needs_is_refused_and_it_says_what(
    loss: LinearLoss, needed: str, pattern: str
) -> None:
    with pytest.raises(ValueError, match=pattern):
        loss.require("output perturbation", "linear_model", "convex", needed)


@pytest.mark.parametrize(
    "knots", [[(0, 1)], [(0, 1), (1, 0)], [(1, 0), (0, 1)], [(0, 0), (0, 0)], [(0, 0.5), (1, 1)]], ids=str
)
def test_knots_that_make_no_convex_loss_are_refused(knots: list) -> None:
    with pytest.raises(ValueError, match="knots must be"):
        GeneralLinearLoss(knots)


def test_bounds_and_smoothings_are_exact_and_not_negative() -> None:
    with pytest.raises(ValueError, match=r"^bounded_by"):
        SquaredLoss(0)
    with pytest.raises(ValueError, match=r"^smoothing"):
        hinge_loss(-1)
