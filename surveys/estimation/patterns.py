"""From patterns of whole responses to the counts of one item, or of several items together."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from surveys.privacy.rationals import whole_number

MISSING = 255
"""The code that stands for a skipped item."""


def item_counts(
    patterns: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64], item: int, m: int
) -> tuple[npt.NDArray[np.int64], int]:
    """Count the reports of one item.

    Parameters
    ----------
    patterns : array of uint8, one row a pattern, one column an item
        The distinct responses; `MISSING` where an item was skipped.
    counts : array of int64, one entry a pattern
        How many responses have each pattern.
    item : int
        The item's column.
    m : int
        The number of possible reports.

    Returns
    -------
    counts : array of m int64
        How often each report was received.
    missing : int
        How many responses skipped the item.

    Raises
    ------
    ValueError
        If there is no such item, the shapes disagree, or a pattern holds a code that the item has not.
    """
    if patterns.ndim != 2 or counts.shape != patterns.shape[:1]:
        raise ValueError(f"patterns and counts need a row and an entry a pattern, got {patterns.shape}, {counts.shape}")
    item = whole_number(item, "item", 0, patterns.shape[1] - 1)
    codes = patterns[:, item]
    present = codes != MISSING
    if not (codes[present] < m).all():
        raise ValueError(f"item {item} has {m} possible reports, but its patterns hold the code {codes[present].max()}")
    totals = np.zeros(m, dtype=np.int64)
    # Integer additions, where bincount with weights would go through floats.
    np.add.at(totals, codes[present], counts[present])
    return totals, int(counts[~present].sum())


def joint_counts(
    patterns: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64], items: Sequence[int], shape: tuple[int, ...]
) -> npt.NDArray[np.int64]:
    """Count the combinations of the reports of several items, in responses that leave none of them out.

    Parameters
    ----------
    patterns, counts
        As of `item_counts`.
    items : sequence of int
        The items' columns.
    shape : tuple of int
        The number of possible reports of each.

    Returns
    -------
    array of int64 of this shape
        How often each combination was received.

    Raises
    ------
    ValueError
        If `item_counts` refuses an item, or there are not as many items as numbers of reports.
    """
    for item, m in zip(items, shape, strict=True):
        item_counts(patterns, counts, item, m)
    codes = patterns[:, list(items)].astype(np.intp)
    complete = (codes != MISSING).all(axis=1)
    totals = np.zeros(shape, dtype=np.int64)
    np.add.at(totals, tuple(codes[complete].T), counts[complete])
    return totals
