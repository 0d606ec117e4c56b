import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.learning.by_group import (
    ReleasedGroups,
    estimate_released_groups,
    expect_group_precision,
)
from surveys.estimation.learning.table import ReleasedTable
from surveys.privacy.designs import Design, direct, forced_response, k_ary
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from tests.privacy.chance import FALSE_ALARM_RATE

ALMOST_NONE = DiscreteLaplace(Fraction(10**6), 2)
NOISE = DiscreteLaplace(Fraction(1), 2)
TRUTHS = np.array([[0.30, 0.12, 0.08], [0.10, 0.08, 0.32]])
"""No and Yes in three groups: Yes has .25, .4 and .8 of them."""


def reports(truths: np.ndarray, *designs: Design) -> np.ndarray:
    one, other = (np.array(design.matrix, dtype=float) for design in designs)
    return np.asarray(one @ truths @ other.T)


def drawn(
    truths: np.ndarray, designs: tuple[Design, Design], n: int, noise: DiscreteLaplace, seed: int
) -> ReleasedTable:
    generator = np.random.default_rng(seed)
    shape = tuple(design.m for design in designs)
    counts = generator.multinomial(n, reports(truths, *designs).ravel()).reshape(shape)
    noisy = [[noise.sample(lambda bound: int(generator.integers(bound))) for _ in row] for row in counts]
    return ReleasedTable(counts + np.array(noisy), n, designs, noise)


def test_without_coins_and_noise_figures_are_those_of_the_counts() -> None:
    counts = np.array([[30, 12, 8], [10, 8, 32]])
    found = estimate_released_groups(ReleasedTable(counts, 100, (None, direct(3)), ALMOST_NONE))
    assert found.point[1] == pytest.approx([10 / 40, 8 / 20, 32 / 40])
    assert found.constrained == pytest.approx(found.point)
    assert found.sizes == pytest.approx([0.4, 0.2, 0.4])
    # Then it is the standard error of a share among so many people.
    assert found.standard_error[1] == pytest.approx(np.sqrt(found.point[1] * (1 - found.point[1]) / [40, 20, 40]))


def test_coins_of_both_questions_are_removed() -> None:
    designs = (forced_response(), k_ary(3, "1/2"))
    expected = np.rint(10**6 * reports(TRUTHS, *designs)).astype(int)
    found = estimate_released_groups(ReleasedTable(expected, int(expected.sum()), designs, ALMOST_NONE))
    assert found.point[1] == pytest.approx([0.25, 0.4, 0.8], abs=1e-4)
    assert found.sizes == pytest.approx([0.4, 0.2, 0.4], abs=1e-4)


def test_a_mean_is_what_the_shares_say() -> None:
    table = drawn(np.array([[0.1, 0.1], [0.2, 0.1], [0.1, 0.4]]), (k_ary(3, "2/3"), forced_response()), 4000, NOISE, 1)
    shares, mean = estimate_released_groups(table), estimate_released_groups(table, [0, 5, 10])
    assert mean.point[0] == pytest.approx(np.array([0, 5, 10]) @ shares.point)
    assert mean.interval().low[0].min() >= 0
    assert mean.interval().high[0].max() <= 10


def test_limits_are_those_that_the_ratio_s_variance_does_not_reject() -> None:
    found = estimate_released_groups(drawn(TRUTHS, (forced_response(), k_ary(3, "1/2")), 4000, NOISE, 2))
    limits, z = found.interval(0.95), stats.norm.ppf(0.975)
    for group in range(3):
        for theta in (limits.low[1, group], limits.high[1, group]):
            if not 0 < theta < 1:
                continue
            rest = np.zeros((2, 3))
            rest[:, group] = np.array([0.0, 1.0]) - theta
            away = float((rest * found.table.point).sum())
            centred = rest - float((rest * found.table.constrained).sum())
            variance = float(found.table.channel.covariance(centred[np.newaxis], found.table.constrained)[0, 0])
            assert abs(away) == pytest.approx(z * np.sqrt(variance), rel=1e-6)


def test_an_estimate_beyond_what_is_possible_has_an_interval_all_the_same() -> None:
    coins = forced_response()
    table = ReleasedTable([[699, 300], [298, 500]], 1800, (coins, coins), NOISE)
    found = estimate_released_groups(table)
    assert found.point[1, 0] < 0
    assert found.point[1, 1] > 1
    limits = found.interval()
    assert limits.low[1, 0] == 0 < limits.high[1, 0]
    assert limits.low[1, 1] < 1 == limits.high[1, 1]


def test_where_nobody_may_be_in_a_group_everything_is_possible() -> None:
    empty = np.array([[0.5, 0.0], [0.5, 0.0]])
    found = estimate_released_groups(drawn(empty, (forced_response(), forced_response()), 400, NOISE, 5))
    limits = found.interval()
    assert (limits.low[1, 1], limits.high[1, 1]) == (0, 1)
    assert found.size_interval().low[1] == 0


