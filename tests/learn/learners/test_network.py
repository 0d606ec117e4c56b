import numpy as np
import pytest

from surveys.learn.learners.network import TwoLayerLoss

GENERATOR = np.random.default_rng(20_326)
FEATURES, OUTCOMES = GENERATOR.standard_normal((5, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0])


def test_gradients_are_those_of_the_values() -> None:
    loss, theta, h = TwoLayerLoss(2), GENERATOR.standard_normal(8), 1e-6
    by_differences = [
        (loss.values(theta + e, FEATURES, OUTCOMES) - loss.values(theta - e, FEATURES, OUTCOMES)) / (2 * h)
        for e in np.eye(8) * h
    ]
    assert loss.gradients(theta, FEATURES, OUTCOMES) == pytest.approx(np.array(by_differences).T, abs=1e-8)


@pytest.mark.parametrize("needed", ["lipschitz", "smoothness", "linear_model", "convex"])
def test_it_has_nothing_that_a_guarantee_needs(needed: str) -> None:
    with pytest.raises(ValueError, match=r"^training_loss .*output .*TwoLayerLoss"):
        TwoLayerLoss(2).require("output perturbation", needed)


def test_parameters_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="parameters must be 8"):
        TwoLayerLoss(2).scores(np.zeros(7), FEATURES)
    with pytest.raises(ValueError, match="hidden must be"):
        TwoLayerLoss(0)
