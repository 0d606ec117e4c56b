"""Where large numbers should be cut off."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, hypot, sqrt
from statistics import fmean

from surveys.learn.page import SeededChance
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.mean import BoundedMean
from surveys.privacy.mechanisms.reported_numbers import undisguised_numbers
from tests.learn.case import Case, Fault, Numbers, Page

SAID = (0, 0, 0, 0, 1, 3, 7, 8, 8, 8)


def _closed_form(limit: int, n: int, epsilon: float) -> dict[str, float]:
    q = exp(-epsilon / limit)
    bias, noise = fmean(min(x, limit) - x for x in SAID), sqrt(2 * q) / (1 - q) / n
    return {"true_mean": 3.5, "bias": bias, "noise": noise, "error": hypot(bias, noise)}


def _released(limit: int, seed: int) -> float:
    """The mean of a hundred, as the mechanism releases it from counts with the same chance."""
    numbers = undisguised_numbers(range(limit + 1))
    mean = BoundedMean(epsilon=Fraction(1), relation=NeighbouringRelation.REPLACE_ONE, numbers=numbers)
    counts = [10 * sum(min(x, limit) == value for x in SAID) for value in range(limit + 1)]
    return float(mean.raw(mean.release(counts, SeededChance(seed).randbelow)))


def few_people_want_a_limit_below_the_largest_number_and_nobody_one_above(numbers_of: Callable[..., Numbers]) -> None:
    best = [numbers_of(people=n, epsilon=e)["best_limit"] for n, e in (("10", "0.1"), ("10", "1"), ("1000", "2"))]
    assert best == [1, 7, 8]


def more_people_do_not_mend_a_limit_that_is_too_low(numbers_of: Callable[..., Numbers]) -> None:
    ten, thousand = (numbers_of(limit="3", people=n) for n in ("10", "1000"))
    assert ten["bias"] == thousand["bias"] < -1.8
    assert thousand["noise"] == ten["noise"] / 100


def draws_are_off_by_what_is_said(numbers_of: Callable[..., Numbers]) -> None:
    drawn, stated = numbers_of(limit="7", people="100", times="200"), _closed_form(7, 100, 1)
    # Five standard errors each; the root of the mean square of Laplace draws has 1.12/√200 times its own size.
    off = [mean - 3.5 for mean in drawn["draws"]]
    assert abs(fmean(off) - stated["bias"]) <= 5 * stated["noise"] / sqrt(200)
    assert abs(sqrt(fmean((x - stated["bias"]) ** 2 for x in off)) / stated["noise"] - 1) <= 5 * 1.12 / sqrt(200)


def ten_people_are_too_few_to_find_limits_and_a_hundred_are_enough(numbers_of: Callable[..., Numbers]) -> None:
    few, many = ([numbers_of(people=n, seed=str(s)) for s in range(1, 31)] for n in ("10", "100"))
    # Of the right limits, 0 and 16: a hundred people miss them less than once in a hundred draws.
    right = [sum((d["found_low"], d["found_high"]) == (0, 16) for d in drawn) for drawn in (few, many)]
    assert right[0] <= 15
    assert right[1] >= 28


PAGE = Page(
    cases=[
        Case({}, _closed_form(20, 10, 1)),
        *(Case({"limit": "7", "people": "100", "seed": str(s)}, {"noisy_mean": _released(7, s)}) for s in (1, 2, 3)),
        Case({"limit": "3", "people": "1000", "epsilon": "0.1"}, _closed_form(3, 1000, 0.1)),
    ],
    printed="error",
    claims={
        few_people_want_a_limit_below_the_largest_number_and_nobody_one_above: Fault(asked={"people": "1000"}),
        more_people_do_not_mend_a_limit_that_is_too_low: Fault(wrong={"noise": lambda _found, _asked: 0.1}),
        draws_are_off_by_what_is_said: Fault(asked={"limit": "20"}),
        ten_people_are_too_few_to_find_limits_and_a_hundred_are_enough: Fault(asked={"people": "100"}),
    },
)
