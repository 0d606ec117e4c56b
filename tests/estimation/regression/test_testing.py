import numpy as np
import pytest

from surveys.estimation.regression.testing import column_numbers, likelihood_ratio, profile_limit, split


def parabola(value: float) -> float:
    """How far a log-likelihood with its maximum at 2 drops."""
    return (value - 2) ** 2 / 2


@pytest.mark.parametrize(("stride", "limit"), [(1.0, 5.0), (-1.0, -1.0), (0.01, 5.0), (-100.0, -1.0)])
def test_a_profile_limit_lies_where_the_drop_is_what_is_allowed(stride: float, limit: float) -> None:
    assert profile_limit(parabola, 2.0, stride, 4.5) == pytest.approx(limit, rel=1e-9)


def test_a_limit_is_sought_as_far_as_4096_standard_errors() -> None:
    def cliff(edge: float) -> float:
        return profile_limit(lambda value: float(abs(value) >= edge), 0.0, 1.0, 0.5)

    assert cliff(4096.0) == pytest.approx(4096)
    assert cliff(4097.0) == np.inf
    assert profile_limit(lambda _value: 0.0, 0.0, -1.0, 0.5) == -np.inf


def test_the_ratio_of_likelihoods_is_compared_with_chi_squared() -> None:
    test = likelihood_ratio(-10.0, -13.0, 2)
    assert (test.statistic, test.degrees_of_freedom) == (6.0, 2)
    assert test.p_value == pytest.approx(np.exp(-3))
    assert likelihood_ratio(-10.0, -9.9999999, 1).statistic == 0


def test_columns_are_split_from_the_others() -> None:
    x = np.arange(12.0).reshape(3, 4)
    others, own = split(x, column_numbers([3, 1], 4))
    assert others.tolist() == [[0, 2], [4, 6], [8, 10]]
    assert own.tolist() == [[3, 1], [7, 5], [11, 9]]
    assert column_numbers(2, 4) == [2]
    assert column_numbers((0, 3), 4) == [0, 3]
