"""Why noise on the best price is the wrong noise."""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from statistics import fmean, pstdev

from tests.learn.case import Case, Fault, Numbers, Page

# What four people earn, can, or are off the middle at each candidate, and what one person changes.
PRICES, DAYS, HOURS = (2, 4, 1.01, 2, 3, 3.01, 0), (0, 2, 0, 1, 1), (-2, -1, 0, -1, -1, -1)


def _choice(of_four: Sequence[float], change: float, people: int) -> list[float]:
    weights = [exp(people / 4 * (x - max(of_four)) / (2 * change)) for x in of_four]
    return [weight / sum(weights) for weight in weights]


def _noise(best: int, last: int) -> list[float]:
    """Discrete Laplace noise of scale `last` on the place of the best, ends standing for all beyond."""
    q = exp(-1 / last)
    inner = [(1 - q) / (1 + q) * q ** abs(place - best) for place in range(last + 1)]
    return [q**best / (1 + q), *inner[1:-1], q ** (last - best) / (1 + q)]


def more_people_help_a_choice_and_not_noise(numbers_of: Callable[..., Numbers]) -> None:
    for what in ("price", "day", "median"):
        few, many = (numbers_of(what=what, people=n) for n in ("4", "400"))
        assert few["by_noise"] == many["by_noise"] < 0.66
        assert few["by_choice"] < 0.7
        assert many["by_choice"] > 0.999


def a_cent_ruins_the_best_price(numbers_of: Callable[..., Numbers]) -> None:
    assert numbers_of()["worths"] == [0.5, 1, 0.2525, 0.5, 0.75, 0.7525, 0]


def draws_are_as_likely_as_is_said(numbers_of: Callable[..., Numbers]) -> None:
    for how, expected in (("noise", "by_noise"), ("choice", "by_choice")):
        drawn = numbers_of(what="day", people="4", how=how, times="200")["draws"]
        # Five standard errors.
        assert abs(fmean(drawn) - numbers_of(what="day", people="4")[expected]) <= 5 * pstdev(drawn) / sqrt(200)


PAGE = Page(
    cases=[
        Case({"how": "choice"}, {"chances": _choice(PRICES, 3.02, 400)}),
        Case({"how": "choice", "what": "day", "people": "40"}, {"chances": _choice(DAYS, 1, 40)}),
        Case({"how": "choice", "what": "median", "people": "4"}, {"chances": _choice(HOURS, 1, 4)}),
        Case({}, {"chances": _noise(1, 6)}),
        Case({"what": "day"}, {"chances": _noise(1, 4)}),
        Case({"what": "median"}, {"chances": _noise(2, 5)}),
    ],
    printed="by_choice",
    claims={
        more_people_help_a_choice_and_not_noise: Fault(asked={"people": "4"}),
        a_cent_ruins_the_best_price: Fault(wrong={"worths": lambda found, _asked: sorted(found["worths"])}),
        draws_are_as_likely_as_is_said: Fault(asked={"how": "noise"}),
    },
)
