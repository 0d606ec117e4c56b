import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.association.groups import adjusted_p_values, compare_groups
from surveys.estimation.intervals.binomial import wilson
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner
from tests.golden import cases
from tests.property_profile import examples

DIRECT = warner(1)
MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])


def test_the_difference_of_two_groups_equals_the_derived_one() -> None:
    (case,) = cases("derived", "group_diff_warner_p.75")
    given_, expected = case["inputs"], case["outputs"]
    counts = [[given_[f"n{g}"] - given_[f"x{g}"], given_[f"x{g}"]] for g in (1, 2)]
    comparison = compare_groups(counts, warner("3/4"))
    assert comparison.estimates[0].point[1] == pytest.approx(expected["pi1"], rel=1e-10)
    assert comparison.estimates[1].point[1] == pytest.approx(expected["pi2"], rel=1e-10)
    difference = comparison.difference(0, 1)
    assert difference.point == pytest.approx(expected["diff"], rel=1e-10)
    assert difference.standard_error == pytest.approx(expected["se"], rel=1e-10)
    assert difference.z == pytest.approx(expected["z"], rel=1e-10)
    assert difference.p_value == pytest.approx(expected["p_two_sided"], rel=1e-10)


@pytest.mark.parametrize("option", [-1, 2, 0.5])
def test_an_answer_that_is_none_is_refused(option: float) -> None:
    comparison = compare_groups([[310, 290], [340, 210]], warner("3/4"))
    with pytest.raises(ValueError, match=r"^option .*0.*1"):
        comparison.difference(0, 1, option)  # type: ignore[arg-type]


def test_the_other_way_round_the_difference_has_the_other_sign() -> None:
    comparison = compare_groups([[310, 290], [340, 210]], warner("3/4"))
    one, other = comparison.difference(0, 1), comparison.difference(1, 0)
    assert one.point == -other.point
    assert one.z == -other.z
    assert one.p_value == other.p_value
    assert one.interval().low == pytest.approx(-other.interval().high)
    assert comparison.difference(0, 1, option=0).point == pytest.approx(-one.point)


def test_the_interval_is_newcombes_divided_by_the_slope() -> None:
    interval = compare_groups([[310, 290], [340, 210]], warner("3/4")).difference(0, 1).interval(0.9)
    (low1,), (high1,) = wilson(np.array([290]), 600, 0.9)
    (low2,), (high2,) = wilson(np.array([210]), 550, 0.9)
    share1, share2 = 290 / 600, 210 / 550
    low = share1 - share2 - math.hypot(share1 - low1, high2 - share2)
    high = share1 - share2 + math.hypot(high1 - share1, share2 - low2)
    assert [interval.low, interval.high] == pytest.approx([low / 0.5, high / 0.5], rel=1e-10)
    assert (interval.method, interval.confidence_level, interval.outside) == ("wilson", 0.9, False)


def test_wald_is_the_point_plus_and_minus_z_standard_errors() -> None:
    difference = compare_groups([[310, 290], [340, 210]], warner("3/4")).difference(0, 1)
    interval = difference.interval(0.9, "wald")
    half = stats.norm.ppf(0.95) * difference.standard_error
    assert [interval.low, interval.high] == pytest.approx([difference.point - half, difference.point + half])
    assert interval.method == "wald"


def test_a_design_that_mixes_prevalences_has_no_binomial_interval() -> None:
    for designs in (MIXING, [MIXING, k_ary(3, "1/2")], [k_ary(3, "1/2"), MIXING]):
        difference = compare_groups([[40, 30, 30], [20, 50, 30]], designs).difference(0, 1)
        assert difference.interval().method == "likelihood_ratio"
        with pytest.raises(ValueError, match="one prevalence"):
            difference.interval(method="wilson")


def coverage(n: int, design: Design, method: str | None) -> np.ndarray:
    """The exact probabilities that the interval holds the difference, on a grid of prevalences in two groups of n."""
    yes, grid = np.arange(n + 1), np.linspace(0, 1, 6)
    intervals = [
        [compare_groups([[n - a, a], [n - b, b]], design).difference(0, 1).interval(0.95, method) for b in yes]
        for a in yes
    ]
    low, high = (np.array([[getattr(one, end) for one in row] for row in intervals]) for end in ("low", "high"))
    reported = [stats.binom.pmf(yes, n, float(design.offset) + float(design.slope) * share) for share in grid]
    return np.array(
        [
            reported[i] @ ((low <= a - b + 1e-9) & (a - b - 1e-9 <= high)) @ reported[j]
            for i, a in enumerate(grid)
            for j, b in enumerate(grid)
        ]
    )


