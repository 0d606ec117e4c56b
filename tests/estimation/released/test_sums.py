import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, stats

from surveys.estimation.released.sums import _smallest_means, mean_limits
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.total import BoundedTotal


@pytest.mark.parametrize("mechanism", [DiscreteLaplace(Fraction(1), 2), DiscreteLaplace(Fraction(3), 1)])
def test_the_moments_of_the_noise_are_those_of_its_probabilities(mechanism: DiscreteLaplace) -> None:
    x = np.arange(-200, 201)
    pmf = stats.dlaplace.pmf(x, mechanism.rate)
    for h in mechanism.rate * np.array([0.01, 0.3, 0.7]):
        assert mechanism.log_mgf(np.array([h]))[0] == pytest.approx(math.log(pmf @ np.exp(h * x)), rel=1e-9)


def test_hardly_any_noise_has_no_moments_and_overflows_nothing() -> None:
    assert DiscreteLaplace(Fraction(10**6), 1).log_mgf(np.array([1.0, 500.0])) == pytest.approx([0, 0], abs=1e-300)


def test_the_smallest_mean_is_that_of_a_linear_programme() -> None:
    generator = np.random.default_rng(20_301)
    for _ in range(50):
        k = int(generator.integers(2, 6))
        x, m = generator.normal(size=k), generator.normal(size=k)
        bound = generator.uniform(m.min() - 0.1, m.max())
        least = optimize.linprog(x, A_ub=[-m], b_ub=[-bound], A_eq=[np.ones(k)], b_eq=[1]).fun
        assert _smallest_means(x, m[None], np.array([bound]))[0] == pytest.approx(least, abs=1e-9)


def test_what_no_shares_lead_to_leaves_the_largest_mean_only() -> None:
    assert _smallest_means(np.array([1.0, 3.0]), np.array([[0.5, 0.7]]), np.array([0.9]))[0] == 3


def test_with_hardly_any_noise_it_is_the_bound_of_hoeffding() -> None:
    # Theorem 1: Pr(mean ≥ a) ≤ exp(−n·KL(a, θ)) for values between 0 and 1 with mean θ.
    mechanism = BoundedTotal(epsilon=Fraction(10_000), relation=NeighbouringRelation.REPLACE_ONE, values=(0, 1, 2))
    n, a, tail = 100, 0.6, 0.025
    low, high = mean_limits(Fraction(120), n, mechanism, None, tail=tail, method="chernoff")

    def spare(theta: float) -> float:
        return n * (a * math.log(a / theta) + (1 - a) * math.log((1 - a) / (1 - theta))) + math.log(tail)

    assert low == pytest.approx(2 * optimize.brentq(spare, 1e-6, a), abs=2e-3)
    assert high == pytest.approx(2 * optimize.brentq(spare, a, 1 - 1e-6), abs=2e-3)
    assert low <= 2 * optimize.brentq(spare, 1e-6, a)
    assert high >= 2 * optimize.brentq(spare, a, 1 - 1e-6)


@pytest.mark.parametrize("shares", [(0.85, 0.05, 0.1), (0.0, 0.02, 0.98), (0.25, 0.5, 0.25)])
def test_no_limit_excludes_the_mean_more_often_than_its_tail(shares: tuple[float, ...]) -> None:
    """By every sum that eight responses and the noise can lead to."""
    mechanism = BoundedTotal(epsilon=Fraction(1), relation=NeighbouringRelation.REPLACE_ONE, values=(0, 1, 2))
    n, tail = 8, 0.1
    sums = np.array([1.0])
    for _ in range(n):
        sums = np.convolve(sums, shares)
    noise = np.arange(-60, 61)
    pmf = np.convolve(sums, [mechanism.noise.probability(int(z)) for z in noise])
    mean = shares[1] + 2 * shares[2]
    missed = [0.0, 0.0]
    for total, probability in enumerate(pmf, start=-60):
        low, high = mean_limits(Fraction(total), n, mechanism, None, tail=tail, method="chernoff")
        missed[0] += probability * (low > mean)
        missed[1] += probability * (high < mean)
    assert max(missed) <= tail
    # Where values are rare it is not far from Hoeffding's extreme, so not far too careful either.
    assert max(missed) > tail / 20 or shares[1] == 0.5
