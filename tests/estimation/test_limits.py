import math

import pytest

from surveys.estimation.limits import limit_towards


def test_a_limit_is_where_nothing_is_left_to_spare() -> None:
    assert limit_towards(1.0, 0.25, lambda value: 0.04 - (value - 0.25) ** 2) == pytest.approx(0.45, rel=1e-9)
    assert limit_towards(0.0, 0.25, lambda value: 0.04 - (value - 0.25) ** 2) == pytest.approx(0.05, rel=1e-8)


def test_an_edge_that_is_not_rejected_is_the_limit() -> None:
    assert limit_towards(1.0, 0.25, lambda value: 1 - value) == 1
    assert limit_towards(-30.0, 0.25, lambda _: 2.0) == -30


def test_a_limit_is_found_on_the_way_from_where_something_seen_is_impossible() -> None:
    def spare(value: float) -> float:
        return 9 * math.log(1 - value) + 2 if value < 1 else -math.inf

    assert limit_towards(1.0, 0.0, spare) == pytest.approx(1 - math.exp(-2 / 9), rel=1e-9)


def test_a_limit_is_found_far_inside_an_edge_with_very_much_data() -> None:
    # A billion responses: the likelihood is 0 almost everywhere.
    limit = limit_towards(1.0, 0.25, lambda value: 2 - 1e9 * (value - 0.25) ** 2)
    assert limit == pytest.approx(0.25 + math.sqrt(2e-9), abs=1e-9)
