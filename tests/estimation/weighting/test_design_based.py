"""Weighted estimates: against R, an enumeration of all samples and coins, and derivatives of the whole procedure."""

import math
from itertools import product

import numpy as np
import pytest

from surveys.estimation.numbers import estimate_distribution
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.weighting.design_based import WeightedEstimate, estimate_weighted, estimate_weighted_total
from surveys.estimation.weighting.raking import Margin, rake
from surveys.estimation.weighting.trimming import trim_weights
from surveys.privacy.designs import direct, forced_response, from_matrix, k_ary, kuk, unrelated_question
from tests.estimation.weighting.test_raking import ONES, ROWS, SEX, WEIGHTS, YEAR

REPORTS = ((ROWS * 7 + ROWS // 3) % 5 < 2).astype(int)
STRATA, CLUSTERS = ROWS // 20, ROWS // 4
COINS = forced_response()
MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])


def _error(estimate: WeightedEstimate) -> float:
    """What linearization alone makes of the share of Yes, as R does."""
    return math.sqrt(estimate.covariance[1, 1])


def test_means_totals_and_their_errors_are_those_of_r() -> None:
    """R package survey 4.1-1: svymean, svytotal and postStratify of r = (z − d)/c in these rows, nest = TRUE."""
    estimate = estimate_weighted(REPORTS, ONES, COINS, WEIGHTS, strata=STRATA, clusters=CLUSTERS)
    assert (estimate.point[1], _error(estimate)) == pytest.approx((0.236462093862816, 0.137959517673386), rel=1e-12)
    assert (estimate.n, estimate.degrees_of_freedom) == (40, 8)
    assert estimate.point.sum() == pytest.approx(1)
    total = estimate_weighted_total(REPORTS, ONES, COINS, WEIGHTS, strata=STRATA, clusters=CLUSTERS)
    assert (total.point[1], _error(total)) == pytest.approx((16.375, 9.58392208336441), rel=1e-12)
    flat = estimate_weighted(REPORTS, ONES, COINS, WEIGHTS)
    assert _error(flat) == pytest.approx(0.158667808572795, rel=1e-12)
    weights = rake(ONES, [SEX], WEIGHTS).weights
    stratified = estimate_weighted(REPORTS, ONES, COINS, weights, strata=STRATA, clusters=CLUSTERS, margins=[SEX])
    expected = (0.258450526315789, 0.127746118470928)
    assert (stratified.point[1], _error(stratified)) == pytest.approx(expected, rel=1e-12)


def test_a_question_left_out_leaves_its_cluster_in_the_sample() -> None:
    """R package survey 4.1-1: svymean of subset(design, i %% 6 != 0)."""
    reports = np.where(ROWS % 6 == 0, 255, REPORTS)
    estimate = estimate_weighted(reports, ONES, COINS, WEIGHTS, strata=STRATA, clusters=CLUSTERS)
    assert (estimate.point[1], _error(estimate)) == pytest.approx((0.236842105263158, 0.184531918089686), rel=1e-12)
    assert (estimate.n, estimate.population) == (33, 57)


@pytest.mark.parametrize(
    ("yes", "innocuous", "mean", "variance"),
    [
        (328, "1/12", 0.8406103, 0.001389716),
        (180, "1/10", 0.4070423, 0.001045196),
        (280, "2/3", 0.1220657, 0.001337415),
        (81, "1/10", 0.128169, 0.0005597858),
    ],
)
def test_without_replacement_it_is_what_rrtcs_prints(yes: int, innocuous: str, mean: float, variance: float) -> None:
    """R package RRTCS 0.0.4, its vignette on 710 of 10,777 students."""
    estimate = estimate_weighted(
        [0, 1], [710 - yes, yes], unrelated_question("1/2", innocuous), fractions=[710 / 10_777]
    )
    assert (estimate.point[1], estimate.covariance[1, 1]) == pytest.approx((mean, variance), rel=1e-6)


