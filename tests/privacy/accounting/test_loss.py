import math
from fractions import Fraction

import pytest

from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss


@pytest.mark.parametrize("epsilon", [-1, 0.5, math.nan, math.inf])
def test_an_epsilon_below_0_or_not_exact_is_refused(epsilon: object) -> None:
    with pytest.raises(ValueError, match=r"^epsilon must be"):
        PrivacyLoss(epsilon)


@pytest.mark.parametrize("delta", [2, -1, 0.1, math.nan])
def test_a_delta_that_is_no_exact_probability_is_refused(delta: object) -> None:
    with pytest.raises(ValueError, match=r"^delta must be"):
        PrivacyLoss(Fraction(1), delta)


@pytest.mark.parametrize("rho", [-1, 0.5, math.nan])
def test_a_rho_below_0_or_not_exact_is_refused(rho: object) -> None:
    with pytest.raises(ValueError, match=r"^rho must be"):
        ConcentratedLoss(rho)


def test_the_same_loss_is_equal_however_it_was_written() -> None:
    assert PrivacyLoss("1/2", "0.01") == PrivacyLoss(Fraction(1, 2), Fraction(1, 100))
    assert ConcentratedLoss("0.5") == ConcentratedLoss(Fraction(1, 2))


def test_nothing_can_be_lost() -> None:
    assert PrivacyLoss(0) == PrivacyLoss(Fraction(0), Fraction(0))
    assert ConcentratedLoss(0).rho == 0
