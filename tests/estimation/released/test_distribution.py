import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.released.distribution import (
    ReleasedDistribution,
    ReleasedQuantile,
    estimate_released_distribution,
)
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, direct, k_ary, warner
from surveys.privacy.designs.design import from_matrix
from surveys.privacy.mechanisms.tree import TreeCounts, best_branching
from tests.privacy.chance import FALSE_ALARM_RATE, seeded

REPLACE = NeighbouringRelation.REPLACE_ONE
MILLIONTH = Fraction(1, 10**6)
TRUTH = np.array([0.05, 0.1, 0.2, 0.25, 0.15, 0.1, 0.07, 0.05, 0.03])
SHARP = Fraction(10**9)


def tree(length: int = 9, *, epsilon: Fraction = Fraction(1), gaussian: bool = True) -> TreeCounts:
    return TreeCounts(
        epsilon=epsilon,
        delta=MILLIONTH if gaussian else Fraction(0),
        relation=REPLACE,
        length=length,
        branching=best_branching(length, gaussian=gaussian),
    )


def estimated(counts: list[int], design: Design, mechanism: TreeCounts, seed: int = 1) -> ReleasedDistribution:
    return estimate_released_distribution(mechanism.release(counts, seeded(seed)), sum(counts), design, mechanism)


def test_without_noise_and_coins_shares_are_those_of_the_counts() -> None:
    counts = [3, 0, 12, 35, 20, 10, 10, 6, 4]
    found = estimated(counts, direct(9), tree(epsilon=SHARP, gaussian=False))
    assert found.point == pytest.approx(np.cumsum(counts)[:-1] / 100)
    assert found.shares == pytest.approx(np.array(counts) / 100)
    assert found.standard_error == pytest.approx(np.sqrt(found.point * (1 - found.point) / 100))
    # Then it is the interval of Clopper and Pearson.
    exact = stats.binomtest(50, 100).proportion_ci(0.95, "exact")
    interval = found.interval()
    assert (interval.low[3], interval.high[3]) == pytest.approx((exact.low, exact.high), abs=1e-6)


def test_coins_are_removed_from_consistent_counts() -> None:
    design = k_ary(9, "1/2")
    reports = np.array(design.matrix, dtype=float) @ TRUTH
    counts = (18_000 * reports).round().astype(int).tolist()
    found = estimated(counts, design, tree(epsilon=SHARP, gaussian=False))
    assert found.point == pytest.approx(np.cumsum(TRUTH)[:-1], abs=2e-4)


def test_shares_are_never_negative_and_sum_to_one() -> None:
    found = estimated([0, 0, 0, 50, 0, 0, 0, 0, 0], k_ary(9, "1/2"), tree(epsilon=Fraction(1, 5)))
    assert np.diff(found.point).min() < 0
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1)
    assert ((found.constrained >= 0) & (found.constrained <= 1)).all()


def test_no_rising_shares_are_nearer_than_the_constrained_ones() -> None:
    found = estimated([5, 5, 5, 5], k_ary(4, "1/3"), tree(4, epsilon=Fraction(1, 2), gaussian=False), seed=4)
    best = float(((found.constrained - found.point) ** 2).sum())
    steps = np.linspace(0, 1, 21)
    rising = np.array([shares for shares in itertools.product(steps, repeat=3) if list(shares) == sorted(shares)])
    assert ((rising - found.point) ** 2).sum(axis=1).min() >= best - 1e-12


def test_a_band_holds_all_shares_and_never_falls() -> None:
    found = estimated([20, 30, 10, 60, 40, 5, 5, 20, 10], k_ary(9, "2/3"), tree(), seed=2)
    band, each = found.band(0.95), found.interval(1 - 0.05 / 8)
    assert (band.simultaneous, each.simultaneous) == (True, False)
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert (band.low >= each.low).all()
    assert (band.high <= np.maximum(each.high, band.low)).all()


def test_quantiles_are_between_where_the_band_reaches_their_share() -> None:
    counts = [100, 100, 400, 200, 200]
    sharp = estimated(counts, direct(5), tree(5, epsilon=SHARP, gaussian=False))
    median, low, high = sharp.quantiles("1/2", "1/10", "9/10")
    assert median == ReleasedQuantile(Fraction(1, 2), 2, 2, 2)
    assert (low.code, high.code) == (0, 4)
    noisy = estimated(counts, k_ary(5, "1/2"), tree(5, epsilon=Fraction(1, 10), gaussian=False), seed=3)
    [quantile], band = noisy.quantiles("1/2"), noisy.band()
    assert quantile.low <= quantile.code <= quantile.high
    assert quantile.low == 0 or band.high[quantile.low - 1] < 0.5
    assert quantile.high == 4 or band.low[quantile.high] >= 0.5


