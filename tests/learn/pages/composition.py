"""What many releases come to together."""

from collections.abc import Callable
from math import exp, log, sqrt, tanh

from scipy.stats import binom

from tests.learn.case import Case, Fault, Numbers, Page


def _advanced(epsilon: float, k: int) -> float:
    return epsilon * sqrt(2 * k * log(1e6)) + k * epsilon * tanh(epsilon / 2)


def _delta(epsilon: float, k: int, total: float) -> float:
    """The δ of the exact distribution of the loss, a sum of k coins."""
    losses = [(k - 2 * lies) * epsilon for lies in range(k + 1)]
    lies = binom(k, 1 / (1 + exp(epsilon)))
    return float(sum(lies.pmf(i) * max(0.0, 1 - exp(total - loss)) for i, loss in enumerate(losses)))


def the_optimal_total_has_the_delta_and_no_smaller_one_has(numbers_of: Callable[..., Numbers]) -> None:
    for count, epsilon in (("100", "0.1"), ("10", "1")):
        total = numbers_of(count=count, epsilon=epsilon)["optimal"]
        assert _delta(float(epsilon), int(count), total) <= 1e-6 * (1 + 1e-9)
        assert _delta(float(epsilon), int(count), total - 1e-6) > 1e-6


def the_optimal_total_is_never_above_another(numbers_of: Callable[..., Numbers]) -> None:
    for count in ("10", "100", "500"):
        for epsilon in ("0.05", "1"):
            numbers = numbers_of(count=count, epsilon=epsilon)
            assert numbers["optimal"] <= min(numbers["sum"], numbers["advanced"], numbers["concentrated"])


def the_formula_for_many_is_worse_than_the_sum_for_few(numbers_of: Callable[..., Numbers]) -> None:
    few, many = (numbers_of(count=count) for count in ("10", "100"))
    assert few["advanced"] > 1.6 * few["sum"]
    assert many["advanced"] < 0.6 * many["sum"]
    crossover = few["crossover"]
    assert _advanced(0.1, crossover) < 0.1 * crossover
    assert _advanced(0.1, crossover - 1) >= 0.1 * (crossover - 1)


def a_budget_lasts_longer_where_it_is_counted_exactly(numbers_of: Callable[..., Numbers]) -> None:
    numbers = numbers_of()
    assert numbers["lasts_by_sums"] == 50
    assert _delta(0.1, numbers["lasts_at_best"], 5) <= 1e-6 < _delta(0.1, numbers["lasts_at_best"] + 1, 5)


PAGE = Page(
    cases=[
        Case({}, {"sum": 10, "advanced": _advanced(0.1, 100)}),
        Case({"count": "10", "epsilon": "1"}, {"sum": 10, "advanced": _advanced(1, 10)}),
    ],
    printed="optimal",
    claims={
        the_optimal_total_has_the_delta_and_no_smaller_one_has: Fault(
            wrong={"optimal": lambda found, _asked: found["concentrated"]}
        ),
        the_optimal_total_is_never_above_another: Fault(wrong={"optimal": lambda found, _asked: found["sum"]}),
        the_formula_for_many_is_worse_than_the_sum_for_few: Fault(asked={"count": "100"}),
        a_budget_lasts_longer_where_it_is_counted_exactly: Fault(
            wrong={"lasts_at_best": lambda found, _asked: found["lasts_by_sums"]}
        ),
    },
)
