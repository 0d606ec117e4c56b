import itertools

import numpy as np
import pytest
import scipy.optimize

from surveys.estimation.regression.linear import fit_linear
from surveys.estimation.regression.normal_linear import NormalLinearFit, fit_linear_normal
from surveys.privacy.designs import Design, from_matrix
from tests.estimation.regression.data import Floats, gradient
from tests.estimation.regression.measured_data import (
    DIRECT,
    DIRECT_OF_THREE,
    OF_THREE,
    WARNER,
    Codes,
    planted,
    randomize,
)


def brute_force(y: Floats, x: Floats, reports: list[Codes], designs: list[Design], parameters: Floats) -> float:
    """The negative log-likelihood, truth by truth; parameters are those of X, effects, log σ, and logits of truths."""
    shape = [design.k for design in designs]
    truths = list(itertools.product(*(range(k) for k in shape)))
    width = x.shape[1] + sum(k - 1 for k in shape)
    logits = np.append(0, parameters[width + 1 :])
    prevalence = np.exp(logits) / np.exp(logits).sum()
    sigma = np.exp(parameters[width])
    total = np.zeros(y.size)
    for truth, share in zip(truths, prevalence, strict=True):
        effects = [float(answer == code) for answer, k in zip(truth, shape, strict=True) for code in range(1, k)]
        mean = x @ parameters[: x.shape[1]] + np.dot(effects, parameters[x.shape[1] : width])
        chance = np.exp(-(((y - mean) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
        for given, design, answer in zip(reports, designs, truth, strict=True):
            chance = chance * np.array(design.matrix, dtype=float)[given, answer]
        total += share * chance
    # An optimizer may try places where a density is 0 to the last bit.
    return -float(np.log(np.maximum(total, 1e-300)).sum())


def parameters_of(fit: NormalLinearFit) -> Floats:
    prevalence = fit.prevalence.ravel()
    return np.concatenate([fit.coefficients, [np.log(fit.residual_deviation)], np.log(prevalence[1:] / prevalence[0])])


def test_direct_answers_are_ordinary_least_squares() -> None:
    y, x, a, b, _ = planted(300, seed=0)
    fit = fit_linear_normal(y, x, [a, b], [DIRECT, DIRECT_OF_THREE])
    z = np.column_stack([x, a, b == 1, b == 2])
    coefficients, squares, _, _ = np.linalg.lstsq(z, y, rcond=None)
    assert fit.converged
    assert fit.coefficients == pytest.approx(coefficients, rel=1e-10)
    assert fit.residual_deviation == pytest.approx(np.sqrt(squares[0] / 300), rel=1e-10)
    assert fit.covariance() == pytest.approx(squares[0] / 300 * np.linalg.inv(z.T @ z), rel=1e-9)
    shares = np.array([[((a == i) & (b == j)).mean() for j in range(3)] for i in range(2)])
    assert fit.prevalence == pytest.approx(shares, rel=1e-10)
    normal = -150 * (np.log(2 * np.pi * squares[0] / 300) + 1)
    assert fit.log_likelihood == pytest.approx(normal + 300 * (shares * np.log(shares)).sum(), rel=1e-12)


def test_direct_rows_of_truths_that_never_occur_together_are_least_squares_too() -> None:
    y, x, a, b, _ = planted(300, seed=0)
    b = np.where(a == 1, 0, b)
    fit = fit_linear_normal(y, x, [a, b], [DIRECT, DIRECT_OF_THREE])
    z = np.column_stack([x, a, b == 1, b == 2])
    assert fit.coefficients == pytest.approx(np.linalg.lstsq(z, y, rcond=None)[0], rel=1e-10)
    assert fit.prevalence[1].tolist() == [a.mean(), 0, 0]
    assert fit.converged


def test_the_likelihood_is_the_sum_over_truths_and_no_optimizer_finds_a_higher_one() -> None:
    y, x, a, b, rng = planted(500, seed=1)
    reports, designs = [randomize(WARNER, a, rng), randomize(OF_THREE, b, rng)], [WARNER, OF_THREE]
    fit = fit_linear_normal(y, x, reports, designs)

    def value(parameters: Floats) -> float:
        return brute_force(y, x, reports, designs, parameters)

    ours = parameters_of(fit)
    assert value(ours) == pytest.approx(-fit.log_likelihood, rel=1e-12)
    assert fit.converged
    starts = (ours + rng.normal(size=11) * 0.3, np.zeros(11))
    optima = [scipy.optimize.minimize(value, start) for start in starts]
    assert min(result.fun for result in optima) == pytest.approx(-fit.log_likelihood, abs=1e-5)
    assert optima[0].x[:5] == pytest.approx(fit.coefficients, abs=1e-3)


def test_observed_standard_errors_are_those_of_numeric_second_derivatives() -> None:
    y, x, a, _, rng = planted(200, seed=2)
    reports = randomize(WARNER, a, rng)
    fit = fit_linear_normal(y, x, [reports], [WARNER])

    def value(parameters: Floats) -> float:
        return brute_force(y, x, [reports], [WARNER], parameters)

    hessian = gradient(lambda place: gradient(value, place, 1e-3), parameters_of(fit), 1e-3)
    covariance = np.linalg.inv(hessian)
    assert fit.standard_errors() == pytest.approx(np.sqrt(np.diagonal(covariance))[:3], rel=1e-4)


def test_the_planted_effect_is_found_that_least_squares_on_the_reports_draws_towards_zero() -> None:
    y, x, a, b, rng = planted(4000, seed=3)
    reported = [randomize(WARNER, a, rng), randomize(OF_THREE, b, rng)]
    fit = fit_linear_normal(y, x, reported, [WARNER, OF_THREE])
    off = (fit.coefficients - [1, 0.5, 1.5, -1, 2]) / fit.standard_errors()
    # Five standard errors: one run in a million misses.
    assert np.abs(off).max() < 5
    naive = np.linalg.lstsq(np.column_stack([x, reported[0], reported[1] == 1, reported[1] == 2]), y, rcond=None)[0]
    # The reports carry c = 1/2 of a, less what little they share with chance: less than 0.8 of 1.5 is left.
    assert naive[2] < 0.8
    assert abs(naive[2] - 1.5) > 5 * fit.standard_errors()[2]
    assert fit.prevalence.sum(axis=1) == pytest.approx([0.6, 0.4], abs=0.06)
    for kind in ("opg", "sandwich"):
        assert fit.standard_errors(kind) == pytest.approx(fit.standard_errors(), rel=0.15)


def test_a_single_yes_no_predictor_whose_report_rules_a_truth_out() -> None:
    y, x, a, _, rng = planted(400, seed=4)
    never_hides_yes = from_matrix([["1/2", 0], ["1/2", 1]])
    fit = fit_linear_normal(y, x, [randomize(never_hides_yes, a, rng)], [never_hides_yes])
    assert fit.converged
    assert fit.coefficients[2] == pytest.approx(1.5, abs=5 * fit.standard_errors()[2])


@pytest.mark.parametrize("unit", [1e-12, 1e9])
def test_the_likelihood_is_that_of_the_units_of_y(unit: float) -> None:
    y, x, a, _, rng = planted(200, seed=5)
    reports = [randomize(WARNER, a, rng)]
    plain, scaled = (fit_linear_normal(scale * y, x, reports, [WARNER]) for scale in (1.0, unit))
    assert scaled.log_likelihood == pytest.approx(plain.log_likelihood - 200 * np.log(unit), rel=1e-9)
    turned = fit_linear_normal(y, x, [1 - reports[0]], [WARNER])
    assert turned.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-10)


def test_an_answer_that_nobody_has_leaves_its_effect_unknown() -> None:
    y, x, _, _, _ = planted(60, seed=7)
    fit = fit_linear_normal(y, x, [np.zeros(60, dtype=int)], [WARNER])
    assert fit.prevalence.tolist() == [1, 0]
    assert not fit.converged
    assert np.isnan(fit.standard_errors()).all()
    assert fit.standard_errors().shape == (3,)
    assert np.isnan(fit.misfit.p_value)
    assert not fit.misfit.suspicious
    assert fit.coefficients[:2] == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0], rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_in_small_samples_no_truth_left_out_would_make_the_data_likelier(seed: int) -> None:
    y, x, a, b, rng = planted(45, seed=seed)
    reports, designs = [randomize(WARNER, a, rng), randomize(OF_THREE, b, rng)], [WARNER, OF_THREE]
    fit = fit_linear_normal(y, x, reports, designs)
    width = fit.coefficients.size

    def value(prevalence: Floats) -> float:
        logs = np.log(np.maximum(prevalence, 1e-300))
        rest = [np.log(fit.residual_deviation), *(logs[1:] - logs[0])]
        return -brute_force(y, x, reports, designs, np.append(fit.coefficients, rest))

    at = fit.prevalence.ravel()
    assert value(at) == pytest.approx(fit.log_likelihood, rel=1e-9)
    for truth in np.flatnonzero(at == 0):
        assert value((1 - 1e-4) * at + 1e-4 * np.eye(6)[truth]) < fit.log_likelihood
    assert fit.standard_errors().shape == (width,)


def test_an_interval_is_the_coefficient_and_z_standard_errors() -> None:
    y, x, a, _, rng = planted(200, seed=5)
    fit = fit_linear_normal(y, x, [randomize(WARNER, a, rng)], [WARNER])
    interval = fit.interval(0.9, "opg")
    assert interval.high == pytest.approx(fit.coefficients + 1.6448536 * fit.standard_errors("opg"), rel=1e-7)
    assert fit.interval().confidence_level == 0.95
    with pytest.raises(ValueError, match=r"^kind"):
        fit.standard_errors("expected")
    with pytest.raises(ValueError, match=r"^kind .*one of"):
        fit.standard_errors("other")


def test_a_y_that_the_answers_explain_without_error_is_refused() -> None:
    _, x, a, _, rng = planted(60, seed=8)
    reports = [randomize(WARNER, a, rng)]
    with pytest.raises(ValueError, match=r"^y is fitted"):
        fit_linear_normal(a.astype(float), x, reports, [WARNER])


def test_normal_errors_with_an_effect_do_not_look_like_a_misfit() -> None:
    y, x, a, b, rng = planted(400, seed=11)
    fit = fit_linear_normal(y, x, [randomize(WARNER, a, rng), randomize(OF_THREE, b, rng)], [WARNER, OF_THREE])
    misfit = fit.misfit
    assert not misfit.suspicious
    assert misfit.p_value == pytest.approx(min(1.0, 2 * min(misfit.effects, misfit.skewness)), rel=1e-12)
    assert 0.01 < misfit.effects < 1


def test_a_truth_that_depends_on_x_is_a_misfit_of_the_effects() -> None:
    rng = np.random.default_rng(12)
    x = np.column_stack([np.ones(3000), rng.normal(size=3000)])
    a = (rng.random(3000) < 1 / (1 + np.exp(-3 * x[:, 1]))).astype(np.int64)
    y = x @ [1, 0.5] + a + rng.normal(size=3000)
    reports = [randomize(WARNER, a, rng)]
    fit = fit_linear_normal(y, x, reports, [WARNER])
    assert fit.misfit.effects < 0.001
    assert fit.misfit.suspicious
    corrected = fit_linear(y, x, reports, [WARNER])
    assert np.abs((corrected.coefficients - [1, 0.5, 1]) / corrected.standard_errors()).max() < 4


def test_direct_answers_leave_two_estimates_nothing_to_differ_in_but_skewness_is_seen() -> None:
    y, x, a, b, rng = planted(300, seed=0)
    fit = fit_linear_normal(y, x, [a, b], [DIRECT, DIRECT_OF_THREE])
    assert fit.misfit.effects == 1
    z = np.column_stack([x, a, b == 1, b == 2])
    residual = y - z @ np.linalg.lstsq(z, y, rcond=None)[0]
    residual /= np.sqrt(np.mean(residual**2))
    # Of 300 normal errors, the mean of the third power varies by 6/300.
    z_skewness = np.mean(residual**3) / np.sqrt(6 / 300)
    assert fit.misfit.skewness == pytest.approx(2 * scipy.special.ndtr(-abs(z_skewness)), rel=0.1)
    skewed = fit_linear_normal(z @ np.ones(5) + rng.exponential(size=300), x, [a, b], [DIRECT, DIRECT_OF_THREE])
    assert skewed.misfit.skewness < 1e-6


def test_where_the_reports_alone_say_nothing_only_the_shape_is_tested() -> None:
    rng = np.random.default_rng(5)
    a = (rng.random(80) < 0.08).astype(np.int64)
    x, y = np.ones((80, 1)), 1 + 6 * a + rng.normal(size=80)
    reports = [randomize(WARNER, a, rng)]
    assert np.isnan(fit_linear(y, x, reports, [WARNER]).coefficients).all()
    fit = fit_linear_normal(y, x, reports, [WARNER])
    assert fit.converged
    assert np.isnan(fit.misfit.effects)
    assert fit.misfit.p_value == 2 * fit.misfit.skewness < 1


def test_results_cannot_be_changed() -> None:
    y, x, a, _, rng = planted(50, seed=10)
    fit = fit_linear_normal(y, x, [randomize(WARNER, a, rng)], [WARNER])
    for array in (fit.coefficients, fit.prevalence, fit.covariance()):
        assert not array.flags.writeable


def test_the_sum_over_truths_of_the_tests_is_a_probability() -> None:
    # Over both reports, the brute-force density of y is that of the mixture of two normal distributions.
    grid = np.linspace(-9, 9, 201)
    parameters = np.array([0.3, 1.1, -0.2, 0.4])
    one = np.ones((1, 1))
    density = [
        np.exp(-brute_force(np.array([y]), one, [np.array([report])], [WARNER], parameters))
        for report in (0, 1)
        for y in grid
    ]
    assert sum(density) * (grid[1] - grid[0]) == pytest.approx(1, abs=1e-6)
