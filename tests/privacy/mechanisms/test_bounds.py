import math
import subprocess
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, from_matrix, k_ary, triangular, warner
from surveys.privacy.mechanisms.bounds import RELAXED, ApproximateBounds, FoundBounds, bin_of, signed_log_bins
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.thresholds import likely_counts, threshold
from tests.privacy.chance import FALSE_ALARM_RATE, seeded
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.neighbours import DataSet

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE


class TestApproximateBounds(MechanismConformance):
    m = 2
    largest_n = 3
    outside = 1e-5

    def mechanisms(self) -> Sequence[ApproximateBounds]:
        return [
            ApproximateBounds(epsilon=epsilon, relation=relation, bins=2, design=design)
            for epsilon, relation, design in [("2", REPLACE, None), ("3/2", ADD, None), ("3", ADD, warner("3/4"))]
        ]

    def statistic(self, mechanism: ApproximateBounds, data: DataSet) -> tuple[int, ...]:
        return data.counts

    def outputs(self, mechanism: ApproximateBounds) -> list[FoundBounds]:
        largest = mechanism.noise.error_bound(1 - self.outside, 2)
        counts = range(-largest, self.largest_n + largest + 1)
        return [mechanism.bounds(noisy, 0) for noisy in product(counts, counts)]

    def numbers(self, mechanism: ApproximateBounds, output: FoundBounds, data: DataSet) -> tuple[int, ...]:
        return output.noisy_counts

    def error(self, mechanism: ApproximateBounds, output: FoundBounds, data: DataSet) -> int:
        return max(abs(noisy - count) for noisy, count in zip(output.noisy_counts, data.counts, strict=True))


def no_empty_bin_passes(limit: int, empty: int, noise: DiscreteLaplace) -> float:
    """By enumerating the noise of one empty bin; that of another one is drawn apart from it."""
    return math.fsum(noise.probability(x) for x in range(-600, limit + 1)) ** empty


@pytest.mark.parametrize("bins", [2, 8, 64])
@pytest.mark.parametrize("level", [Fraction(99, 100), Fraction(9, 10), Fraction(1, 2)])
@pytest.mark.parametrize("epsilon", ["1/2", "1", "3"])
def test_no_empty_bin_passes_with_the_stated_probability(epsilon: str, level: Fraction, bins: int) -> None:
    mechanism = ApproximateBounds(epsilon=epsilon, relation=ADD, bins=bins, confidence=level)
    [limit] = set(mechanism.thresholds([0] * bins, 0, level))
    assert no_empty_bin_passes(limit, bins, mechanism.noise) >= level
    # And it is the smallest threshold of that kind.
    assert no_empty_bin_passes(limit - 1, bins, mechanism.noise) < level


@pytest.mark.parametrize("bins", [8, 64])
def test_an_exponent_of_the_number_of_bins_or_a_sign_turned_would_let_empty_bins_pass(bins: int) -> None:
    mechanism, level = ApproximateBounds(epsilon="1", relation=ADD, bins=bins), 0.95
    # Pr(Z ≤ t) = 1 − e^(−εt)/2 of continuous noise is s^(1/b) at t = −ln(2 − 2·s^(1/b))/ε.
    right = -math.log(2 - 2 * level ** (1 / bins))
    with_exponent_wrong = -math.log(2 - 2 * level**bins)
    with_sign_wrong = -right
    assert no_empty_bin_passes(math.ceil(right), bins, mechanism.noise) >= level
    for wrong in (with_exponent_wrong, with_sign_wrong):
        assert no_empty_bin_passes(math.ceil(wrong), bins, mechanism.noise) < level


@pytest.mark.parametrize(
    ("n", "q", "epsilon"), [(5, "1/4", 1), (30, "1/8", 2), (1000, "1/10", 1), (50, "1/2", "1/10"), (7, 1, 1), (9, 0, 1)]
)
@pytest.mark.parametrize("exceeded", [0.3, 0.01, 1e-6])
def test_reports_of_others_raise_the_threshold_by_just_what_they_must(
    n: int, q: str, epsilon: str, exceeded: float
) -> None:
    noise = DiscreteLaplace(Fraction(epsilon), 2)
    limit = threshold(n, Fraction(q), noise, exceeded)
    x = np.arange(n + 1)
    reported = stats.binom.pmf(x, n, float(Fraction(q)))

    def tail(t: int) -> float:
        return float(reported @ stats.dlaplace.sf(t - x, noise.rate))

    assert tail(limit) <= exceeded * (1 + 1e-9)
    assert limit == 0 or tail(limit - 1) > exceeded * (1 - 1e-9)


def test_likely_counts_are_those_of_the_binomial_distribution() -> None:
    for n, q in [(100_000, Fraction(1, 3)), (10**6, Fraction(1, 1000)), (10, Fraction(9, 10))]:
        x, probabilities = likely_counts(n, q)
        assert probabilities == pytest.approx(stats.binom.pmf(x, n, float(q)), rel=1e-9, abs=1e-300)
        assert x.size < 3000


