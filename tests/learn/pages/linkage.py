"""A table of salaries without names, and somebody who knows a few facts of everybody."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from surveys.privacy.designs import forced_response
from tests.learn.case import Case, Fault, Numbers, Page


def _expected(people: int, inner: int) -> float:
    """By the law of each row: with probability p it is of a kind, and none of the others is."""
    cells = np.repeat(np.arange(1, 21) / 210 / inner, inner)
    return float(sum(cell * np.prod(np.full(people - 1, 1 - cell)) for cell in np.unique(cells)) * inner)


def each_column_more_finds_more_people(numbers_of: Callable[..., Numbers]) -> None:
    numbers = [numbers_of(known=known)["found"] for known in ("postcode", "year", "sex", "day")]
    assert numbers == sorted(numbers)
    assert numbers[0] == 0
    assert numbers[-1] > 990


def towns_are_as_expected(numbers_of: Callable[..., Numbers]) -> None:
    for people in ("100", "1000"):
        drawn = numbers_of(people=people, times="200")["draws"]
        # Whether two are alone is nearly independent; five standard errors, doubled for how far it is not.
        expected = _expected(int(people), 120)
        assert np.mean(drawn) == pytest.approx(expected, abs=10 * sqrt(expected / int(people) / 200))


def a_report_found_is_wrong_as_often_as_coins_are(numbers_of: Callable[..., Numbers]) -> None:
    runs = [numbers_of(salary="chance", seed=str(seed)) for seed in range(1, 11)]
    wrong = np.mean([report for run in runs for report in run["reports"]])
    # Of 10,000 reports 1/4 + 30/2 of 100 say well paid.
    assert wrong == pytest.approx(0.4, abs=5 * sqrt(0.24 / 10_000))
    assert all(run["odds"] == 3 for run in runs)


PAGE = Page(
    cases=[
        Case({}, {"expected": _expected(1000, 120), "odds": 3}),
        Case({"known": "year", "people": "300"}, {"expected": _expected(300, 60)}),
        Case({"known": "postcode", "people": "100"}, {"expected": _expected(100, 1)}),
    ],
    printed="expected",
    claims={
        each_column_more_finds_more_people: Fault(asked={"known": "postcode"}),
        towns_are_as_expected: Fault(code={"_POSTCODES": np.full(20, 1 / 20)}),
        a_report_found_is_wrong_as_often_as_coins_are: Fault(
            code={"forced_response": lambda: forced_response(Fraction(9, 10))}
        ),
    },
)
