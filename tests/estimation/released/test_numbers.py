"""Through the real chain: truths, the randomizer by the design's columns, the mechanism, the interval."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.intervals.interval import ScalarInterval
from surveys.estimation.released.numbers import (
    estimate_released_mean,
    estimate_released_total,
    estimate_released_variance,
)
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import k_ary, warner
from surveys.privacy.mechanisms.mean import BoundedMean, NoisyMean
from surveys.privacy.mechanisms.reported_numbers import (
    ReportedNumbers,
    numbers_of_bands,
    numbers_of_limits,
    undisguised_numbers,
)
from surveys.privacy.mechanisms.total import BoundedTotal
from surveys.privacy.mechanisms.variance import BoundedVariance
from tests.privacy.chance import FALSE_ALARM_RATE

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE
ROUNDS = 120
SIZES = (30, pytest.param(100, marks=pytest.mark.slow), 1000, 10_000)

ONE_BIT = numbers_of_limits(0, 50, warner("3/4"))
SCALE = ReportedNumbers((1, 2, 3, 4, 5), Fraction(1), Fraction(5), k_ary(5, "3/4"))
THREE = ReportedNumbers((0, 10, 20), Fraction(0), Fraction(20), k_ary(3, "9/10"))
UNSAID = numbers_of_limits(0, 50, k_ary(3, "9/10"))
BANDS = numbers_of_bands([0, 10, 20, 30], k_ary(3, "9/10"))


@dataclass(frozen=True)
class Case:
    """One statistic of one question, and what it is in the population."""

    name: str
    numbers: ReportedNumbers
    shares: tuple[float, ...]
    true: Callable[[int], float]
    mechanism: Callable[[Fraction], object]
    interval: Callable[[object, int, object], ScalarInterval]
    least_n: int
    """From which n on the interval is to be much shorter than the range."""
    width: Callable[[int], float]


def mean_of(numbers: ReportedNumbers, shares: tuple[float, ...]) -> float:
    answering = [(float(x), share) for x, share in zip(numbers.numbers, shares, strict=True) if x is not None]
    return sum(x * share for x, share in answering) / sum(share for _, share in answering)


def mean_case(name: str, numbers: ReportedNumbers, shares: tuple[float, ...], least_n: int = 30, **method: str) -> Case:
    return Case(
        name,
        numbers,
        shares,
        lambda n: mean_of(numbers, shares),
        lambda epsilon: BoundedMean(epsilon=epsilon, relation=REPLACE, numbers=numbers),
        lambda output, n, mechanism: estimate_released_mean(output, n, mechanism).interval(0.95, **method),
        least_n,
        lambda n: float(numbers.high - numbers.low),
    )


def total_case(name: str, numbers: ReportedNumbers, shares: tuple[float, ...]) -> Case:
    mean = sum(float(x or 0) * share for x, share in zip(numbers.numbers, shares, strict=True))
    return Case(
        name,
        numbers,
        shares,
        lambda n: n * mean,
        lambda epsilon: BoundedTotal(epsilon=epsilon, relation=REPLACE, values=numbers.values),
        lambda output, n, mechanism: estimate_released_total(output, n, mechanism, numbers).interval(),
        30,
        lambda n: n * float(numbers.high - numbers.low),
    )


def variance_case(name: str, numbers: ReportedNumbers, shares: tuple[float, ...]) -> Case:
    mean = mean_of(numbers, shares)
    squares = mean_of(replace(numbers, numbers=tuple(x**2 for x in numbers.numbers), low=0, high=10_000), shares)
    return Case(
        name,
        numbers,
        shares,
        lambda n: squares - mean**2,
        lambda epsilon: BoundedVariance(epsilon=epsilon, relation=REPLACE, numbers=numbers),
        lambda output, n, mechanism: estimate_released_variance(output, n, mechanism).interval(),
        1000,
        lambda n: float(numbers.high - numbers.low) ** 2 / 4,
    )


CASES = [
    mean_case("one bit", ONE_BIT, (0.6, 0.4)),
    mean_case("one bit by Chernoff", ONE_BIT, (0.97, 0.03), method="chernoff"),
    mean_case("a scale", SCALE, (0.1, 0.2, 0.3, 0.3, 0.1)),
    mean_case("not everybody says", UNSAID, (0.4, 0.5, 0.1), 1000),
    mean_case("bands", BANDS, (0.2, 0.5, 0.3), 1000),
    total_case("total", SCALE, (0.0, 0.0, 0.1, 0.2, 0.7)),
    total_case("total of one bit", ONE_BIT, (0.6, 0.4)),
    variance_case("variance", THREE, (0.3, 0.5, 0.2)),
    variance_case("variance at its largest", THREE, (0.5, 0.0, 0.5)),
]


def intervals(
    case: Case, n: int, epsilon: Fraction, read: Callable[[object], object] = lambda mechanism: mechanism
) -> list[ScalarInterval]:
    """Intervals for so many releases, as read by whoever takes the mechanism for another."""
    generator = np.random.default_rng([n, len(case.name)])
    reported = np.array(case.numbers.design.matrix, dtype=float) @ case.shares
    mechanism = case.mechanism(epsilon)
    return [
        case.interval(
            mechanism.release(
                generator.multinomial(n, reported).tolist(), lambda bound: int(generator.integers(bound))
            ),
            n,
            read(mechanism),
        )
        for _ in range(ROUNDS)
    ]


def covered(case: Case, n: int, limits: list[ScalarInterval]) -> int:
    true = case.true(n)
    return sum(interval.low - 1e-9 <= true <= interval.high + 1e-9 for interval in limits)


FEWEST = stats.binom.ppf(FALSE_ALARM_RATE, ROUNDS, 0.95)
"""Fewer happen once in a million where the coverage is 0.95."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("n", SIZES)
def test_an_interval_covers_both_kinds_of_chance(case: Case, n: int) -> None:
    limits = intervals(case, n, Fraction(1))
    assert covered(case, n, limits) >= FEWEST
    if n >= case.least_n:
        assert np.median([interval.high - interval.low for interval in limits]) < case.width(n)
    if n == 10_000:
        assert np.median([interval.high - interval.low for interval in limits]) < 0.55 * case.width(n)


