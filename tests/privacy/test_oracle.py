"""Differential tests against OpenDP."""

import math
from fractions import Fraction

import pytest

from surveys.privacy.designs import k_ary, warner
from surveys.privacy.mechanisms import DiscreteLaplace
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit

pytestmark = pytest.mark.oracle


@pytest.fixture
def dp() -> object:
    opendp = pytest.importorskip("opendp.prelude")
    opendp.enable_features("contrib")
    return opendp


@pytest.mark.parametrize("p", ["0.6", "0.75", "0.9"])
def test_the_epsilon_of_two_answers_is_that_of_opendp(dp: object, p: str) -> None:
    assert warner(p).epsilon == pytest.approx(dp.m.make_randomized_response_bool(float(p)).map(1), rel=1e-10)


@pytest.mark.parametrize("k", [2, 4, 8])
def test_the_epsilon_of_k_answers_is_that_of_opendp(dp: object, k: int) -> None:
    design = k_ary(k, "1/2")
    theirs = dp.m.make_randomized_response(list(range(k)), float(design.matrix[0][0]))
    assert design.epsilon == pytest.approx(theirs.map(1), rel=1e-10)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1)])
def test_the_noise_of_opendp_at_our_scale_has_our_distribution_and_epsilon(dp: object, epsilon: Fraction) -> None:
    mechanism = DiscreteLaplace(epsilon, 1)
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    theirs = dp.m.make_laplace(*space, scale=1 / float(epsilon))
    assert theirs.map(1) == pytest.approx(float(mechanism.loss.epsilon), rel=1e-12)
    # Their source cannot be seeded: this fails by chance once in a million runs.
    sample = [theirs(0) for _ in range(10_000)]
    assert p_value_of_fit(sample, mechanism.probability) > FALSE_ALARM_RATE
    assert p_value_of_fit(sample, DiscreteLaplace(epsilon * Fraction(5, 4), 1).probability) < FALSE_ALARM_RATE
    assert math.isclose(mechanism.rate, float(epsilon))
