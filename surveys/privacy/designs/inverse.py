"""The exact inverse, or left inverse, of a matrix of Fractions."""

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


def left_inverse_of(matrix: Sequence[Sequence[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    """Return exact weights G with G·P = I; for more reports than truths those of weighted least squares.

    G = (PᵀWP)⁻¹PᵀW with W = diag(1/row sums of P): how little the counts vary where all prevalences are equal. Its
    columns sum to 1, so the estimated prevalences do, because PᵀWP·1 = 1.

    Raises
    ------
    ValueError
        If there are fewer reports than truths, or the reports do not determine the truths.
    """
    reports, truths = len(matrix), len(matrix[0])
    if reports < truths:
        raise ValueError(
            f"the design has {reports} reports for {truths} truths, so its reports do not determine the prevalences"
        )
    if reports == truths:
        return inverse_of(matrix)
    weighted = [[entry / sum(row) for entry in row] for row in matrix]
    columns = list(zip(*weighted, strict=True))
    normal = [[_dot(column, other) for other in zip(*matrix, strict=True)] for column in columns]
    return tuple(tuple(_dot(row, report) for report in weighted) for row in inverse_of(normal))


def is_left_inverse(weights: Sequence[Sequence[Fraction]], matrix: Sequence[Sequence[Fraction]]) -> bool:
    """Return whether weights·matrix is exactly the identity (and both have fitting shapes)."""
    truths = len(matrix[0])
    if len(weights) != truths or any(len(row) != len(matrix) for row in weights):
        return False
    columns = list(zip(*matrix, strict=True))
    return all(_dot(row, column) == (i == j) for i, row in enumerate(weights) for j, column in enumerate(columns))


def _dot(row: Sequence[Fraction], column: Sequence[Fraction]) -> Fraction:
    """Return the exact sum of products."""
    return sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0))
