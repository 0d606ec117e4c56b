import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

from surveys.estimation.bayes import PrevalencePosterior, posterior_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, mangat, triangular, warner
from tests.golden import cases
from tests.property_profile import examples

COINS, DIRECT = forced_response(), warner(1)
THREE_REPORTS = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])


class MixtureOfBetas:
    """The same posterior in another way: a product of mixtures of π and 1 − π is a mixture of Beta distributions."""

    def __init__(self, counts: tuple[int, ...], design: Design, prior: tuple[float, float]) -> None:
        coefficients = [Fraction(1)]
        for count, (if_no, if_yes) in zip(counts, design.matrix, strict=True):
            for _ in range(count):
                rows = (
                    [c * if_no for c in coefficients] + [Fraction(0)],
                    [Fraction(0)] + [c * if_yes for c in coefficients],
                )
                coefficients = [one + other for one, other in zip(*rows, strict=True)]
        n, (a, b) = len(coefficients) - 1, prior
        self.a, self.b = a + np.arange(n + 1), b + n - np.arange(n + 1)
        weights = [float(c) for c in coefficients] * np.exp(
            scipy.special.betaln(self.a, self.b) - scipy.special.betaln(a, b)
        )
        self.weights = weights / weights.sum()

    def cdf(self, share: float) -> float:
        return float(self.weights @ scipy.special.betainc(self.a, self.b, share))

    def density(self, share: float) -> float:
        return float(self.weights @ scipy.stats.beta.pdf(share, self.a, self.b))

    @property
    def mean(self) -> float:
        return float(self.weights @ (self.a / (self.a + self.b)))

    @property
    def standard_deviation(self) -> float:
        total = self.a + self.b
        square = float(self.weights @ (self.a * (self.a + 1) / total / (total + 1)))
        return math.sqrt(square - self.mean**2)


def cut_beta(yes: int, n: int, low: float, high: float) -> tuple[float, float]:
    """Mean and total mass of Beta(yes + 1, n − yes + 1) cut to [low, high]."""
    a, b = yes + 1, n - yes + 1
    mass = scipy.stats.beta.cdf(high, a, b) - scipy.stats.beta.cdf(low, a, b)
    moved = scipy.stats.beta.cdf(high, a + 1, b) - scipy.stats.beta.cdf(low, a + 1, b)
    return a / (a + b) * moved / mass, mass


def golden(case: dict) -> tuple[Design, list[int]]:
    inputs = case["inputs"]
    offset, slope = Fraction(str(inputs["offset_d"])), Fraction(str(inputs["slope_c"]))
    design = from_matrix([[1 - offset, 1 - offset - slope], [offset, offset + slope]])
    return design, [inputs["n"] - inputs["x"], inputs["x"]]


@pytest.mark.parametrize("case", cases("derived", "ci_"), ids=lambda case: case["id"])
def test_mean_and_interval_are_the_references(case: dict) -> None:
    posterior = posterior_prevalence(golden(case)[1], golden(case)[0])
    reference, interval = case["outputs"]["bayes_uniform_pi"], posterior.interval(case["inputs"]["level"])
    assert (interval.low, interval.high) == pytest.approx(reference["ci"], abs=1e-12)
    # One reference was integrated to 8 digits; the closed form is the next test.
    assert posterior.mean == pytest.approx(reference["mean"], abs=2e-8)


@pytest.mark.parametrize("case", cases("derived", "ci_"), ids=lambda case: case["id"])
def test_the_mean_is_that_of_a_cut_beta_distribution(case: dict) -> None:
    design, counts = golden(case)
    offset, slope = float(design.offset), float(design.slope)
    mean, _ = cut_beta(counts[1], sum(counts), offset, offset + slope)
    assert posterior_prevalence(counts, design).mean == pytest.approx((mean - offset) / slope, rel=1e-10)


CASES = [
    ((3, 5), COINS, (1.0, 1.0)),
    ((3, 0), COINS, (0.5, 0.5)),
    ((0, 3), COINS, (0.3, 0.3)),
    ((0, 4, 6, 1), kuk("0.7", "0.2", 3), (1.5, 2.7)),
    ((30, 1), DIRECT, (0.5, 0.5)),
    ((5, 0), triangular("1/3"), (0.2, 3.3)),
    ((2, 9), mangat("2/3"), (1.0, 1.0)),
    ((20, 40), COINS, (12.34, 50.5)),
    ((1, 0), warner("0.51"), (0.3, 0.2)),
    ((9, 30), warner("0.2"), (1.0001, 0.9999)),
    ((0, 40), warner("0.9"), (0.7, 1.2)),
    ((10, 20, 30), THREE_REPORTS, (1.0, 4.0)),
    ((0, 1, 0), from_matrix([["1/2", "1/4"], ["1/4", "1/4"], ["1/4", "1/2"]]), (1.0, 1.0)),
    ((12, 30), COINS, (1.0, 6.5)),
    ((60, 1), COINS, (9.4, 0.6)),
]


