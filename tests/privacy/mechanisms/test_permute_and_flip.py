import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from typing import ClassVar

import numpy as np
import pytest

from surveys.privacy.adjacency import Counted
from surveys.privacy.designs import forced_response, warner
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.exponential import ExponentialMechanism
from surveys.privacy.mechanisms.most_common import FlippedMostCommon
from surveys.privacy.mechanisms.permute_and_flip import PermuteAndFlip
from tests.privacy.chance import FALSE_ALARM_RATE, exact_outcomes, p_value_of_fit, seeded
from tests.privacy.mechanisms.choices import ADD, REPLACE
from tests.privacy.mechanisms.test_most_common import SPINNER, TestMostCommon, TestMostCommonOption

ONE = Fraction(1)
UTILITIES = [Fraction(3), Fraction(5, 2), 3, 0]


class TestFlippedMostCommon(TestMostCommon):
    attained_of: ClassVar = {REPLACE: 0.8, ADD: 0.4}

    def mechanisms(self) -> list[FlippedMostCommon]:
        return [
            *(
                FlippedMostCommon(relation=relation, epsilon=Fraction(3, 2), design=SPINNER)
                for relation in (REPLACE, ADD)
            ),
            FlippedMostCommon(relation=REPLACE, epsilon=ONE, design=SPINNER, candidates=2),
            FlippedMostCommon(relation=REPLACE, epsilon=ONE, design=warner("1/5")),
        ]


class TestFlippedMostCommonOption(TestMostCommonOption):
    def mechanisms(self) -> list[FlippedMostCommon]:
        return [
            FlippedMostCommon(relation=relation, epsilon=ONE, design=design, counted=Counted.BITS, candidates=3)
            for design, relation in [(forced_response("1/2", "1/5"), REPLACE), (warner("1/5"), ADD)]
        ]


del TestMostCommon, TestMostCommonOption  # or they would be run here once more


def by_definition(mechanism: PermuteAndFlip, utilities: list[Fraction | int]) -> list[float]:
    """Over all orders: none before it shows heads, and it does."""
    heads = [
        math.exp(-float(mechanism.epsilon * (max(utilities) - u) / (2 * mechanism.sensitivity))) for u in utilities
    ]
    chances = [0.0] * len(heads)
    for order in permutations(range(len(heads))):
        before = 1.0
        for candidate in order:
            chances[candidate] += before * heads[candidate] / math.factorial(len(heads))
            before *= 1 - heads[candidate]
    return chances


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(7)])
def test_probabilities_are_those_of_the_definition(epsilon: Fraction) -> None:
    mechanism = PermuteAndFlip(epsilon, 2)
    assert mechanism.probabilities(UTILITIES) == pytest.approx(by_definition(mechanism, UTILITIES), rel=1e-12)
    assert sum(mechanism.probabilities([*UTILITIES, *range(40)])) == pytest.approx(1, rel=1e-12)


@pytest.mark.uncounted
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(3)])
def test_choices_follow_their_exact_distribution(epsilon: Fraction) -> None:
    mechanism, randbelow = PermuteAndFlip(epsilon, 1), seeded(20_311)
    probabilities = mechanism.probabilities(UTILITIES)
    drawn = [mechanism.choose(UTILITIES, randbelow) for _ in range(10_000)]
    assert p_value_of_fit(drawn, lambda x: probabilities[x]) > FALSE_ALARM_RATE
    # With refused candidates put back it would be the exponential mechanism, which the same draws tell from it.
    if epsilon == ONE:
        other = ExponentialMechanism(epsilon, 1).probabilities(UTILITIES)
        assert p_value_of_fit(drawn, lambda x: other[x]) < FALSE_ALARM_RATE


def test_a_candidate_is_tried_once_with_the_exact_exponential() -> None:
    # Two candidates and epsilon 1: the second comes first half of the time, and is taken with exp(-1/2) then.
    outcomes, undecided = exact_outcomes(lambda randbelow: PermuteAndFlip(ONE, 1).choose([1, 0], randbelow), depth=6)
    assert outcomes[1] <= math.exp(-0.5) / 2 <= outcomes[1] + undecided
    assert undecided < 0.06


def largest_log_ratio(mechanism: PermuteAndFlip, largest: int = 4) -> float:
    """Over all utilities of three candidates that one response moves by one each."""
    chances = {u: mechanism.probabilities(u) for u in product(range(largest), repeat=3)}
    return max(
        math.log(p / q)
        for one, other in product(chances, repeat=2)
        if max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 1
        for p, q in zip(chances[one], chances[other], strict=True)
    )


def test_no_candidate_is_more_than_e_to_the_epsilon_times_likelier() -> None:
    assert largest_log_ratio(PermuteAndFlip(ONE, 1)) == pytest.approx(1, rel=1e-12)


def test_the_same_audit_catches_the_missing_factor_2() -> None:
    assert largest_log_ratio(PermuteAndFlip(Fraction(2), 1)) > 1.9


def beyond(chances: tuple[float, ...], utilities: list[int]) -> Callable[[int], float]:
    return lambda t: sum(p for p, u in zip(chances, utilities, strict=True) if max(utilities) - u > t)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), ONE, Fraction(4)])
def test_it_never_errs_more_than_the_exponential_mechanism(epsilon: Fraction) -> None:
    rng = np.random.default_rng(20_312)
    flipped, exponential = PermuteAndFlip(epsilon, 1), ExponentialMechanism(epsilon, 1)
    for _ in range(50):
        utilities = rng.integers(0, 12, size=rng.integers(1, 8)).tolist()
        errs = beyond(flipped.probabilities(utilities), utilities)
        errs_otherwise = beyond(exponential.probabilities(utilities), utilities)
        for t in range(12):
            assert errs(t) <= errs_otherwise(t) + 1e-12


@pytest.mark.parametrize("k", [1, 2, 5, 30])
def test_the_error_bound_holds_for_the_worst_utilities_and_is_below_that_of_the_exponential(k: int) -> None:
    mechanism = PermuteAndFlip(Fraction(1, 2), 3)
    bound = mechanism.error_bound(k, 0.95)
    assert bound == pytest.approx(12 * math.log(max(1, k - 1) / 2 / 0.05), rel=1e-12)
    assert bound < ExponentialMechanism(Fraction(1, 2), 3).error_bound(k, 0.95)
    just_beyond = Fraction(bound) + Fraction(1, 1000)
    assert 1 - mechanism.probabilities([just_beyond, *[0] * (k - 1)])[0] <= 0.05


def test_where_half_the_risk_is_for_the_order_alone_the_bound_is_0() -> None:
    assert PermuteAndFlip(ONE, 1).error_bound(2, 0.4) == 0


def test_it_costs_epsilon_and_nothing_better_is_known_of_rho() -> None:
    mechanism = FlippedMostCommon(relation=REPLACE, epsilon=ONE, design=SPINNER)
    assert (mechanism.loss, mechanism.concentrated) == (PrivacyLoss(ONE), None)


@pytest.mark.parametrize(("candidates", "level"), [(0, 0.95), (math.nan, 0.95), (3, 1), (3, math.nan)])
def test_what_no_bound_is_for_is_refused(candidates: float, level: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        PermuteAndFlip(ONE, 1).error_bound(candidates, level)


def test_no_candidates_are_refused() -> None:
    with pytest.raises(ValueError, match="one candidate"):
        PermuteAndFlip(ONE, 1).choose([])
