"""Two randomized questions together are one design: the truth is a pair, and so is the report."""

from fractions import Fraction
from functools import lru_cache

from surveys.privacy.designs.design import Design, Matrix


@lru_cache(maxsize=8)
def product(design_a: Design, design_b: Design) -> Design:
    """Return the design of two questions whose chances are independent: the Kronecker product of the matrices.

    Parameters
    ----------
    design_a, design_b : Design
        With k₁ and k₂ truths, m₁ and m₂ reports.

    Returns
    -------
    Design
        With k₁k₂ truths and m₁m₂ reports. The pair (i, j) has the code i·k₂ + j, that is a table read row by row. Its
        epsilon is the sum of the two.
    """
    matrix = kronecker(design_a.matrix, design_b.matrix)
    weights = None
    if design_a.m != design_a.k or design_b.m != design_b.k:
        weights = kronecker(design_a.left_inverse, design_b.left_inverse)
    return Design("matrix", matrix, (("rows", matrix),), weights)


def kronecker(a: Matrix, b: Matrix) -> Matrix:
    """Return the exact Kronecker product of two matrices; equal entries of a row share their products."""
    return tuple(_row(row_a, row_b) for row_a in a for row_b in b)


def _row(row_a: tuple[Fraction, ...], row_b: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    products = {(x, y): x * y for x in set(row_a) for y in set(row_b)}
    return tuple(products[x, y] for x in row_a for y in row_b)
