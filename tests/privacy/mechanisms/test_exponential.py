import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest

from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from tests.privacy.chance import FALSE_ALARM_RATE, exact_outcomes, p_value_of_fit, seeded

UTILITIES = [Fraction(7, 2), 5, Fraction(13, 3), -2]


def choices(mechanism: ExponentialMechanism, seed: int, number: int = 10_000) -> list[int]:
    randbelow = seeded(seed)
    return [mechanism.choose(UTILITIES, randbelow) for _ in range(number)]


def test_probabilities_are_those_of_the_definition() -> None:
    mechanism = ExponentialMechanism(Fraction(3, 2), 2)
    weights = [math.exp(1.5 * float(utility) / 4) for utility in UTILITIES]
    assert mechanism.probabilities(UTILITIES) == pytest.approx([weight / sum(weights) for weight in weights], rel=1e-12)


@pytest.mark.uncounted
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_choices_follow_their_exact_distribution(epsilon: Fraction) -> None:
    mechanism = ExponentialMechanism(epsilon, 1)
    probabilities = mechanism.probabilities(UTILITIES)
    assert p_value_of_fit(choices(mechanism, seed=20_265), lambda x: probabilities[x]) > FALSE_ALARM_RATE


@pytest.mark.uncounted
def test_a_mechanism_without_the_factor_2_is_caught() -> None:
    declared = ExponentialMechanism(Fraction(1), 1).probabilities(UTILITIES)
    faulty = ExponentialMechanism(Fraction(2), 1)
    assert p_value_of_fit(choices(faulty, seed=20_266, number=3000), lambda x: declared[x]) < FALSE_ALARM_RATE


def test_one_proposal_is_accepted_with_the_exact_exponential() -> None:
    # Two candidates and epsilon 1: exp(-1/2) of the proposals of the second are accepted.
    outcomes, undecided = exact_outcomes(
        lambda randbelow: ExponentialMechanism(Fraction(1), 1).choose([1, 0], randbelow), depth=6
    )
    expected = math.exp(-0.5) / (1 + math.exp(-0.5))
    assert outcomes[1] <= expected <= outcomes[1] + undecided
    assert undecided < 0.06


def largest_log_ratio(epsilon: Fraction) -> float:
    """Over all neighbours of 3 responses that replace one, how much likelier one makes a choice than the other."""
    mechanism = ExponentialMechanism(epsilon, 1)
    chances = {}
    for reports in product(range(3), repeat=3):
        counts = tuple(reports.count(code) for code in range(3))
        chances[reports] = mechanism.probabilities(counts)
    return max(
        math.log(p / q)
        for one, other in product(chances, repeat=2)
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1
        for p, q in zip(chances[one], chances[other], strict=True)
    )


def test_the_most_common_answer_is_chosen_with_epsilon_privacy() -> None:
    assert 0.6 < largest_log_ratio(Fraction(1)) <= 1


def test_the_same_audit_catches_the_missing_factor_2() -> None:
    assert largest_log_ratio(Fraction(2)) > 1


def test_huge_utilities_do_not_overflow() -> None:
    assert ExponentialMechanism(Fraction(1), 1).probabilities([10**9, 0]) == (1.0, 0.0)


def test_the_default_source_chooses_a_candidate() -> None:
    assert ExponentialMechanism(Fraction(1), 1).choose([4, 4]) in (0, 1)


def test_the_error_bound_holds() -> None:
    mechanism = ExponentialMechanism(Fraction(1), 1)
    bound = mechanism.error_bound(4, 0.95)
    assert bound == pytest.approx(2 * math.log(4 / 0.05))
    utilities = [10, 10 - bound - 0.01, -50, -50]
    exact = [Fraction(utility) for utility in utilities]
    assert sum(mechanism.probabilities(exact)[1:]) <= 0.05


def test_the_error_bound_grows_with_the_sensitivity_and_falls_with_epsilon() -> None:
    assert ExponentialMechanism(Fraction(1, 2), 3).error_bound(4, 0.95) == pytest.approx(12 * math.log(4 / 0.05))


