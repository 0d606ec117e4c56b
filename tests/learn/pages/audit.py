"""A mechanism is run many times on two neighbours, and its ε is bounded from below."""

from collections.abc import Callable
from math import exp, log

import numpy as np
import pytest
import scipy

from tests.learn.case import Case, Fault, Numbers, Page

_HONEST = {"coins": log(3), "laplace": 1.0}
_FAULTY = {"bytes": log(206 / 50), "forgetful": log(31 / 9), "halved": 2.0}


def _printed(often: int, runs: int, seldom: int, others: int) -> float:
    level = 1 - 0.001 / 24
    low, high = (
        scipy.stats.binomtest(count, n).proportion_ci(level, method="exact")
        for count, n in ((often, runs), (seldom, others))
    )
    return log(low.low / high.high)


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


_PROGRAM = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])


def what_any_program_printed_bounds_it_from_below(numbers_of: Callable[..., Numbers]) -> None:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(50):
        lines = [
            " ".join(f"{name}*{times}" for name, times in zip("abc", rng.multinomial(2_000, row), strict=True))
            for row in _PROGRAM
        ]
        found.append(numbers_of(mechanism="written", written="\n".join(lines))["bound"])
    # One in a thousand may be above the truth, ln 2.5; 2,000 runs show a third of it at least.
    assert log(2.5) / 3 < min(found) <= max(found) <= log(2.5)


def equal_programs_are_told_apart_once_in_a_thousand(numbers_of: Callable[..., Numbers]) -> None:
    rng = np.random.default_rng(8)
    bounds = []
    for _ in range(200):
        lines = [
            " ".join(f"r{place}*{times}" for place, times in enumerate(rng.multinomial(300, [1 / 12] * 12)))
            for _line in range(2)
        ]
        bounds.append(numbers_of(mechanism="written", written="\n".join(lines))["bound"])
    # Of 200 at one in a thousand, five or more come less often than once in a million.
    assert sum(bound > 0 for bound in bounds) < 5


PAGE = Page(
    cases=[
        Case({}, {"epsilon": log(206 / 50), "promised": log(3), "on_one": 206 / 256, "on_other": 50 / 256}),
        Case({"mechanism": "laplace"}, {"epsilon": 1, "on_one": 1 / (1 + exp(-1))}),
        Case({"mechanism": "halved"}, {"epsilon": 2, "promised": 1}),
        # The third output never comes for the first truth: of proofs the most frequent.
        Case(
            {"mechanism": "written", "written": "1/2 1/2 0\n0.5 0.4 1/10\n7/10 1/10 2/10"},
            {"on_one": 0.2, "on_other": 0, "event": [2, 2, 0]},
        ),
        Case(
            {"mechanism": "written", "written": "1/2 1/2\n9/10 1/10"},
            {"epsilon": log(5), "on_one": 0.5, "on_other": 0.1, "event": [1, 0, 1]},
        ),
        # Limits at a 24th of the error.
        Case(
            {"mechanism": "written", "written": "no*100 yes*900\nyes*500 no*500"},
            {"bound": _printed(500, 1000, 100, 1000), "counts": [500, 100]},
        ),
    ],
    printed="bound",
    # Six standard errors of the difference of two logarithms of shares, twice.
    near=12 * (((1 - 0.805) / 0.805 + (1 - 0.195) / 0.195) / 10_000) ** 0.5,
    claims={
        what_keeps_its_promise_is_never_caught: Fault(asked={"mechanism": "bytes"}),
        what_breaks_its_promise_is_caught: Fault(code={"_by_bytes": lambda truth: 3 / 4 if truth else 1 / 4}),
        a_hundred_runs_catch_little: Fault(asked={"runs": "10000"}),
        the_bound_is_clopper_and_pearsons: Fault(code={"_LEVEL": 0.95}),
        what_any_program_printed_bounds_it_from_below: Fault(
            code={"clopper_pearson": lambda counts, n, _level: (counts / n, counts / n)}
        ),
        equal_programs_are_told_apart_once_in_a_thousand: Fault(code={"_LOOKED_AT": 1 / 40}),
    },
)
