"""What somebody gains by looking before asking again."""

from collections.abc import Callable
from math import log, sqrt, tanh

import numpy as np
from scipy.stats import binom

from tests.learn.case import Case, Fault, Numbers, Page

_P = (1 + tanh(0.05)) / 2


def stopping_at_the_best_moment_breaks_a_promise_for_fixed_questions(numbers_of: Callable[..., Numbers]) -> None:
    for questions in ("10", "100", "1000"):
        assert numbers_of(who="all", questions=questions)["broken"] <= 0.05
    assert numbers_of(questions="1000")["broken"] > numbers_of(questions="100")["broken"] > 0.15


def odometer_and_filter_hold_whenever_somebody_stops(numbers_of: Callable[..., Numbers]) -> None:
    for promise in ("odometer", "filter"):
        for questions in ("10", "100", "1000"):
            assert numbers_of(promise=promise, questions=questions)["broken"] <= 0.05


def a_filter_promises_less_than_an_odometer_at_its_end(numbers_of: Callable[..., Numbers]) -> None:
    odometer, total = (numbers_of(promise=p, questions="100")["promised"][-1] for p in ("odometer", "filter"))
    assert total < odometer


def runs_break_it_as_often_as_is_said(numbers_of: Callable[..., Numbers]) -> None:
    broken = sum(part > 1 for part in numbers_of(times="200")["draws"])
    expected = numbers_of()["broken"]
    assert abs(broken - 200 * expected) <= 5 * sqrt(200 * expected * (1 - expected))


def a_filter_holds_for_whoever_asks_for_more_after_bad_luck(numbers_of: Callable[..., Numbers]) -> None:
    """Steps of 0.1 or 0.3, the larger whenever the loss is behind, until Σ ε² is that of a hundred questions."""
    draw, runs = np.random.default_rng(13), 4000
    allowed = numbers_of(promise="filter")["promised"][-1]
    loss, left, broken = np.zeros(runs), np.ones(runs), np.zeros(runs, dtype=bool)
    for _question in range(100):
        epsilon = np.where((loss < 0.5) & (left >= 0.09), 0.3, np.where(left >= 0.01 - 1e-12, 0.1, 0.0))
        left -= epsilon**2
        loss += np.where(draw.random(runs) < (1 + np.tanh(epsilon / 2)) / 2, epsilon, -epsilon)
        broken |= loss > allowed + 1e-9
    # More than 69 above the 200 that are allowed would be five standard errors.
    assert 0 < broken.sum() <= 200 + 69


def _odometer(k: int) -> float:
    spread = 0.01 * k + 1
    return min(0.1 * k, 0.1 * k * tanh(0.05) + sqrt(spread * log(spread / 0.05**2)))


PAGE = Page(
    cases=[
        Case({"who": "all"}, {"broken": float(binom.sf(binom.ppf(0.95, 100, _P), 100, _P)), "asked": 100}),
        Case({"promise": "odometer"}, {"promised": [_odometer(k) for k in range(1, 101)]}),
        Case(
            {"promise": "filter", "questions": "1000"},
            {"promised": [100 * tanh(0.05) + 0.1 * sqrt(2000 * log(20))] * 1000},
        ),
    ],
    printed="broken",
    claims={
        stopping_at_the_best_moment_breaks_a_promise_for_fixed_questions: Fault(asked={"who": "all"}),
        odometer_and_filter_hold_whenever_somebody_stops: Fault(asked={"promise": "fixed"}),
        a_filter_promises_less_than_an_odometer_at_its_end: Fault(asked={"promise": "odometer"}),
        runs_break_it_as_often_as_is_said: Fault(wrong={"broken": lambda _found, _asked: 0.05}),
        a_filter_holds_for_whoever_asks_for_more_after_bad_luck: Fault(asked={"promise": "fixed", "questions": "10"}),
    },
)
