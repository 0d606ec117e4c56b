import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.learn.learners.chains import ContinuousExponential, MarkovDraws, RegularizedExponential, draw_by_metropolis
from surveys.learn.learners.losses import GeneralLinearLoss, LogisticLoss, SquaredLoss, hinge_loss
from surveys.learn.learners.reference import projected_descent
from surveys.privacy.accounting.gaussian import analytic_gaussian_sigma
from surveys.privacy.loss import PrivacyLoss
from tests.golden import values
from tests.learn.learners.risks import mean_loss, risk_of
from tests.privacy.chance import FALSE_ALARM_RATE
from tests.privacy.learning.learners import CONSTANT, domain_of

GOLDEN = values("learning")["regularized"]
MILLIONTH = Fraction(1, 10**6)


def of_reference(**other: object) -> RegularizedExponential:
    given = {"n": GOLDEN["n"], "lipschitz": GOLDEN["lipschitz"], "mu": "0.01", "epsilon": 1, "delta": MILLIONTH}
    return RegularizedExponential(**{**given, **other})


def test_k_is_that_of_the_reference() -> None:
    assert analytic_gaussian_sigma(1, 1e-6) == pytest.approx(GOLDEN["sigma_a"], abs=5e-5)
    assert of_reference().k == pytest.approx(GOLDEN["k"], abs=5e-3)
    assert of_reference().loss == PrivacyLoss(Fraction(1), MILLIONTH)


def log_density_on_a_grid(risk: Callable[[np.ndarray], np.ndarray], factor: float) -> tuple[np.ndarray, np.ndarray]:
    theta = np.linspace(-12, 12, 4801)
    log_p = -factor * risk(theta)
    log_p -= log_p.max()
    return theta, log_p - math.log(np.exp(log_p).sum())


@pytest.mark.parametrize("factor", [1, 6])
def test_neighbours_are_as_hard_to_tell_apart_as_it_says(factor: int) -> None:
    # Two linear losses, ±G·θ for one of n: normal densities, moved by as much as the theorem allows.
    learner = of_reference(n=50, mu=1, delta=Fraction(1, 1000))
    p, q = (
        log_density_on_a_grid(lambda theta, s=sign: s * theta / 50 + theta**2 / 2, learner.k * factor)[1]
        for sign in (1, -1)
    )
    delta = np.maximum(np.exp(p) - math.e * np.exp(q), 0).sum()
    assert (delta <= 1e-3 * (1 + 1e-6)) == (factor == 1)
    assert factor > 1 or delta > 0.99e-3


def test_draws_are_normal_where_the_mean_loss_is_a_parabola_and_not_with_the_sign_of_the_note() -> None:
    # A minus before the ridge would make the precision k(1 − μ).
    huber = GeneralLinearLoss(knots=((-4, -4), (4, 4)), of_margin=False)
    risk = risk_of(CONSTANT, 1000, 0, huber)
    learner = RegularizedExponential(n=1000, lipschitz=4, mu=Fraction(1, 2), epsilon=1, delta=MILLIONTH)
    drawn = learner.draw(risk, [300, 700], np.random.default_rng(20_327))
    assert drawn.has_converged
    precision = learner.k * 1.5
    assert drawn.draws.mean() == pytest.approx(0.4 / 1.5, abs=6 / math.sqrt(precision * 64))
    assert drawn.draws.var() * precision == pytest.approx(1, abs=0.1)
    assert not 0.8 < drawn.draws.var() * learner.k * 0.5 < 1.2


