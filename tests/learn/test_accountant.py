"""What a page keeps because it takes seconds is what the core finds."""

import pytest

from surveys.learn.learners.stochastic import StochasticGradient
from surveys.learn.pages.sgd import BY_LOSSES, DELTA, STEPS


@pytest.mark.slow
@pytest.mark.parametrize("batch", BY_LOSSES)
def test_epsilon_by_losses_is_what_the_accountant_finds(batch: str) -> None:
    for noise, kept in BY_LOSSES[batch].items():
        steps = StochasticGradient(rate=float(batch), sigma=float(noise), steps=STEPS)
        epsilon = steps.epsilon(delta=DELTA, accounting="pld")
        assert 0 <= kept - epsilon <= 1.001e-4
