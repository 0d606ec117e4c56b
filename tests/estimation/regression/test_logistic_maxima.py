"""Finite maxima, steps that are likelier, and weights in any unit."""

import numpy as np
import pytest

from surveys.estimation import fit_logistic
from surveys.estimation.regression import LogisticFit
from surveys.privacy.designs import forced_response
from tests.estimation.regression.data import Floats, column, fit_unrelated, predictors, sigmoid


def fair_coin_sample(seed: int, n: int = 100) -> tuple[Floats, Floats]:
    """X and reports of Pr(Yes) = σ((x − 1)/2) behind two coins."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    return x, (rng.random(n) < 0.25 + 0.5 * sigmoid(x @ np.array([-0.5, 0.5]))).astype(int)


def fair_coin_fit(seed: int, n: int = 100) -> LogisticFit:
    x, y = fair_coin_sample(seed, n)
    return fit_logistic(y, x, forced_response())


@pytest.mark.parametrize(("seed", "gap"), [(17, 0.544), (22, 0.780), (161, 1.602)])
def test_a_step_that_is_likelier_than_the_highest_finite_maximum_is_reported_beside_it(seed: int, gap: float) -> None:
    x, y = fair_coin_sample(seed)
    fit = fit_logistic(y, x, forced_response())
    rising = np.append(0, np.cumsum(np.log(3) * (2 * y[np.argsort(x[:, 1])] - 1.0)))
    none = np.where(y == 1, np.log(0.25), np.log(0.75)).sum()
    assert fit.converged
    assert not fit.separated
    assert fit.higher_at_infinity
    assert np.isfinite(fit.standard_errors()).all()
    # The best step of all 202, with Yes above or below one of the cuts.
    assert fit.log_likelihood_bound == pytest.approx(none + max(rising.max(), (rising[-1] - rising).max()), rel=1e-10)
    assert fit.log_likelihood_bound - fit.log_likelihood == pytest.approx(gap, abs=1e-3)


def test_of_a_large_sample_the_maximum_is_the_bound() -> None:
    for n in (800, 4000):
        fit = fair_coin_fit(3, n)
        assert not fit.higher_at_infinity
        assert fit.log_likelihood_bound == fit.log_likelihood


def test_many_rows_may_be_fitted_by_a_step_too() -> None:
    x = np.column_stack([np.ones(3000), np.linspace(-1, 1, 3000)])
    fit = fit_logistic(x[:, 1] > 0.5, x, (0.5, 0.25))
    assert fit.separated
    assert not fit.converged
    assert fit.log_likelihood_bound == pytest.approx(3000 * np.log(0.75), rel=1e-6)


def test_finite_maxima_are_compared_with_finite_maxima() -> None:
    x, y = fair_coin_sample(17)
    fit, yes = fit_logistic(y, x, forced_response()), y.mean()
    assert 0.25 < yes < 0.75
    nested = 100 * (yes * np.log(yes) + (1 - yes) * np.log(1 - yes))
    assert fit.likelihood_ratio_test(1).statistic == pytest.approx(2 * (fit.log_likelihood - nested), rel=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_no_ratio_of_likelihoods_is_negative(seed: int) -> None:
    test = fair_coin_fit(seed, n=25).likelihood_ratio_test(1)
    assert test.statistic >= 0
    assert 0 <= test.p_value <= 1


@pytest.mark.parametrize("unit", [1e-90, 1e-9, 1e-3, 1e3, 1e12, 1e90])
def test_the_unit_of_the_weights_only_rescales_the_standard_errors(unit: float) -> None:
    x, y = fair_coin_sample(5, n=400)
    plain, scaled = (fit_logistic(y, x, forced_response(), weights=np.full(400, w)) for w in (1.0, unit))
    assert plain.converged
    assert scaled.converged
    assert scaled.coefficients == pytest.approx(plain.coefficients, rel=1e-8)
    assert scaled.log_likelihood == pytest.approx(unit * plain.log_likelihood, rel=1e-10)
    for kind in ("observed", "expected", "opg", "sandwich"):
        assert scaled.standard_errors(kind) * np.sqrt(unit) == pytest.approx(plain.standard_errors(kind), rel=1e-8)
    assert scaled.likelihood_ratio_test(1).statistic == pytest.approx(unit * plain.likelihood_ratio_test(1).statistic)


@pytest.mark.parametrize("unit", [1e-9, 1e12])
def test_so_it_does_where_the_second_share_is_fitted_too(unit: float) -> None:
    y, x, p = column("y_uqtunk"), predictors(), np.where(column("group") == 1, 0.8, 0.3)
    plain, scaled = (fit_unrelated(y, x, p, weights=np.full(800, w)) for w in (1.0, unit))
    assert scaled.converged
    assert scaled.coefficients == pytest.approx(plain.coefficients, rel=1e-8)
    assert scaled.standard_errors() * np.sqrt(unit) == pytest.approx(plain.standard_errors(), rel=1e-8)
    assert not plain.higher_at_infinity


def test_a_certain_fit_to_two_questions_that_is_likelier_is_reported_beside_the_finite_maximum() -> None:
    rng = np.random.default_rng(11)
    x, p = np.column_stack([np.ones(40), rng.normal(size=40)]), np.repeat([0.8, 0.5], 20)
    fit = fit_unrelated(rng.random(40) < 0.4, x, p)
    assert fit.converged
    assert fit.higher_at_infinity
    assert fit.log_likelihood_bound - fit.log_likelihood == pytest.approx(0.5116, abs=1e-3)
    assert fit.likelihood_ratio_test(1).statistic >= 0
