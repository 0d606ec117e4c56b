import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.two_groups.estimate import TwoGroupEstimate
from surveys.estimation.two_groups.models import (
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_unrelated_unknown,
)
from tests.golden import cases

ESTIMATORS = (estimate_unrelated_unknown, estimate_cheating_detection, estimate_lie_detector)


def of_case(case_id: str, estimator: Callable[..., TwoGroupEstimate]) -> tuple[TwoGroupEstimate, dict]:
    """Our estimate for a case of RRreg, and RRreg's."""
    (case,) = cases("rruni", case_id)
    groups = [list(case["inputs"][f"group{group}_counts"].values()) for group in (1, 2)]
    p1, p2 = (Fraction(p).limit_denominator(100) for p in case["inputs"]["p"])
    return estimator(*groups, p1, p2), case["outputs"]


def test_an_unrelated_question_of_unknown_rate_equals_rrreg() -> None:
    estimate, theirs = of_case("uqt_unknown_1", estimate_unrelated_unknown)
    assert estimate.point == pytest.approx(theirs["pi"], rel=1e-12)
    assert estimate.standard_error == pytest.approx(theirs["pi_se"], rel=1e-12)
    assert estimate.innocuous_rate.point == pytest.approx(theirs["piUQ"], rel=1e-12)
    assert estimate.innocuous_rate.standard_error == pytest.approx(theirs["piUQSE"], rel=1e-12)


def test_cheating_detection_equals_rrreg() -> None:
    estimate, theirs = of_case("cdm_2", estimate_cheating_detection)
    for parameter, name in (
        (estimate.prevalence, "pi"),
        (estimate.honest_no, "beta"),
        (estimate.always_no, "gamma"),
    ):
        assert parameter.point == pytest.approx(theirs[name], rel=1e-12)
        error = theirs["pi_se" if name == "pi" else f"{name}SE"]
        assert parameter.standard_error == pytest.approx(error, rel=1e-12)


def test_the_lie_detector_equals_rrreg() -> None:
    estimate, theirs = of_case("sld_2", estimate_lie_detector)
    assert estimate.point == pytest.approx(theirs["pi"], rel=1e-12)
    assert estimate.standard_error == pytest.approx(theirs["pi_se"], rel=1e-12)
    assert estimate.truthful_share.point == pytest.approx(theirs["t"], rel=1e-12)
    assert estimate.truthful_share.standard_error == pytest.approx(theirs["tSE"], rel=1e-12)


@pytest.mark.parametrize(
    ("case_id", "estimator"), list(zip(("uqt_unknown_1", "cdm_2", "sld_2"), ESTIMATORS, strict=True))
)
def test_the_wald_interval_equals_the_derived_one(case_id: str, estimator: Callable[..., TwoGroupEstimate]) -> None:
    estimate, theirs = of_case(case_id, estimator)
    interval = estimate.interval(method="wald")
    assert [interval.low, interval.high] == pytest.approx(list(theirs["wald95_derived"].values()), rel=1e-11)


def test_rrreg_has_a_placeholder_where_ours_is_a_log_likelihood() -> None:
    # RRreg stores 1,000,000 for models that it solves by moments; counts have a probability of at most 1.
    estimate, theirs = of_case("sld_2", estimate_lie_detector)
    assert theirs["logLik"] == 1_000_000
    groups = estimate.prevalence.groups
    rates = groups.counts[:, 1] / groups.counts.sum(axis=1)
    expected = stats.binom.logpmf(groups.counts[:, 1], groups.counts.sum(axis=1), rates)
    constants = [math.log(math.comb(500, 180)), math.log(math.comb(600, 420))]
    ours = groups.log_likelihood(groups.ends)
    assert ours == pytest.approx(expected.sum() - sum(constants), rel=1e-10)
    assert ours < 0