def test_equal_weights_without_clusters_are_the_unweighted_estimate() -> None:
    counts = [40, 25, 35]
    plain = estimate_prevalence(counts, MIXING)
    estimate = estimate_weighted([0, 1, 2], counts, MIXING)
    assert estimate.point == pytest.approx(plain.point, rel=1e-12)
    assert estimate.covariance == pytest.approx(plain.covariance, rel=1e-10)
    assert estimate.effective_n == pytest.approx(100)
    assert estimate.design_effects == pytest.approx([100 / 99] * 3, rel=1e-10)
    rows = np.repeat([0, 1, 2], counts)
    apart = estimate_weighted(rows, np.ones(100, dtype=int), MIXING)
    assert apart.covariance == pytest.approx(plain.covariance, rel=1e-10)


# A population of two strata with three clusters each: the true answers of who is in them.
POPULATION = [[[0, 1], [1], [0]], [[1, 1], [0], [1]]]
CHANCES = [[0.5, 0.25, 0.25], [0.4, 0.4, 0.2]]  # of each cluster, at every draw


def every_study(design_matrix: np.ndarray):  # noqa: ANN201
    """All pairs of draws with replacement in both strata with all reports, and their probabilities."""
    per_stratum = []
    for clusters, chances in zip(POPULATION, CHANCES, strict=True):
        studies = []
        for drawn in product(range(3), repeat=2):
            truths = [(place, cluster, truth) for place, cluster in enumerate(drawn) for truth in clusters[cluster]]
            for reports in product((0, 1), repeat=len(truths)):
                chance = math.prod(chances[cluster] for cluster in drawn) * math.prod(
                    design_matrix[report, truth] for report, (_, _, truth) in zip(reports, truths, strict=True)
                )
                rows = [
                    (report, place, 1 / (2 * chances[cluster]))
                    for report, (place, cluster, _) in zip(reports, truths, strict=True)
                ]
                studies.append((chance, rows))
        per_stratum.append(studies)
    return per_stratum


@pytest.mark.uncounted
def test_the_variance_of_a_total_is_unbiased_over_all_samples_and_coins() -> None:
    design = forced_response("2/3", "1/2")
    # Strata are drawn apart, so each is enumerated by itself: the variances of totals add up.
    for stratum, studies in enumerate(every_study(np.array(design.matrix, dtype=float))):
        mean = square = estimated = without = 0.0
        for chance, rows in studies:
            reports, clusters, weights = (list(column) for column in zip(*rows, strict=True))
            counts = [1] * len(rows)
            estimate = estimate_weighted_total(reports, counts, design, weights, clusters=clusters)
            mean += chance * estimate.point[1]
            square += chance * estimate.point[1] ** 2
            estimated += chance * estimate.covariance[1, 1]
            if len(rows) > 1:
                without += chance * estimate_weighted_total(reports, counts, design, weights).covariance[1, 1]
        truth = sum(sum(cluster) for cluster in POPULATION[stratum])
        assert mean == pytest.approx(truth, rel=1e-12)
        assert estimated == pytest.approx(square - mean**2, rel=1e-12)
        # The twin: respondents taken for clusters give another variance, which this comparison sees.
        assert abs(without - (square - mean**2)) > 0.01 * (square - mean**2)


def test_strata_add_up() -> None:
    parts = [
        estimate_weighted_total(REPORTS[rows], ONES[rows], COINS, WEIGHTS[rows], clusters=CLUSTERS[rows])
        for rows in (slice(20), slice(20, 40))
    ]
    estimate = estimate_weighted_total(REPORTS, ONES, COINS, WEIGHTS, strata=STRATA, clusters=CLUSTERS)
    assert estimate.covariance == pytest.approx(parts[0].covariance + parts[1].covariance, rel=1e-12)


