"""Cheating detection where chance also forces No, and models by their names, checked apart from the core's own code."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, stats

from surveys.estimation.planning.two_groups import cheating_detection_plan, two_group_plan
from surveys.estimation.two_groups.line import identified, weights_at
from surveys.estimation.two_groups.models import (
    BESIDES,
    MODELS,
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_two_groups,
    estimate_unrelated_unknown,
)

# Two coins each: the truth with 1/2, else Yes with 1/4 in one arm and with 3/4 in the other.
P1, P2, NO1, NO2 = (Fraction(n, 8) for n in (1, 3, 3, 1))


def rate(share: float, honest_no: float, p: Fraction, no: Fraction) -> float:
    """A group's Yes-rate, counted over the three kinds of people: who says Yes, and when."""
    return share * float(1 - no) + honest_no * float(p)


def fitted(counts1: list[int], counts2: list[int]) -> np.ndarray:
    """The most likely shares of the three kinds, by a search of another program that knows no line."""

    def lacking(logits: np.ndarray) -> float:
        shares = np.exp([*logits, 0.0])
        yes, no, _always = shares / shares.sum()
        rates = rate(yes, no, P1, NO1), rate(yes, no, P2, NO2)
        return -sum(stats.binom.logpmf(c[1], sum(c), r) for c, r in zip((counts1, counts2), rates, strict=True))

    optimum = min(
        (
            optimize.minimize(lacking, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12})
            for start in itertools.product((-2.0, 1.0), repeat=2)
        ),
        key=lambda each: each.fun,
    )
    shares = np.exp([*optimum.x, 0.0])
    return shares / shares.sum()


def test_the_shares_are_those_of_an_independent_fit() -> None:
    counts = [302, 98], [228, 172]
    estimate = estimate_cheating_detection(*counts, P1, P2, no1=NO1, no2=NO2)
    assert not estimate.misfit.outside
    assert [parameter.constrained for parameter in estimate.parameters] == pytest.approx(fitted(*counts), abs=1e-6)


def test_what_no_shares_can_give_is_limited_as_an_independent_fit_limits_it() -> None:
    # More Yes where Yes is forced less: nobody's honest answer is No.
    counts = [150, 250], [210, 190]
    estimate = estimate_cheating_detection(*counts, P1, P2, no1=NO1, no2=NO2)
    assert estimate.misfit.suspicious
    assert [parameter.constrained for parameter in estimate.parameters] == pytest.approx(fitted(*counts), abs=1e-4)


def test_it_is_unbiased_with_the_variance_stated_over_every_sample() -> None:
    sizes, shares = (3, 4), (0.2, 0.5, 0.3)
    rates = rate(*shares[:2], P1, NO1), rate(*shares[:2], P2, NO2)
    mean, second, stated = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for yes in itertools.product(*(range(size + 1) for size in sizes)):
        chance = math.prod(stats.binom.pmf(y, size, r) for y, size, r in zip(yes, sizes, rates, strict=True))
        counts = [[size - y, y] for y, size in zip(yes, sizes, strict=True)]
        estimate = estimate_cheating_detection(*counts, P1, P2, no1=NO1, no2=NO2)
        points = np.array([parameter.point for parameter in estimate.parameters])
        mean += chance * points
        second += chance * np.outer(points, points)
        stated += chance * estimate.covariance
    assert mean == pytest.approx(np.array(shares), rel=1e-12)
    assert stated == pytest.approx(second - np.outer(mean, mean), rel=1e-10, abs=1e-15)
    # The fault that must be caught: without what forces No, the same counts are read as other shares.
    wrong = estimate_cheating_detection([302, 98], [228, 172], P1, P2)
    assert abs(wrong.point - estimate_cheating_detection([302, 98], [228, 172], P1, P2, no1=NO1, no2=NO2).point) > 0.05


