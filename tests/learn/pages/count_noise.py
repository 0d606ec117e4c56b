"""Noise on counts."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import log

import pytest

from surveys.learn.page import SeededChance
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.learn.case import Case, Fault, Numbers, Page


def counts_stay_within_the_bound_as_often_as_it_says(numbers_of: Callable[..., Numbers]) -> None:
    for counts, noise in (("10000", "laplace"), ("100", "gaussian")):
        bound = numbers_of(counts=counts, noise=noise)["bound"]
        drawn = numbers_of(counts=counts, noise=noise, times="200")["draws"]
        # 200 draws, each within with a chance of .95 or more: fewer than 172 is less than one chance in a million.
        assert sum(error <= bound for error in drawn) >= 172


def one_count_errs_as_the_exact_sampler_does(numbers_of: Callable[..., Numbers]) -> None:
    draw, noise = SeededChance(7).randbelow, DiscreteLaplace(Fraction(1), 1)
    exact = [abs(noise.sample(draw)) for _ in range(1000)]
    numbers = numbers_of(counts="1", times="200")["draws"]
    # |X| has the standard deviation 1.06: five standard errors of the difference of both means.
    assert abs(sum(numbers) / 200 - sum(exact) / 1000) < 5 * 1.06 * (1 / 200 + 1 / 1000) ** 0.5


def the_textbooks_gaussian_wastes_a_quarter(numbers_of: Callable[..., Numbers]) -> None:
    numbers = numbers_of(noise="classic", epsilon="1")
    assert numbers["sigma"] / numbers["continuous"] == pytest.approx(1.254, abs=0.001)
    assert numbers["needed"] == pytest.approx(4.232, abs=0.001)
    for epsilon in ("0.1", "0.5", "3"):
        assert (
            numbers_of(noise="classic", epsilon=epsilon)["sigma"]
            > numbers_of(epsilon=epsilon, noise="gaussian")["sigma"]
        )


def whole_numbers_need_no_more_than_the_textbook_and_one(numbers_of: Callable[..., Numbers]) -> None:
    for epsilon, counts in product(("0.1", "1", "3"), ("1", "100", "10000")):
        numbers = numbers_of(epsilon=epsilon, counts=counts)
        assert numbers["bound"] < numbers["textbook"] + 1


PAGE = Page(
    cases=[
        Case({}, {"bound": 12, "textbook": log(10_000 / 0.05)}),
        Case({"noise": "classic"}, {"sigma": (2 * log(1.25e6)) ** 0.5}),
    ],
    printed="bound",
    claims={
        counts_stay_within_the_bound_as_often_as_it_says: Fault(
            wrong={"bound": lambda found, _asked: found["bound"] / 2}
        ),
        one_count_errs_as_the_exact_sampler_does: Fault(asked={"epsilon": "2"}),
        the_textbooks_gaussian_wastes_a_quarter: Fault(asked={"noise": "gaussian"}),
        whole_numbers_need_no_more_than_the_textbook_and_one: Fault(
            wrong={"textbook": lambda found, _asked: found["textbook"] / 2}
        ),
    },
)
