"""Differential tests against Google's dp-accounting and OpenDP."""

import math
from fractions import Fraction
from functools import reduce
from types import ModuleType

import pytest

from surveys.privacy.accounting.concentrated import (
    concentrated_delta,
    concentrated_epsilon,
    concentrated_from_gaussian,
    concentrated_from_pure,
)
from surveys.privacy.accounting.gaussian import gaussian_delta
from surveys.privacy.accounting.optimal import optimal_delta, optimal_epsilon
from surveys.privacy.accounting.subsampling import Sampling, subsampled_loss
from surveys.privacy.accounting.unequal import optimal_epsilon_of
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import warner
from surveys.privacy.loss import ConcentratedLoss, PrivacyLoss

pytestmark = [pytest.mark.oracle, pytest.mark.uncounted]


@pytest.mark.parametrize(("epsilon", "count"), [(1.0, 5), (0.5, 30), (0.1, 200)])
def test_optimal_composition_is_bracketed_by_privacy_loss_distributions(
    pld: ModuleType, epsilon: float, count: int
) -> None:
    # Their grid of 1e-4 rounds every loss up, or down: between the two lies the truth.
    brackets = []
    for pessimistic in (False, True):
        # They report something random of two values with probability `noise`, the truth otherwise.
        noise = 2 / (math.exp(epsilon) + 1)
        one = pld.from_randomized_response(
            noise, 2, pessimistic_estimate=pessimistic, value_discretization_interval=1e-4
        )
        brackets.append(one.self_compose(count))
    for total in (0.3 * count * epsilon, 0.1 * count * epsilon, 0.0):
        low, high = (bracket.get_delta_for_epsilon(total) for bracket in brackets)
        assert low - 1e-9 <= optimal_delta(epsilon, count, total) <= high + 1e-9
        assert high - low < 0.05 * high + 1e-6
    low, high = (bracket.get_epsilon_for_delta(1e-6) for bracket in brackets)
    assert low - 1e-6 <= optimal_epsilon(epsilon, count, 1e-6) <= high + 1e-6


def test_the_worst_of_all_pure_mechanisms_is_randomized_response(pld: ModuleType) -> None:
    parameters = pytest.importorskip("dp_accounting.pld.common").DifferentialPrivacyParameters(0.4, 0)
    together = pld.from_privacy_parameters(parameters, value_discretization_interval=1e-4).self_compose(20)
    ours = optimal_delta(0.4, 20, 2.0)
    assert ours <= together.get_delta_for_epsilon(2.0) <= ours * 1.02


def test_the_advantage_of_composed_reports_is_their_delta_at_0(pld: ModuleType) -> None:
    design = warner("3/4")
    one = pld.from_randomized_response(0.5, 2, value_discretization_interval=1e-4)
    assert optimal_delta(design.epsilon, 8, 0) == pytest.approx(one.self_compose(8).get_delta_for_epsilon(0), rel=1e-2)


@pytest.mark.parametrize("rho", ["0.01", "0.5", "4"])
@pytest.mark.parametrize("delta", [1e-4, 1e-9])
def test_the_conversion_of_rho_is_that_of_renyi_accounting(rho: str, delta: float) -> None:
    rdp = pytest.importorskip("dp_accounting.rdp")
    orders = [1 + 10 ** (i / 200) for i in range(-800, 1000)]
    theirs, _ = rdp.compute_epsilon(orders, [float(rho) * order for order in orders], delta)
    assert concentrated_epsilon(ConcentratedLoss(rho), delta) == pytest.approx(theirs, rel=1e-4)


@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_gaussian_noise_and_its_conversion_are_those_of_opendp(dp: ModuleType, scale: float) -> None:
    gaussian = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale)
    loss = concentrated_from_gaussian(1, int(scale) ** 2)
    assert float(loss.rho) == pytest.approx(gaussian.map(1), rel=1e-9)
    curve = dp.c.make_zCDP_to_approxDP(gaussian).map(1)
    assert concentrated_delta(loss, 1.5) == pytest.approx(curve.delta(1.5), rel=1e-6)
    assert concentrated_epsilon(loss, 1e-7) == pytest.approx(curve.epsilon(1e-7), rel=1e-6)


def test_a_pure_epsilon_in_rho_is_that_of_opendp(dp: ModuleType) -> None:
    response = dp.m.make_randomized_response_bool(0.75)
    theirs = dp.c.make_pureDP_to_zCDP(response).map(1)
    assert theirs == pytest.approx(math.log(3) ** 2 / 2, rel=1e-9)
    assert float(concentrated_from_pure("1.0986122886681098").rho) == pytest.approx(theirs, rel=1e-9)


def test_drawing_a_fixed_part_is_amplified_as_opendp_does(dp: ModuleType) -> None:
    dp.enable_features("honest-but-curious")
    space = dp.vector_domain(dp.atom_domain(T=int, bounds=(0, 10)), size=10), dp.symmetric_distance()
    noisy_sum = dp.t.make_sum(*space) >> dp.m.then_laplace(scale=5.0)
    # Replacing one value is two steps of the symmetric distance; the data are 10 of a population of 100.
    loss = PrivacyLoss(str(noisy_sum.map(2)))
    theirs = dp.c.make_population_amplification(noisy_sum, population_size=100).map(2)
    ours = subsampled_loss(loss, "1/10", Sampling.WITHOUT_REPLACEMENT, NeighbouringRelation.REPLACE_ONE)
    assert float(ours.epsilon) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("changed", [3, 20])
@pytest.mark.parametrize("sigma", [3, 20])
def test_noise_on_many_counts_is_bracketed_by_privacy_loss_distributions(
    pld: ModuleType, changed: int, sigma: int
) -> None:
    low, high = (
        pld.from_discrete_gaussian_mechanism(
            sigma, sensitivity=1, pessimistic_estimate=pessimistic, value_discretization_interval=1e-4
        ).self_compose(changed)
        for pessimistic in (False, True)
    )
    for epsilon in (Fraction(1, 2), Fraction(2)):
        lowest, highest = (bracket.get_delta_for_epsilon(float(epsilon)) for bracket in (low, high))
        assert lowest * (1 - 1e-6) - 1e-11 <= gaussian_delta(epsilon, sigma**2, changed) <= highest + 1e-11


def test_different_mechanisms_are_bracketed_by_privacy_loss_distributions(pld: ModuleType) -> None:
    epsilons = [Fraction(100 + n, 1000) for n in range(60)]
    bound = optimal_epsilon_of(epsilons, Fraction(1, 10**6))
    for pessimistic in (False, True):
        each = [
            pld.from_randomized_response(
                2 / (math.exp(epsilon) + 1), 2, pessimistic_estimate=pessimistic, value_discretization_interval=1e-4
            )
            for epsilon in epsilons
        ]
        together = reduce(lambda composed, one: composed.compose(one), each)
        theirs = together.get_epsilon_for_delta(1e-6)
        assert theirs - 2e-2 <= bound if not pessimistic else bound <= theirs + 2e-3