def expectation(estimator: Callable[..., TwoGroupEstimate], rates: list[float], sizes: tuple[int, int]) -> tuple:
    """The exact mean and covariance of the estimates, and the mean of the covariance stated."""
    mean, second, stated = 0.0, 0.0, 0.0
    for yes1 in range(sizes[0] + 1):
        for yes2 in range(sizes[1] + 1):
            chance = stats.binom.pmf(yes1, sizes[0], rates[0]) * stats.binom.pmf(yes2, sizes[1], rates[1])
            estimate = estimator([sizes[0] - yes1, yes1], [sizes[1] - yes2, yes2], "1/5", "7/10")
            points = np.array(
                [parameter.point for parameter in estimate.parameters if parameter.name != "truthful_share"]
            )
            mean += chance * points
            second += chance * np.outer(points, points)
            stated += chance * estimate.covariance[: points.size, : points.size]
    return mean, second - np.outer(mean, mean), stated


@pytest.mark.parametrize(
    ("estimator", "rates", "truth"),
    [
        # λ = pπ + (1−p)q with π = .3, q = .6
        (estimate_unrelated_unknown, [0.54, 0.39], [0.3, 0.6]),
        # λ = π + βp with π = .2, β = .5
        (estimate_cheating_detection, [0.3, 0.55], [0.2, 0.5, 0.3]),
        # λ = πt + (1−π)(1−p) with π = .4, t = .75
        (estimate_lie_detector, [0.78, 0.48], [0.4]),
    ],
)
def test_linear_parameters_and_their_covariance_are_unbiased_exactly(
    estimator: Callable[..., TwoGroupEstimate], rates: list[float], truth: list[float]
) -> None:
    mean, covariance, stated = expectation(estimator, rates, (3, 4))
    assert mean == pytest.approx(np.array(truth), rel=1e-12)
    assert stated == pytest.approx(covariance, rel=1e-10, abs=1e-15)


def test_the_truthful_share_and_its_variance_are_those_of_the_formulas() -> None:
    rate1, rate2, p1, p2 = 0.64, 0.3, 0.3, 0.9
    variance1, variance2 = rate1 * (1 - rate1) / 499, rate2 * (1 - rate2) / 599

    def share(first: float, second: float) -> float:
        return (second * (1 - p1) - first * (1 - p2)) / (second - first + p2 - p1)

    estimate = estimate_lie_detector([180, 320], [420, 180], "3/10", "9/10").truthful_share
    assert estimate.point == pytest.approx(share(rate1, rate2), rel=1e-12)
    below = rate2 - rate1 + p2 - p1
    printed = (p1 - p2) ** 2 * (variance1 * (p2 + rate2 - 1) ** 2 + variance2 * (p1 + rate1 - 1) ** 2) / below**4
    assert estimate.standard_error == pytest.approx(math.sqrt(printed), rel=1e-12)
    # The same by numerical derivatives.
    step = 1e-5
    by1 = (share(rate1 + step, rate2) - share(rate1 - step, rate2)) / (2 * step)
    by2 = (share(rate1, rate2 + step) - share(rate1, rate2 - step)) / (2 * step)
    assert estimate.standard_error == pytest.approx(math.sqrt(by1**2 * variance1 + by2**2 * variance2), rel=1e-8)


def test_the_covariance_of_the_lie_detector_is_that_of_a_bootstrap() -> None:
    generator = np.random.default_rng(20_270)
    estimate = estimate_lie_detector([180, 320], [420, 180], "3/10", "9/10")
    yes1, yes2 = generator.binomial(500, 0.64, 200_000) / 500, generator.binomial(600, 0.3, 200_000) / 600
    prevalence = 1 + (yes2 - yes1) / 0.6
    share = (yes2 * 0.7 - yes1 * 0.1) / (0.6 * prevalence)
    # A sample covariance of 200,000 has a relative error of 0.3%; the delta method leaves out 3% here.
    assert estimate.covariance == pytest.approx(np.cov(prevalence, share), rel=0.06)


def test_the_shares_of_cheating_detection_sum_to_1() -> None:
    estimate = estimate_cheating_detection([20, 11], [14, 33], "0.1", "0.6")
    assert sum(parameter.point for parameter in estimate.parameters) == pytest.approx(1, rel=1e-15)
    assert estimate.covariance.sum() == pytest.approx(0, abs=1e-15)


