import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from surveys.learn.learners.losses import LogisticLoss
from surveys.learn.learners.network import TwoLayerLoss
from surveys.learn.learners.reference import as_floats, projected_descent
from surveys.learn.learners.stochastic import StochasticGradient
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.decimals import decimal, many_digits
from tests.golden import values
from tests.learn.learners.risks import risk_of
from tests.privacy.chance import FALSE_ALARM_RATE
from tests.privacy.learning.learners import domain_of
from tests.privacy.mechanisms.distinguishing import hockey_stick

GOLDEN = values("learning")["sgd"]
OF_REFERENCE = StochasticGradient(rate=GOLDEN["rate"], sigma=GOLDEN["sigma"], steps=GOLDEN["steps"])


@pytest.mark.slow
def test_epsilon_is_that_of_the_reference() -> None:
    assert OF_REFERENCE.epsilon(delta=GOLDEN["delta"]) == pytest.approx(GOLDEN["epsilon_rdp"], abs=5e-5)
    assert OF_REFERENCE.epsilon(delta=GOLDEN["delta"], accounting="pld") == pytest.approx(
        GOLDEN["epsilon_pld"], abs=5e-5
    )


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("rate", "sigma", "steps"), [(0.01, 1.0, 1000), (0.1, 3.0, 50), (1.0, 20.0, 100), (1e-3, 0.7, 10**5)]
)
def test_epsilon_is_that_of_dp_accounting(rate: float, sigma: float, steps: int) -> None:
    dp = pytest.importorskip("dp_accounting")
    accountant = dp.rdp.RdpAccountant()
    accountant.compose(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma)), steps)
    ours = StochasticGradient(rate=rate, sigma=sigma, steps=steps)
    # Orders up to 11 are theirs as well; between the integers theirs have bounds, and ours the sum itself.
    assert ours.epsilon(delta=1e-5) == pytest.approx(accountant.get_epsilon(1e-5), rel=1e-4)


@pytest.mark.oracle
@pytest.mark.parametrize(("rate", "sigma", "steps"), [(0.01, 1.0, 1000), (0.1, 3.0, 50), (1.0, 20.0, 100)])
@pytest.mark.slow
def test_epsilon_by_the_losses_is_that_of_dp_accounting(rate: float, sigma: float, steps: int) -> None:
    dp = pytest.importorskip("dp_accounting")
    accountant = dp.pld.PLDAccountant()
    accountant.compose(dp.PoissonSampledDpEvent(rate, dp.GaussianDpEvent(sigma)), steps)
    ours = StochasticGradient(rate=rate, sigma=sigma, steps=steps).epsilon(delta=1e-5, accounting="pld")
    assert ours == pytest.approx(accountant.get_epsilon(1e-5), rel=1e-6)


def test_the_losses_of_everybody_in_every_step_are_those_of_normal_noise() -> None:
    # Its σ for this ε and δ is known; a loss rounded down, or a step too few, would need less.
    for steps in (1, 25):
        spent = StochasticGradient(rate=1, sigma=5.0, steps=steps).epsilon(delta=1e-6, accounting="pld")
        needed = analytic_gaussian_sigma(spent, 1e-6, steps)
        assert 5.0 * (1 - 1e-6) < needed <= 5.0


def test_a_delta_below_what_is_cut_off_shows_no_epsilon() -> None:
    assert StochasticGradient(rate=0.5, sigma=2.0, steps=3).epsilon(delta=1e-12, accounting="pld") == math.inf
    with pytest.raises(ValueError, match=r"^accounting .*got 'moments'"):
        OF_REFERENCE.epsilon(delta=1e-5, accounting="moments")


def test_the_divergence_of_everybody_in_every_step_is_that_of_normal_noise() -> None:
    learner = StochasticGradient(rate=1, sigma=2.0, steps=3)
    for order in (1.5, 7, 60):
        assert learner.renyi_divergence(order) == pytest.approx(3 * order / 8)


@pytest.mark.parametrize("order", [2, 5, 32])
def test_the_divergence_of_an_integer_order_is_a_sum_of_binomial_terms(order: int) -> None:
    q, sigma = 0.05, 1.3
    terms = [
        math.comb(order, k) * (1 - q) ** (order - k) * q**k * math.exp(k * (k - 1) / (2 * sigma**2))
        for k in range(order + 1)
    ]
    expected = math.log(math.fsum(terms)) / (order - 1)
    assert StochasticGradient(rate=q, sigma=sigma, steps=1).renyi_divergence(order) == pytest.approx(expected, rel=1e-9)


