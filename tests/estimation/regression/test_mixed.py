"""Several answers of each respondent: against brute force, without a random intercept, and at the boundary."""

import itertools
import math

import numpy as np
import pytest
import scipy

from surveys.estimation.regression import random_intercept
from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.mixed import MixedFit, boundary_p_value, fit_logistic_mixed
from surveys.estimation.regression.random_intercept import RandomInterceptModel, nodes_of
from surveys.privacy.designs import direct, forced_response, warner
from tests.estimation.regression.data import Floats, gradient, sigmoid
from tests.estimation.regression.repeated import grid_log_likelihood, long, repeated_reports
from tests.golden import cases

FAIR = (0.25, 0.75)


def fitted(n: int = 150, sigma: float = 1.5, seed: int = 1, ends: tuple[float, float] = (0.1, 0.9)) -> MixedFit:
    reports, z = repeated_reports(seed, n, np.array([-1.0, 0.0, 0.5]), sigma=sigma, ends=ends)
    y, x, people = long(reports, z)
    return fit_logistic_mixed(y, x, (ends[1] - ends[0], ends[0]), people)


@pytest.mark.parametrize(("seed", "ends"), [(1, (0.1, 0.9)), (2, (0.0, 1.0)), (3, FAIR)])
def test_no_other_place_is_likelier_by_brute_force(seed: int, ends: tuple[float, float]) -> None:
    reports, z = repeated_reports(seed, 80, np.array([-1.0, 0.0, 0.5]), sigma=1.5, ends=ends)
    y, x, people = long(reports, z)
    fit = fit_logistic_mixed(y, x, (ends[1] - ends[0], ends[0]), people)
    optima = [
        scipy.optimize.minimize(lambda place: -grid_log_likelihood(place, reports, z, ends), [*np.zeros(4), start])
        for start in (-1.0, 1.0)
    ]
    best = min(optima, key=lambda optimum: optimum.fun)
    assert fit.converged
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert fit.coefficients == pytest.approx(best.x[:-1], abs=1e-3)
    assert fit.sigma == pytest.approx(math.exp(best.x[-1]), abs=1e-3)
    place = [*fit.coefficients, math.log(fit.sigma)]
    assert fit.log_likelihood == pytest.approx(grid_log_likelihood(place, reports, z, ends), abs=1e-9)


@pytest.mark.parametrize("sigma", [0.0, 0.7, -2.0])
def test_score_and_observed_information_are_the_derivatives(sigma: float) -> None:
    model = RandomInterceptModel(fitted().maxima.data)
    at = np.array([0.3, -0.4, 0.2, 0.5, sigma])
    ground = model.at(at)
    assert ground.score() == pytest.approx(gradient(lambda place: model.at(place).log_likelihood, at), abs=1e-5)
    assert ground.observed() == pytest.approx(-gradient(lambda place: model.at(place).score(), at), abs=1e-5)
    # Beside a fixed σ they are the same without its row and column.
    fixed = RandomInterceptModel(fitted().maxima.data, sigma).at(at[:-1])
    assert fixed.score() == pytest.approx(ground.score()[:-1])
    assert fixed.observed() == pytest.approx(ground.observed()[:-1, :-1])
    assert np.linalg.eigvalsh(ground.definite()).min() > 0


def test_respondents_in_blocks_make_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    model, at = RandomInterceptModel(fitted().maxima.data), np.array([0.3, -0.4, 0.2, 0.5, 1.0])
    whole = model.at(at).observed()
    monkeypatch.setattr(random_intercept, "BLOCK", 1)
    assert model.at(at).observed() == pytest.approx(whole)


def integral(eta: Floats, chances: Floats, sigma: float, u: Floats, weights: Floats) -> float:
    yes = sigmoid(eta[:, np.newaxis] + sigma * u)
    return float((chances[:, :1] * (1 - yes) + chances[:, 1:] * yes).prod(axis=0) @ weights)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("reports", [2, 4, 8, 30])
