"""Where a regression on randomized predictors has no finite maximum, too few respondents, or wrong arguments."""

import warnings

import numpy as np
import pytest

from surveys.estimation.regression.randomized_predictors import (
    RandomizedPredictorsFit,
    fit_logistic_randomized_predictors,
)
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk
from tests.estimation.regression.latent_data import survey

KINDS = ("observed", "expected", "opg", "sandwich")
COIN = forced_response("3/4")
SURE = from_matrix([[1, 0], [0, 1]])


def fitted(table: list[list[int]], design: Design = COIN) -> RandomizedPredictorsFit:
    """The fit to a table of reports, the predictor's in rows and the outcome's in columns."""
    counts = np.array(table)
    z, y = np.indices(counts.shape).reshape(2, -1)
    return fit_logistic_randomized_predictors(y, design, [z], [design], weights=counts.ravel())


@pytest.fixture(autouse=True)
def _no_warnings() -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_a_perfect_predictor_has_no_finite_effect() -> None:
    fit = fitted([[400, 0], [0, 400]], SURE)
    assert fit.separated
    assert not fit.converged
    for kind in KINDS:
        assert np.isnan(fit.standard_errors(kind)).all()
        assert np.isnan(fit.interval(kind=kind).low).all()
    limits = fit.profile_interval(1)
    assert limits.low > 0
    assert limits.high == np.inf
    assert fit.likelihood_ratio_test(1).statistic == pytest.approx(2 * 800 * np.log(2), rel=1e-6)


def test_twelve_reports_rule_no_effect_out() -> None:
    limits = fitted([[2, 3], [3, 4]]).profile_interval(1)
    assert (limits.low, limits.high) == (-np.inf, np.inf)


def test_more_agreement_than_chance_allows_is_fitted_as_a_certainty() -> None:
    fit = fitted([[490, 10], [10, 490]])
    assert fit.separated
    assert not fit.converged
    assert fit.fitted[0, 0] < 1e-3
    assert fit.fitted[0, 1] > 1 - 1e-3
    assert np.isfinite(fit.coefficients).all()


def test_a_truth_that_nobody_seems_to_have_has_no_effect_to_estimate_and_the_others_keep_theirs() -> None:
    sure, data = from_matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), survey(3, 400, (2,), 2)
    three = data.true_predictors[0] * 2
    fit = fit_logistic_randomized_predictors(data.y, data.design, [three], [sure], data.x)
    two = fit_logistic_randomized_predictors(data.y, data.design, data.true_predictors, [SURE], data.x)
    assert fit.converged
    assert np.isnan(fit.coefficients).tolist() == [False, False, True, False]
    assert fit.coefficients[[0, 1, 3]] == pytest.approx(two.coefficients, rel=1e-8)
    for kind in KINDS:
        errors = fit.standard_errors(kind)
        assert np.isnan(errors).tolist() == [False, False, True, False]
        assert errors[[0, 1, 3]] == pytest.approx(two.standard_errors(kind), rel=1e-7)
    assert np.isnan(fit.profile_interval(2).low)
    assert np.isfinite(fit.profile_interval(3).low)
    assert fit.likelihood_ratio_test(2).statistic == pytest.approx(0, abs=1e-7)


def test_a_truth_rarer_than_chance_alone_makes_its_report_is_taken_for_impossible() -> None:
    fit = fitted([[300, 300], [30, 30]])
    assert fit.truths.tolist() == [[1.0, 0.0]]
    assert fit.converged
    assert np.isnan(fit.coefficients).tolist() == [False, True]
    assert fit.coefficients[0] == pytest.approx(0, abs=1e-8)


def test_two_predictors_that_never_differ_cannot_be_told_apart() -> None:
    rng = np.random.default_rng(2)
    z, y = rng.integers(0, 2, size=300), rng.integers(0, 2, size=300)
    fit = fit_logistic_randomized_predictors(y, COIN, [z, z], [SURE, SURE])
    assert np.isnan(fit.coefficients).tolist() == [False, True, True]
    assert np.isfinite(fit.standard_errors()[0])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_any_few_reports_lead_to_a_fit_without_a_warning(n: int, seed: int) -> None:
    data = survey(seed, n, (2, 3), 1, truthful="1/2")
    fit = data.fit()
    assert np.isfinite(fit.log_likelihood)
    assert fit.log_likelihood_bound >= fit.log_likelihood
    assert np.isfinite(fit.truths).all()
    assert fit.truths.sum() == pytest.approx(1)
    assert np.isfinite(fit.fitted).all()
    for kind in KINDS:
        assert not np.isinf(fit.standard_errors(kind)).any()
    assert fit.likelihood_ratio_test([1]).statistic >= 0


