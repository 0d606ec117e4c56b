import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats

from surveys.privacy.accounting import gaussian_sums
from surveys.privacy.accounting.concentrated import concentrated_delta, concentrated_from_gaussian
from surveys.privacy.accounting.gaussian import (
    analytic_gaussian_sigma,
    gaussian_delta,
    gaussian_variance,
)
from surveys.privacy.accounting.gaussian_sums import delta_of_normal
from surveys.privacy.decimals import many_digits

MILLIONTH = Fraction(1, 10**6)
PAIRS = [
    (Fraction(1), Fraction(573, 32)),
    (Fraction(1, 10), Fraction(1319)),
    (Fraction(3), Fraction(2)),
    (Fraction(1, 3), Fraction(1, 2)),
    (Fraction(10), Fraction(1, 4)),
    (Fraction(2), Fraction(1, 10)),
]


def noise(variance: Fraction) -> tuple[np.ndarray, np.ndarray]:
    reach = math.ceil(38 * math.sqrt(variance)) + 4
    values = np.arange(-reach, reach + 1)
    weights = np.exp(-(values**2) / (2 * float(variance)))
    return values, weights / weights.sum()


def by_brute_force(epsilon: Fraction, variance: Fraction, changes: tuple[int, ...]) -> float:
    """Σ max(0, p − e^ε·q) over all outputs near two vectors of counts that differ by these changes."""
    values, p = noise(variance)
    ones, others = p, np.zeros(1)
    joint, shifted = np.ones(1), np.ones(1)
    for change in changes:
        joint = np.multiply.outer(joint, ones).ravel()
        others = np.interp(values - change, values, p, left=0, right=0)
        shifted = np.multiply.outer(shifted, others).ravel()
    return float(np.maximum(joint - math.exp(epsilon) * shifted, 0).sum())


@pytest.mark.parametrize(("epsilon", "variance"), PAIRS, ids=str)
def test_the_delta_of_one_count_is_the_hockey_stick_of_two_neighbours(epsilon: Fraction, variance: Fraction) -> None:
    delta = gaussian_delta(epsilon, variance)
    assert delta == pytest.approx(by_brute_force(epsilon, variance, (1,)), rel=1e-6, abs=1e-15)
    assert delta >= by_brute_force(epsilon, variance, (1,)) - 1e-15


