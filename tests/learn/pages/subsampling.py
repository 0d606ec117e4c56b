"""What a random part of the answers costs."""

from collections.abc import Callable
from math import exp, log

from numpy.random import default_rng

from tests.learn.case import Case, Fault, Numbers, Page


def _exact(q: float, epsilon: float) -> float:
    return log(1 + q * (exp(epsilon) - 1))


def q_epsilon_is_wrong_wherever_not_everybody_is_drawn(numbers_of: Callable[..., Numbers]) -> None:
    for kept in ("5", "50", "95"):
        for epsilon in ("0.2", "4"):
            numbers = numbers_of(kept=kept, epsilon=epsilon)
            assert numbers["too_little"] < numbers["attained"] <= numbers["exact"] < numbers["attained"] + 1e-6


def twice_is_loose_for_a_small_epsilon_and_wrong_for_a_large_one(numbers_of: Callable[..., Numbers]) -> None:
    small, large = (numbers_of(epsilon=e) for e in ("0.4", "2"))
    assert small["twice"] > 1.6 * small["exact"]
    assert large["twice"] < large["attained"]


def known_draws_hide_nothing(numbers_of: Callable[..., Numbers]) -> None:
    assert numbers_of(known="yes")["epsilon"] == 2


def a_coin_that_is_thrown_changes_odds_by_more_than_q_epsilon(numbers_of: Callable[..., Numbers]) -> None:
    draw, n, yes = default_rng(15), 40_000, exp(2) / (1 + exp(2))
    drawn = draw.binomial(n, 0.1)
    with_person, without = draw.binomial(drawn, yes) + draw.binomial(n - drawn, 1 - yes), draw.binomial(n, 1 - yes)
    # The logarithm of the ratio has a standard error of 0.017: q·ε = 0.2 is 17 of them below what is attained.
    assert abs(log(with_person / without) - numbers_of()["attained"]) <= 5 * 0.018
    assert log(with_person / without) > numbers_of()["too_little"] + 5 * 0.018


PAGE = Page(
    cases=[
        Case({}, {"exact": _exact(0.1, 2), "too_little": 0.2, "twice": 0.4}),
        Case({"kept": "50", "epsilon": "1"}, {"exact": _exact(0.5, 1), "too_little": 0.5, "twice": 1}),
        Case({"kept": "100"}, {"exact": 2, "epsilon": 2}),
    ],
    printed="exact",
    claims={
        q_epsilon_is_wrong_wherever_not_everybody_is_drawn: Fault(
            wrong={"attained": lambda found, _asked: found["too_little"]}
        ),
        twice_is_loose_for_a_small_epsilon_and_wrong_for_a_large_one: Fault(
            wrong={"twice": lambda found, _asked: found["exact"]}
        ),
        known_draws_hide_nothing: Fault(asked={"known": "no"}),
        a_coin_that_is_thrown_changes_odds_by_more_than_q_epsilon: Fault(
            wrong={"attained": lambda found, _asked: found["too_little"]}
        ),
    },
)
