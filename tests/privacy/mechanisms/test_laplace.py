import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from surveys.privacy.adjacency import NeighbouringRelation, histogram_sensitivity
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit, seeded

SCALES = [
    (Fraction(2), 1),
    (Fraction(1), 1),
    (Fraction(1, 10), 1),
    (Fraction(1, 50), 2),
    (Fraction(3, 7), Fraction(5, 2)),
]
# The scales between others are drawn in make test-all; of all of them the probabilities are enumerated.
DRAWN = [SCALES[0], *(pytest.param(*between, marks=pytest.mark.slow) for between in SCALES[1:3]), *SCALES[3:]]


def draws(mechanism: DiscreteLaplace, seed: int, number: int = 20_000) -> list[int]:
    randbelow = seeded(seed)
    return [mechanism.sample(randbelow) for _ in range(number)]


@pytest.mark.uncounted
@pytest.mark.parametrize(("epsilon", "sensitivity"), DRAWN, ids=["1/2", "1", "10", "100", "35/6"])
def test_noise_follows_its_exact_distribution(epsilon: Fraction, sensitivity: int) -> None:
    mechanism = DiscreteLaplace(epsilon, sensitivity)
    assert p_value_of_fit(draws(mechanism, seed=20_261), mechanism.probability) > FALSE_ALARM_RATE


@pytest.mark.uncounted
@pytest.mark.parametrize(("epsilon", "sensitivity"), DRAWN, ids=["1/2", "1", "10", "100", "35/6"])
@pytest.mark.slow
def test_a_scale_a_tenth_too_small_is_caught(epsilon: Fraction, sensitivity: int) -> None:
    declared = DiscreteLaplace(epsilon, sensitivity)
    faulty = DiscreteLaplace(epsilon * Fraction(10, 9), sensitivity)
    assert p_value_of_fit(draws(faulty, seed=20_262), declared.probability) < FALSE_ALARM_RATE


@pytest.mark.uncounted
def test_the_sensitivity_of_the_other_relation_is_caught() -> None:
    declared = DiscreteLaplace(Fraction(1), histogram_sensitivity(NeighbouringRelation.REPLACE_ONE))
    faulty = DiscreteLaplace(Fraction(1), histogram_sensitivity(NeighbouringRelation.ADD_OR_REMOVE_ONE))
    assert p_value_of_fit(draws(faulty, seed=20_263, number=4000), declared.probability) < FALSE_ALARM_RATE


def test_a_negative_zero_kept_is_caught() -> None:
    def magnitude_with_a_sign(mechanism: DiscreteLaplace, randbelow: Callable[[int], int]) -> int:
        q = math.exp(-mechanism.rate)
        magnitude = math.floor(math.log((randbelow(2**53) + 0.5) / 2**53) / math.log(q))
        return magnitude if randbelow(2) else -magnitude

    mechanism, randbelow = DiscreteLaplace(Fraction(1), 1), seeded(20_264)
    faulty = [magnitude_with_a_sign(mechanism, randbelow) for _ in range(4000)]
    assert p_value_of_fit(faulty, mechanism.probability) < FALSE_ALARM_RATE


def test_the_probabilities_sum_to_1_and_have_the_stated_variance() -> None:
    mechanism = DiscreteLaplace(Fraction(1, 2), 2)
    assert sum(mechanism.probability(x) for x in range(-400, 401)) == pytest.approx(1, rel=1e-12)
    assert sum(x * x * mechanism.probability(x) for x in range(-400, 401)) == pytest.approx(
        mechanism.variance, rel=1e-12
    )


@pytest.mark.parametrize("relation", NeighbouringRelation)
def test_no_histogram_is_more_than_e_to_the_epsilon_times_likelier_than_from_a_neighbour(
    relation: NeighbouringRelation,
) -> None:
    mechanism = DiscreteLaplace(Fraction(7, 10), histogram_sensitivity(relation))
    neighbour = (1, -1) if relation is NeighbouringRelation.REPLACE_ONE else (1, 0)
    worst = max(
        math.prod(mechanism.probability(x) for x in output)
        / math.prod(mechanism.probability(x - shift) for x, shift in zip(output, neighbour, strict=True))
        for output in ((x, y) for x in range(-5, 6) for y in range(-5, 6))
    )
    assert math.log(worst) == pytest.approx(0.7, rel=1e-12)


