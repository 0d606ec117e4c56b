from fractions import Fraction

import numpy as np
import pytest

from surveys.estimation.regression.rows import basis_of, codes, frequency_weights, report_lines
from surveys.privacy.designs import forced_response, mangat, warner


def test_a_line_gives_the_probability_of_yes_under_either_truth() -> None:
    for given in ((0.6, 0.2), [0.6, 0.2], (Fraction(3, 5), Fraction(1, 5)), ([0.6, 0.6], 0.2), (0.6, [0.2, 0.2])):
        if_no, if_yes = report_lines(given, 2)
        assert if_no == pytest.approx([0.2, 0.2])
        assert if_yes == pytest.approx([0.8, 0.8])
    if_no, if_yes = report_lines([mangat("7/10"), forced_response()], 2)
    assert if_no == pytest.approx([0.3, 0.25])
    assert if_yes == pytest.approx([1.0, 0.75])


def test_two_designs_are_those_of_two_rows_and_no_pair_of_numbers() -> None:
    if_no, _ = report_lines((warner("3/4"), warner("4/5")), 2)
    assert if_no == pytest.approx([0.25, 0.2])


def test_what_rounding_puts_beyond_a_probability_is_put_back() -> None:
    for given in ((0.3 + 1e-13, 0.7), (-0.3 - 1e-13, 0.3), (-0.5, 1 + 1e-13), (0.5, -1e-13)):
        ends = np.array(report_lines(given, 3))
        assert 0 <= ends.min() <= ends.max() <= 1
    for given in ((0.3 + 1e-11, 0.7), (-0.3 - 1e-11, 0.3), (-0.5, 1 + 1e-11), (0.5, -1e-11)):
        with pytest.raises(ValueError, match="must be probabilities"):
            report_lines(given, 3)


def test_the_basis_is_orthogonal_under_the_weights_and_leads_back() -> None:
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(30), rng.normal(size=30) + 50, rng.normal(size=30) * 1e6])
    weights = rng.integers(1, 5, size=30).astype(float)
    basis = basis_of(x, weights)
    gram = (basis.rows * weights[:, np.newaxis]).T @ basis.rows
    assert gram == pytest.approx(weights.sum() * np.eye(3), abs=1e-9)
    assert x @ basis.to_coefficients == pytest.approx(basis.rows, abs=1e-9)


def test_a_column_that_is_nearly_others_is_still_its_own() -> None:
    x = np.column_stack([np.ones(4), [1, 1, 1, 1 + 1e-9]])
    assert basis_of(x, np.ones(4)).rows.shape == (4, 2)
    with pytest.raises(ValueError, match=r"^column 1 .*combination"):
        basis_of(np.column_stack([np.ones(4), [1, 1, 1, 1 + 4e-16]]), np.ones(4))


def test_no_columns_have_a_basis_too() -> None:
    basis = basis_of(np.empty((5, 0)), np.ones(5))
    assert basis.rows.shape == (5, 0)
    assert basis.to_coefficients.shape == (0, 0)


def test_weights_may_be_exact_numbers() -> None:
    assert frequency_weights([Fraction(1, 2), 3], 2).tolist() == [0.5, 3]
    assert frequency_weights(None, 2).tolist() == [1, 1]


def test_codes_are_taken_from_whatever_numbers_are_whole() -> None:
    for given in ([0, 2], (0.0, 2.0), np.array([0, 2], dtype=np.uint8)):
        assert codes(given, 3, "reports").tolist() == [0, 2]
    assert codes([True, False], 2, "reports").tolist() == [1, 0]
    assert codes([0.0], 2, "reports").dtype == np.int64
