import numpy as np
import pytest

from surveys.estimation.list_experiment.types import estimate_list
from surveys.estimation.planning.deviation import deviation
from surveys.estimation.planning.lists import independent_items, list_plan
from surveys.estimation.planning.power import power
from surveys.estimation.planning.precision import expected_half_width
from surveys.estimation.planning.size import sample_size
from surveys.privacy.designs import direct, forced_response, k_ary
from tests.estimation.list_experiment.population import COIN, TOGETHER

HALVES = independent_items([0.5, 0.5, 0.5])


def test_independent_items_have_the_distribution_of_their_sum() -> None:
    assert pytest.approx(np.array([1, 3, 3, 1]) / 8) == HALVES
    assert independent_items([0.2, 1]) == pytest.approx(np.array([0, 0.8, 0.2]))


def test_the_half_width_is_that_of_two_independent_means() -> None:
    # Var(Y) = 3/4 in the control arm and 3/4 + .3·.7 in the other, half of 1,000 respondents each.
    expected = 1.959964 * np.sqrt(0.75 / 500 + (0.75 + 0.21) / 500)
    assert expected_half_width(n=1000, design=list_plan(HALVES), prevalence=0.3) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("designs", [None, COIN])
def test_the_planned_width_is_what_expected_reports_lead_to(designs: tuple | None) -> None:
    given = TOGETHER.types / TOGETHER.types.sum(axis=1, keepdims=True)
    plan = list_plan(given[0], counts_with=given[1], designs=designs, treatment_share=0.6)
    reported = TOGETHER.reported(designs or (direct(4), direct(5)))
    n = 10**12
    counts = [np.rint(n * size * part).astype(int) for size, part in zip((0.4, 0.6), reported, strict=True)]
    estimate = estimate_list(*counts, designs=designs)
    half = expected_half_width(n=n, design=plan, prevalence=0.3)
    assert half == pytest.approx(1.9599640 * estimate.standard_error, rel=1e-6)


def test_power_and_size_answer_each_other_and_the_third_moment_says_from_where_on() -> None:
    plan = list_plan(HALVES)
    n = sample_size(design=plan, prevalence=0.2, power=0.8)
    assert power(n=n, design=plan, prevalence=0.2) >= 0.8 > power(n=n - 1, design=plan, prevalence=0.2)
    mean = 1.5 + 0.3
    third = sum((t - mean) ** 3 * p for t, p in enumerate(np.convolve(HALVES, [0.7, 0.3])))
    assert plan.moments(0.3)[1] == pytest.approx(third / 0.25)
    with pytest.raises(ValueError, match=r"^method"):
        power(n=100, design=plan, prevalence=0.2, method="exact")


def test_a_list_costs_more_than_a_direct_question_and_here_more_than_two_coins() -> None:
    plan = list_plan(HALVES)
    # 2·.75 + 2·.96 over .3·.7, and over .4·.6/.25.
    variances = [deviation(asked, 0.3, 1) ** 2 for asked in (plan, direct(), forced_response())]
    assert variances == pytest.approx([3.42, 0.21, 0.96])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [1.0]}, "^counts"),
        ({"counts": [0.5, 0.6]}, "^counts"),
        ({"counts": 3}, "^counts"),
        ({"counts_with": [0.5, -0.5, 1, 0]}, "^counts_with"),
        ({"counts_with": [0.5, 0.5]}, "must have 4 probabilities"),
        ({"designs": (k_ary(3, "1/2"), k_ary(4, "1/2"))}, "must have 3 probabilities"),
        ({"treatment_share": 1}, "^treatment_share"),
    ],
)
def test_what_makes_no_plan_is_refused(change: dict, message: str) -> None:
    given = {"counts": HALVES} | change
    with pytest.raises(ValueError, match=message):
        list_plan(given.pop("counts"), **given)


@pytest.mark.parametrize("shares", [[], [1.5], 3])
def test_what_are_no_items_is_refused(shares: object) -> None:
    with pytest.raises(ValueError, match="shares must be"):
        independent_items(shares)  # type: ignore[arg-type]