@pytest.mark.parametrize(("counts", "design", "prior"), CASES)
def test_it_is_the_mixture_of_beta_distributions(
    counts: tuple[int, ...], design: Design, prior: tuple[float, float]
) -> None:
    posterior, mixture = posterior_prevalence(counts, design, prior), MixtureOfBetas(counts, design, prior)
    assert posterior.mean == pytest.approx(mixture.mean, rel=1e-10)
    assert posterior.standard_deviation == pytest.approx(mixture.standard_deviation, rel=1e-10)
    for share in (1e-4, 0.05, 0.3, 0.5, 0.77, 0.999):
        assert posterior.cdf(share) == pytest.approx(mixture.cdf(share), rel=1e-10, abs=1e-13)
        assert posterior.density([share])[0] == pytest.approx(mixture.density(share), rel=1e-10)


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=2).filter(any),
    st.sampled_from([COINS, warner("2/3"), warner("1/4"), triangular("1/2"), mangat("1/2"), DIRECT]),
    st.tuples(st.floats(0.3, 9), st.floats(0.3, 9)),
)
@example([0, 1], COINS, (0.5, 2.5))  # powers at both ends: what is cut for one end must be fine for the other
@examples(60)
def test_limits_have_the_same_probability_beyond_them(
    counts: list[int], design: Design, prior: tuple[float, float]
) -> None:
    posterior, mixture = posterior_prevalence(counts, design, prior), MixtureOfBetas(tuple(counts), design, prior)
    interval = posterior.interval(0.9)
    assert 0 <= interval.low < interval.high <= 1
    # Limits within 1e-15 of an end are as near to it as floats are.
    if interval.low > 1e-15:
        assert mixture.cdf(interval.low) == pytest.approx(0.05, rel=1e-9)
    if interval.high < 1 - 1e-12:
        assert mixture.cdf(interval.high) == pytest.approx(0.95, rel=1e-9)


