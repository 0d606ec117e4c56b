"""Respondents who do not exist, drawn from what a released table says about the true answers.

The table's moment estimate is moved to the nearest distribution, whose probabilities are cut to 53 binary digits; from
these integers rows are drawn exactly. It is all made from published numbers, and so costs nothing more.
"""

import secrets
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from surveys.estimation.learning.table import ReleasedTable
from surveys.estimation.validation import LARGEST_N, Floats, read_only
from surveys.privacy.rationals import whole_number

_DIGITS = 53


def draw_synthetic_rows(
    table: ReleasedTable, number: int, randbelow: Callable[[int], int] = secrets.randbelow
) -> npt.NDArray[np.int64]:
    """Return the true answers of so many synthetic respondents, one row each, one column an item.

    Parameters
    ----------
    table : ReleasedTable
        What was published.
    number : int
        How many rows.
    randbelow : callable, optional
        The source of uniform integers.

    Returns
    -------
    array of number × q integers
        Codes of true answers.

    Raises
    ------
    ValueError
        If the number is no integer of at least 0.

    Examples
    --------
    >>> from surveys.estimation import ReleasedTable, draw_synthetic_rows
    >>> from surveys.privacy import DiscreteLaplace, forced_response
    >>> coins = forced_response()
    >>> table = ReleasedTable([[342, 261], [258, 337]], 1200, (coins, coins), DiscreteLaplace(1, 2))
    >>> draw_synthetic_rows(table, 5).shape
    (5, 2)
    """
    number = whole_number(number, "number", 0, LARGEST_N)
    ends = list(accumulate(integer_weights(table.constrained)))
    cells = [bisect_right(ends, randbelow(ends[-1])) for _ in range(number)]
    rows = np.unravel_index(np.array(cells, dtype=np.int64), table.shape)
    return read_only(np.column_stack(rows).astype(np.int64))


def integer_weights(distribution: Floats) -> list[int]:
    """Return the probabilities as integers of 53 binary digits: scaling a float by a power of two is exact."""
    return [int(probability * 2.0**_DIGITS) for probability in distribution.ravel().tolist()]
