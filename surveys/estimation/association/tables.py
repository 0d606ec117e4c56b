"""What is a table of counts."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import read_only

Table: TypeAlias = Sequence[Sequence[int]] | npt.NDArray[np.integer]


def count_table(table: Table, shape: tuple[int, int] | None = None) -> npt.NDArray[np.int64]:
    """Return a read-only int64 copy of a table of integers of at least 0, not all of them 0, of this shape if given."""
    try:
        array = np.asarray(table)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    wanted = f"{shape[0]} × {shape[1]}" if shape else "rows and columns of"
    if array.dtype.kind not in "iu" or array.ndim != 2 or (shape and array.shape != shape):
        raise ValueError(f"table must be {wanted} integers, got {table!r}")
    array = array.astype(np.int64)
    if not (array.size and array.min() >= 0 and array.sum() >= 1):
        raise ValueError(f"table must hold counts of at least 0 that sum to at least 1, got {table!r}")
    return read_only(array)