def test_wilson_limits_combined_cover_about_what_they_say() -> None:
    covered = coverage(16, forced_response(), None)
    assert covered.mean() == pytest.approx(0.95, abs=0.01)
    assert covered.min() > 0.93


def covered(low: np.ndarray, high: np.ndarray, point: np.ndarray, first: float, second: float) -> float:
    """The probability that these limits of two fair-coin groups of 30, combined, hold the difference of two shares."""
    below = point[:, None] - point - np.hypot((point - low)[:, None], high - point)
    above = point[:, None] - point + np.hypot((high - point)[:, None], point - low)
    difference, yes = first - second, np.arange(31)
    held = (below.clip(-1, 1) <= difference + 1e-9) & (above.clip(-1, 1) >= difference - 1e-9)
    in_first, in_second = (stats.binom.pmf(yes, 30, 0.25 + 0.5 * share) for share in (first, second))
    return float(in_first @ held @ in_second)


def test_limits_cut_before_they_are_combined_would_cover_too_little_most_of_all_where_everybody_differs() -> None:
    yes = np.arange(31)
    limits = [(limit - 0.25) / 0.5 for limit in wilson(yes, 30, 0.95)]
    point = (yes / 30 - 0.25) / 0.5
    cut = [np.clip(limit, 0, 1) for limit in limits]
    # Everybody's truth is Yes in the first group, and nobody's in the second.
    assert covered(*limits, point, 1, 0) == pytest.approx(0.969, abs=5e-4)
    assert covered(*cut, point, 1, 0) == pytest.approx(0.756, abs=5e-4)
    assert covered(*cut, point.clip(0, 1), 1, 0) == pytest.approx(0.742, abs=5e-4)
    # The same truth of everybody in both groups loses less.
    assert covered(*cut, point, 1, 1) == pytest.approx(0.926, abs=5e-4)
    shares = np.linspace(0, 1, 101)
    assert min(covered(*limits, point, 0.11, share) for share in shares) == pytest.approx(0.932, abs=5e-4)


def test_groups_of_equal_prevalence_without_chance_have_the_ordinary_likelihood_ratio() -> None:
    counts = [[30, 12, 8], [22, 25, 3], [40, 10, 9]]
    comparison = compare_groups(counts, k_ary(3, 1))
    theirs = stats.chi2_contingency(counts, lambda_="log-likelihood", correction=False)
    assert comparison.statistic == pytest.approx(theirs.statistic, rel=1e-9)
    assert comparison.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    assert comparison.degrees_of_freedom == theirs.dof == 4
    assert comparison.common == pytest.approx(np.sum(counts, axis=0) / 159)


def test_randomized_groups_inside_the_simplex_have_the_likelihood_ratio_of_their_reports() -> None:
    # Equal truths through the same design are equal reports, as long as no estimate is cut.
    counts = [[310, 290], [340, 210], [300, 240]]
    comparison = compare_groups(counts, warner("3/4"))
    theirs = stats.chi2_contingency(counts, lambda_="log-likelihood", correction=False)
    assert comparison.statistic == pytest.approx(theirs.statistic, rel=1e-9)
    assert comparison.degrees_of_freedom == 2


def test_groups_with_their_own_designs_share_one_distribution() -> None:
    designs = [warner("3/4"), forced_response("4/5"), DIRECT]
    counts = [[310, 290], [300, 210], [60, 40]]
    comparison = compare_groups(counts, designs)
    shares = np.linspace(0, 1, 10_001)[1:-1]
    log_likelihood = sum(
        stats.binom.logpmf(yes, no + yes, float(design.offset) + float(design.slope) * shares)
        for (no, yes), design in zip(counts, designs, strict=True)
    )
    free = sum(stats.binom.logpmf(yes, no + yes, yes / (no + yes)) for no, yes in counts)
    assert comparison.common[1] == pytest.approx(shares[np.argmax(log_likelihood)], abs=1e-4)
    assert comparison.statistic == pytest.approx(2 * (free - max(log_likelihood)), abs=1e-4)


def test_groups_beyond_the_edge_do_not_differ() -> None:
    # Fair coins alone give 25 Yes of 100, and both groups have fewer: the likeliest prevalence is 0 in both.
    comparison = compare_groups([[80, 20], [90, 10]], forced_response())
    assert comparison.statistic == pytest.approx(0, abs=1e-9)
    assert comparison.p_value == pytest.approx(1, abs=1e-4)
    assert comparison.common == pytest.approx([1, 0], abs=1e-9)
    difference = comparison.difference(0, 1)
    assert difference.point == pytest.approx(0.2)
    assert difference.constrained == 0


