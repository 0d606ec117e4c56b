import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.released.counts import over_counts, over_noise, upper_tail
from surveys.estimation.released.histogram import estimate_released_histogram, nearest_distribution
from surveys.estimation.released.likely import likely_counts
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, warner
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.golden import cases

MECHANISM = DiscreteLaplace(Fraction(1), 2)
COINS = forced_response()


def distribution_of_noisy_count(n: int, reported: float, mechanism: DiscreteLaplace) -> tuple[np.ndarray, np.ndarray]:
    """Every likely value of a noisy count and its probability, by convolving two distributions of scipy."""
    reach = math.ceil(30 / mechanism.rate)
    counts = np.arange(n + 1)
    noise = stats.dlaplace.pmf(np.arange(-reach, reach + 1), mechanism.rate)
    return np.arange(-reach, n + reach + 1), np.convolve(stats.binom.pmf(counts, n, reported), noise)


def coverage(n: int, design: Design, prevalence: float, mechanism: DiscreteLaplace) -> float:
    """The exact probability that the interval for Yes holds the prevalence."""
    reported = float(design.offset) + float(design.slope) * prevalence
    values, probabilities = distribution_of_noisy_count(n, reported, mechanism)
    likely = probabilities > 1e-7
    covered = 0.0
    for value, probability in zip(values[likely], probabilities[likely], strict=True):
        interval = estimate_released_histogram([n - value, value], n, design, mechanism).interval()
        # Where limits are cut to 0 and 1 they hold these two exactly.
        covered += probability * bool(interval.low[1] <= prevalence + 1e-12 and prevalence <= interval.high[1] + 1e-12)
    return covered + float(probabilities[~likely].sum())


@pytest.mark.parametrize("prevalence", [0, 0.03, 0.3, 1])
@pytest.mark.parametrize(
    ("n", "epsilon"), [(10, Fraction(1)), (30, Fraction(1, 2)), (30, Fraction(4)), (300, Fraction(1))]
)
def test_the_interval_never_covers_less_than_it_says(n: int, epsilon: Fraction, prevalence: float) -> None:
    assert coverage(n, COINS, prevalence, DiscreteLaplace(epsilon, 2)) >= 0.95


def test_it_covers_ten_thousand_responses_closely() -> None:
    assert 0.95 <= coverage(10_000, COINS, 0.3, MECHANISM) < 0.96


@pytest.mark.parametrize("n", [10, 30, 300, 10_000])
def test_simulated_releases_of_several_options_cover(n: int) -> None:
    design, prevalence = k_ary(3, "1/2", ["1/2", "1/4", "1/4"]), np.array([0.6, 0.3, 0.1])
    generator = np.random.default_rng(20_269 + n)
    reported = np.array(design.matrix, dtype=float) @ prevalence
    rounds, covered = 300, np.zeros(3)
    for _ in range(rounds):
        noisy = MECHANISM.add_noise(generator.multinomial(n, reported), lambda bound: int(generator.integers(bound)))
        interval = estimate_released_histogram(noisy, n, design, MECHANISM).interval()
        covered += (interval.low <= prevalence) & (prevalence <= interval.high)
    # Fewer than this many of 300 happen once in a million where the coverage is 0.95.
    assert covered.min() >= stats.binom.ppf(1e-6, rounds, 0.95)


def test_ignoring_the_noise_would_cover_too_little() -> None:
    values, probabilities = distribution_of_noisy_count(30, 0.4, MECHANISM)
    covered = 0.0
    for value, probability in zip(values, probabilities, strict=True):
        yes = int(np.clip(value, 0, 30))
        interval = estimate_prevalence([30 - yes, yes], COINS).interval(method="clopper_pearson")
        covered += probability * bool(interval.low[1] <= 0.3 <= interval.high[1])
    assert covered < 0.94


@pytest.mark.parametrize(
    ("n", "reported", "count"), [(12, 0.3, 9), (1000, 0.02, 31), (1_000_000, 0.3, 300_900), (50, 0.5, -3)]
)
def test_the_tail_equals_a_convolution_of_scipy(n: int, reported: float, count: int) -> None:
    noise = np.arange(-120, 121)
    expected = stats.dlaplace.pmf(noise, MECHANISM.rate) @ stats.binom.sf(count - noise - 1, n, reported)
    assert upper_tail(count, n, MECHANISM, reported) == pytest.approx(expected, rel=1e-8)


