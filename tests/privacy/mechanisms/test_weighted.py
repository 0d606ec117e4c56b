from fractions import Fraction

import numpy as np
import pytest

from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.histogram import Noise
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.weighted import WeightedNoise

WEIGHTS = (Fraction(3, 2), Fraction(-1), Fraction(-1), Fraction(0))
STEP = 2
"""Every weight is so many halves."""

NOISES = [DiscreteLaplace(Fraction(1), 2), DiscreteLaplace(Fraction(3), 1), DiscreteGaussian(Fraction(2))]


def exact_tail(noise: Noise, t: float) -> float:
    """Σ w·Z ≥ t by convolution, on halves."""
    reach = 60
    each = np.array([noise.probability(x) for x in range(-reach, reach + 1)])
    total = np.ones(1)
    for weight in WEIGHTS[:3]:
        size = int(abs(weight) * STEP)
        spread = np.zeros(2 * reach * size + 1)
        spread[::size] = each
        total = np.convolve(total, spread)
    values = (np.arange(total.size) - total.size // 2) / STEP
    return float(total[values >= t - 1e-9].sum())


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_the_bound_is_above_the_tail_and_not_far_above(noise: Noise) -> None:
    weighted = WeightedNoise(noise, WEIGHTS)
    spread = weighted.variance**0.5
    for t in np.arange(0.5, 6 * spread, 0.5):
        tail, bound = exact_tail(noise, t), float(weighted.at_least(t))
        assert tail <= bound
        assert bound < 25 * tail
    assert weighted.at_least([-3.0, 0.0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_the_variance_is_that_of_the_sum(noise: Noise) -> None:
    assert WeightedNoise(noise, WEIGHTS).variance == pytest.approx(noise.variance * (9 / 4 + 2))


def test_a_normal_bound_is_that_of_the_sum_of_squares() -> None:
    weighted = WeightedNoise(DiscreteGaussian(Fraction(50)), WEIGHTS)
    t = np.array([10.0, 40.0])
    assert weighted.at_least(t) == pytest.approx(np.exp(-(t**2) / (2 * 50 * 4.25)), rel=1e-3)


def test_noise_that_is_almost_none_leaves_almost_no_tail() -> None:
    assert WeightedNoise(DiscreteLaplace(10**9, 2), WEIGHTS).at_least([1.0]) < 1e-100
    assert WeightedNoise(DiscreteLaplace(Fraction(1, 10**9), 2), WEIGHTS).at_least([10.0]) > 0.99


def test_a_sum_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="weights must not all be 0"):
        WeightedNoise(NOISES[0], (Fraction(0),)).at_least(1.0)
