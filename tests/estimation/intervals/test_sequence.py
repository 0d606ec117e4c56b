"""Confidence sequences hold at every look together: exactly, and whatever a class looks like."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special

from surveys.estimation.affine import AffineMap, require_affine_map
from surveys.estimation.grid_mean import estimate_grid_mean
from surveys.estimation.intervals.general import likely_loss
from surveys.estimation.intervals.mapped import mapped_interval
from surveys.estimation.intervals.reported import lost_likelihood
from surveys.estimation.intervals.sequence import SEQUENCE, each_side, mixture_loss, portfolio_loss
from surveys.estimation.numbers import estimate_distribution
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.stated_distribution import estimate_stated_distribution
from surveys.estimation.stated_mean import estimate_stated_mean
from surveys.estimation.unary import estimate_unary
from surveys.privacy.designs import (
    Design,
    direct,
    forced_response,
    from_matrix,
    grid_of,
    k_ary,
    kuk,
    number_window,
    optimized_unary,
    triangular,
)
from tests.estimation.looks import CASES, RESPONSES, counted_at, held_by, missed_once
from tests.property_profile import examples

EDGES = [(0.0, 1.0), (0.25, 0.75), (0.05, 0.95), (0.25, 1.0)]
MIXING = from_matrix([["3/5", "1/5", "1/10"], ["1/5", "3/5", "3/10"], ["1/5", "1/5", "3/5"]])


def _mean_likelihoods(n: int, smallest: float, largest: float) -> np.ndarray:
    """Return M for each count out of n: what the loss says of it, without the α."""
    counts = np.arange(n + 1)
    best = np.clip(counts / n, smallest, largest)
    top = special.xlogy(counts, best) + special.xlog1py(n - counts, -best)
    return np.exp(top - mixture_loss(counts, n, 0.95, smallest, largest) - math.log(0.05))


def _held_at(level: float) -> Callable[[Design, int, float], np.ndarray]:
    """Return what says for each number of Yes whether its interval for every look holds a share, to rounding."""

    def held(design: Design, n: int, share: float) -> np.ndarray:
        line = require_affine_map(design)
        of_yes = AffineMap(line.offset[1:2], line.slope)
        interval = mapped_interval(np.arange(n + 1), n, of_yes, level, SEQUENCE)
        kept: np.ndarray = (interval.low <= share + 1e-12) & (share - 1e-12 <= interval.high)
        return kept

    return held


@pytest.mark.parametrize(("smallest", "largest"), EDGES)
@pytest.mark.parametrize(("count", "n"), [(0, 1), (0, 50), (3, 50), (20, 50), (48, 50), (50, 50), (7, 400)])
def test_the_loss_is_that_of_the_mean_over_a_uniform_angle(count: int, n: int, smallest: float, largest: float) -> None:
    best = min(max(count / n, smallest), largest)
    first, last, peak = (math.asin(math.sqrt(at)) for at in (smallest, largest, best))

    def relative(angle: float) -> float:
        likely = special.xlogy(count, math.sin(angle) ** 2 / best) if count else 0.0
        others = special.xlogy(n - count, math.cos(angle) ** 2 / (1 - best)) if n > count else 0.0
        return math.exp(likely + others)

    mean = integrate.quad(relative, first, last, points=[peak], limit=500)[0] / (last - first)
    loss = mixture_loss(np.array([count]), n, 0.95, smallest, largest)[0]
    assert loss == pytest.approx(math.log(20) - math.log(mean), rel=1e-9)


@pytest.mark.parametrize(("smallest", "largest"), EDGES)
def test_means_of_likelihoods_are_probabilities_of_what_comes_next(smallest: float, largest: float) -> None:
    """Under no distribution is the ratio more than 1 in the mean, after any number of reports."""
    assert _mean_likelihoods(1, smallest, largest).sum() == pytest.approx(1)
    for n in (1, 2, 30, 399):
        now, later = (_mean_likelihoods(size, smallest, largest) for size in (n, n + 1))
        assert later[:-1] + later[1:] == pytest.approx(now, rel=1e-9)


def test_the_first_report_of_a_direct_question_excludes_a_fortieth() -> None:
    # ∫λ dJ = ½, so the λ with ½ < 20·λ are kept.
    interval = estimate_prevalence([0, 1], direct()).interval(method=SEQUENCE)
    assert interval.low[1] == pytest.approx(1 / 40, rel=1e-9)
    assert interval.high[1] == 1


@pytest.mark.parametrize(("name", "design", "share"), CASES)
def test_at_most_one_survey_in_twenty_is_ever_missed_however_often_somebody_looks(
    name: str, design: Design, share: float
) -> None:
    """Exactly: with ten looks, after each batch, and after each response."""
    assert name
    for counted in (counted_at(10), counted_at(RESPONSES), list(range(1, RESPONSES + 1))):
        assert missed_once(design, share, counted, _held_at(0.95)) < 0.05
    # The twin: today's likelihood-ratio interval, the same profile with the cut of one look.
    at_once = missed_once(design, share, counted_at(RESPONSES), lambda *of: held_by(*of, "likelihood_ratio"))
    assert at_once > 0.2


@pytest.mark.parametrize("share", [0.0, 0.005, 0.05, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("design", [direct(), triangular("1/4"), forced_response("9/10", "1/2")], ids=str)
def test_nor_at_the_ends_of_what_can_be(design: Design, share: float) -> None:
    assert missed_once(design, share, list(range(1, 201)), _held_at(0.95)) < 0.05


def test_a_level_is_that_of_all_looks() -> None:
    assert 0.05 < missed_once(direct(), 0.3, list(range(1, 401)), _held_at(0.8)) < 0.2


@pytest.mark.parametrize("n", [30, 100, 400, 1000])
def test_it_is_half_as_wide_again_or_a_little_more(n: int) -> None:
    yes = round(0.4 * n)
    estimate = estimate_prevalence([n - yes, yes], forced_response("9/10", "1/2"))
    usual, sequence = (estimate.interval(method=method) for method in ("wilson", SEQUENCE))
    wider = (sequence.high - sequence.low) / (usual.high - usual.low)
    assert ((wider > 1.4) & (wider < 1.9)).all()


@pytest.mark.parametrize("design", [forced_response(), triangular("1/4"), k_ary(4, "1/2"), MIXING], ids=str)
@examples(40)
@given(data=st.data())
def test_it_holds_the_likelihood_ratio_interval_whatever_came(design: Design, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 300), min_size=design.m, max_size=design.m).filter(any))
    estimate = estimate_prevalence(counts, design)
    one, every = (estimate.interval(0.95, method) for method in ("likelihood_ratio", SEQUENCE))
    inside = ~one.outside
    assert not (every.outside & inside).any()
    assert (every.low[inside] <= one.low[inside] + 1e-9).all()
    assert (one.high[inside] <= every.high[inside] + 1e-9).all()


@pytest.mark.parametrize("n", [500, 2_000, 5_000, 50_000])
@pytest.mark.parametrize(("smallest", "largest"), [(0.25, 0.75), (0.25, 1.0)])
def test_reports_that_no_share_explains_are_compared_with_the_edge(n: int, smallest: float, largest: float) -> None:
    """Also where no float holds what is left of the prior; then a little more may be lost."""
    first, last = (math.asin(math.sqrt(at)) for at in (smallest, largest))
    mean = integrate.quad(lambda angle: (math.cos(angle) / math.cos(first)) ** (2 * n), first, first + 50 / n)[0]
    loss = mixture_loss(np.array([0]), n, 0.95, smallest, largest)[0]
    assert 0 <= loss - math.log(20) + math.log(mean / (last - first)) + 1e-6 < (1e-3 if n < 5_000 else 1)


def test_the_interval_of_such_reports_begins_at_the_end() -> None:
    for n in (500, 50_000):
        interval = estimate_prevalence([n, 0], forced_response()).interval(method=SEQUENCE)
        assert (interval.low[1], interval.high[0]) == (0, 1)
        assert interval.high[1] < 25 / n
        assert not interval.outside.any()


def test_a_thousand_million_million_reports_are_no_limit() -> None:
    n = 10**15
    # ½·ln(n/2π) + ln of the angles between the edges, and ln 20.
    expected = math.log(n / (2 * math.pi)) / 2 + math.log(math.pi / 3) + math.log(20)
    assert mixture_loss(np.array([4 * 10**14]), n, 0.95, 0.25, 0.75)[0] == pytest.approx(expected, rel=1e-9)
    assert portfolio_loss(n, 0.95) == pytest.approx(math.log(math.pi * n) / 2 + math.log(20), rel=1e-9)
    # Where the series begins, both say the same.
    before, after = (mixture_loss(np.array([size // 2]), size, 0.95, 0.0, 1.0)[0] for size in (9_999, 10_001))
    assert after - before == pytest.approx(math.log(10_001 / 9_999) / 2, abs=1e-7)


@examples(40)
@given(counts=st.lists(st.integers(0, 60), min_size=3, max_size=3).filter(any))
def test_the_mean_over_shares_is_no_smaller_than_the_loss_of_a_portfolio_says(counts: list[int]) -> None:
    design, n = kuk("7/10", "3/10", 2), sum(counts)
    no, yes = np.array(design.matrix, dtype=float).T
    best = float(estimate_prevalence(counts, design).constrained[1])

    def log_likelihood(share: np.ndarray | float) -> np.ndarray:
        reported = np.multiply.outer(1 - np.asarray(share), no) + np.multiply.outer(np.asarray(share), yes)
        likely: np.ndarray = np.log(reported) @ counts
        return likely

    angles = (np.arange(4_000) + 0.5) / 4_000 * math.pi / 2
    mean = np.exp(log_likelihood(np.sin(angles) ** 2) - log_likelihood(best)).mean()
    assert -math.log(mean) <= portfolio_loss(n, 0.95) - math.log(20) + 1e-6


@examples(40)
@given(counts=st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(any), part=st.floats(0.05, 0.95))
def test_so_is_the_mean_wealth_of_all_bets_on_a_weighted_sum(counts: list[int], part: float) -> None:
    weights = np.array([0.0, 0.2, 0.7, 1.0]) - part
    # Fortunes of Beta(½, ½) in two stocks, which are the largest bets for and against.
    stocks = np.stack([1 + weights / part, 1 - weights / (1 - part)])
    angles = (np.arange(4_000) + 0.5) / 4_000 * math.pi / 2
    shares = np.stack([np.sin(angles) ** 2, np.cos(angles) ** 2], axis=1)
    mean = np.exp(np.log(shares @ stocks) @ counts).mean()
    lost = lost_likelihood(np.array(counts), weights)
    assert lost - math.log(mean) <= portfolio_loss(sum(counts), 0.95) - math.log(20) + 1e-6


def test_shares_of_other_designs_are_those_that_lose_no_more() -> None:
    counts = np.array([290, 390, 320])
    interval = estimate_prevalence(counts, MIXING).interval(method=SEQUENCE)
    weights = np.array(MIXING.left_inverse, dtype=float)
    for option in range(3):
        for limit in (interval.low[option], interval.high[option]):
            lost = lost_likelihood(counts, weights[option] - limit)
            assert 0 < limit < 1
            assert lost == pytest.approx(portfolio_loss(1000, 0.95), rel=1e-6)


def test_more_reports_than_answers_are_read_by_their_weights_alone() -> None:
    # Half of all reports are equally likely under each answer and say nothing; they move no limit.
    wide = from_matrix(
        [["2/5", "1/10", "1/10"], ["1/10", "2/5", "1/10"], ["1/10", "1/10", "2/5"], ["2/5", "2/5", "2/5"]]
    )
    interval = estimate_prevalence([60, 40, 50, 100], wide).interval(method=SEQUENCE)
    assert not interval.outside.any()
    assert (interval.low < [0.4, 0.27, 0.33]).all()


@pytest.mark.parametrize(("level", "simultaneous"), [(0.95, False), (0.95, True), (0.8, False)])
def test_several_answers_hold_together_by_bonferroni(level: float, *, simultaneous: bool) -> None:
    estimate = estimate_prevalence([50, 30, 40], k_ary(3, "1/2"))
    each = 1 - (1 - level) / (3 if simultaneous else 1)
    together = estimate.interval(level, SEQUENCE, simultaneous)
    assert together.low == pytest.approx(estimate.interval(each, SEQUENCE).low)
    assert (together.simultaneous, together.confidence_level, together.method) == (simultaneous, level, SEQUENCE)


def test_means_and_quantiles_of_bands_give_each_side_half_of_the_misses() -> None:
    assert each_side(0.95, SEQUENCE) == 0.975
    assert each_side(0.95, "likelihood_ratio") == 0.95
    plain, stated = [40, 80, 60, 20], [40, 80, 60, 20, 30]
    for estimate in (
        estimate_distribution(plain, k_ary(4, "1/2"), [0, 5, 10, 20, 40]),
        estimate_stated_distribution(stated, k_ary(5, "1/2"), [0, 5, 10, 20, 40]),
    ):
        one = estimate.mean_interval()
        every = estimate.mean_interval(0.95, SEQUENCE)
        assert (every.low < one.low, one.high < every.high) == (True, True)
        below = estimate.distribution_interval(0.975, SEQUENCE)
        median = estimate.quantile_interval(0.5, 0.95, SEQUENCE)
        assert median.low == estimate.edges[int(np.logical_and.accumulate(below.high < 0.5).sum())]
        assert median.method == SEQUENCE


def test_numbers_have_it_too() -> None:
    grid = grid_of(number_window(3, "1/2", window=2), 0, 10)
    number = estimate_grid_mean([20, 30, 35, 15], grid)
    one, every = number.interval(), number.interval(method=SEQUENCE)
    assert every.low < one.low < one.high < every.high
    values = number.reports.values
    for limit in (every.low, every.high):
        lost = lost_likelihood(number.reports.counts, values - limit)
        assert lost == pytest.approx(likely_loss(100, 0.95, SEQUENCE), rel=1e-6)
    stated = estimate_stated_mean([80, 70, 50], k_ary(3), 0, 24)
    assert stated.interval(0.95, SEQUENCE).low < stated.interval().low
    bits = estimate_unary([30, 50], 100, optimized_unary(1, 2))
    assert (bits.interval(method=SEQUENCE).low <= bits.interval(method="likelihood_ratio").low).all()


@pytest.mark.parametrize("confidence_level", [0, 1, math.nan, "0.95"])
def test_a_level_that_is_none_is_refused(confidence_level: object) -> None:
    with pytest.raises(ValueError, match="confidence_level"):
        portfolio_loss(10, confidence_level)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="confidence_level"):
        mixture_loss(np.array([1]), 10, confidence_level, 0.0, 1.0)  # type: ignore[arg-type]
