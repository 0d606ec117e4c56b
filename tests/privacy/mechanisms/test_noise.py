"""What the noises on counts have in common: their tails, their error bounds, and how they are added."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import pytest

from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.privacy.chance import seeded

Noise: TypeAlias = DiscreteLaplace | DiscreteGaussian
both = pytest.mark.parametrize("make", [lambda: DiscreteLaplace(Fraction(1), 1), lambda: DiscreteGaussian(Fraction(1))])


@pytest.mark.parametrize(
    ("noise", "ends", "near"),
    [(DiscreteLaplace(Fraction(1, 3), 1), (0, 1, 7), 1e-12), (DiscreteGaussian(Fraction(7, 3)), (0, 1, 5), 1e-9)],
    ids=["laplace", "gaussian"],
)
def test_survival_is_the_sum_of_both_tails(noise: Noise, ends: tuple[int, ...], near: float) -> None:
    for t in ends:
        inside = math.fsum(noise.probability(x) for x in range(-t, t + 1))
        assert noise.survival(t) == pytest.approx(1 - inside, rel=near)


@pytest.mark.parametrize("counts", [1, 5, 10_000])
@pytest.mark.parametrize(
    "noise",
    [
        *(DiscreteLaplace(epsilon, 2) for epsilon in (Fraction(1, 100), Fraction(1), Fraction(5, 2))),
        *(
            DiscreteGaussian(Fraction(variance))
            for variance in (Fraction(1, 4), Fraction(1), Fraction(100), Fraction(10_000), Fraction(7, 3))
        ),
    ],
    ids=repr,
)
def test_the_error_bound_is_the_smallest_that_holds(noise: Noise, counts: int) -> None:
    bound = noise.error_bound(0.95, counts)
    assert (1 - noise.survival(bound)) ** counts >= 0.95
    assert bound == 0 or (1 - noise.survival(bound - 1)) ** counts < 0.95


@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(50), 1), DiscreteGaussian(Fraction(1, 100))], ids=repr)
def test_with_little_noise_the_error_bound_is_zero(noise: Noise) -> None:
    assert (noise.error_bound(0.95), noise.error_bound(0.95, 100)) == (0, 0)


@both
def test_an_error_bound_needs_a_level_between_0_and_1_and_a_count(make: Callable[[], Noise]) -> None:
    for confidence_level in (0, 1, math.nan):
        with pytest.raises(ValueError, match="confidence_level"):
            make().error_bound(confidence_level)
    with pytest.raises(ValueError, match=r"^counts"):
        make().error_bound(0.95, 0)


@both
def test_what_is_no_integer_is_never_drawn(make: Callable[[], Noise]) -> None:
    assert (make().probability(Fraction(1, 2)), make().probability(0.25)) == (0, 0)


@both
def test_noisy_counts_are_integers_from_the_default_source(make: Callable[[], Noise]) -> None:
    assert [type(count) for count in make().add_noise([10, 20])] == [int, int]
    with pytest.raises(TypeError):
        make().add_noise([1.5])


@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(1, 1000), 1), DiscreteGaussian(Fraction(10**6))], ids=repr)
def test_every_count_gets_its_own_noise(noise: Noise) -> None:
    randbelow = seeded(3)
    drawn = [noise.sample(randbelow) for _ in range(5)]
    assert [noisy - 7 for noisy in noise.add_noise([7] * 5, seeded(3))] == drawn
    assert len(set(drawn)) == 5
