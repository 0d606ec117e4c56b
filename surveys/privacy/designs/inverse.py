"""The exact inverse of a matrix of Fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction


def inverse_of(matrix: Sequence[Sequence[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    """Invert by fraction-free Gauss–Jordan elimination: on integers, whose divisions all leave no remainder.

    Raises
    ------
    ValueError
        If the matrix is not square, or is singular.

    References
    ----------
    Bareiss (1968), Sylvester's identity and multistep integer-preserving Gaussian elimination.
    """
    size = len(matrix)
    if any(len(row) != size for row in matrix):
        raise ValueError("the design has not as many reports as truths, so its matrix has no inverse")
    scale = math.lcm(*(entry.denominator for row in matrix for entry in row))
    work = [
        [*(int(entry * scale) for entry in row), *(int(i == j) for j in range(size))] for i, row in enumerate(matrix)
    ]
    previous = 1
    for column in range(size):
        below = next((i for i in range(column, size) if work[i][column]), None)
        if below is None:
            raise ValueError("the design matrix is singular: its reports do not determine the prevalences")
        work[column], work[below] = work[below], work[column]
        pivot_row, pivot = work[column], work[column][column]
        for i, row in enumerate(work):
            if i != column:
                factor = row[column]
                work[i] = [(pivot * a - factor * b) // previous for a, b in zip(row, pivot_row, strict=True)]
        previous = pivot
    # Every diagonal entry is now the last pivot, and the right half is the inverse of scale·matrix times it.
    return tuple(tuple(Fraction(entry * scale, previous) for entry in row[size:]) for row in work)
