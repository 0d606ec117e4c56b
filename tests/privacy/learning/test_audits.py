"""Audits of draws where a guarantee is tight: they show at least 0.8 of ε, and more than ε of what spends more.

The bounds are too large at most once in a million audits.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from surveys.privacy.learning import GradientPerturbation, Learner, NoisyJointTable, OutputPerturbation, hinge_loss
from tests.privacy.chance import seeded
from tests.privacy.learning.learners import CONSTANT, risk_of
from tests.privacy.mechanisms.distinguishing import audited_epsilon

DRAWS = 20_000
FAR = hinge_loss("1/1000")
"""A loss of which a minimum between two corners moves as far as the theorem says."""

TIGHT = {
    "joint table": (
        NoisyJointTable(domain=CONSTANT, n=10, epsilon=Fraction(1)),
        lambda output: output[1] <= 5,
    ),
    "output perturbation": (
        replace(OutputPerturbation.of(risk_of(CONSTANT, 10, 1, FAR), Fraction(1)), step=Fraction(1, 400)),
        lambda output: output[0] <= 0,
    ),
    "gradient perturbation": (
        GradientPerturbation(
            steps=1, sensitivity=1, epsilon=Fraction(2), delta=Fraction(1, 5), risk=risk_of(CONSTANT, 10)
        ),
        None,
    ),
}


def events(learner: Learner, name: str) -> Callable[[object], bool]:
    """Say of an output whether it is one by which two neighbours are told apart best."""
    if name != "gradient perturbation":
        return TIGHT[name][1]
    # Sums of ±1/2 a response: −1/2 for five and five with one replaced, and where the loss is above ε.
    edge = 1 / 2 + learner.epsilon * learner.noise.variance_parameter * learner.unit**2
    return lambda output: output.sums[0][0] * learner.unit >= edge


def shown(learner: Learner, is_event: Callable[[object], bool], counts: tuple, others: tuple, delta: Fraction) -> float:
    one, other = (
        sum(is_event(learner.release(given, randbelow)) for _ in range(DRAWS))
        for given, randbelow in ((counts, seeded(20_341)), (others, seeded(20_342)))
    )
    return audited_epsilon(one, other, DRAWS, float(delta))


@pytest.mark.slow
@pytest.mark.parametrize("name", TIGHT)
def test_draws_show_nearly_all_of_epsilon_and_no_more(name: str) -> None:
    learner, _ = TIGHT[name]
    neighbours = ((6, 4), (5, 5)) if name == "gradient perturbation" else ((5, 5), (4, 6))
    epsilon, delta = learner.loss.epsilon, learner.loss.delta
    assert 0.8 * epsilon <= shown(learner, events(learner, name), *neighbours, delta) <= epsilon
    # The twin: noise for half of what one response changes.
    faulty = replace(learner, epsilon=2 * epsilon)
    assert shown(faulty, events(learner, name), *neighbours, delta) > epsilon
