"""What a logistic regression refuses, and what it still takes."""

import numpy as np
import pytest

from surveys.estimation.regression.logistic import fit_logistic
from surveys.privacy.designs import k_ary, warner
from tests.estimation.regression.data import Floats
from tests.estimation.regression.test_logistic import LINE, MIXED, ONES, nothing_but_certainty


@pytest.mark.parametrize("columns", [[], [0, 0], 2, -1, [0, 5], True, [True], 1.5, "1", None, [[0]], [[0], [0, 1]]])
def test_only_columns_that_there_are_can_be_tested(columns: object) -> None:
    with pytest.raises(ValueError, match=r"^columns .*0.*1"):
        fit_logistic(MIXED, LINE, (0.5, 0.25)).likelihood_ratio_test(columns)


@pytest.mark.parametrize("column_number", [2, -1, True, 1.5, "1", None, [0], [0, 1], np.array([1])])
def test_one_column_that_there_is_has_a_profile(column_number: object) -> None:
    with pytest.raises(ValueError, match=r"^column .*0.*1"):
        fit_logistic(MIXED, LINE, (0.5, 0.25)).profile_interval(column_number)


def test_numpys_integers_number_columns_too() -> None:
    fit = fit_logistic(MIXED, LINE, (0.5, 0.25))
    test, interval = fit.likelihood_ratio_test(1), fit.profile_interval(1)
    for integer in (np.int64, np.uint8, np.array):
        assert fit.likelihood_ratio_test(integer(1)) == test
        assert fit.profile_interval(integer(1)).low == interval.low
    assert fit.likelihood_ratio_test(np.array([1, 0])) == fit.likelihood_ratio_test([0, 1])


def test_an_unknown_kind_of_standard_error_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^kind"):
        fit_logistic(MIXED, LINE, (0.5, 0.25)).standard_errors("robust")


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        ([], "^reports .*sequence"),
        ([[1, 0]], "^reports .*sequence"),
        (["1"] * 20, "^reports .*real"),
        ([[1, 0], [1]], "^reports .*real"),
        ([1j] * 20, "^reports .*real"),
        ([None] * 20, "^reports .*0.*1"),
        ([10**400] * 20, "^reports .*real"),
        (1, "^reports .*sequence"),
        ([2] + [0] * 19, "^reports .*0.*1"),
        ([-1] + [0] * 19, "^reports .*0.*1"),
        ([0.5] + [0] * 19, "^reports .*0.*1"),
        ([np.nan] + [0] * 19, "^reports .*0.*1"),
        ([np.inf] + [0] * 19, "^reports .*0.*1"),
    ],
)
def test_reports_are_zeros_and_ones(reports: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_logistic(reports, LINE, (0.5, 0.25))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.ones(20), "^X .*20"),
        ("a", "^X .*real"),
        ([[1, 2], [1]], "^X .*real"),
        (LINE * 1j, "^X .*real"),
        (np.ones((19, 1)), "^X .*20"),
        (np.ones((20, 0)), "^X .*20"),
        (LINE * np.nan, "^X .*finite"),
        (LINE + np.array([0, np.inf]), "^X .*finite"),
        (LINE * [1, 0], "^column 1 .* 0 "),
        (LINE * [0, 1], "^column 0 .* 0 "),
        (np.column_stack([LINE, LINE @ [3, -0.1]]), "^column 2 .*combination"),
        (np.column_stack([ONES, 7 * ONES, LINE[:, 1]]), "^column 1 .*combination"),
        (LINE * [1, 1e101], "squares"),
        (LINE * [1, 1e-103], "squares"),
        (np.random.default_rng(0).normal(size=(20, 21)), "^X .*many"),
    ],
)
def test_predictors_are_finite_and_independent(x: Floats, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_logistic(MIXED, x, (0.5, 0.25))


def test_as_many_columns_as_rows_are_still_fitted() -> None:
    assert nothing_but_certainty(fit_logistic([1, 0, 1], [[1, 0, 0], [1, 1, 0], [1, 0, 1]], (0.5, 0.25)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ((0, 0.5), "^slope .*0"),
        ((0.5, 0.6), "^offset .*probabilities"),
        ((0.5, -0.1), "^offset .*probabilities"),
        ((np.nan, 0.5), "^offset .*probabilities"),
        ((0.5, np.nan), "^offset .*probabilities"),
        ((np.full(19, 0.5), 0.25), "^slope and offset .*20"),
        ((0.5, np.full((20, 1), 0.25)), "^slope and offset .*20"),
        ((0.5, 0.25, 0.25), "^design_or_slope_offset .* 20 "),
        (("a", 0.25), "^slope"),
        ((0.5, [[1], [1, 2]]), "^offset"),
        (0.5, "^design_or_slope_offset .* 20 "),
        ([warner("3/4")] * 2, "^design_or_slope_offset .* 20 "),
        ([warner("3/4")] * 19 + [None], "^design_or_slope_offset .* 20 "),
        (k_ary(3), "slope and offset"),
    ],
)
def test_how_truths_became_reports_is_a_line_within_probabilities(line: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_logistic(MIXED, LINE, line)


def test_a_slope_and_an_offset_may_miss_one_by_their_rounding() -> None:
    fit = fit_logistic([1] * 17 + [0] * 3, ONES, (0.3 + 1e-13, 0.7))
    assert fit.fitted[0] == pytest.approx(0.5)
    fit = fit_logistic([1] * 6 + [0] * 14, ONES, (0.6 + 1e-13, -1e-13))
    assert fit.fitted[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("a", "^weights .*real"),
        ([1j] * 20, "^weights .*real"),
        ([[1], [1, 2]], "^weights .*real"),
        ([1e-100] * 20, "^weights .*unit"),
        ([1e100] * 20, "^weights .*unit"),
    ],
)
def test_weights_are_numbers_that_have_squares(weights: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_logistic(MIXED, LINE, (0.5, 0.25), weights=weights)


@pytest.mark.parametrize(
    "weights", [[-1] + [1] * 19, [np.nan] + [1] * 19, [np.inf] + [1] * 19, [0] * 20, [1] * 19, [[1] * 20]]
)
def test_weights_are_finite_not_negative_and_not_all_zero(weights: object) -> None:
    with pytest.raises(ValueError, match=r"^weights .*20.*0"):
        fit_logistic(MIXED, LINE, (0.5, 0.25), weights=weights)