def test_without_replacement_the_variance_is_unbiased_over_all_samples_and_coins_down_to_a_census() -> None:
    truths, design = [0, 1, 1, 2], k_ary(3, "2/3")
    matrix = np.array(design.matrix, dtype=float)
    for drawn in (2, 3, 4):
        samples = [s for s in product((0, 1), repeat=4) if sum(s) == drawn]
        mean, square, estimated, naive = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
        for sample in samples:
            chosen = [truth for truth, inside in zip(truths, sample, strict=True) if inside]
            for reports in product(range(3), repeat=drawn):
                chance = math.prod(matrix[r, t] for r, t in zip(reports, chosen, strict=True)) / len(samples)
                counts = [reports.count(code) for code in range(3)]
                estimate = estimate_weighted([0, 1, 2], counts, design, fractions=[drawn / 4])
                mean += chance * estimate.point
                square += chance * np.outer(estimate.point, estimate.point)
                estimated += chance * estimate.covariance
                naive += chance * estimate_weighted([0, 1, 2], counts, design).covariance
        assert mean == pytest.approx([0.25, 0.5, 0.25])
        assert estimated == pytest.approx(square - np.outer(mean, mean), rel=1e-10, abs=1e-12)
        # The twin: with replacement it is too large, also in its corners.
        assert (np.diagonal(naive) > np.diagonal(estimated) * 1.05).all()


def raked_point(weights: np.ndarray) -> float:
    estimate = estimate_weighted(REPORTS, ONES, COINS, rake(ONES, [SEX, YEAR], weights).weights)
    return float(estimate.point[1])


def test_the_raked_variance_is_that_of_the_derivatives_of_raking_itself() -> None:
    weights = rake(ONES, [SEX, YEAR], WEIGHTS).weights
    estimate = estimate_weighted(REPORTS, ONES, COINS, weights, strata=STRATA, clusters=CLUSTERS, margins=[SEX, YEAR])
    # How much the estimate moves with each cluster's weights before raking: the infinitesimal jackknife.
    step = 1e-4
    moved = []
    for cluster in range(10):
        change = step * np.isin(CLUSTERS, cluster)
        moved.append((raked_point(WEIGHTS * (1 + change)) - raked_point(WEIGHTS * (1 - change))) / (2 * step))
    halves = np.array(moved).reshape(2, 5)
    expected = 5 / 4 * ((halves - halves.mean(axis=1, keepdims=True)) ** 2).sum()
    assert estimate.covariance[1, 1] == pytest.approx(expected, rel=1e-6)
    # R package survey 4.1-1: the delete-one jackknife. (Its svymean after rake() has unweighted residuals: .14808.)
    assert _error(estimate) == pytest.approx(0.146855881794467, rel=0.03)
    assert _error(estimate) == pytest.approx(0.14324, abs=5e-6)
    assert estimate.point[1] == pytest.approx(0.218543428093109, rel=1e-10)
    # The twin: weights taken for given ones have another error, by more than this tolerance.
    plain = estimate_weighted(REPORTS, ONES, COINS, weights, strata=STRATA, clusters=CLUSTERS)
    assert abs(plain.covariance[1, 1] / expected - 1) > 0.01


def test_a_mean_is_that_of_the_values_that_reports_stand_for() -> None:
    reports, values = ROWS % 3, np.array([1.0, 2.0, 4.0])
    weights = np.array(rake(ONES, [SEX], WEIGHTS).weights)
    estimate = estimate_weighted(reports, ONES, MIXING, weights, strata=STRATA, clusters=CLUSTERS, margins=[SEX])
    mean = estimate.mean(values.tolist())
    scores = (values @ np.array(MIXING.left_inverse, dtype=float))[reports]
    point = weights @ scores / weights.sum()
    influence = (scores - point) / weights.sum()
    for code in range(2):
        inside = SEX.categories == code
        influence[inside] -= weights[inside] @ influence[inside] / weights[inside].sum()
    totals = np.bincount(CLUSTERS, weights * influence).reshape(2, 5)
    variance = 5 / 4 * ((totals - totals.mean(axis=1, keepdims=True)) ** 2).sum()
    assert (mean.point, mean.covariance[0, 0]) == pytest.approx((point, variance), rel=1e-10)
    # The twin: the covariances between the answers belong to it.
    without = values**2 @ np.diagonal(estimate.covariance)
    assert abs(without / variance - 1) > 0.1


