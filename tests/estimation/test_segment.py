import math

import pytest
from scipy import optimize

from surveys.estimation.segment import along, best_position, log_likelihood


def test_the_log_likelihood_adds_up_what_was_seen() -> None:
    assert log_likelihood([3, 0, 2], [0.5, 0.0, 0.25]) == pytest.approx(3 * math.log(0.5) + 2 * math.log(0.25))
    assert log_likelihood([0, 0], [0.3, 0.7]) == 0


def test_what_was_seen_and_cannot_happen_has_a_log_likelihood_of_minus_infinity() -> None:
    assert log_likelihood([3, 1, 2], [0.75, 0.0, 0.25]) == -math.inf
    assert log_likelihood([1], [-1e-18]) == -math.inf
    assert log_likelihood([1], [math.nan]) == -math.inf


def test_a_position_is_how_far_along_the_line_a_point_lies() -> None:
    assert along([0.0, 1.0], [0.5, 0.2], 0) == [0.0, 1.0]
    assert along([0.0, 1.0], [0.5, 0.2], 1) == [0.5, 0.2]
    assert along([0.0, 1.0], [0.5, 0.2], 0.25) == pytest.approx([0.125, 0.8])


def test_the_best_position_of_one_share_is_the_share_observed() -> None:
    assert best_position([70, 30], [1.0, 0.0], [0.0, 1.0]) == pytest.approx(0.3, rel=1e-13)
    assert best_position([70, 30], [0.9, 0.1], [0.4, 0.6]) == pytest.approx(0.4, rel=1e-13)


def test_the_best_position_may_be_at_either_end() -> None:
    assert best_position([95, 5], [0.9, 0.1], [0.4, 0.6]) == 0
    assert best_position([30, 70], [0.9, 0.1], [0.4, 0.6]) == 1
    assert best_position([90, 10], [0.9, 0.1], [0.4, 0.6]) == 0
    # Nothing depends on the position.
    assert best_position([90, 10], [0.9, 0.1], [0.9, 0.1]) == 0


def test_an_end_is_the_best_position_however_little_is_to_gain_there() -> None:
    assert best_position([1, 1], [0.2, 0.8], [0.4, 0.6]) == 1
    assert best_position([1, 1], [0.25, 0.75], [0.5, 0.5]) == 1
    assert best_position([1, 1], [0.4, 0.6], [0.2, 0.8]) == 0
    assert best_position([1, 1], [0.5, 0.5], [0.25, 0.75]) == 0
    # And inside, however little that is.
    assert best_position([1, 1], [0.6, 0.4], [0.2, 0.8]) == pytest.approx(0.25, rel=1e-12)
    assert best_position([1, 1], [0.2, 0.8], [0.6, 0.4]) == pytest.approx(0.75, rel=1e-12)


def test_what_nobody_sent_may_be_impossible() -> None:
    assert best_position([9, 1, 0], [0.9, 0.1, 0.0], [0.4, 0.4, 0.2]) == 0
    assert best_position([9, 1, 0], [0.4, 0.4, 0.2], [0.9, 0.1, 0.0]) == 1


def test_every_report_needs_a_count_and_two_probabilities() -> None:
    with pytest.raises(ValueError, match="shorter"):
        log_likelihood([1, 2, 3], [0.5, 0.5])
    with pytest.raises(ValueError, match="shorter"):
        along([0.1, 0.2, 0.7], [0.5, 0.5], 0.5)
    with pytest.raises(ValueError, match="shorter"):
        best_position([1, 2, 3], [0.1, 0.2, 0.7], [0.5, 0.5])


def test_an_end_where_something_seen_is_impossible_is_left() -> None:
    assert 0 < best_position([1, 999], [0.0, 1.0], [1.0, 0.0]) < 0.01
    assert 0.99 < best_position([999, 1], [0.0, 1.0], [1.0, 0.0]) < 1
    assert best_position([1, 99_999, 0], [0.0, 0.9, 0.1], [0.5, 0.4, 0.1]) == pytest.approx(1.8e-5, rel=1e-4)


@pytest.mark.parametrize("counts", [[50, 30, 5, 15], [0, 3, 1, 2], [1, 1, 1, 100], [1000, 1, 1, 1]])
def test_the_best_position_among_four_reports_is_found_by_a_search_too(counts: list[int]) -> None:
    start, end = [0.7, 0.1, 0.1, 0.1], [0.05, 0.3, 0.05, 0.6]
    optimum = optimize.minimize_scalar(
        lambda position: -log_likelihood(counts, along(start, end, position)),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert best_position(counts, start, end) == pytest.approx(optimum.x, abs=1e-6)


def test_it_stops_at_the_number_of_steps_allowed() -> None:
    # The first step of Newton's method, from the middle.
    slope, curvature = 30 / 0.5 - 70 / 0.5, 30 / 0.25 + 70 / 0.25
    once = best_position([70, 30], [1.0, 0.0], [0.0, 1.0], max_steps=1)
    assert once == pytest.approx(0.5 + slope / curvature)


def test_a_step_beyond_what_is_left_to_search_is_halved() -> None:
    # One step from the middle would lead below 0.
    assert best_position([10**6, 1], [1.0, 0.0], [0.2, 0.8], max_steps=1) == 0.25
    assert best_position([1, 10**6], [0.8, 0.2], [0.0, 1.0], max_steps=1) == 0.75
    assert best_position([10**6, 1], [1.0, 0.0], [0.2, 0.8]) == pytest.approx(1 / 0.8 / (10**6 + 1), rel=1e-9)