def test_with_hardly_any_noise_it_is_clopper_and_pearson() -> None:
    released = estimate_released_histogram([40, 60], 100, COINS, DiscreteLaplace(Fraction(200), 2)).interval(0.9)
    direct = estimate_prevalence([40, 60], COINS).interval(0.9, "clopper_pearson")
    assert released.low == pytest.approx(direct.low, rel=1e-9)
    assert released.high == pytest.approx(direct.high, rel=1e-9)
    assert (released.method, released.confidence_level) == ("exact", 0.9)


def test_with_no_noise_a_unanimous_answer_to_a_direct_question_has_no_standard_error() -> None:
    estimate = estimate_released_histogram([0, 7], 7, warner(1), DiscreteLaplace(Fraction(10_000), 2))
    assert estimate.standard_error.tolist() == [0, 0]


def test_noise_widens_the_interval_and_the_standard_error() -> None:
    little, much = (
        estimate_released_histogram([40, 60], 100, COINS, DiscreteLaplace(Fraction(e), 2)) for e in ("5", "1/5")
    )
    assert (much.standard_error > little.standard_error).all()
    assert ((much.interval().high - much.interval().low) > (little.interval().high - little.interval().low)).all()


def test_the_moment_estimate_has_the_stated_spread() -> None:
    generator = np.random.default_rng(20_270)
    n, rounds = 200, 2_000
    points, stated = [], []
    for _ in range(rounds):
        yes = int(generator.binomial(n, 0.4))
        noisy = MECHANISM.add_noise([n - yes, yes], lambda bound: int(generator.integers(bound)))
        estimate = estimate_released_histogram(noisy, n, COINS, MECHANISM)
        points.append(estimate.point[1])
        stated.append(estimate.standard_error[1])
    exact = math.sqrt(0.4 * 0.6 / n * 4 + (1.5**2 + 0.5**2) * MECHANISM.variance / n**2)
    # Six standard errors of a mean and of a variance.
    assert np.mean(points) == pytest.approx(0.3, abs=6 * exact / math.sqrt(rounds))
    assert np.std(points) == pytest.approx(exact, rel=6 * math.sqrt(1 / (2 * rounds)))
    assert np.mean(stated) == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize("noisy", [[-40, 3], [250, 260], [-500, 900], [900, -500], [0, 0]])
def test_counts_below_0_and_above_n_are_understood(noisy: list[int]) -> None:
    estimate = estimate_released_histogram(noisy, 100, COINS, DiscreteLaplace(Fraction(1, 10), 2))
    interval = estimate.interval()
    assert (interval.low >= 0).all()
    assert (interval.low <= interval.high).all()
    assert (interval.high <= 1).all()
    assert estimate.constrained.sum() == pytest.approx(1)
    assert np.isfinite(estimate.standard_error).all()


def test_one_response_is_enough_for_an_estimate() -> None:
    estimate = estimate_released_histogram([0, 1], 1, COINS, MECHANISM)
    assert estimate.point == pytest.approx([-0.5, 1.5])
    assert estimate.interval().high[1] == 1


def test_a_falling_line_is_mapped_the_right_way_round() -> None:
    interval = estimate_released_histogram([70, 30], 100, warner("1/4"), MECHANISM).interval()
    straight = estimate_released_histogram([30, 70], 100, warner("3/4"), MECHANISM).interval()
    assert interval.low == pytest.approx(straight.low)
    assert interval.high == pytest.approx(straight.high)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1)])
def test_the_interval_of_a_million_responses_is_as_wide_as_the_normal_one(epsilon: Fraction) -> None:
    # How long it takes is measured by tests/load/kernels.py.
    estimate = estimate_released_histogram([200_000] * 5, 1_000_000, k_ary(5), DiscreteLaplace(epsilon, 2))
    interval = estimate.interval()
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * estimate.standard_error, rel=0.05)


@pytest.mark.parametrize("case", cases("ldp", "simplex_projection"), ids=lambda case: case["id"])
def test_the_nearest_distribution_equals_that_of_pure_ldp(case: dict) -> None:
    assert nearest_distribution(np.array(case["inputs"]["v"])) == pytest.approx(
        case["outputs"]["w"], rel=1e-10, abs=1e-15
    )


def test_a_distribution_is_nearest_to_itself() -> None:
    assert nearest_distribution(np.array([0.2, 0.5, 0.3])) == pytest.approx([0.2, 0.5, 0.3])


