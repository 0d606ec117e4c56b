import numpy as np
import pytest

from surveys.estimation.regression.covariance import Information, covariance_of, inverse_or_nan, wald_interval

MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]])


def test_a_positive_definite_matrix_has_its_inverse_and_any_other_none() -> None:
    assert inverse_or_nan(MATRIX) == pytest.approx(np.linalg.inv(MATRIX), rel=1e-12)
    for other in (np.ones((2, 2)), np.diag([1.0, -1]), np.diag([1, 1e-14]), np.zeros((2, 2)), MATRIX * np.nan):
        assert np.isnan(inverse_or_nan(other)).all()
    assert np.isfinite(inverse_or_nan(np.diag([1, 1e-12]))).all()


def test_each_kind_inverts_its_own_information() -> None:
    jacobian = np.array([[2.0, 0.0], [1.0, -1.0], [0.0, 5.0]])
    information = Information(MATRIX, 2 * MATRIX, MATRIX + np.eye(2), jacobian)
    inverse = np.linalg.inv(MATRIX)
    inner = {
        "observed": inverse,
        "expected": inverse / 2,
        "opg": np.linalg.inv(MATRIX + np.eye(2)),
        "sandwich": inverse @ (MATRIX + np.eye(2)) @ inverse,
    }
    for kind, expected in inner.items():
        assert covariance_of(information, kind) == pytest.approx(jacobian @ expected @ jacobian.T, rel=1e-12)


def test_an_interval_reaches_as_far_to_both_sides() -> None:
    interval = wald_interval(np.array([1.0, -2.0]), np.diag([4.0, 9.0]), 0.95)
    assert interval.low == pytest.approx([1 - 2 * 1.959963985, -2 - 3 * 1.959963985])
    assert interval.high == pytest.approx([1 + 2 * 1.959963985, -2 + 3 * 1.959963985])
    assert not interval.low.flags.writeable
    assert not interval.high.flags.writeable
