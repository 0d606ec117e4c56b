import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.intervals.mapped import MAPPED_METHODS
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.unary import estimate_unary
from surveys.privacy.designs import UnaryDesign, optimized_unary, symmetric_unary
from tests.golden import cases


@pytest.mark.parametrize("case", cases("ldp", "oue"), ids=lambda case: case["id"])
def test_frequencies_equal_those_of_pure_ldp_but_its_variance_is_of_the_noise_only(case: dict) -> None:
    given, expected = case["inputs"], case["outputs"]
    design = UnaryDesign(len(given["bit_counts"]), Fraction(given["p"]), Fraction(given["q"]))
    estimate = estimate_unary(given["bit_counts"], given["n"], design)
    assert estimate.point == pytest.approx(expected["freq_unbiased"], rel=1e-10)
    at_epsilon = estimate_unary(given["bit_counts"], given["n"], optimized_unary(given["epsilon"], design.k))
    assert at_epsilon.point == pytest.approx(expected["freq_unbiased"], rel=1e-10)
    # Its variance, called VAR*, leaves out that the respondents themselves are a sample.
    ours = estimate.standard_error**2 * (given["n"] - 1) / given["n"]
    sampling = estimate.point * (1 - estimate.point) / given["n"]
    assert ours - sampling == pytest.approx(expected["var"], rel=1e-9)


@pytest.mark.parametrize("case", cases("ldp", "oue_k5_eps0.5"), ids=lambda case: case["id"])
def test_clipping_and_renormalising_is_never_done(case: dict) -> None:
    given, expected = case["inputs"], case["outputs"]
    design = UnaryDesign(5, Fraction(given["p"]), Fraction(given["q"]))
    estimate = estimate_unary(given["bit_counts"], given["n"], design)
    clipped = np.array(expected["mi_clip_renorm"])
    assert clipped == pytest.approx(estimate.point.clip(0) / estimate.point.clip(0).sum(), rel=1e-9)
    # The nearest distribution is nearer.
    assert estimate.nearest.sum() == pytest.approx(1)
    assert ((estimate.nearest - estimate.point) ** 2).sum() < ((clipped - estimate.point) ** 2).sum()


@pytest.mark.parametrize("design", [optimized_unary(1, 3), symmetric_unary(2, 3)], ids=["optimized", "symmetric"])
def test_point_and_covariance_are_unbiased_exactly(design: UnaryDesign) -> None:
    # The expectation over every possible pair of whole reports.
    prevalence = np.array([0.5, 0.3, 0.2])
    reported = np.array(design.matrix, dtype=float) @ prevalence
    bits = np.array([[report >> option & 1 for option in range(3)] for report in range(8)])
    mean, second, stated = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for reports in product(range(8), repeat=2):
        probability = reported[list(reports)].prod()
        estimate = estimate_unary(bits[list(reports)].sum(axis=0), 2, design)
        mean += probability * estimate.point
        second += probability * np.outer(estimate.point, estimate.point)
        stated += probability * estimate.covariance
    assert mean == pytest.approx(prevalence, rel=1e-12)
    assert stated == pytest.approx(second - np.outer(mean, mean), rel=1e-10)


def test_the_totals_of_bits_give_the_point_that_whole_reports_give() -> None:
    design = optimized_unary(1, 3)
    counts = np.random.default_rng(20_270).multinomial(500, np.array(design.matrix, float) @ [0.5, 0.3, 0.2])
    ones = [sum(int(count) for report, count in enumerate(counts) if report >> option & 1) for option in range(3)]
    estimate = estimate_unary(ones, 500, design)
    assert estimate.point == pytest.approx(estimate_prevalence(counts, design.design).point, rel=1e-12)


@pytest.mark.parametrize("method", MAPPED_METHODS)
def test_the_interval_of_an_option_is_that_of_its_bit(method: str) -> None:
    design = symmetric_unary(2, 4)
    estimate = estimate_unary([120, 90, 60, 70], 200, design)
    interval = estimate.interval(0.9, method)
    assert interval.method in estimate.interval_methods
    for option, ones in enumerate([120, 90, 60, 70]):
        bit = estimate_prevalence([200 - ones, ones], design.bit).interval(0.9, method)
        assert interval.low[option] == pytest.approx(bit.low[1], rel=1e-9)
        assert interval.high[option] == pytest.approx(bit.high[1], rel=1e-9)


def test_simultaneous_intervals_share_the_error_among_all_options() -> None:
    estimate = estimate_unary([120, 90, 60, 70], 200, symmetric_unary(2, 4))
    together, alone = estimate.interval(0.9, simultaneous=True), estimate.interval(0.975)
    assert together.low == pytest.approx(alone.low, rel=1e-12)
    assert (together.simultaneous, alone.simultaneous) == (True, False)
    assert alone.method == "wilson"


def test_walds_interval_uses_the_population_variance_and_covers_where_the_noise_alone_would_not() -> None:
    # Much is known of each bit, so most of the variance is that of sampling. Exactly, by enumerating the total.
    design, n, share = UnaryDesign(2, Fraction(99, 100), Fraction(1, 100)), 400, 0.5
    p, q = 0.99, 0.01
    totals = np.arange(n + 1)
    probability = stats.binom.pmf(totals, n, q + (p - q) * share)
    covered = noise_alone = 0.0
    for total, weight in zip(totals, probability, strict=True):
        if weight > 1e-12:
            estimate = estimate_unary([total, n - total], n, design)
            interval = estimate.interval(method="wald")
            covered += weight * (interval.low[0] <= share <= interval.high[0])
            var_star = estimate.standard_error[0] ** 2 - estimate.point[0] * (1 - estimate.point[0]) / n
            noise_alone += weight * (abs(estimate.point[0] - share) <= 1.96 * math.sqrt(var_star))
    assert covered > 0.94
    assert noise_alone < 0.5


def test_one_response_has_no_standard_error() -> None:
    estimate = estimate_unary([1, 0], 1, optimized_unary(1, 2))
    assert np.isnan(estimate.standard_error).all()
    assert estimate.covariance.shape == (2, 2)
    assert estimate.nearest.tolist() == [1, 0]


@pytest.mark.parametrize("ones", [[0, 0, 0], [9, 9, 9], [0, 9, 0]])
def test_none_and_all_are_defined(ones: list[int]) -> None:
    estimate = estimate_unary(ones, 9, optimized_unary(1, 3))
    assert estimate.standard_error.tolist() == [0, 0, 0]
    assert estimate.nearest.sum() == pytest.approx(1)
    assert (estimate.interval().low <= estimate.interval().high).all()


@pytest.mark.parametrize("n", [0, -1, math.nan, 2.5, True, "9"])
def test_a_number_of_respondents_is_an_integer_of_at_least_1(n: object) -> None:
    with pytest.raises(ValueError, match=r"^n must be"):
        estimate_unary([0, 0], n, optimized_unary(1, 2))


@pytest.mark.parametrize("ones", [[1], [1, 2, 3], [-1, 1], [10, 1], [0.5, 1], [math.nan, 1]])
def test_what_are_no_totals_of_bits_is_refused(ones: object) -> None:
    with pytest.raises(ValueError, match=r"^ones must be"):
        estimate_unary(ones, 9, optimized_unary(1, 2))


def test_the_design_is_one_of_bits() -> None:
    with pytest.raises(ValueError, match=r"^design .*UnaryDesign"):
        estimate_unary([1, 0], 1, optimized_unary(1, 2).bit)
    assert type(estimate_unary([1, 0], np.int64(1), optimized_unary(1, 2)).n) is int
