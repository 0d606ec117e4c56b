import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.intervals.mapped import MAPPED_METHODS
from surveys.estimation.numbers import DistributionEstimate, estimate_distribution, estimate_mean
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import forced_response, from_matrix, k_ary, kuk, triangular
from tests.property_profile import examples

FAIR = forced_response()
FOUR = k_ary(4, "1/2")
MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
EDGES = [0, 10, 20, 50, 100]
counts_of_four = st.lists(st.integers(0, 400), min_size=4, max_size=4).filter(any)


def distribution(counts: list[int]) -> DistributionEstimate:
    return estimate_distribution(counts, FOUR, EDGES)


def test_a_mean_is_the_share_of_the_higher_value_on_the_numbers_scale() -> None:
    estimate = estimate_mean([60, 40], FAIR, 10, 30)
    assert estimate.point == pytest.approx(10 + 20 * 0.3)
    assert estimate.constrained == pytest.approx(16)
    assert estimate.standard_error == pytest.approx(20 * 2 * math.sqrt(0.4 * 0.6 / 99))


@pytest.mark.parametrize("method", [None, *MAPPED_METHODS])
def test_the_interval_for_a_mean_is_that_for_the_share_on_the_numbers_scale(method: str | None) -> None:
    share = estimate_prevalence([60, 40], FAIR).interval(0.9, method)
    interval = estimate_mean([60, 40], FAIR, -5, 15).interval(0.9, method)
    assert interval.low == pytest.approx(-5 + 20 * share.low[1])
    assert interval.high == pytest.approx(-5 + 20 * share.high[1])
    assert (interval.confidence_level, interval.method) == (0.9, share.method)
    assert not interval.outside


def test_a_mean_that_no_numbers_have_is_marked_and_cut() -> None:
    estimate = estimate_mean([95, 5], FAIR, 10, 30)
    assert estimate.point == pytest.approx(2)
    assert estimate.constrained == 10
    interval = estimate.interval()
    assert (interval.low, interval.high, interval.outside) == (10, 10, True)


def test_a_mean_through_two_cards_has_a_profile_interval() -> None:
    interval = estimate_mean([30, 40, 30], kuk("4/5", "1/5", 2), 0, 1).interval()
    assert interval.method == "likelihood_ratio"
    assert interval.low == pytest.approx(1 - interval.high, abs=1e-9)


def test_the_standard_error_of_a_mean_includes_rounding_by_chance() -> None:
    # Three respondents with the numbers 0, 2 and 5 of 10: exactly, over all the reports they can send.
    design = forced_response("3/4", "1/2")
    numbers = [0, 2, 5]
    columns = [np.array(design.matrix, dtype=float) @ [1 - number / 10, number / 10] for number in numbers]
    population = sum(columns) / 3
    mean = second = stated = 0.0
    for yes in range(4):
        probability = stats.binom.pmf(yes, 3, population[1])
        estimate = estimate_mean([3 - yes, yes], design, 0, 10)
        mean += probability * estimate.point
        second += probability * estimate.point**2
        stated += probability * estimate.standard_error**2
    assert mean == pytest.approx(7 / 3)
    assert stated == pytest.approx(second - mean**2)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1, 1),
        (2, 1),
        (math.nan, 1),
        (0, math.nan),
        (-math.inf, 1),
        (0, math.inf),
        (-1.7e308, 1.7e308),
        (0, 10**400),
        (0, True),
        (0, "1"),
        (None, 1),
    ],
)
def test_the_limits_of_a_mean_are_finite_and_in_order(low: object, high: object) -> None:
    with pytest.raises(ValueError, match=r"^low and high .*-1e.100.*1e.100"):
        estimate_mean([1, 1], FAIR, low, high)


def test_a_mean_needs_a_design_for_two_answers() -> None:
    with pytest.raises(ValueError, match=r"^design .*4"):
        estimate_mean([1, 1, 1, 1], FOUR, 0, 1)


def test_one_response_has_a_mean_but_no_standard_error() -> None:
    assert math.isnan(estimate_mean([0, 1], FAIR, 0, 1).standard_error)
    estimate = estimate_distribution([1, 0, 0, 0], FOUR, EDGES)
    assert math.isnan(estimate.mean_standard_error)
    assert estimate.mean_interval().high <= 100


def test_the_mean_of_bands_is_that_of_their_middles() -> None:
    estimate = distribution([40, 30, 20, 10])
    middles = np.array([5, 15, 35, 75])
    assert estimate.mean == pytest.approx(middles @ estimate.bands.point)
    variance = middles @ estimate.bands.covariance @ middles
    assert estimate.mean_standard_error == pytest.approx(math.sqrt(variance))
    # The same as the sample variance of what each report counts for.
    worth = middles @ np.array(FOUR.left_inverse, dtype=float)
    values = np.repeat(worth, [40, 30, 20, 10])
    assert estimate.mean == pytest.approx(values.mean())
    assert estimate.mean_standard_error == pytest.approx(values.std(ddof=1) / 10)


