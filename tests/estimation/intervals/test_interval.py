import math

import numpy as np
import pytest

from surveys.estimation.affine import AffineMap
from surveys.estimation.intervals.interval import ScalarInterval, cut_interval, each_level
from surveys.estimation.intervals.mapped import mapped_interval


def test_limits_are_cut_to_0_and_1_and_what_lay_outside_is_marked() -> None:
    interval = cut_interval(np.array([-0.3, -0.2, 0.4, 1.1]), np.array([-0.1, 0.2, 1.2, 1.3]), 0.9, "wilson")
    assert interval.low.tolist() == [0, 0, 0.4, 1]
    assert interval.high.tolist() == [0, 0.2, 1, 1]
    assert interval.outside.tolist() == [True, False, False, True]
    assert (interval.confidence_level, interval.method, interval.simultaneous) == (0.9, "wilson", False)


def test_an_interval_that_touches_0_or_1_is_not_outside() -> None:
    interval = cut_interval(np.array([-0.3, 1.0]), np.array([0.0, 1.2]), 0.9, "wilson")
    assert interval.outside.tolist() == [False, False]


def test_an_interval_cannot_be_changed() -> None:
    interval = cut_interval(np.array([0.1]), np.array([0.2]), 0.9, "wilson")
    for array in (interval.low, interval.high, interval.outside):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_an_interval_for_one_number_is_inside_unless_said_otherwise() -> None:
    assert not ScalarInterval(1, 2, 0.95, "wald").outside


def test_bonferroni_divides_the_error_among_the_intervals() -> None:
    assert each_level(0.95, 1) == 0.95
    assert each_level(0.95, 5) == pytest.approx(0.99)
    with pytest.raises(ValueError, match="confidence_level"):
        each_level(math.nan, 2)


@pytest.mark.parametrize(("number", "simultaneous"), [(1, False), (2, True)])
def test_two_intervals_or_more_are_simultaneous(number: int, simultaneous: bool) -> None:
    line = AffineMap(np.array([0.25]), 0.5)
    interval = mapped_interval(np.array([40]), 100, line, 0.95, "wilson", number=number)
    assert interval.simultaneous is simultaneous