@pytest.mark.parametrize(("epsilon", "variance"), PAIRS, ids=str)
def test_the_delta_of_one_count_is_the_stated_formula(epsilon: Fraction, variance: Fraction) -> None:
    values, p = noise(variance)
    limits = (float(epsilon * variance) - 0.5, float(epsilon * variance) + 0.5)
    first, second = (p[values > limit].sum() for limit in limits)
    assert gaussian_delta(epsilon, variance) == pytest.approx(first - math.exp(epsilon) * second, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("changes", [(1, 1), (1, -1)], ids=["two bits", "a replaced code"])
@pytest.mark.parametrize(("epsilon", "variance"), [pair for pair in PAIRS if pair[1] < 100], ids=str)
def test_the_delta_of_two_counts_is_the_hockey_stick_of_two_neighbours(
    epsilon: Fraction, variance: Fraction, changes: tuple[int, ...]
) -> None:
    exact = by_brute_force(epsilon, variance, changes)
    assert gaussian_delta(epsilon, variance, 2) == pytest.approx(exact, rel=1e-6, abs=1e-14)


def test_more_changes_never_cost_less() -> None:
    for epsilon, variance in PAIRS:
        deltas = [gaussian_delta(epsilon, variance, changed) for changed in (1, 2, 3, 4)]
        assert deltas == sorted(deltas)


@pytest.mark.parametrize("changed", [3, 5, 20])
@pytest.mark.parametrize(
    ("variance", "room"),
    [(Fraction(1, 2), 0.1), (Fraction(1), 3e-3), (Fraction(2), 1e-6), (Fraction(16), 1e-9), (Fraction(300), 1e-9)],
    ids=str,
)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)], ids=str)
def test_more_counts_are_summed_as_well(epsilon: Fraction, variance: Fraction, room: float, changed: int) -> None:
    # Counts that change are as hard to tell apart as their sum: T of so many discrete Gaussians.
    values, p = noise(variance)
    likely = abs(values) <= 14 * math.sqrt(variance) + 4
    total, reach = np.ones(1), changed * int(likely.sum() // 2)
    for _ in range(changed):
        total = np.convolve(total, p[likely])
    sums = np.arange(-reach, reach + 1)
    saved = float(epsilon) - (2 * sums + changed) / (2 * float(variance))
    exact = math.fsum(-total[saved < 0] * np.expm1(saved[saved < 0]))
    delta = gaussian_delta(epsilon, variance, changed)
    assert exact * (1 - 1e-11) - 1e-15 <= delta <= exact * (1 + room) + 1e-15
    assert delta <= concentrated_delta(concentrated_from_gaussian(changed, variance), epsilon)


@pytest.mark.parametrize(
    ("epsilon", "changed"),
    [(Fraction(1), 3), (Fraction(1), 20), (Fraction(1, 1000), 2), (Fraction(1, 100), 20), (Fraction(1, 10**6), 1)],
    ids=str,
)
def test_no_number_of_counts_and_no_size_of_noise_needs_more_than_continuous_noise(
    epsilon: Fraction, changed: int
) -> None:
    # But for a step of the grid and the term that is added to an integral: by zero-concentrated privacy 12% more.
    continuous = analytic_gaussian_sigma(float(epsilon), 1e-6, changed) ** 2
    assert 0.999 <= gaussian_variance(epsilon, MILLIONTH, changed) / Fraction(continuous) < 1.0015


@pytest.mark.parametrize(("variance", "changed"), [(10**5, 1), (10**4, 2), (10**4, 30), (100, 400)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**6), Fraction(1, 500), Fraction(1, 20), Fraction(1)], ids=str)
def test_the_integral_is_never_below_the_sum(
    epsilon: Fraction, variance: int, changed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = gaussian_delta(epsilon, variance, changed)
    monkeypatch.setattr(gaussian_sums, "_LONG", 0)
    bound = delta_of_normal(epsilon, Fraction(variance), changed)
    assert exact <= bound
    if exact > 1e-20 and changed < 400:
        assert bound <= exact * 1.05


def test_the_integral_without_its_second_term_is_the_delta_of_continuous_noise() -> None:
    sigma = analytic_gaussian_sigma(1e-5, 1e-6)
    delta = gaussian_delta(Fraction(1, 10**5), Fraction(sigma**2))
    assert 1e-6 * (1 - 1e-9) < delta < 1e-6 * (1 + 1e-4)


@pytest.mark.parametrize("z", [-30.0, -1.5, -1.0, -0.3, 0.0, 0.9, 1.0, 1.1, 4.0, 49.0, 51.0])
def test_the_slope_of_mills_ratio_is_that_of_the_normal_law(z: float) -> None:
    mills = math.sqrt(math.pi / 2) * special.erfcx(z / math.sqrt(2))
    with many_digits():
        slope = gaussian_sums._mills_slope(Decimal(z))
    # Beyond 50 it is the bound 1/(1 + z²), which is 1/z² − 3/z⁴ but for 2/z⁴.
    assert float(slope) == pytest.approx(1 - z * mills, rel=1e-10 if z < 50 else 1e-3)
    assert slope > 0


def test_so_many_counts_that_nothing_is_kept() -> None:
    assert gaussian_delta(1, 16, 10**20) == 1
    assert gaussian_delta(1, Fraction(1, 100), 1000) == 1


def test_the_exact_delta_is_below_that_of_concentrated_privacy() -> None:
    for changed in (1, 2):
        loss = concentrated_from_gaussian(changed, 18)
        assert gaussian_delta(1, 18, changed) < concentrated_delta(loss, 1) / 2


@pytest.mark.parametrize("variance", [Fraction(1599, 100), Fraction(1601, 100)], ids=str)
@pytest.mark.parametrize("changed", [1, 2])
def test_sums_and_integrals_meet_where_one_takes_over(variance: Fraction, changed: int) -> None:
    assert gaussian_delta(Fraction(1, 2), variance, changed) == pytest.approx(
        by_brute_force(Fraction(1, 2), variance, (1,) * changed), rel=1e-9
    )


@pytest.mark.parametrize("changed", [1, 2, 3, 20])
@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 2), Fraction(1), Fraction(4), Fraction(30)], ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 10), MILLIONTH, Fraction(1, 10**12)], ids=str)
def test_the_variance_found_suffices_and_the_one_below_it_does_not(
    epsilon: Fraction, delta: Fraction, changed: int
) -> None:
    variance = gaussian_variance(epsilon, delta, changed)
    octave = Fraction(2) ** (math.frexp(float(variance))[1] - 1)
    below = variance - (octave if variance > octave else octave / 2) / 1024
    assert (variance / octave * 1024).denominator == 1
    assert gaussian_delta(epsilon, variance, changed) <= delta < gaussian_delta(epsilon, below, changed)


