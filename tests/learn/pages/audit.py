"""A mechanism is run many times on two neighbours, and its ε is bounded from below."""

from collections.abc import Callable
from math import exp, log

import pytest
import scipy

from tests.learn.case import Case, Fault, Numbers, Page

_HONEST = {"coins": log(3), "laplace": 1.0}
_FAULTY = {"bytes": log(206 / 50), "forgetful": log(31 / 9), "halved": 2.0}


def what_keeps_its_promise_is_never_caught(numbers_of: Callable[..., Numbers]) -> None:
    for mechanism, epsilon in _HONEST.items():
        for runs in ("100", "10000", "100000"):
            drawn = numbers_of(mechanism=mechanism, runs=runs, times="200")["draws"]
            # A bound is too high in 1 of 1,000 audits at most, and much less often as both limits would have to err.
            assert max(drawn) <= epsilon


def what_breaks_its_promise_is_caught(numbers_of: Callable[..., Numbers]) -> None:
    for mechanism, epsilon in _FAULTY.items():
        numbers = numbers_of(mechanism=mechanism)
        assert numbers["epsilon"] == pytest.approx(epsilon)
        drawn = numbers_of(mechanism=mechanism, times="200")["draws"]
        assert numbers["promised"] < min(drawn) <= max(drawn) <= epsilon


def a_hundred_runs_catch_little(numbers_of: Callable[..., Numbers]) -> None:
    assert max(numbers_of(runs="100", times="200")["draws"]) < log(3) + 0.3
    assert sum(bound > log(3) for bound in numbers_of(runs="100", times="200")["draws"]) < 20


def the_bound_is_clopper_and_pearsons(numbers_of: Callable[..., Numbers]) -> None:
    for runs in (100, 10_000):
        numbers = numbers_of(runs=str(runs))
        low, high = (
            scipy.stats.binomtest(count, runs).proportion_ci(0.999, method="exact") for count in numbers["counts"]
        )
        assert numbers["bound"] == pytest.approx(log(low.low / high.high))


PAGE = Page(
    cases=[
        Case({}, {"epsilon": log(206 / 50), "promised": log(3), "on_one": 206 / 256, "on_other": 50 / 256}),
        Case({"mechanism": "laplace"}, {"epsilon": 1, "on_one": 1 / (1 + exp(-1))}),
        Case({"mechanism": "halved"}, {"epsilon": 2, "promised": 1}),
    ],
    printed="bound",
    # Six standard errors of the difference of two logarithms of shares, twice.
    near=12 * (((1 - 0.805) / 0.805 + (1 - 0.195) / 0.195) / 10_000) ** 0.5,
    claims={
        what_keeps_its_promise_is_never_caught: Fault(asked={"mechanism": "bytes"}),
        what_breaks_its_promise_is_caught: Fault(code={"_by_bytes": lambda truth: 3 / 4 if truth else 1 / 4}),
        a_hundred_runs_catch_little: Fault(asked={"runs": "10000"}),
        the_bound_is_clopper_and_pearsons: Fault(code={"_LEVEL": 0.95}),
    },
)
