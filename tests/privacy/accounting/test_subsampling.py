import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.subsampling import Sampling, subsampled_loss
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.loss import PrivacyLoss

COINS = Sampling.POISSON, NeighbouringRelation.ADD_OR_REMOVE_ONE
FIXED = Sampling.WITHOUT_REPLACEMENT, NeighbouringRelation.REPLACE_ONE


@pytest.mark.parametrize("setting", [COINS, FIXED])
@pytest.mark.parametrize(("rate", "epsilon"), [("1/10", "1"), ("1/100", "3"), ("1/2", "1/1000"), ("0.9", "20")])
def test_it_is_the_formula(setting: tuple, rate: str, epsilon: str) -> None:
    q, e = float(Fraction(rate)), float(Fraction(epsilon))
    loss = subsampled_loss(PrivacyLoss(epsilon, "1/1000"), rate, *setting)
    assert float(loss.epsilon) == pytest.approx(math.log1p(q * math.expm1(e)), rel=1e-14, abs=0)
    assert loss.delta == Fraction(rate) / 1000


def test_a_mechanism_that_tells_whether_somebody_was_drawn_attains_it_for_coins() -> None:
    # It answers Yes with odds 3 if the person is among those it sees, with odds 1/3 if not: ε = ln 3.
    q, kept, absent = Fraction(1, 5), Fraction(3, 4), Fraction(1, 4)
    yes = q * kept + (1 - q) * absent
    loss = subsampled_loss(PrivacyLoss(Fraction(math.log(3))), q, *COINS)
    assert float(loss.epsilon) == pytest.approx(math.log(yes / absent), rel=1e-12, abs=0)


def test_a_mechanism_that_tells_whether_somebody_was_drawn_attains_it_for_a_fixed_number() -> None:
    # Two of five are drawn; the answer is Yes with probability 3/4 if a special value is among them, else 1/4.
    def yes(data: tuple[int, ...]) -> Fraction:
        drawn = list(combinations(data, 2))
        return sum((Fraction(3 if 1 in pair else 1, 4) for pair in drawn), Fraction(0)) / len(drawn)

    loss = subsampled_loss(PrivacyLoss(Fraction(math.log(3))), "2/5", *FIXED)
    attained = math.log(yes((1, 0, 0, 0, 0)) / yes((0, 0, 0, 0, 0)))
    assert float(loss.epsilon) == pytest.approx(attained, rel=1e-12, abs=0)


@given(st.fractions(0, 1), st.fractions(0, 3000))
def test_it_is_never_above_the_mechanism_itself(rate: Fraction, epsilon: Fraction) -> None:
    loss = subsampled_loss(PrivacyLoss(epsilon), rate, *COINS)
    assert rate * epsilon <= loss.epsilon <= epsilon


def test_the_familiar_bound_of_twice_the_rate_fails_for_a_large_epsilon() -> None:
    assert subsampled_loss(PrivacyLoss(1), "1/100", *COINS).epsilon < Fraction(2, 100)
    assert subsampled_loss(PrivacyLoss(4), "1/100", *COINS).epsilon > 2 * 4 * Fraction(1, 100)


def test_seeing_all_or_nobody_is_exact() -> None:
    loss = PrivacyLoss("1/3", "1/7")
    assert subsampled_loss(loss, 1, *COINS) == loss
    assert subsampled_loss(loss, 0, *COINS) == PrivacyLoss(0, 0)


def test_tiny_and_huge_epsilons_are_stable() -> None:
    assert float(subsampled_loss(PrivacyLoss(Fraction(1, 10**300)), "1/2", *COINS).epsilon) == pytest.approx(5e-301)
    assert float(subsampled_loss(PrivacyLoss(10**9), "1/2", *COINS).epsilon) == pytest.approx(
        1e9 - math.log(2), rel=1e-15, abs=0
    )
    assert subsampled_loss(PrivacyLoss(10**9 + 1, "1/2"), "1/2", *COINS) == PrivacyLoss(10**9 + 1, "1/4")


@pytest.mark.parametrize(("sampling", "relation"), [(COINS[0], FIXED[1]), (FIXED[0], COINS[1])])
def test_the_wrong_neighbours_for_a_sampling_are_refused(sampling: Sampling, relation: NeighbouringRelation) -> None:
    with pytest.raises(ValueError, match=rf"^relation .*{sampling.name}"):
        subsampled_loss(PrivacyLoss(1), "1/2", sampling, relation)


@pytest.mark.parametrize("rate", [-1, 2, 0.5])
def test_a_rate_is_an_exact_probability(rate: object) -> None:
    with pytest.raises(ValueError, match=r"^rate must be"):
        subsampled_loss(PrivacyLoss(1), rate, *COINS)
