import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.histogram import GaussianHistogram, LaplaceHistogram, NoisyHistogram
from surveys.privacy.mechanisms.mechanism import Norm
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit, seeded
from tests.privacy.mechanisms.conformance import MechanismConformance
from tests.privacy.mechanisms.neighbours import DataSet

REPLACE, ADD = NeighbouringRelation.REPLACE_ONE, NeighbouringRelation.ADD_OR_REMOVE_ONE
CODES, BITS = Counted.CODES, Counted.BITS


class HistogramConformance(MechanismConformance):
    """Small histograms: every count within so many of any true one."""

    largest_n = 2
    sensitivity_n = 5
    within = 8

    def length(self, mechanism: NoisyHistogram) -> int:
        return mechanism.length

    def statistic(self, mechanism: NoisyHistogram, data: DataSet) -> Sequence[int]:
        return data.counts[1:] if mechanism.is_one_count else data.counts

    def outputs(self, mechanism: NoisyHistogram) -> list[tuple[int, ...]]:
        counts = range(-self.within, self.largest_n + self.within + 1)
        if mechanism.is_one_count:
            return [(n - noisy, noisy) for noisy in counts for n in range(self.largest_n + 1)]
        return list(product(counts, repeat=mechanism.length))

    def numbers(self, mechanism: NoisyHistogram, output: tuple[int, ...], data: DataSet) -> tuple[int, ...]:
        return output[-mechanism.draws :]

    def error(self, mechanism: NoisyHistogram, output: tuple[int, ...], data: DataSet) -> int:
        return max(abs(noisy - count) for noisy, count in zip(output, data.counts, strict=True))


class TestLaplaceHistogram(HistogramConformance):
    outside = 1e-2

    def mechanisms(self) -> list[LaplaceHistogram]:
        kinds = [(REPLACE, CODES, 2), (ADD, CODES, 2), (REPLACE, BITS, 1), (ADD, BITS, 2), (REPLACE, BITS, 2)]
        epsilon = {1: Fraction(7, 10), 2: Fraction(7, 5)}
        return [
            LaplaceHistogram(
                epsilon=epsilon[2 if counted is BITS and length == 2 else 1],
                relation=relation,
                counted=counted,
                length=length,
            )
            for relation, counted, length in kinds
        ]


class TestLaplaceHistogramOfThreeCodes(HistogramConformance):
    outside = 1e-3
    within = 5
    largest_n = 1
    m = 3

    def mechanisms(self) -> list[LaplaceHistogram]:
        return [
            LaplaceHistogram(epsilon=Fraction(3), relation=REPLACE, counted=CODES, length=3),
            LaplaceHistogram(epsilon=Fraction(3, 2), relation=ADD, counted=CODES, length=3),
        ]


class TestGaussianHistogram(HistogramConformance):
    within = 11
    outside = 1e-6

    def attained(self, mechanism: GaussianHistogram) -> float:
        return 0.95  # less by what the grid of variances costs

    def mechanisms(self) -> list[GaussianHistogram]:
        kinds = [(REPLACE, CODES, 2), (ADD, CODES, 2), (REPLACE, BITS, 1), (ADD, BITS, 2), (REPLACE, BITS, 2)]
        return [
            GaussianHistogram(
                epsilon=Fraction(2), delta=Fraction(1, 10**3), relation=relation, counted=counted, length=length
            )
            for relation, counted, length in kinds
        ]


def histogram(**other: object) -> LaplaceHistogram:
    return LaplaceHistogram(
        **{"epsilon": Fraction(1), "relation": REPLACE, "counted": CODES, "length": 3, **other}  # type: ignore[arg-type]
    )


def gaussian_histogram(**other: object) -> GaussianHistogram:
    return GaussianHistogram(
        **{
            "epsilon": Fraction(1),
            "delta": Fraction(1, 10**6),
            "relation": REPLACE,
            "counted": CODES,
            "length": 3,
            **other,
        }  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("relation", "counted", "length", "changed", "draws"),
    [
        (REPLACE, CODES, 2, 1, 1),
        (ADD, CODES, 2, 1, 2),
        (REPLACE, CODES, 5, 2, 5),
        (ADD, CODES, 5, 1, 5),
        (REPLACE, BITS, 2, 2, 2),
        (REPLACE, BITS, 5, 5, 5),
        (ADD, BITS, 5, 5, 5),
        (ADD, BITS, 1, 1, 1),
    ],
)
def test_a_response_changes_so_many_of_the_counts_that_are_drawn(
    relation: NeighbouringRelation, counted: Counted, length: int, changed: int, draws: int
) -> None:
    for make in (histogram, gaussian_histogram):
        mechanism = make(relation=relation, counted=counted, length=length)
        assert (mechanism.sensitivity.value, mechanism.draws) == (changed, draws)


def test_norms_are_those_of_the_noise() -> None:
    assert (histogram().sensitivity.norm, gaussian_histogram().sensitivity.norm) == (Norm.L1, Norm.L2_SQUARED)


