"""A curve to read a number of answers from."""

from collections.abc import Callable
from math import ceil
from statistics import NormalDist

import numpy as np

from tests.learn.case import Case, Fault, Numbers, Page

_Z = NormalDist().inv_cdf(0.975)


def _needed(half_width: float, truth: float, share: float) -> int:
    sent = truth * share + (1 - truth) / 2
    return ceil(_Z**2 * sent * (1 - sent) / (truth * half_width) ** 2)


def half_the_half_width_takes_four_times_the_answers(numbers_of: Callable[..., Numbers]) -> None:
    for half_width in ("2", "10", "24"):
        planned = numbers_of(half_width=half_width)
        # Both are rounded up.
        assert 4 * (planned["needed"] - 1) < planned["halved"] <= 4 * planned["needed"]


def so_many_answers_are_as_precise_as_planned(numbers_of: Callable[..., Numbers]) -> None:
    n = numbers_of()["needed"]
    sent = np.random.default_rng(1).binomial(n, 0.4, size=20_000) / n
    near = float((np.abs((sent - 0.25) / 0.5 - 0.3) <= 0.1).mean())
    # The standard error of a share near .95 of 20,000 is .0015; counts are whole, which moves it by .02 at most.
    assert abs(near - 0.95) < 0.02 + 5 * 0.0015


PAGE = Page(
    cases=[
        # Of 30, 100, 300 and 1,000 answers through fair coins: ±35, 19, 11 and 6 points.
        Case({}, {"needed": 369, "direct": 81, "halved": 1476}),
        Case({"half_width": "2", "truth": "10"}, {"needed": _needed(0.02, 0.1, 0.3)}),
        Case({"half_width": "25", "truth": "90", "share": "5"}, {"needed": _needed(0.25, 0.9, 0.05)}),
    ],
    printed="needed",
    claims={
        half_the_half_width_takes_four_times_the_answers: Fault(
            wrong={"halved": lambda found, _asked: 2 * found["needed"]}
        ),
        so_many_answers_are_as_precise_as_planned: Fault(wrong={"needed": lambda found, _asked: found["direct"]}),
    },
)