def test_the_mean_of_equal_weights_has_the_error_of_the_unweighted_one() -> None:
    plain, weighted = (
        estimate_distribution([40, 25, 35], MIXING, [0, 1, 3, 9]),
        estimate_weighted([0, 1, 2], [40, 25, 35], MIXING),
    )
    mean = weighted.mean([0.5, 2, 6])
    assert (mean.point, mean.standard_error) == pytest.approx((plain.mean, plain.mean_standard_error), rel=1e-10)
    assert mean.design_effect == pytest.approx(100 / 99)
    assert estimate_weighted([0, 0], [20, 10], direct(), [1, 2]).mean([5, 6]).interval().low == 5


@pytest.mark.parametrize("values", [[1, 2], [1, 2, math.nan], [1, 2, 1e101]])
def test_values_are_a_number_an_answer_and_of_prevalences(values: list[float]) -> None:
    estimate = estimate_weighted([0, 1, 2], [40, 25, 35], MIXING)
    with pytest.raises(ValueError, match=r"^values .*3"):
        estimate.mean(values)
    with pytest.raises(ValueError, match="numbers of people"):
        estimate_weighted_total([0, 1], [40, 25], COINS, [2, 3]).mean([0, 1])


def test_the_interval_without_weights_and_clusters_is_nearly_the_unweighted_one() -> None:
    counts = [1_300, 700]
    interval = estimate_weighted([0, 1], counts, COINS).interval()
    plain = estimate_prevalence(counts, COINS).interval(method="agresti_coull")
    assert interval.method == "agresti_coull"
    assert interval.low == pytest.approx(plain.low, abs=2e-4)
    assert interval.high == pytest.approx(plain.high, abs=2e-4)


def test_walds_interval_is_the_point_and_t_errors() -> None:
    estimate = estimate_weighted(REPORTS, ONES, COINS, WEIGHTS, strata=STRATA, clusters=CLUSTERS)
    wald = estimate.interval(0.95, "wald")
    assert wald.high[1] == pytest.approx(estimate.point[1] + 2.306004135204166 * estimate.standard_error[1], rel=1e-9)
    low, high = estimate.limits()
    assert (wald.low[1], high[1]) == (pytest.approx(max(low[1], 0)), pytest.approx(wald.high[1]))
    with pytest.raises(ValueError, match=r"^method .*got 'wilson'"):
        estimate.interval(method="wilson")
    with pytest.raises(ValueError, match="numbers of people"):
        estimate_weighted_total([0, 1], [40, 25], COINS, [2, 3]).interval()


def test_reports_that_are_all_the_same_still_have_an_interval_of_some_width() -> None:
    estimate = estimate_weighted([0, 0], [20, 10], direct(), [1.0, 2.0])
    assert np.isnan(estimate.design_effects).all()
    interval = estimate.interval()
    assert (interval.low[1], interval.high[0]) == (0, 1)
    assert 0.1 < interval.high[1] < 0.2
    in_part = estimate_weighted([0, 0], [20, 10], COINS, fractions=[0.5])
    assert in_part.covariance[1, 1] > 0
    assert (in_part.interval().high[1], in_part.interval().outside[1]) == (0, True)


def test_a_class_asked_as_a_whole_may_be_one_cluster_whose_coins_alone_vary() -> None:
    estimate = estimate_weighted([0, 1], [18, 12], COINS, clusters=[0, 0], fractions=[1])
    # (z − 1/4)/(1/2) is −1/2 or 3/2: r² − r is 3/4 for everybody.
    assert estimate.covariance[1, 1] == pytest.approx(0.75 / 30)
    assert estimate.degrees_of_freedom == 29
    assert estimate.interval().low[1] < estimate.point[1] == pytest.approx(0.3)


