"""Differential tests of noise and its cost against OpenDP and Google's dp-accounting.

Their draws cannot be seeded: each comparison of draws fails by chance once in a million runs.
"""

import math
from fractions import Fraction
from types import ModuleType

import pytest

from surveys.privacy.accounting.concentrated import concentrated_delta, concentrated_epsilon
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma, gaussian_delta
from surveys.privacy.adjacency import Counted, NeighbouringRelation
from surveys.privacy.mechanisms.gaussian import DiscreteGaussian
from surveys.privacy.mechanisms.histogram import GaussianHistogram, LaplaceHistogram
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.privacy.chance import FALSE_ALARM_RATE, p_value_of_fit

pytestmark = pytest.mark.oracle

SCALES = ["0.5", "1", "10", "100"]
# So many that noise a quarter larger is told apart as surely.
DRAWS = 10_000


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize("scale", SCALES)
def test_the_laplace_noise_of_opendp_has_our_distribution_and_epsilon(dp: ModuleType, scale: str) -> None:
    ours = DiscreteLaplace(1 / Fraction(scale), 1)
    theirs = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=float(scale))
    assert theirs.map(1) == pytest.approx(float(ours.loss.epsilon), rel=1e-12)
    sample = [theirs(0) for _ in range(DRAWS)]
    assert p_value_of_fit(sample, ours.probability) > FALSE_ALARM_RATE
    assert p_value_of_fit(sample, DiscreteLaplace(ours.epsilon * Fraction(5, 4), 1).probability) < FALSE_ALARM_RATE


@pytest.mark.slow
@pytest.mark.uncounted
@pytest.mark.parametrize("scale", SCALES)
def test_the_gaussian_noise_of_opendp_has_our_distribution_and_rho(dp: ModuleType, scale: str) -> None:
    ours = DiscreteGaussian(Fraction(scale) ** 2)
    theirs = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=float), scale=float(scale))
    assert theirs.map(1.0) == pytest.approx(float(ours.concentrated_loss(1).rho), rel=1e-12)
    sample = [theirs(0) for _ in range(DRAWS)]
    assert p_value_of_fit(sample, ours.probability) > FALSE_ALARM_RATE
    other = DiscreteGaussian(ours.variance_parameter * Fraction(25, 16))
    assert p_value_of_fit(sample, other.probability) < FALSE_ALARM_RATE


@pytest.mark.parametrize("relation", NeighbouringRelation)
@pytest.mark.parametrize(("counted", "length"), [(Counted.CODES, 4), (Counted.BITS, 4)])
def test_a_histogram_costs_what_opendp_charges_for_its_noise_and_sensitivity(
    dp: ModuleType, relation: NeighbouringRelation, counted: Counted, length: int
) -> None:
    mechanism = LaplaceHistogram(epsilon=Fraction(3, 4), relation=relation, counted=counted, length=length)
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = dp.m.make_laplace(*space, scale=1 / mechanism.noise.rate)
    assert theirs.map(int(mechanism.sensitivity.value)) == pytest.approx(0.75, rel=1e-12)


@pytest.mark.parametrize("length", [3, 6])
def test_a_gaussian_histogram_has_the_rho_of_opendp_and_costs_less_than_it_says(dp: ModuleType, length: int) -> None:
    mechanism = GaussianHistogram(
        epsilon=Fraction(1),
        delta=Fraction(1, 10**6),
        relation=NeighbouringRelation.REPLACE_ONE,
        counted=Counted.BITS,
        length=length,
    )
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    theirs = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=mechanism.noise.sigma))
    charged = theirs.map(math.sqrt(length))
    loss = mechanism.noise.concentrated_loss(mechanism.sensitivity.value)
    # The same conversion from ρ, but for where each of us searches for the best order.
    assert charged.delta(1.0) == pytest.approx(concentrated_delta(loss, Fraction(1)), rel=1e-3)
    assert charged.epsilon(1e-6) == pytest.approx(concentrated_epsilon(loss, 1e-6), rel=1e-3)
    # They know ρ only; the exact law of the noise needs a δ four times smaller.
    assert 3e-6 < charged.delta(1.0) < 6e-6


@pytest.mark.parametrize("sigma", [Fraction(1, 2), Fraction(2), Fraction(17, 4), Fraction(40)], ids=str)
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(3), Fraction(5)], ids=str)
def test_the_exact_delta_of_one_count_is_that_of_dp_accounting(
    pld: ModuleType, sigma: Fraction, share: Fraction
) -> None:
    from dp_accounting.pld.privacy_loss_mechanism import DiscreteGaussianPrivacyLoss

    epsilon = share / sigma
    theirs = DiscreteGaussianPrivacyLoss(float(sigma), 1).get_delta_for_epsilon(float(epsilon))
    assert gaussian_delta(epsilon, sigma**2) == pytest.approx(theirs, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("sigma", [2, 6])
def test_the_exact_delta_of_two_counts_is_bracketed_by_dp_accounting(pld: ModuleType, sigma: int) -> None:
    low, high = (
        pld.from_discrete_gaussian_mechanism(
            sigma, sensitivity=1, pessimistic_estimate=pessimistic, value_discretization_interval=1e-4
        ).self_compose(2)
        for pessimistic in (False, True)
    )
    for epsilon in (Fraction(1, 2), Fraction(1)):
        ours = gaussian_delta(epsilon, sigma**2, 2)
        assert low.get_delta_for_epsilon(float(epsilon)) * (1 - 1e-6) <= ours
        assert ours <= high.get_delta_for_epsilon(float(epsilon)) * (1 + 1e-6)
        assert high.get_delta_for_epsilon(float(epsilon)) <= 1.01 * low.get_delta_for_epsilon(float(epsilon))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_analytic_sigma_is_that_of_dp_accounting(pld: ModuleType, epsilon: float) -> None:
    from dp_accounting.pld.accountant import get_smallest_gaussian_noise
    from dp_accounting.pld.common import DifferentialPrivacyParameters

    theirs = get_smallest_gaussian_noise(DifferentialPrivacyParameters(epsilon, 1e-6), 1, 1)
    assert analytic_gaussian_sigma(epsilon, 1e-6) == pytest.approx(theirs, rel=1e-4)
