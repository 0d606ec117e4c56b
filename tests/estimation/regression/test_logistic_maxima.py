"""Finite maxima, steps that are likelier, and weights in any unit."""

import numpy as np
import pytest

from surveys.estimation.regression.logistic import LogisticFit, distinct, find_maxima, fit_logistic, only_hill
from surveys.estimation.regression.outcome import LogisticModel, Outcomes
from surveys.estimation.regression.rows import basis_of
from surveys.estimation.regression.scoring import ascend
from surveys.estimation.regression.starts import explore_starts
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


def coin_model(x: Floats, y: Floats, slope: float = 0.5) -> LogisticModel:
    """The reports of two answers behind coins that tell the truth with this probability."""
    low = (1 - slope) / 2
    outcomes = Outcomes(np.where(y == 1, low, 1 - low), np.where(y == 1, 1 - low, low), np.ones(len(y)))
    return LogisticModel(basis_of(x, outcomes.weights).rows, np.zeros(len(y)), outcomes)


def hump(seed: int, n: int) -> tuple[Floats, Floats]:
    """X and reports of truths that are Yes in the middle and No on both sides: two slopes fit about as well."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    return x, (rng.random(n) < 0.25 + 0.5 * sigmoid(4 - 4 * x[:, 1] ** 2)).astype(int)


@pytest.mark.parametrize(("seed", "gap"), [(2, 45.50), (3, 17.47), (5, 33.77)])
def test_of_many_rows_a_hill_that_the_climb_from_nowhere_passes_by_is_found(seed: int, gap: float) -> None:
    x, y = hump(seed, 3000)
    fit, nearest = fit_logistic(y, x, forced_response()), ascend(coin_model(x, y), np.zeros(2))
    assert fit.converged
    assert nearest.converged
    assert fit.log_likelihood - nearest.ground.log_likelihood == pytest.approx(gap, abs=1e-2)


@pytest.mark.parametrize("seed", [0, 1, 3, 5])
def test_where_a_way_falls_before_it_rises_all_starts_are_climbed_from(seed: int) -> None:
    model = coin_model(*hump(seed, 2000))
    assert len(explore_starts(model, 2).maxima) > 1
    assert only_hill(model, 2) is None


@pytest.mark.parametrize("seed", range(5))
def test_of_one_hill_the_climb_from_nowhere_is_enough(seed: int) -> None:
    model = coin_model(*fair_coin_sample(seed, 2000))
    place, every = only_hill(model, 2), explore_starts(model, 2)
    assert place is not None
    assert place == pytest.approx(every.best.parameters, abs=1e-6)
    assert every.infinity == []


def test_a_step_that_is_only_a_little_lower_leaves_all_starts_to_be_climbed_from() -> None:
    x, _ = fair_coin_sample(1, 2000)
    reports = (np.random.default_rng(1).random(2000) < 0.4 + 0.2 * sigmoid(x @ np.array([-0.5, 0.5]))).astype(int)
    model = coin_model(x, reports, 0.2)
    summit = ascend(model, np.zeros(2))
    step, _ = model.step([summit.parameters])
    assert summit.converged
    assert 0 < summit.ground.log_likelihood - model.at(step).log_likelihood < np.sqrt(2000)
    assert only_hill(model, 2) is None
    # In whatever unit the rows are weighed.
    for unit in (1e-6, 1e6):
        outcomes = Outcomes(model.outcomes.if_no, model.outcomes.if_yes, np.full(2000, unit))
        assert only_hill(LogisticModel(model.rows, model.shift, outcomes), 2) is None


def test_without_a_maximum_near_nowhere_all_starts_are_climbed_from() -> None:
    x = np.column_stack([np.ones(2000), np.linspace(-1, 1, 2000)])
    assert only_hill(coin_model(x, (x[:, 1] > 0.5).astype(int)), 2) is None


def test_maxima_of_many_rows_do_not_depend_on_their_order() -> None:
    x, y = fair_coin_sample(2, 2500)
    shuffled = np.random.default_rng(1).permutation(2500)
    one, other = fit_logistic(y, x, forced_response()), fit_logistic(y[shuffled], x[shuffled], forced_response())
    assert one.coefficients.tolist() == other.coefficients.tolist()
    assert one.covariance().tolist() == other.covariance().tolist()
    maxima, _ = find_maxima(one.x, one.outcomes)
    assert len(maxima.maxima) == 1


@pytest.mark.parametrize("large", [1.0, 1e20])
def test_rows_that_are_alike_count_together_and_others_never(large: float) -> None:
    # Beside the large number no sum of a row's numbers tells the small ones apart.
    x = np.array([[large, 1.0], [large, 0.0], [large, 1.0], [large, 2.0], [large, 0.0], [large, 3.0]])
    outcomes = Outcomes(np.full(6, 0.25), np.full(6, 0.75), np.array([1.0, 2.0, 4.0, 0.0, 8.0, 16.0]))
    rows, counted = distinct(x, outcomes)
    assert {small: weight for (_, small), weight in zip(rows, counted.weights, strict=True)} == {0: 10, 1: 5, 3: 16}
    assert counted.if_no.tolist() == [0.25] * 3
    assert counted.if_yes.tolist() == [0.75] * 3
