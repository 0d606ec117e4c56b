import math

import numpy as np
import pytest
import scipy.special

from surveys.estimation.quadrature import Integrand, integral, panels_of

CURVES = [
    Integrand(mode=1 / 31, powers=np.array([1.0, 30.0]), slopes=np.array([31.0, -31 / 30]), at_0=-0.5, at_1=-0.5),
    Integrand(mode=0.0, powers=np.array([300.0]), slopes=np.array([-1.0]), at_0=-0.7, at_1=0.3),
    Integrand(mode=1.0, powers=np.array([300.0]), slopes=np.array([1.0]), at_0=0.3, at_1=-0.7),
    Integrand(mode=0.5, powers=np.array([1e6, 1e6]), slopes=np.array([2.0, -2.0]), at_0=-0.2, at_1=0.4),
]


@pytest.mark.parametrize("curve", CURVES)
def test_beside_an_end_with_a_power_no_panel_is_wide_for_its_distance(curve: Integrand) -> None:
    edges = panels_of(curve).edges
    for distances in (edges - edges[0], (edges[-1] - edges)[::-1]):
        assert distances[0] == 0
        assert (distances[2:] <= 4 * distances[1:-1] * (1 + 1e-9)).all()


def test_without_powers_at_the_ends_only_the_peak_decides_on_the_panels() -> None:
    narrow = Integrand(mode=0.5, powers=np.array([1e6, 1e6]), slopes=np.array([2.0, -2.0]), at_0=0.0, at_1=0.0)
    edges = panels_of(narrow).edges
    # Nine falls on either side, the mode, and the ends; half the square of the number of standard deviations.
    assert edges.size == 21
    deviation = 1 / math.sqrt(8e6)
    np.testing.assert_allclose(edges[10:20] / deviation, np.arange(10), atol=1e-2)


@pytest.mark.parametrize("curve", CURVES)
def test_the_whole_is_a_beta_function(curve: Integrand) -> None:
    # Every factor is x or 1 − x over its value at the mode.
    power_0 = curve.powers[curve.slopes > 0].sum() + curve.at_0
    power_1 = curve.powers[curve.slopes < 0].sum() + curve.at_1
    logarithm = scipy.special.betaln(power_0 + 1, power_1 + 1)
    for power, at in ((power_0 - curve.at_0, curve.mode), (power_1 - curve.at_1, 1 - curve.mode)):
        logarithm -= power * math.log(at) if power else 0
    # The logarithm itself has lost up to eight digits where the powers are a million.
    assert panels_of(curve).total == pytest.approx(math.exp(logarithm), rel=1e-8)


def test_parts_of_a_panel_add_up_to_it() -> None:
    panels = panels_of(CURVES[0])
    for low, high in zip(panels.edges[:-1].tolist(), panels.edges[1:].tolist(), strict=True):
        for part in (0.1, 0.5, 0.9):
            middle = low + part * (high - low)
            upper = integral(panels.curve, middle, high)
            assert panels.below(middle) + upper == pytest.approx(panels.below(high), rel=1e-10)


@pytest.mark.parametrize("curve", CURVES)
def test_a_quantile_has_its_probability_below_it(curve: Integrand) -> None:
    panels = panels_of(curve)
    for probability in (0.001, 0.3, 0.5, 0.97):
        assert panels.below(panels.quantile(probability)) == pytest.approx(probability * panels.total, rel=1e-10)