def test_reports_in_too_many_ways_to_sum_over_have_no_expected_information(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("surveys.estimation.regression.reported_patterns.MOST_CELLS", 10)
    y, z, weights = [1, 2, 1, 2], [0, 0, 1, 1], [50, 40, 35, 60]
    fit = fit_logistic_randomized_predictors(y, kuk("3/4", "1/4", 3), [z], [COIN], weights=weights)
    assert fit.converged
    assert np.isfinite(fit.standard_errors("opg")).all()
    with pytest.raises(ValueError, match=r"^kind"):
        fit.standard_errors("expected")
    monkeypatch.setattr("surveys.estimation.regression.reported_patterns.MOST_CELLS", 7)
    with pytest.raises(ValueError, match=r"^predictors .*4 .*1 rows"):
        fit_logistic_randomized_predictors(y, kuk("3/4", "1/4", 3), [z], [COIN], weights=weights)


Y, Z = [0, 1, 1, 0], [0, 1, 0, 1]
FOUR = from_matrix([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/8"], ["1/4", "1/4", "5/8"]])
BLIND = from_matrix([["1/2", "1/4", "3/8"], ["1/4", "1/2", "3/8"], ["1/4", "1/4", "1/4"]])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 1, 2, 0], COIN, [Z], [COIN]), {}, "^y .*0.*1"),
        (([], COIN, [Z], [COIN]), {}, "^y "),
        ((Y, "coin", [Z], [COIN]), {}, "^design .*Design"),
        ((Y, FOUR, [Z], [COIN]), {}, "option 1 is"),
        ((Y, COIN, Z, [COIN]), {}, "each predictor"),
        ((Y, COIN, None, None), {}, "each predictor"),
        ((Y, COIN, [Z], []), {}, "each predictor"),
        ((Y, COIN, [Z], ["coin"]), {}, r"^designs\[0\] .*Design"),
        ((Y, COIN, [Z, [0, 1, 2, 0]], [COIN, COIN]), {}, r"^predictors\[1\] .*0.*1"),
        ((Y, COIN, [Z, [0, 1]], [COIN, COIN]), {}, r"^predictors\[1\] .*4"),
        ((Y, COIN, [Z], [BLIND]), {}, r"^designs\[0\]: .*determine"),
        ((Y, COIN, [Z] * 7, [COIN] * 7), {}, "^predictors .*64.*128"),
        ((Y, COIN, [Z], [COIN], [1, 2, 3, 4]), {}, "^x .*4"),
        ((Y, COIN, [Z], [COIN], [[1], [2]]), {}, "^x .*4"),
        ((Y, COIN, [Z], [COIN], [["a"]] * 4), {}, "^x .*real"),
        ((Y, COIN, [Z], [COIN], [[1], [2], [np.nan], [4]]), {}, "^x .*finite"),
        ((Y, COIN, [Z], [COIN], [[0], [0], [0], [0]]), {}, "^x .*more"),
        ((Y, COIN, [Z], [COIN], [[0, 1], [0, 2], [0, 3], [0, 1]]), {}, "^column 1 .* 0 "),
        ((Y, COIN, [Z], [COIN], [[1], [2], [1], [2]]), {"option": 2}, "^option"),
        ((Y, COIN, [Z], [COIN]), {"weights": [1, 2]}, "^weights .*4"),
        ((Y, COIN, [Z], [COIN]), {"weights": [0, 0, 0, 0]}, "^weights .*4"),
    ],
)
def test_wrong_arguments_are_refused_by_name(
    arguments: tuple[object, ...], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        fit_logistic_randomized_predictors(*arguments, **options)


def test_more_distinct_rows_of_x_than_shares_can_be_estimated_for_are_refused() -> None:
    n, truths = 400, 4
    z = np.arange(n) % 2
    with pytest.raises(ValueError, match=rf"^x .* {1024 // truths} .* {truths} "):
        fit_logistic_randomized_predictors(z, COIN, [z, z], [COIN, COIN], np.arange(n)[:, np.newaxis])
    # Without randomized predictors there are no shares.
    assert fit_logistic_randomized_predictors(z, COIN, [], [], np.arange(n)[:, np.newaxis]).strata.shape == (n, 1)


@pytest.mark.parametrize("columns", [[], 3, -1, [0, 0], 1.5])
def test_only_coefficients_that_there_are_can_be_tested(columns: object) -> None:
    fit = survey(1, 200, (2,), 2).fit()
    with pytest.raises(ValueError, match=r"^columns"):
        fit.likelihood_ratio_test(columns)
    with pytest.raises(ValueError, match=r"^column .*0.*2"):
        fit.profile_interval(columns)


def test_an_option_of_a_spinner_with_many_answers_may_be_the_outcome() -> None:
    data = survey(2, 300, (2,), 2)
    y = np.random.default_rng(2).integers(0, 3, size=300)
    assert fit_logistic_randomized_predictors(y, k_ary(3, "1/2"), data.predictors, data.designs, data.x).n == 300
