"""Many reports at once, from the operating system's cryptographic source, for simulations and load tests.

The same walk as `randomness.draw_report`, vectorised: one integer below the common denominator for each answer, and
the report is the number of cumulated weights that it reaches. numpy never draws anything here.
"""

import os
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from surveys.privacy.designs.design import Design

_WIDTHS = (1, 2, 4, 8)
# Up to here eight bytes leave at most one draw in eight to be repeated.
LARGEST_DENOMINATOR = 2**61


def perturb_many(
    truths: Sequence[int] | npt.NDArray[np.integer],
    design: Design,
    random_bytes: Callable[[int], bytes] = os.urandom,
) -> npt.NDArray[np.unsignedinteger]:
    """Draw one report for each true answer.

    Parameters
    ----------
    truths : sequence of integers
        Codes of true answers, in ``range(design.k)``.
    design : Design
        The design matrix in use.
    random_bytes : callable, optional
        The source: called with a number, it returns so many uniform bytes.

    Returns
    -------
    array of unsigned integers
        The codes of the reports, in the order of the true answers and in the smallest type that holds them:
        `numpy.bincount` counts them, Python's `sum` would overflow.

    Raises
    ------
    ValueError
        If a true answer is not a code of the design, or its common denominator is above 2^61.

    Examples
    --------
    >>> from surveys.privacy import perturb_many, warner
    >>> perturb_many([1, 1, 1, 1], warner(1)).tolist()
    [1, 1, 1, 1]
    """
    codes = np.asarray(truths)
    if codes.ndim != 1 or (codes.size and codes.dtype.kind not in "iu"):
        raise ValueError("truths must be one sequence of integers")
    if codes.size and not (codes.min() >= 0 and codes.max() < design.k):
        raise ValueError(f"truths must be integers from 0 to {design.k - 1}")
    if not design.denominator <= LARGEST_DENOMINATOR:
        raise ValueError(f"the common denominator of the design is above {LARGEST_DENOMINATOR}: draw one by one")
    rows = codes.astype(np.intp)
    draws = uniform_below(design.denominator, rows.size, random_bytes)
    # A report with weight 0 may end at the denominator itself, which the type of the draws need not hold.
    ends = np.cumsum(design.columns, axis=1).astype(np.min_scalar_type(design.denominator))
    reports = np.zeros(rows.size, dtype=np.min_scalar_type(design.m - 1))
    for end in ends.T[:-1]:
        reports += draws >= end.take(rows)
    return reports


def uniform_below(bound: int, size: int, random_bytes: Callable[[int], bytes]) -> npt.NDArray[np.unsignedinteger]:
    """Return uniform integers in ``range(bound)``: random bytes are cut into equal parts, what is left over is redrawn.

    The narrowest integers are drawn that leave at most one in eight to be redrawn; none is for a power of two.
    """
    width = next(width for width in _WIDTHS if 256**width % bound <= 256**width // 8)
    part, left_over = divmod(256**width, bound)
    numbers = _integers(width, size, random_bytes)
    if left_over:
        limit = 256**width - left_over
        numbers = numbers.copy()
        refused = np.flatnonzero(numbers >= limit)
        while refused.size:
            numbers[refused] = _integers(width, refused.size, random_bytes)
            refused = refused[numbers[refused] >= limit]
    below: npt.NDArray[np.unsignedinteger] = numbers // np.min_scalar_type(part).type(part)
    return below


def _integers(width: int, size: int, random_bytes: Callable[[int], bytes]) -> npt.NDArray[np.unsignedinteger]:
    """Read so many unsigned integers of so many bytes."""
    return np.frombuffer(random_bytes(width * size), dtype=f"<u{width}", count=size)
