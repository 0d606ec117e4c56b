from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.estimation.grid_mean import estimate_grid_mean
from surveys.estimation.poisoning import poisoned_mean, poisoning_band
from surveys.estimation.prevalence import estimate_prevalence
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, warner
from tests.privacy.test_grid import windowed

DESIGNS = [forced_response(), warner("1/5"), k_ary(3, "1/2", ["1/2", "1/4", "1/4"]), kuk("0.7", "0.2", 2)]


def neighbours(counts: tuple[int, ...], forged: int) -> set[tuple[int, ...]]:
    """All counts that honest respondents could have sent, if so many of these reports were forged."""
    reachable = {counts}
    for _ in range(forged):
        reachable |= {
            tuple(n - (code == here) + (code == there) for code, n in enumerate(table))
            for table in reachable
            for here, there in product(range(len(counts)), repeat=2)
            if table[here]
        }
    return reachable


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@pytest.mark.parametrize("forged", [0, 1, 2, 4])
def test_the_band_holds_every_estimate_that_honest_reports_could_have_given(design: Design, forged: int) -> None:
    for counts in ((5, 1), (0, 6), (3, 3)) if design.m == 2 else ((4, 1, 1), (0, 6, 0), (0, 1, 5)):
        band = poisoning_band(estimate_prevalence(counts, design), forged)
        points = np.array([estimate_prevalence(other, design).point for other in neighbours(counts, forged)])
        assert (points >= band.low - 1e-12).all()
        assert (points <= band.high + 1e-12).all()
        np.testing.assert_allclose(points.min(axis=0), band.attainable_low, atol=1e-12)
        np.testing.assert_allclose(points.max(axis=0), band.attainable_high, atol=1e-12)


def test_fair_coins_move_by_two_forged_shares() -> None:
    estimate = estimate_prevalence([60, 40], forced_response())
    band = poisoning_band(estimate, 5)
    np.testing.assert_allclose(band.high - estimate.point, [0.1, 0.1], rtol=1e-12)
    np.testing.assert_allclose(estimate.point - band.low, [0.1, 0.1], rtol=1e-12)
    assert band.forged == 5


def test_the_bound_is_attained_where_enough_reports_can_be_exchanged() -> None:
    band = poisoning_band(estimate_prevalence([60, 40], forced_response()), 40)
    np.testing.assert_allclose(band.attainable_low, band.low, rtol=1e-12)
    np.testing.assert_allclose(band.attainable_high, band.high, rtol=1e-12)


def test_where_all_said_no_forged_reports_can_only_have_hidden_yes() -> None:
    estimate = estimate_prevalence([10, 0], forced_response())
    band = poisoning_band(estimate, 3)
    assert band.attainable_low[1] == estimate.point[1]
    assert band.attainable_high[1] == pytest.approx(estimate.point[1] + 0.6, rel=1e-12)
    assert band.low[1] == pytest.approx(estimate.point[1] - 0.6, rel=1e-12)


def test_none_forged_leaves_the_estimate() -> None:
    estimate = estimate_prevalence([3, 4, 5], k_ary(3))
    band = poisoning_band(estimate, 0)
    for limit in (band.low, band.high, band.attainable_low, band.attainable_high):
        np.testing.assert_array_equal(limit, estimate.point)


def test_all_forged_leaves_nothing() -> None:
    band = poisoning_band(estimate_prevalence([3, 4], warner("3/4")), 7)
    np.testing.assert_allclose(band.attainable_low, [-0.5, -0.5], atol=1e-12)
    np.testing.assert_allclose(band.attainable_high, [1.5, 1.5], atol=1e-12)


@given(st.lists(st.integers(0, 50), min_size=3, max_size=3), st.integers(0, 30))
def test_what_is_attainable_lies_in_the_band(counts: list[int], forged: int) -> None:
    counts[0] += 30
    design = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])
    estimate = estimate_prevalence(counts, design)
    band = poisoning_band(estimate, forged)
    assert (band.low - 1e-12 <= band.attainable_low).all()
    assert (band.attainable_low <= estimate.point).all()
    assert (estimate.point <= band.attainable_high).all()
    assert (band.attainable_high <= band.high + 1e-12).all()
    row = design.left_inverse[1]
    assert band.high[1] - estimate.point[1] == pytest.approx(
        float(Fraction(forged, sum(counts)) * (max(row) - min(row))), abs=1e-12
    )


def test_a_band_cannot_be_changed() -> None:
    band = poisoning_band(estimate_prevalence([3, 4], forced_response()), 1)
    for limit in (band.low, band.high, band.attainable_low, band.attainable_high):
        with pytest.raises(ValueError, match="read-only"):
            limit[0] = 0


@pytest.mark.parametrize("forged", [-1, 8, 1.5, True, np.nan])
def test_no_more_reports_are_forged_than_there_are(forged: object) -> None:
    with pytest.raises(ValueError, match=r"^forged .*0.*7"):
        poisoning_band(estimate_prevalence([3, 4], forced_response()), forged)


def test_any_integer_is_a_number_of_forged_reports() -> None:
    band = poisoning_band(estimate_prevalence([3, 4], forced_response()), np.int64(2))
    assert (type(band.forged), band.forged) == (int, 2)


@pytest.mark.parametrize("counts", [(2, 0, 1, 1), (0, 0, 0, 4), (1, 1, 1, 1)])
@pytest.mark.parametrize("forged", [0, 1, 2])
def test_a_mean_of_values_is_held_by_the_limits_of_all_that_honest_reports_could_have_given(
    counts: tuple[int, ...], forged: int
) -> None:
    grid = windowed(0, 24, 3, "3/5", 2)
    points = [estimate_grid_mean(other, grid).point for other in neighbours(counts, forged)]
    low, high = poisoned_mean(estimate_grid_mean(counts, grid), forged)
    assert low == pytest.approx(min(points), abs=1e-9)
    assert high == pytest.approx(max(points), abs=1e-9)


@pytest.mark.parametrize("forged", [-1, 5, 0.5])
def test_no_such_number_of_a_mean_s_reports_can_be_forged(forged: float) -> None:
    estimate = estimate_grid_mean((2, 0, 1, 1), windowed(0, 24, 3, "3/5", 2))
    with pytest.raises(ValueError, match="forged must be"):
        poisoned_mean(estimate, forged)  # type: ignore[arg-type]