def test_without_chance_the_mean_of_the_numbers_is_between_the_bounds() -> None:
    edges, numbers = (0, 10, 20, 50, 100), [3, 9, 10, 19, 49, 50, 50, 100]
    counts, _ = np.histogram(numbers, edges)
    low, high = estimate_distribution(counts, k_ary(4, 1), edges).mean_bounds
    assert low == pytest.approx((0 + 0 + 10 + 10 + 20 + 50 + 50 + 50) / 8)
    assert high == pytest.approx((10 + 10 + 20 + 20 + 50 + 100 + 100 + 100) / 8)
    assert low <= np.mean(numbers) <= high


@pytest.mark.parametrize("method", ["likelihood_ratio", "wald"])
def test_the_interval_of_the_mean_is_that_of_both_edges_and_holds_the_bounds(method: str) -> None:
    estimate = distribution([400, 300, 200, 300])
    interval = estimate.mean_interval(0.9, method)
    assert interval.low < estimate.mean_bounds[0]
    assert estimate.mean_bounds[1] < interval.high
    assert (interval.confidence_level, interval.method, interval.outside) == (0.9, method, False)
    # Large samples: both are the bounds give or take 1.645 standard errors.
    for edges, limit, sign in (([0, 10, 20, 50], interval.low, -1), ([10, 20, 50, 100], interval.high, 1)):
        weights = np.array(edges)
        error = math.sqrt(weights @ estimate.bands.covariance @ weights)
        assert limit == pytest.approx(weights @ estimate.bands.point + sign * 1.645 * error, abs=0.05 * error)


def test_walds_interval_of_a_mean_beyond_the_edges_is_marked_and_cut() -> None:
    # Here only the mean with all numbers at the right edges is beyond them.
    interval = distribution([0, 0, 0, 1000]).mean_interval(method="wald")
    assert (interval.low, interval.high, interval.outside) == (pytest.approx(80), 100, False)
    design = k_ary(3, "1/4")
    interval = estimate_distribution([0, 0, 1000], design, [1, 2, 3, 4]).mean_interval(method="wald")
    assert (interval.low, interval.high, interval.outside) == (4, 4, True)
    interval = estimate_distribution([1000, 0, 0], design, [1, 2, 3, 4]).mean_interval(method="wald")
    assert (interval.low, interval.high, interval.outside) == (1, 1, True)


def test_the_interval_of_the_mean_covers_at_least_as_often_as_it_says() -> None:
    # Exactly, over all samples of 12 reports of one of three bands; the numbers are at the left edges of theirs.
    design, edges, shares, n = k_ary(3, "2/3"), [0, 1, 2, 3], np.array([0.5, 0.3, 0.2]), 12
    reported = np.array(design.matrix, dtype=float) @ shares
    for place in (0.0, 1.0):
        covered = 0.0
        for first in range(n + 1):
            for second in range(n + 1 - first):
                counts = [first, second, n - first - second]
                interval = estimate_distribution(counts, design, edges).mean_interval(0.9)
                mean = shares @ (np.arange(3) + place)
                if interval.low <= mean + 1e-9 and mean - 1e-9 <= interval.high:
                    covered += float(stats.multinomial.pmf(counts, n, reported))
        assert covered > 0.9


@pytest.mark.parametrize("method", ["wilson", "bootstrap", "bayes", None])
def test_a_mean_has_two_methods_only(method: object) -> None:
    with pytest.raises(ValueError, match=r"^method"):
        distribution([40, 30, 20, 10]).mean_interval(method=method)


def test_the_distribution_function_adds_up_the_constrained_shares() -> None:
    estimate = distribution([70, 20, 10, 0])
    assert estimate.bands.point.min() < 0
    assert estimate.distribution_function == pytest.approx(np.cumsum(estimate.bands.constrained)[:3])
    assert estimate.distribution_function[-1] <= 1


@pytest.mark.parametrize("method", MAPPED_METHODS)
def test_the_interval_for_the_share_below_an_edge_is_that_of_two_answers(method: str) -> None:
    # Below 20 or not is a two-answer question whose spinner shows "below" half of the time.
    interval = distribution([40, 30, 20, 10]).distribution_interval(0.9, method)
    merged = estimate_prevalence([30, 70], forced_response("1/2", "1/2")).interval(0.9, method)
    assert interval.low[1] == pytest.approx(merged.low[1])
    assert interval.high[1] == pytest.approx(merged.high[1])
    assert interval.low.size == 3
    assert interval.method == method


