from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.affine import AffineMap, affine_map, require_affine_map
from surveys.estimation.intervals.binomial import METHODS, wilson
from surveys.estimation.intervals.mapped import MAPPED_METHODS, mapped_interval
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, crosswise, forced_response, from_matrix, k_ary, mangat, triangular, warner
from tests.golden import cases
from tests.property_profile import examples

# Our names, and those in the reference values.
THEIRS = {name: name for name in METHODS} | {"wald": "wald_n", "likelihood_ratio": "lr_ci_constrained"}
counts_of = st.lists(st.integers(0, 500), min_size=2, max_size=2).filter(any)


@pytest.mark.parametrize("case", cases("derived", "ci_"), ids=lambda case: case["id"])
@pytest.mark.parametrize("method", METHODS)
def test_limits_equal_those_of_statsmodels_mapped_to_prevalences(case: dict, method: str) -> None:
    given_ = case["inputs"]
    offset, slope = (Fraction(str(round(given_[name], 12))) for name in ("offset_d", "slope_c"))
    design = forced_response(slope, offset / (1 - slope))
    estimate = estimate_prevalence([given_["n"] - given_["x"], given_["x"]], design)
    interval = estimate.interval(given_["level"], method)
    assert [interval.low[1], interval.high[1]] == pytest.approx(case["outputs"][THEIRS[method]], rel=1e-10)


def test_a_weighted_spinner_maps_each_option_by_its_own_line() -> None:
    design = k_ary(3, "1/2", ["1/2", "1/4", "1/4"])
    low, high = wilson(np.array([50, 30, 20]), 100, 0.95)
    interval = estimate_prevalence([50, 30, 20], design).interval()
    for option, chance in enumerate([1 / 4, 1 / 8, 1 / 8]):
        assert interval.low[option] == pytest.approx(max(0, (low[option] - chance) * 2))
        assert interval.high[option] == pytest.approx((high[option] - chance) * 2)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "likelihood_ratio"])
def test_an_interval_that_no_prevalence_is_in_says_so(method: str) -> None:
    # Two fair coins alone give 25 Yes of 100, and at most 75.
    low, fits, high = (estimate_prevalence([100 - yes, yes], forced_response()) for yes in (10, 40, 90))
    assert low.interval(method=method).outside.tolist() == [True, True]
    assert (low.interval(method=method).low[1], low.interval(method=method).high[1]) == (0, 0)
    assert high.interval(method=method).outside.tolist() == [True, True]
    assert (high.interval(method=method).low[1], high.interval(method=method).high[1]) == (1, 1)
    assert fits.interval(method=method).outside.tolist() == [False, False]


@pytest.mark.parametrize("design", [forced_response(), warner("1/4"), triangular("1/4"), mangat("2/3")], ids=str)
@pytest.mark.parametrize("yes", [0, 1, 10, 40, 90, 100])
@pytest.mark.parametrize("method", ["likelihood_ratio", "confidence_sequence"])
def test_intervals_by_the_likelihood_are_never_empty_and_hold_the_constrained_estimate(
    design: Design, yes: int, method: str
) -> None:
    estimate = estimate_prevalence([100 - yes, yes], design)
    interval = estimate.interval(method=method)
    assert not interval.outside.any()
    assert (interval.high - interval.low > 0.01).all()
    assert (interval.low <= estimate.constrained + 1e-12).all()
    assert (estimate.constrained <= interval.high + 1e-12).all()


def test_far_outside_the_likelihood_ratio_interval_compares_with_the_edge_only() -> None:
    interval = estimate_prevalence([90, 10], forced_response()).interval(method="likelihood_ratio")
    reported = 0.25 + 0.5 * interval.high[1]
    ratio = 2 * (stats.binom.logpmf(10, 100, 0.25) - stats.binom.logpmf(10, 100, reported))
    assert interval.low[1] == 0
    assert ratio == pytest.approx(stats.chi2.ppf(0.95, 1))


@pytest.mark.parametrize("method", MAPPED_METHODS)
@examples(25)
@given(counts=counts_of)
def test_yes_and_no_mirror_each_other(method: str, counts: list[int]) -> None:
    interval = estimate_prevalence(counts, forced_response("2/3", "1/5")).interval(method=method)
    assert interval.low[0] == pytest.approx(1 - interval.high[1], abs=1e-9)
    assert interval.low[1] == pytest.approx(1 - interval.high[0], abs=1e-9)


@pytest.mark.parametrize("method", MAPPED_METHODS)
@examples(25)
@given(counts=counts_of)
def test_exchanging_the_two_reports_and_their_probabilities_changes_nothing(method: str, counts: list[int]) -> None:
    straight = estimate_prevalence(counts, warner("3/4"))
    swapped = estimate_prevalence(counts[::-1], crosswise("1/4"))
    assert straight.point == pytest.approx(swapped.point)
    assert straight.interval(method=method).low == pytest.approx(swapped.interval(method=method).low, abs=1e-9)
    assert straight.interval(method=method).high == pytest.approx(swapped.interval(method=method).high, abs=1e-9)


