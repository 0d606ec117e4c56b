import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.learn.learners.losses import SquaredLoss
from surveys.learn.learners.objective import ObjectivePerturbation
from surveys.learn.learners.reference import as_floats, projected_descent
from surveys.privacy.loss import PrivacyLoss
from tests.golden import values
from tests.learn.learners.risks import risk_of
from tests.privacy.chance import FALSE_ALARM_RATE
from tests.privacy.learning.learners import domain_of

GOLDEN = values("learning")["objective"]
COUNTS = [20, 70, 80, 30]


@pytest.mark.parametrize("case", GOLDEN, ids=["enough ridge", "too little ridge"])
def test_epsilon_and_ridge_are_those_of_the_reference(case: dict[str, float]) -> None:
    learner = ObjectivePerturbation(
        n=case["n"], ridge=str(case["ridge"]), epsilon=str(case["epsilon"]), curvature=Fraction(case["c"])
    )
    assert learner.effective_epsilon == pytest.approx(case["effective_epsilon"], abs=5e-7)
    assert learner.added_ridge == pytest.approx(case["added_ridge"], abs=5e-7)
    assert learner.loss == PrivacyLoss(str(case["epsilon"]))


def largest_log_ratio(noise_epsilon: float, ridge: float, rows: list[tuple[float, float]]) -> float:
    """How much likelier a minimum is from one logistic row (x, y) than from another, of one parameter and n = 1.

    It is at θ where b is minus the slope of the risk, so its density is that of b times the second derivative.
    """
    theta = np.linspace(-200, 200, 200_001)

    def log_density(x: float, y: float) -> np.ndarray:
        p = 1 / (1 + np.exp(np.clip(x * y * theta, -500, 500)))
        b = x * y * p - ridge * theta
        return -noise_epsilon / 2 * np.abs(b) + np.log(ridge + x * x * p * (1 - p))

    densities = [log_density(x, y) for x, y in rows]
    return max(float((one - other).max()) for one in densities for other in densities)


ROWS = [(x, y) for x in (0.0, 0.25, 0.5, 1.0) for y in (-1.0, 1.0)]


@pytest.mark.parametrize(("ridge", "epsilon"), [(Fraction(5), "1/2"), (Fraction(1, 20), "1/2"), (Fraction(1, 3), 4)])
def test_no_minimum_is_likelier_than_it_says(ridge: Fraction, epsilon: object) -> None:
    learner = ObjectivePerturbation(n=1, ridge=ridge, epsilon=epsilon)
    spent = largest_log_ratio(learner.effective_epsilon, float(ridge) + learner.added_ridge, ROWS)
    assert 0.35 * float(learner.epsilon) < spent <= float(learner.epsilon)


def test_without_the_logarithm_it_spends_three_times_what_it_says() -> None:
    assert largest_log_ratio(0.5, 0.05, ROWS) == pytest.approx(1.676, abs=5e-4)


@pytest.mark.parametrize("ridge", [0.002, 0.05, 1.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 4.0])
def test_without_the_logarithm_it_spends_one_logarithm_more_at_most(ridge: float, epsilon: float) -> None:
    assert largest_log_ratio(epsilon, ridge, ROWS) <= epsilon + math.log1p(0.25 / ridge)
    # Where next to nothing is left for b, the Jacobian is all that tells, and it costs the whole logarithm.
    assert largest_log_ratio(1e-9, ridge, ROWS) > 0.99 * math.log1p(0.25 / ridge)


def test_the_jacobian_of_a_replaced_response_is_one_factor_and_not_its_square() -> None:
    # Exactly, of two parameters: what neighbours share, and each one's own response, whose loss bends by 0 to c.
    ridge, bend, directions = Fraction(1, 10), Fraction(1, 4), [(0, 0), (1, 0), (0, 1), ("3/5", "4/5"), ("4/5", "-3/5")]
    terms = [(share * bend, Fraction(x), Fraction(y)) for share in (0, Fraction(1, 3), 1) for x, y in directions]

    def determinant(*added: tuple[Fraction, Fraction, Fraction]) -> Fraction:
        xx, xy, yy = (sum((s * a[i] * a[j] for s, *a in added), Fraction(0)) for i, j in ((0, 0), (0, 1), (1, 1)))
        return (ridge + xx) * (ridge + yy) - xy**2

    most = max(
        determinant(shared, one) / determinant(shared, other) for shared in terms for one in terms for other in terms
    )
    assert most == 1 + bend / ridge


def test_a_fit_is_the_minimum_of_a_tilted_risk() -> None:
    # With hardly any noise it is the minimum itself; else moved by as much as the tilt says.
    risk = risk_of(domain_of(2), 200)
    exact = ObjectivePerturbation(n=200, ridge=risk.ridge, epsilon=Fraction(10**9))
    generator = np.random.default_rng(20_321)
    assert exact.fit(risk, COUNTS, generator) == pytest.approx(projected_descent(risk, COUNTS), abs=1e-8)
    noisy = replace(exact, epsilon=Fraction(1))
    minimum = projected_descent(risk, COUNTS)
    moved = [noisy.fit(risk, COUNTS, generator) - minimum for _ in range(100)]
    lengths = np.linalg.norm(moved, axis=1)
    # ‖b‖/n is 2d/(nε') on average, and second derivatives are between Λ and Λ + c.
    tilt = 2 * 2 / (200 * noisy.effective_epsilon)
    assert tilt / 0.35 < lengths.mean() < tilt / 0.1
    assert np.abs(np.mean(moved, axis=0)).max() < 6 * lengths.std() / math.sqrt(100)


