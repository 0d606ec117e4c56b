import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from surveys.learn.learners.noise import (
    analytic_variance,
    concentrated_allowance,
    concentrated_variance,
    require_accountable,
)
from surveys.privacy.accounting.concentrated import concentrated_delta
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.loss import ConcentratedLoss
from tests.golden import values
from tests.privacy.mechanisms.distinguishing import hockey_stick

GOLDEN = values("learning")["gradient"]
SMALL = Fraction(1, 1000)


def spent_delta(epsilon: Fraction, variance: Fraction, moves: list[int]) -> float:
    """δ of integers that move by so much each, all noise drawn independently, by their probabilities."""
    sigma = math.sqrt(variance)
    z = np.arange(-math.ceil(9 * sigma), math.ceil(9 * sigma) + 1)
    p, q = np.ones(1), np.ones(1)
    for move in moves:
        one, other = np.exp(-((z / sigma) ** 2) / 2), np.exp(-(((z - move) / sigma) ** 2) / 2)
        p, q = np.outer(p, one / one.sum()).ravel(), np.outer(q, other / one.sum()).ravel()
    return hockey_stick(p, q, float(epsilon))


@pytest.mark.parametrize("variance", [analytic_variance, concentrated_variance])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
@pytest.mark.parametrize(
    ("moves", "squared", "steps"), [([9], 81, 1), ([-3, 4], 25, 1), ([5, 5], 25, 2)], ids=["one", "two", "two steps"]
)
def test_noise_is_as_private_as_it_says(
    variance: object, epsilon: Fraction, moves: list[int], squared: int, steps: int
) -> None:
    enough = variance(epsilon, SMALL, squared, steps)
    assert spent_delta(epsilon, enough, moves) <= SMALL
    # The twin: noise for half the distance is not.
    assert spent_delta(epsilon, variance(epsilon, SMALL, Fraction(squared, 4), steps), moves) > SMALL


def test_analytic_noise_is_hardly_more_than_continuous_noise_needs() -> None:
    for epsilon, delta in ((1, 1e-6), (0.1, 1e-9), (4, 1e-3)):
        enough = analytic_variance(Fraction(epsilon), Fraction(delta), Fraction(10**6), 100)
        sigma = analytic_gaussian_sigma(epsilon, delta, 100 * 10**6)
        assert sigma <= math.sqrt(enough) <= sigma * 1.03


def test_a_sum_over_all_integers_hardly_depends_on_where_it_is_centred() -> None:
    # What the proof for discrete noise rests on, at r² = 4; at r² = 1/4 it does depend.
    def total(squared: Decimal, centre: Decimal) -> Decimal:
        return sum((-((z - centre) ** 2) / (2 * squared)).exp() for z in range(-60, 61)) + Decimal(0)

    with localcontext(prec=60):
        for squared, most in ((Decimal(4), Decimal("2e-34")), (Decimal("0.25"), Decimal("0.1"))):
            flat = total(squared, Decimal("0.25"))
            largest = max(abs(total(squared, Decimal(x) / 8) / flat - 1) for x in range(8))
            assert most / 1000 < largest < most


def test_a_concentrated_allowance_is_that_of_the_reference_and_as_large_as_can_be() -> None:
    epsilon, delta = Fraction(GOLDEN["epsilon"]), Fraction(str(GOLDEN["delta"]).replace("1e-06", "0.000001"))
    allowance = concentrated_allowance(epsilon, delta)
    assert float(allowance.rho) == pytest.approx(GOLDEN["rho"], abs=5e-7)
    assert (
        concentrated_delta(allowance, epsilon)
        <= delta
        < concentrated_delta(ConcentratedLoss(allowance.rho * Fraction(1_000_001, 10**6)), epsilon)
    )


def test_the_smallest_epsilon_has_an_allowance_too() -> None:
    assert concentrated_variance(Fraction(1, 10**9), Fraction(1, 10**150), Fraction(1)) > 0


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**10), Fraction(101)])
def test_an_epsilon_beyond_the_proof_is_refused(epsilon: Fraction) -> None:
    with pytest.raises(ValueError, match=r"^epsilon .*1e-9.*100"):
        require_accountable(epsilon)


@pytest.mark.parametrize(("steps", "dimension"), [(0, 1), (10**6 + 1, 1), (1, 0), (1, 1001), (1.0, 1)])
def test_steps_and_dimensions_beyond_the_proof_are_refused(steps: object, dimension: object) -> None:
    with pytest.raises(ValueError, match=r"^(steps|dimension) "):
        require_accountable(Fraction(1), steps, dimension)
