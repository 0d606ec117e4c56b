import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest

from surveys.privacy.mechanisms.stability import StabilityTest
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit, seeded

EPSILONS = [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(20)]
DELTAS = [Fraction(49, 100), Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**60)]


def tail(epsilon: Fraction, t: int) -> Decimal:
    """Pr(Z ≥ t) for t of at least 1, summed from Pr(Z = x) = (1 − q)/(1 + q)·q^x, to 100 digits."""
    wide = Context(prec=100, Emin=-(10**9))
    q = wide.exp(wide.divide(Decimal(-epsilon.numerator), Decimal(epsilon.denominator)))
    first = wide.multiply(wide.divide(1 - q, 1 + q), wide.power(q, t))
    return wide.divide(first, wide.subtract(Decimal(1), q))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_the_threshold_is_the_smallest_that_noise_alone_reaches_with_probability_delta(
    epsilon: Fraction, delta: Fraction
) -> None:
    threshold = StabilityTest(epsilon, delta).threshold
    assert Fraction(tail(epsilon, threshold)) <= delta
    assert threshold == 1 or Fraction(tail(epsilon, threshold - 1)) > delta


@pytest.mark.parametrize("delta", DELTAS)
def test_it_is_near_the_threshold_of_continuous_noise(delta: Fraction) -> None:
    textbook = math.log(1 / (2 * delta)) * 1000
    assert abs(StabilityTest(Fraction(1, 1000), delta).threshold - textbook) <= 2


def test_a_threshold_with_the_wrong_sign_is_caught() -> None:
    # ln(2δ)/ε = −13.1 instead of ln(1/(2δ))/ε: with a stability of 0 nearly everybody would pass.
    delta = Fraction(1, 10**6)
    test, wrong = StabilityTest(Fraction(1), delta), math.ceil(math.log(2 * delta))
    assert test.probability(0) <= delta
    assert sum(test.noise.probability(x) for x in range(wrong, 100)) > 1 - 10 * delta


@pytest.mark.parametrize("stability", [0, 1, 2, 3, 9])
def test_the_probability_of_passing_is_that_of_the_noise(stability: int) -> None:
    test = StabilityTest(Fraction(2, 3), Fraction(1, 5))
    expected = sum(test.noise.probability(x) for x in range(test.threshold - stability, 200))
    assert test.probability(stability) == pytest.approx(expected, rel=1e-12)


@pytest.mark.uncounted
@pytest.mark.parametrize("stability", [0, 2, 4])
def test_draws_follow_that_probability(stability: int) -> None:
    test, randbelow = StabilityTest(Fraction(2, 3), Fraction(1, 5)), seeded(20_290)
    passed = [int(test.passes(stability, randbelow)) for _ in range(2_000)]
    probabilities = (1 - test.probability(stability), test.probability(stability))
    assert p_value_of_fit(passed, lambda x: probabilities[x]) > FALSE_ALARM_RATE


def test_a_test_that_compares_without_noise_is_caught() -> None:
    test = StabilityTest(Fraction(2, 3), Fraction(1, 5))
    passed = [int(test.threshold <= 4) for _ in range(2_000)]
    probabilities = (1 - test.probability(4), test.probability(4))
    assert p_value_of_fit(passed, lambda x: probabilities[x]) < FALSE_ALARM_RATE


def test_neighbours_differ_by_at_most_e_to_the_epsilon_in_both_outcomes() -> None:
    test = StabilityTest(Fraction(2, 3), Fraction(1, 10))
    for stability in range(12):
        one, other = test.probability(stability), test.probability(stability + 1)
        assert one <= other <= one * math.exp(2 / 3) * (1 + 1e-12)
        assert (1 - one) <= (1 - other) * math.exp(2 / 3) * (1 + 1e-12)
    # Both are attained: passing far below the threshold, refusing far above it.
    assert test.probability(1) == pytest.approx(test.probability(0) * math.exp(2 / 3), rel=1e-12)
    assert 1 - test.probability(8) == pytest.approx((1 - test.probability(9)) * math.exp(2 / 3), rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_the_stability_needed_is_the_smallest_that_passes_with_that_confidence(level: float) -> None:
    test = StabilityTest(Fraction(1, 4), Fraction(1, 1000))
    needed = test.stability_needed(level)
    assert test.probability(needed) >= level > test.probability(needed - 1)


def test_a_little_confidence_needs_no_more_than_the_threshold() -> None:
    test = StabilityTest(Fraction(1, 4), Fraction(1, 1000))
    assert test.stability_needed(0.1) == test.threshold


def test_epsilons_beyond_all_floats_are_defined() -> None:
    assert StabilityTest(Fraction(10**400), Fraction(1, 10**6)).threshold == 1
    assert StabilityTest(Fraction(1, 10**400), Fraction(1, 10**6)).probability(0) == pytest.approx(1e-6, rel=1e-9)


def test_a_delta_just_below_a_half_has_a_threshold_of_at_least_1() -> None:
    assert StabilityTest(Fraction(1, 10**20), Fraction(1, 2) - Fraction(1, 10**60)).threshold >= 1
    assert StabilityTest(Fraction(1), Fraction(1, 2) - Fraction(1, 10**60)).threshold == 1


@pytest.mark.parametrize("delta", [0, -1, Fraction(1, 2), 1, math.nan, 0.1, None])
def test_a_delta_that_is_not_between_0_and_a_half_is_refused(delta: object) -> None:
    with pytest.raises(ValueError, match=r"^delta must be"):
        StabilityTest(Fraction(1), delta)


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 0.1, True])
def test_an_epsilon_that_protects_nobody_is_refused(epsilon: object) -> None:
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        StabilityTest(epsilon, Fraction(1, 10))


@pytest.mark.parametrize("level", [0, 1, -1, math.nan])
def test_a_confidence_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        StabilityTest(Fraction(1), Fraction(1, 10)).stability_needed(level)
