"""What every estimator refuses before it computes."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from surveys.privacy.designs.design import Design
from surveys.privacy.rationals import as_integer, show_value, whole_number

Counts: TypeAlias = Sequence[int] | npt.NDArray[np.integer]
Floats: TypeAlias = npt.NDArray[np.float64]
_Scalar = TypeVar("_Scalar", bound=np.generic)

LARGEST_N = 10**15
"""More responses than this are taken for a mistake; up to here no sum overflows, and floats hold every count."""

LARGEST_NUMBER = 1e100
"""Of larger ones the squares, and so the standard errors, are no floats any more."""


def integer_array(values: object) -> npt.NDArray[np.int64] | None:
    """Return integers as an array of their shape; None where one is none (a bool, a float), or beyond LARGEST_N."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        # One by one, many thousands take as long as what is estimated from them.
        within = (values >= -LARGEST_N) & (values <= LARGEST_N)
        return values.astype(np.int64) if within.all() else None
    try:
        array = np.array(values, dtype=object)  # which leaves a bool a bool
    except ValueError:  # arrays of different shapes in a list
        return None
    numbers = [as_integer(value) for value in array.flat]
    if any(number is None or abs(number) > LARGEST_N for number in numbers):
        return None
    return np.array(numbers, dtype=np.int64).reshape(array.shape)


def whole_numbers(values: Counts, length: int, name: str) -> npt.NDArray[np.int64]:
    """Return a read-only int64 copy of a sequence of integers that has this length."""
    array = integer_array(values)
    if array is None or array.shape != (length,):
        raise ValueError(f"{name} must be {length} integers of at most {LARGEST_N}, got {values!r}")
    return read_only(array)


def report_counts(counts: Counts, length: int, name: str = "counts") -> npt.NDArray[np.int64]:
    """Return the counts of a question's reports: integers of at least 0 that sum to 1 at least and 10^15 at most."""
    return require_counts(whole_numbers(counts, length, name), name)


def require_counts(array: npt.NDArray[np.int64], name: str) -> npt.NDArray[np.int64]:
    """Return integers of at least 0 whose sum is at least 1 and at most 10^15, or refuse them."""
    numbers = array.ravel().tolist()  # Python's integers: their sum does not overflow
    if not (min(numbers, default=0) >= 0 and 1 <= sum(numbers) <= LARGEST_N):
        raise ValueError(f"{name} must be at least 0 and sum to at least 1 and at most {LARGEST_N}, got {numbers}")
    return array


def responses(n: object) -> int:
    """Return a number of responses: an integer from 1 to 10^15."""
    return whole_number(n, "n", 1, LARGEST_N)


def as_float(value: object) -> float:
    """Return a finite number, exact or not, as a float; NaN for a bool, text, and what no float can hold."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def share(value: object, name: str) -> float:
    """Return a number from 0 to 1 as a float."""
    number = as_float(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be between 0 and 1, got {show_value(value)}")
    return number


def share_inside(value: object, name: str) -> float:
    """Return a number strictly between 0 and 1 as a float."""
    number = as_float(value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be between 0 and 1, and neither, got {show_value(value)}")
    return number


def level(confidence_level: object) -> float:
    """Return a confidence level strictly between 0 and 1 as a float."""
    return share_inside(confidence_level, "confidence_level")


def as_list(value: object) -> list[object] | None:
    """Return what a sequence or an array holds; None for text and for a single value."""
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        return None
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return None
    return list(value)


def require_design(design: object, name: str = "design") -> Design:
    """Return a design, or refuse what is none."""
    if not isinstance(design, Design):
        raise ValueError(f"{name} must be a Design, got {design!r}")  # noqa: TRY004 - one kind of error for all wrong arguments
    return design


def read_only(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Return the array, made impossible to change."""
    array.setflags(write=False)
    return array
