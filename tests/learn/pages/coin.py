"""A class of any size flips two coins each."""

from collections.abc import Callable
from math import sqrt

from surveys.estimation.prevalence import estimate_prevalence
from surveys.learn.page import SeededChance
from surveys.privacy.designs import direct, forced_response
from surveys.privacy.randomness import draw_report
from tests.learn.case import Case, Fault, Numbers, Page


def _by_the_core(seed: int) -> dict[str, object]:
    """One person after the other, by the randomizer of the product and with the same whole numbers below."""
    design = forced_response()
    draws = iter(SeededChance(seed).generator.integers(design.denominator, size=100).tolist())
    reports = [draw_report(design, truth, lambda _bound: next(draws)) for truth in [1] * 30 + [0] * 70]
    estimate = estimate_prevalence([reports.count(0), reports.count(1)], design)
    return {
        "reports": reports,
        "estimate": float(estimate.constrained[1]),
        "low": float(estimate.interval().low[1]),
        "high": float(estimate.interval().high[1]),
        "factor": 3,
    }


def of_200_intervals_most_hold_the_truth(numbers_of: Callable[..., Numbers]) -> None:
    held = sum(drawn["low"] <= 0.3 <= drawn["high"] for drawn in (numbers_of(seed=str(n)) for n in range(1, 201)))
    # Wilson's interval holds the truth in 94 to 96 of 100 classes of this size; fewer than 180 is one chance in 10,000.
    assert held >= 180


def four_times_the_people_halve_what_is_open(numbers_of: Callable[..., Numbers]) -> None:
    few, many = (numbers_of(people=n, times="200") for n in ("100", "1000"))
    ratio = (few["high"] - few["low"]) / (many["high"] - many["low"])
    assert 0.7 * sqrt(10) <= ratio <= 1.4 * sqrt(10)


PAGE = Page(
    cases=[Case({"seed": str(seed)}, _by_the_core(seed)) for seed in (1, 7)],
    printed="true_share",
    # Five standard errors of the estimate from 100 people.
    near=5 * sqrt(0.4 * 0.6 / 100) / 0.5,
    claims={
        of_200_intervals_most_hold_the_truth: Fault(
            code={"estimate_prevalence": lambda counts, _design: estimate_prevalence(counts, direct())}
        ),
        four_times_the_people_halve_what_is_open: Fault(asked={"people": "100"}),
    },
)