@pytest.mark.parametrize("ends", [FAIR, (0.0, 1.0)], ids=["randomized", "direct"])
def test_the_quadrature_is_off_by_less_than_1_in_10_to_the_10(
    ends: tuple[float, float], reports: int, sigma: float
) -> None:
    generator = np.random.default_rng(7)
    nodes, weights = nodes_of(sigma, reports)
    fine = np.linspace(-12, 12, 200_001)
    density = np.exp(-(fine**2) / 2)
    for _ in range(5):
        eta, yes = 2 * generator.normal(size=reports), generator.random(reports) < 0.5
        chances = np.where(yes[:, np.newaxis], ends, 1 - np.array(ends))
        exact = integral(eta, chances, sigma, fine, density / density.sum())
        assert integral(eta, chances, sigma, nodes, weights) == pytest.approx(exact, rel=1e-10)


def test_gauss_hermite_with_as_many_nodes_is_less_exact() -> None:
    generator, fine = np.random.default_rng(7), np.linspace(-12, 12, 200_001)
    density = np.exp(-(fine**2) / 2)
    nodes, weights = nodes_of(3.0, 4)
    hermite, shares = np.polynomial.hermite_e.hermegauss(nodes.size)
    rules = [(nodes, weights), (hermite, shares / shares.sum())]
    worst = np.zeros(2)
    for _ in range(30):
        eta, yes = 2 * generator.normal(size=4), generator.random(4) < 0.5
        chances = np.where(yes[:, np.newaxis], (0.0, 1.0), (1.0, 0.0))
        exact = integral(eta, chances, 3.0, fine, density / density.sum())
        off = [abs(integral(eta, chances, 3.0, *rule) / exact - 1) for rule in rules]
        worst = np.maximum(worst, off)
    assert worst[0] < 1e-11
    assert worst[1] > 1e-7


def independent_reports() -> tuple[list[int], list[list[int]], list[int], list[float]]:
    """Two questions whose answers are exactly independent for both values of the predictor."""
    reports, x, people, weights = [], [], [], []
    for person, (z, first, second) in enumerate(itertools.product((0, 1), repeat=3)):
        shares = [0.25 + 0.5 * float(sigmoid(intercept + 0.8 * z)) for intercept in (-0.9, 0.1)]
        weight = 500 * math.prod(
            share if yes else 1 - share for share, yes in zip(shares, (first, second), strict=True)
        )
        reports += [first, second]
        x += [[1, 0, z], [0, 1, z]]
        people += [person, person]
        weights += [weight, weight]
    return reports, x, people, weights


def test_without_anything_in_common_it_is_the_regression_of_all_answers_together() -> None:
    reports, x, people, weights = independent_reports()
    fit = fit_logistic_mixed(reports, x, forced_response(), people, weights=weights)
    pooled = fit_logistic(reports, x, forced_response(), weights=weights)
    assert fit.sigma == 0.0
    assert fit.converged
    assert fit.coefficients == pytest.approx(pooled.coefficients, rel=1e-9)
    assert fit.log_likelihood == pytest.approx(pooled.log_likelihood, rel=1e-12)
    assert fit.standard_errors() == pytest.approx(pooled.standard_errors(), rel=1e-6)
    assert fit.fitted == pytest.approx(pooled.fitted)
    assert fit.sigma_test().p_value == 1.0
    assert fit.sigma_interval().low == 0.0
    assert fit.intraclass_correlation == 0.0
    assert fit.median_odds_ratio == 1.0


def test_what_people_share_is_measured_in_three_ways() -> None:
    fit = fitted()
    variance = fit.sigma**2
    assert fit.intraclass_correlation == pytest.approx(variance / (variance + math.pi**2 / 3))
    pairs = np.random.default_rng(5).normal(size=(2, 200_000)) * fit.sigma
    assert fit.median_odds_ratio == pytest.approx(np.median(np.exp(np.abs(pairs[0] - pairs[1]))), rel=0.02)
    limits, shares = fit.sigma_interval(0.9), fit.intraclass_interval(0.9)
    assert 0 < limits.low < fit.sigma < limits.high
    assert shares.low == pytest.approx(limits.low**2 / (limits.low**2 + math.pi**2 / 3))
    assert shares.high == pytest.approx(limits.high**2 / (limits.high**2 + math.pi**2 / 3))
    assert shares.confidence_level == limits.confidence_level == 0.9


def test_each_report_has_its_share_among_all_people() -> None:
    fit = fitted()
    b = np.random.default_rng(6).normal(size=400_000) * fit.sigma
    assert fit.fitted[0] == pytest.approx(sigmoid(fit.coefficients[0] + b).mean(), abs=3e-3)