@pytest.mark.parametrize("case", [CASES[0], CASES[2], CASES[5]], ids=lambda case: case.name)
@pytest.mark.slow
def test_who_forgets_the_noise_covers_too_little(case: Case) -> None:
    def without_noise(mechanism: object) -> object:
        return replace(mechanism, epsilon=Fraction(1000))

    limits = intervals(case, 100, Fraction(1, 20), without_noise)
    assert covered(case, 100, limits) < FEWEST
    assert covered(case, 100, intervals(case, 100, Fraction(1, 20))) >= FEWEST


@pytest.mark.parametrize("case", [CASES[0], CASES[2], CASES[5]], ids=lambda case: case.name)
def test_who_forgets_the_coins_covers_too_little(case: Case) -> None:
    generator = np.random.default_rng(20_300)
    reported = np.array(case.numbers.design.matrix, dtype=float) @ case.shares
    mechanism, n, hits = case.mechanism(Fraction(1)), 10_000, 0
    within = mechanism.error_bound(n, 0.95).at_most
    for _ in range(ROUNDS):
        counts = generator.multinomial(n, reported).tolist()
        output = mechanism.release(counts, lambda bound: int(generator.integers(bound)))
        point = mechanism.raw(output) if isinstance(output, NoisyMean) else output
        hits += abs(float(point) - case.true(n)) <= within
    assert hits < FEWEST


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("numbers", [SCALE, ONE_BIT], ids=["scale", "one bit"])
def test_by_chernoff_the_total_of_these_very_respondents_is_covered(n: int, numbers: ReportedNumbers) -> None:
    generator = np.random.default_rng(n)
    truths = [n // 3, n - n // 3] if numbers is ONE_BIT else [n // 2, 0, n // 10, 0, n - n // 2 - n // 10]
    true = sum(float(x) * count for x, count in zip(numbers.numbers, truths, strict=True))
    columns = np.array(numbers.design.matrix, dtype=float).T
    mechanism = BoundedTotal(epsilon=Fraction(1), relation=REPLACE, values=numbers.values)
    hits = 0
    for _ in range(ROUNDS):
        counts = sum(generator.multinomial(count, column) for count, column in zip(truths, columns, strict=True))
        total = mechanism.release(counts.tolist(), lambda bound: int(generator.integers(bound)))
        interval = estimate_released_total(total, n, mechanism, numbers).interval(method="chernoff")
        hits += interval.low <= true <= interval.high
    assert hits >= FEWEST


def test_two_values_have_an_exact_interval_within_that_of_chernoff() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1, 2), relation=REPLACE, numbers=ONE_BIT)
    for counts in ([70, 30], [20, 80], [100, 0]):
        estimate = estimate_released_mean(mechanism.release(counts), 100, mechanism)
        exact, other = estimate.interval(), estimate.interval(method="chernoff")
        assert (exact.method, other.method) == ("exact", "chernoff")
        assert other.low <= exact.low <= exact.high <= other.high