@pytest.mark.parametrize("method", MAPPED_METHODS)
@examples(25)
@given(
    counts=st.lists(st.integers(0, 500), min_size=4, max_size=4).filter(any),
    order=st.permutations(range(4)),
    levels=st.tuples(st.floats(0.5, 0.999), st.floats(0.5, 0.999)),
)
def test_intervals_are_nested_and_follow_the_labels(
    method: str, counts: list[int], order: list[int], levels: tuple[float, float]
) -> None:
    estimate = estimate_prevalence(counts, k_ary(4, "2/3"))
    narrow, wide = (estimate.interval(level, method) for level in sorted(levels))
    assert (wide.low <= narrow.low + 1e-12).all()
    assert (narrow.high <= wide.high + 1e-12).all()
    relabelled = estimate_prevalence([counts[code] for code in order], k_ary(4, "2/3"))
    permuted = relabelled.interval(narrow.confidence_level, method)
    assert permuted.low == pytest.approx(narrow.low[order], abs=1e-12)
    assert permuted.high == pytest.approx(narrow.high[order], abs=1e-12)


def test_simultaneous_intervals_are_goodmans() -> None:
    counts, n = np.array([56, 72, 73, 59, 62, 87, 58]), 467
    estimate = estimate_prevalence(counts, k_ary(7, 1))
    together = estimate.interval(0.95, simultaneous=True)
    # Goodman's formula, with χ²₁'s upper quantile at .05/7.
    a = stats.chi2.ppf(1 - 0.05 / 7, 1)
    root = np.sqrt(a * (a + 4 * counts * (n - counts) / n))
    assert together.low == pytest.approx((a + 2 * counts - root) / (2 * (n + a)), rel=1e-12)
    assert together.high == pytest.approx((a + 2 * counts + root) / (2 * (n + a)), rel=1e-12)
    assert together.simultaneous
    assert together.confidence_level == 0.95
    assert not estimate.interval().simultaneous


def test_two_answers_have_only_one_interval_so_it_is_simultaneous_as_it_is() -> None:
    estimate = estimate_prevalence([60, 40], forced_response())
    assert estimate.interval(simultaneous=True).low == pytest.approx(estimate.interval().low, abs=0)


def test_simultaneous_intervals_hold_together_at_least_as_often_as_they_say() -> None:
    # Exactly, over all samples of 12 reports of one of three.
    design, prevalence, n = k_ary(3, "1/2"), np.array([0.5, 0.3, 0.2]), 12
    reported = np.array(design.matrix, dtype=float) @ prevalence
    held = {True: 0.0, False: 0.0}
    for first in range(n + 1):
        for second in range(n + 1 - first):
            counts = [first, second, n - first - second]
            for simultaneous in held:
                interval = estimate_prevalence(counts, design).interval(0.9, "clopper_pearson", simultaneous)
                if ((interval.low <= prevalence) & (prevalence <= interval.high)).all():
                    held[simultaneous] += float(stats.multinomial.pmf(counts, n, reported))
    assert held[True] >= 0.9
    assert held[False] < held[True]


def test_a_line_knows_its_edges_and_its_merged_reports() -> None:
    line = affine_map(k_ary(3, "1/2", ["1/2", "1/3", "1/6"]))
    assert line is not None
    low, high = line.edges()
    assert low == pytest.approx([1 / 4, 1 / 6, 1 / 12])
    assert high == pytest.approx([3 / 4, 2 / 3, 7 / 12])
    assert line.of_merged().offset == pytest.approx([1 / 4, 5 / 12])
    assert line.of_merged().slope == line.slope
    falling = AffineMap(np.array([0.75]), -0.5)
    assert falling.edges() == (pytest.approx([0.25]), pytest.approx([0.75]))
    assert falling.to_prevalence(np.array([0.25]), np.array([0.5])) == (pytest.approx([0.5]), pytest.approx([1]))


def test_a_design_that_mixes_prevalences_has_no_lines() -> None:
    mixing = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
    assert affine_map(mixing) is None
    with pytest.raises(ValueError, match=r"design matrix: .*prevalence"):
        require_affine_map(mixing)
    line = require_affine_map(forced_response("1/2", "1/4"))
    assert line.offset == pytest.approx([3 / 8, 1 / 8])
    assert line.slope == pytest.approx(1 / 2)


def test_rounding_does_not_lead_an_edge_beyond_a_probability() -> None:
    falling = AffineMap(np.array([0.3]), -0.3 - 1e-15)
    assert falling.offset[0] + falling.slope < 0
    assert falling.edges()[0][0] == 0
    line = AffineMap(np.array([0.8]), 0.2 + 1e-15)
    assert line.offset[0] + line.slope > 1
    assert line.edges()[1][0] == 1


def test_many_counts_may_share_one_line() -> None:
    line = AffineMap(np.array([0.25]), 0.5)
    interval = mapped_interval(np.arange(31), 30, line, 0.95, "likelihood_ratio")
    for yes in (0, 7, 30):
        alone = estimate_prevalence([30 - yes, yes], forced_response()).interval(method="likelihood_ratio")
        assert [interval.low[yes], interval.high[yes]] == pytest.approx([alone.low[1], alone.high[1]], rel=1e-12)