@pytest.mark.uncounted
@pytest.mark.parametrize(("epsilon", "sensitivity"), SCALES, ids=["1/2", "1", "10", "100", "35/6"])
def test_tails_are_sums_of_probabilities(epsilon: Fraction, sensitivity: int) -> None:
    mechanism = DiscreteLaplace(epsilon, sensitivity)
    asked = range(-12, 13)
    beyond = 40 * math.ceil(sensitivity / epsilon)
    sums = [math.fsum(mechanism.probability(x) for x in range(t, beyond)) for t in asked]
    assert mechanism.at_least(list(asked)) == pytest.approx(sums, rel=1e-12)


@pytest.mark.parametrize(("epsilon", "sensitivity"), SCALES, ids=["1/2", "1", "10", "100", "35/6"])
def test_hardly_any_noise_is_beyond_its_reach(epsilon: Fraction, sensitivity: int) -> None:
    mechanism = DiscreteLaplace(epsilon, sensitivity)
    assert mechanism.survival(mechanism.reach) < 1e-15 < mechanism.survival(mechanism.reach * 9 // 10 - 1)


def test_the_error_bound_of_ten_thousand_names_is_just_below_the_textbook_one() -> None:
    union_bound = math.log(10_000 / 0.05)
    assert union_bound == pytest.approx(12.2, abs=0.01)
    assert DiscreteLaplace(Fraction(1), 1).error_bound(0.95, 10_000) == math.floor(union_bound)


def test_an_error_bound_is_for_one_count_unless_said() -> None:
    mechanism = DiscreteLaplace(Fraction(1, 100), 1)
    assert mechanism.error_bound(0.95) == mechanism.error_bound(0.95, 1) < mechanism.error_bound(0.95, 2)


def test_an_epsilon_so_large_that_there_is_no_noise_does_not_overflow() -> None:
    mechanism = DiscreteLaplace(Fraction(10_000), 1)
    assert (mechanism.variance, mechanism.probability(0), mechanism.survival(0), mechanism.sample()) == (0, 1, 0, 0)


def test_a_release_costs_its_epsilon() -> None:
    assert DiscreteLaplace(Fraction(1, 2), 2).loss == PrivacyLoss(Fraction(1, 2), Fraction(0))


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 0.5])
def test_an_epsilon_that_protects_nobody_is_refused(epsilon: object) -> None:
    with pytest.raises(ValueError, match="epsilon must be"):
        DiscreteLaplace(epsilon, 1)


def test_a_sensitivity_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^sensitivity"):
        DiscreteLaplace(Fraction(1), 0)


def test_an_epsilon_as_small_as_no_float_has_more_noise_than_floats_can_hold() -> None:
    assert DiscreteLaplace(Fraction(1, 10**200), 1).variance == math.inf
    assert DiscreteLaplace(Fraction(1, 10**150), 1).variance == pytest.approx(2e300, rel=1e-12)
    none = DiscreteLaplace(Fraction(1, 10**330), 1)
    assert none.variance == math.inf
    # ln(1/0.05)·10^330, in whole people.
    assert Fraction(none.error_bound(0.95), 10**330) == pytest.approx(math.log(20), rel=1e-12)
    assert (none.probability(0), none.survival(10**6)) == (0, 1)


def test_an_epsilon_beyond_all_floats_has_no_noise() -> None:
    mechanism = DiscreteLaplace(Fraction(10**400), 1)
    assert (mechanism.variance, mechanism.probability(0), mechanism.probability(2)) == (0, 1, 0)
    assert (mechanism.survival(0), mechanism.error_bound(0.95)) == (0, 0)
