import math
from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation.association.within import MeanWithin, mean_within
from surveys.estimation.intervals.mapped import MAPPED_METHODS
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import from_matrix, k_ary

FOUR = k_ary(4, "1/2")
MIXING = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
COUNTS = [140, 120, 90, 50]


def _of(values: list[float], among: list[int] | None = None, counts: list[int] = COUNTS) -> MeanWithin:
    return mean_within(estimate_prevalence(counts, FOUR), values, among)


def _reported(shares: list[float], n: int) -> list[int]:
    return np.rint(np.array(FOUR.matrix, dtype=float) @ shares * n).astype(int).tolist()


def test_among_all_it_is_the_weighted_sum_of_the_shares() -> None:
    mean, cells = _of([1, 2, 3, 4]), estimate_prevalence(COUNTS, FOUR)
    weights = np.array([1, 2, 3, 4])
    assert mean.point == pytest.approx(weights @ cells.point)
    assert mean.constrained == pytest.approx(weights @ cells.constrained)
    assert mean.standard_error == pytest.approx(math.sqrt(weights @ cells.covariance @ weights))
    # The same as the sample variance of what each report counts for.
    values = np.repeat(weights @ np.array(FOUR.left_inverse, dtype=float), COUNTS)
    assert mean.standard_error == pytest.approx(values.std(ddof=1) / 20)


def test_among_some_it_is_the_mean_of_the_true_ones() -> None:
    mean = _of([1, 2, 3], [0, 1, 2], _reported([0.1, 0.3, 0.2, 0.4], 400_000))
    assert mean.point == pytest.approx((0.1 + 0.6 + 0.6) / 0.6, abs=1e-4)
    assert mean.constrained == pytest.approx(mean.point)


def test_the_interval_of_a_share_of_all_is_that_of_the_prevalence() -> None:
    cells = estimate_prevalence([140, 120, 90], MIXING)
    expected = cells.interval(0.9)
    for code in range(3):
        interval = mean_within(cells, [float(other == code) for other in range(3)]).interval(0.9)
        assert (interval.low, interval.high) == (expected.low[code], expected.high[code])
        assert (interval.method, interval.confidence_level, interval.outside) == ("likelihood_ratio", 0.9, False)


@pytest.mark.parametrize("method", MAPPED_METHODS)
def test_the_share_of_some_answers_has_the_binomial_intervals_of_their_reports_taken_as_one(method: str) -> None:
    # Merged, the design for the answers {1, 3} and the others is forced response with the same chance.
    merged = from_matrix([["3/4", "1/4"], ["1/4", "3/4"]])
    expected = estimate_prevalence([COUNTS[0] + COUNTS[2], COUNTS[1] + COUNTS[3]], merged).interval(0.9, method)
    share = _of([0, 1, 0, 1])
    interval = share.interval(0.9, method)
    assert (interval.low, interval.high, interval.method) == pytest.approx((expected.low[1], expected.high[1], method))
    assert share.interval_methods == MAPPED_METHODS
    assert share.interval(0.9) == share.interval(0.9, "wilson")


def test_the_share_of_one_answer_has_the_intervals_of_the_prevalence() -> None:
    expected = estimate_prevalence(COUNTS, FOUR).interval(0.99)
    interval = _of([0, 0, 1, 0]).interval(0.99)
    assert (interval.low, interval.high) == pytest.approx((expected.low[2], expected.high[2]))


@pytest.mark.parametrize(
    ("mean", "why"),
    [
        (_of([1, 2, 3, 4]), "two values"),
        (_of([0, 1, 1], [0, 1, 2]), "not all answers"),
        (mean_within(estimate_prevalence([9, 8, 7], MIXING), [0, 1, 1]), "several truths"),
    ],
)
def test_elsewhere_there_are_profiles_and_walds(mean: MeanWithin, why: str) -> None:
    assert mean.interval_methods == ("likelihood_ratio", "wald", "confidence_sequence"), why
    with pytest.raises(ValueError, match=r"^method .*got 'wilson'"):
        mean.interval(0.9, "wilson")


def test_walds_is_the_point_and_so_many_standard_errors_cut_to_the_values() -> None:
    mean = _of([1, 2, 3, 4])
    interval = mean.interval(0.9, "wald")
    assert (interval.low, interval.high) == pytest.approx(
        (mean.point - 1.6448536 * mean.standard_error, mean.point + 1.6448536 * mean.standard_error)
    )
    assert _of([1, 2, 3, 4], counts=[97, 1, 1, 1]).interval(0.9, "wald").outside
    assert _of([1, 2, 3, 4], counts=[97, 1, 1, 1]).interval(0.9, "wald").high == 1
    assert _of([1, 2, 3, 4], counts=[1, 1, 1, 97]).interval(0.9, "wald").outside


def test_scaling_the_values_scales_everything() -> None:
    one, other = _of([1, 2, 3], [0, 1, 2]), _of([-1e6, 0, 1e6], [0, 1, 2])
    for method in ("likelihood_ratio", "wald"):
        small, large = one.interval(0.95, method), other.interval(0.95, method)
        assert (large.low, large.high) == pytest.approx(((small.low - 2) * 1e6, (small.high - 2) * 1e6), rel=1e-6)
    assert other.standard_error == pytest.approx(1e6 * one.standard_error)


def test_of_nobody_it_can_be_anything() -> None:
    mean = _of([1, 2, 3], [0, 1, 2], [5, 5, 5, 400])
    assert math.isnan(mean.point)
    assert math.isnan(mean.constrained)
    assert math.isnan(mean.standard_error)
    interval = mean.interval()
    assert (interval.low, interval.high) == (1, 3)
    assert math.isnan(mean.interval(0.95, "wald").low)


def test_one_response_has_no_standard_error() -> None:
    mean = _of([1, 2, 3, 4], counts=[1, 0, 0, 0])
    assert math.isnan(mean.standard_error)
    assert mean.interval().high == 4


@pytest.mark.uncounted
@pytest.mark.parametrize("method", ["likelihood_ratio", "wald"])
@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say(method: str) -> None:
    # 600 samples at .9: outside .85 to .95 with probability below 1e-4 where the coverage is .9; the seed is fixed.
    rng, shares = np.random.default_rng(5), [0.2, 0.3, 0.3, 0.2]
    reports = np.array(FOUR.matrix, dtype=float) @ shares
    samples = rng.multinomial(500, reports, size=600).tolist()
    truth = (0.2 + 0.6 + 0.9) / 0.8
    means = [_of([1, 2, 3], [0, 1, 2], counts) for counts in samples]
    intervals = [mean.interval(0.9, method) for mean in means]
    covered = sum(interval.low <= truth <= interval.high for interval in intervals)
    assert 0.85 <= covered / 600 <= 0.95


@pytest.mark.parametrize("among", [[0, 0], [4, 0], [-1, 0], [0, 1.5], [True, 2]])
def test_among_are_different_codes(among: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^among .*0.*3"):
        _of([1, 2], among)


@pytest.mark.parametrize(
    "values", [[1, 2, 3], [1, 1, 1, 1], [1, 2, 3, math.nan], [1, 2, 3, math.inf], [0, 0, 0, 1e101], ["1", 2, 3, 4]]
)
def test_values_are_numbers_and_not_all_the_same(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"^values .*4"):
        _of(values)


def test_exact_values_will_do() -> None:
    assert _of([Fraction(1), Fraction(2), Fraction(3), Fraction(4)]).point == _of([1, 2, 3, 4]).point