def test_the_range_up_to_an_answer_is_its_share_and_all_answers_are_everybody() -> None:
    found = estimated([20, 30, 10, 60, 40, 5, 5, 20, 10], k_ary(9, "2/3"), tree(), seed=5)
    interval = found.interval()
    for code in range(8):
        told = found.between(0, code)
        assert (told.low, told.high) == pytest.approx((interval.low[code], interval.high[code]))
    assert (found.between(0, 8).low, found.between(0, 8).high) == (1, 1)
    # The last answers are what the first ones leave.
    told = found.between(4, 8)
    assert (told.low, told.high) == pytest.approx((1 - interval.high[3], 1 - interval.low[3]), abs=1e-6)


SURVEYS, N = 60, 400
FEWEST = int(stats.binom.ppf(FALSE_ALARM_RATE, SURVEYS, 0.95))


def _hits(mechanism: TreeCounts, drawn_by: TreeCounts, seed: int) -> tuple[int, int]:
    """How often one share, and all at once, are within their intervals."""
    generator = np.random.default_rng(seed)
    design = k_ary(9, "1/2")
    matrix, truth = np.array(design.matrix, dtype=float), np.cumsum(TRUTH)[:-1]
    one = together = 0
    for _ in range(SURVEYS):
        counts = generator.multinomial(N, matrix @ TRUTH).tolist()
        drawn = drawn_by.release(counts, lambda bound: int(generator.integers(bound)))
        found = estimate_released_distribution(drawn, N, design, mechanism)
        band, told = found.band(), found.between(2, 3)
        one += told.low <= truth[3] - truth[1] <= told.high
        together += bool(((band.low <= truth) & (truth <= band.high)).all())
    return one, together


@pytest.mark.parametrize("gaussian", [True, False])
def test_ranges_and_bands_hold_as_often_as_they_say(gaussian: bool) -> None:
    mechanism = tree(epsilon=Fraction(1, 4), gaussian=gaussian)
    assert min(_hits(mechanism, mechanism, seed=1)) >= FEWEST


def test_a_band_that_forgets_the_noise_is_caught() -> None:
    noisy = tree(epsilon=Fraction(1, 20), gaussian=False)
    assert max(_hits(tree(epsilon=SHARP, gaussian=False), noisy, seed=2)) < FEWEST


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"n": 0}, "n must be"),
        ({"noisy_counts": [1] * 8}, "noisy_counts"),
        ({"design": direct(4)}, "mechanism must have as many codes"),
        ({"design": from_matrix([["1/2", "1/4", "1/4"], ["1/2", "1/2", "1/4"], [0, "1/4", "1/2"]])}, "no interval"),
        (
            {
                "mechanism": TreeCounts(
                    epsilon=1, relation=NeighbouringRelation.ADD_OR_REMOVE_ONE, length=9, branching=9
                )
            },
            "public",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(wrong: dict[str, object], named: str) -> None:
    given = {"noisy_counts": [1] * 12, "n": 9, "design": direct(9), "mechanism": tree(), **wrong}
    with pytest.raises(ValueError, match=named):
        estimate_released_distribution(**given)  # type: ignore[arg-type]


def test_codes_and_shares_out_of_range_are_refused() -> None:
    found = estimated([10] * 9, direct(9), tree())
    for first, last, named in ((-1, 3, "first"), (3, 2, "last"), (0, 9, "last")):
        with pytest.raises(ValueError, match=named):
            found.between(first, last)
    for share in (0, 1):
        with pytest.raises(ValueError, match="shares must be"):
            found.quantiles(share)
    with pytest.raises(ValueError, match="confidence_level"):
        found.interval(1.0)


def test_two_answers_are_one_share() -> None:
    mechanism = TreeCounts(epsilon=SHARP, relation=REPLACE, length=2, branching=2)
    found = estimated([30, 70], warner("1/4"), mechanism)
    assert found.point == pytest.approx([0.9])