def test_the_points_are_those_of_the_mechanism() -> None:
    mean = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=ONE_BIT)
    variance = BoundedVariance(epsilon=Fraction(1), relation=REPLACE, numbers=THREE)
    total = BoundedTotal(epsilon=Fraction(1), relation=REPLACE, values=THREE.values)
    beyond = NoisyMean(Fraction(9000), Fraction(100))
    estimate = estimate_released_mean(beyond, 100, mean)
    assert (estimate.point, estimate.constrained) == (90 + 25, 50)
    drawn = variance.release([10, 0, 10])
    spread = estimate_released_variance(drawn, 20, variance)
    assert (spread.point, spread.constrained) == (float(variance.raw(drawn)), float(variance.value(drawn)))
    assert estimate_released_total(Fraction(5, 2), 20, total, THREE).point == 2.5


@pytest.mark.parametrize("steps", [-(10**6), -500, 500, 10**6])
def test_a_sum_beyond_what_any_truths_can_lead_to_claims_no_certainty(steps: int) -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=SCALE)
    part = mechanism.parts.sums[0]
    output = NoisyMean(part.grid.value(steps * part.noise.sensitivity, 100), Fraction(100))
    interval = estimate_released_mean(output, 100, mechanism).interval()
    assert 1 <= interval.low < interval.high - 0.2 < interval.high <= 5


def test_where_perhaps_nobody_says_the_mean_may_be_any() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=UNSAID)
    interval = estimate_released_mean(mechanism.release([1, 1, 28]), 30, mechanism).interval()
    assert (interval.low, interval.high) == (0, 50)


def test_a_band_leaves_open_where_in_it_a_number_is() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=BANDS)
    precise = BoundedMean(epsilon=Fraction(1), relation=REPLACE, numbers=replace(BANDS, spread=0))
    output = mechanism.release([2000, 5000, 3000])
    wide, narrow = (estimate_released_mean(output, 10_000, one).interval() for one in (mechanism, precise))
    assert (wide.low, wide.high) == pytest.approx((narrow.low - 5, narrow.high + 5))
    # All numbers at the left edges of their bands have a mean of 5 less, which must not be excluded.
    assert wide.high - wide.low > 10


def test_bands_leave_the_standard_deviation_open_by_half_their_width() -> None:
    precise = replace(BANDS, spread=0)
    mechanisms = [BoundedVariance(epsilon=Fraction(4), relation=REPLACE, numbers=one) for one in (BANDS, precise)]
    output = mechanisms[0].release([200_000, 500_000, 300_000])
    wide, narrow = (estimate_released_variance(output, 1_000_000, one).interval() for one in mechanisms)
    assert wide.low == pytest.approx((narrow.low**0.5 - 5) ** 2)
    assert wide.high == pytest.approx((narrow.high**0.5 + 5) ** 2)


def test_numbers_that_are_the_truths_need_no_design() -> None:
    numbers = undisguised_numbers([0, 1, 4])
    mechanism = BoundedTotal(epsilon=Fraction(100), relation=REPLACE, values=numbers.values)
    interval = estimate_released_total(Fraction(2000), 1000, mechanism, numbers).interval()
    assert 1500 < interval.low < 2000 < interval.high < 2500


def test_n_has_to_be_public() -> None:
    mechanism = BoundedMean(epsilon=Fraction(1), relation=ADD, numbers=ONE_BIT)
    with pytest.raises(ValueError, match="REPLACE_ONE"):
        estimate_released_mean(mechanism.release([1, 2]), 3, mechanism)


def test_a_total_is_read_with_the_numbers_it_was_made_of() -> None:
    mechanism = BoundedTotal(epsilon=Fraction(1), relation=REPLACE, values=SCALE.values)
    with pytest.raises(ValueError, match=r"^numbers"):
        estimate_released_total(Fraction(1), 3, mechanism, THREE)


def test_a_total_between_two_steps_was_not_drawn() -> None:
    numbers = undisguised_numbers([0, 2])
    mechanism = BoundedTotal(epsilon=Fraction(1), relation=REPLACE, values=numbers.values)
    with pytest.raises(ValueError, match="the grid"):
        estimate_released_total(Fraction(1), 3, mechanism, numbers).interval()


@pytest.mark.parametrize(("case", "method"), [(CASES[2], "exact"), (CASES[0], "wilson")], ids=["scale", "one bit"])
def test_a_method_that_there_is_not_is_refused(case: Case, method: str) -> None:
    mechanism = case.mechanism(Fraction(1))
    counts = [1] * case.numbers.design.m
    with pytest.raises(ValueError, match=r"^method"):
        estimate_released_mean(mechanism.release(counts), len(counts), mechanism).interval(method=method)


@pytest.mark.parametrize("n", [0, -1, 10.5, True, None])
def test_a_number_of_responses_is_a_whole_number(n: object) -> None:
    mechanism = CASES[0].mechanism(Fraction(1))
    with pytest.raises(ValueError, match=r"^n "):
        estimate_released_mean(mechanism.release([1, 2]), n, mechanism)
