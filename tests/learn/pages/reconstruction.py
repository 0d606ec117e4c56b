"""A hundred secret answers, and counts of the Yes in random parts of the people."""

from collections.abc import Callable
from math import exp, sqrt

import numpy as np
import pytest
import scipy

from surveys.learn.page import SeededChance
from tests.learn.case import Case, Fault, Numbers, Page


def small_errors_tell_nearly_all_and_large_ones_hide(numbers_of: Callable[..., Numbers]) -> None:
    assert numbers_of(off="0", queries="200")["right"] == 1
    assert np.mean(numbers_of(queries="1000", times="200")["draws"]) > 0.99
    assert np.mean(numbers_of(off="50", queries="200", times="200")["draws"]) < 0.6


def the_share_found_is_as_expected(numbers_of: Callable[..., Numbers]) -> None:
    for asked in ({"off": "5"}, {"off": "20", "queries": "1000"}, {"guard": "budget", "queries": "200"}):
        expected = numbers_of(**asked)["expected"]
        drawn = numbers_of(**asked, times="200")["draws"]
        # 20,000 guesses; errors of people are nearly independent, so five standard errors are doubled.
        assert np.mean(drawn) == pytest.approx(expected, abs=10 * sqrt(expected * (1 - expected) / 20_000))


def one_budget_for_all_answers_leaves_at_most_what_epsilon_allows(numbers_of: Callable[..., Numbers]) -> None:
    for queries in ("200", "400", "1000"):
        numbers = numbers_of(guard="budget", queries=queries, times="200")
        assert np.mean(numbers["draws"]) < exp(1) / (1 + exp(1))


def linear_programming_finds_the_same_people(numbers_of: Callable[..., Numbers]) -> None:
    """The smallest largest error, over all shares between 0 and 1: the way of Dinur and Nissim."""
    chance = SeededChance(1).generator
    asked = SeededChance(200).generator.integers(2, size=(200, 100)).astype(float)
    truth = chance.integers(2, size=100)
    answers = asked @ truth + chance.integers(-2, 3, size=200)
    one = np.ones((200, 1))
    optimum = scipy.optimize.linprog(
        [0.0] * 100 + [1.0],
        A_ub=np.block([[asked, -one], [-asked, -one]]),
        b_ub=np.concatenate([answers, -answers]),
        bounds=[(0, 1)] * 100 + [(0, None)],
    )
    assert np.mean((optimum.x[:100] > 0.5) == truth) > 0.9
    assert numbers_of(off="5", queries="400")["right"] > 0.8


PAGE = Page(
    cases=[
        Case({"off": "0"}, {"right": 1, "expected": 1, "spread": 0}),
        Case({"off": "5"}, {"spread": sqrt(np.var(np.arange(-5, 6)))}),
        Case({"guard": "budget"}, {"allowed": exp(1) / (1 + exp(1))}),
    ],
    printed="right",
    # Both err by at most six standard errors of a hundred guesses that are right 90 of 100 times or more.
    near=6 * sqrt(2 * 0.9 * 0.1 / 100),
    claims={
        small_errors_tell_nearly_all_and_large_ones_hide: Fault(asked={"off": "50"}),
        the_share_found_is_as_expected: Fault(code={"sqrt": float}),
        one_budget_for_all_answers_leaves_at_most_what_epsilon_allows: Fault(asked={"guard": "same"}),
        linear_programming_finds_the_same_people: Fault(asked={"guard": "budget"}),
    },
)
