"""Regressions of clusters and strata: R's figures, and the sandwich of fits without any."""

import numpy as np
import pytest

from surveys.estimation.regression.logistic import fit_logistic
from surveys.estimation.regression.randomized_predictors import fit_logistic_randomized_predictors
from surveys.estimation.weighting.raking import Margin, rake
from surveys.estimation.weighting.regression import (
    WeightedRegression,
    fit_logistic_randomized_predictors_weighted,
    fit_logistic_weighted,
)
from surveys.privacy.designs import direct, forced_response, k_ary
from tests.estimation.weighting.reference import DIRECT_INTERVAL, DIRECT_P, DRAWN, FIGURES, ONES, ROWS, TEST, WEIGHTS

COINS = forced_response()
X = np.column_stack([ONES, ROWS["x"], ROWS["group"]])
GIVEN = {"counts": ONES, "weights": WEIGHTS, **DRAWN}


def _holds_r(fit: WeightedRegression, name: str, exactness: float) -> None:
    expected = np.array([FIGURES[f"{name}.{number}"] for number in range(3)])
    assert fit.coefficients == pytest.approx(expected[:, 0], rel=exactness)
    assert fit.standard_errors() == pytest.approx(expected[:, 1], rel=exactness)


def test_of_direct_answers_it_is_svyglm() -> None:
    fit = fit_logistic_weighted(ROWS["direct"], X, direct(), **GIVEN)
    _holds_r(fit, "direct", 1e-9)
    assert fit.n == (ROWS["direct"] != 255).sum()
    assert fit.degrees_of_freedom == 12
    limits = fit.interval()
    assert np.column_stack([limits.low, limits.high]) == pytest.approx(DIRECT_INTERVAL, rel=1e-8)
    assert fit.p_values() == pytest.approx(DIRECT_P, rel=1e-7)
    test = fit.wald_test([1, 2])
    assert (test.statistic, test.p_value) == pytest.approx((TEST["F"], TEST["p"]), rel=1e-7)
    assert test.degrees_of_freedom == (2, 12)
    # The twin: the fit's own errors know neither weights nor clusters.
    assert fit.fit.standard_errors() != pytest.approx(fit.standard_errors(), rel=0.05)


def test_after_raking_it_is_svyglm_of_a_poststratified_sample() -> None:
    margin = Margin("sex in each arm", 2 * ROWS["arm"] + ROWS["sex"], np.array([80.0, 120.0, 80.0, 120.0]))
    weights = rake(ONES, [margin], WEIGHTS).weights
    fit = fit_logistic_weighted(ROWS["direct"], X, direct(), counts=ONES, weights=weights, margins=[margin], **DRAWN)
    _holds_r(fit, "direct.raked", 1e-8)


def test_of_coins_it_is_svyglm_with_their_link() -> None:
    _holds_r(fit_logistic_weighted(ROWS["coinx"], X, COINS, information="expected", **GIVEN), "coins", 1e-6)
    observed = fit_logistic_weighted(ROWS["coinx"], X, COINS, **GIVEN)
    expected = np.array([FIGURES[f"coins.{number}"][1] for number in range(3)])
    assert observed.standard_errors() == pytest.approx(expected, rel=0.5)


def test_without_clusters_it_is_the_sandwich() -> None:
    weights = np.ones(len(ONES))
    fit, plain = (
        fit_logistic_weighted(ROWS["coinx"], X, COINS, counts=ONES, weights=weights),
        fit_logistic(ROWS["coinx"], X, COINS),
    )
    n = len(ONES)
    assert fit.covariance() == pytest.approx(plain.covariance("sandwich") * n / (n - 1), rel=1e-8)
    assert fit.degrees_of_freedom == n - 3


def test_rows_that_are_left_out_stay_in_their_clusters() -> None:
    fit = fit_logistic_weighted(ROWS["direct"], X, direct(), **GIVEN)
    kept = ROWS["direct"] != 255
    without = fit_logistic_weighted(
        ROWS["direct"][kept], X[kept], [direct()] * int(kept.sum()), counts=ONES[kept], weights=WEIGHTS[kept],
        strata=ROWS["stratum"][kept], clusters=ROWS["cluster"][kept],
    )  # fmt: skip
    assert fit.standard_errors() == pytest.approx(without.standard_errors(), rel=1e-9)


def test_what_has_no_maximum_has_no_errors() -> None:
    fit = fit_logistic_weighted([0, 0, 1, 1], [[1, 0], [1, 0], [1, 1], [1, 1]], direct(), counts=[9, 9, 9, 9])
    assert fit.fit.separated
    assert np.isnan(fit.standard_errors()).all()
    assert np.isnan(fit.wald_test(1).p_value)