def test_a_plan_has_the_variance_of_this_estimator() -> None:
    n, first_share = 8, Fraction(1, 4)
    rates = rate(0.25, 0.55, P1, NO1), rate(0.25, 0.55, P2, NO2)
    sizes = int(n * first_share), n - int(n * first_share)
    points, chances = [], []
    for yes in itertools.product(*(range(size + 1) for size in sizes)):
        chances.append(math.prod(stats.binom.pmf(y, size, r) for y, size, r in zip(yes, sizes, rates, strict=True)))
        counts = [[size - y, y] for y, size in zip(yes, sizes, strict=True)]
        points.append(estimate_cheating_detection(*counts, P1, P2, no1=NO1, no2=NO2).point)
    variance = np.cov(points, aweights=chances, ddof=0)
    plan = cheating_detection_plan(P1, P2, "1/5", first_share, no1=NO1, no2=NO2)
    assert plan.moments(0.25)[0] / n == pytest.approx(float(variance), rel=1e-10)
    assert two_group_plan("cheating_detection", plan.weights, "1/5", first_share).moments(0.25) == plan.moments(0.25)


def test_a_model_by_its_name_is_the_estimator_of_that_name() -> None:
    counts, weights = ([60, 40], [40, 60]), (weights_at(Fraction(3, 10)), weights_at(Fraction(9, 10)))
    for name, estimator in (
        ("unrelated_unknown", estimate_unrelated_unknown),
        ("cheating_detection", estimate_cheating_detection),
        ("lie_detector", estimate_lie_detector),
    ):
        estimate, same = estimate_two_groups(name, *counts, *weights), estimator(*counts, "3/10", "9/10")
        assert [each.name for each in estimate.parameters] == [each.name for each in same.parameters]
        assert [each.point for each in estimate.parameters] == [each.point for each in same.parameters]
        assert [each.interval() for each in estimate.parameters] == [each.interval() for each in same.parameters]
        assert BESIDES[name] in MODELS[name].quantities


def test_a_model_that_there_is_not_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^name .*cheating_detection"):
        estimate_two_groups("kuk", [60, 40], [40, 60], (Fraction(1, 2), Fraction(1, 4)), (Fraction(1, 2), Fraction(0)))


def test_chances_that_are_multiples_of_each_other_or_more_than_certain_are_refused() -> None:
    assert identified(weights_at(Fraction(1, 3)), weights_at(Fraction(1, 2)))
    assert not identified((Fraction(1, 4), Fraction(1, 8)), (Fraction(1, 2), Fraction(1, 4)))
    with pytest.raises(ValueError, match=r"^p1 and p2"):
        estimate_cheating_detection([6, 4], [5, 5], "1/8", "1/4", no1="5/8", no2="1/4")
    with pytest.raises(ValueError, match=r"^p2 and no2 .*1"):
        estimate_cheating_detection([6, 4], [5, 5], "1/8", "1/2", no2="2/3")
    with pytest.raises(ValueError, match=r"^first_share .*0.*1"):
        two_group_plan("lie_detector", (weights_at(Fraction(1, 3)), weights_at(Fraction(1, 2))), 1, 1)


@pytest.mark.uncounted
def test_intervals_hold_over_every_sample_and_those_of_the_printed_formula_do_not() -> None:
    # Exactly: the chances of all pairs of counts of 30 and 30, with Yes forced in 1 and in 9 of 20.
    size, shares = 30, (0.3, 0.45, 0.25)
    p1, p2, no1, no2 = (Fraction(n, 20) for n in (1, 9, 9, 1))
    chances = [stats.binom.pmf(range(size + 1), size, rate(*shares[:2], p, no)) for p, no in ((p1, no1), (p2, no2))]
    held, held_as_printed = np.zeros(3), 0.0
    for yes in itertools.product(range(size + 1), repeat=2):
        chance = chances[0][yes[0]] * chances[1][yes[1]]
        if chance < 1e-7:
            continue
        counts = [[size - y, y] for y in yes]
        right = estimate_cheating_detection(*counts, p1, p2, no1=no1, no2=no2)
        intervals = [parameter.interval() for parameter in right.parameters]
        held += [
            chance * (interval.low <= share <= interval.high) for interval, share in zip(intervals, shares, strict=True)
        ]
        printed = estimate_cheating_detection(*counts, p1, p2).interval()
        held_as_printed += chance * (printed.low <= shares[0] <= printed.high)
    assert held == pytest.approx([0.952, 0.949, 0.949], abs=0.002)
    assert held_as_printed < 0.8