def spread_at(n: int, *, bare: bool = False) -> float:
    """How widely chains end, in what the density of least squares makes of it: 1 of two parameters each."""
    risk = risk_of(domain_of(2), n, 0, SquaredLoss(2))
    learner = ContinuousExponential(n=n, lipschitz=3, radius=2, epsilon=Fraction(3000, n) + 1)
    drawn = learner.draw(risk, [n // 4] * 4, np.random.default_rng([20_333, n]), chains=60, steps=150)
    last = np.zeros_like(drawn.last) if bare else drawn.last
    x = np.array([row for row, _ in risk.rows], dtype=np.float64)
    precision = float(learner.eta) * n / 4 * x.T @ x
    return float(np.einsum("ci,ij,cj->", last, precision, last)) / (2 * 60)


@pytest.mark.uncounted
@pytest.mark.parametrize("n", [200, 400, 1000, 5000])
def test_draws_are_as_wide_as_the_density_at_every_n(n: int) -> None:
    # Sixty independent pairs of squares: χ² of 120, which is within these limits but once in a million.
    low, high = stats.chi2.ppf([FALSE_ALARM_RATE / 8, 1 - FALSE_ALARM_RATE / 8], 120) / 120
    assert low < spread_at(n) < high
    assert not low < spread_at(n, bare=True) < high


def test_least_squares_in_a_ball_have_the_precision_of_the_data() -> None:
    risk = risk_of(domain_of(2), 20_000, 0, SquaredLoss(2))
    learner = ContinuousExponential(n=20_000, lipschitz=3, radius=2, epsilon=2)
    drawn = learner.draw(risk, [5000] * 4, np.random.default_rng(20_328))
    x = np.array([row for row, _ in risk.rows], dtype=np.float64)
    precision = float(learner.eta) * 5000 * x.T @ x
    covariance = np.cov(drawn.draws.reshape(-1, 2).T)
    assert drawn.has_converged
    assert covariance @ precision == pytest.approx(np.eye(2), abs=0.15)
    # The twin: what the slide prints, precision as covariance.
    assert not np.allclose(covariance, precision, rtol=0.5)


def test_neighbours_of_the_exponential_mechanism_spend_epsilon_and_twice_as_much_with_the_slides_eta() -> None:
    learner = ContinuousExponential(n=100, lipschitz=1, radius=8, epsilon=1)
    for factor, most in ((1, 1.0), (2, 2.0)):
        p, q = (
            log_density_on_a_grid(
                lambda theta, k=k: np.where(
                    np.abs(theta) <= 8, k * np.logaddexp(0, theta) + (100 - k) * np.logaddexp(0, -theta), np.inf
                ),
                float(learner.eta) * factor,
            )[1]
            for k in (0, 1)
        )
        inside = np.isfinite(p)
        spent = np.abs(p[inside] - q[inside]).max()
        assert most / 2 * 0.7 < spent <= most
        assert (spent > 0.7) == (factor == 2)


def test_the_mean_excess_grows_with_the_dimension_as_the_theorem_and_not_the_slide_says() -> None:
    for predictors in ((2,), (3, 3)):
        domain = domain_of(*predictors)
        risk = risk_of(domain, 3000 * domain.cells, 0, SquaredLoss(2))
        counts = [3000] * domain.cells
        learner = ContinuousExponential(n=risk.n, lipschitz=3, radius=2, epsilon=1)
        drawn = learner.draw(risk, counts, np.random.default_rng(20_329), steps=1000)
        best = mean_loss(risk, counts, projected_descent(risk, counts, radius=2, steps=500))
        excess = np.mean(
            [mean_loss(risk, counts, theta) - best for theta in drawn.draws[::200].reshape(-1, domain.dimension)]
        )
        # Half of d/(ηn), for a parabola; without the d it would be half of 1/(ηn).
        assert 0.35 < excess / learner.utility(domain.dimension) <= 1
        assert excess > learner.utility(1) * 0.7


def test_the_regularized_one_falls_short_by_no_more_than_its_utility() -> None:
    risk = risk_of(CONSTANT, 1000, 0)
    drawn = of_reference().draw(risk, [300, 700], np.random.default_rng(20_330), steps=500)
    penalised = replace(risk, ridge=Fraction("0.01"))
    best = mean_loss(penalised, [300, 700], projected_descent(penalised, [300, 700]))
    excess = np.mean([mean_loss(penalised, [300, 700], theta) - best for theta in drawn.last])
    assert 0 < excess <= of_reference().utility(1)


def test_a_chain_within_tau_adds_tau_for_either_neighbour_to_delta() -> None:
    # One coin that attains ε; the draws of one neighbour are off by τ to the one side, those of the other to the other.
    odds, tau = 3, Fraction(1, 100)
    yes = {"exact": (Fraction(3, 4), Fraction(1, 4)), "drawn": (Fraction(3, 4) + tau, Fraction(1, 4) - tau)}
    delta = {name: one - odds * other for name, (one, other) in yes.items()}
    assert delta == {"exact": 0, "drawn": (1 + odds) * tau}


def test_all_chains_start_at_0() -> None:
    seen = []

    def log_density(theta: np.ndarray) -> np.ndarray:
        seen.append(theta.copy())
        return -(theta**2).sum(axis=1)

    draw_by_metropolis(log_density, 2, np.random.default_rng(1), chains=3, steps=4)
    assert (seen[0] == np.zeros((3, 2))).all()


def test_chains_that_have_not_left_where_they_start_look_alike() -> None:
    # Next to 0 there is a tenth of the density, and no move of theirs reaches the rest.
    def far_heap(theta: np.ndarray) -> np.ndarray:
        near, far = -(theta[:, 0] ** 2) / 0.02, -((theta[:, 0] - 9) ** 2) / 0.02
        return np.logaddexp(near + math.log(0.1), far + math.log(0.9))

    drawn = draw_by_metropolis(far_heap, 1, np.random.default_rng(20_332), chains=16, steps=2000, width=0.1)
    assert drawn.has_converged
    assert drawn.draws.max() < 4


def test_chains_that_have_not_met_are_not_called_converged() -> None:
    # Two heaps that no move reaches one from the other.
    def two_heaps(theta: np.ndarray) -> np.ndarray:
        return np.logaddexp(-((theta[:, 0] - 3) ** 2) / 0.02, -((theta[:, 0] + 3) ** 2) / 0.02)

    generator = np.random.default_rng(20_331)
    apart = draw_by_metropolis(two_heaps, 1, generator, chains=16, steps=400)
    together = draw_by_metropolis(lambda theta: -(theta[:, 0] ** 2) / 2, 1, generator, chains=16, steps=4000)
    assert apart.r_hat > 1.5
    assert not apart.has_converged
    assert together.has_converged
    assert 0.2 < together.acceptance < 0.4


def test_r_hat_is_that_of_its_definition() -> None:
    draws = np.array([[[0.0], [1.0]], [[1.0], [3.0]], [[0.0], [1.0]], [[2.0], [3.0]]])
    # Halves of two: variances 1/2, 2, 2, 2 and means 1/2, 2, 1, 2.
    expected = math.sqrt(1 / 2 + np.var([0.5, 2, 1, 2], ddof=1) / np.mean([0.5, 2, 2, 2]))
    assert MarkovDraws(draws, 1.0).r_hat == pytest.approx(expected)


def test_an_exact_draw_costs_epsilon() -> None:
    assert ContinuousExponential(n=1, lipschitz=1, radius=1, epsilon=1).loss == PrivacyLoss(Fraction(1))


def test_a_risk_that_does_not_fit_is_refused() -> None:
    generator, counts = np.random.default_rng(1), [300, 700]
    with pytest.raises(ValueError, match=r"^risk"):
        of_reference().draw(risk_of(CONSTANT, 1000), counts, generator)
    for wrong in ({"n": 999}, {"lipschitz": Fraction(1, 2)}):
        with pytest.raises(ValueError, match=r"^risk .*Lipschitz"):
            of_reference(**wrong).draw(risk_of(CONSTANT, 1000, 0, hinge_loss()), counts, generator)
    with pytest.raises(ValueError, match=r"^training_loss .*Lipschitz"):
        of_reference().draw(risk_of(CONSTANT, 1000, 0, SquaredLoss()), counts, generator)
    wider = ContinuousExponential(n=1000, lipschitz=3, radius=2, epsilon=1)
    with pytest.raises(ValueError, match=r"^training_loss .*2\.0"):
        wider.draw(risk_of(CONSTANT, 1000, 0, SquaredLoss(bounded_by=1)), counts, generator)


@pytest.mark.parametrize("name", ["n", "lipschitz", "mu", "epsilon", "delta"])
def test_terms_that_are_none_are_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        of_reference(**{name: 0})
    if name in {"n", "lipschitz", "epsilon"}:
        with pytest.raises(ValueError, match=f"{name} must be"):
            ContinuousExponential(**{"n": 1, "lipschitz": 1, "radius": 1, "epsilon": 1, name: 0})


def test_a_delta_of_1_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^delta"):
        of_reference(delta=1)


def test_logistic_loss_is_the_default_of_a_risk() -> None:
    assert risk_of(CONSTANT, 1000).training_loss == LogisticLoss()
