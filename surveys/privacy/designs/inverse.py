"""The exact inverse, or left inverse, of a matrix of Fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import TypeAlias

Integers: TypeAlias = Sequence[Sequence[int]]

_PRIMES = tuple(2**power - 1 for power in (1279, 2203, 4423, 9689, 19937, 44497))


def inverse_of(matrix: Sequence[Sequence[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    """Invert a matrix whose columns sum to 1, exactly: in closed form for straight lines, else modulo a prime.

    Straight lines are those of two answers and of k-ary codes: each row has one entry beside the diagonal's.

    Raises
    ------
    ValueError
        If the matrix is not square, or is singular.
    """
    size = len(matrix)
    if any(len(row) != size for row in matrix):
        raise ValueError("the design has not as many reports as truths, so its matrix has no inverse")
    beside = [_entry_beside_the_diagonal(row, number) for number, row in enumerate(matrix)]
    slope = matrix[0][0] - beside[0] if beside[0] is not None else Fraction(0)
    if None not in beside and slope:
        return _inverse_of_lines(slope, [entry for entry in beside if entry is not None])
    # Whole numbers, column by column: the columns' denominators have little in common.
    scales = [math.lcm(*(entry.denominator for entry in column)) for column in zip(*matrix, strict=True)]
    scaled = [[int(entry * scale) for entry, scale in zip(row, scales, strict=True)] for row in matrix]
    numerators, denominator = _whole_inverse(scaled)
    return tuple(
        tuple(Fraction(entry * scale, denominator) for entry in row)
        for row, scale in zip(numerators, scales, strict=True)
    )


def _entry_beside_the_diagonal(row: Sequence[Fraction], place: int) -> Fraction | None:
    """Return what a row has everywhere but in its own place, None where that is not one and the same."""
    entry = row[place - 1]
    return entry if row.count(entry) - (row[place] == entry) == len(row) - 1 else None


def _inverse_of_lines(slope: Fraction, beside: Sequence[Fraction]) -> tuple[tuple[Fraction, ...], ...]:
    """Invert P = b·I + a·1ᵀ: as b + Σa = 1, P⁻¹ = (I − a·1ᵀ)/b (Sherman & Morrison 1950)."""
    size, rows = len(beside), []
    for place, entry in enumerate(beside):
        other = -entry / slope
        rows.append((other,) * place + (other + 1 / slope,) + (other,) * (size - 1 - place))
    return tuple(rows)


def _whole_inverse(matrix: Integers) -> tuple[list[list[int]], int]:
    """Return N and d with matrix·N = d·I, all integers.

    The inverse modulo a prime p is lifted: its digits to the base p are, one after the other, that inverse times what
    is left of the identity. Once their number's range is twice what Hadamard's inequality allows numerators times
    denominators, they determine both. The product is checked at last.

    References
    ----------
    Dixon (1982), Exact solution of linear equations using p-adic expansions.
    """
    size = len(matrix)
    bound = math.prod(math.isqrt(sum(entry * entry for entry in row)) + 1 for row in matrix)
    prime, start = _inverse_modulo_a_prime(matrix, bound)
    left, digits, modulus = _identity(size), [[0] * size for _ in range(size)], 1
    while modulus <= 2 * bound * bound:
        digit = [[entry % prime for entry in row] for row in _product(start, left)]
        digits = [
            [a + modulus * b for a, b in zip(row, new, strict=True)] for row, new in zip(digits, digit, strict=True)
        ]
        left = [
            [(a - b) // prime for a, b in zip(row, new, strict=True)]
            for row, new in zip(left, _product(matrix, digit), strict=True)
        ]
        modulus *= prime
    denominator = 1
    for row in digits:
        for entry in row:
            rest = _near_zero(entry * denominator, modulus)
            if abs(rest) > bound:
                denominator *= _denominator_of(rest, modulus, bound)
    numerators = [[_near_zero(entry * denominator, modulus) for entry in row] for row in digits]
    expected = [[denominator * entry for entry in row] for row in _identity(size)]
    if _product(matrix, numerators) != expected:
        raise AssertionError("the inverse is wrong")  # no matrix that was tried has led here
    return numerators, denominator


def _inverse_modulo_a_prime(matrix: Integers, bound: int) -> tuple[int, list[list[int]]]:
    """Return a prime and the inverse modulo it; a determinant that too many primes divide for its bound is 0."""
    divisor = 1
    for prime in _PRIMES:
        inverse = _inverse_modulo(matrix, prime)
        if inverse is not None:
            return prime, inverse
        divisor *= prime
        if divisor > bound:
            raise ValueError("the design matrix is singular: its reports do not determine the prevalences")
    raise ValueError("the design matrix has numbers too large to tell whether its reports determine the prevalences")


def _inverse_modulo(matrix: Integers, prime: int) -> list[list[int]] | None:
    """Return the inverse modulo a prime by Gauss–Jordan elimination, None where there is none."""
    size = len(matrix)
    work = [[entry % prime for entry in row] + unit for row, unit in zip(matrix, _identity(size), strict=True)]
    for column in range(size):
        below = next((i for i in range(column, size) if work[i][column]), None)
        if below is None:
            return None
        work[column], work[below] = work[below], work[column]
        factor = pow(work[column][column], -1, prime)
        pivot_row = work[column] = [entry * factor % prime for entry in work[column]]
        for i, row in enumerate(work):
            if i != column and (factor := row[column]):
                work[i] = [(a - factor * b) % prime for a, b in zip(row, pivot_row, strict=True)]
    return [row[size:] for row in work]


def _denominator_of(residue: int, modulus: int, bound: int) -> int:
    """Return the denominator of the fraction of small numbers that leaves this residue, by Euclid's algorithm."""
    large, small, before, after = modulus, residue % modulus, 0, 1
    while small > bound:
        quotient = large // small
        large, small, before, after = small, large - quotient * small, after, before - quotient * after
    return abs(after)


def _near_zero(number: int, modulus: int) -> int:
    """Return what is left of a number modulo another, from minus half of that to half of it."""
    rest = number % modulus
    return rest - modulus if 2 * rest > modulus else rest


def _product(matrix: Integers, other: Integers) -> list[list[int]]:
    columns = list(zip(*other, strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in matrix]


def _identity(size: int) -> list[list[int]]:
    return [[int(i == j) for j in range(size)] for i in range(size)]


def left_inverse_of(matrix: Sequence[Sequence[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    """Return exact weights G with G·P = I; for more reports than true answers those of weighted least squares.

    G = (PᵀWP)⁻¹PᵀW with W = diag(1/row sums of P): how little the counts vary where all prevalences are equal. Its
    columns sum to 1, so the estimated prevalences do, because PᵀWP·1 = 1.

    Raises
    ------
    ValueError
        If there are fewer reports than true answers, or the reports do not determine the true answers.
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