def size(n: int, design: Design, prevalence: float) -> float:
    """The exact probability that the test of level 5% rejects two groups of n with this prevalence in both."""
    yes = np.arange(n + 1)
    rejected = np.array([[compare_groups([[n - a, a], [n - b, b]], design).p_value <= 0.05 for b in yes] for a in yes])
    chance = stats.binom.pmf(yes, n, float(design.offset) + float(design.slope) * prevalence)
    return float(chance @ rejected @ chance)


def test_the_likelihood_ratio_test_holds_its_level_and_is_careful_at_the_edge() -> None:
    assert size(20, forced_response(), 0.5) == pytest.approx(0.05, abs=0.02)
    assert size(20, forced_response(), 0) < 0.03


def test_several_groups_have_all_pairs_with_adjusted_p_values() -> None:
    comparison = compare_groups([[310, 290], [340, 210], [20, 30]], warner("3/4"))
    plain = comparison.pairs(adjustment="none")
    assert [(pair.i, pair.j) for pair in plain] == [(0, 1), (0, 2), (1, 2)]
    for pair in plain:
        expected = comparison.difference(pair.i, pair.j)
        assert pair.difference.point == expected.point
        assert pair.adjusted_p_value == expected.p_value
    first, second, third = (pair.adjusted_p_value for pair in plain)
    assert first < third < second
    holm = [pair.adjusted_p_value for pair in comparison.pairs()]
    assert holm == pytest.approx([3 * first, second, 2 * third])
    bonferroni = [pair.adjusted_p_value for pair in comparison.pairs(adjustment="bonferroni")]
    assert bonferroni == pytest.approx([3 * first, 3 * second, 3 * third])
    turned = comparison.pairs(option=0, adjustment="none")
    assert turned[0].difference.point == pytest.approx(-plain[0].difference.point)


def test_adjusted_p_values_never_fall_nor_pass_1() -> None:
    assert adjusted_p_values([0.04, 0.03, 0.01], "holm") == pytest.approx([0.06, 0.06, 0.03])
    assert adjusted_p_values([0.6, 0.9, 0.7], "holm") == [1, 1, 1]
    assert adjusted_p_values([0.6, 0.2], "bonferroni") == [1, 0.4]
    with pytest.raises(ValueError, match=r"^adjustment .*got 'sidak'"):
        adjusted_p_values([0.5], "sidak")


@pytest.mark.parametrize("adjustment", ["holm", "bonferroni", "none"])
def test_a_p_value_that_does_not_exist_stays_so_and_counts(adjustment: str) -> None:
    adjusted = adjusted_p_values([math.nan, 0.01, 0.2], adjustment)
    factors = {"holm": (3, 2), "bonferroni": (3, 3), "none": (1, 1)}[adjustment]
    assert math.isnan(adjusted[0])
    assert adjusted[1:] == pytest.approx([0.01 * factors[0], 0.2 * factors[1]])