@pytest.mark.parametrize("design", [COINS, DIRECT, warner("1/4")])
@pytest.mark.parametrize("yes", [0, 1, 5, 10**7 // 4, 6 * 10**6, 10**7 - 1, 10**7])
def test_ten_million_responses_are_stable(design: Design, yes: int) -> None:
    n = 10**7
    posterior = posterior_prevalence([n - yes, yes], design)
    interval = posterior.interval()
    offset, slope = float(design.offset), float(design.slope)
    beta = scipy.stats.beta(yes + 1, n - yes + 1)
    ends = sorted([offset, offset + slope])
    limits = beta.cdf(ends)
    if limits[1] - limits[0] > 1e-3:
        low, high = sorted(
            (beta.ppf(limits[0] + tail * (limits[1] - limits[0])) - offset) / slope for tail in (0.025, 0.975)
        )
        assert interval.low == pytest.approx(low, abs=1e-11)
        assert interval.high == pytest.approx(high, abs=1e-11)
    else:
        # Far beyond what the design allows, the share has an exponential distribution at the end.
        edge = 0 if abs(yes / n - offset) < abs(yes / n - offset - slope) else 1
        rate = n * abs((yes / n) / (offset + slope * edge) - (1 - yes / n) / (1 - offset - slope * edge)) * abs(slope)
        assert abs(posterior.mean - edge) * rate == pytest.approx(1, rel=1e-5)
        assert posterior.standard_deviation * rate == pytest.approx(1, rel=1e-5)
        assert abs((interval.low if edge else interval.high) - edge) * rate == pytest.approx(-math.log(0.025), rel=1e-5)


def test_as_many_responses_as_floats_can_tell_apart_are_stable() -> None:
    n = 10**14
    posterior = posterior_prevalence([1, n - 1], DIRECT)
    assert (1 - posterior.mean) * n == pytest.approx(2, rel=0.01)
    assert posterior.standard_deviation * n == pytest.approx(math.sqrt(2), rel=1e-9)
    with pytest.raises(ValueError, match=r"^counts .*100000000000000"):
        posterior_prevalence([1, n], DIRECT)


def test_a_posterior_that_learns_nothing_is_its_prior() -> None:
    # The second of these reports is as likely from Yes as from No.
    design = from_matrix([["1/2", "1/4"], ["1/4", "1/4"], ["1/4", "1/2"]])
    posterior = posterior_prevalence([0, 8, 0], design, prior=(2.5, 4))
    prior = scipy.stats.beta(2.5, 4)
    assert posterior.mean == pytest.approx(prior.mean(), rel=1e-12)
    assert posterior.standard_deviation == pytest.approx(prior.std(), rel=1e-12)
    interval = posterior.interval(0.8)
    assert (interval.low, interval.high) == pytest.approx(prior.ppf([0.1, 0.9]), rel=1e-10)
    np.testing.assert_allclose(posterior.density([0.1, 0.5]), prior.pdf([0.1, 0.5]), rtol=1e-12)


def test_a_strong_prior_beside_few_reports_stays() -> None:
    posterior = posterior_prevalence([3, 1], COINS, prior=(3e8, 7e8))
    assert posterior.mean == pytest.approx(0.3, abs=1e-8)
    assert posterior.standard_deviation == pytest.approx(math.sqrt(0.21 / 1e9), rel=1e-6)


def is_distribution(posterior: PrevalencePosterior, design: Design) -> None:
    assert posterior.cdf(0) == 0
    assert posterior.cdf(1) == pytest.approx(1, abs=1e-14)
    grid = np.linspace(0, 1, 201)
    steps = np.diff([posterior.cdf(share) for share in grid])
    assert (steps >= 0).all()
    assert steps.sum() == pytest.approx(1, abs=1e-13)
    assert posterior.density(grid).shape == (201,)
    assert posterior.design is design


@pytest.mark.parametrize("prior", [(1, 1), (0.01, 0.01), (0.5, 3.7)])
@pytest.mark.parametrize("counts", [[1, 0], [0, 1], [40, 3], [0, 300]])
def test_it_is_a_distribution(counts: list[int], prior: tuple[float, float]) -> None:
    for design in (COINS, DIRECT):
        is_distribution(posterior_prevalence(counts, design, prior), design)


def test_the_density_at_an_end_is_that_of_the_prior_there() -> None:
    at_0, at_1 = posterior_prevalence([1, 1], COINS, prior=(0.5, 2)).density([0, 1])
    assert at_0 == math.inf
    assert at_1 == pytest.approx(0, abs=1e-15)
    assert posterior_prevalence([1, 0], DIRECT, prior=(1, 0.5)).density([1])[0] == 0
    uniform = posterior_prevalence([1, 1], COINS).density([0, 1])
    # λ(1 − λ)·c over its integral from 1/4 to 3/4, which is 11/96.
    np.testing.assert_allclose(uniform, [0.1875 * 0.5 / (11 / 96)] * 2, rtol=1e-12)


def test_what_was_given_is_kept() -> None:
    posterior = posterior_prevalence([3, 4], COINS, prior=(2, 5))
    assert posterior.counts.tolist() == [3, 4]
    assert posterior.prior == (2.0, 5.0)
    interval = posterior.interval(0.5)
    assert (interval.confidence_level, interval.method) == (0.5, "credible")


@pytest.mark.parametrize("prior", [(0, 1), (1, math.nan), (1, math.inf), (-1, 1), (1, 1, 1), (0.009, 1), (1, 2e9)])
def test_a_prior_has_two_parameters_above_0(prior: tuple) -> None:
    with pytest.raises(ValueError, match=r"^prior .*0.01.*1e\+09"):
        posterior_prevalence([1, 2], COINS, prior)


@pytest.mark.parametrize(
    ("counts", "complaint"), [([0, 0], "sum to .*1"), ([1, -1], "at least 0"), ([1], "2 integers")]
)
def test_counts_are_what_was_observed(counts: list[int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        posterior_prevalence(counts, COINS)


def test_more_than_two_truths_have_no_single_share() -> None:
    with pytest.raises(ValueError, match=r"^design .*3"):
        posterior_prevalence([1, 2, 3], k_ary(3))


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_is_between_0_and_1(share: float) -> None:
    posterior = posterior_prevalence([3, 4], COINS)
    with pytest.raises(ValueError, match=r"^share"):
        posterior.cdf(share)
    with pytest.raises(ValueError, match=r"^grid"):
        posterior.density([0.5, share])


@pytest.mark.parametrize("level", [0, 1, math.nan])
def test_a_level_is_between_0_and_1(level: float) -> None:
    with pytest.raises(ValueError, match=r"^confidence_level"):
        posterior_prevalence([3, 4], COINS).interval(level)


@pytest.mark.parametrize("prior", [None, 1, "11", (1, None), (True, 1), (1, "1"), (10**400, 1), {1, 2}])
def test_a_prior_is_two_numbers(prior: object) -> None:
    with pytest.raises(ValueError, match=r"^prior .*0.01.*1e\+09"):
        posterior_prevalence([1, 2], COINS, prior)


@pytest.mark.parametrize("prior", [(Fraction(1, 2),) * 2, [0.5, 0.5], np.array([0.5, 0.5])], ids=repr)
def test_a_prior_may_be_exact(prior: object) -> None:
    posterior = posterior_prevalence([3, 4], COINS, prior)
    assert posterior.prior == (0.5, 0.5)
    assert posterior.mean == posterior_prevalence([3, 4], COINS, (0.5, 0.5)).mean


@pytest.mark.parametrize("share", [[0.1, 0.2], "0.5", None, True])
def test_a_distribution_function_is_of_one_share(share: object) -> None:
    posterior = posterior_prevalence([3, 4], COINS)
    assert posterior.cdf(Fraction(1, 4)) == posterior.cdf(0.25)
    with pytest.raises(ValueError, match=r"^share"):
        posterior.cdf(share)


def test_a_density_keeps_the_shape_of_its_grid() -> None:
    posterior = posterior_prevalence([3, 4], COINS)
    grid = np.array([[0.1, 0.2], [0.3, 0.4]])
    assert posterior.density(grid).tolist() == [posterior.density(row).tolist() for row in grid]


def test_a_posterior_needs_a_design() -> None:
    with pytest.raises(ValueError, match=r"^design .*Design"):
        posterior_prevalence([3, 4], None)
