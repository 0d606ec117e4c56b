import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from scipy import stats

from surveys.privacy.mechanisms import cauchy
from surveys.privacy.mechanisms.cauchy import CauchyNoise
from tests.privacy.chance import FALSE_ALARM_RATE, exact_outcomes, p_value_of_fit, seeded

NOISES = [
    CauchyNoise(Fraction(1, 2), Fraction(0)),
    CauchyNoise(Fraction(3), Fraction(1, 3)),
    CauchyNoise(Fraction(40), Fraction(2)),
]
CENTRE, LAST = Fraction(7, 3), 9
every_noise = pytest.mark.parametrize("noise", NOISES, ids=["1/2", "3·e^(−1/3)", "40·e^(−2)"])


def probability(noise: CauchyNoise, nearest: int) -> float:
    return noise.probability_of_nearest(nearest, CENTRE, LAST)


@every_noise
def test_the_probabilities_are_those_of_a_rounded_cauchy_variable_kept_between_the_ends(noise: CauchyNoise) -> None:
    ideal = stats.cauchy(float(CENTRE), float(noise.factor) * math.exp(-noise.exponent))
    limits = [-math.inf, *(x + 0.5 for x in range(LAST)), math.inf]
    expected = [ideal.cdf(high) - ideal.cdf(low) for low, high in pairwise(limits)]
    assert [probability(noise, x) for x in range(LAST + 1)] == pytest.approx(expected, rel=1e-11)
    assert probability(noise, -1) == probability(noise, LAST + 1) == 0


@pytest.mark.uncounted
@every_noise
def test_draws_follow_the_probabilities(noise: CauchyNoise) -> None:
    randbelow = seeded(20_291)
    drawn = [noise.draw_nearest(CENTRE, LAST, randbelow) for _ in range(5_000)]
    assert p_value_of_fit(drawn, lambda x: probability(noise, x)) > FALSE_ALARM_RATE


def draw_with(fault: str, noise: CauchyNoise, randbelow: Callable[[int], int]) -> int:
    while True:
        x, y = (randbelow(2**31) / 2**31 for _ in "xy")
        if fault == "the whole square" or x * x + y * y < 1:
            break
    scale = float(noise.scale) * (1.25 if fault == "a scale a quarter too large" else 1)
    noisy = float(CENTRE) + (1 - 2 * randbelow(2)) * scale * x / max(y, 1e-12)
    rounded = math.floor(noisy) if fault == "rounded down" else math.floor(noisy + 0.5)
    return min(max(rounded, 0), LAST)


@pytest.mark.uncounted
@pytest.mark.parametrize("fault", ["the whole square", "a scale a quarter too large", "rounded down"])
@pytest.mark.slow
def test_a_planted_fault_is_caught(fault: str) -> None:
    noise, randbelow = NOISES[1], seeded(20_292)
    drawn = [draw_with(fault, noise, randbelow) for _ in range(10_000)]
    assert p_value_of_fit(drawn, lambda x: probability(noise, x)) < FALSE_ALARM_RATE


@pytest.mark.uncounted
def test_the_same_draws_without_a_fault_are_not_caught() -> None:
    noise, randbelow = NOISES[1], seeded(20_292)
    drawn = [draw_with("none", noise, randbelow) for _ in range(10_000)]
    assert p_value_of_fit(drawn, lambda x: probability(noise, x)) > FALSE_ALARM_RATE


@pytest.mark.uncounted
@every_noise
def test_followed_bit_by_bit_every_integer_has_exactly_its_probability(
    noise: CauchyNoise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cauchy, "_BITS", 1)
    outcomes, undecided = exact_outcomes(lambda randbelow: noise.draw_nearest(CENTRE, LAST, randbelow), depth=13)
    assert undecided < 0.35
    for nearest in range(LAST + 1):
        decided = outcomes.get(nearest, Fraction(0))
        assert decided <= probability(noise, nearest) <= decided + undecided