Fault = Callable[[np.random.Generator], object]


def tilts_at(n: int, fits: int, fault: Fault = lambda generator: generator) -> np.ndarray:
    """b of minima of two parameters, at which the slope of the risk is −b/n."""
    risk = risk_of(domain_of(2), n)
    counts = [n // 4 + (cell < n % 4) for cell in range(4)]
    learner = ObjectivePerturbation(n=n, ridge=risk.ridge, epsilon=Fraction(1))
    x, y, weights = as_floats(risk, counts)
    ridge, tilts = float(risk.ridge) + learner.added_ridge, []
    for generator in np.random.default_rng([20_365, n]).spawn(fits):
        theta = learner.fit(risk, counts, fault(generator))
        tilts.append(-n * ((weights * risk.training_loss.slopes(x @ theta, y)) @ x + ridge * theta))
    return np.array(tilts)


def p_value_of_tilts(n: int, fault: Fault = lambda generator: generator) -> float:
    """b has a Gamma length, and any direction."""
    tilts = tilts_at(n, 40, fault)
    learner = ObjectivePerturbation(n=n, ridge=Fraction(1, 10), epsilon=Fraction(1))
    lengths = np.linalg.norm(tilts, axis=1)
    angles = np.arctan2(*np.transpose(tilts)) / (2 * math.pi) + 0.5
    law = stats.gamma(2, scale=2 / learner.effective_epsilon)
    together = int((np.prod(tilts, axis=1) > 0).sum())
    p_values = [stats.kstest(lengths, law.cdf), stats.kstest(angles, "uniform"), stats.binomtest(together, 40)]
    return 3 * min(float(test.pvalue) for test in p_values)


EVERY_N = (20, 21, 50, 149, 150, 151, 500)


@pytest.mark.uncounted
@pytest.mark.parametrize("n", EVERY_N)
def test_the_tilt_has_all_its_chance_at_every_n(n: int) -> None:
    assert p_value_of_tilts(n) > FALSE_ALARM_RATE / len(EVERY_N)


def test_no_two_tilts_are_alike_at_many_n() -> None:
    for n in range(20, 201, 4):
        one, other = tilts_at(n, 2)
        assert np.abs(one - other).min() > 1e-6, n
    # The twin.
    one, other = tilts_at(21, 2, NoTilt)
    assert np.abs(one - other).max() < 1e-6


class NoTilt:
    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def __getattr__(self, name: str) -> object:
        return getattr(self.generator, name)

    def gamma(self, shape: float, scale: float) -> float:
        return 1e-9


class OneForAllCoefficients(NoTilt):
    def standard_normal(self, size: int) -> np.ndarray:
        return np.full(size, self.generator.standard_normal())

    def gamma(self, shape: float, scale: float) -> float:
        return self.generator.gamma(shape, scale)


class OneSeed(NoTilt):
    def __init__(self, _generator: np.random.Generator) -> None:
        super().__init__(np.random.default_rng(1))

    def gamma(self, shape: float, scale: float) -> float:
        return self.generator.gamma(shape, scale)


@pytest.mark.uncounted
@pytest.mark.parametrize("fault", [NoTilt, OneForAllCoefficients, OneSeed])
def test_a_tilt_that_is_left_out_or_shared_is_caught(fault: type[NoTilt]) -> None:
    for n in (20, 150):
        assert p_value_of_tilts(n, fault) < FALSE_ALARM_RATE / len(EVERY_N)


def test_a_fit_with_too_little_ridge_has_more() -> None:
    risk = risk_of(domain_of(2), 200, "1/1000")
    learner = ObjectivePerturbation(n=200, ridge=risk.ridge, epsilon=Fraction(1, 10))
    assert learner.added_ridge > 0
    generator = np.random.default_rng(20_322)
    assert np.isfinite(learner.fit(risk, COUNTS, generator)).all()


@pytest.mark.parametrize("wrong", ["n", "ridge", "curvature", "lipschitz", "loss"])
def test_a_risk_of_other_constants_is_refused(wrong: str) -> None:
    risk = risk_of(domain_of(2), 200)
    learner = ObjectivePerturbation(n=200, ridge=risk.ridge, epsilon=Fraction(1))
    changed = {"n": 100, "ridge": Fraction(1, 3), "curvature": Fraction(1, 5), "lipschitz": Fraction(1, 2)}
    if wrong == "loss":
        risk = risk_of(domain_of(2), 200, loss=SquaredLoss())
    else:
        learner = replace(learner, **{wrong: changed[wrong]})
    pattern = "Lipschitz" if wrong == "loss" else "^risk .*n and ridge"
    with pytest.raises(ValueError, match=pattern):
        learner.fit(risk, COUNTS, np.random.default_rng(1))


def test_a_lipschitz_constant_of_a_ball_alone_is_refused() -> None:
    # With ε = 1/10 and 20 people a tilted minimum leaves the ball of radius 1 where the slope is steeper than 2.
    risk = risk_of(domain_of(2), 20, loss=SquaredLoss(bounded_by=Fraction(1)))
    learner = ObjectivePerturbation(
        n=20, ridge=risk.ridge, epsilon=Fraction(1, 10), curvature=Fraction(1), lipschitz=Fraction(2)
    )
    with pytest.raises(ValueError, match=r"^training_loss"):
        learner.fit(risk, [4, 6, 5, 5], np.random.default_rng(1))


@pytest.mark.parametrize("name", ["n", "ridge", "epsilon", "curvature", "lipschitz"])
def test_terms_that_are_none_are_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        ObjectivePerturbation(**{"n": 10, "ridge": 1, "epsilon": 1, name: 0})
