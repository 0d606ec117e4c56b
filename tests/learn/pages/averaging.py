"""One person is asked the same question many times."""

from collections.abc import Callable
from math import log, sqrt

import pytest

from surveys.privacy.accounting.optimal import optimal_delta
from tests.learn.case import Case, Fault, Numbers, Page


def _right(asked: int, odds: float) -> float:
    # The advantage of the best test is the total variation distance, which is what δ is at ε = 0.
    return (1 + optimal_delta(log(odds), asked, 0)) / 2


def a_hundred_new_reports_leave_no_doubt_and_kept_ones_as_much_as_one(numbers_of: Callable[..., Numbers]) -> None:
    assert numbers_of(asked="101")["right"] > 0.999
    for asked in ("1", "3", "21", "101"):
        kept = numbers_of(asked=asked, coins="kept")
        assert kept["right"] == 0.75
        assert kept["epsilon"] == pytest.approx(log(3))
        assert len(set(kept["reports"])) == 1


def kept_reports_are_right_as_often_as_one_report(numbers_of: Callable[..., Numbers]) -> None:
    for coins, right in (("kept", 0.75), ("fresh", numbers_of(asked="3")["right"])):
        drawn = numbers_of(asked="3", coins=coins, times="200")["draws"]
        share = sum(estimate > 0.5 for estimate in drawn) / 200
        # Five standard errors, once in a million times.
        assert share == pytest.approx(right, abs=5 * sqrt(right * (1 - right) / 200))


def a_change_shows_as_often_as_it_says(numbers_of: Callable[..., Numbers]) -> None:
    runs = [numbers_of(coins="changed", asked="3", seed=str(seed)) for seed in range(1, 61)]
    share = sum(run["reports"][0] != run["reports"][-1] for run in runs) / 60
    assert share == pytest.approx(runs[0]["change_shows"], abs=5 * sqrt(0.625 * 0.375 / 60))


PAGE = Page(
    cases=[
        Case({}, {"right": _right(21, 3), "epsilon": 21 * log(3), "change_shows": 0.625}),
        Case({"asked": "101", "truth": "20"}, {"right": _right(101, 1.5), "true_share": 1}),
        Case({"asked": "21", "coins": "changed"}, {"true_share": 11 / 21}),
    ],
    printed="right",
    claims={
        a_hundred_new_reports_leave_no_doubt_and_kept_ones_as_much_as_one: Fault(asked={"coins": "fresh"}),
        kept_reports_are_right_as_often_as_one_report: Fault(asked={"coins": "fresh", "asked": "101"}),
        a_change_shows_as_often_as_it_says: Fault(asked={"coins": "kept"}),
    },
)
