"""Audits of draws where a guarantee is tight: they show at least 0.8 of ε, and more than ε of what spends more.

The bounds are too large at most once in a million audits.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from surveys.privacy.learning import GradientPerturbation, Learner, NoisyJointTable, OutputPerturbation, hinge_loss
from tests.privacy.chance import seeded
from tests.privacy.learning.learners import CONSTANT, risk_of
from tests.privacy.mechanisms.distinguishing import audited_epsilon


@dataclass(frozen=True)
class Tight:
    """A learner, two neighbours that it tells apart as well as it may, by which event, and how many draws show it."""

    learner: Learner
    neighbours: tuple[tuple[int, int], tuple[int, int]]
    is_event: Callable[[Any], bool]
    draws: int = 20_000

    def shown(self, epsilon: Fraction) -> float:
        learner = replace(self.learner, epsilon=epsilon)
        one, other = (
            sum(self.is_event(learner.release(counts, randbelow)) for _ in range(self.draws))
            for counts, randbelow in zip(self.neighbours, (seeded(20_341), seeded(20_342)), strict=True)
        )
        return audited_epsilon(one, other, self.draws, float(learner.loss.delta))


TABLE = NoisyJointTable(domain=CONSTANT, n=10, epsilon=Fraction(1))
# Of this loss a minimum between two corners moves as far as the theorem says.
OUTPUT = replace(
    OutputPerturbation.of(risk_of(CONSTANT, 10, 1, hinge_loss("1/1000")), Fraction(1)), step=Fraction(1, 400)
)
GRADIENT = GradientPerturbation(
    steps=1, sensitivity=1, epsilon=Fraction(2), delta=Fraction(1, 20), risk=risk_of(CONSTANT, 10)
)
# Of the gradient sums 1 and 0, the event is a little more frequent than where the loss is above ε: rare ones show less.
TIGHT = {
    "joint table": Tight(TABLE, ((5, 5), (4, 6)), lambda output: output[1] <= 5),
    "output perturbation": Tight(OUTPUT, ((5, 5), (4, 6)), lambda output: output[0] <= 0),
    "gradient perturbation": Tight(
        GRADIENT, ((6, 4), (5, 5)), lambda output: output.sums[0][0] * GRADIENT.unit >= Fraction(9, 5), 50_000
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("tight", TIGHT.values(), ids=TIGHT)
def test_draws_show_nearly_all_of_epsilon_and_no_more(tight: Tight) -> None:
    epsilon = tight.learner.loss.epsilon
    assert 0.8 * epsilon <= tight.shown(epsilon) <= epsilon
    # The twin: noise for half of what one response changes.
    assert tight.shown(2 * epsilon) > epsilon
