"""Simulated people whose answers go together, behind coins."""

from collections import Counter
from fractions import Fraction

import numpy as np

from surveys.models import Survey
from tests.factories import fill, make_budget, make_open, numbers_of, one_of, yes_no

COPIED, DRANK, WHERE = "Have you ever cheated in an exam?", "Do you drink every day?", "Where do you live?"
LOG_ODDS = 1.5
"""How much more likely those who drink are to have copied."""


def joined_reports(n: int, seed: int = 1) -> Counter[str]:
    """Return how often each report to three questions came, an effect being between the first two of them only."""
    rng = np.random.default_rng(seed)
    drank, where = (rng.random(n) < 0.4).astype(int), rng.integers(0, 3, n)
    copied = (rng.random(n) < 1 / (1 + np.exp(1 - LOG_ODDS * drank))).astype(int)

    def coin(truths: "np.ndarray", k: int) -> "np.ndarray":
        return np.where(rng.random(n) < 0.5, truths, rng.integers(0, k, n))

    rows = zip(coin(copied, 2), coin(drank, 2), coin(where, 3), strict=True)
    return Counter("".join(map(str, row)) for row in rows)


def joined_survey(n: int = 4000, epsilon: int = 10) -> Survey:
    """Return a survey of these people, closed to nobody, with a budget."""
    survey = make_open(
        yes_no(COPIED, leave_out="no"),
        yes_no(DRANK, leave_out="no"),
        one_of(("In town", "In a village", "Elsewhere"), WHERE),
    )
    fill(survey, joined_reports(n))
    make_budget(survey, epsilon, Fraction(1, 1000))
    return survey


def in_order(survey: Survey) -> list[int]:
    """Return the numbers of its questions."""
    return numbers_of(survey)
