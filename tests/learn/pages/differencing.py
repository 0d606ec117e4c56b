"""A class is counted, one more person answers, and it is counted again."""

from collections.abc import Callable
from math import exp, sqrt

import numpy as np
import pytest

from surveys.privacy.accounting.hypothesis_testing import best_advantage
from tests.learn.case import Case, Fault, Numbers, Page


def two_exact_counts_tell_the_answer(numbers_of: Callable[..., Numbers]) -> None:
    for answer, share in (("yes", 1), ("no", 0)):
        numbers = numbers_of(answer=answer)
        assert numbers["believed"] == share
        assert numbers["counts"]["none"] == [70, 70 + share]


def chance_leaves_no_more_than_epsilon_allows(numbers_of: Callable[..., Numbers]) -> None:
    for guard, most in (("coins", 3 / 4), ("noise", 1 / (1 + exp(-1)))):
        numbers = {answer: numbers_of(guard=guard, answer=answer, times="200")["draws"] for answer in ("yes", "no")}
        for drawn in numbers.values():
            assert 1 - most - 1e-12 <= min(drawn) <= max(drawn) <= most + 1e-12
        # Who guesses by it is right as often as the bound says: its advantage over a coin, within five standard errors.
        right = np.mean([*(np.array(numbers["yes"]) > 0.5), *(np.array(numbers["no"]) < 0.5)])
        assert right == pytest.approx(most, abs=5 * sqrt(most * (1 - most) / 400))


PAGE = Page(
    cases=[
        Case({}, {"answer": 1, "believed": 1, "most_believed": (1 + best_advantage(1)) / 2}),
        Case({"epsilon": "3", "guard": "noise"}, {"most_believed": exp(3) / (1 + exp(3))}),
        Case({"guard": "batches"}, {"believed": 0.5}),
        Case({"guard": "batches", "answer": "no"}, {"believed": 0.5}),
    ],
    printed="most_believed",
    claims={
        two_exact_counts_tell_the_answer: Fault(asked={"guard": "coins"}),
        chance_leaves_no_more_than_epsilon_allows: Fault(asked={"guard": "none"}),
    },
)
