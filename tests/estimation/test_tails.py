import numpy as np
import pytest
from scipy import stats

from surveys.estimation.tails import at_most


@pytest.mark.parametrize("n", [1, 10, 1000, 10**7, 3 * 10**9, 10**12])
@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.25, 0.5, 0.9, 1.0])
def test_the_tail_equals_that_of_scipy_at_any_size(n: int, probability: float) -> None:
    spread = (n * probability * (1 - probability)) ** 0.5
    counts = np.unique([0, n, *(int(n * probability + sd * spread) for sd in (-4, -1.1, 1, 4))]).clip(0, n)
    assert at_most(counts, n, probability) == pytest.approx(stats.binom.cdf(counts, n, probability), rel=1e-9)


def test_no_count_is_below_0_and_all_are_at_most_n() -> None:
    assert at_most(np.array([-3, -1, 5, 9]), 5, 0.3).tolist() == [0, 0, 1, 1]
    assert at_most(np.array([0, 4]), 5, 1.0).tolist() == [0, 0]


def test_a_rare_report_keeps_its_digits() -> None:
    # (1 − p)^n, where 1 − p is 1 in floats.
    assert at_most(np.array([0]), 10**15, 1e-17)[0] == pytest.approx(np.exp(-0.01), rel=1e-12)


def test_several_sizes_and_probabilities_are_taken_at_once() -> None:
    tails = at_most(np.array([1, 2, 3]), np.array([3, 4, 9]), np.array([0.1, 0.2, 0.3]))
    assert tails == pytest.approx(stats.binom.cdf([1, 2, 3], [3, 4, 9], [0.1, 0.2, 0.3]), rel=1e-13)