def test_more_reports_than_truths_are_weighted_too() -> None:
    estimate = estimate_weighted([0, 1, 2], [50, 35, 15], kuk("4/5", "1/5", 2))
    assert estimate.point == pytest.approx(estimate_prevalence([50, 35, 15], kuk("4/5", "1/5", 2)).point)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reports": [0, 2]}, "^reports .*0.*1.*255.*got 2"),
        ({"reports": [0]}, "^reports .*2.*0"),
        ({"reports": [255, 255]}, "^reports"),
        ({"counts": [0, 0]}, "^counts .*0.*1"),
        ({"design": None}, "^design .*Design"),
        ({"weights": [1, math.nan]}, "^weights .*2.*0"),
        ({"strata": [0, -1]}, "^strata .*2"),
        ({"clusters": [0.5, 1]}, "^clusters .*2"),
        ({"clusters": [3, 3]}, "^strata: stratum 0 "),
        ({"strata": [0, 1], "counts": [5, 1]}, "^strata: stratum 1 "),
        ({"fractions": [1.5]}, "^fractions .*0.*1.*1"),
        ({"fractions": []}, "^fractions .*0.*1.*1"),
        ({"margins": [Margin("sex", [0], [1])]}, "sex: categories .*2.*got 1"),
    ],
)
def test_what_is_no_sample_is_refused_by_name(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_weighted(**({"reports": [0, 1], "counts": [20, 10], "design": COINS} | arguments))


@pytest.mark.studies
def test_intervals_of_raked_clustered_reports_hold_the_populations_share() -> None:
    # 2,000 studies: .93 and .97 are more than four standard deviations of .005 from .95.
    generator = np.random.default_rng(4)
    clusters, size = 400, 20
    level = generator.beta(2, 6, size=(clusters, 1))
    sex = generator.random((clusters, size)) < 0.5
    truths = generator.random((clusters, size)) < np.clip(level + 0.15 * sex - 0.075, 0, 1)
    strata = np.repeat([0, 1], clusters // 2)
    chance = np.array([40 / 200, 20 / 200])
    targets = np.array([(~sex).sum(), sex.sum()])
    share, held, ignoring = truths.mean(), 0, 0
    for _ in range(2_000):
        drawn = np.concatenate(
            [generator.choice(np.flatnonzero(strata == s), number) for s, number in ((0, 40), (1, 20))]
        )
        reports = (generator.random((60, size)) < 0.25 + 0.5 * truths[drawn]).astype(int).ravel()
        margin = Margin("sex", sex[drawn].astype(int).ravel(), targets)
        ones = np.ones(60 * size, dtype=int)
        weights = rake(ones, [margin], np.repeat(1 / chance[strata[drawn]], size)).weights
        answers = reports, ones, COINS, weights
        interval = estimate_weighted(
            *answers, strata=np.repeat(strata[drawn], size), clusters=np.repeat(np.arange(60), size), margins=[margin]
        ).interval()
        held += interval.low[1] <= share <= interval.high[1]
        plain = estimate_weighted(*answers).interval()
        ignoring += plain.low[1] <= share <= plain.high[1]
    assert 0.93 < held / 2_000 < 0.97
    # The twin: without the clusters the intervals are too short.
    assert ignoring / 2_000 < 0.93


@pytest.mark.studies
def test_weights_that_were_cut_are_taken_as_given_and_not_as_raked() -> None:
    # A standard deviation of the ratio is √(2/1,500) = .037: both limits are more than four of them away from 1.
    generator, n, rows = np.random.default_rng(1), 400, np.arange(12)
    points, given, raked = [], [], []
    for _ in range(1_500):
        year = generator.choice(3, n, p=[0.75, 0.2, 0.05])
        truth = generator.random(n) < np.array([0.1, 0.3, 0.9])[year]
        other, reports = generator.random(n) < 0.3, generator.random(n) < 0.25 + 0.5 * truth
        counts = np.bincount(4 * year + 2 * other + reports, minlength=12)
        margins = [
            Margin("year", rows // 4, n * np.array([0.4, 0.3, 0.3])),
            Margin("other", rows // 2 % 2, n * np.array([0.5, 0.5])),
        ]
        weights = trim_weights(np.array(rake(counts, margins).weights), counts, largest=3).weights
        estimate = estimate_weighted(rows % 2, counts, COINS, weights)
        points.append(estimate.point[1])
        given.append(estimate.covariance[1, 1])
        raked.append(estimate_weighted(rows % 2, counts, COINS, weights, margins=margins).covariance[1, 1])
    true = np.var(points, ddof=1)
    assert 0.84 < np.mean(given) / true < 1.16
    # The twin: residuals make it too small.
    assert np.mean(raked) / true < 0.84
