import math

import numpy as np
import pytest
from scipy import optimize, stats

from surveys.estimation.intervals.general import GENERAL_METHODS, general_interval
from surveys.estimation.intervals.mapped import MAPPED_METHODS
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, triangular

MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])


def test_a_design_names_the_methods_it_has() -> None:
    assert estimate_prevalence([1, 2], forced_response()).interval_methods == (*MAPPED_METHODS, "bootstrap")
    assert estimate_prevalence([1, 2, 3], MIXING).interval_methods == GENERAL_METHODS
    assert estimate_prevalence([1, 2, 3], kuk("3/4", "1/4", 2)).interval_methods == GENERAL_METHODS


def test_the_default_is_wilson_where_it_exists_and_else_the_likelihood_ratio() -> None:
    assert estimate_prevalence([60, 40], forced_response()).interval().method == "wilson"
    assert estimate_prevalence([40, 30, 30], MIXING).interval().method == "likelihood_ratio"


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "bayes"])
def test_a_method_that_a_design_has_not_is_refused_with_those_it_has(method: str) -> None:
    with pytest.raises(ValueError, match=rf"^method .*\bwald, bootstrap, .*got '{method}'"):
        estimate_prevalence([40, 30, 30], MIXING).interval(method=method)


@pytest.mark.parametrize("method", GENERAL_METHODS)
@pytest.mark.parametrize("confidence_level", [0, 1, math.nan])
def test_a_level_lies_strictly_between_0_and_1(confidence_level: float, method: str) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        estimate_prevalence([40, 30, 30], MIXING).interval(confidence_level, method)


@pytest.mark.parametrize("method", GENERAL_METHODS)
def test_an_interval_says_its_level_its_method_and_whether_it_is_simultaneous(method: str) -> None:
    estimate = estimate_prevalence([40, 30, 30], MIXING)
    alone, together = estimate.interval(0.9, method), estimate.interval(0.9, method, simultaneous=True)
    assert (alone.confidence_level, alone.method, alone.simultaneous) == (0.9, method, False)
    assert (together.confidence_level, together.method, together.simultaneous) == (0.9, method, True)
    third = estimate.interval(1 - 0.1 / 3, method)
    assert together.low == pytest.approx(third.low, abs=1e-9)
    assert together.high == pytest.approx(third.high, abs=1e-9)
    assert general_interval(estimate.counts, MIXING, estimate.constrained, 0.9, method, number=2).simultaneous
    with pytest.raises(ValueError, match="read-only"):
        alone.low[0] = 0


def test_walds_general_interval_is_the_binomial_one_where_both_exist() -> None:
    for design, counts in ((k_ary(4, "2/3"), [50, 30, 20, 40]), (forced_response("9/10"), [70, 30])):
        estimate = estimate_prevalence(counts, design)
        general = general_interval(np.array(counts), design, estimate.constrained, 0.95, "wald")
        assert general.low == pytest.approx(estimate.interval(method="wald").low, rel=1e-10)
        assert general.high == pytest.approx(estimate.interval(method="wald").high, rel=1e-10)


def test_walds_interval_is_the_moment_estimate_give_or_take_its_error() -> None:
    estimate = estimate_prevalence([40, 30, 30], MIXING)
    interval = estimate.interval(method="wald")
    half = stats.norm.ppf(0.975) * estimate.standard_error * math.sqrt(99 / 100)
    assert interval.low == pytest.approx(estimate.point - half, rel=1e-9)
    assert interval.high == pytest.approx(estimate.point + half, rel=1e-9)


def test_walds_interval_may_lie_outside_and_says_so() -> None:
    interval = estimate_prevalence([1000, 1, 1], MIXING).interval(method="wald")
    assert interval.outside.tolist() == [True, True, True]


@pytest.mark.parametrize("counts", [[250, 180, 70], [64, 32, 4], [90, 9, 1], [3, 0, 0], [0, 0, 1]], ids=str)
def test_with_two_truths_the_likelihood_ratio_is_that_of_the_share_alone(counts: list[int]) -> None:
    design = kuk("4/5", "1/5", 2)
    estimate, matrix = estimate_prevalence(counts, design), np.array(design.matrix, dtype=float)

    def excess(yes: float) -> float:
        def log_likelihood(share: float) -> float:
            return stats.multinomial.logpmf(counts, sum(counts), matrix @ [1 - share, share])

        return 2 * float(log_likelihood(estimate.constrained[1]) - log_likelihood(yes)) - stats.chi2.ppf(0.95, 1)

    interval, best = estimate.interval(), estimate.constrained[1]
    low = 0 if excess(0) <= 0 else optimize.brentq(excess, 0, best, xtol=1e-14)
    high = 1 if excess(1) <= 0 else optimize.brentq(excess, best, 1, xtol=1e-14)
    assert (interval.method, interval.outside.any()) == ("likelihood_ratio", False)
    assert [interval.low[1], interval.high[1]] == pytest.approx([low, high], abs=1e-9)
    assert [interval.low[0], interval.high[0]] == pytest.approx([1 - high, 1 - low], abs=1e-9)


