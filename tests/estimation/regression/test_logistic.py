import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation.regression.logistic import LogisticFit, fit_logistic
from surveys.privacy.designs import forced_response, from_matrix, mangat
from tests.estimation.regression.data import Floats, column, predictors, sigmoid
from tests.property_profile import examples

ONES = np.ones((20, 1))
LINE = np.column_stack([np.ones(20), np.arange(20.0)])
MIXED = np.array([1, 0, 1, 1, 0, 0, 0, 1, 0, 1] * 2)


def planted(n: int, beta: list[float], slope: float, offset: float, seed: int) -> tuple[Floats, Floats]:
    """X and reports of a known logistic model."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n), rng.random(n) < 0.4])
    return x, (rng.random(n) < offset + slope * sigmoid(x @ np.array(beta))).astype(float)


def nothing_but_certainty(fit: LogisticFit) -> bool:
    """Whether the fit says in every way that there is no finite maximum."""
    kinds = ("observed", "expected", "opg", "sandwich")
    return fit.separated and not fit.converged and all(np.isnan(fit.standard_errors(kind)).all() for kind in kinds)


@pytest.mark.parametrize("column_number", [0, 1, 2])
def test_no_value_of_a_coefficient_is_likelier_than_the_estimate(column_number: int) -> None:
    y, x = column("y_forced"), predictors()
    fit = fit_logistic(y, x, (0.75, 0.125))

    def log_likelihood(beta: Floats) -> float:
        yes = 0.125 + 0.75 * sigmoid(x @ beta)
        return float((y * np.log(yes) + (1 - y) * np.log(1 - yes)).sum())

    assert log_likelihood(fit.coefficients) == pytest.approx(fit.log_likelihood, rel=1e-12)
    for shift in (-1e-3, 1e-3):
        assert log_likelihood(fit.coefficients + shift * np.eye(3)[column_number]) < fit.log_likelihood
    assert fit.fitted == pytest.approx(sigmoid(x @ fit.coefficients), rel=1e-12)


def test_direct_answers_are_ordinary_logistic_regression() -> None:
    y, x = column("z_true"), predictors()
    fit = fit_logistic(y, x, (1, 0))
    # Its likelihood equations: the truths and their fitted probabilities agree in every column.
    assert x.T @ (y - fit.fitted) == pytest.approx(0, abs=1e-9)
    # Only there observed and expected information are the same.
    assert fit.covariance("expected") == pytest.approx(fit.covariance("observed"), rel=1e-10)
    weight = fit.fitted * (1 - fit.fitted)
    assert np.linalg.inv(fit.covariance()) == pytest.approx(x.T @ (x * weight[:, np.newaxis]), rel=1e-9)


def test_randomized_and_direct_rows_mix() -> None:
    direct, randomized = column("z_true")[:300], column("y_forced")[300:]
    y, x = np.append(direct, randomized), predictors()
    slope, offset = np.repeat([1, 0.75], [300, 500]), np.repeat([0, 0.125], [300, 500])
    both = fit_logistic(y, x, (slope, offset))
    identity = from_matrix([[1, 0], [0, 1]])
    by_design = fit_logistic(y, x, [identity] * 300 + [forced_response("3/4")] * 500)
    assert both.converged
    assert by_design.coefficients == pytest.approx(both.coefficients, rel=1e-9)
    # They tell more than either part alone.
    parts = [
        fit_logistic(y[:300], x[:300], identity),
        fit_logistic(y[300:], x[300:], forced_response("3/4")),
    ]
    for part in parts:
        assert (both.standard_errors() < part.standard_errors()).all()


def test_equal_designs_that_are_different_objects_are_as_one() -> None:
    y, x = column("y_forced")[:40], predictors()[:40]
    many = fit_logistic(y, x, tuple(forced_response("3/4") for _ in range(40)))
    assert many.coefficients.tolist() == fit_logistic(y, x, forced_response("3/4")).coefficients.tolist()


@examples(25)
@given(st.permutations(range(30)), st.data())
def test_whole_weights_are_duplicated_rows_in_any_order(order: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 3), min_size=30, max_size=30).filter(lambda drawn: sum(drawn) > 20))
    y, x = column("y_forced")[100:130], predictors("1,x1")[100:130]
    weighted = fit_logistic(y, x, (0.75, 0.125), weights=weights)
    rows = np.repeat(np.arange(30), weights)
    rows = np.concatenate([rows[rows == row] for row in order])
    duplicated = fit_logistic(y[rows], x[rows], (0.75, 0.125))
    assert weighted.log_likelihood == duplicated.log_likelihood
    assert weighted.converged == duplicated.converged
    assert len(weighted.fitted) == 30
    assert weighted.coefficients.tolist() == duplicated.coefficients.tolist()
    if weighted.converged:
        for kind in ("observed", "expected", "opg", "sandwich"):
            assert weighted.covariance(kind).tolist() == duplicated.covariance(kind).tolist()


def test_a_weight_of_zero_hides_even_what_would_be_refused() -> None:
    x = np.column_stack([LINE, np.append(np.ones(10), np.arange(10))])
    assert fit_logistic(MIXED, x, (0.5, 0.25), weights=[1] * 20).x.shape == (20, 3)
    with pytest.raises(ValueError, match=r"^column 2 .*combination"):
        fit_logistic(MIXED, x, (0.5, 0.25), weights=[1] * 10 + [0] * 10)
    alone = fit_logistic(MIXED, LINE, (0.5, 0.25), weights=[1] * 10 + [0] * 10)
    assert alone.coefficients.tolist() == fit_logistic(MIXED[:10], LINE[:10], (0.5, 0.25)).coefficients.tolist()
    assert alone.fitted.shape == (20,)


@pytest.mark.parametrize("unit", [1e-90, 1e-6, 1e9, 1e90])
def test_the_unit_of_a_predictor_only_rescales_its_coefficient(unit: float) -> None:
    y, x = column("y_forced"), predictors()
    plain, scaled = fit_logistic(y, x, (0.75, 0.125)), fit_logistic(y, x * [1, unit, 1], (0.75, 0.125))
    back = np.array([1, unit, 1])
    assert scaled.coefficients * back == pytest.approx(plain.coefficients, rel=1e-9)
    assert scaled.standard_errors() * back == pytest.approx(plain.standard_errors(), rel=1e-9)
    assert scaled.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-12)


def test_a_predictor_far_from_zero_is_no_less_exact() -> None:
    y, x = column("y_forced"), predictors("1,x1")
    plain, years = fit_logistic(y, x, (0.75, 0.125)), fit_logistic(y, x + np.array([0, 2e6]), (0.75, 0.125))
    assert years.coefficients[1] == pytest.approx(plain.coefficients[1], rel=1e-7)


@pytest.mark.parametrize("line", [(0.5, 0.25), (1, 0), (-0.6, 0.8), (0.7, 0.3)])
@pytest.mark.parametrize("report", [0, 1])
def test_when_all_report_the_same_no_truth_is_uncertain(line: tuple[float, float], report: int) -> None:
    fit = fit_logistic(np.full(20, report), ONES, line)
    slope, offset = line
    highest = max(offset, offset + slope) if report else 1 - min(offset, offset + slope)
    assert nothing_but_certainty(fit)
    assert fit.log_likelihood == pytest.approx(20 * np.log(highest), abs=1e-7)
    assert fit.fitted == pytest.approx(float((slope > 0) == (report == 1)), abs=1e-6)


def test_a_single_response_is_defined() -> None:
    assert nothing_but_certainty(fit_logistic([1], [[1]], (0.5, 0.25)))


def test_fewer_yes_than_chance_alone_gives_are_certainty_too() -> None:
    assert nothing_but_certainty(fit_logistic([1] + [0] * 19, ONES, (0.5, 0.25)))
    five = fit_logistic([1] * 6 + [0] * 14, ONES, (0.5, 0.25))
    assert five.converged
    assert five.fitted[0] == pytest.approx(0.1)


@pytest.mark.parametrize("line", [(1, 0), (0.5, 0.25)])
def test_separated_data_are_said_to_be_so(line: tuple[float, float]) -> None:
    fit = fit_logistic(LINE[:, 1] > 9.5, LINE, line)
    assert nothing_but_certainty(fit)
    assert fit.log_likelihood == pytest.approx(20 * np.log(sum(line)), abs=1e-7)
    assert np.isnan(fit.interval().low).all()
    # How strong the effect is at least, the likelihood does say.
    profile = fit.profile_interval(1)
    assert profile.low > 0
    assert profile.high == np.inf
    # The likelihood-ratio test needs no maximum at a finite place.
    without = fit_logistic(LINE[:, 1] > 9.5, ONES, line)
    test = fit.likelihood_ratio_test(1)
    assert test.statistic == pytest.approx(2 * (fit.log_likelihood - without.log_likelihood), rel=1e-9)


def test_a_group_that_only_says_yes_separates_although_others_do_not() -> None:
    x = np.column_stack([np.ones(30), np.arange(30) < 10])
    fit = fit_logistic(np.append(np.ones(10), MIXED), x, (1, 0))
    assert nothing_but_certainty(fit)
    assert fit.coefficients[0] == pytest.approx(0, abs=1e-6)


def test_mangats_design_rules_a_truth_out_and_still_fits() -> None:
    # A report of No is always true.
    fit = fit_logistic(np.repeat([1, 0], [14, 6]), ONES, mangat("1/2"))
    assert fit.converged
    assert fit.fitted[0] == pytest.approx((14 / 20 - 0.5) / 0.5)


X_TWO_MAXIMA = np.column_stack([np.ones(8), [1.1, -5.5, -0.6, 1.1, 0.8, -7.0, 1.2, -1.9]])
Y_TWO_MAXIMA = np.array([1, 1, 0, 0, 1, 0, 0, 0])


def fair_coins(beta: Floats) -> float:
    """The negative log-likelihood of the eight reports with two maxima."""
    yes = 0.25 + 0.5 * sigmoid(X_TWO_MAXIMA @ beta)
    return -float((Y_TWO_MAXIMA * np.log(yes) + (1 - Y_TWO_MAXIMA) * np.log(1 - yes)).sum())


def test_the_higher_of_two_maxima_is_found() -> None:
    lower = scipy.optimize.minimize(fair_coins, [-0.8, 0.1], tol=1e-10)
    fit = fit_logistic(Y_TWO_MAXIMA, X_TWO_MAXIMA, forced_response())
    assert lower.x == pytest.approx([-1.0115, 0.0780], abs=1e-3)
    assert -lower.fun == pytest.approx(-5.285915, abs=1e-5)
    assert fit.log_likelihood == pytest.approx(-5.228110, abs=1e-5)
    assert fit.coefficients == pytest.approx([-1.74145, 1.35772], abs=1e-4)
    assert fit.converged


@pytest.mark.parametrize("response", ["y_warner", "y_forced", "y_uqt", "y_tri", "y_mangat"])
def test_with_800_rows_random_starts_find_nothing_higher(response: str) -> None:
    slope, offset = {
        "y_warner": (0.6, 0.2),
        "y_forced": (0.75, 0.125),
        "y_uqt": (0.7, 0.12),
        "y_tri": (0.75, 0.25),
        "y_mangat": (0.7, 0.3),
    }[response]
    y, x = column(response), predictors()

    def value(beta: Floats) -> float:
        yes = (offset + slope * sigmoid(np.clip(x @ beta, -30, 30))).clip(1e-12, 1 - 1e-12)
        return -float((y * np.log(yes) + (1 - y) * np.log(1 - yes)).sum())

    fit = fit_logistic(y, x, (slope, offset))
    rng = np.random.default_rng(5)
    highest = max(-scipy.optimize.minimize(value, rng.normal(size=3) * 3).fun for _ in range(8))
    assert highest == pytest.approx(fit.log_likelihood, abs=1e-5)


def test_more_rows_than_the_starts_are_judged_on_come_to_the_same_maximum() -> None:
    x, y = planted(9_000, [-0.7, 0.5, 0.5], 0.75, 0.125, seed=3)
    many = fit_logistic(y, x, (0.75, 0.125))
    yes, shares = many.fitted, 0.125 + 0.75 * many.fitted
    score = x.T @ (0.75 * yes * (1 - yes) * (y - shares) / (shares * (1 - shares)))
    assert many.converged
    assert score == pytest.approx(0, abs=1e-7)
    # Planted coefficients lie within five standard errors: one run in a million misses.
    assert np.abs((many.coefficients - [-0.7, 0.5, 0.5]) / many.standard_errors()).max() < 5


def test_a_predictor_that_the_judged_rows_do_not_vary_in_is_fitted_all_the_same() -> None:
    x, y = planted(9_000, [-0.7, 0.5, 0.5], 0.75, 0.125, seed=4)
    rare = np.zeros(9_000)
    # The multiples of the golden ratio below 2,000 pass these rows by.
    judged = set((np.arange(2000) * ((5**0.5 - 1) / 2) % 1 * 9_000).astype(int))
    rare[[row for row in range(9_000) if row not in judged][::100]] = 1
    fit = fit_logistic(y, np.column_stack([x, rare]), (0.75, 0.125))
    assert fit.converged
    assert fit.likelihood_ratio_test(3).p_value > 1e-6


def test_a_wald_interval_is_the_coefficient_and_z_standard_errors() -> None:
    fit = fit_logistic(column("y_forced"), predictors(), (0.75, 0.125))
    interval = fit.interval(0.9, "sandwich")
    assert interval.high - fit.coefficients == pytest.approx(1.6448536 * fit.standard_errors("sandwich"), rel=1e-7)
    assert fit.coefficients - interval.low == pytest.approx(1.6448536 * fit.standard_errors("sandwich"), rel=1e-7)
    assert (interval.confidence_level, interval.method) == (0.9, "wald")
    assert fit.interval().low == pytest.approx(fit.coefficients - 1.959963985 * fit.standard_errors(), rel=1e-7)


def test_at_a_profile_limit_the_likelihood_ratio_test_just_rejects() -> None:
    y, x = column("y_forced"), predictors()
    fit = fit_logistic(y, x, (0.75, 0.125))
    interval = fit.profile_interval(1, 0.9)
    assert (interval.confidence_level, interval.method) == (0.9, "profile")
    assert interval.low < fit.coefficients[1] < interval.high
    for limit in (interval.low, interval.high):

        def value(others: Floats, limit: float = limit) -> float:
            yes = 0.125 + 0.75 * sigmoid(others[0] + limit * x[:, 1] + others[1] * x[:, 2])
            return -float((y * np.log(yes) + (1 - y) * np.log(1 - yes)).sum())

        constrained = -scipy.optimize.minimize(value, np.zeros(2), tol=1e-9).fun
        assert 2 * (fit.log_likelihood - constrained) == pytest.approx(2.705543454, rel=1e-5)


def test_a_profile_limit_is_infinite_where_the_likelihood_levels_off_too_early() -> None:
    # Seven Yes of twenty where chance alone gives five: that no truth is Yes is not ruled out.
    fit = fit_logistic([1] * 7 + [0] * 13, ONES, (0.5, 0.25))
    interval = fit.profile_interval(0)
    assert fit.converged
    assert interval.low == -np.inf
    assert fit.coefficients[0] < interval.high < np.inf


def test_several_columns_are_tested_together() -> None:
    y, x = column("y_forced"), predictors()
    fit = fit_logistic(y, x, (0.75, 0.125))
    together = fit.likelihood_ratio_test([1, 2])
    share = (y.mean() - 0.125) / 0.75
    alone = y.sum() * np.log(0.125 + 0.75 * share) + (1 - y).sum() * np.log(0.875 - 0.75 * share)
    assert together.statistic == pytest.approx(2 * (fit.log_likelihood - alone), rel=1e-9)
    assert together.degrees_of_freedom == 2
    assert together.p_value == pytest.approx(np.exp(-together.statistic / 2))
    everything = fit.likelihood_ratio_test([0, 1, 2])
    assert everything.degrees_of_freedom == 3
    assert everything.statistic == pytest.approx(2 * (fit.log_likelihood + 800 * np.log(2)), rel=1e-9)


def test_a_column_that_explains_nothing_has_a_statistic_of_zero_and_never_below() -> None:
    group = np.repeat([0, 1], 10)
    test = fit_logistic(np.tile([1, 0], 10), np.column_stack([np.ones(20), group]), (0.5, 0.25)).likelihood_ratio_test(
        1
    )
    assert 0 <= test.statistic < 1e-12
    assert test.p_value == pytest.approx(1)


def test_results_cannot_be_changed() -> None:
    fit = fit_logistic(MIXED, LINE, (0.5, 0.25))
    for array in (fit.coefficients, fit.fitted, fit.covariance(), fit.standard_errors(), fit.interval().low):
        assert not array.flags.writeable