@examples(50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_never_above_bonferroni_and_keeps_the_order(p_values: list[float]) -> None:
    holm, bonferroni = adjusted_p_values(p_values, "holm"), adjusted_p_values(p_values, "bonferroni")
    assert all(p <= h <= b + 1e-15 for p, h, b in zip(p_values, holm, bonferroni, strict=True))
    order = np.argsort(p_values)
    assert (np.diff(np.array(holm)[order]) >= 0).all()


def test_a_group_of_one_has_no_standard_error_but_takes_part() -> None:
    comparison = compare_groups([[0, 1], [340, 210]], warner("3/4"))
    difference = comparison.difference(0, 1)
    assert math.isnan(difference.standard_error)
    assert math.isnan(difference.z)
    assert math.isnan(difference.p_value)
    assert math.isnan(difference.interval(method="wald").low)
    assert math.isnan(difference.interval(method="wald").high)
    assert -1 <= difference.interval().low < difference.interval().high <= 1
    assert 0 < comparison.p_value < 1


def test_all_yes_and_all_no_have_no_wald_test_but_a_likelihood_ratio() -> None:
    comparison = compare_groups([[0, 30], [30, 0]], warner("3/4"))
    difference = comparison.difference(0, 1)
    assert difference.point == pytest.approx(2)
    assert difference.standard_error == 0
    assert math.isnan(difference.z)
    assert math.isnan(difference.p_value)
    interval = difference.interval()
    assert (interval.high, interval.outside) == (1, True)
    assert comparison.p_value < 1e-8
    below = comparison.difference(1, 0).interval()
    assert (below.low, below.high, below.outside) == (-1, -1, True)
    direct = compare_groups([[0, 30], [30, 0]], DIRECT)
    for i, j, most in ((0, 1, 1), (1, 0, -1)):
        interval = direct.difference(i, j).interval(method="wald")
        assert (interval.low, interval.high, interval.outside) == (most, most, False)
    same = compare_groups([[0, 30], [0, 30]], warner("3/4"))
    assert (same.statistic, same.p_value) == (pytest.approx(0, abs=1e-9), pytest.approx(1, abs=1e-4))


@examples(50)
@given(
    st.lists(
        st.lists(st.integers(0, 40), min_size=3, max_size=3).filter(any),
        min_size=2,
        max_size=4,
    )
)
def test_any_groups_have_a_coherent_comparison(counts: list[list[int]]) -> None:
    comparison = compare_groups(counts, k_ary(3, "1/2"))
    assert comparison.statistic >= 0
    assert 0 <= comparison.p_value <= 1
    assert comparison.common.sum() == pytest.approx(1)
    assert comparison.common.min() >= 0
    assert comparison.degrees_of_freedom == 2 * (len(counts) - 1)
    for group, estimate in zip(counts, comparison.estimates, strict=True):
        assert estimate.point == pytest.approx(estimate_prevalence(group, k_ary(3, "1/2")).point)
    for pair in comparison.pairs(option=2):
        interval = pair.difference.interval()
        assert -1 <= interval.low <= interval.high <= 1


@pytest.mark.parametrize(
    ("counts", "design", "message"),
    [
        ([[1, 2]], warner("3/4"), "^counts"),
        ([], warner("3/4"), "^counts"),
        ([[1, 2], [0, 0]], warner("3/4"), "^group 1: counts .*0.*1"),
        ([[1, 2, 3], [1, 2]], warner("3/4"), "^group 0: counts .*2"),
        ([[1, math.nan], [1, 2]], warner("3/4"), "^group 0: counts .*2"),
        ([[1, 2], [1, 2]], [warner("3/4")], "^design .*2"),
        ([[1, 2], [1, 2, 3]], [warner("3/4"), k_ary(3)], "^design .*2"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(counts: list, design: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_groups(counts, design)


def test_groups_options_and_methods_that_do_not_exist_are_refused() -> None:
    comparison = compare_groups([[310, 290], [340, 210]], warner("3/4"))
    for arguments, message in (
        ((2, 0), "i must be an integer from 0 to 1, got 2"),
        ((0, -1), "j must be an integer from 0 to 1, got -1"),
        ((0, 1, 2), "option must be an integer from 0 to 1, got 2"),
    ):
        with pytest.raises(ValueError, match=message):
            comparison.difference(*arguments)
    with pytest.raises(ValueError, match=r"^method"):
        comparison.difference(0, 1).interval(method="bayes")
    for method in ("wilson", "wald"):
        with pytest.raises(ValueError, match=r"^confidence_level"):
            comparison.difference(0, 1).interval(math.nan, method)


def test_the_common_prevalences_cannot_be_changed() -> None:
    comparison = compare_groups([[310, 290], [340, 210]], warner("3/4"))
    with pytest.raises(ValueError, match="read-only"):
        comparison.common[0] = 0


@pytest.mark.parametrize("design", [None, "x", [None, None], [DIRECT, "x"]])
def test_what_is_no_design_is_refused_by_name(design: object) -> None:
    with pytest.raises(ValueError, match=r"^design .*Design"):
        compare_groups([[1, 2], [3, 4]], design)


@pytest.mark.parametrize("counts", [None, 3, "12"])
def test_what_are_no_groups_is_refused_by_name(counts: object) -> None:
    with pytest.raises(ValueError, match=r"^counts"):
        compare_groups(counts, DIRECT)


def test_groups_and_options_are_numbered_by_any_integers_and_nothing_else() -> None:
    comparison = compare_groups(np.array([[310, 290], [340, 210]]), warner("3/4"))
    assert comparison.difference(np.int64(0), np.uint8(1), np.int32(1)).point == comparison.difference(0, 1).point
    for arguments, name in (((0.0, 1), "i"), ((0, True), "j"), ((0, 1, "1"), "option"), ((0, 1, None), "option")):
        with pytest.raises(ValueError, match=rf"^{name} .*0 to 1"):
            comparison.difference(*arguments)
