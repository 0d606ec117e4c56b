"""What several answers give away together."""

from collections.abc import Callable
from math import log

import numpy as np
from scipy.stats import binom

from tests.learn.case import Case, Fault, Numbers, Page


def _guessed(count: int, truth: float) -> float:
    """The best guess is the majority; of a tie, either."""
    right = binom(count, (1 + truth) / 2)
    return float(right.sf(count // 2) + (right.pmf(count // 2) / 2 if count % 2 == 0 else 0))


def new_coins_wear_off_and_kept_ones_do_not(numbers_of: Callable[..., Numbers]) -> None:
    again, kept = (numbers_of(count="20", who=who) for who in ("again", "kept"))
    assert again["guessed"] > 0.98
    assert kept == numbers_of(count="1")


def a_household_is_protected_as_little_as_one_person_asked_as_often(numbers_of: Callable[..., Numbers]) -> None:
    assert numbers_of(who="group") == numbers_of(who="again")


def no_guess_is_better_than_the_bound(numbers_of: Callable[..., Numbers]) -> None:
    for truth in ("10", "50", "90"):
        for count in ("1", "2", "20"):
            numbers = numbers_of(truth=truth, count=count)
            assert numbers["guessed"] <= numbers["at_worst"] <= 1


def whoever_counts_the_answers_guesses_as_often_right_as_is_said(numbers_of: Callable[..., Numbers]) -> None:
    draw, people = np.random.default_rng(14), 20_000
    owners = draw.integers(2, size=people)
    yes = draw.binomial(5, np.where(owners, 0.75, 0.25))
    # Five standard errors of a share of 0.9 of 20,000.
    assert abs(float(np.mean((yes > 2) == owners)) - numbers_of()["guessed"]) <= 5 * 0.0022


PAGE = Page(
    cases=[
        Case(
            {},
            {
                "factor": 3,
                "factor_of_all": 243,
                "epsilon_of_all": 5 * log(3),
                "at_worst": 243 / 244,
                "guessed": _guessed(5, 0.5),
            },
        ),
        Case({"count": "20", "truth": "10"}, {"guessed": _guessed(20, 0.1), "epsilon_of_all": 20 * log(11 / 9)}),
        Case({"count": "20", "who": "kept"}, {"factor_of_all": 3, "at_worst": 0.75, "guessed": 0.75}),
    ],
    printed="guessed",
    claims={
        new_coins_wear_off_and_kept_ones_do_not: Fault(asked={"who": "again"}),
        a_household_is_protected_as_little_as_one_person_asked_as_often: Fault(
            wrong={"guessed": lambda found, asked: 0.75 if asked["who"] == "group" else found["guessed"]}
        ),
        no_guess_is_better_than_the_bound: Fault(
            wrong={"at_worst": lambda found, _asked: found["factor"] / (1 + found["factor"])}
        ),
        whoever_counts_the_answers_guesses_as_often_right_as_is_said: Fault(asked={"count": "1"}),
    },
)
