"""Limits found by Newton's method, beside the tails themselves."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from surveys.estimation.released import counts, likely
from surveys.estimation.released.counts import rate_limits, upper_tail
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

EVERYTHING = (Fraction(0), Fraction(1))
TAILS = (0.025, 0.00125)
CASES = [
    (n, share, Fraction(epsilon))
    for n in (1, 7, 300, 20_000)
    for share in (0, 0.03, 0.5, 1)
    for epsilon in ("0.01", "1", "200")
]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize(("n", "share", "epsilon"), CASES)
def test_both_limits_are_those_of_bisection_rounded_outwards(
    n: int, share: float, epsilon: Fraction, tail: float
) -> None:
    count, noise = round(n * share), DiscreteLaplace(epsilon, 2)
    low, high = rate_limits(count, n, noise, tail, EVERYTHING)
    assert low == pytest.approx(counts._root(partial(upper_tail, count, n, noise), tail), abs=1e-7)
    assert high == pytest.approx(1 - counts._root(partial(upper_tail, n - count, n, noise), tail), abs=1e-7)
    assert low == 0 or upper_tail(count, n, noise, low) <= tail * (1 + 1e-7)
    assert high == 1 or upper_tail(n - count, n, noise, 1 - high) <= tail * (1 + 1e-7)


def test_a_million_answers_need_a_few_sums_for_each_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = []
    summed = likely.LikelyCounts._tail
    monkeypatch.setattr(likely.LikelyCounts, "_tail", lambda *given: (sums.append(1), summed(*given))[1])
    monkeypatch.setattr(counts, "_root", lambda *_given: pytest.fail("found slowly"))
    for count in (25_000, 300_000, 525_000):
        sums.clear()
        rate_limits(count, 10**6, DiscreteLaplace(Fraction(1, 2), 2), 0.00125, EVERYTHING)
        assert len(sums) <= 14


def test_what_is_not_certain_is_left_to_bisection() -> None:
    noise = DiscreteLaplace(Fraction(1), 2)
    values = likely.likely_values(300, 1000, noise, 0.025)
    assert values is not None
    assert values.limit(np.zeros(values.x.size), 0.025, upper=False) is None
    assert values.limit(np.ones(values.x.size), 0.025, upper=False) is None
    # A tail that falls where it should rise, and one that jumps over its goal far from all likely values.
    assert values.limit(noise.at_least(values.x - 300), 0.025, upper=False) is None
    assert values.limit(noise.at_least(900 - values.x), 0.025, upper=True) is None
    assert values.limit(noise.at_least(100_000 - values.x), 0.025, upper=False) is None


def test_noise_beyond_all_floats_and_counts_beyond_all_sums_are_left_to_bisection() -> None:
    assert likely.likely_values(3, 10, DiscreteLaplace(Fraction(1, 10**200), 2), 0.025) is None
    assert likely.likely_values(5 * 10**14, 10**15, DiscreteLaplace(Fraction(1), 2), 0.025) is None
