import numpy as np
import pytest

from surveys.estimation.regression.testing import Heights, column_numbers, likelihood_ratio, split


def test_the_ratio_of_likelihoods_is_compared_with_chi_squared() -> None:
    test = likelihood_ratio(Heights(-10.0, -9.0), Heights(-13.0, -13.0), 2)
    assert (test.statistic, test.degrees_of_freedom) == (6.0, 2)
    assert test.p_value == pytest.approx(np.exp(-3))


def test_a_nested_fit_that_is_higher_by_rounding_is_as_high() -> None:
    assert likelihood_ratio(Heights(-10.0, -3.0), Heights(-10 + 4e-9, -5.0), 1).statistic == 0


@pytest.mark.parametrize("finite", [(-np.nan, -13.0), (-10.0, np.nan), (np.nan, np.nan), (-10.0, -10 + 6e-9)])
def test_without_two_finite_maxima_in_order_the_bounds_are_compared(finite: tuple[float, float]) -> None:
    full, nested = finite
    assert likelihood_ratio(Heights(full, -3.0), Heights(nested, -5.0), 1).statistic == 4
    # A step that was found for the nested model only is one of the full model too.
    assert likelihood_ratio(Heights(full, -5.0), Heights(nested, -3.0), 1).statistic == 0


def test_columns_are_split_from_the_others() -> None:
    x = np.arange(12.0).reshape(3, 4)
    others, tested = split(x, column_numbers([3, 1], 4))
    assert others.tolist() == [[0, 2], [4, 6], [8, 10]]
    assert tested.tolist() == [[3, 1], [7, 5], [11, 9]]
    assert column_numbers(2, 4) == [2]
    assert column_numbers((0, 3), 4) == [0, 3]
