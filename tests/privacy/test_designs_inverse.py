"""The exact weights that turn counts of reports into prevalences."""

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.designs import (
    Design,
    forced_response,
    from_matrix,
    inverse,
    k_ary,
    kuk,
    mangat,
    optimized_unary,
    warner,
)
from surveys.privacy.designs.inverse import is_left_inverse
from tests.golden import cases
from tests.privacy.any_design import proper

THREE_REPORTS = from_matrix([["1/2", "1/6"], ["1/4", "1/6"], ["1/4", "2/3"]])
SINGULAR = [["1/2", "1/2", "1/4"], ["1/4", "1/4", "1/2"], ["1/4", "1/4", "1/4"]]


@given(st.integers(2, 6), proper, st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_the_inverse_is_exact(k: int, truth: Fraction, parts: list[int]) -> None:
    design = k_ary(k, truth, [Fraction(part, sum(parts[:k])) for part in parts[:k]])
    product = [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*design.matrix, strict=True)]
        for row in design.inverse
    ]
    assert product == [[int(i == j) for j in range(k)] for i in range(k)]


def test_the_inverse_exchanges_rows_where_a_pivot_is_zero() -> None:
    assert warner(0).inverse == ((0, 1), (1, 0))


def by_elimination(matrix: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """The inverse by Gauss–Jordan elimination with fractions."""
    size = len(matrix)
    work = [[*row, *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        below = next(i for i in range(column, size) if work[i][column])
        work[column], work[below] = work[below], work[column]
        work[column] = [entry / work[column][column] for entry in work[column]]
        for i, row in enumerate(work):
            if i != column:
                work[i] = [a - row[column] * b for a, b in zip(row, work[column], strict=True)]
    return [row[size:] for row in work]


def columns_of(columns: list[list[int]]) -> list[list[Fraction]]:
    """The rows of a matrix whose columns sum to 1, each with a heavy diagonal that keeps them independent."""
    heavy = [[entry + 60 * (i == j) for i, entry in enumerate(column)] for j, column in enumerate(columns)]
    return [
        [Fraction(entry, sum(column)) for entry, column in zip(row, heavy, strict=True)]
        for row in zip(*heavy, strict=True)
    ]


@given(
    st.integers(2, 6).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)
    )
)
def test_the_inverse_of_any_matrix_is_that_of_elimination(columns: list[list[int]]) -> None:
    rows = columns_of(columns)
    assert [list(row) for row in from_matrix(rows).inverse] == by_elimination(rows)


@given(st.integers(2, 6), proper, st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_the_closed_form_is_the_inverse_modulo_a_prime(k: int, truth: Fraction, parts: list[int]) -> None:
    design = k_ary(k, truth, [Fraction(part, sum(parts[:k])) for part in parts[:k]])
    scale = design.denominator
    numerators, denominator = inverse._whole_inverse([[int(scale * entry) for entry in row] for row in design.matrix])
    assert design.inverse == tuple(tuple(Fraction(scale * entry, denominator) for entry in row) for row in numerators)


def test_numbers_of_many_digits_are_inverted_exactly() -> None:
    # So many that the inverse has more than fits into one power of the prime.
    far = [[Fraction(10**400 + i * j**2, 7 * 10**400 + i + j**3) for i in range(4)] for j in range(4)]
    rows = [[entry / sum(column) for entry, column in zip(row, zip(*far, strict=True), strict=True)] for row in far]
    assert [list(row) for row in from_matrix(rows).inverse] == by_elimination(rows)


def test_a_prime_that_divides_the_determinant_is_left_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["3/4", "1/8", "0"], ["1/4", "3/4", "1/2"], ["0", "1/8", "1/2"]]  # 2 divides it, in eighths and halves
    expected = from_matrix(rows).inverse
    monkeypatch.setattr(inverse, "_PRIMES", (2, 3, 5, 7, 2**89 - 1))
    assert from_matrix(rows).inverse == expected


def test_only_a_determinant_that_must_be_0_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["3/4", "1/8", "0"], ["1/4", "3/4", "1/2"], ["0", "1/8", "1/2"]]
    monkeypatch.setattr(inverse, "_PRIMES", (2,))
    with pytest.raises(ValueError, match="too large"):
        _ = from_matrix(rows).inverse


def test_large_designs_are_inverted() -> None:
    design = k_ary(100, "1/2")
    assert design.inverse[0][0] == 2 - Fraction(1, 100)
    assert design.inverse[7][8] == -Fraction(1, 100)
    draw = random.Random(4)  # noqa: S311 - no secret
    matrix = from_matrix(columns_of([[draw.randrange(1000) for _ in range(16)] for _ in range(16)]))
    assert is_left_inverse(matrix.inverse, matrix.matrix)