def test_the_analytic_sigma_is_the_golden_one_and_the_classic_a_quarter_too_large() -> None:
    analytic, classic = analytic_gaussian_sigma(1, 1e-6), math.sqrt(2 * math.log(1.25 / 1e-6))
    assert analytic == pytest.approx(4.2247, abs=5e-5)
    assert classic == pytest.approx(5.30, abs=5e-3)
    assert classic / analytic == pytest.approx(1.25, abs=0.01)


@pytest.mark.parametrize("epsilon", [0, 0.01, 1, 5, 40])
@pytest.mark.parametrize("delta", [0.3, 1e-6, 1e-14])
def test_the_analytic_sigma_solves_its_equation(epsilon: float, delta: float) -> None:
    sigma = analytic_gaussian_sigma(epsilon, delta, 4) / 2
    a, b = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
    assert stats.norm.cdf(a) - math.exp(epsilon + stats.norm.logcdf(b)) == pytest.approx(delta, rel=1e-4)


def test_the_classic_sigma_is_too_small_for_a_large_epsilon() -> None:
    # What it is proved for ends at 1: at ε = 20 it would promise more than is true.
    assert math.sqrt(2 * math.log(1.25 / 0.1)) / 20 < analytic_gaussian_sigma(20, 0.1)


def test_discrete_noise_needs_what_continuous_noise_needs() -> None:
    assert math.sqrt(gaussian_variance(Fraction(1, 10), MILLIONTH)) == pytest.approx(
        analytic_gaussian_sigma(0.1, 1e-6), rel=1e-3
    )


def test_an_epsilon_beyond_all_floats_needs_hardly_any_noise() -> None:
    assert 0 < gaussian_variance(Fraction(10**400), MILLIONTH) < Fraction(1, 10**6)
    assert gaussian_delta(Fraction(10**400), Fraction(1)) == math.ulp(0.0)


def test_a_large_epsilon_leaves_no_second_term() -> None:
    assert 0 < analytic_gaussian_sigma(1e6, 1e-6) < 0.01


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, 0.5])
def test_epsilons_and_variances_are_exact_and_above_0(value: object) -> None:
    with pytest.raises(ValueError, match="epsilon must be"):
        gaussian_delta(value, 1)
    with pytest.raises(ValueError, match="epsilon must be"):
        gaussian_variance(value, MILLIONTH)
    with pytest.raises(ValueError, match="variance must be"):
        gaussian_delta(1, value)


@pytest.mark.parametrize("delta", [0, 1, 2, -1, math.nan, 0.5])
def test_deltas_are_exact_and_inside_0_and_1(delta: object) -> None:
    with pytest.raises(ValueError, match="delta must be"):
        gaussian_variance(Fraction(1), delta)


@pytest.mark.parametrize("changed", [0, -1, 1.0, True])
def test_a_whole_number_of_counts_changes(changed: object) -> None:
    for read in (
        lambda: gaussian_delta(1, 1, changed),
        lambda: gaussian_variance(Fraction(1), MILLIONTH, changed),
    ):
        with pytest.raises(ValueError, match="changed must be"):
            read()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0.5), "epsilon"),
        ((math.nan, 0.5), "epsilon"),
        ((math.inf, 0.5), "epsilon"),
        ((1, 0), "delta"),
        ((1, 1), "delta"),
        ((1, math.nan), "delta"),
        ((1, 0.5, 0), "squared_sensitivity"),
        ((1, 0.5, math.nan), "squared_sensitivity"),
    ],
)
def test_an_analytic_sigma_needs_numbers_in_range(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        analytic_gaussian_sigma(*arguments)
