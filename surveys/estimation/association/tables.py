"""What is a table of counts."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from surveys.estimation.validation import LARGEST_N, integer_array, read_only, require_counts

Table: TypeAlias = Sequence[Sequence[int]] | npt.NDArray[np.integer]


def count_table(table: Table, shape: tuple[int, int] | None = None) -> npt.NDArray[np.int64]:
    """Return a read-only int64 copy of a table of this shape, if one is given.

    It holds integers of at least 0 that sum to 1 at least and 10^15 at most.
    """
    array = integer_array(table)
    wanted = f"{shape[0]} × {shape[1]}" if shape else "rows and columns of"
    if array is None or array.ndim != 2 or (shape and array.shape != shape):
        raise ValueError(f"table must be {wanted} integers of at most {LARGEST_N}, got {table!r}")
    return read_only(require_counts(array, "table"))
