"""A study publishes averages, and somebody tests for each person whether they were in it."""

from collections.abc import Callable
from math import sqrt, tanh
from statistics import NormalDist

import numpy as np
import pytest

from tests.learn.case import Case, Fault, Numbers, Page


def many_averages_of_few_people_tell_who_is_in_and_few_averages_do_not(numbers_of: Callable[..., Numbers]) -> None:
    assert np.mean(numbers_of(times="200")["draws"]) > 0.85
    assert np.mean(numbers_of(traits="10", people="1000", times="200")["draws"]) < 0.1


def the_test_is_as_good_as_a_normal_sum_of_its_size(numbers_of: Callable[..., Numbers]) -> None:
    for people, traits in (("50", "500"), ("1000", "500"), ("200", "100")):
        drawn = np.mean(numbers_of(people=people, traits=traits, times="200")["draws"])
        # A member's sum is farther than anybody else's by √(m/n) of its spread, or nearly.
        nearly = 2 * NormalDist().cdf(sqrt(int(traits) / int(people)) / 2) - 1
        assert drawn == pytest.approx(nearly, abs=0.03)


def no_advantage_is_above_what_epsilon_allows(numbers_of: Callable[..., Numbers]) -> None:
    for people in ("50", "1000"):
        for traits in ("10", "500"):
            for epsilon in ("1", "3"):
                drawn = numbers_of(people=people, traits=traits, epsilon=epsilon, times="200")["draws"]
                # The mean of 200 differences of 50 against 50 is off by at most 5 · √(½/(50 · 200)).
                assert np.mean(drawn) <= tanh(float(epsilon) / 2) + 0.036
    assert np.mean(numbers_of(epsilon="1", times="200")["draws"]) < 0.1


PAGE = Page(
    cases=[
        Case({}, {"allowed": 1}),
        Case({"epsilon": "1"}, {"allowed": tanh(0.5)}),
        Case({"epsilon": "3"}, {"allowed": tanh(1.5)}),
    ],
    printed="advantage",
    # Both are right 94 of 100 times: six standard errors of the difference of two tests of twice 50 people.
    near=6 * sqrt(2 * 2 * 0.06 * 0.94 / 50),
    claims={
        many_averages_of_few_people_tell_who_is_in_and_few_averages_do_not: Fault(asked={"epsilon": "1"}),
        the_test_is_as_good_as_a_normal_sum_of_its_size: Fault(asked={"epsilon": "3"}),
        no_advantage_is_above_what_epsilon_allows: Fault(asked={"epsilon": "none"}),
    },
)
