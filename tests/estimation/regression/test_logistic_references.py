"""Against R's packages, and against the maximum they approach.

The packages stop when an iteration changes little. Their coefficients are up to 6e-5 of a standard error from the
maximum (RRreg; rr and GLMMRR 3e-6), their standard errors, partly from numeric derivatives, up to 5e-6 of themselves,
and RRreg's likelihood ratios up to 2e-9. `mle_reference.json` has the maximum itself, which we meet to 1e-10.
"""

import numpy as np
import pytest

from surveys.estimation.regression.logistic import LogisticFit, fit_logistic
from surveys.estimation.regression.two_groups import fit_logistic_two_groups
from surveys.privacy.designs import crosswise, forced_response, mangat, triangular, unrelated_question, warner
from tests.estimation.regression.data import column, fit_unrelated, predictors
from tests.golden import cases

DESIGNS = {
    "warner": warner("4/5"),
    "forced": forced_response("3/4"),
    "uqt": unrelated_question("7/10", "2/5"),
    "cross": crosswise("1/5"),
    "tri": triangular("1/4"),
    "mangat": mangat("7/10"),
}
PACKAGES_STOP = 1e-4
"""The packages' distance from the maximum, in standard errors: at most this."""
KINDS = {"se_observed": "observed", "se_expected": "expected", "se_opg": "opg", "se_sandwich_HC0": "sandwich"}


def fit_of(case: dict) -> LogisticFit:
    """Our fit of what a package fitted."""
    response = case["inputs"].get("response") or case["inputs"]["formula"].split(" ~ ")[0]
    names = case["outputs"]["coef"]
    x = predictors(",".join("1" if name == "(Intercept)" else name for name in names))
    return fit_logistic(column(response), x, DESIGNS[response.removeprefix("y_")])


def values(named: dict) -> np.ndarray:
    return np.array(list(named.values()))


@pytest.mark.parametrize("case", cases("mle_reference", "mle"), ids=lambda case: case["id"])
def test_the_maximum_and_all_four_standard_errors_equal_the_reference(case: dict) -> None:
    given, expected = case["inputs"], case["outputs"]
    fit = fit_logistic(column(given["response"]), predictors(given["X"]), (given["slope_c"], given["offset_d"]))
    assert fit.converged
    assert not fit.separated
    assert fit.coefficients == pytest.approx(expected["coef"], rel=1e-10)
    assert fit.log_likelihood == pytest.approx(expected["logLik"], rel=1e-12)
    for name, kind in KINDS.items():
        assert fit.standard_errors(kind) == pytest.approx(expected[name], rel=1e-10)
    assert fit.standard_errors().tolist() == fit.standard_errors("observed").tolist()


@pytest.mark.parametrize(
    "case",
    [case for case in cases("regression", "rrlog") if case["id"] != "rrlog_uqtunknown"],
    ids=lambda case: case["id"],
)
def test_rrreg_agrees(case: dict) -> None:
    expected = case["outputs"]
    fit = fit_of(case)
    errors = fit.standard_errors("observed")
    assert (fit.coefficients - values(expected["coef"])) / errors == pytest.approx(0, abs=PACKAGES_STOP)
    assert errors == pytest.approx(values(expected["se"]), rel=1e-5)
    assert fit.covariance() == pytest.approx(np.array(expected["vcov"]), rel=1e-4)
    # The log-likelihood is flat at its maximum: there the square of the distance counts, and ours is never below.
    assert 0 <= fit.log_likelihood - expected["logLik"] + 1e-10 <= 1e-8
    assert fit.fitted.mean() == pytest.approx(expected["pi_mean_fitted"], rel=1e-5)
    for number, name in enumerate(expected["deltaG2"]):
        test = fit.likelihood_ratio_test(number)
        assert test.degrees_of_freedom == 1
        assert test.statistic == pytest.approx(expected["deltaG2"][name], rel=1e-8)
        assert test.p_value == pytest.approx(expected["lr_p"][name], rel=1e-6)


def test_with_one_yes_no_predictor_the_maximum_has_a_closed_form() -> None:
    y, x2 = column("y_warner"), column("x2")
    shares = [(y[x2 == group].mean() - 0.2) / 0.6 for group in (0, 1)]
    logits = [np.log(share / (1 - share)) for share in shares]
    fit = fit_logistic(y, predictors("1,x2"), warner("4/5"))
    assert fit.coefficients == pytest.approx([logits[0], logits[1] - logits[0]], rel=1e-10)