def test_limits_of_sigma_are_where_the_test_begins_to_reject() -> None:
    fit = fitted(n=400)
    limits = fit.sigma_interval()
    for limit, inwards in ((limits.low, 1.01), (limits.high, 0.99)):
        assert fit.sigma_test(limit).p_value == pytest.approx(0.05, abs=1e-6)
        assert fit.sigma_test(limit * inwards).p_value > 0.05
        assert fit.sigma_test(limit / inwards).p_value < 0.05
    assert fit.sigma_test(fit.sigma).p_value == 1.0


def test_the_profile_of_sigma_is_the_highest_by_brute_force() -> None:
    ends = (0.1, 0.9)
    reports, z = repeated_reports(1, 80, np.array([-1.0, 0.0, 0.5]), sigma=1.5, ends=ends)
    y, x, people = long(reports, z)
    fit = fit_logistic_mixed(y, x, (0.8, 0.1), people)
    for sigma in (0.5, 3.0):
        best = scipy.optimize.minimize(
            lambda place, log_sigma: -grid_log_likelihood([*place, log_sigma], reports, z, ends),
            np.zeros(4),
            args=(math.log(sigma),),
        )
        assert fit.sigma_test(sigma).statistic == pytest.approx(2 * (fit.log_likelihood + best.fun), abs=1e-5)


def test_no_variance_is_tested_at_the_boundary_and_the_interval_begins_at_0_if_that_is_kept() -> None:
    begins = set()
    for seed in range(12):
        fit = fitted(sigma=0.6, seed=seed)
        test, limits = fit.sigma_test(), fit.sigma_interval()
        # Half χ²₀ and half χ²₁.
        assert test.p_value == pytest.approx(scipy.stats.chi2.sf(test.statistic, 1) / (2 if fit.sigma else 1))
        assert (limits.low == 0) == (test.p_value >= 0.05)
        begins.add(limits.low == 0)
    assert begins == {True, False}


@pytest.mark.parametrize("tau", [0.0, 0.3, 1.0, 1.5, 2.5, 4.0])
def test_one_in_twenty_is_rejected_if_the_estimate_is_normal_but_never_below_0(tau: float) -> None:
    """40,000 draws: a share outside .045 to .055 is more than four and a half standard deviations of .0011 away.

    Above the estimate it rejects less than that, as χ²₁ is used there; alone it would reject .025 near 0.
    """
    z = tau + np.random.default_rng(8).normal(size=40_000)
    estimate = np.maximum(z, 0)
    roots, at_0 = (np.sqrt((z - value) ** 2 - (z - estimate) ** 2) for value in (tau, 0.0))
    rejected = np.array(
        [
            boundary_p_value(root, zero - root, below=below) < 0.05
            for root, zero, below in zip(roots, at_0, tau < estimate, strict=True)
        ]
    )
    on_the_right = rejected[tau < estimate].sum() / z.size
    assert rejected.mean() < 0.055
    assert on_the_right == pytest.approx(on_the_right_of(tau), abs=0.004)


def on_the_right_of(tau: float) -> float:
    """How often Z lies so far above τ that the value is rejected: .05 at 0, .025 far away."""
    root = scipy.optimize.brentq(lambda root: boundary_p_value(root, tau, below=True) - 0.05, 1.0, 3.0)
    return float(scipy.stats.norm.sf(root))


def test_between_0_and_far_away_the_test_is_between_one_and_two_sided() -> None:
    assert [round(on_the_right_of(tau), 3) for tau in (0.0, 0.5, 1.0, 2.0, 5.0)] == [0.05, 0.049, 0.034, 0.025, 0.025]


