import math

import numpy as np
import pytest
from scipy import stats

from surveys.estimation import estimate_prevalence
from surveys.estimation.intervals.binomial import binomial_limits, clopper_pearson, wald, wilson
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner
from tests.golden import cases

METHODS = {"wilson": "wilson", "clopper_pearson": "clopper_pearson", "wald": "wald_n"}


def coverage(method: str, n: int, design: Design, prevalence: float) -> float:
    """The exact probability that the interval for Yes holds the prevalence, by enumerating all counts."""
    reported = float(design.offset) + float(design.slope) * prevalence
    total = 0.0
    for yes in range(n + 1):
        interval = estimate_prevalence([n - yes, yes], design).interval(0.95, method)
        if interval.low[1] <= prevalence <= interval.high[1]:
            total += float(stats.binom.pmf(yes, n, reported))
    return total


@pytest.mark.parametrize("case", cases("derived", "ci_warner"), ids=lambda case: case["id"])
@pytest.mark.parametrize(("method", "theirs"), METHODS.items())
def test_limits_equal_those_of_statsmodels_mapped_to_prevalences(case: dict, method: str, theirs: str) -> None:
    given = case["inputs"]
    design = warner(str(round(given["slope_c"] + given["offset_d"], 12)))
    interval = estimate_prevalence([given["n"] - given["x"], given["x"]], design).interval(given["level"], method)
    assert [interval.low[1], interval.high[1]] == pytest.approx(case["outputs"][theirs], rel=1e-10)


@pytest.mark.parametrize("method", ["wilson", "exact"])
def test_limits_equal_those_of_scipy(method: str) -> None:
    n, ours = 37, {"wilson": wilson, "exact": clopper_pearson}[method]
    low, high = ours(np.arange(n + 1), n, 0.9)
    for x in range(n + 1):
        theirs = stats.binomtest(x, n).proportion_ci(0.9, method)
        assert [low[x], high[x]] == pytest.approx([theirs.low, theirs.high], rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("method", [wilson, clopper_pearson])
def test_none_and_all_have_limits_of_exactly_0_and_1(method: object) -> None:
    low, high = method(np.array([0, 9]), 9, 0.95)
    assert low[0] == 0
    assert high[1] == 1
    assert 0 < high[0] < 1
    assert 0 < low[1] < 1


def test_rounding_moves_no_limit_below_0_or_above_1() -> None:
    for n in range(1, 200):
        low, high = wilson(np.array([0, n]), n, 0.95)
        assert (low[0], high[1]) == (0, 1)


def test_wald_gives_no_width_to_none_of_thirty() -> None:
    low, high = wald(np.array([0, 15]), 30, 0.95)
    assert (low[0], high[0]) == (0, 0)
    assert high[1] - low[1] == pytest.approx(2 * 1.959964 * math.sqrt(0.25 / 30))


def test_wilson_covers_where_wald_does_not() -> None:
    # Thirty students; chance forces 5% to Yes and 5% to No; 1% have done it.
    design = forced_response("9/10", "1/2")
    assert coverage("wilson", 30, design, 0.01) == pytest.approx(0.970, abs=5e-4)
    assert coverage("wald", 30, design, 0.01) == pytest.approx(0.837, abs=5e-4)


@pytest.mark.parametrize(
    "design", [forced_response(), forced_response("9/10"), warner("1/4")], ids=["fair", "90%", "warner"]
)
@pytest.mark.parametrize("n", [10, 30, 100])
def test_clopper_pearson_never_covers_less_than_it_says(n: int, design: Design) -> None:
    assert min(coverage("clopper_pearson", n, design, prevalence) for prevalence in (0, 0.01, 0.1, 0.3, 0.5, 1)) >= 0.95


@pytest.mark.parametrize("n", [30, 100])
def test_wilson_covers_about_what_it_says(n: int) -> None:
    covered = [coverage("wilson", n, forced_response(), prevalence) for prevalence in np.linspace(0, 1, 11)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    assert min(covered) > 0.92


def test_a_higher_level_gives_a_wider_interval() -> None:
    estimate = estimate_prevalence([500, 300, 200], k_ary(3, "1/2"))
    narrow, wide = estimate.interval(0.8), estimate.interval(0.99)
    assert (wide.low < narrow.low).all()
    assert (narrow.high < wide.high).all()
    assert (wide.confidence_level, wide.method) == (0.99, "wilson")


def test_a_weighted_spinner_maps_each_option_by_its_own_line() -> None:
    design = k_ary(3, "1/2", ["1/2", "1/4", "1/4"])
    low, high = wilson(np.array([50, 30, 20]), 100, 0.95)
    interval = estimate_prevalence([50, 30, 20], design).interval()
    for option, chance in enumerate([1 / 4, 1 / 8, 1 / 8]):
        assert interval.low[option] == pytest.approx(max(0, (low[option] - chance) * 2))
        assert interval.high[option] == pytest.approx((high[option] - chance) * 2)


@pytest.mark.parametrize("confidence_level", [0, 1, -0.95, 95, math.nan])
@pytest.mark.parametrize("method", METHODS)
def test_a_level_lies_strictly_between_0_and_1(confidence_level: float, method: str) -> None:
    with pytest.raises(ValueError, match="confidence_level must be between 0 and 1"):
        estimate_prevalence([1, 1], forced_response()).interval(confidence_level, method)


def test_an_unknown_method_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="method must be one of wilson, clopper_pearson, wald, got 'bayes'"):
        binomial_limits(np.array([1]), 2, 0.95, "bayes")


def test_a_design_that_mixes_prevalences_has_no_interval_for_one_option() -> None:
    design = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
    with pytest.raises(ValueError, match="more than one prevalence"):
        estimate_prevalence([40, 30, 30], design).interval()


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "wald"])
def test_an_interval_that_no_prevalence_is_in_says_so(method: str) -> None:
    # Two fair coins alone give 25 Yes of 100, and at most 75.
    low, fits, high = (estimate_prevalence([100 - yes, yes], forced_response()) for yes in (10, 40, 90))
    assert low.interval(method=method).outside.tolist() == [True, True]
    assert high.interval(method=method).outside.tolist() == [True, True]
    assert fits.interval(method=method).outside.tolist() == [False, False]
