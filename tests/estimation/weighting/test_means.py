"""Weighted means of those who say their number, and of values of reports: against R, and derivatives of raking."""

import math
from dataclasses import replace

import numpy as np
import pytest

from surveys.estimation.grid_mean import estimate_grid_mean
from surveys.estimation.scales import estimate_scale
from surveys.estimation.stated_distribution import estimate_stated_distribution
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.estimation.weighting.design_based import WeightedEstimate, estimate_weighted, estimate_weighted_total
from surveys.estimation.weighting.means import WeightedMean, estimate_weighted_grid_mean
from surveys.estimation.weighting.raking import Margin, rake
from surveys.estimation.weighting.sample import sample_of
from surveys.privacy.designs import direct, k_ary
from tests.estimation.weighting.test_raking import ONES, ROWS, SEX, WEIGHTS, YEAR
from tests.privacy.test_grid import windowed

STRATA, CLUSTERS = ROWS // 20, ROWS // 4
# Two numbers and not saying, and a number from 0 to 12 through a window.
SAYING, STATED = k_ary(3, "1/2"), (ROWS * 7 + ROWS // 3) % 3
WINDOW, SENT = windowed(0, 12, 9, "2/5", 4), (ROWS * 5) % 12
DRAWN = {"strata": STRATA, "clusters": CLUSTERS}


def _error(mean: WeightedMean) -> float:
    """What linearization alone makes of the quotient, as R does: what pages show is at least that of Kish's number."""
    contrast = np.array([1, -mean.point]) / mean.share
    return math.sqrt(contrast @ mean.covariance @ contrast)


def _quotient(weights: np.ndarray = WEIGHTS, **drawn: object) -> WeightedMean:
    return estimate_weighted(STATED, ONES, SAYING, weights, **drawn).mean([2, 5], [0, 1])  # type: ignore[arg-type]


def _window(weights: np.ndarray = WEIGHTS, **drawn: object) -> WeightedMean:
    return estimate_weighted_grid_mean(SENT, ONES, WINDOW, weights, **drawn)  # type: ignore[arg-type]


def test_they_and_their_errors_are_those_of_r() -> None:
    """R package survey 4.1-1: svyratio and svymean of what these rows' reports stand for, and after postStratify."""
    after, margins = np.array(rake(ONES, [SEX], WEIGHTS).weights), [SEX]
    for estimate, expected in (
        (_quotient(**DRAWN), (3.92023346303502, 0.494942095897971)),
        (_window(**DRAWN), (4.54467509025271, 1.19250965287842)),
        (_quotient(after, margins=margins, **DRAWN), (3.71232864542151, 0.405635490399124)),
        (_window(after, margins=margins, **DRAWN), (4.93553684210526, 1.1158804927773)),
    ):
        assert (estimate.point, _error(estimate)) == pytest.approx(expected, rel=1e-12)
        assert estimate.degrees_of_freedom == 8


def test_a_quotient_of_clusters_has_the_error_that_is_printed() -> None:
    """The vignette of R package survey: svyratio(~api.stu, ~enroll, dclus1) prints 0.8497087 and 0.008386297.

    Below are the sums of 15 of 757 districts, all of one weight, so that nothing else of the schools counts.
    """
    tested = [6047, 12618, 1461, 5935, 7573, 610, 199, 1184, 6431, 12292, 1877, 4895, 22452, 532, 1373]
    enrolled = [6777, 15038, 1668, 6958, 9025, 683, 274, 1436, 7375, 14968, 2180, 6081, 25814, 680, 1641]
    values = np.column_stack([tested, enrolled]).astype(float)
    sample = sample_of(np.arange(15), np.ones(15, dtype=int), values, None)
    ratio = sample.mean[0] / sample.mean[1]
    gradient = np.array([1, -ratio]) / sample.mean[1]
    variance = gradient @ sample.covariance(sample.linear, 1 / sample.population)[0] @ gradient
    assert ratio == pytest.approx(0.8497087, abs=5e-8)
    assert math.sqrt((1 - 15 / 757) * variance) == pytest.approx(0.008386297, abs=5e-10)


@pytest.mark.parametrize("mean", [_quotient, _window])
def test_their_variance_is_that_of_the_derivatives_of_raking_itself(mean) -> None:  # noqa: ANN001
    margins = [SEX, YEAR]
    raked = np.array(rake(ONES, margins, WEIGHTS).weights)
    estimate = mean(raked, margins=margins, **DRAWN)
    step, moved = 1e-4, []
    for cluster in range(10):
        change = step * np.equal(CLUSTERS, cluster)
        high, low = (
            mean(np.array(rake(ONES, margins, WEIGHTS * (1 + sign * change)).weights)).point for sign in (1, -1)
        )
        moved.append((high - low) / (2 * step))
    halves = np.array(moved).reshape(2, 5)
    expected = 5 / 4 * ((halves - halves.mean(axis=1, keepdims=True)) ** 2).sum()
    assert _error(estimate) ** 2 == pytest.approx(expected, rel=1e-6)
    # The twin: weights taken for given ones have another error, by more than this tolerance.
    assert abs(_error(mean(raked, **DRAWN)) ** 2 / expected - 1) > 0.01


def test_alike_weights_leave_the_unweighted_estimates_as_they_are() -> None:
    counts = [60, 45, 30]
    estimate = estimate_weighted([0, 1, 2], counts, SAYING, [2.5] * 3)
    stated, bands = estimate_stated_mean(counts, SAYING, 2, 5), estimate_stated_distribution(counts, SAYING, [1, 3, 7])
    scale = estimate_scale(counts, SAYING, 2).mean
    for mean, point, error in (
        (estimate.mean([2, 5], [0, 1]), stated.point, stated.standard_error),
        (estimate.mean([2, 5], [0, 1]), bands.mean, bands.mean_standard_error),
        (estimate.mean([1, 2], [0, 1]), scale.point, scale.standard_error),
    ):
        assert (mean.point, mean.standard_error) == pytest.approx((point, error), rel=1e-12)
        assert mean.design_effect == pytest.approx(135 / 134)
    sent = [9, 14, 22, 31, 40, 38, 33, 27, 20, 12, 8, 6]
    window, plain = estimate_weighted_grid_mean(range(12), sent, WINDOW, [0.3] * 12), estimate_grid_mean(sent, WINDOW)
    assert (window.point, window.standard_error) == pytest.approx((plain.point, plain.standard_error), rel=1e-12)
    assert (window.low, window.high) == (0, 12)
    wald = plain.interval(0.95, "wald")
    # With 260 people t is nearly z, and two at either end of what reports stand for are few.
    assert (window.interval().low, window.interval().high) == pytest.approx((wald.low, wald.high), abs=0.06)


def _beyond(estimate: WeightedEstimate, likely: float, value: float, level: float) -> float:
    """How far the mean of a − Rb is beyond z errors of 0 once two at either end are added, step by step."""
    z, t = {0.8: (1.2815515655446004, 1.3968153097438645), 0.9: (1.6448536269514722, 1.8595480375228424)}[level]
    reports = np.array(SAYING.left_inverse, dtype=float).T
    ends = sorted(reports, key=lambda guess: guess @ [2 - likely, 5 - likely, 0])
    contrast = np.array([2 - likely, 5 - likely, 0])
    variance, scatter = (contrast @ each @ contrast for each in (estimate.covariance, estimate.scatter))
    n = min(scatter / variance, estimate.effective_n) * (z / t) ** 2
    size, added = n + z**2, np.array([ends[0], ends[-1]])
    mean = (n * estimate.point + z**2 / 2 * added.sum(axis=0)) / size
    about = n * (estimate.scatter + np.outer(estimate.point - mean, estimate.point - mean))
    about += z**2 / 2 * (added - mean).T @ (added - mean)
    tested = np.array([2 - value, 5 - value, 0])
    return float(abs(tested @ mean) - z * math.sqrt(tested @ about @ tested) / size)


@pytest.mark.parametrize("level", [0.8, 0.9])
@pytest.mark.parametrize("sex", [SEX, Margin("sex", SEX.categories, SEX.targets[::-1])])
def test_the_interval_of_a_quotient_holds_what_the_test_does_not_reject(level: float, sex: Margin) -> None:
    weights = np.array(rake(ONES, [sex], WEIGHTS).weights)
    estimate = estimate_weighted(STATED, ONES, SAYING, weights, margins=[sex])
    estimate = replace(estimate, degrees_of_freedom=8)
    mean = estimate.mean([2, 5], [0, 1])
    interval = mean.interval(level)
    for limit, outwards in ((interval.low, -1e-6), (interval.high, 1e-6)):
        assert 2 < limit < 5
        assert _beyond(estimate, mean.point, limit, level) == pytest.approx(0, abs=1e-9)
        inside = limit - outwards
        assert _beyond(estimate, mean.point, limit + outwards, level) > 0 > _beyond(estimate, mean.point, inside, level)
    # The twin: point ± t errors are other limits, as the number of those who say is not known.
    half = (interval.high - interval.low) / 2
    assert abs(interval.low - (mean.point - half)) > 0.01


def test_of_hardly_anybody_a_mean_can_be_anything() -> None:
    few = estimate_weighted([0, 1, 2], [42, 42, 156], SAYING).mean([2, 5], [0, 1])
    assert few.share == pytest.approx(1 / 30)
    assert few.point == pytest.approx(3.5)
    interval = few.interval()
    assert (interval.low, interval.high, interval.outside) == (2, 5, False)
    for counts in ([40, 40, 160], [40, 35, 165], [20, 20, 120]):
        nobody = estimate_weighted([0, 1, 2], counts, SAYING).mean([2, 5], [0, 1])
        assert math.isnan(nobody.point)
        assert math.isnan(nobody.standard_error)
        assert math.isnan(nobody.design_effect)
        interval = nobody.interval()
        assert (interval.low, interval.high, interval.outside) == (2, 5, False)


def test_limits_are_cut_to_the_range_and_what_is_beyond_it_is_outside() -> None:
    everybody_high = estimate_weighted([0, 1, 2], [20, 200, 30], SAYING).mean([2, 5], [0, 1])
    assert everybody_high.point > 5
    assert everybody_high.interval().high == 5
    beyond = estimate_weighted([0, 1, 2], [2, 400, 98], SAYING).mean([2, 5], [0, 1]).interval(0.8)
    assert (beyond.low, beyond.high, beyond.outside) == (5, 5, True)
    # Where all reports are alike nothing varies, and the interval is that of as many people.
    alike = estimate_weighted([0], [20], direct(3)).mean([2, 5], [0, 1])
    assert (alike.point, alike.standard_error, alike.interval().low) == (2, 0, 2)
    assert 2.4 < alike.interval().high < 2.8
    sent = estimate_weighted_grid_mean([0, 1], [30, 20], WINDOW)
    assert sent.point < 0
    assert (sent.interval().low, sent.interval().high, sent.interval().outside) == (0, 0, True)


def test_who_left_the_question_out_stays_in_the_cluster_and_in_no_mean() -> None:
    skipped = np.where(ROWS % 6 == 0, 255, SENT)
    estimate = estimate_weighted_grid_mean(skipped, ONES, WINDOW, WEIGHTS, strata=STRATA, clusters=CLUSTERS)
    values, kept = np.array(WINDOW.values, dtype=float)[SENT], ROWS % 6 > 0
    point = (WEIGHTS * values)[kept].sum() / WEIGHTS[kept].sum()
    totals = np.bincount(CLUSTERS, np.where(kept, WEIGHTS * (values - point), 0)).reshape(2, 5) / WEIGHTS[kept].sum()
    variance = 5 / 4 * ((totals - totals.mean(axis=1, keepdims=True)) ** 2).sum()
    assert (estimate.point, _error(estimate)) == pytest.approx((point, math.sqrt(variance)), rel=1e-12)


@pytest.mark.parametrize(
    ("values", "among", "message"),
    [
        ([1, 2], [0, 0], "^among .*0.*2"),
        ([1, 2], [0, 3], "^among .*0.*2"),
        ([1, 2], [0, 0.5], "^among .*0.*2"),
        ([], [], "^among .*0.*2"),
        ([1, 2, 3], [0, 1], "^values .*2"),
        ([1, math.nan], [0, 1], "^values .*2"),
    ],
)
def test_whose_mean_it_is_and_of_what_is_refused_by_name(values: list[float], among: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_weighted([0, 1, 2], [40, 25, 35], SAYING).mean(values, among)


def test_numbers_of_people_have_no_mean_and_what_is_no_grid_is_refused() -> None:
    with pytest.raises(ValueError, match="numbers of people"):
        estimate_weighted_total([0, 1, 2], [40, 25, 35], SAYING).mean([1, 2], [0, 1])
    with pytest.raises(ValueError, match=r"^grid .*GridMean"):
        estimate_weighted_grid_mean([0, 1], [4, 5], SAYING)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^reports .*0.*11.*255.*got 12"):
        estimate_weighted_grid_mean([0, 12], [4, 5], WINDOW)


@pytest.mark.studies
def test_their_intervals_hold_the_populations_mean_in_samples_that_are_raked() -> None:
    """2,000 studies of 400 people, of whom one group answers three times as often: .005 is a standard deviation."""
    generator, studies, n = np.random.default_rng(8), 2_000, 400
    matrices = [np.array(design.matrix, dtype=float).cumsum(axis=0) for design in (SAYING, WINDOW.design)]
    margins, held, fixed, plain = np.array([0.5, 0.5]), np.zeros(2), 0, np.zeros(2)
    for _ in range(studies):
        group = (generator.random(n) < 0.25).astype(int)
        # Seven of ten say their number in one group, of whom three of ten have 5 and the others 2; in the other four,
        # of whom eight have 5.
        says, high = np.array([0.7, 0.4])[group], np.array([0.3, 0.8])[group]
        stated = np.where(generator.random(n) < says, (generator.random(n) < high).astype(int), 2)
        number = np.where(group, generator.choice([4, 5, 6, 7], n), generator.choice([0, 1, 2], n))
        for place, (truths, matrix) in enumerate(zip((stated, number), matrices, strict=True)):
            reports = (generator.random(n) > matrix[:, truths]).sum(axis=0)
            codes, counts = np.unique(np.column_stack([group, reports]), axis=0, return_counts=True)
            margin = Margin("group", codes[:, 0], n * margins)
            weights = np.array(rake(counts, [margin]).weights)
            if place:
                truth = (1 * 1.5 + 5.5 * 1.5) / 2
                weighted = estimate_weighted_grid_mean(codes[:, 1], counts, WINDOW, weights, margins=[margin])
                without = estimate_weighted_grid_mean(codes[:, 1], counts, WINDOW)
            else:
                truth = 2 + 3 * (0.7 * 0.3 + 0.4 * 0.8) / (0.7 + 0.4)
                estimate = estimate_weighted(codes[:, 1], counts, SAYING, weights, margins=[margin])
                weighted = estimate.mean([2, 5], [0, 1])
                without = estimate_weighted(codes[:, 1], counts, SAYING).mean([2, 5], [0, 1])
                numerator = np.array([2, 5, 0]) / weighted.share
                wrong = 1.966 * math.sqrt(numerator @ estimate.covariance @ numerator)
                fixed += abs(weighted.point - truth) <= wrong
            interval, unweighted = weighted.interval(), without.interval()
            held[place] += interval.low <= truth <= interval.high
            plain[place] += unweighted.low <= truth <= unweighted.high
    assert ((held / studies > 0.93) & (held / studies < 0.97)).all()
    # The twins: without weights they miss, and with a share of sayers that is taken as known they are too wide.
    assert (plain / studies < 0.93).all()
    assert fixed / studies > 0.97
