import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.sampling import direct_sampling, sampling_distribution
from surveys.privacy.designs import crosswise, forced_response, k_ary, kuk
from tests.property_profile import examples

FAIR = forced_response()


def test_the_estimate_is_unbiased_and_scatters_as_the_formula_says() -> None:
    sampling = sampling_distribution(400, [0.7, 0.3], FAIR, 1)
    assert sampling.mean == pytest.approx(0.3)
    assert sampling.standard_deviation == pytest.approx(2 * math.sqrt(0.4 * 0.6 / 400))
    assert direct_sampling(400, 0.3).standard_deviation == pytest.approx(math.sqrt(0.3 * 0.7 / 400))


@pytest.mark.parametrize("design", [FAIR, crosswise("1/4"), forced_response("1/3", "1/5")])
def test_each_estimate_has_the_binomial_probability_of_its_count(design: object) -> None:
    sampling = sampling_distribution(30, [0.8, 0.2], design, 1)
    estimates, densities = sampling.density()
    widths = 1 / (30 * abs(sampling.slope))
    for estimate, density in zip(estimates, densities, strict=True):
        count = round(30 * (sampling.offset + sampling.slope * estimate))
        assert estimate == pytest.approx(estimate_prevalence([30 - count, count], design).point[1])
        assert density * widths == pytest.approx(stats.binom.pmf(count, 30, sampling.reported), abs=1e-12)
    assert list(estimates) == sorted(estimates)


@pytest.mark.parametrize("n", [1, 7, 100, 10_000])
@pytest.mark.parametrize("prevalence", [0.0, 0.01, 0.5, 1.0])
def test_what_is_drawn_holds_all_but_a_hundred_thousandth(n: int, prevalence: float) -> None:
    for sampling in (direct_sampling(n, prevalence), sampling_distribution(n, [1 - prevalence, prevalence], FAIR, 1)):
        densities = sampling.density(20_000)[1]
        assert (densities / (n * abs(sampling.slope))).sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("n", [10_000, 10**7, 10**12])
def test_of_many_answers_neighbours_are_drawn_together_and_hold_as_much(n: int) -> None:
    sampling = sampling_distribution(n, [0.6, 0.4], FAIR, 1)
    estimates, densities = sampling.density(50)
    assert 25 <= estimates.size <= 50
    assert np.trapezoid(densities, estimates) == pytest.approx(1, abs=1e-4)


@given(n=st.integers(1, 300), prevalence=st.floats(0, 1), level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@examples(100)
def test_at_most_half_of_the_rest_lies_beyond_each_end_of_the_middle(n: int, prevalence: float, level: float) -> None:
    low, high = direct_sampling(n, prevalence).central(level)
    first, last = round(low * n), round(high * n)
    tail = (1 - level) / 2
    assert stats.binom.cdf(first - 1, n, prevalence) <= tail + 1e-9
    assert stats.binom.sf(last, n, prevalence) <= tail + 1e-9
    # And no narrower one would do.
    assert first == n or stats.binom.cdf(first, n, prevalence) > tail - 1e-9
    assert last == 0 or stats.binom.sf(last - 1, n, prevalence) > tail - 1e-9


def test_a_falling_line_turns_the_ends_round() -> None:
    # Under crosswise with 1/4, more reports of “the same” are fewer Yes.
    low, high = sampling_distribution(100, [0.7, 0.3], crosswise("1/4"), 1).central(0.95)
    assert low < 0.3 < high


def test_simulated_surveys_scatter_like_that() -> None:
    design, shares = k_ary(4, "1/2"), [0.4, 0.3, 0.2, 0.1]
    sampling = sampling_distribution(200, shares, design, 2)
    rng = np.random.default_rng(8)
    reports = np.array(design.matrix, dtype=float) @ shares
    samples = rng.multinomial(200, reports, size=4000)
    points = np.array([estimate_prevalence(sample, design).point[2] for sample in samples[:500].tolist()])
    assert points.std() == pytest.approx(sampling.standard_deviation, rel=0.15)
    low, high = sampling.central(0.9)
    assert ((points >= low) & (points <= high)).mean() >= 0.85


@pytest.mark.parametrize("shares", [[0.5, 0.4], [1.0], [0.5, 0.5, 0.0], [-0.1, 1.1], [math.nan, 1.0]])
def test_prevalences_are_a_distribution(shares: list[float]) -> None:
    with pytest.raises(ValueError, match="prevalences must be"):
        sampling_distribution(10, shares, FAIR, 1)


def test_other_arguments_are_named_too() -> None:
    with pytest.raises(ValueError, match=r"^option"):
        sampling_distribution(10, [0.5, 0.5], FAIR, 2)
    with pytest.raises(ValueError, match=r"^n "):
        sampling_distribution(0, [0.5, 0.5], FAIR, 1)
    with pytest.raises(ValueError, match=r"^prevalence"):
        direct_sampling(10, 1.5)
    with pytest.raises(ValueError, match="design kuk"):
        sampling_distribution(10, [0.5, 0.5], kuk("4/5", "1/5", 2), 1)