def test_simultaneous_limits_hold_for_all_inner_edges() -> None:
    estimate = distribution([40, 30, 20, 10])
    together, alone = (
        estimate.distribution_interval(0.9, simultaneous=True),
        estimate.distribution_interval(1 - 0.1 / 3),
    )
    assert together.low == pytest.approx(alone.low)
    assert (together.simultaneous, together.confidence_level, together.method) == (True, 0.9, "wilson")
    assert not alone.simultaneous


def test_a_design_that_mixes_bands_has_limits_by_profiles_or_walds() -> None:
    estimate = estimate_distribution([400, 300, 300], MIXING, [0, 1, 2, 3])
    profile, wald = estimate.distribution_interval(), estimate.distribution_interval(method="wald")
    assert (profile.method, wald.method) == ("likelihood_ratio", "wald")
    assert (profile.confidence_level, profile.simultaneous, profile.low.size) == (0.95, False, 2)
    assert wald.low[0] == pytest.approx(estimate.bands.interval(method="wald").low[0], rel=1e-9)
    assert profile.low == pytest.approx(wald.low, abs=0.005)
    assert profile.high == pytest.approx(wald.high, abs=0.005)
    # The share below the first edge is the share of the first band; above the last, that of the last.
    bands = estimate.bands.interval()
    assert profile.low[0] == pytest.approx(bands.low[0], rel=1e-8)
    assert profile.high[1] == pytest.approx(1 - bands.low[2], rel=1e-8)
    together = estimate.distribution_interval(0.9, simultaneous=True)
    assert together.low == pytest.approx(estimate.distribution_interval(0.95).low)
    assert together.simultaneous


@pytest.mark.parametrize("method", ["bootstrap", "bayes"])
def test_a_method_that_the_share_below_has_not_is_refused(method: str) -> None:
    with pytest.raises(ValueError, match=rf"^method .*wilson, .*got '{method}'"):
        distribution([40, 30, 20, 10]).distribution_interval(method=method)


def test_a_quantile_spreads_the_numbers_of_a_band_evenly() -> None:
    estimate = estimate_distribution([20, 30, 40, 10], k_ary(4, 1), EDGES)
    assert estimate.quantile(0.1) == pytest.approx(5)
    assert estimate.quantile(0.2) == pytest.approx(10)
    assert estimate.quantile(0.5) == pytest.approx(20)
    assert estimate.quantile(0.7) == pytest.approx(35)
    assert estimate.quantile(0.95) == pytest.approx(75)
    empty_band = estimate_distribution([50, 0, 0, 50], k_ary(4, 1), EDGES)
    assert empty_band.quantile(0.5) == pytest.approx(10)
    assert empty_band.quantile(0.51) == pytest.approx(51)


def test_an_interval_for_a_quantile_inverts_those_for_the_shares_below() -> None:
    estimate = estimate_distribution([200, 300, 400, 100], k_ary(4, 1), EDGES)
    interval = estimate.quantile_interval(0.4)
    assert (interval.low, interval.high) == (10, 20)
    assert (interval.confidence_level, interval.method) == (0.95, "wilson")
    interval = estimate.quantile_interval(0.5)
    assert (interval.low, interval.high) == (10, 50)
    assert estimate.quantile_interval(0.01).low == 0
    assert estimate.quantile_interval(0.01).high == 10
    assert estimate.quantile_interval(0.99).low == 50
    assert estimate.quantile_interval(0.99).high == 100
    assert estimate.quantile_interval(0.4, 0.9, "wald").method == "wald"
    wide = estimate.quantile_interval(0.21, 0.9999)
    assert (wide.low, wide.high) == (0, 20)


@pytest.mark.parametrize("probability", [0.2, 0.5, 0.85])
def test_an_interval_for_a_quantile_covers_at_least_as_often_as_it_says(probability: float) -> None:
    # Exactly, over all samples of 12 reports of one of three bands with numbers spread evenly in each.
    design, edges, shares, n = k_ary(3, "2/3"), [0, 1, 2, 3], np.array([0.4, 0.35, 0.25]), 12
    reported = np.array(design.matrix, dtype=float) @ shares
    truth = float(np.interp(probability, [0, 0.4, 0.75, 1], edges))
    covered = 0.0
    for first in range(n + 1):
        for second in range(n + 1 - first):
            counts = [first, second, n - first - second]
            estimate = estimate_distribution(counts, design, edges)
            interval = estimate.quantile_interval(probability, 0.9, "clopper_pearson")
            if interval.low <= truth <= interval.high:
                covered += float(stats.multinomial.pmf(counts, n, reported))
    assert covered >= 0.9


