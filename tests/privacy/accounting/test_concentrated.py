import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.concentrated import (
    compose_concentrated,
    concentrated_delta,
    concentrated_epsilon,
    concentrated_from_gaussian,
    concentrated_from_pure,
)
from surveys.privacy.loss import ConcentratedLoss

losses = st.fractions(Fraction(1, 10**6), 50, max_denominator=10**6).map(ConcentratedLoss)


def bound(rho: float, epsilon: float, alpha: float) -> float:
    return math.exp((alpha - 1) * (alpha * rho - epsilon)) / (alpha - 1) * (1 - 1 / alpha) ** alpha


def test_a_pure_epsilon_is_half_its_square() -> None:
    assert concentrated_from_pure("3/2") == ConcentratedLoss(Fraction(9, 8))


def test_gaussian_noise_is_the_squared_sensitivity_over_twice_the_variance() -> None:
    assert concentrated_from_gaussian(2, "25/4") == ConcentratedLoss(Fraction(4, 25))


def test_rho_adds_up_exactly() -> None:
    third = ConcentratedLoss(Fraction(1, 3))
    assert compose_concentrated([third] * 6) == ConcentratedLoss(Fraction(2))
    assert compose_concentrated([]) == ConcentratedLoss(Fraction(0))


@pytest.mark.parametrize(("rho", "epsilon"), [("0.5", 4.0), ("0.01", 0.5), ("3", 20.0), ("0.1", 0.2)])
def test_delta_is_the_smallest_bound_over_all_orders(rho: str, epsilon: float) -> None:
    orders = [1 + 10 ** (i / 500) for i in range(-2000, 2000)]
    smallest = min(bound(float(rho), epsilon, alpha) for alpha in orders if (alpha - 1) * alpha * float(rho) < 300)
    delta = concentrated_delta(ConcentratedLoss(rho), epsilon)
    assert delta <= smallest * (1 + 1e-12)
    assert delta == pytest.approx(smallest, rel=1e-4, abs=0)


@given(losses, st.floats(1e-12, 0.5))
def test_epsilon_and_delta_are_inverse_to_each_other(loss: ConcentratedLoss, delta: float) -> None:
    epsilon = concentrated_epsilon(loss, delta)
    if epsilon > 0:
        # Where ε is near 0, its last digit is many of δ's.
        assert concentrated_delta(loss, epsilon) == pytest.approx(delta, rel=1e-9 * (1 + 1 / epsilon))
    else:
        assert concentrated_delta(loss, 0) <= delta * (1 + 1e-9)


@given(losses, st.floats(1e-12, 0.5))
def test_the_conversion_is_tighter_than_the_first_one(loss: ConcentratedLoss, delta: float) -> None:
    # Bun & Steinke: ε = ρ + 2√(ρ ln(1/δ)).
    rho = float(loss.rho)
    assert concentrated_epsilon(loss, delta) < rho + 2 * math.sqrt(rho * -math.log(delta))


def test_a_reference_value() -> None:
    # ρ = 1/2 at δ = 1e-6, minimised in 40 digits by another program (mpmath): 5.221534444530167...
    assert concentrated_epsilon(ConcentratedLoss("1/2"), 1e-6) == pytest.approx(5.2215344445301685, rel=1e-14, abs=0)


def test_nothing_lost_needs_neither() -> None:
    nothing = ConcentratedLoss(0)
    assert concentrated_delta(nothing, 0) == 0
    assert concentrated_epsilon(nothing, 0) == 0


def test_extremes_are_defined() -> None:
    some = ConcentratedLoss("1/2")
    assert concentrated_epsilon(some, 0) == math.inf
    assert concentrated_epsilon(some, 1) == concentrated_epsilon(ConcentratedLoss(1000), 1) == 0
    assert concentrated_epsilon(some, 0.9) == 0
    assert concentrated_delta(some, math.inf) == 0
    assert concentrated_delta(ConcentratedLoss(10**6), 1) == 1
    assert 0 < concentrated_delta(some, 1000) < 1e-300
    assert concentrated_epsilon(some, Fraction(1, 10**400)) == pytest.approx(
        math.sqrt(2 * 400 * math.log(10)), rel=0.02
    )


@pytest.mark.parametrize("epsilon", [-1, math.nan])
def test_an_epsilon_is_not_negative(epsilon: float) -> None:
    with pytest.raises(ValueError, match=r"^epsilon"):
        concentrated_delta(ConcentratedLoss(1), epsilon)


@pytest.mark.parametrize("delta", [-0.1, 1.1, math.nan])
def test_a_delta_is_a_probability(delta: float) -> None:
    with pytest.raises(ValueError, match=r"^delta"):
        concentrated_epsilon(ConcentratedLoss(1), delta)


@pytest.mark.parametrize("wrong", [0, -1, 0.5])
def test_noise_has_an_exact_variance_above_0(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"^variance"):
        concentrated_from_gaussian(1, wrong)
    with pytest.raises(ValueError, match=r"^squared_sensitivity"):
        concentrated_from_gaussian(wrong, 1)


def test_a_pure_epsilon_is_exact() -> None:
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        concentrated_from_pure(0.5)


def test_only_no_loss_or_no_protection_needs_no_delta() -> None:
    smallest = math.ulp(0)
    for rho, epsilon in [("1e-300", 1), ("1e-700", 1), ("1e-400", Fraction(1, 10**100)), (1, 10**6), (1, 1e300)]:
        assert concentrated_delta(ConcentratedLoss(Fraction(rho)), epsilon) == smallest
    assert concentrated_delta(ConcentratedLoss(1), Fraction(10**400)) == smallest
    assert concentrated_delta(ConcentratedLoss(10**400), Fraction(10**500)) == smallest


def test_a_loss_beyond_all_floats_costs_everything() -> None:
    huge = ConcentratedLoss(10**400)
    assert concentrated_epsilon(huge, 0.5) == math.inf
    assert concentrated_delta(huge, 1) == 1
    assert math.isclose(concentrated_epsilon(ConcentratedLoss(10**300), 0.5), 1e300, rel_tol=1e-9)


@pytest.mark.parametrize("digits", [30, 60, 120, 250, 290])
def test_a_tiny_loss_is_not_lost_among_the_digits_of_its_order(digits: int) -> None:
    # With x = α − 1 as large as √(ln(1/δ)/ρ), what is left of ln(1 − 1/α) is −1/x; ε is about 2√(ρ ln(1/(δx))).
    rho, delta = Fraction(1, 10**digits), Fraction(1, 10**1000)
    epsilon = concentrated_epsilon(ConcentratedLoss(rho), delta)
    with localcontext(Context(prec=400)):
        bounds = []
        for step in range(-5, 6):
            x = (Decimal(1000 - digits / 2) * Decimal(10).ln() * 10**digits).sqrt() * (1 + Decimal(step) / 1000)
            alpha = 1 + x
            bounds.append(alpha / 10**digits + (1 - 1 / alpha).ln() - (alpha.ln() - 1000 * Decimal(10).ln()) / x)
        assert float(min(bounds)) == pytest.approx(epsilon, rel=1e-4, abs=0)
