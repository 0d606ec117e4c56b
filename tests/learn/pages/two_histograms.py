"""Two histograms, one for each truth."""

from collections.abc import Callable
from math import log

from surveys.learn.pages.two_histograms import TwoHistograms
from tests.learn.case import Case, Fault, Numbers, Page

COINS, REPORTS, EVENTS = (
    [value for value, _ in TwoHistograms.controls[name].choices] for name in ("coins", "reports", "event")
)


def no_event_beats_the_best_outcome(numbers_of: Callable[..., Numbers]) -> None:
    for reports in REPORTS:
        for event in EVENTS:
            numbers = numbers_of(coins="loaded", reports=reports, event=event)
            assert abs(log(numbers["event_if_yes"] / numbers["event_if_no"])) <= numbers["epsilon"]


def several_reports_add_up(numbers_of: Callable[..., Numbers]) -> None:
    once, often = (numbers_of(reports=reports)["largest"] for reports in ("1", "5"))
    assert often == once**5


def a_coin_that_always_says_yes_lets_a_no_prove_no(numbers_of: Callable[..., Numbers]) -> None:
    numbers = numbers_of(coins="yes", event="none")
    assert (numbers["event_if_yes"], numbers["event_if_no"]) == (0, 0.5)
    assert numbers["factor"] is numbers["epsilon"] is None


PAGE = Page(
    cases=[
        Case({}, {"if_yes": [0.25, 0.75], "if_no": [0.75, 0.25], "losses": [-log(3), log(3)], "epsilon": log(3)}),
        # Odds of 3 to 1 for each of two Yes against one No.
        Case(
            {"reports": "3", "event": "most"}, {"event_if_yes": 27 / 32, "event_if_no": 5 / 32, "epsilon": 3 * log(3)}
        ),
        Case({"coins": "loaded"}, {"largest": 19}),
    ],
    printed="epsilon",
    claims={
        no_event_beats_the_best_outcome: Fault(wrong={"epsilon": lambda found, _asked: found["epsilon"] / 2}),
        several_reports_add_up: Fault(asked={"reports": "1"}),
        a_coin_that_always_says_yes_lets_a_no_prove_no: Fault(asked={"coins": "fair"}),
    },
)
