import math
from fractions import Fraction

import numpy as np
import pytest

from surveys.privacy.loss import ConcentratedLoss
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit, seeded

VARIANCES = {
    "1/2": Fraction(1, 4),
    "1": Fraction(1),
    "10": Fraction(100),
    "100": Fraction(10_000),
    "no root": Fraction(7, 3),
}
SCALES = pytest.mark.parametrize("variance", VARIANCES.values(), ids=VARIANCES)
# Those between others are drawn in make test-all; of all of them the probabilities are enumerated.
DRAWN = pytest.mark.parametrize(
    "variance",
    [pytest.param(each, marks=pytest.mark.slow if name in {"1", "10"} else ()) for name, each in VARIANCES.items()],
    ids=VARIANCES,
)


def draws(noise: DiscreteGaussian, seed: int, number: int = 10_000) -> list[int]:
    randbelow = seeded(seed)
    return [noise.sample(randbelow) for _ in range(number)]


@pytest.mark.uncounted
@DRAWN
def test_noise_follows_its_exact_distribution(variance: Fraction) -> None:
    noise = DiscreteGaussian(variance)
    drawn = draws(noise, seed=20_291)
    assert p_value_of_fit(drawn, noise.probability) > FALSE_ALARM_RATE
    # The twin: a σ a tenth too small, or a quarter too large, would not have passed.
    for share in (Fraction(81, 100), Fraction(25, 16)):
        assert p_value_of_fit(drawn, DiscreteGaussian(variance * share).probability) < FALSE_ALARM_RATE


@pytest.mark.uncounted
def test_proposals_that_are_all_kept_are_caught() -> None:
    noise, randbelow = DiscreteGaussian(Fraction(100)), seeded(20_292)
    faulty = [DiscreteLaplace(Fraction(1), 11).sample(randbelow) for _ in range(4000)]
    assert p_value_of_fit(faulty, noise.probability) < FALSE_ALARM_RATE


@pytest.mark.uncounted
@SCALES
def test_probabilities_are_those_of_the_definition(variance: Fraction) -> None:
    noise = DiscreteGaussian(variance)
    everything = range(-math.ceil(15 * noise.sigma) - 2, math.ceil(15 * noise.sigma) + 3)
    weights = [math.exp(-x * x / (2 * float(variance))) for x in everything]
    assert [noise.probability(x) for x in everything] == pytest.approx(
        [weight / math.fsum(weights) for weight in weights], rel=1e-12
    )
    assert math.fsum(x * x * noise.probability(x) for x in everything) == pytest.approx(noise.variance, rel=1e-12)


def test_the_variance_is_never_more_than_its_parameter_and_soon_the_same() -> None:
    weights = {x: math.exp(-2 * x * x) for x in (1, 2, 3)}
    by_hand = 2 * sum(x * x * weight for x, weight in weights.items()) / (1 + 2 * sum(weights.values()))
    assert DiscreteGaussian(Fraction(1, 4)).variance == pytest.approx(by_hand, rel=1e-9)
    assert by_hand < 0.22
    assert DiscreteGaussian(Fraction(899, 100)).variance == pytest.approx(8.99, rel=1e-13)
    assert DiscreteGaussian(Fraction(9)).variance == 9


@pytest.mark.uncounted
@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(5), Fraction(999), Fraction(1000), Fraction(3000)], ids=str)
def test_tails_are_sums_of_probabilities(sigma: Fraction) -> None:
    noise = DiscreteGaussian(sigma**2)
    values = np.arange(-math.ceil(6 * sigma), math.ceil(14 * sigma) + 1)
    p = np.exp(-((values / float(sigma)) ** 2) / 2) * noise.probability(0)
    at_least = np.cumsum(p[::-1])[::-1]
    asked = values[: math.ceil(12 * sigma)]
    assert noise.at_least(asked)[asked > 0] == pytest.approx(at_least[: asked.size][asked > 0], rel=1e-10)
    assert noise.at_least(asked)[asked <= 0] == pytest.approx(1 - noise.at_least(1 - asked[asked <= 0]), rel=1e-14)


def test_far_tails_are_zero_and_one() -> None:
    noise = DiscreteGaussian(Fraction(1))
    assert noise.at_least([10**9, -(10**9)]).tolist() == [0, 1]


@pytest.mark.parametrize("variance", [Fraction(1, 100), Fraction(25), Fraction(10**8)], ids=str)
def test_hardly_any_noise_is_beyond_its_reach(variance: Fraction) -> None:
    noise = DiscreteGaussian(variance)
    assert noise.survival(noise.reach) < 1e-15


def test_what_is_too_far_for_a_float_is_never_drawn() -> None:
    assert DiscreteGaussian(Fraction(1)).probability(10**6) == 0


def test_concentrated_privacy_is_exact() -> None:
    assert DiscreteGaussian(Fraction(9)).concentrated_loss(2) == ConcentratedLoss(Fraction(1, 9))


@pytest.mark.parametrize("variance", [0, -1, math.nan, math.inf, 0.5, 10**101, Fraction(1, 10**101)])
def test_a_variance_that_is_no_exact_number_above_0_is_refused(variance: object) -> None:
    with pytest.raises(ValueError, match=r"^variance_parameter"):
        DiscreteGaussian(variance)


@pytest.mark.parametrize("variance", [Fraction(1, 10**90), Fraction(10**90)])
def test_extreme_variances_have_probabilities_and_draws(variance: Fraction) -> None:
    noise = DiscreteGaussian(variance)
    assert 0 < noise.probability(0) <= 1
    assert noise.survival(noise.error_bound(0.95)) <= 0.05 + 1e-9
    assert isinstance(noise.sample(), int)