@pytest.mark.parametrize("noisy", [[1, 2, 3], [1.0, 2.0], [math.nan, 1], [[1, 2]]])
def test_what_is_no_histogram_is_refused(noisy: object) -> None:
    with pytest.raises(ValueError, match=r"^noisy_counts .*2"):
        estimate_released_histogram(noisy, 10, COINS, MECHANISM)


@pytest.mark.parametrize("n", [0, -5, math.nan, math.inf, 10.5, True, None, "10", 10**16])
def test_a_release_is_about_a_whole_number_of_people(n: object) -> None:
    with pytest.raises(ValueError, match=r"^n .*1"):
        estimate_released_histogram([1, 2], n, COINS, MECHANISM)


@pytest.mark.parametrize("confidence_level", [0, 1, math.nan])
def test_a_level_lies_strictly_between_0_and_1(confidence_level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        estimate_released_histogram([1, 2], 10, COINS, MECHANISM).interval(confidence_level)


def test_a_design_that_mixes_prevalences_has_no_interval_for_one_option() -> None:
    design = from_matrix([["7/10", "1/10", "3/20"], ["1/5", "4/5", "3/20"], ["1/10", "1/10", "7/10"]])
    with pytest.raises(ValueError, match="one prevalence"):
        estimate_released_histogram([40, 30, 30], 100, design, MECHANISM).interval()


@pytest.mark.parametrize("noisy", [[85, -60], [95, 5], [-400, 900], [100, 0], [0, 100]])
def test_a_released_count_beyond_what_the_design_can_give_claims_no_certainty(noisy: list[int]) -> None:
    estimate = estimate_released_histogram(noisy, 100, forced_response(), DiscreteLaplace(Fraction(1, 2), 2))
    interval = estimate.interval()
    assert not interval.outside.any()
    assert (interval.high - interval.low > 0.05).all()


def test_one_draw_for_two_counts_has_the_error_of_one_draw() -> None:
    # π̂ = (λ̃ − 1/4)·2, so noise of variance v on one count of n adds 4v/n² to the variance.
    mechanism = DiscreteLaplace(Fraction(1, 2), 1)
    estimate = estimate_released_histogram([58, 42], 100, forced_response(), mechanism, one_count=True)
    of_shares = 4 * 0.42 * 0.58 / 100
    assert estimate.standard_error == pytest.approx([math.sqrt(of_shares + 4 * mechanism.variance / 100**2)] * 2)


@pytest.mark.parametrize(("noisy", "design"), [([58, 43], forced_response()), ([50, 30, 20], k_ary(3, "1/2"))])
def test_counts_that_one_draw_cannot_give_are_refused(noisy: list[int], design: Design) -> None:
    with pytest.raises(ValueError, match="noisy_counts"):
        estimate_released_histogram(noisy, 100, design, DiscreteLaplace(1, 1), one_count=True)


@pytest.mark.parametrize(
    ("n", "reported", "sd"), [(10**6, 0.3, 2), (10**8, 0.02, -2.5), (10**6, 1.0, 0), (10**5, 0, 0)]
)
@pytest.mark.parametrize("mechanism", [MECHANISM, DiscreteLaplace(Fraction(1, 50), 2)])
def test_the_sum_over_the_noise_equals_that_over_the_counts(
    n: int, reported: float, sd: float, mechanism: DiscreteLaplace
) -> None:
    count = int(n * reported + sd * math.sqrt(n * reported * (1 - reported))) + 5
    low, high = likely_counts(n, reported)
    by_counts = over_counts(count, n, mechanism, reported, np.arange(low, high + 1.0))
    by_noise = over_noise(count, n, mechanism, reported)
    assert by_noise == pytest.approx(by_counts, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("n", [10**9, 10**12, 10**15])
def test_any_number_of_responses_has_an_interval(n: int) -> None:
    """Whatever goes through every response would never come to its end here."""
    estimate = estimate_released_histogram([n - n // 3, n // 3], np.int64(n), COINS, MECHANISM)
    interval = estimate.interval()
    assert interval.high - interval.low == pytest.approx(2 * 1.959964 * estimate.standard_error, rel=1e-3)
    assert type(estimate.n) is int


def test_a_release_needs_a_design() -> None:
    with pytest.raises(ValueError, match=r"^design .*Design"):
        estimate_released_histogram([1, 2], 3, None, MECHANISM)
