"""Plans for two groups against the estimators themselves, over every possible sample."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from surveys.estimation.planning.power import power
from surveys.estimation.planning.size import sample_size
from surveys.estimation.planning.two_groups import (
    TwoGroupPlan,
    cheating_detection_plan,
    lie_detector_plan,
    unrelated_unknown_plan,
)
from surveys.estimation.two_groups.models import (
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_unrelated_unknown,
)

P1, P2, SHARE = Fraction(4, 5), Fraction(1, 4), Fraction(1, 4)
# What each plan assumes besides, and the Yes-rate that follows for a group with the chance p.
DESIGNS: list[tuple[Callable[..., TwoGroupPlan], Callable, Fraction, Callable[[Fraction], Fraction]]] = [
    (unrelated_unknown_plan, estimate_unrelated_unknown, Fraction(1, 3), lambda p: p * SHARE + (1 - p) / 3),
    (cheating_detection_plan, estimate_cheating_detection, Fraction(1, 5), lambda p: SHARE + p * Fraction(11, 20)),
    (lie_detector_plan, estimate_lie_detector, Fraction(3, 5), lambda p: SHARE * 3 / 5 + (1 - SHARE) * (1 - p)),
]


@pytest.mark.parametrize(("plan", "estimate", "assumed", "rate"), DESIGNS, ids=["unrelated", "cheating", "lies"])
@pytest.mark.parametrize("first_share", [Fraction(1, 4), Fraction(1, 2)])
def test_a_plan_has_the_variance_and_the_skewness_of_its_estimator(
    plan: Callable[..., TwoGroupPlan],
    estimate: Callable,
    assumed: Fraction,
    rate: Callable[[Fraction], Fraction],
    first_share: Fraction,
) -> None:
    n = 8
    sizes = int(n * first_share), n - int(n * first_share)
    mean = square = cube = 0.0
    for x in range(sizes[0] + 1):
        for y in range(sizes[1] + 1):
            chance = 1.0
            for count, size, p in ((x, sizes[0], P1), (y, sizes[1], P2)):
                chance *= math.comb(size, count) * float(rate(p) ** count * (1 - rate(p)) ** (size - count))
            point = estimate([sizes[0] - x, x], [sizes[1] - y, y], P1, P2).point
            mean, square, cube = mean + chance * point, square + chance * point**2, cube + chance * point**3
    assert mean == pytest.approx(float(SHARE), rel=1e-12)
    variance, third = plan(P1, P2, assumed, first_share).moments(float(SHARE))
    assert variance / n == pytest.approx(square - mean**2, rel=1e-10)
    assert third / n**2 == pytest.approx(cube - 3 * mean * square + 2 * mean**3, rel=1e-9)


def test_more_cheaters_than_others_leave_room_for_are_refused() -> None:
    plan = cheating_detection_plan("1/6", "5/6", "0.4")
    assert plan.moments(0.6)[0] > 0
    with pytest.raises(ValueError, match=r"^prevalence and always_no"):
        power(n=100, design=plan, prevalence=0.7, null_prevalence=0.1)


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (unrelated_unknown_plan, "innocuous"),
        (cheating_detection_plan, "always_no"),
        (lie_detector_plan, "truthful_share"),
    ],
)
def test_what_is_assumed_must_be_a_share(plan: Callable[..., TwoGroupPlan], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} "):
        plan("3/4", "1/4", 2)


def test_a_certain_yes_has_no_variance() -> None:
    assert unrelated_unknown_plan(1, 0, "1/3").moments(1.0) == (0, 0)


def test_liars_cost_responses() -> None:
    honest, lying = (
        sample_size(power=0.8, design=lie_detector_plan("3/4", "1/4", t), prevalence=0.3, null_prevalence=0.1)
        for t in (1, "1/2")
    )
    direct = sample_size(power=0.8, design=unrelated_unknown_plan(1, "1/2", 0), prevalence=0.3, null_prevalence=0.1)
    assert direct < min(honest, lying)
    assert honest != lying