def test_equal_respondents_are_one_of_more_weight_in_whatever_order() -> None:
    reports, z = repeated_reports(4, 90, np.array([-1.0, 0.5]), slope=0.5, sigma=1.0, ends=(0.1, 0.9))
    y, x, people = long(reports, z)
    fit = fit_logistic_mixed(y, x, (0.8, 0.1), people)
    order = np.random.default_rng(9).permutation(y.size)
    names = np.array([f"person {number}" for number in people])
    again = fit_logistic_mixed(y[order], x[order], (0.8, 0.1), names[order])
    assert again.coefficients == pytest.approx(fit.coefficients, rel=1e-9)
    patterns, counts = np.unique(np.column_stack([reports, z]), axis=0, return_counts=True)
    y, x, people = long(patterns[:, :2], patterns[:, 2])
    weighted = fit_logistic_mixed(y, x, (0.8, 0.1), people, weights=np.repeat(counts, 2))
    assert weighted.coefficients == pytest.approx(fit.coefficients, rel=1e-9)
    assert weighted.sigma == pytest.approx(fit.sigma, rel=1e-9)
    assert weighted.standard_errors("sandwich") == pytest.approx(fit.standard_errors("sandwich"), rel=1e-6)


def test_skipped_questions_have_no_row_and_weight_0_leaves_a_respondent_out() -> None:
    reports, z = repeated_reports(4, 90, np.array([-1.0, 0.5, 0.0]), slope=0.5, sigma=1.0, ends=(0.1, 0.9))
    y, x, people = long(reports, z)
    skipped = np.random.default_rng(3).random(y.size) < 0.2
    designs = [warner("9/10")] * int((~skipped).sum())
    fit = fit_logistic_mixed(y[~skipped], x[~skipped], designs, people[~skipped])
    assert fit.converged
    more = np.append(y[~skipped], [1, 1]), np.vstack([x[~skipped], x[:2]]), np.append(people[~skipped], [-1, -1])
    weights = np.append(np.ones(len(designs)), [0, 0])
    assert fit_logistic_mixed(
        more[0], more[1], warner("9/10"), more[2], weights=weights
    ).log_likelihood == pytest.approx(fit.log_likelihood, rel=1e-12)


def test_a_column_is_tested_by_fitting_without_it() -> None:
    reports, z = repeated_reports(1, 150, np.array([-1.0, 0.0, 0.5]), sigma=1.5, ends=(0.1, 0.9))
    y, x, people = long(reports, z)
    fit, without = (fit_logistic_mixed(y, columns, (0.8, 0.1), people) for columns in (x, x[:, :3]))
    test = fit.likelihood_ratio_test(3)
    assert test.statistic == pytest.approx(2 * (fit.log_likelihood - without.log_likelihood), rel=1e-6)
    assert fit.likelihood_ratio_test([0, 1, 2, 3]).statistic > test.statistic


def test_the_sandwich_is_of_respondents_and_there_is_no_expected_information() -> None:
    fit = fitted(n=1500)
    assert fit.standard_errors("sandwich") == pytest.approx(fit.standard_errors(), rel=0.1)
    assert fit.standard_errors("opg") == pytest.approx(fit.standard_errors(), rel=0.1)
    with pytest.raises(ValueError, match="kind must not be expected"):
        fit.covariance("expected")


def test_answers_that_always_agree_have_no_largest_sigma() -> None:
    reports, people = [0, 0, 1, 1], [0, 0, 1, 1]
    fit = fit_logistic_mixed(reports, [[1]] * 4, direct(), people, weights=[30, 30, 20, 20])
    assert not fit.converged
    assert fit.separated
    assert np.isnan(fit.standard_errors()).all()
    limits = fit.sigma_interval()
    assert limits.low > 2
    assert limits.high == math.inf
    assert fit.intraclass_interval().high == 1.0
    assert fit.sigma_test().p_value < 1e-9


