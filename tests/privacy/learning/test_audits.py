"""Audits of draws where a guarantee is tight: they show at least 0.8 of ε, and more than ε of what spends more.

The bounds are too large at most once in a million audits.
"""

from fractions import Fraction

import pytest

from surveys.privacy.learning.joint import NoisyJointTable
from tests.privacy.learning.learners import CONSTANT, Tight

TABLE = NoisyJointTable(domain=CONSTANT, n=10, epsilon=Fraction(1))


@pytest.mark.slow
def test_draws_show_nearly_all_of_epsilon_and_no_more() -> None:
    Tight(TABLE, ((5, 5), (4, 6)), lambda output: output[1] <= 5).require_tight()
