from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.privacy.accounting.error_region import error_region
from surveys.privacy.designs import Design, forced_response, from_matrix, k_ary, kuk, triangular, warner

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
DESIGNS = [forced_response(), kuk("0.7", "0.2", 3), k_ary(4, "1/3", ["1/2", "1/4", "1/8", "1/8"]), triangular("1/3")]


def test_fair_coins_have_one_good_test() -> None:
    region = error_region(forced_response(), 1, 0)
    assert region.vertices == ((0, 1), (QUARTER, QUARTER), (1, 0))
    assert region.best_advantage == HALF


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_no_test_at_all_lies_below_the_border_and_each_corner_is_one(design: Design) -> None:
    region = error_region(design, 1, 0)
    errors = set()
    for says_yes in product([0, 1], repeat=design.m):
        fpr = sum((row[0] for row, yes in zip(design.matrix, says_yes, strict=True) if yes), Fraction(0))
        fnr = sum((row[1] for row, yes in zip(design.matrix, says_yes, strict=True) if not yes), Fraction(0))
        assert fnr >= region.false_negative_rate(fpr)
        errors.add((fpr, fnr))
    assert errors.issuperset(region.vertices)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_best_advantage_is_the_total_variation_of_the_columns(design: Design) -> None:
    total_variation = sum(abs(row[1] - row[0]) for row in design.matrix) / 2
    assert error_region(design, 1, 0).best_advantage == total_variation
    assert error_region(design, 0, 1).best_advantage == total_variation


def test_reports_with_equal_odds_are_one_edge() -> None:
    # For the truths 0 and 1, the reports 2 and 3 of k-ary say nothing: one corner at each side of them.
    region = error_region(k_ary(4, "1/2"), 1, 0)
    eighth = Fraction(1, 8)
    assert region.vertices == ((0, 1), (eighth, 1 - 5 * eighth), (3 * eighth, eighth), (1, 0))


def test_a_report_that_neither_truth_gives_is_left_out() -> None:
    design = from_matrix([["1/2", "1/4", 0], ["1/2", "3/4", 0], [0, 0, 1]])
    assert error_region(design, 1, 0).vertices == ((0, 1), (HALF, QUARTER), (1, 0))


def test_a_report_that_proves_an_answer_costs_no_false_alarm() -> None:
    # Of the triangular design's truths only No ever reports 0.
    assert error_region(triangular("1/3"), 0, 1).vertices == ((0, 1), (0, Fraction(1, 3)), (1, 0))
    assert error_region(warner(1), 1, 0).vertices == ((0, 1), (0, 0), (1, 0))


def test_between_the_corners_a_test_flips_a_coin() -> None:
    region = error_region(forced_response(), 1, 0)
    assert region.false_negative_rate(Fraction(1, 8)) == Fraction(5, 8)
    assert region.false_negative_rate(HALF) == Fraction(1, 6)
    assert region.false_negative_rate(Fraction(0)) == 1
    assert region.false_negative_rate(Fraction(1)) == 0


def test_no_false_alarm_allows_the_test_of_what_is_proven() -> None:
    assert error_region(triangular("1/3"), 0, 1).false_negative_rate(Fraction(0)) == Fraction(1, 3)


@given(st.lists(st.integers(1, 50), min_size=4, max_size=4), st.lists(st.integers(1, 50), min_size=4, max_size=4))
def test_the_border_falls_and_is_convex(first: list[int], second: list[int]) -> None:
    columns = [[Fraction(entry, sum(column)) for entry in column] for column in (first, second)]
    if columns[0] == columns[1]:
        return
    vertices = error_region(from_matrix(zip(*columns, strict=True)), 1, 0).vertices
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(vertices)]
    assert slopes == sorted(set(slopes))
    assert slopes[-1] < 0


@pytest.mark.parametrize(
    ("truth", "other", "name"),
    [(2, 0, "truth"), (0, 2, "other"), (-1, 0, "truth"), (True, 0, "truth"), (1, 0.5, "other")],
)
def test_an_unknown_truth_is_refused_by_name(truth: object, other: object, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} .*0 to 1"):
        error_region(forced_response(), truth, other)


def test_the_same_truth_twice_is_no_question() -> None:
    with pytest.raises(ValueError, match=r"^truth and other .*1"):
        error_region(forced_response(), 1, 1)


@pytest.mark.parametrize("rate", [Fraction(-1, 2), Fraction(3, 2)])
def test_a_false_positive_rate_is_a_probability(rate: Fraction) -> None:
    with pytest.raises(ValueError, match=r"^false_positive_rate"):
        error_region(forced_response(), 1, 0).false_negative_rate(rate)


def test_integers_of_numpy_are_codes() -> None:
    assert error_region(forced_response(), np.int64(1), np.int8(0)) == error_region(forced_response(), 1, 0)