def test_a_group_that_the_estimate_leaves_to_nobody_has_no_figure() -> None:
    table = ReleasedTable([[60, -3], [45, -2]], 100, (direct(2), direct(2)), NOISE)
    found = estimate_released_groups(table)
    assert np.isnan(found.point[:, 1]).all()
    assert np.isnan(found.constrained[:, 1]).all()
    assert np.isinf(found.standard_error[:, 1]).all()
    assert (found.interval().low[:, 1].tolist(), found.interval().high[:, 1].tolist()) == ([0, 0], [1, 1])


def test_a_share_that_is_zero_but_for_rounding_is_nobody_s() -> None:
    table = ReleasedTable([[5, 7, 17], [5, 8, 18]], 60, (forced_response(), k_ary(3, "1/2")), NOISE)
    found = estimate_released_groups(table)
    assert 0 < found.sizes[0] < 1e-15
    assert np.isnan(found.point[:, 0]).all()
    assert (found.interval().low[:, 0].tolist(), found.interval().high[:, 0].tolist()) == ([0, 0], [1, 1])


def test_the_noise_of_a_release_makes_figures_less_precise_and_coins_even_less() -> None:
    designs = (forced_response(), forced_response())
    even = np.full((2, 2), 0.25)
    released, without, plain = expect_group_precision(
        even, n=1000, designs=designs, noise=DiscreteLaplace(Fraction(1, 5), 2)
    )
    assert (released > without).all()
    assert (without > plain).all()
    # Of 500 people in a group: √(1/4/500).
    assert plain[1] == pytest.approx([np.sqrt(0.25 / 500)] * 2)
    [means, *_rest] = expect_group_precision(even, [0, 12], n=1000, designs=designs, noise=NOISE)
    shares, *_ = expect_group_precision(even, n=1000, designs=designs, noise=NOISE)
    assert means[0] == pytest.approx(12 * shares[1])


SURVEYS = 200
FEWEST = int(stats.binom.ppf(FALSE_ALARM_RATE, SURVEYS, 0.95))


def _held(noise: DiscreteLaplace, said: DiscreteLaplace) -> np.ndarray:
    """How often each group's interval holds its share, and the interval of its size."""
    held = np.zeros((2, 3))
    for seed in range(SURVEYS):
        table = drawn(TRUTHS, (forced_response(), k_ary(3, "2/3")), 2000, noise, seed)
        found: ReleasedGroups = estimate_released_groups(ReleasedTable(table.counts, 2000, table.designs, said))
        limits, sizes = found.interval(), found.size_interval()
        truth = np.array([0.25, 0.4, 0.8])
        held[0] += (limits.low[1] <= truth) & (truth <= limits.high[1])
        held[1] += (sizes.low <= TRUTHS.sum(axis=0)) & (TRUTHS.sum(axis=0) <= sizes.high)
    return held


def test_intervals_hold_as_often_as_they_say() -> None:
    assert _held(NOISE, NOISE).min() >= FEWEST


def test_intervals_that_forget_the_noise_are_caught() -> None:
    loud = DiscreteLaplace(Fraction(1, 50), 2)
    wrong = DiscreteLaplace(Fraction(1, 20), 2)
    assert _held(loud, wrong).min() < FEWEST


def test_tables_of_other_than_two_questions_and_wrong_values_are_refused() -> None:
    coins = forced_response()
    three = ReleasedTable(np.full((2, 2, 2), 50), 400, (coins,) * 3, NOISE)
    with pytest.raises(ValueError, match="table must be of two items"):
        estimate_released_groups(three)
    two = ReleasedTable(np.full((2, 2), 100), 400, (coins,) * 2, NOISE)
    for values in ([1], [1, 1], [0, np.inf], [0, 1, 2]):
        with pytest.raises(ValueError, match="values"):
            estimate_released_groups(two, values)
    with pytest.raises(ValueError, match="truths must be of two items"):
        expect_group_precision(np.full((2, 2, 2), 1 / 8), n=400, designs=[coins] * 3, noise=NOISE)
    with pytest.raises(ValueError, match="confidence_level"):
        estimate_released_groups(two).interval(1.0)


@pytest.mark.parametrize("changed", list(itertools.product(range(2), range(3))))
def test_one_response_in_another_group_moves_two_counts_whatever_the_groups_are(changed: tuple[int, int]) -> None:
    """Why all groups cost what one histogram does: under replace-one a response leaves one cell and enters another."""
    before, after = np.zeros((2, 3), dtype=int), np.zeros((2, 3), dtype=int)
    before[0, 0], after[changed] = 1, 1
    assert abs(after - before).sum() <= 2
    assert (abs(after - before).sum() == 2) == (changed != (0, 0))