@pytest.mark.parametrize("epsilon", ["1", "1/1000000"])
def test_bounds_of_a_million_responses_take_no_time(epsilon: str) -> None:
    spinner = [Fraction(weight, sum(range(5, 25))) for weight in range(5, 25)]
    mechanism = ApproximateBounds(epsilon=epsilon, relation=REPLACE, bins=20, design=k_ary(20, "1/2", spinner))
    threshold.cache_clear()
    before = time.process_time()
    mechanism.release([50_000] * 20, seeded(5))
    # It is a fifth of a second; by one noise after the other it was a minute.
    assert time.process_time() - before < 5
    x = np.arange(60_000)
    for code, limit in enumerate(mechanism.thresholds((), 10**6, RELAXED[0])):
        reported = stats.binom.pmf(x, 10**6, float(spinner[code]) / 2)
        passing, lower = (float(reported @ stats.dlaplace.sf(t - x, mechanism.noise.rate)) for t in (limit, limit - 1))
        assert passing <= 0.01 / 20 * (1 + 1e-9)
        assert lower > 0.01 / 20 * (1 - 1e-9)


@pytest.mark.parametrize("counts", [[1000, 0, 0], [0, 0, 0]])
def test_how_many_thresholds_are_computed_tells_nothing_of_the_draw(
    counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = ApproximateBounds(epsilon="1", relation=REPLACE, bins=3, design=k_ary(3, "1/2"))
    happened: list[object] = []
    compute, chance = ApproximateBounds.thresholds, seeded(6)

    def computed(self: ApproximateBounds, noisy: Sequence[int], n: int, level: Fraction) -> tuple[int, ...]:
        happened.append(level)
        return compute(self, noisy, n, level)

    def drawn(bound: int) -> int:
        happened.append("a draw")
        return chance(bound)

    monkeypatch.setattr(ApproximateBounds, "thresholds", computed)
    assert (mechanism.release(counts, drawn).low is None) == (sum(counts) == 0)
    assert happened[: len(RELAXED)] == list(RELAXED)
    assert set(happened[len(RELAXED) :]) == {"a draw"}


def test_the_bounds_of_a_release_are_those_of_its_counts() -> None:
    for relation in (REPLACE, ADD):
        mechanism = ApproximateBounds(epsilon="1", relation=relation, bins=3, design=k_ary(3, "1/2"))
        for seed in range(20):
            released = mechanism.release([20, 9, 2], seeded(seed))
            assert released == mechanism.bounds(released.noisy_counts, 31)


def test_bounds_are_loaded_without_numpy() -> None:
    program = "import sys, surveys.privacy.mechanisms.bounds; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "surveys.privacy.mechanisms.bounds" in loaded.split()
    assert "numpy" not in loaded.split()


@pytest.mark.parametrize("n", [30, 100, 1000, 10_000])
def test_through_the_randomizer_empty_bins_stay_out(n: int) -> None:
    design, level, rounds = k_ary(6, "1/2"), Fraction(9, 10), 100
    mechanism = ApproximateBounds(epsilon="1", relation=REPLACE, bins=6, design=design, confidence=level)
    generator = np.random.default_rng(n)
    reported = np.array(design.matrix, dtype=float) @ [0, 0, 0.5, 0.5, 0, 0]
    wrong = exact = 0
    for _ in range(rounds):
        counts = generator.multinomial(n, reported).tolist()
        output = mechanism.release(counts, lambda bound: int(generator.integers(bound)))
        limits = mechanism.thresholds(output.noisy_counts, n, level)
        wrong += any(output.noisy_counts[code] > limits[code] for code in (0, 1, 4, 5))
        exact += (output.low, output.high) == (2, 3)
    assert wrong <= stats.binom.ppf(1 - FALSE_ALARM_RATE, rounds, 0.1)
    # Without the reports of others, a twelfth of n, empty bins would pass nearly always.
    assert n < 1000 or exact > 80


def test_a_threshold_for_noise_alone_would_let_bins_pass_that_others_are_reported_in() -> None:
    design, n = k_ary(6, "1/2"), 1000
    plain = ApproximateBounds(epsilon="1", relation=REPLACE, bins=6)
    reported = np.array(design.matrix, dtype=float) @ [0, 0, 0.5, 0.5, 0, 0]
    output = plain.release(np.random.default_rng(1).multinomial(n, reported).tolist(), seeded(1))
    assert (output.low, output.high) == (0, 5)


def test_where_no_bin_passes_lower_levels_are_tried_on_the_same_counts() -> None:
    mechanism = ApproximateBounds(epsilon="1", relation=ADD, bins=4)
    limits = {level: mechanism.thresholds([0] * 4, 0, level)[0] for level in RELAXED}
    assert list(limits.values()) == sorted(limits.values(), reverse=True)
    for level, limit in limits.items():
        surest = max(other for other, t in limits.items() if t == limit)
        assert mechanism.bounds([0, limit + 1, 0, 0], 1) == FoundBounds((0, limit + 1, 0, 0), 1, 1, surest), level
    lowest = limits[RELAXED[-1]]
    assert mechanism.bounds([0, lowest, -5, lowest], 9) == FoundBounds((0, lowest, -5, lowest), None, None, None)


def test_the_bounds_are_the_first_and_the_last_bin_that_pass() -> None:
    mechanism = ApproximateBounds(epsilon="2", relation=REPLACE, bins=6)
    output = mechanism.release([0, 400, 0, 300, 2, 0], seeded(3))
    assert (output.low, output.high, output.confidence) == (1, 3, RELAXED[0])


def test_bounds_that_the_counts_do_not_lead_to_have_no_probability() -> None:
    mechanism = ApproximateBounds(epsilon="2", relation=REPLACE, bins=2)
    bounds = mechanism.bounds([90, 0], 90)
    assert mechanism.probability(bounds, [90, 0]) > 0.1
    assert mechanism.probability(bounds._replace(high=1), [90, 0]) == 0


def test_where_n_is_private_the_threshold_reads_only_the_noisy_counts() -> None:
    mechanism = ApproximateBounds(epsilon="1", relation=ADD, bins=3, design=k_ary(3, "1/2"))
    noisy = [100, 20, 30]
    assert mechanism.bounds(noisy, 0) == mechanism.bounds(noisy, 10**6)
    public = ApproximateBounds(epsilon="1", relation=REPLACE, bins=3, design=k_ary(3, "1/2"))
    assert public.bounds(noisy, 150) != public.bounds(noisy, 600)


def test_who_prefers_not_to_say_is_in_no_bin() -> None:
    mechanism = ApproximateBounds(epsilon="1", relation=REPLACE, bins=3, design=k_ary(4, "1/2"))
    output = mechanism.release([100, 100, 500, 2000], seeded(4))
    assert len(output.noisy_counts) == 4
    assert (output.low, output.high) == (2, 2)


@pytest.mark.parametrize(
    "design", [warner("1/4"), triangular("1/4"), from_matrix([["1/4", "1/4"], ["1/2", "1/4"], ["1/4", "1/2"]])]
)
def test_a_report_that_is_not_likeliest_for_its_bin_tells_no_bound(design: Design) -> None:
    if design == triangular("1/4"):  # No is sent by those only who are in it
        assert ApproximateBounds(epsilon="1", relation=REPLACE, bins=2, design=design).length == 2
        return
    with pytest.raises(ValueError, match="design must have"):
        ApproximateBounds(epsilon="1", relation=REPLACE, bins=2, design=design)


@pytest.mark.parametrize("confidence", [0, "1/3", 1, 0.9, None, "9999999/10000000"])
def test_a_confidence_is_exact_and_at_least_one_half(confidence: object) -> None:
    with pytest.raises(ValueError, match="confidence must be"):
        ApproximateBounds(epsilon="1", relation=REPLACE, bins=2, confidence=confidence)


@pytest.mark.parametrize(("bins", "design"), [(1, None), (2.0, None), (4, k_ary(3))])
def test_there_are_at_least_two_bins_and_a_report_for_each(bins: int, design: Design | None) -> None:
    with pytest.raises(ValueError, match="bins must be"):
        ApproximateBounds(epsilon="1", relation=REPLACE, bins=bins, design=design)


@pytest.mark.parametrize("exceeded", [0, 1e-13, 1.5, math.nan])
def test_a_threshold_is_exceeded_with_some_probability(exceeded: float) -> None:
    with pytest.raises(ValueError, match="exceeded must be"):
        threshold(10, Fraction(1, 4), DiscreteLaplace(Fraction(1), 1), exceeded)


def test_logarithmic_bins_hold_every_number_once() -> None:
    edges = signed_log_bins(-1, 3)
    assert edges == (-8, -4, -2, -1, Fraction(-1, 2), 0, Fraction(1, 2), 1, 2, 4, 8)
    expected = {-100: 0, -8: 0, "-4.1": 0, -4: 1, "-0.6": 3, "-0.5": 4, "-0.1": 4, 0: 5, "0.4": 5, "0.5": 6, 7: 9, 8: 9}
    assert {value: bin_of(value, edges) for value in expected} == expected


@pytest.mark.parametrize(("smallest", "largest"), [(2, 2), (3, 1)])
def test_logarithmic_bins_have_two_magnitudes_at_least(smallest: int, largest: int) -> None:
    with pytest.raises(ValueError, match=r"^largest"):
        signed_log_bins(smallest, largest)