@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(7, 11), Fraction(5)])
@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1e-12])
def test_the_error_bound_is_rounded_up(epsilon: Fraction, level: float) -> None:
    bound = ExponentialMechanism(epsilon, Fraction(2, 7)).error_bound(3, level)
    with localcontext(Context(prec=80)):
        exact_epsilon = Decimal(epsilon.numerator) / epsilon.denominator
        exact = 2 * (Decimal(2) / 7) / exact_epsilon * (3 / (1 - Decimal(level))).ln()
        assert exact <= Decimal(bound) <= exact * (1 + Decimal(2) ** -51)


def test_a_bound_for_several_choices_is_one_of_all_their_candidates() -> None:
    mechanism = ExponentialMechanism(Fraction(1), 1)
    assert mechanism.error_bound(3 + 2, 0.9) == pytest.approx(2 * math.log(5 / 0.1), rel=1e-12)


def largest_divergence(epsilon: Fraction, order: float) -> float:
    """Over utilities of many candidates and all changes by ±1, how large the Rényi divergence of two choices is."""
    mechanism = ExponentialMechanism(epsilon, 1)
    worst = 0.0
    for utilities in ([0, 0], [0, 3], [0, 1, 5], [0, 0, 9]):
        p = mechanism.probabilities(utilities)
        for change in product((-1, 1), repeat=len(utilities)):
            q = mechanism.probabilities([u + d for u, d in zip(utilities, change, strict=True)])
            power = sum(b * (a / b) ** order for a, b in zip(p, q, strict=True))
            worst = max(worst, math.log(power) / (order - 1))
    return worst


@pytest.mark.parametrize("order", [1.001, 1.5, 2, 10, 100])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(4)])
def test_a_choice_is_as_concentrated_as_it_says(epsilon: Fraction, order: float) -> None:
    assert largest_divergence(epsilon, order) <= order * float(ExponentialMechanism(epsilon, 1).concentrated.rho)


def test_a_smaller_concentrated_loss_would_be_caught() -> None:
    # Two equal candidates nearly attain it, with a small epsilon.
    stated = ExponentialMechanism(Fraction(1, 10), 1).concentrated
    assert stated == ConcentratedLoss(Fraction(1, 800))
    assert largest_divergence(Fraction(1, 10), 1.001) > 0.99 * float(stated.rho)


def test_one_candidate_has_an_error_bound_too() -> None:
    assert ExponentialMechanism(Fraction(1), 1).error_bound(1, 0.95) == pytest.approx(2 * math.log(20))


def test_a_choice_costs_its_epsilon() -> None:
    assert ExponentialMechanism(Fraction(1, 2), 1).loss == PrivacyLoss(Fraction(1, 2))


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf])
def test_an_epsilon_that_protects_nobody_is_refused(epsilon: object) -> None:
    with pytest.raises(ValueError, match="epsilon must be"):
        ExponentialMechanism(epsilon, 1)


def test_a_sensitivity_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^sensitivity"):
        ExponentialMechanism(Fraction(1), 0)


def test_utilities_are_exact_and_not_empty() -> None:
    mechanism = ExponentialMechanism(Fraction(1), 1)
    with pytest.raises(ValueError, match=r"^utilities .*Fraction"):
        mechanism.choose([0.5, 1])
    with pytest.raises(ValueError, match="one candidate"):
        mechanism.choose([])


@pytest.mark.parametrize(("candidates", "confidence_level"), [(0, 0.95), (3, 0), (3, 1), (3, math.nan)])
def test_an_error_bound_needs_candidates_and_a_level(candidates: int, confidence_level: float) -> None:
    with pytest.raises(ValueError, match=r"^candidates |^confidence_level "):
        ExponentialMechanism(Fraction(1), 1).error_bound(candidates, confidence_level)


def test_utilities_and_bounds_beyond_all_floats_are_defined() -> None:
    assert ExponentialMechanism(Fraction(1), 1).probabilities([10**400, 0]) == (1.0, 0.0)
    assert ExponentialMechanism(Fraction(1, 10**400), 1).error_bound(3, 0.95) == math.inf
