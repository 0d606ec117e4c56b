"""When a median or a mode can be told."""

from collections.abc import Callable
from math import exp, pi, tan
from statistics import fmean

from tests.learn.case import Case, Fault, Numbers, Page


def _smooth_bound(epsilon: float, jumps: dict[int, int]) -> float:
    """Nine of ten draws of Cauchy noise, for jumps by their distance."""
    return max(exp(-epsilon / 4 * j) * a for j, a in jumps.items()) / (epsilon / 2) * tan(0.45 * pi)


def _passes(stability: int, epsilon: float, threshold: int) -> float:
    return exp(-epsilon * (threshold - stability)) / (1 + exp(-epsilon))


def a_split_class_has_no_median_and_no_mode_to_tell(numbers_of: Callable[..., Numbers]) -> None:
    split = numbers_of(middle="0", people="1000")
    assert (split["needed"], split["local"], split["stability"]) == (1, 4, 0)
    assert split["smooth_bound"] > 4
    assert split["passes"] <= 1e-6


def noise_for_what_one_answer_moves_here_would_be_none(numbers_of: Callable[..., Numbers]) -> None:
    assert [numbers_of(middle=m)["local"] for m in ("0", "10", "40", "100")] == [4, 0, 0, 0]


def a_class_may_have_a_median_that_can_be_told_and_no_mode(numbers_of: Callable[..., Numbers]) -> None:
    # 400 say 1, 200 say 3, 400 say 5: nearly 100 must change for the median, one for the mode.
    numbers = numbers_of(middle="20", people="1000")
    assert numbers["smooth_bound"] < 1e-9
    assert numbers["passes"] <= 1e-6


def more_people_make_it_safe_and_few_never(numbers_of: Callable[..., Numbers]) -> None:
    bounds = [numbers_of(people=n)["smooth_bound"] for n in ("10", "100", "1000")]
    assert bounds[0] > 4
    assert 1e-6 < bounds[1] < 0.5
    assert bounds[2] < 1e-6


def nine_of_ten_draws_are_as_near_as_is_said(numbers_of: Callable[..., Numbers]) -> None:
    bound = numbers_of()["smooth_bound"]
    near = fmean(abs(x - 3) <= bound + 0.005 for x in numbers_of(times="200")["draws"])
    # Five standard errors of a share of 0.9 of 200 draws; rounding to hundredths may move a draw by half of one.
    assert abs(near - 0.9) <= 5 * 0.0212 + 0.01


PAGE = Page(
    cases=[
        # 30, 40 and 30 people: one more than 19 at 1 moves the median to 1; 39 are between 1 and 5.
        Case(
            {},
            {
                "median": 3,
                "needed": 20,
                "smooth_bound": _smooth_bound(1, {19: 2, 39: 4}),
                "mode": 3,
                "stability": 4,
                "threshold": 14,
                "passes": _passes(4, 1, 14),
            },
        ),
        Case({"middle": "0", "epsilon": "2"}, {"median": 1, "needed": 1, "smooth_bound": _smooth_bound(2, {0: 4})}),
    ],
    printed="smooth_bound",
    claims={
        a_split_class_has_no_median_and_no_mode_to_tell: Fault(asked={"middle": "40"}),
        noise_for_what_one_answer_moves_here_would_be_none: Fault(wrong={"local": lambda _found, _asked: 4}),
        a_class_may_have_a_median_that_can_be_told_and_no_mode: Fault(asked={"people": "10"}),
        more_people_make_it_safe_and_few_never: Fault(asked={"people": "10"}),
        nine_of_ten_draws_are_as_near_as_is_said: Fault(
            wrong={"smooth_bound": lambda found, _asked: found["smooth_bound"] / 3}
        ),
    },
)
