"""Prevalences that several arms share. Statistical tests have a fixed seed."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy
from scipy import stats

from surveys.estimation.adherence.arms import ArmsEstimate, estimate_arms, estimate_extended_crosswise
from surveys.estimation.association.groups import compare_groups
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import crosswise, forced_response, k_ary, kuk
from surveys.privacy.designs.design import from_matrix
from surveys.privacy.designs.plain import direct


def log_likelihood(estimate: ArmsEstimate, prevalences: np.ndarray) -> float:
    total = 0.0
    for counts, design in zip(estimate.counts, estimate.designs, strict=True):
        total += float(scipy.special.xlogy(counts, np.array(design.matrix, dtype=float) @ prevalences).sum())
    return total


# Doping question of surveys A and C, responses "one" and "none or both" of the arms with p = .2 and .8: data set
# `doping` of the R package RRsp1 1.0 (Cruyff). Its function sp_one takes the maximum over π in [0, 1] and
# G² = 2Σ n·ln(n/fitted) with one degree of freedom; both have the closed forms below.
DOPING = {"A": ([60, 109], [139, 46]), "C": ([192, 270], [324, 129])}


@pytest.mark.parametrize("survey", DOPING)
def test_an_extended_crosswise_estimate_has_a_closed_form(survey: str) -> None:
    first, second = DOPING[survey]
    estimate = estimate_extended_crosswise(first, second, "1/5")
    n = sum(first) + sum(second)
    same = (first[1] + second[0]) / n  # the second arm's codes changed round
    assert estimate.n == n
    assert estimate.point == pytest.approx(np.array([1 - (same - 0.8) / -0.6, (same - 0.8) / -0.6]))
    assert estimate.constrained == pytest.approx(estimate.point, abs=1e-9)
    pooled = math.sqrt(same * (1 - same) / n) / 0.6
    assert math.sqrt(estimate.likelihood_covariance[1, 1]) == pytest.approx(pooled)
    fitted = np.array([1 - same, same, same, 1 - same]) * np.repeat([sum(first), sum(second)], 2)
    observed = np.array([*first, *second])
    assert estimate.fit.statistic == pytest.approx(2 * (observed * np.log(observed / fitted)).sum())
    assert estimate.fit.degrees_of_freedom == 1
    assert estimate.fit.p_value == pytest.approx(stats.chi2.sf(estimate.fit.statistic, 1))


def test_the_fit_of_the_doping_surveys_is_bad() -> None:
    estimates = {survey: estimate_extended_crosswise(*arms, "1/5").fit.p_value for survey, arms in DOPING.items()}
    assert estimates == pytest.approx({"A": 0.02898, "C": 3.238e-5}, rel=1e-3)


def test_the_likelihood_interval_is_that_of_the_pooled_reports() -> None:
    first, second = DOPING["A"]
    together = estimate_extended_crosswise(first, second, "1/5").interval(0.9)
    one = estimate_prevalence([first[0] + second[1], first[1] + second[0]], crosswise("1/5"))
    assert together.low == pytest.approx(one.interval(0.9, "likelihood_ratio").low, abs=1e-9)
    assert together.high == pytest.approx(one.interval(0.9, "likelihood_ratio").high, abs=1e-9)
    assert (together.method, together.confidence_level, together.simultaneous) == ("likelihood_ratio", 0.9, False)


def test_the_moment_estimate_and_its_covariance_are_unbiased_exactly() -> None:
    # All outcomes of arms of 3 and 4, enumerated; the designs are different ones of the field.
    designs, sizes, share = [crosswise("1/4"), forced_response("1/2", "1/3")], (3, 4), 0.35
    rates = [float(design.offset + design.slope * Fraction(7, 20)) for design in designs]
    mean = second = stated = 0.0
    for yes1 in range(sizes[0] + 1):
        for yes2 in range(sizes[1] + 1):
            chance = stats.binom.pmf(yes1, sizes[0], rates[0]) * stats.binom.pmf(yes2, sizes[1], rates[1])
            estimate = estimate_arms([[sizes[0] - yes1, yes1], [sizes[1] - yes2, yes2]], designs)
            mean += chance * estimate.point[1]
            second += chance * estimate.point[1] ** 2
            stated += chance * estimate.covariance[1, 1]
    assert mean == pytest.approx(share)
    assert stated == pytest.approx(second - mean**2)


def test_no_other_prevalences_of_three_answers_are_likelier() -> None:
    designs = [k_ary(3, "1/2"), direct(3), from_matrix([["3/4", "1/4", "1/2"], ["1/4", "3/4", "1/2"]])]
    estimate = estimate_arms([[50, 70, 40], [21, 30, 9], [60, 62]], designs)

    def value(place: np.ndarray) -> float:
        return -log_likelihood(estimate, np.exp(np.append(0, place)) / np.exp(np.append(0, place)).sum())

    best = scipy.optimize.minimize(value, [0.0, 0.0], tol=1e-12)
    assert log_likelihood(estimate, estimate.constrained) == pytest.approx(-best.fun, abs=1e-9)
    assert estimate.fit.degrees_of_freedom == 2 + 2 + 1 - 2
    # The information is the curvature: by second differences along two directions that leave the sum at 1.
    for free in (np.array([1.0, -1.0, 0.0]), np.array([0.0, 1.0, -1.0])):
        step = 1e-3 * free
        heights = [log_likelihood(estimate, estimate.constrained + k * step) for k in (-1, 0, 1)]
        observed = -(heights[0] - 2 * heights[1] + heights[2]) / 1e-6
        expected = free @ np.linalg.pinv(estimate.likelihood_covariance) @ free
        assert observed == pytest.approx(expected, rel=0.05)


def test_intervals_of_three_answers_exist_one_by_one_and_together() -> None:
    estimate = estimate_arms([[50, 70, 40], [21, 30, 9]], [k_ary(3, "1/2"), direct(3)])
    for method in ("likelihood_ratio", "wald"):
        one, all_three = estimate.interval(method=method), estimate.interval(method=method, simultaneous=True)
        assert (one.low < estimate.constrained).all()
        assert (estimate.constrained < one.high).all()
        assert (all_three.low < one.low).all()
        assert all_three.simultaneous
    half = stats.norm.ppf(0.975) * estimate.standard_error
    assert estimate.interval(method="wald").high == pytest.approx(estimate.point + half)


def test_arms_of_one_design_are_compared_as_groups_are() -> None:
    # No arm's own estimate is at an end, so that the saturated reports are those of each arm's own prevalences.
    counts = [[40, 60], [55, 45], [48, 52]]
    groups, arms = compare_groups(counts, crosswise("1/4")), estimate_arms(counts, [crosswise("1/4")] * 3)
    assert arms.constrained == pytest.approx(groups.common)
    assert arms.fit.statistic == pytest.approx(groups.statistic)
    assert arms.fit.degrees_of_freedom == groups.degrees_of_freedom == 2


def test_answers_at_random_move_the_estimate_and_leave_the_fit_as_it_is() -> None:
    # π = .2 and p = 1/4 lead to λ = .65 and .35; a quarter at random makes them .6125 and .3875, as π = .275 would.
    estimate = estimate_extended_crosswise([3875, 6125], [6125, 3875], "1/4")
    assert estimate.fit.statistic == pytest.approx(0, abs=1e-9)
    assert estimate.constrained[1] == pytest.approx(0.275)


def test_at_the_boundary_the_known_share_is_no_parameter() -> None:
    estimate = estimate_extended_crosswise([20, 280], [285, 15], "1/10")
    assert estimate.constrained == pytest.approx(np.array([1.0, 0.0]))
    assert estimate.fit.degrees_of_freedom == 2
    assert (estimate.likelihood_covariance == 0).all()
    assert estimate.point[1] < 0
    assert estimate.interval().low[1] == 0


def test_arms_that_just_determine_the_prevalences_leave_nothing_to_test() -> None:
    designs = [
        from_matrix([["3/4", "1/4", "1/2"], ["1/4", "3/4", "1/2"]]),
        from_matrix([["1/2", "1/4", "3/4"], ["1/2", "3/4", "1/4"]]),
    ]
    fit = estimate_arms([[50, 50], [52, 48]], designs).fit
    assert (fit.degrees_of_freedom, fit.p_value) == (0, 1)


def test_an_arm_of_one_has_no_standard_error() -> None:
    assert np.isnan(estimate_arms([[0, 1], [10, 20]], [crosswise("1/4")] * 2).standard_error).all()


def test_kuks_arms_have_more_reports_than_truths() -> None:
    design = kuk("4/5", "3/10", 2)
    estimate = estimate_arms([[20, 50, 30], [30, 70]], [design, crosswise("1/4")])
    assert estimate.fit.degrees_of_freedom == 2
    assert estimate.interval().low[1] < estimate.constrained[1] < estimate.interval().high[1]


@pytest.mark.parametrize(
    ("counts", "designs", "message"),
    [
        ([[1, 2]], [crosswise("1/4")], "two arms"),
        (5, [crosswise("1/4")], "two arms"),
        ([[1, 2], [3, 4]], [crosswise("1/4")], "^designs .*2"),
        ([[1, 2], [3, 4, 5]], [crosswise("1/4"), direct(3)], "same truths"),
        ([[1, 2], [3, 4]], 5, "^designs .*2"),
        ([[1, 2], [0, 0]], [crosswise("1/4")] * 2, "^counts of arm 1"),
    ],
)
def test_what_is_no_arms_is_refused(counts: list, designs: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_arms(counts, designs)


def test_two_arms_with_the_same_chance_and_an_unknown_method_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^p1 and p2"):
        estimate_extended_crosswise([5, 5], [5, 5], "1/4", "1/4")
    with pytest.raises(ValueError, match=r"^method"):
        estimate_extended_crosswise([5, 5], [5, 5], "1/4").interval(method="wilson")
    assert estimate_extended_crosswise([5, 5], [5, 5], "1/4", "2/3").designs[1] == crosswise("2/3")


# 2,000 studies of 400 and 600 respondents, π = .3, p = 1/4 and 2/3. At a true coverage of .95 one run in 20,000 leaves
# .93 to .97.
STUDIES = 2_000


def studies(one_saying: float, second_p: str = "2/3") -> list[ArmsEstimate]:
    """Estimates where a share reports "different" whatever is true."""
    rng = np.random.default_rng(471)
    rates = [(1 - one_saying) * (p * 0.3 + (1 - p) * 0.7) for p in (1 / 4, 2 / 3)]
    same = np.column_stack([rng.binomial(n, rate, STUDIES) for n, rate in zip((400, 600), rates, strict=True)])
    return [estimate_extended_crosswise([400 - a, a], [600 - b, b], "1/4", second_p) for a, b in same.tolist()]


def covering(estimates: list[ArmsEstimate], method: str) -> float:
    intervals = [estimate.interval(method=method) for estimate in estimates]
    return float(np.mean([one.low[1] <= 0.3 <= one.high[1] for one in intervals]))


@pytest.mark.studies
def test_intervals_hold_what_they_say_and_the_fit_rejects_one_in_twenty() -> None:
    estimates = studies(0.0)
    for method in ("likelihood_ratio", "wald"):
        assert 0.93 < covering(estimates, method) < 0.97
    assert 0.03 < np.mean([estimate.fit.p_value <= 0.05 for estimate in estimates]) < 0.07


@pytest.mark.studies
def test_one_saying_is_seen_by_the_fit_and_a_wrong_design_by_the_coverage() -> None:
    assert np.mean([estimate.fit.p_value <= 0.05 for estimate in studies(0.2)]) > 0.9
    assert covering(studies(0.0, "1/3"), "likelihood_ratio") < 0.5
