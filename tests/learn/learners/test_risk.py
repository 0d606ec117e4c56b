from fractions import Fraction

import numpy as np
import pytest

from surveys.learn.learners.losses import LinearLoss, LogisticLoss, SquaredLoss, hinge_loss
from surveys.learn.learners.network import TwoLayerLoss
from surveys.learn.learners.reference import projected_descent
from surveys.learn.learners.risk import EmpiricalRisk
from surveys.privacy.learning.domain import PatternDomain
from tests.learn.learners.risks import mean_loss, risk_of
from tests.privacy.learning.learners import domain_of, item

COUNTS = [3, 9, 4, 14, 11, 2, 8, 9]
LOSSES = {
    "logistic": LogisticLoss(),
    "squared": SquaredLoss(),
    "rounded hinge": hinge_loss("1/10"),
}
EACH = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)


@EACH
@pytest.mark.parametrize("ridge", ["1/10", "1/1000"])
def test_a_certified_point_is_as_near_the_minimum_as_it_says(loss: LinearLoss, ridge: str) -> None:
    risk = risk_of(domain_of(2, 2), 60, ridge, loss)
    point, gap = risk.minimum(COUNTS, Fraction(1, 10**6))
    nearer, _ = risk.minimum(COUNTS, Fraction(1, 10**20))
    assert gap <= Fraction(1, 10**6)
    # The nearer point stands for the exact one.
    squared = sum((a - b) ** 2 for a, b in zip(point, nearer, strict=True))
    assert squared <= (gap + Fraction(1, 10**19)) ** 2


@EACH
def test_the_certified_minimum_is_that_of_descent_in_floats(loss: LinearLoss) -> None:
    risk = risk_of(domain_of(2, 2), 60, "1/10", loss)
    exact = np.array(risk.minimum(COUNTS, Fraction(1, 10**12))[0], dtype=np.float64)
    assert projected_descent(risk, COUNTS) == pytest.approx(exact, abs=1e-9)
    for move in np.eye(3) * 1e-3:
        assert mean_loss(risk, COUNTS, exact + move) > mean_loss(risk, COUNTS, exact)


@pytest.mark.parametrize(("smoothing", "ridge"), [("1/1000", "1/1000"), ("1/100", "1/100000")])
def test_corners_do_not_keep_the_search_from_the_minimum(
    smoothing: str, ridge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Steps along the gradient would be millions: each shrinks it by the factor 1 − Λ/(c + Λ).
    risk, gradient, asked = risk_of(domain_of(2, 2), 60, ridge, hinge_loss(smoothing)), EmpiricalRisk._gradient, []

    def counted(*given: object) -> object:
        asked.append(None)
        return gradient(*given) if len(asked) <= 200 else pytest.fail("the search stalls")

    monkeypatch.setattr(EmpiricalRisk, "_gradient", counted)
    point, gap = risk.minimum(COUNTS, Fraction(1, 10**12))
    assert gap <= Fraction(1, 10**12)
    theta = np.array(point, dtype=np.float64)
    for move in np.vstack([np.eye(3), -np.eye(3)]) / 100:
        assert mean_loss(risk, COUNTS, theta + move) > mean_loss(risk, COUNTS, theta)


def test_least_squares_are_the_solution_of_the_normal_equations() -> None:
    risk = risk_of(domain_of(2, 2), 60, "1/10", SquaredLoss())
    x, y = (np.array(column, dtype=np.float64) for column in zip(*risk.rows, strict=True))
    weights = np.array(COUNTS) / 60
    expected = np.linalg.solve((x.T * weights) @ x + np.eye(3) / 10, (weights * y) @ x)
    assert np.array(risk.minimum(COUNTS, Fraction(1, 10**15))[0], dtype=np.float64) == pytest.approx(
        expected, rel=1e-12
    )


def test_a_gap_that_leaves_out_the_ridge_would_be_too_small() -> None:
    # What a certificate would say that forgets to divide the gradient by Λ.
    risk = risk_of(domain_of(2, 2), 60, "1/1000")
    point, gap = risk.minimum(COUNTS, Fraction(1))
    nearer, _ = risk.minimum(COUNTS, Fraction(1, 10**20))
    squared = sum((a - b) ** 2 for a, b in zip(point, nearer, strict=True))
    assert (gap * risk.ridge) ** 2 < squared <= gap**2


@pytest.mark.parametrize("ridge", [-1, "1/10000000000", 0.5])
def test_a_ridge_that_is_too_small_or_not_exact_is_refused(ridge: object) -> None:
    with pytest.raises(ValueError, match="ridge must be"):
        risk_of(domain_of(2), 20, ridge)


def test_no_minimum_is_certified_without_a_ridge_or_a_smooth_loss() -> None:
    with pytest.raises(ValueError, match=r"^ridge .*0"):
        risk_of(domain_of(2), 20, 0).minimum([5] * 4, Fraction(1))
    with pytest.raises(ValueError, match=r"^training_loss"):
        risk_of(domain_of(2), 20, 1, hinge_loss()).minimum([5] * 4, Fraction(1))


def test_a_distance_that_no_digits_reach_is_refused() -> None:
    risk = risk_of(domain_of(2), 20, "1/10")
    assert risk.minimum([5] * 4, Fraction(1, 10**23))[1] <= Fraction(1, 10**23)
    with pytest.raises(ValueError, match=r"^within .*1e-24.*got 1e-24"):
        risk.minimum([5] * 4, Fraction(1, 10**24))


def test_outcomes_must_be_those_that_the_loss_is_for() -> None:
    with pytest.raises(ValueError, match=r"^outcome outcome .*codes"):
        risk_of(domain_of(outcome=3), 20)
    with pytest.raises(ValueError, match=r"^outcome outcome .*-1 and 1"):
        risk_of(_halves(), 20)
    assert risk_of(_halves(), 20, loss=SquaredLoss()).n == 20


def _halves() -> object:
    return PatternDomain(outcome=item("outcome", 2, [0, "1/2"]), predictors=[])


def test_a_loss_of_no_linear_model_has_no_such_risk() -> None:
    with pytest.raises(TypeError, match=r"^training_loss .*linear .*TwoLayerLoss"):
        EmpiricalRisk(domain=domain_of(2), n=20, training_loss=TwoLayerLoss(2))


def test_too_many_patterns_for_the_responses_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^domain .*5"):
        risk_of(domain_of(2, 2), 39)
