import numpy as np
import pytest
from scipy import stats

from surveys.estimation.list_experiment.double import estimate_double_list
from surveys.estimation.list_experiment.types import estimate_list
from surveys.privacy.designs import direct, k_ary

IN_A = np.array([[3, 4, 1], [6, 12, 5], [4, 14, 9], [1, 3, 8]])
"""A has two innocuous items and the sensitive one, B has two."""
IN_B = np.array([[5, 6, 2, 0], [4, 15, 12, 2], [1, 6, 10, 5]])


def test_it_is_the_mean_of_both_lists_and_their_difference_is_told() -> None:
    both = estimate_double_list(IN_A, IN_B)
    by_a = estimate_list(IN_B.sum(axis=1), IN_A.sum(axis=1))
    by_b = estimate_list(IN_A.sum(axis=0), IN_B.sum(axis=0))
    assert (both.by_a.point, both.by_a.standard_error) == pytest.approx((by_a.point, by_a.standard_error))
    assert (both.by_b.point, both.by_b.standard_error) == pytest.approx((by_b.point, by_b.standard_error))
    assert both.point == pytest.approx((by_a.point + by_b.point) / 2)
    assert both.apart.point == pytest.approx(by_a.point - by_b.point)


def test_the_variance_is_that_of_differences_within_people() -> None:
    both, people = estimate_double_list(IN_A, IN_B), []
    for table in (IN_A, IN_B):
        pairs = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
        people.append((pairs[0] - pairs[1]) / 2)
    test = stats.ttest_ind(people[0], people[1], equal_var=False)
    assert both.point == pytest.approx(people[0].mean() - people[1].mean())
    assert both.point / both.standard_error == pytest.approx(test.statistic)
    limits = test.confidence_interval(0.95)
    assert both.mean.limits(0.95) == pytest.approx((limits.low, limits.high))
    assert both.interval().high == pytest.approx(limits.high)
    # Counts go together within people, which makes the mean more precise than two lists of different people.
    assert both.standard_error < np.hypot(both.by_a.standard_error, both.by_b.standard_error) / 2


def test_two_lists_that_disagree_are_noticed() -> None:
    assert estimate_double_list(IN_A, IN_B).apart_p_value > 0.05
    everything = np.zeros_like(IN_A)
    everything[-1] = IN_A.sum(axis=0)
    assert estimate_double_list(everything, IN_B).apart_p_value < 1e-6


def test_lists_of_different_length_through_coins_are_taken() -> None:
    coins = k_ary(2, "3/4"), k_ary(3, "3/4")
    in_a, in_b = np.array([[9, 4, 3], [5, 9, 2], [3, 8, 6]]), np.array([[7, 5, 3, 1], [2, 8, 9, 4]])
    both = estimate_double_list(in_a, in_b, designs_a=coins)
    by_a = estimate_list(in_b.sum(axis=1), in_a.sum(axis=1), designs=coins)
    assert (both.by_a.point, both.by_a.standard_error) == pytest.approx((by_a.point, by_a.standard_error))
    other = estimate_double_list(in_a, in_b, designs_a=coins, designs_b=(direct(3), direct(4)))
    assert other == both


@pytest.mark.parametrize(
    ("in_a", "in_b", "designs_a", "message"),
    [
        ([1, 2], IN_B, None, "^sensitive_in_a"),
        (IN_A, [[0.5]], None, "^sensitive_in_b"),
        (IN_A, -IN_B, None, "^sensitive_in_b .*0"),
        (IN_A[:-1], IN_B, None, "^sensitive_in_a .*4.*3"),
        (IN_A, IN_B[:, :-1], None, "^sensitive_in_b .*3.*4"),
        (IN_A, np.vstack([IN_B, IN_B[:1]]), (direct(4), direct(4)), "this group"),
    ],
)
def test_what_are_no_two_tables_of_pairs_is_refused(
    in_a: object, in_b: object, designs_a: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimate_double_list(in_a, in_b, designs_a=designs_a)  # type: ignore[arg-type]