@pytest.mark.parametrize("probability", [0, 1, -0.5, 50, math.nan])
def test_a_quantile_is_of_a_probability_between_0_and_1(probability: float) -> None:
    estimate = distribution([40, 30, 20, 10])
    with pytest.raises(ValueError, match=r"^probability"):
        estimate.quantile(probability)
    with pytest.raises(ValueError, match=r"^probability"):
        estimate.quantile_interval(probability)


@examples(40)
@given(counts_of_four, st.floats(0.01, 0.99))
def test_quantiles_and_their_intervals_are_coherent(counts: list[int], probability: float) -> None:
    estimate = distribution(counts)
    interval = estimate.quantile_interval(probability, 0.9, "likelihood_ratio")
    assert 0 <= interval.low < interval.high <= 100
    assert 0 <= estimate.quantile(probability) <= 100
    wider = estimate.quantile_interval(probability, 0.99, "likelihood_ratio")
    assert wider.low <= interval.low
    assert interval.high <= wider.high


@given(counts_of_four)
def test_turning_the_scale_around_mirrors_everything(counts: list[int]) -> None:
    estimate = distribution(counts)
    mirrored = estimate_distribution(counts[::-1], FOUR, [-edge for edge in EDGES[::-1]])
    assert mirrored.mean == pytest.approx(-estimate.mean, abs=1e-9)
    assert mirrored.mean_bounds == pytest.approx((-estimate.mean_bounds[1], -estimate.mean_bounds[0]), abs=1e-9)
    low, high = estimate.distribution_interval().low, mirrored.distribution_interval().high
    assert high == pytest.approx(1 - low[::-1], abs=1e-9)


@pytest.mark.parametrize(
    "edges",
    [
        [0, 1, 2, 3],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 1, 3, 4],
        [4, 3, 2, 1, 0],
        [0, 1, 2, 3, math.inf],
        [0, 1, math.nan, 3, 4],
        ["0", "1", "2", "3", "4"],
        [0, 1, 2, 3, 4j],
        [0, 1, 2, 3, 10**400],
        [-1.7e308, 0, 1, 2, 1.7e308],
        [False, 1, 2, 3, 4],
        None,
    ],
)
def test_edges_are_finite_ascending_numbers_one_more_than_bands(edges: list) -> None:
    with pytest.raises(ValueError, match=r"^edges must be"):
        estimate_distribution([1, 1, 1, 1], FOUR, edges)


def test_exact_edges_are_taken_as_they_are_and_cannot_be_changed() -> None:
    edges = [Fraction(code, 2) for code in (1, 3, 5, 7, 9)]
    estimate = estimate_distribution([1, 2, 3, 4], FOUR, edges)
    assert estimate.edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    with pytest.raises(ValueError, match="read-only"):
        estimate.edges[0] = 0


def test_in_small_samples_the_interval_of_the_mean_can_cover_less_than_it_says() -> None:
    # Five respondents, two bands, all numbers at the lower edges: exactly, over all samples.
    design, share = triangular("1/4"), 0.57
    covered = 0.0
    for yes in range(6):
        interval = estimate_distribution([5 - yes, yes], design, [0, 1, 2]).mean_interval()
        covered += stats.binom.pmf(yes, 5, 0.25 + 0.75 * share) * (interval.low <= share <= interval.high)
    assert covered == pytest.approx(0.857, abs=5e-4)


@pytest.mark.parametrize("scale", [1e100, Fraction(10**99), 1e-100])
def test_very_large_and_very_small_numbers_are_numbers(scale: float) -> None:
    mean = estimate_mean([60, 40], FAIR, -scale, scale)
    assert math.isfinite(mean.standard_error)
    assert mean.interval().low < mean.point < mean.interval().high
    edges = [-scale, -scale / 2, 0, scale / 2, scale]
    large, usual = (estimate_distribution([40, 30, 20, 10], FOUR, limits) for limits in (edges, [-1, -0.5, 0, 0.5, 1]))
    for method in ("wald", "likelihood_ratio"):
        assert large.mean_interval(0.8, method).high / float(scale) == pytest.approx(
            usual.mean_interval(0.8, method).high, abs=1e-6
        )


@pytest.mark.parametrize("probability", ["0.5", None, True])
def test_a_quantile_is_of_a_number(probability: object) -> None:
    with pytest.raises(ValueError, match=r"^probability"):
        distribution([40, 30, 20, 10]).quantile(probability)


@pytest.mark.parametrize("design", [None, "x"])
def test_what_is_no_design_is_refused_by_name(design: object) -> None:
    with pytest.raises(ValueError, match=r"^design .*Design"):
        estimate_mean([1, 1], design, 0, 1)
    with pytest.raises(ValueError, match=r"^design .*Design"):
        estimate_distribution([1, 1], design, [0, 1, 2])