def test_a_likelihood_ratio_interval_of_shares_that_cannot_be_is_cut_and_marked() -> None:
    interval = estimate_prevalence([1000, 1, 1], MIXING).interval()
    assert interval.outside.tolist() == [True, True, True]
    assert (interval.low.tolist(), interval.high.tolist()) == ([1, 0, 0], [1, 0, 0])


FOUR_REPORTS = from_matrix(
    [["1/2", "1/10", "1/5"], ["1/4", "3/5", "1/5"], ["1/8", "1/5", "2/5"], ["1/8", "1/10", "1/5"]]
)


def weights_of_least_variance(chances: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The weights L with LP = I by which the estimated shares vary least where the reports have these chances."""
    weighted = matrix.T / chances
    return np.linalg.solve(weighted @ matrix, weighted)


@pytest.mark.parametrize("counts", [[300, 350, 200, 150], [900, 0, 0, 0], [1, 0, 0, 0], [0, 400, 300, 0]], ids=str)
def test_of_more_reports_than_truths_intervals_are_about_those_of_the_least_variance(counts: list[int]) -> None:
    estimate = estimate_prevalence(counts, FOUR_REPORTS)
    interval = estimate.interval(0.95)
    assert (interval.low >= 0).all()
    assert (interval.low <= interval.high).all()
    assert (interval.high <= 1).all()
    if min(counts) > 0:
        assert (interval.low <= estimate.constrained).all()
        assert (estimate.constrained <= interval.high).all()
        matrix = np.array(FOUR_REPORTS.matrix, dtype=float)
        reported = matrix @ estimate.constrained
        weights = weights_of_least_variance(reported, matrix)
        errors = np.sqrt(np.diagonal(weights @ np.diag(reported) @ weights.T) - estimate.constrained**2) / 10**1.5
        assert interval.high - interval.low == pytest.approx(2 * 1.96 * errors, rel=0.02)


# The fourth report is as likely under each truth: it says nothing.
NONCOMMITTAL = from_matrix([["1/2", "1/8", "1/8"], ["1/8", "1/2", "1/8"], ["1/8", "1/8", "1/2"], ["1/4", "1/4", "1/4"]])


@pytest.mark.parametrize("counts", [[0, 0, 0, 100], [0, 0, 0, 1], [1, 0, 0, 100], [1, 1, 1, 97]], ids=str)
def test_where_reports_say_nothing_the_likelihood_ratio_interval_is_the_whole_range(counts: list[int]) -> None:
    interval = estimate_prevalence(counts, NONCOMMITTAL).interval()
    assert (interval.low.tolist(), interval.high.tolist()) == ([0, 0, 0], [1, 1, 1])
    assert not interval.outside.any()


def test_reports_that_say_nothing_change_no_interval() -> None:
    with_them, without = (estimate_prevalence([30, 50, 40, silent], NONCOMMITTAL).interval() for silent in (200, 40))
    assert with_them.low == pytest.approx(without.low, abs=1e-7)
    assert with_them.high == pytest.approx(without.high, abs=1e-7)
    alone = from_matrix([["2/3", "1/6", "1/6"], ["1/6", "2/3", "1/6"], ["1/6", "1/6", "2/3"]])
    informative = estimate_prevalence([30, 50, 40], alone)
    other = general_interval(informative.counts, alone, informative.constrained, 0.95, "likelihood_ratio")
    assert with_them.low == pytest.approx(other.low, abs=1e-7)
    assert with_them.high == pytest.approx(other.high, abs=1e-7)


def likeliest(counts: np.ndarray, matrix: np.ndarray, option: int, share: float | None) -> float:
    """The largest log-likelihood of shares of any sign that lead to probabilities, by a general maximiser."""
    k, seen = matrix.shape[1], counts > 0
    constraints = [
        {"type": "eq", "fun": lambda shares: shares.sum() - 1},
        {"type": "ineq", "fun": lambda shares: matrix @ shares},
    ]
    if share is not None:
        constraints.append({"type": "eq", "fun": lambda shares: shares[option] - share})
    optimum = optimize.minimize(
        lambda shares: -float(counts[seen] @ np.log(np.maximum(matrix[seen] @ shares, 1e-12))),
        np.full(k, 1 / k),
        jac=lambda shares: -matrix[seen].T @ (counts[seen] / np.maximum(matrix[seen] @ shares, 1e-12)),
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return -float(optimum.fun)


@pytest.mark.parametrize("design", [FOUR_REPORTS, NONCOMMITTAL], ids=["four reports", "noncommittal"])
@pytest.mark.parametrize("counts", [[30, 35, 20, 15], [9, 1, 0, 2], [0, 40, 30, 5], [3, 0, 0, 4]], ids=str)
def test_of_more_reports_than_truths_limits_are_where_a_search_finds_the_quantile(
    design: Design, counts: list[int]
) -> None:
    matrix, observed = np.array(design.matrix, dtype=float), np.array(counts)
    interval = estimate_prevalence(counts, design).interval()
    for option in range(3):
        best = likeliest(observed, matrix, option, None)
        for limit, end in ((interval.low[option], 0), (interval.high[option], 1)):
            ratio = 2 * (best - likeliest(observed, matrix, option, limit))
            if interval.outside[option]:
                assert ratio > stats.chi2.ppf(0.95, 1)
            elif limit == end:
                assert ratio <= stats.chi2.ppf(0.95, 1) + 1e-5
            else:
                assert ratio == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-4)


def test_of_more_reports_than_truths_shares_that_cannot_be_are_cut_and_marked() -> None:
    interval = estimate_prevalence([0, 1000, 0, 0], FOUR_REPORTS).interval()
    assert interval.outside.tolist() == [False, True, True]
    assert interval.low.tolist() == [0, 1, 0]
    # The second report alone comes with shares of 0, 2 and −1: no evidence against a first share of 0.
    assert interval.high.tolist() == [pytest.approx(0.0038378, abs=1e-6), 1, 0]


def test_the_bootstrap_interval_holds_the_quantiles_of_the_estimate_under_its_own_design() -> None:
    # For two answers they are binomial quantiles: exactly those, but for the last of 9,999 draws.
    interval = estimate_prevalence([60, 40], forced_response()).interval(method="bootstrap")
    exact = 2 * stats.binom.ppf([0.025, 0.975], 100, 0.4) / 100 - 0.5
    assert [interval.low[1], interval.high[1]] == pytest.approx(exact, abs=2 / 100 + 1e-9)


def test_the_bootstrap_interval_of_many_answers_is_walds() -> None:
    estimate = estimate_prevalence([400_000, 300_000, 300_000], MIXING)
    bootstrap, wald = estimate.interval(method="bootstrap"), estimate.interval(method="wald")
    # 9,999 draws leave each limit uncertain by .03 standard errors; the seed is fixed.
    assert bootstrap.low == pytest.approx(wald.low, abs=0.15 * estimate.standard_error.max())
    assert bootstrap.high == pytest.approx(wald.high, abs=0.15 * estimate.standard_error.max())


def test_the_bootstrap_interval_of_the_same_answers_is_the_same() -> None:
    first, second = (estimate_prevalence([40, 30, 30], MIXING).interval(method="bootstrap") for _ in range(2))
    assert first.low.tolist() == second.low.tolist()
    assert first.high.tolist() == second.high.tolist()


def test_the_bootstrap_starts_from_the_constrained_estimate_so_it_is_never_outside() -> None:
    estimate = estimate_prevalence([90, 10], forced_response())
    interval = estimate.interval(method="bootstrap")
    assert not interval.outside.any()
    assert interval.low[1] == 0
    assert interval.high[1] == pytest.approx(2 * stats.binom.ppf(0.975, 100, 0.25) / 100 - 0.5, abs=0.021)


def test_mirrored_quantiles_would_cover_much_less_near_the_boundary() -> None:
    # Why the percentile and not the basic method: ten respondents, 5% forced each way, 1% true Yes.
    n, offset, slope, yes = 10, 0.05, 0.9, 0.01
    counts = np.arange(n + 1)
    moment = (counts / n - offset) / slope
    constrained = moment.clip(0, 1)
    of_reports = [stats.binom.ppf(tail, n, offset + slope * constrained) / n for tail in (0.025, 0.975)]
    low, high = ((share - offset) / slope for share in of_reports)
    probability = stats.binom.pmf(counts, n, offset + slope * yes)
    basic_low, basic_high = moment - (high - constrained), moment - (low - constrained)
    assert probability @ ((low <= yes) & (yes <= high)) == pytest.approx(0.998, abs=5e-4)
    assert probability @ ((basic_low <= yes) & (yes <= basic_high)) == pytest.approx(0.454, abs=5e-4)


def test_where_a_report_is_certain_the_bootstrap_has_no_width() -> None:
    interval = estimate_prevalence([0, 10], triangular("1/4")).interval(method="bootstrap")
    assert (interval.low[1], interval.high[1]) == (1, 1)


@pytest.mark.parametrize("method", GENERAL_METHODS)
@pytest.mark.parametrize("counts", [[1, 0, 0], [0, 1, 0], [0, 0, 50], [50, 0, 50], [0, 100, 0]])
def test_no_counts_are_beyond_an_interval(method: str, counts: list[int]) -> None:
    for design in (MIXING, kuk("4/5", "1/5", 2)):
        interval = estimate_prevalence(counts, design).interval(method=method)
        assert (interval.low >= 0).all()
        assert (interval.low <= interval.high).all()
        assert (interval.high <= 1).all()
