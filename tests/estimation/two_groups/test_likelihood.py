import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.two_groups.estimate import TwoGroupEstimate
from surveys.estimation.two_groups.likelihood import most_likely_ends, profile_log_likelihood
from surveys.estimation.two_groups.line import LineModel, two_groups
from surveys.estimation.two_groups.models import (
    CHEATING_DETECTION,
    LIE_DETECTOR,
    UNRELATED_UNKNOWN,
    estimate_cheating_detection,
    estimate_lie_detector,
    estimate_unrelated_unknown,
)
from tests.property_profile import examples

MODELS = {
    estimate_unrelated_unknown: UNRELATED_UNKNOWN,
    estimate_cheating_detection: CHEATING_DETECTION,
    estimate_lie_detector: LIE_DETECTOR,
}
GRID = np.linspace(0, 1, 101)


def possible_ends(model: LineModel) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a in GRID for b in GRID if model.possible((a, b))]


@pytest.mark.parametrize(
    ("model", "inside", "outside"),
    [
        (UNRELATED_UNKNOWN, [(0, 0), (1, 0), (0.3, 0.9)], [(-0.1, 0.5), (1.1, 0.5), (0.5, -0.1), (0.5, 1.1)]),
        (CHEATING_DETECTION, [(0, 0), (0.4, 0.4), (0.2, 1)], [(0.5, 0.4), (-0.1, 0.5), (0.5, 1.1)]),
        (LIE_DETECTOR, [(1, 0), (0.4, 0.4), (1, 0.9)], [(0.4, 0.5), (1.1, 0.5), (0.5, -0.1)]),
    ],
)
def test_a_model_knows_which_lines_it_can_give(model: LineModel, inside: list, outside: list) -> None:
    assert all(model.possible(ends) for ends in inside)
    assert not any(model.possible(ends) for ends in outside)


@pytest.mark.uncounted
@pytest.mark.parametrize("estimator", MODELS)
@pytest.mark.parametrize(
    "counts",
    [([30, 70], [70, 30]), ([70, 30], [30, 70]), ([3, 97], [60, 40]), ([99, 1], [95, 5]), ([0, 30], [2, 40])],
)
def test_the_constrained_estimate_is_where_the_likelihood_is_largest(
    estimator: Callable[..., TwoGroupEstimate], counts: tuple[list[int], list[int]]
) -> None:
    model, groups = MODELS[estimator], two_groups(*counts, "1/6", "3/4")
    best = most_likely_ends(groups, model)
    highest = groups.log_likelihood(best)
    # The grid's best is at most half a step away, so as good almost.
    assert highest - 0.2 < max(map(groups.log_likelihood, possible_ends(model))) <= highest + 1e-9
    estimate = estimator(*counts, "1/6", "3/4")
    for parameter, quantity in zip(estimate.parameters, model.quantities.values(), strict=True):
        assert parameter.constrained == quantity.at(best)
        assert -1e-12 <= parameter.constrained <= 1 + 1e-12


@pytest.mark.parametrize("estimator", MODELS)
def test_a_possible_moment_estimate_is_the_constrained_one(estimator: Callable[..., TwoGroupEstimate]) -> None:
    estimate = estimator([40, 60], [60, 40], "3/10", "9/10")
    if estimator is estimate_cheating_detection:
        estimate = estimator([60, 40], [40, 60], "3/10", "9/10")
    assert not estimate.misfit.outside
    assert (estimate.misfit.deviance, estimate.misfit.p_value) == (0, 1)
    for parameter in estimate.parameters:
        assert parameter.constrained == pytest.approx(parameter.point, rel=1e-12)
    assert estimate.constrained == pytest.approx(estimate.point, rel=1e-12)


def test_what_the_model_cannot_give_is_raw_beside_limited_and_called_a_misfit() -> None:
    # A larger chance of a forced Yes, and yet fewer Yes.
    estimate = estimate_cheating_detection([30, 70], [70, 30], "1/6", "5/6")
    assert estimate.point == pytest.approx(0.8)
    assert estimate.honest_no.point == pytest.approx(-0.6)
    assert estimate.honest_no.constrained == 0
    assert estimate.constrained == pytest.approx(0.5)
    assert estimate.misfit.outside
    assert estimate.misfit.suspicious
    # The best that is possible gives 50 of 100 in both groups.
    expected = 2 * (stats.binom.logpmf(70, 100, [0.7, 0.5]) @ [1, -1] * 2)
    assert estimate.misfit.deviance == pytest.approx(expected)
    assert estimate.misfit.p_value == pytest.approx((stats.chi2.sf(expected, 1) + stats.chi2.sf(expected, 2)) / 2)


