from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.released.histogram import estimate_released_histogram
from surveys.estimation.released.options import estimate_released_options
from surveys.privacy.designs import forced_response, k_ary, optimized_unary, warner
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.privacy.chance import FALSE_ALARM_RATE

COINS = forced_response()
NOISES = [DiscreteLaplace(Fraction(1), 3), DiscreteGaussian(Fraction(16))]


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "gaussian"])
@pytest.mark.parametrize("n", [30, 100, 1000, 10_000])
@pytest.mark.slow
def test_every_option_is_covered(n: int, noise: DiscreteLaplace | DiscreteGaussian) -> None:
    generator = np.random.default_rng(n)
    prevalence, rounds = np.array([0.05, 0.3, 0.9]), 100
    reported = 0.25 + prevalence / 2
    covered, widths = np.zeros(3), []
    for _ in range(rounds):
        noisy = noise.add_noise(generator.binomial(n, reported), lambda bound: int(generator.integers(bound)))
        interval = estimate_released_options(noisy, n, COINS, noise).interval()
        covered += (interval.low <= prevalence) & (prevalence <= interval.high)
        widths.append(interval.high - interval.low)
    assert covered.min() >= stats.binom.ppf(FALSE_ALARM_RATE, rounds, 0.95)
    assert np.median(widths) < 0.9


def test_an_option_is_read_like_a_question_of_its_own() -> None:
    noise = NOISES[0]
    options = estimate_released_options([40, 70, -3], 100, COINS, noise)
    for count, point, error, low, high in zip(
        options.noisy_counts,
        options.point,
        options.standard_error,
        options.interval().low,
        options.interval().high,
        strict=True,
    ):
        alone = estimate_released_histogram([100 - count, count], 100, COINS, noise, one_count=True)
        assert (point, error) == pytest.approx((alone.point[1], alone.standard_error[1]), rel=0.02)
        assert (low, high) == pytest.approx((alone.interval().low[1], alone.interval().high[1]))


def test_options_need_not_sum_to_anything_and_stay_within_0_and_1() -> None:
    options = estimate_released_options([-20, 30, 180], 100, COINS, NOISES[0])
    assert options.point == pytest.approx([-0.9, 0.1, 3.1])
    assert options.constrained == pytest.approx([0, 0.1, 1])
    assert options.interval().low[0] == 0
    assert options.interval().high[2] == 1


def test_a_falling_line_is_mapped_the_right_way_round() -> None:
    falling = estimate_released_options([30], 100, warner("1/4"), NOISES[0]).interval()
    rising = estimate_released_options([70], 100, warner("3/4"), NOISES[0]).interval()
    assert (falling.low, falling.high) == (pytest.approx(rising.low), pytest.approx(rising.high))


def test_the_bits_of_a_unary_report_are_options() -> None:
    design = optimized_unary(1, 4)
    assert estimate_released_options([50, 60, 70, 80], 100, design.bit, NOISES[1]).interval().low.shape == (4,)


def test_gaussian_noise_is_covered_in_a_histogram_as_well() -> None:
    design, prevalence, n, rounds = k_ary(3, "1/2"), np.array([0.6, 0.3, 0.1]), 300, 100
    noise = DiscreteGaussian(Fraction(400))
    generator = np.random.default_rng(20_302)
    reported = np.array(design.matrix, dtype=float) @ prevalence
    covered, forgotten = np.zeros(3), np.zeros(3)
    for _ in range(rounds):
        noisy = noise.add_noise(generator.multinomial(n, reported), lambda bound: int(generator.integers(bound)))
        interval, forgetful = (
            estimate_released_histogram(noisy, n, design, read).interval()
            for read in (noise, DiscreteGaussian(Fraction(1)))
        )
        covered += (interval.low <= prevalence) & (prevalence <= interval.high)
        forgotten += (forgetful.low <= prevalence) & (prevalence <= forgetful.high)
    fewest = stats.binom.ppf(FALSE_ALARM_RATE, rounds, 0.95)
    assert covered.min() >= fewest
    assert forgotten.min() < fewest


@pytest.mark.parametrize("noisy", [[], [1.5], None, "12", [True], [[1]]])
def test_what_are_no_counts_is_refused(noisy: object) -> None:
    with pytest.raises(ValueError, match=r"^noisy_counts"):
        estimate_released_options(noisy, 10, COINS, NOISES[0])


def test_each_option_has_two_answers() -> None:
    with pytest.raises(ValueError, match=r"^design"):
        estimate_released_options([1, 2, 3], 10, k_ary(3), NOISES[0])
