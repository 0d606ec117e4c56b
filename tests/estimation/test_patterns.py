import numpy as np
import pytest

from surveys.estimation.patterns import item_counts, joint_counts

PATTERNS = np.array([[0, 1, 255], [1, 1, 255], [0, 255, 2]], dtype=np.uint8)
COUNTS = np.array([5, 2**60, 1], dtype=np.int64)


def test_the_counts_of_an_item_add_up_over_patterns_exactly() -> None:
    counts, missing = item_counts(PATTERNS, COUNTS, item=1, m=2)
    assert counts.tolist() == [0, 2**60 + 5]
    assert missing == 1


def test_an_item_that_nearly_everybody_left_out_is_nearly_all_missing() -> None:
    counts, missing = item_counts(PATTERNS, COUNTS, item=2, m=4)
    assert counts.tolist() == [0, 0, 1, 0]
    assert missing == 2**60 + 5


def test_no_responses_have_no_counts() -> None:
    counts, missing = item_counts(np.empty((0, 2), np.uint8), np.empty(0, np.int64), item=0, m=3)
    assert (counts.tolist(), missing) == ([0, 0, 0], 0)


def test_a_code_that_the_item_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^item 2 .*code 2"):
        item_counts(PATTERNS, COUNTS, item=2, m=2)


@pytest.mark.parametrize("item", [-1, 3])
def test_an_item_that_is_not_there_is_refused(item: int) -> None:
    with pytest.raises(ValueError, match=r"^item .*0.*2"):
        item_counts(PATTERNS, COUNTS, item=item, m=2)


@pytest.mark.parametrize(("patterns", "counts"), [(PATTERNS, COUNTS[:2]), (PATTERNS[0], COUNTS)])
def test_shapes_that_disagree_are_refused(patterns: np.ndarray, counts: np.ndarray) -> None:
    with pytest.raises(ValueError, match="entry a pattern"):
        item_counts(patterns, counts, item=0, m=2)


def test_patterns_of_several_items_are_counted_where_none_of_them_is_left_out() -> None:
    assert joint_counts(PATTERNS, COUNTS, [1, 0], (2, 3)).tolist() == [[0, 0, 0], [5, 2**60, 0]]
    assert joint_counts(PATTERNS, COUNTS, [0, 2], (2, 3)).tolist() == [[0, 0, 1], [0, 0, 0]]


def test_a_code_that_one_of_several_items_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^item 2 "):
        joint_counts(PATTERNS, COUNTS, [0, 2], (2, 2))