def test_what_chance_alone_can_do_is_outside_but_not_suspicious() -> None:
    misfit = estimate_cheating_detection([50, 50], [51, 49], "1/6", "5/6").misfit
    assert misfit.outside
    assert 0 < misfit.deviance < 0.1
    assert misfit.p_value > 0.5
    assert not misfit.suspicious


@pytest.mark.parametrize("estimator", MODELS)
def test_the_misfit_raises_hardly_a_false_alarm(estimator: Callable[..., TwoGroupEstimate]) -> None:
    # Exactly, over all counts of groups of 12; at the corners of what the model can give.
    n, yes = 12, np.arange(13)
    alarm = np.array([[estimator([n - a, a], [n - b, b], "1/6", "3/4").misfit.suspicious for b in yes] for a in yes])
    model = MODELS[estimator]
    corners = np.array([*model.corners, np.mean(model.corners, axis=0)], dtype=float)
    for ends in (*corners, *(corners[:-1] + np.roll(corners[:-1], 1, axis=0)) / 2):
        first, second = (stats.binom.pmf(yes, n, (1 - p) * ends[0] + p * ends[1]) for p in (1 / 6, 3 / 4))
        assert first @ alarm @ second < 0.01
    assert alarm.any()


@pytest.mark.uncounted
@pytest.mark.parametrize("estimator", MODELS)
def test_the_profile_is_the_largest_likelihood_with_the_parameter_held(
    estimator: Callable[..., TwoGroupEstimate],
) -> None:
    model, groups = MODELS[estimator], two_groups([18, 32], [42, 18], "3/10", "9/10")
    possible = possible_ends(model)
    for quantity in model.quantities.values():
        for value in (0.0, 0.2, 0.55, 1.0):
            profile = profile_log_likelihood(groups, model, quantity, value)
            held = [groups.log_likelihood(ends) for ends in possible if abs(quantity.excess(ends, value)) < 1e-9]
            assert max(held) <= profile + 1e-9
            assert max(held) == pytest.approx(profile, abs=0.6) or len(held) < 20


@pytest.mark.parametrize("estimator", MODELS)
def test_likelihood_limits_are_where_a_likelihood_ratio_test_begins_to_reject(
    estimator: Callable[..., TwoGroupEstimate],
) -> None:
    model, groups = MODELS[estimator], two_groups([180, 320], [420, 180], "3/10", "9/10")
    estimate = estimator([180, 320], [420, 180], "3/10", "9/10")
    highest = groups.log_likelihood(most_likely_ends(groups, model))
    for parameter, quantity in zip(estimate.parameters, model.quantities.values(), strict=True):
        interval = parameter.interval(0.9, "likelihood_ratio")
        for limit in (interval.low, interval.high):
            if 0 < limit < 1:
                lost = 2 * (highest - profile_log_likelihood(groups, model, quantity, limit))
                assert lost == pytest.approx(stats.chi2.ppf(0.9, 1), rel=1e-8)
        assert interval.low < interval.high
        assert interval.low - 1e-12 <= parameter.constrained <= interval.high + 1e-12


def test_a_share_of_nobody_is_not_a_number_and_can_be_anything() -> None:
    # Yes exactly as often as when the statement applies to nobody: λ = 1 − p.
    estimate = estimate_lie_detector([3, 7], [9, 1], "3/10", "9/10")
    assert estimate.point == 0
    share = estimate.truthful_share
    assert math.isnan(share.point)
    assert math.isnan(share.standard_error)
    assert math.isnan(share.constrained)
    interval = share.interval()
    assert (interval.low, interval.high, interval.method) == (0, 1, "likelihood_ratio")
    assert np.isnan(estimate.covariance[1]).all()
    assert estimate.standard_error > 0


@examples(50)
@given(st.tuples(*[st.integers(0, 30)] * 4).filter(lambda n: n[0] + n[1] > 0 and n[2] + n[3] > 0))
def test_any_counts_have_a_coherent_estimate(counts: tuple[int, int, int, int]) -> None:
    for estimator in MODELS:
        estimate = estimator(counts[:2], counts[2:], "1/4", "4/5")
        assert 0 <= estimate.misfit.p_value <= 1
        assert estimate.misfit.outside == (estimate.misfit.deviance > 0)
        for parameter in estimate.parameters:
            for method in (None, "likelihood_ratio"):
                interval = parameter.interval(method=method)
                assert 0 <= interval.low <= interval.high <= 1
            if not math.isnan(parameter.constrained):
                assert interval.low - 1e-9 <= parameter.constrained <= interval.high + 1e-9
