"""The exact inverse of a matrix of Fractions."""

from collections.abc import Sequence
from fractions import Fraction


def inverse_of(matrix: Sequence[Sequence[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    """Invert by Gauss–Jordan elimination, without rounding.

    Raises
    ------
    ValueError
        If the matrix is not square, or is singular.
    """
    size = len(matrix)
    if any(len(row) != size for row in matrix):
        raise ValueError("the design has not as many reports as truths, so its matrix has no inverse")
    work = [[*row, *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next((i for i in range(column, size) if work[i][column]), None)
        if pivot is None:
            raise ValueError("the design matrix is singular: its reports do not determine the prevalences")
        work[column], work[pivot] = work[pivot], work[column]
        scale = work[column][column]
        work[column] = [entry / scale for entry in work[column]]
        for i in range(size):
            factor = work[i][column]
            if i != column and factor:
                work[i] = [a - factor * b for a, b in zip(work[i], work[column], strict=True)]
    return tuple(tuple(row[size:]) for row in work)
