"""Audits of draws where a guarantee is tight: they show at least 0.8 of ε, and more than ε of what spends more.

The bounds are too large at most once in a million audits.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from surveys.learn.learners.gradient import GradientPerturbation
from surveys.learn.learners.losses import hinge_loss
from surveys.learn.learners.output import OutputPerturbation
from tests.learn.learners.risks import risk_of
from tests.privacy.learning.learners import CONSTANT, Tight

# Of this loss a minimum between two corners moves as far as the theorem says.
OUTPUT = replace(
    OutputPerturbation.of(risk_of(CONSTANT, 10, 1, hinge_loss("1/1000")), Fraction(1)), step=Fraction(1, 400)
)
GRADIENT = GradientPerturbation(
    steps=1, sensitivity=1, epsilon=Fraction(2), delta=Fraction(1, 20), risk=risk_of(CONSTANT, 10)
)
# Of the gradient sums 1 and 0, the event is a little more frequent than where the loss is above ε: rare ones show less.
TIGHT = {
    "output perturbation": Tight(OUTPUT, ((5, 5), (4, 6)), lambda output: output[0] <= 0),
    "gradient perturbation": Tight(
        GRADIENT, ((6, 4), (5, 5)), lambda output: output.sums[0][0] * GRADIENT.unit >= Fraction(9, 5), 50_000
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("tight", TIGHT.values(), ids=TIGHT)
def test_draws_show_nearly_all_of_epsilon_and_no_more(tight: Tight) -> None:
    tight.require_tight()
