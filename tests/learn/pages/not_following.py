"""Some of a class do what they like."""

from collections.abc import Callable
from math import comb

from surveys.estimation.poisoning import poisoning_band
from tests.learn.case import Case, Fault, Numbers, Page


def _alarm_chance(n: int, breaking: int, *, yes: bool) -> float:
    """Twice the smaller tail at an edge of 1/4 is at most 1/100; followers send Yes with a probability of 0.4."""

    def binomial(count: int, size: int, p: float) -> float:
        return comb(size, count) * p**count * (1 - p) ** (size - count)

    def tail(count: int) -> float:
        return sum(binomial(fewer, n, 0.25) for fewer in range(count + 1))

    alarms = {sent for sent in range(n + 1) if min(tail(sent), tail(n - sent)) <= 0.005}
    return sum(binomial(sent, n - breaking, 0.4) for sent in range(n - breaking + 1) if sent + breaking * yes in alarms)


def what_honest_reports_would_have_said_is_always_in_the_band(numbers_of: Callable[..., Numbers]) -> None:
    for how in ("no", "yes", "random"):
        for seed in range(1, 9):
            drawn = numbers_of(how=how, share="60", people="20", seed=str(seed))
            assert drawn["band_low"] - 1e-9 <= drawn["honest"] <= drawn["band_high"] + 1e-9


def a_few_who_always_say_no_are_not_seen_and_many_are(numbers_of: Callable[..., Numbers]) -> None:
    few, many = (numbers_of(share=share, people="1000") for share in ("30", "50"))
    assert few["alarm_chance"] < 0.01
    assert few["expected"] < 0.07
    assert many["alarm_chance"] > 0.9


PAGE = Page(
    cases=[
        Case({"share": "20"}, {"expected": 0.14, "alarm_chance": _alarm_chance(100, 20, yes=False)}),
        Case({"share": "60", "how": "yes"}, {"expected": 1.02, "alarm_chance": _alarm_chance(100, 60, yes=True)}),
        Case({"share": "60", "people": "20"}, {"expected": -0.18, "alarm_chance": _alarm_chance(20, 12, yes=False)}),
        Case({"share": "40", "how": "random"}, {"expected": 0.38}),
    ],
    printed="expected",
    claims={
        what_honest_reports_would_have_said_is_always_in_the_band: Fault(
            code={"poisoning_band": lambda estimate, forged: poisoning_band(estimate, forged // 2)}
        ),
        a_few_who_always_say_no_are_not_seen_and_many_are: Fault(asked={"how": "yes"}),
    },
)
