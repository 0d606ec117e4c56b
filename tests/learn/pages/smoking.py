"""Promises that sound like privacy, and what breaks each."""

from collections.abc import Callable
from math import exp, sqrt

from tests.learn.case import Case, Fault, Numbers, Page


def _mean(numbers_of: Callable[..., Numbers], **asked: str) -> float:
    draws = numbers_of(times="200", **asked)["draws"]
    return float(sum(draws) / len(draws))


def smokers_risk_is_learnt_with_you_and_without(numbers_of: Callable[..., Numbers]) -> None:
    for you in ("in", "out"):
        # Five standard errors of a share among 200 times 270 smokers.
        assert abs(_mean(numbers_of, promise="learning", you=you) - 0.172) < 5 * sqrt(0.172 * 0.828 / 54_000)


def most_rows_without_names_are_of_one_person_only(numbers_of: Callable[..., Numbers]) -> None:
    # Nobody of 999 others has the same of 4,800 combinations; the mean of 200 such shares has an error below .002.
    assert abs(_mean(numbers_of, promise="names") - exp(-999 / 4800)) < 0.01


def crowds_of_five_say_the_same_as_often_as_chance_has_it(numbers_of: Callable[..., Numbers]) -> None:
    alike = 0.7**5 + 0.3**5
    # Five standard errors of a share of 200 times 199 groups.
    assert abs(_mean(numbers_of, promise="alike") - alike) < 5 * sqrt(alike * (1 - alike) / 39_800)


def two_totals_tell_your_answer_if_you_are_in_them(numbers_of: Callable[..., Numbers]) -> None:
    for seed in ("1", "2", "3"):
        within, without = (numbers_of(promise="totals", you=you, seed=seed) for you in ("in", "out"))
        assert (within["total"] - within["without"], without["total"] - without["without"]) == (1, 0)


PAGE = Page(
    cases=[
        Case({"promise": "totals", "you": "in"}, {"people": 1000, "found": 1}),
        Case({"promise": "totals", "you": "out"}, {"people": 999, "found": 0}),
    ],
    printed="found",
    # Five standard errors of the difference of two samples of 270 smokers or more.
    near=5 * sqrt(2 * 0.172 * 0.828 / 270),
    claims={
        smokers_risk_is_learnt_with_you_and_without: Fault(code={"_RISK": 0.1}),
        most_rows_without_names_are_of_one_person_only: Fault(code={"_KNOWN": (60, 4, 2)}),
        crowds_of_five_say_the_same_as_often_as_chance_has_it: Fault(code={"_ALIKE": 4}),
        two_totals_tell_your_answer_if_you_are_in_them: Fault(asked={"you": "out"}),
    },
)
