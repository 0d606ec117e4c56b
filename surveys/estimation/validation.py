"""What every estimator refuses before it computes."""

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Counts: TypeAlias = Sequence[int] | npt.NDArray[np.integer]
Floats: TypeAlias = npt.NDArray[np.float64]
_Scalar = TypeVar("_Scalar", bound=np.generic)


def whole_numbers(values: Counts, length: int, name: str) -> npt.NDArray[np.int64]:
    """Return a read-only int64 copy of a sequence of integers that has this length."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.shape != (length,):
        raise ValueError(f"{name} must be {length} integers, got {values!r}")
    return read_only(array.astype(np.int64))


def report_counts(counts: Counts, length: int, name: str = "counts") -> npt.NDArray[np.int64]:
    """Return the counts of a question's reports: integers of at least 0, not all of them 0."""
    array = whole_numbers(counts, length, name)
    if not (array.min() >= 0 and array.sum() >= 1):
        raise ValueError(f"{name} must be at least 0 and sum to at least 1, got {counts!r}")
    return array


def level(confidence_level: float) -> float:
    """Return a confidence level strictly between 0 and 1."""
    if not 0 < confidence_level < 1:
        raise ValueError(f"confidence_level must be between 0 and 1, got {confidence_level!r}")
    return confidence_level


def read_only(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Return the array, made impossible to change."""
    array.setflags(write=False)
    return array