def test_two_codes_under_a_public_n_always_sum_to_it() -> None:
    mechanism, randbelow = histogram(length=2), seeded(1)
    released = [mechanism.release([30, 70], randbelow) for _ in range(50)]
    assert {sum(counts) for counts in released} == {100}
    assert len({noisy for _, noisy in released}) > 1
    assert mechanism.probability((40, 61), (30, 70)) == 0


def test_one_count_has_half_the_noise_of_two() -> None:
    assert histogram(length=2).noise.rate == 1
    assert histogram(length=3).noise.rate == 0.5


def test_a_histogram_of_one_count_is_off_by_its_error_bound_at_both_codes() -> None:
    mechanism = histogram(length=2)
    assert mechanism.error_bound(100, 0.95).at_most == mechanism.noise.error_bound(0.95, 1)
    assert histogram().error_bound(100, 0.95).at_most == histogram().noise.error_bound(0.95, 3)


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize(
    "epsilon",
    [
        Fraction(2),
        *(pytest.param(between, marks=pytest.mark.slow) for between in (Fraction(1), Fraction(1, 10))),
        Fraction(1, 100),
    ],
    ids=str,
)
@pytest.mark.parametrize("make", [histogram, gaussian_histogram])
def test_released_counts_have_the_distribution_of_the_noise_at_every_scale(make: type, epsilon: Fraction) -> None:
    mechanism, randbelow = make(epsilon=epsilon, relation=ADD, length=2), seeded(20_289)
    errors = [noisy - 5 for _ in range(4_000) for noisy in mechanism.release([5, 5], randbelow)]
    assert p_value_of_fit(errors, mechanism.noise.probability) > FALSE_ALARM_RATE
    other = make(epsilon=epsilon * Fraction(5, 4), relation=ADD, length=2)
    assert p_value_of_fit(errors, other.noise.probability) < FALSE_ALARM_RATE


def test_rounded_continuous_noise_is_caught_although_it_is_made_of_integers() -> None:
    mechanism = histogram(relation=ADD)
    rounded = np.rint(np.random.default_rng(20_290).laplace(0, 1, 20_000)).astype(int)
    assert p_value_of_fit(rounded.tolist(), mechanism.noise.probability) < FALSE_ALARM_RATE


def test_the_bits_of_naive_float_noise_tell_a_count_from_its_neighbour() -> None:
    # Why a release never adds floats: most sums with 0 cannot come from 1 at all.
    grid = [(step + 0.5) / 2**12 - 0.5 for step in range(2**12)]
    noise = [-math.copysign(math.log1p(-2 * abs(uniform)), uniform) for uniform in grid]
    from_zero, from_one = {0 + x for x in noise}, {1 + x for x in noise}
    assert len(from_zero - from_one) > 0.99 * len(from_zero)


def test_three_changed_counts_need_half_more_variance_than_two() -> None:
    # But for steps of the grid: by zero-concentrated privacy it would be two thirds.
    two, three = (gaussian_histogram(counted=BITS, length=length).noise.variance_parameter for length in (2, 3))
    assert three / two == pytest.approx(1.5, rel=5e-3)


def test_what_a_histogram_costs_is_what_was_asked_for() -> None:
    assert histogram().loss == PrivacyLoss(Fraction(1))
    assert gaussian_histogram().loss == PrivacyLoss(Fraction(1), Fraction(1, 10**6))


def test_only_gaussian_noise_is_better_known_as_concentrated() -> None:
    gaussian = gaussian_histogram(counted=BITS, length=3)
    assert gaussian.concentrated.rho == 3 / (2 * gaussian.noise.variance_parameter)
    assert histogram().concentrated is None


@pytest.mark.parametrize("delta", [0, 1, Fraction(3, 2)], ids=str)
def test_a_gaussian_histogram_needs_a_delta_inside_0_and_1(delta: object) -> None:
    with pytest.raises(ValueError, match=r"^delta"):
        gaussian_histogram(delta=delta)


@pytest.mark.parametrize(("counted", "length"), [(CODES, 1), (CODES, 2.0), (BITS, 0), (BITS, True)], ids=str)
@pytest.mark.parametrize("make", [histogram, gaussian_histogram])
def test_a_histogram_has_a_whole_number_of_counts(make: type, counted: Counted, length: object) -> None:
    with pytest.raises(ValueError, match="length must be"):
        make(counted=counted, length=length)


def test_a_number_of_responses_is_a_whole_number() -> None:
    with pytest.raises(ValueError, match="n must be"):
        histogram().error_bound(-1, 0.95)


def test_integers_of_numpy_are_counts() -> None:
    assert histogram().release(np.array([3, 1, 4]), seeded(2)) == histogram().release([3, 1, 4], seeded(2))


def test_a_histogram_of_ten_thousand_names_is_right_to_12_people_at_once() -> None:
    many = histogram(relation=ADD, length=10_000)
    assert many.error_bound(10**6, 0.95).at_most == math.floor(math.log(10_000 / 0.05)) == 12


def test_less_privacy_needs_less_noise() -> None:
    strict, lax = gaussian_histogram(), replace(gaussian_histogram(), epsilon=Fraction(2))
    assert lax.noise.variance < strict.noise.variance