def test_a_singular_matrix_has_no_inverse() -> None:
    with pytest.raises(ValueError, match="singular"):
        _ = from_matrix(SINGULAR).inverse
    with pytest.raises(ValueError, match="singular: "):
        _ = from_matrix(SINGULAR).left_inverse


def test_more_reports_than_truths_have_no_inverse() -> None:
    with pytest.raises(ValueError, match="reports as truths"):
        _ = THREE_REPORTS.inverse


def test_as_many_reports_as_truths_are_weighted_by_the_inverse() -> None:
    assert forced_response().left_inverse == forced_response().inverse


def test_more_reports_than_truths_are_weighted_by_least_squares() -> None:
    # The normal equations for two truths, by Cramer's rule.
    p = THREE_REPORTS.matrix
    w = [1 / (sum(row) / 2) for row in p]
    a, b, d = (sum(w[j] * p[j][s] * p[j][t] for j in range(3)) for s, t in ((0, 0), (0, 1), (1, 1)))
    determinant = a * d - b * b
    expected = tuple(
        tuple(w[j] * (first * p[j][0] + second * p[j][1]) / determinant for j in range(3))
        for first, second in ((d, -b), (-b, a))
    )
    assert THREE_REPORTS.left_inverse == expected


@given(st.lists(st.lists(st.integers(1, 9), min_size=5, max_size=5), min_size=2, max_size=4))
def test_prevalences_estimated_by_least_squares_sum_to_1(columns: list[list[int]]) -> None:
    # A heavy diagonal keeps the columns independent.
    heavy = [[entry + 50 * (report == truth) for report, entry in enumerate(col)] for truth, col in enumerate(columns)]
    rows = zip(*([Fraction(entry, sum(column)) for entry in column] for column in heavy), strict=True)
    weights = from_matrix(rows).left_inverse
    assert [sum(column) for column in zip(*weights, strict=True)] == [1] * 5


def test_fewer_reports_than_truths_do_not_determine_them() -> None:
    with pytest.raises(ValueError, match="2 reports for 3"):
        _ = from_matrix([["3/4", "1/2", "1/4"], ["1/4", "1/2", "3/4"]]).left_inverse


def test_more_reports_than_truths_may_still_not_determine_them() -> None:
    rows = [["1/2", "1/4", "3/8"], ["1/4", "1/4", "1/4"], ["1/8", "1/4", "3/16"], ["1/8", "1/4", "3/16"]]
    with pytest.raises(ValueError, match="singular: "):
        _ = from_matrix(rows).left_inverse


def test_kuk_is_estimated_by_the_mean_share_of_reds() -> None:
    weights = kuk("7/10", "1/5", draws=2).left_inverse
    assert weights[1] == (Fraction(-2, 5), Fraction(3, 5), Fraction(8, 5))
    assert [sum(column) for column in zip(*weights, strict=True)] == [1, 1, 1]


def test_unary_reports_are_estimated_option_by_option() -> None:
    design = optimized_unary(1, 3)
    unset, is_set = -design.q / (design.p - design.q), (1 - design.q) / (design.p - design.q)
    assert design.design.left_inverse[1] == (unset, unset, is_set, is_set, unset, unset, is_set, is_set)


@pytest.mark.parametrize(
    "weights",
    [
        ((Fraction(3, 2), Fraction(-1, 2)),),
        ((Fraction(3, 2), Fraction(-1, 2)), (Fraction(-1, 2),)),
        ((Fraction(3, 2), Fraction(-1, 2)), (Fraction(1, 2), Fraction(3, 2))),
        ((Fraction(3, 2), Fraction(-1, 2), Fraction(0)), (Fraction(-1, 2), Fraction(3, 2), Fraction(0))),
    ],
)
def test_weights_that_do_not_undo_the_matrix_are_refused(weights: tuple[tuple[Fraction, ...], ...]) -> None:
    with pytest.raises(ValueError, match=r"^estimating_weights .*identity"):
        Design("mine", forced_response().matrix, (), weights)


@pytest.mark.parametrize("case", cases("rruni", "mangat_1", "kuk_1"), ids=lambda case: case["id"])
def test_the_weights_reproduce_reference_estimates(case: dict) -> None:
    p = case["inputs"]["p"]
    design = mangat(str(p)) if case["id"] == "mangat_1" else kuk(*map(str, p))
    counts = [case["inputs"]["counts"][str(report)] for report in range(2)]
    estimate = sum(weight * count for weight, count in zip(design.left_inverse[1], counts, strict=True)) / sum(counts)
    assert float(estimate) == pytest.approx(case["outputs"]["pi"], rel=1e-12)
