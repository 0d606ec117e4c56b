"""Whether arms came out as dealt: held against scipy and against simulated dealing."""

from collections.abc import Sequence
from math import comb

import numpy as np
import pytest
from scipy import stats

from surveys.estimation.allocation import allocation_p_value


@pytest.mark.parametrize(("sizes", "weights"), [((300, 100), (1, 1)), ((52, 48), (1, 1)), ((0, 9), (3, 3))])
def test_two_arms_of_one_weight_have_the_binomial_tests_p_value(sizes: Sequence[int], weights: Sequence[int]) -> None:
    p_value = stats.binomtest(sizes[0], sum(sizes), 0.5).pvalue
    assert allocation_p_value(sizes, weights) == pytest.approx(p_value, rel=1e-9)
    assert allocation_p_value(sizes[::-1], weights) == pytest.approx(p_value, rel=1e-9)


@pytest.mark.parametrize("first", range(13))
def test_of_two_arms_it_is_twice_the_smaller_tail_added_up_by_hand(first: int) -> None:
    chances = [comb(12, k) * 2**k / 3**12 for k in range(13)]
    smaller = min(sum(chances[: first + 1]), sum(chances[first:]))
    assert allocation_p_value((first, 12 - first), (2, 1)) == pytest.approx(min(1.0, 2 * smaller), rel=1e-9)


@pytest.mark.parametrize(("sizes", "weights"), [((40, 60, 50), (1, 1, 1)), ((210, 95, 105, 390), (2, 1, 1, 4))])
def test_more_arms_have_pearsons(sizes: Sequence[int], weights: Sequence[int]) -> None:
    expected = [sum(sizes) * weight / sum(weights) for weight in weights]
    assert allocation_p_value(sizes, weights) == pytest.approx(stats.chisquare(sizes, expected).pvalue, rel=1e-9)


def test_arms_that_are_as_dealt_have_one() -> None:
    assert allocation_p_value((50, 50), (1, 1)) == 1.0
    assert allocation_p_value((20, 10, 30), (2, 1, 3)) == 1.0


@pytest.mark.parametrize("weights", [(1, 1), (1, 2, 3)])
def test_chance_alone_is_suspected_as_rarely_as_said_and_who_leaves_one_arm_is_found(weights: Sequence[int]) -> None:
    """4,000 surveys of 300 people, seed fixed: 80 are beyond 1% once in a million. In the twin a third leave one."""
    generator = np.random.default_rng(65)
    shares = np.array(weights) / sum(weights)
    dealt = generator.multinomial(300, shares, 4_000)
    assert sum(allocation_p_value(sizes.tolist(), weights) < 0.01 for sizes in dealt) < 80
    stayed = dealt[:200].copy()
    stayed[:, -1] = generator.binomial(stayed[:, -1], 2 / 3)
    assert sum(allocation_p_value(sizes.tolist(), weights) < 0.01 for sizes in stayed) > 100


@pytest.mark.parametrize(
    ("sizes", "weights", "wrong"),
    [((3,), (1,), "weights"), ((3, 4), (1, 0), "weights"), ((3, 4), (1, 1, 1), "sizes"), ((0, 0), (1, 1), "sizes")],
)
def test_what_are_no_arms_is_refused(sizes: Sequence[int], weights: Sequence[int], wrong: str) -> None:
    with pytest.raises(ValueError, match=f"^{wrong} must"):
        allocation_p_value(sizes, weights)