def test_a_question_that_nobody_truly_answers_yes_to_has_no_coefficient() -> None:
    reports, z = repeated_reports(1, 150, np.array([-1.0, 0.0, 0.5]), sigma=1.0, ends=(0.0, 1.0))
    reports[:, 0] = 0
    y, x, people = long(reports, z)
    fit = fit_logistic_mixed(y, x, direct(), people)
    assert not fit.converged
    assert fit.separated
    assert np.isnan(fit.standard_errors()).all()
    assert fit.sigma_interval().high > 0.5


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"respondents": [1, 2, 3, 4]}, "respondents must name at least one of them twice"),
        ({"respondents": [1, 1, 2]}, "respondents must be 4 numbers or names"),
        ({"respondents": [1, 1, 2, math.nan]}, "respondents must be 4 numbers or names"),
        ({"respondents": [1, 1, None, "x"]}, "respondents must be 4 numbers or names"),
        ({"respondents": [[1], [1], [2], [2]]}, "respondents must be 4 numbers or names"),
        ({"weights": [1, 2, 1, 1]}, "weights must be the same in all rows of a respondent"),
        ({"weights": [1, 1, 1, -1]}, "weights must be 4 finite numbers"),
        ({"reports": [0, 1, 2, 0]}, "reports must be integer codes"),
        ({"X": [[1, 1]] * 4}, "column 1 of X is a linear combination"),
        ({"design_or_slope_offset": (0.0, 0.5)}, "slope must not be 0"),
    ],
)
def test_bad_arguments_are_refused_by_name(changed: dict, message: str) -> None:
    given = {"reports": [0, 1, 1, 0], "X": [[1]] * 4, "design_or_slope_offset": direct(), "respondents": [1, 1, 2, 2]}
    with pytest.raises(ValueError, match=message):
        fit_logistic_mixed(**(given | changed))


@pytest.mark.parametrize("value", [-0.1, 17, math.nan, "1", None])
def test_a_value_of_sigma_is_from_0_to_16(value: object) -> None:
    with pytest.raises(ValueError, match="value must be from 0 to 16"):
        fitted().sigma_test(value)


def reference_data(case: dict) -> tuple[list[int], list[list[int]], list, list[int], list[int]]:
    """Return one row a report of a reference: the report, X, its design, who gave it and how many did."""
    reports, x, designs, people, weights = [], [], [], [], []
    cells = case["inputs"]["p1 of each question|male: reports to each question: people"]
    known = {"1": direct(), **{p: warner(p) for p in ("1/4", "3/4", "1/6", "5/6")}}
    every = [(key, pattern, count) for key, patterns in cells.items() for pattern, count in patterns.items()]
    for person, (key, pattern, count) in enumerate(every):
        probabilities, male = key.split("|")
        for question, (p, report) in enumerate(zip(probabilities.split(), pattern, strict=True)):
            if report == "-":
                continue
            reports.append(int(report))
            x.append([int(place == question) for place in range(len(pattern))] + [int(male)])
            designs.append(known[p])
            people.append(person)
            weights.append(count)
    return reports, x, designs, people, weights


@pytest.mark.parametrize("case", cases("mixed_regression", "ethbe"), ids=lambda case: case["id"])
def test_glmmrr_agrees_where_it_has_enough_nodes(case: dict) -> None:
    """On its own data: 694 people by crosswise designs and 710 asked directly, five questions each."""
    reports, x, designs, people, weights = reference_data(case)
    fit = fit_logistic_mixed(reports, x, designs, people, weights=weights)
    many, laplace = case["outputs"]["nAGQ25"], case["outputs"]["nAGQ1"]
    assert fit.log_likelihood == pytest.approx(many["logLik"], abs=1e-4)
    # It stops up to 3e-5 of a standard error from the maximum.
    assert fit.coefficients == pytest.approx(many["coef"], abs=5e-5)
    assert fit.sigma == pytest.approx(many["sigma"], abs=5e-5)
    assert fit.standard_errors() == pytest.approx(many["se"], rel=3e-3)
    # Laplace's approximation, its default, is another likelihood.
    assert abs(laplace["logLik"] - fit.log_likelihood) > 2
    assert abs(laplace["sigma"] - fit.sigma) > 0.05
    if case["id"] == "ethbe_crosswise":
        assert max(laplace["se"]) < 0.005
        assert min(fit.standard_errors()) > 0.3


def test_where_glmmrr_stops_at_some_sigma_there_is_none() -> None:
    """On its data of 404 people with one or two questions each, it stops at 53, and with 25 nodes at 15."""
    (case,) = cases("mixed_regression", "plagiarism")
    reports, x, designs, people, weights = reference_data(case)
    fit = fit_logistic_mixed(reports, x, designs, people, weights=weights)
    assert (case["outputs"]["nAGQ1"]["sigma"] > 50, case["outputs"]["nAGQ25"]["sigma"] > 15) == (True, True)
    assert not fit.converged
    assert fit.separated
    limits = fit.sigma_interval()
    assert 1.7 < limits.low < 1.9
    assert limits.high == math.inf