def test_a_part_of_the_responses_costs_less_and_more_steps_cost_more() -> None:
    one, all_, many = (
        StochasticGradient(rate=rate, sigma=2.0, steps=steps).epsilon(delta=1e-5)
        for rate, steps in ((0.1, 10), (1, 10), (0.1, 40))
    )
    assert one < many < all_


@dataclass(frozen=True)
class FixedGradients(TwoLayerLoss):
    """Each pattern's gradient is its own features, whatever the parameters are."""

    hidden: int = 1

    def gradients(self, parameters: np.ndarray, features: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
        return features


def moved_by(learner: StochasticGradient, counts: list[int], noise: float, *, all_take_part: bool = False) -> float:
    """Where one parameter ends of people who pull by 0 (the first) and by 1, with this noise in every step."""
    given = SimpleNamespace(
        standard_normal=lambda size: np.full(size, noise), binomial=lambda n, rate: n * all_take_part
    )
    table = (np.array([[0.0], [1.0]]), np.ones(2), np.array(counts))
    [end] = learner.train(FixedGradients(), table, np.zeros(1), 1.0, given, expected_size=EXPECTED)
    return float(end)


EXPECTED = 5


def spent_by_scale(numbers: int, ratio: Fraction, delta: float) -> float:
    """The exact ε of so many normal numbers around 0 against ones that are `ratio` times as wide, an even number.

    The ratio of densities is one of Σx²: with χ² of so many degrees of freedom, whose tail for an even number is that
    of Poisson's distribution, it is summed with 60 digits.
    """

    def tail(square: Decimal) -> Decimal:
        half, term, total = square / 2, Decimal(1), Decimal(0)
        for place in range(numbers // 2):
            total += term
            term *= half / (place + 1)
        return total * (-half).exp()

    def delta_of(epsilon: Decimal) -> Decimal:
        """By how much the wide ones are likelier to be so far out than e^ε times the narrow ones."""
        square = 2 * (epsilon + numbers * wide.ln()) / (1 - 1 / wide**2)
        return tail(square / wide**2) - epsilon.exp() * tail(square)

    with many_digits():
        wide, low, high = decimal(ratio), Decimal(0), Decimal(100)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_of(middle) > decimal(delta) else (low, middle)
        return float(low)


@pytest.mark.parametrize(
    ("n", "numbers", "learner", "claim", "would_be"),
    [
        # Of two coefficients the end alone; and all that a hundred steps of the page's network with sixteen show.
        (5, 2, StochasticGradient(rate=0.2, sigma=20, steps=100), (1e-6, "rdp", 0.4342), 6.7503),
        (500, 1600, StochasticGradient(rate=0.05, sigma=16, steps=100), (1e-5, "pld", 0.0968), 0.4076),
    ],
)
def test_the_noise_does_not_tell_how_many_there_are(
    n: int, numbers: int, learner: StochasticGradient, claim: tuple[float, str, float], would_be: float
) -> None:
    delta, accounting, epsilon = claim
    assert learner.epsilon(delta=delta, accounting=accounting) == pytest.approx(epsilon, abs=5e-5)
    # Of people without any gradient the noise is all there is: it must be as wide for n as for n − 1.
    ends = [moved_by(learner, [people, 0], 1.0) for people in (n, n - 1)]
    assert ends[0] == ends[1]
    # Divided by n it is narrower than divided by n − 1: that alone would spend several times what is said.
    assert spent_by_scale(numbers, Fraction(n, n - 1), delta) == pytest.approx(would_be, abs=5e-5)


def test_neighbours_of_different_n_are_as_hard_to_tell_apart_as_it_says() -> None:
    rate, sigma = 0.2, 1.0
    # The law of a step, from what training does with five people of whom the last may not be there.
    one = StochasticGradient(rate=rate, sigma=sigma, steps=1)
    start, end, wide = (
        moved_by(one, counts, noise, all_take_part=there)
        for counts, noise, there in (([4, 0], 0.0, True), ([4, 1], 0.0, True), ([4, 1], 1.0, False))
    )
    assert start == 0
    assert wide == moved_by(one, [4, 0], 1.0)
    # In units of the noise; the last one takes part with this probability. Outputs in cells tell no more than outputs.
    shift = abs((end - start) / wide)
    edges = np.arange(-9, 9 + shift, 0.05)
    without, with_one = (np.diff(stats.norm.cdf(edges, at)) for at in (0.0, shift))
    mixed = (1 - rate) * without + rate * with_one
    # Each pull is the same wherever the parameters are, so that two steps are independent.
    p, q = (np.outer(each, each).ravel() for each in (mixed, without))
    delta = 1e-3
    epsilon = StochasticGradient(rate=rate, sigma=sigma, steps=2).epsilon(delta=delta, accounting="pld")
    for factor, holds in ((1, True), (0.97, False)):
        needed = max(hockey_stick(p, q, factor * epsilon), hockey_stick(q, p, factor * epsilon))
        assert (needed <= delta) == holds


class Chance:
    """A generator, in which faults are planted."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def __getattr__(self, name: str) -> object:
        return getattr(self.generator, name)


class FixedBatches(Chance):
    def binomial(self, n: np.ndarray, rate: float) -> np.ndarray:
        return self.generator.multivariate_hypergeometric(n, round(rate * n.sum()))


class OneCoinForAllPatterns(Chance):
    def binomial(self, n: np.ndarray, rate: float) -> np.ndarray:
        return n * self.generator.binomial(1, rate)


class OneNoiseForAllCoefficients(Chance):
    def standard_normal(self, size: int) -> np.ndarray:
        return np.full(size, self.generator.standard_normal())


class OneNoiseForAllSteps(Chance):
    def standard_normal(self, size: int) -> np.ndarray:
        self.kept = self.__dict__.get("kept", self.generator.standard_normal(size))
        return self.kept


class SameSeedInEveryStep(Chance):
    """Each step draws its batch, then its noise."""

    def __init__(self, generator: np.random.Generator) -> None:
        super().__init__(generator)
        self.state = generator.bit_generator.state

    def binomial(self, n: np.ndarray, rate: float) -> np.ndarray:
        self.generator.bit_generator.state = self.state
        return self.generator.binomial(n, rate)


class NoNoise(Chance):
    def standard_normal(self, size: int) -> np.ndarray:
        return np.zeros(size)


def ends_of_two_steps(people: int, fault: type[Chance], *, quiet: bool, runs: int) -> np.ndarray:
    """Where two coefficients end after two steps, of two kinds of people who pull at one coefficient each.

    In numbers of pulls, for half of the people to take part; without noise, or in standard deviations of it with
    nobody who pulls.
    """
    counts = np.array([people - people // 2, people // 2])
    pulls = np.eye(2) if quiet else np.zeros((2, 2))
    learner = StochasticGradient(rate=0.5, sigma=1.0, steps=2)
    root = np.random.default_rng([20_364, people])
    ends = []
    for generator in root.spawn(runs):
        drawn = fault(NoNoise(generator) if quiet else generator)
        end = learner.train(
            FixedGradients(), (pulls, np.ones(2), counts), np.zeros(2), 1.0, drawn, expected_size=EXPECTED
        )
        ends.append(-end * 0.5 * EXPECTED)
    return np.array(ends)


def p_value_of_batches(people: int, fault: type[Chance]) -> float:
    """In both steps each takes part by a fair coin of his own: two binomial numbers, even half of the time."""
    ends = np.rint(ends_of_two_steps(people, fault, quiet=True, runs=150)).astype(int)
    of_each = [2 * (people - people // 2), 2 * (people // 2)]
    ones = [stats.binom(of, 0.5) for of in of_each]
    # By thirds of either, so that there are enough in each of the nine cells.
    cuts = [[one.ppf(1 / 3), one.ppf(2 / 3)] for one in ones]
    chances = [np.diff([0, *one.cdf(cut), 1]) for one, cut in zip(ones, cuts, strict=True)]
    cells = [np.searchsorted(cut, ends[:, place]) for place, cut in enumerate(cuts)]
    seen = np.zeros((3, 3))
    np.add.at(seen, tuple(cells), 1)
    expected = 150 * np.outer(*chances)
    kept = expected > 0
    even = stats.binomtest(int((ends % 2 == 0).sum()), ends.size).pvalue
    return 2 * min(float(stats.chisquare(seen[kept], expected[kept]).pvalue), float(even))


def p_value_of_noise(people: int, fault: type[Chance]) -> float:
    """Of two steps it is normal with variance 2 in each coefficient, and so are their sum and their difference."""
    one, other = ends_of_two_steps(people, fault, quiet=False, runs=160).T / math.sqrt(2)
    squares = [float(way @ way) for way in (one, other, (one + other) / math.sqrt(2), (one - other) / math.sqrt(2))]
    return 8 * min(float(min(stats.chi2.sf(square, 160), stats.chi2.cdf(square, 160))) for square in squares)


EVERY_N = (2, 3, 4, 10, 50, 149, 150, 151, 500)


@pytest.mark.uncounted
@pytest.mark.parametrize("n", EVERY_N)
def test_batches_are_by_everybodys_own_coin_and_noise_is_drawn_for_each_step_and_coefficient(n: int) -> None:
    assert p_value_of_batches(n, Chance) > FALSE_ALARM_RATE / 20
    assert p_value_of_noise(n, Chance) > FALSE_ALARM_RATE / 20


def test_no_two_runs_end_alike_at_any_n() -> None:
    for n in range(1, 201):
        one, other = ends_of_two_steps(n, Chance, quiet=False, runs=2)
        assert (one != other).all(), n
    # The twin: nobody pulls, and there is no noise.
    one, other = ends_of_two_steps(7, NoNoise, quiet=False, runs=2)
    assert (one == other).all()


@pytest.mark.uncounted
@pytest.mark.parametrize("n", [10, 150])
@pytest.mark.parametrize(
    ("fault", "p_value"),
    [
        (FixedBatches, p_value_of_batches),
        (OneCoinForAllPatterns, p_value_of_batches),
        (SameSeedInEveryStep, p_value_of_batches),
        (SameSeedInEveryStep, p_value_of_noise),
        (OneNoiseForAllSteps, p_value_of_noise),
        (OneNoiseForAllCoefficients, p_value_of_noise),
        (NoNoise, p_value_of_noise),
    ],
)
def test_chance_that_is_left_out_or_shared_is_caught(
    n: int, fault: type[Chance], p_value: Callable[[int, type[Chance]], float]
) -> None:
    assert p_value(n, fault) < FALSE_ALARM_RATE / 20


COUNTS = [200, 700, 800, 300]


def table_of(risk: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x, y, _ = as_floats(risk, COUNTS)
    return x, y, np.array(COUNTS)


def test_with_little_noise_it_finds_the_minimum() -> None:
    risk = risk_of(domain_of(2), 2000, 0)
    learner = StochasticGradient(rate=0.5, sigma=0.2, steps=600)
    theta = learner.train(
        LogisticLoss(), table_of(risk), np.zeros(2), 4.0, np.random.default_rng(20_323), expected_size=2000
    )
    assert theta == pytest.approx(projected_descent(risk, COUNTS), abs=0.25)


def test_noise_has_sigma_clips() -> None:
    # Of a step from where a table of nobody has no gradient but noise.
    x, y, _ = table_of(risk_of(domain_of(2), 2000, 0))
    learner = StochasticGradient(rate=0.5, sigma=3.0, steps=1, clip=0.1)
    alone = np.array([1, 0, 0, 0])
    generator = np.random.default_rng(20_324)
    ends = [
        learner.train(LogisticLoss(), (x, y, alone), np.zeros(2), 0.5, generator, expected_size=1) for _ in range(1000)
    ]
    moved = np.array(ends)
    # A gradient of at most 0.1 with probability 1/2, and noise of 0.3, all divided by 1/2 and times 1/2.
    assert moved.std(axis=0) == pytest.approx([0.3, 0.3], rel=0.12)
    assert np.abs(moved.mean(axis=0)).max() < 0.1


def test_a_network_learns_what_no_linear_model_can() -> None:
    # The outcome is whether two predictors differ.
    domain = domain_of(2, 2)
    x = np.array([row for _ in domain.targets for row in domain.features], dtype=np.float64)
    y = np.repeat([-1.0, 1.0], 4)
    counts = np.array([500, 0, 0, 500, 0, 500, 500, 0])
    loss, generator = TwoLayerLoss(4), np.random.default_rng(20_325)
    learner = StochasticGradient(rate=0.5, sigma=1.0, steps=1500)
    start = generator.standard_normal(4 * (x.shape[1] + 1))
    theta = learner.train(loss, (x, y, counts), start, 5.0, generator, expected_size=2000)
    assert (np.sign(loss.scores(theta, x)) == y)[counts > 0].all()


@pytest.mark.parametrize(
    ("wrong", "value"),
    [("rate", 0), ("rate", 1.1), ("rate", math.nan), ("sigma", 0.1), ("sigma", math.nan), ("steps", 0), ("clip", 0)],
)
def test_terms_that_are_none_are_refused_by_name(wrong: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{wrong} must be"):
        StochasticGradient(**{"rate": 0.1, "sigma": 1.0, "steps": 1, wrong: value})


@pytest.mark.parametrize("size", [0, -1, math.nan, math.inf])
def test_an_expected_size_that_is_none_is_refused(size: float) -> None:
    table = (np.zeros((1, 1)), np.ones(1), np.ones(1, dtype=int))
    with pytest.raises(ValueError, match=r"^expected_size"):
        OF_REFERENCE.train(LogisticLoss(), table, np.zeros(1), 1.0, np.random.default_rng(1), expected_size=size)


def test_orders_and_deltas_beyond_the_formula_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^order .*1"):
        OF_REFERENCE.renyi_divergence(1)
    for delta in (0, 1, math.nan):
        with pytest.raises(ValueError, match=r"^delta"):
            OF_REFERENCE.epsilon(delta=delta)