def test_with_fewer_clusters_than_coefficients_there_are_no_limits() -> None:
    clusters = np.arange(len(ONES)) % 3
    fit = fit_logistic_weighted(ROWS["coinx"], X, COINS, counts=ONES, clusters=clusters)
    assert fit.degrees_of_freedom == 0
    assert np.isnan(fit.interval().low).all()
    assert np.isnan(fit.p_values()).all()


class TestRandomizedPredictors:
    Y, Z = ROWS["coinx"], np.where(ROWS["arm"] == 0, ROWS["coin"], 255)
    GROUPS = ROWS["group"][:, np.newaxis]

    def test_predictors_that_are_seen_make_it_the_same(self) -> None:
        given = {"counts": ONES, "weights": WEIGHTS, **DRAWN}
        fit = fit_logistic_randomized_predictors_weighted(
            self.Y, COINS, [ROWS["sex"]], [direct()], self.GROUPS, **given
        )
        known = np.column_stack([ONES, ROWS["group"], ROWS["sex"]])
        plain = fit_logistic_weighted(self.Y, known, COINS, **given)
        assert fit.coefficients == pytest.approx(plain.coefficients, rel=1e-5)
        assert fit.covariance() == pytest.approx(plain.covariance(), rel=1e-4)
        assert fit.degrees_of_freedom == plain.degrees_of_freedom == 12

    def test_without_clusters_it_is_the_sandwich_of_efficient_scores(self) -> None:
        member = self.Z != 255
        fit = fit_logistic_randomized_predictors_weighted(self.Y, COINS, [self.Z], [COINS], self.GROUPS, counts=ONES)
        plain = fit_logistic_randomized_predictors(
            self.Y[member], COINS, [self.Z[member]], [COINS], self.GROUPS[member]
        )
        assert plain.converged
        n = len(ONES)
        assert fit.n == member.sum()
        assert fit.coefficients == pytest.approx(plain.coefficients)
        assert fit.covariance() == pytest.approx(plain.covariance("sandwich") * n / (n - 1), rel=1e-6)

    def test_it_is_about_one_of_several_answers_too(self) -> None:
        rows = np.arange(18)
        y, z = rows % 3, rows // 3 % 2
        counts = np.array([30, 12, 9, 14, 25, 11, 28, 16, 10, 12, 30, 9, 31, 11, 10, 15, 26, 12])
        design = k_ary(3, "2/3")
        fit = fit_logistic_randomized_predictors_weighted(
            y, design, [z], [COINS], counts=counts, option=2, clusters=rows // 6
        )
        assert fit.fit.converged
        assert np.isfinite(fit.standard_errors()).all()

    def test_an_answer_that_nobody_has_leaves_the_others_their_errors(self) -> None:
        rows = np.arange(12)
        y, z = rows % 2, rows // 2 % 3
        # Nobody reports the last of three answers that are sent as they are.
        counts = np.where(z == 2, 0, [60, 30, 40, 55, 1, 1] * 2)
        design = k_ary(3, "1/2")
        counts = np.where(z == 2, 20, counts + 60)
        fit = fit_logistic_randomized_predictors_weighted(y, COINS, [z], [design], counts=counts)
        silent = np.isnan(fit.coefficients)
        assert silent.tolist() == [False, False, True]
        assert np.isnan(fit.standard_errors()).tolist() == silent.tolist()
        assert fit.standard_errors()[:2] == pytest.approx(
            fit.fit.standard_errors("sandwich")[:2] * np.sqrt(counts.sum() / (counts.sum() - 1)), rel=1e-6
        )

    def test_what_has_no_maximum_has_no_errors(self) -> None:
        fit = fit_logistic_randomized_predictors_weighted([0, 1], direct(), [[0, 1]], [direct()], counts=[20, 20])
        assert np.isnan(fit.standard_errors()).all()


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        (lambda: fit_logistic_weighted([0, 1], [[1], [1]], COINS, counts=[5, 5], information="opg"), "information"),
        (lambda: fit_logistic_weighted([0, 1], [[1]], COINS, counts=[5, 5]), "X must have"),
        (lambda: fit_logistic_weighted([0, 2], [[1], [1]], COINS, counts=[5, 5]), "reports"),
        (
            lambda: fit_logistic_randomized_predictors_weighted([0, 1], COINS, [[0]], [COINS], counts=[5, 5]),
            "predictors",
        ),
        (
            lambda: fit_logistic_randomized_predictors_weighted([0, 1], COINS, 3, [COINS], counts=[5, 5]),  # type: ignore[arg-type]
            "predictors",
        ),
        (
            lambda: fit_logistic_randomized_predictors_weighted([0, 1], COINS, [[0, 0.5]], [COINS], counts=[5, 5]),  # type: ignore[list-item]
            "codes",
        ),
    ],
)
def test_what_is_wrong_is_named(wrong: object, names: str) -> None:
    with pytest.raises(ValueError, match=names):
        wrong()  # type: ignore[operator]