def test_the_lie_detector_is_cheating_detection_with_the_chance_turned_around() -> None:
    lies = estimate_lie_detector([18, 32], [42, 18], "3/10", "9/10")
    cheats = estimate_cheating_detection([18, 32], [42, 18], "7/10", "1/10")
    assert lies.point == pytest.approx(1 - cheats.honest_no.point)
    assert lies.truthful_share.point == pytest.approx(cheats.point / (cheats.point + cheats.always_no.point))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_order_of_the_groups_does_not_matter(estimator: Callable[..., TwoGroupEstimate]) -> None:
    one = estimator([18, 32], [42, 18], "3/10", "9/10")
    other = estimator([42, 18], [18, 32], "9/10", "3/10")
    for a, b in zip(one.parameters, other.parameters, strict=True):
        assert a.point == pytest.approx(b.point, rel=1e-13)
        assert a.standard_error == pytest.approx(b.standard_error, rel=1e-13)
        assert a.interval().low == pytest.approx(b.interval().low, abs=1e-9)
        assert a.interval().high == pytest.approx(b.interval().high, abs=1e-9)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_group_of_one_leaves_a_point_but_no_standard_error(estimator: Callable[..., TwoGroupEstimate]) -> None:
    estimate = estimator([0, 1], [42, 18], "3/10", "9/10")
    assert math.isnan(estimate.standard_error)
    assert np.isnan(estimate.covariance).all()
    assert math.isfinite(estimate.point)
    wald = estimate.interval(method="wald")
    assert math.isnan(wald.low)
    assert math.isnan(wald.high)
    assert 0 <= estimate.interval().low <= estimate.interval().high <= 1


def test_groups_of_two_have_a_standard_error() -> None:
    estimate = estimate_unrelated_unknown([1, 1], [1, 1], 1, 0)
    assert estimate.standard_error == pytest.approx(0.5)
    assert estimate.innocuous_rate.standard_error == pytest.approx(0.5)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("counts", [([9, 0], [12, 0]), ([0, 9], [0, 12]), ([9, 0], [0, 12]), ([0, 9], [12, 0])])
def test_all_yes_and_all_no_have_defined_results(
    estimator: Callable[..., TwoGroupEstimate], counts: tuple[list[int], list[int]]
) -> None:
    estimate = estimator(*counts, "3/10", "9/10")
    assert math.isfinite(estimate.point)
    assert estimate.standard_error == 0
    for parameter in estimate.parameters:
        for method in (None, "likelihood_ratio"):
            interval = parameter.interval(method=method)
            assert 0 <= interval.low <= interval.high <= 1


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 0], [1, 1], "3/10", "9/10"), "^counts1 .*0.*1"),
        (([1, 1], [0, 0], "3/10", "9/10"), "^counts2 .*0.*1"),
        (([1, 1, 1], [1, 1], "3/10", "9/10"), "^counts1 .*2"),
        (([1, 1], [-1, 3], "3/10", "9/10"), "^counts2"),
        (([1, 1], [math.nan, 3], "3/10", "9/10"), "^counts2 .*2"),
        (([1, 1], [1, 1], 0.3, "9/10"), "^p1 .*Fraction"),
        (([1, 1], [1, 1], "3/10", math.nan), "^p2 .*Fraction"),
        (([1, 1], [1, 1], "3/10", "9/8"), "^p2 "),
        (([1, 1], [1, 1], "3/10", "0.3"), "^p1 and p2"),
    ],
)
def test_what_is_wrong_is_refused_by_name(
    estimator: Callable[..., TwoGroupEstimate], arguments: tuple, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimator(*arguments)


def test_an_estimate_cannot_be_changed() -> None:
    estimate = estimate_unrelated_unknown([18, 32], [42, 18], "3/10", "9/10")
    for array in (estimate.covariance, estimate.prevalence.groups.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0