def test_what_is_decided_by_many_bits_is_what_one_bit_more_at_a_time_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = NOISES[2]

    def bits_of(point: tuple[int, int], size: int) -> Callable[[int], int]:
        taken = [0]

        def randbelow(bound: int) -> int:
            if not taken[0]:
                taken[0] += 1
                return 1
            width, place = bound.bit_length() - 1, taken[0] - 1
            taken[0] += 1
            return (point[place % 2] >> (size - width * (place // 2 + 1))) & (bound - 1)

        return randbelow

    points = [(seed * 2654435761 % 2**31, seed * 40503 * 48271 % 2**31) for seed in range(1, 40)]
    inside = [(x << 33, y << 33) for x, y in points if x * x + y * y < 2**61]
    assert len(inside) > 10
    for point in inside:
        results = []
        for width in (1, 4, 32):
            monkeypatch.setattr(cauchy, "_BITS", width)
            results.append(noise.draw_nearest(CENTRE, LAST, bits_of(point, 64)))
        assert len(set(results)) == 1


def test_a_centre_on_a_border_is_decided_by_the_sign_however_small_the_scale() -> None:
    noise, randbelow = CauchyNoise(Fraction(2), Fraction(10**7)), seeded(20_293)
    drawn = [noise.draw_nearest(Fraction(5, 2), LAST, randbelow) for _ in range(400)]
    assert p_value_of_fit(drawn, lambda x: noise.probability_of_nearest(x, Fraction(5, 2), LAST)) > FALSE_ALARM_RATE
    assert set(drawn) == {2, 3}


@pytest.mark.parametrize("centre", [0, LAST])
def test_a_centre_at_an_end_is_decided_by_both_signs(centre: int) -> None:
    noise, randbelow = CauchyNoise(Fraction(2), Fraction(10**7)), seeded(20_294)
    assert {noise.draw_nearest(Fraction(centre), LAST, randbelow) for _ in range(40)} == {centre}


def test_the_scale_is_right_to_many_digits() -> None:
    assert CauchyNoise(Fraction(3), Fraction(0)).scale == 3
    assert CauchyNoise(Fraction(3), Fraction(1)).scale == pytest.approx(3 * Decimal(-1).exp(), rel=Decimal("1e-25"))


@every_noise
@pytest.mark.parametrize("level", [0.01, 0.5, 0.95, 0.999999])
def test_the_error_bound_is_the_quantile_rounded_up(noise: CauchyNoise, level: float) -> None:
    bound = noise.error_bound(level)
    within = 2 / math.pi * math.atan(bound / float(noise.scale))
    assert within == pytest.approx(level, rel=1e-9)
    assert within >= level * (1 - 1e-15)


def test_scales_that_no_float_can_hold_are_drawn_and_described() -> None:
    tiny, huge = CauchyNoise(Fraction(1), Fraction(10**30)), CauchyNoise(Fraction(10**400), Fraction(0))
    randbelow = seeded(20_294)
    assert {tiny.draw_nearest(CENTRE, LAST, randbelow) for _ in range(20)} == {2}
    assert {huge.draw_nearest(CENTRE, LAST, randbelow) for _ in range(60)} == {0, LAST}
    assert [probability(tiny, x) for x in (1, 2, 3)] == pytest.approx([0, 1, 0], abs=1e-100)
    assert [probability(huge, x) for x in (0, 2, LAST)] == pytest.approx([0.5, 0, 0.5])
    assert (tiny.error_bound(0.95), huge.error_bound(0.95)) == (0, math.inf)


def test_the_default_source_draws() -> None:
    assert 0 <= NOISES[0].draw_nearest(CENTRE, LAST) <= LAST


@pytest.mark.parametrize("factor", [0, -1, math.nan, math.inf, 0.5])
def test_a_factor_that_is_no_exact_number_above_0_is_refused(factor: object) -> None:
    with pytest.raises(ValueError, match=r"^factor must be"):
        CauchyNoise(factor, Fraction(0))


@pytest.mark.parametrize("exponent", [-1, math.nan, math.inf, 0.5])
def test_an_exponent_that_is_no_exact_number_of_at_least_0_is_refused(exponent: object) -> None:
    with pytest.raises(ValueError, match=r"^exponent must be"):
        CauchyNoise(Fraction(1), exponent)


@pytest.mark.parametrize("level", [0, 1, -1, 2, math.nan])
def test_a_confidence_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        NOISES[0].error_bound(level)