@pytest.mark.parametrize("case", cases("regression", "rrreg"), ids=lambda case: case["id"])
def test_rr_agrees_in_both_kinds_of_standard_errors(case: dict) -> None:
    expected = case["outputs"]
    fit = fit_of(case)
    errors = fit.standard_errors("opg" if case["id"].endswith("opgse") else "observed")
    assert (fit.coefficients - values(expected["coef"])) / errors == pytest.approx(0, abs=PACKAGES_STOP)
    assert errors == pytest.approx(values(expected["se"]), rel=1e-5)
    assert fit.log_likelihood == pytest.approx(expected["logLik_recomputed"], rel=1e-12)


@pytest.mark.parametrize(
    "case",
    [case for case in cases("regression", "glmmrr") if case["inputs"]["link"] == "RRlink.logit"],
    ids=lambda case: case["id"],
)
def test_glmmrr_agrees_in_expected_standard_errors(case: dict) -> None:
    expected = case["outputs"]
    fit = fit_of(case)
    errors = fit.standard_errors("expected")
    assert (fit.coefficients - values(expected["coef"])) / errors == pytest.approx(0, abs=PACKAGES_STOP)
    assert errors == pytest.approx(values(expected["se_expected_info"]), rel=1e-5)
    assert -2 * fit.log_likelihood == pytest.approx(expected["deviance"], rel=1e-11)


def test_crosswise_same_is_a_line_with_a_negative_slope() -> None:
    same = fit_logistic(column("y_cross"), predictors(), crosswise("1/5"))
    falling = fit_logistic(column("y_cross"), predictors(), (-0.6, 0.8))
    assert falling.coefficients == pytest.approx(same.coefficients, rel=1e-9)


def test_rrreg_agrees_where_the_unrelated_rate_is_unknown() -> None:
    (case,) = cases("regression", "rrlog_uqtunknown")
    expected = case["outputs"]
    p = np.where(column("group") == 1, *case["inputs"]["p"])
    fit = fit_unrelated(column("y_uqtunk"), predictors(), p)
    assert fit.converged
    errors = fit.standard_errors("observed")
    ours = np.append(fit.coefficients, fit.second_share)
    assert (ours - values(expected["coef"])) / errors == pytest.approx(0, abs=PACKAGES_STOP)
    assert errors == pytest.approx(values(expected["se"]), rel=1e-5)
    assert fit.covariance() == pytest.approx(np.array(expected["vcov"]), rel=1e-4)
    assert 0 <= fit.log_likelihood - expected["logLik"] + 1e-10 <= 1e-8
    assert fit.fitted.mean() == pytest.approx(expected["pi_mean_fitted"], rel=1e-5)
    for number, name in enumerate(["(Intercept)", "x1", "x2"]):
        test = fit.likelihood_ratio_test(number)
        assert test.statistic == pytest.approx(expected["deltaG2"][name], rel=1e-8)
        assert test.p_value == pytest.approx(expected["lr_p"][name], rel=1e-6)


def test_rrreg_agrees_where_some_with_yes_do_not_say_so() -> None:
    (case,) = cases("regression", "two_groups_sld")
    expected = case["outputs"]
    probabilities = np.where(column("group") == 1, *case["inputs"]["p"])
    fit = fit_logistic_two_groups(
        "lie_detector", column("y_sld"), predictors(), np.column_stack([1 - probabilities, probabilities])
    )
    errors = fit.standard_errors("observed")
    assert (fit.estimates - values(expected["coef"])) / errors == pytest.approx(0, abs=PACKAGES_STOP)
    assert errors == pytest.approx(values(expected["se"]), rel=1e-4)
    assert 0 <= fit.log_likelihood - expected["logLik"] + 1e-10 <= 1e-8


def test_rrreg_agrees_where_some_say_no_whatever_they_are_told() -> None:
    (case,) = cases("regression", "two_groups_cdm")
    expected, (group, z, y, counts) = case["outputs"], np.array(case["inputs"]["rows"]).T
    forced = np.where(group == 1, *case["inputs"]["p"])
    x, ends = np.column_stack([np.ones(z.size), z]), np.column_stack([1 - forced, forced])
    fit = fit_logistic_two_groups("cheating_detection", y, x, ends, weights=counts)
    errors = fit.standard_errors("observed")
    assert (fit.estimates - values(expected["coef"])) / errors == pytest.approx(0, abs=PACKAGES_STOP)
    assert errors == pytest.approx(values(expected["se"]), rel=1e-4)
    assert 0 <= fit.log_likelihood - expected["logLik"] + 1e-9 <= 1e-8
