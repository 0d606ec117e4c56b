import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting import compose, local_then_central, local_then_central_k_ary
from surveys.privacy.designs import k_ary
from surveys.privacy.loss import PrivacyLoss

epsilons = st.floats(min_value=0, max_value=2000)


def test_losses_add_up_exactly() -> None:
    tenth = PrivacyLoss(Fraction(1, 10), Fraction(1, 1000))
    assert compose([tenth] * 10) == PrivacyLoss(Fraction(1), Fraction(1, 100))


def test_nothing_released_costs_nothing() -> None:
    assert compose([]) == PrivacyLoss(Fraction(0), Fraction(0))


def test_delta_never_exceeds_1() -> None:
    assert compose([PrivacyLoss(Fraction(1), Fraction(3, 4))] * 2).delta == 1


@pytest.mark.parametrize("epsilon", [-1, 0.5, math.nan, math.inf])
def test_an_epsilon_below_0_or_not_exact_is_refused(epsilon: object) -> None:
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        PrivacyLoss(epsilon)


@pytest.mark.parametrize("delta", [2, -1, 0.1, math.nan])
def test_a_delta_that_is_no_exact_probability_is_refused(delta: object) -> None:
    with pytest.raises(ValueError, match=r"^delta must be"):
        PrivacyLoss(Fraction(1), delta)


def test_the_same_loss_is_equal_however_it_was_written() -> None:
    assert PrivacyLoss("1/2", "0.01") == PrivacyLoss(Fraction(1, 2), Fraction(1, 100))


@pytest.mark.parametrize(("central", "truth"), [(0.5, 0.2462), (1, 0.4706), (2, 0.8020), (Fraction(1, 2), 0.2462)])
def test_fair_coins_then_a_release_protect_the_truth_better_than_either(central: float, truth: float) -> None:
    assert local_then_central(math.log(3), central) == pytest.approx(truth, abs=5e-5)


@pytest.mark.parametrize(("local", "central"), [(0.3, 0.2), (1.1, 1.0), (2.0, 5.0), (1e-9, 1e-7)])
def test_it_is_the_product_of_hyperbolic_tangents(local: float, central: float) -> None:
    product_of_tangents = math.tanh(local / 2) * math.tanh(central / 2)
    assert math.tanh(local_then_central(local, central) / 2) == pytest.approx(product_of_tangents, rel=1e-12)


def test_infinite_local_epsilon_leaves_the_central_one() -> None:
    assert local_then_central(math.inf, 0.7) == 0.7
    assert local_then_central(0.7, math.inf) == 0.7
    assert local_then_central(math.inf, math.inf) == math.inf


@given(epsilons, epsilons, st.integers(2, 36))
def test_it_is_never_above_either_and_smaller_for_more_answers(local: float, central: float, k: int) -> None:
    binary = local_then_central(local, central)
    many = local_then_central_k_ary(local, central, k)
    assert 0 <= many <= min(local, central)
    assert many <= binary * (1 + 1e-12)
    assert many == local_then_central_k_ary(central, local, k)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_formula_is_what_the_worst_release_attains(k: int) -> None:
    # A release is any table over reports whose rows differ by a factor of at most e^c; its extremes suffice.
    design, central = k_ary(k, "1/2"), 0.8
    worst = 0.0
    for pattern in product([1.0, math.exp(central)], repeat=k):
        likelihoods = [sum(float(design.matrix[j][truth]) * pattern[j] for j in range(k)) for truth in range(k)]
        worst = max(worst, math.log(max(likelihoods) / min(likelihoods)))
    assert local_then_central_k_ary(design.epsilon, central, k) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize(("local", "central"), [(-1, 1), (1, -1), (math.nan, 1), (1, math.nan)])
def test_a_composed_epsilon_below_0_is_refused(local: float, central: float) -> None:
    with pytest.raises(ValueError, match="epsilons must be at least 0"):
        local_then_central(local, central)


def test_one_answer_is_no_question() -> None:
    with pytest.raises(ValueError, match="k must be at least 2"):
        local_then_central_k_ary(1, 1, 1)
