import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from surveys.estimation.association.independence import IndependenceTest, _likely_cells, drop_empty, test_independence
from surveys.privacy.designs import Design, forced_response, k_ary, warner
from tests.property_profile import examples

TABLE = [[300, 150, 40], [140, 210, 60]]


def matrix(design: Design) -> np.ndarray:
    return np.array(design.matrix, dtype=float)


def test_both_statistics_equal_those_of_scipy() -> None:
    ours = test_independence(TABLE)
    pearson = stats.chi2_contingency(TABLE, correction=False)
    likelihood_ratio = stats.chi2_contingency(TABLE, correction=False, lambda_="log-likelihood")
    assert ours.pearson == pytest.approx(pearson.statistic, rel=1e-12)
    assert ours.pearson_p_value == pytest.approx(pearson.pvalue, rel=1e-10)
    assert ours.likelihood_ratio == pytest.approx(likelihood_ratio.statistic, rel=1e-12)
    assert ours.likelihood_ratio_p_value == pytest.approx(likelihood_ratio.pvalue, rel=1e-10)
    assert ours.expected == pytest.approx(pearson.expected_freq)
    assert ours.degrees_of_freedom == pearson.dof == 2
    assert ours.exact_p_value is None


@pytest.mark.parametrize(
    "table",
    [
        [[3, 1], [1, 3]],
        [[8, 2], [1, 5]],
        [[300, 150], [140, 210]],
        [[0, 5], [7, 2]],
        [[5, 0], [0, 5]],
        [[1, 0], [0, 1]],
    ],
)
def test_the_exact_p_value_equals_that_of_scipy(table: list[list[int]]) -> None:
    assert test_independence(table).exact_p_value == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-8)


@examples(50)
@given(
    st.tuples(*[st.integers(0, 12)] * 4).filter(
        lambda n: (n[0] + n[1]) * (n[2] + n[3]) * (n[0] + n[2]) * (n[1] + n[3]) > 0
    )
)
def test_the_exact_p_value_is_that_of_enumerating_all_tables(counts: tuple[int, int, int, int]) -> None:
    table = np.reshape(counts, (2, 2))
    (first, second), column = table.sum(axis=1).tolist(), int(table[:, 0].sum())
    ways = [
        math.comb(first, cell) * math.comb(second, column - cell)
        for cell in range(max(0, column - second), min(first, column) + 1)
    ]
    here = math.comb(first, table[0, 0]) * math.comb(second, table[1, 0])
    expected = sum(way for way in ways if way <= here) / math.comb(first + second, column)
    assert test_independence(table).exact_p_value == pytest.approx(expected, rel=1e-9)


def test_truths_are_independent_exactly_if_reports_are() -> None:
    a, b = forced_response(), k_ary(3, "1/2")
    independent = np.outer([0.7, 0.3], [0.5, 0.3, 0.2])
    linked = independent + np.array([[0.05, -0.05, 0], [-0.05, 0.05, 0]])
    for truths, rank in ((independent, 1), (linked, 2)):
        reports = matrix(a) @ truths @ matrix(b).T
        assert np.linalg.matrix_rank(reports, tol=1e-10) == rank


@cache
def two_way_tables(n: int) -> list[tuple[list[int], IndependenceTest]]:
    """All tables of n reports with something to reject, and their tests."""
    tables = [[*counts, n - sum(counts)] for counts in product(range(n + 1), repeat=3) if sum(counts) <= n]
    received = [(table, drop_empty(np.reshape(table, (2, 2)))) for table in tables]
    return [(table, test_independence(counts)) for table, counts in received if counts.shape == (2, 2)]


def rejection(truths: np.ndarray, designs: tuple[Design, Design], n: int, level: float) -> dict[str, float]:
    """The exact probability that each test rejects, over all tables of n reports."""
    reported = (matrix(designs[0]) @ truths @ matrix(designs[1]).T).ravel()
    names = ("pearson_p_value", "likelihood_ratio_p_value", "exact_p_value")
    rejected = dict.fromkeys(names, 0.0)
    for table, test in two_way_tables(n):
        chance = float(stats.multinomial.pmf(table, n, reported))
        for name in names:
            rejected[name] += chance * (getattr(test, name) <= level)
    return rejected


def test_the_tests_hold_their_level_on_randomized_reports_and_find_a_link() -> None:
    designs = forced_response("4/5"), warner("9/10")
    independent = np.outer([0.7, 0.3], [0.6, 0.4])
    level = rejection(independent, designs, 16, 0.05)
    assert level["pearson_p_value"] == pytest.approx(0.05, abs=0.012)
    assert level["likelihood_ratio_p_value"] < 0.09
    assert level["exact_p_value"] < 0.05  # never above, by its construction
    linked = np.array([[0.6, 0.1], [0.0, 0.3]])
    power = rejection(linked, designs, 16, 0.05)
    assert all(power[name] > 5 * level[name] for name in level)


def test_rows_and_columns_of_zeros_are_no_part_of_a_test() -> None:
    table = [[30, 0, 15], [0, 0, 0], [14, 0, 21]]
    with pytest.raises(ValueError, match=r"^table .*row 1 "):
        test_independence(table)
    with pytest.raises(ValueError, match=r"^table .*column 2 "):
        test_independence([[1, 2, 0], [3, 4, 0]])
    assert drop_empty(table).tolist() == [[30, 15], [14, 21]]


@pytest.mark.parametrize(
    ("table", "single"), [([[3, 4]], "row"), ([[3], [4]], "column"), ([[5]], "row"), ([[1, 2, 3]], "row")]
)
def test_with_one_answer_there_is_nothing_to_test(table: list[list[int]], single: str) -> None:
    with pytest.raises(ValueError, match=rf"^table .*single {single}$"):
        test_independence(table)


def test_a_small_expected_count_is_pointed_out() -> None:
    enough, few = test_independence([[5, 5], [5, 5]]), test_independence([[9, 9], [4, 5]])
    assert enough.smallest_expected == 5
    assert not enough.approximation_poor
    assert few.smallest_expected == pytest.approx(9 * 13 / 27)
    assert few.approximation_poor


def test_a_table_that_fits_perfectly_has_a_statistic_of_0() -> None:
    for table in ([[2, 4], [3, 6]], [[1, 3, 7], [10, 30, 70]]):
        test = test_independence(table)
        assert test.pearson == pytest.approx(0, abs=1e-12)
        assert 0 <= test.likelihood_ratio < 1e-12
        assert test.pearson_p_value == pytest.approx(1, abs=1e-5)


@examples(50)
@given(
    st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=2, max_size=4).filter(
        lambda rows: np.any(rows, axis=0).all() and np.any(rows, axis=1).all()
    )
)
def test_turning_and_reordering_the_table_changes_nothing(table: list[list[int]]) -> None:
    one = test_independence(table)
    for other in (np.transpose(table), np.array(table)[::-1, ::-1]):
        again = test_independence(other)
        assert again.pearson == pytest.approx(one.pearson, rel=1e-10, abs=1e-10)
        assert again.likelihood_ratio == pytest.approx(one.likelihood_ratio, rel=1e-9, abs=1e-9)
        assert again.degrees_of_freedom == one.degrees_of_freedom
    assert one.likelihood_ratio >= 0


@pytest.mark.parametrize(
    "table", [[], [[]], [[0, 0], [0, 0]], [[-1, 2]], [[1.5, 2.0]], [[math.nan]], [1, 2], [[1], [2, 3]]]
)
def test_what_is_no_table_of_counts_is_refused(table: object) -> None:
    with pytest.raises(ValueError, match=r"^table must"):
        test_independence(table)


def test_a_result_cannot_be_changed_and_is_no_test_of_pytest() -> None:
    test = test_independence(TABLE)
    assert isinstance(test, IndependenceTest)
    assert test_independence.__test__ is False
    for array in (test.table, test.expected):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0


def test_billions_of_responses_do_not_overflow() -> None:
    small, large = test_independence([[3, 2], [1, 4]]), test_independence(np.array([[3, 2], [1, 4]]) * 10**13)
    assert large.expected == pytest.approx(small.expected * 10**13)
    assert large.pearson == pytest.approx(small.pearson * 10**13)
    assert large.likelihood_ratio == pytest.approx(small.likelihood_ratio * 10**13)


@pytest.mark.parametrize(("rare", "others"), [((5, 1), (10**8, 3 * 10**8)), ((30, 10), (10**14, 9 * 10**13))])
def test_a_rare_answer_among_very_many_is_as_good_as_binomial(rare: tuple[int, int], others: tuple[int, int]) -> None:
    theirs = stats.binomtest(rare[0], sum(rare), others[0] / sum(others)).pvalue
    for table in ([rare, others], [others, rare], np.transpose([rare, others])):
        assert test_independence(table).exact_p_value == pytest.approx(theirs, rel=1e-5)


def test_in_a_large_table_the_exact_p_value_is_that_of_chi_square() -> None:
    test = test_independence([[10**10 + 10**5, 10**10], [10**10, 10**10]])
    assert test.exact_p_value == pytest.approx(test.pearson_p_value, rel=1e-4)
    assert test_independence(np.full((2, 2), 10**8)).exact_p_value == pytest.approx(1, rel=1e-9)


def test_a_table_that_hardly_ever_happens_has_the_exact_p_value_0() -> None:
    assert test_independence([[10**7, 0], [0, 10**7]]).exact_p_value == 0
    assert test_independence([[0, 10**7], [10**7, 0]]).exact_p_value == 0


def test_a_table_with_too_many_others_has_no_exact_p_value() -> None:
    test = test_independence(np.full((2, 2), 10**14))
    assert math.isnan(test.exact_p_value)
    assert test.pearson_p_value == 1
    assert test_independence(np.full((2, 2), 10**10)).exact_p_value == pytest.approx(1)


@pytest.mark.parametrize("table", [[[400, 600], [700, 300]], [[2000, 8], [12, 900]], [[0, 900], [40, 3]]])
def test_very_small_exact_p_values_are_right(table: list[list[int]]) -> None:
    (a, b), (c, d) = table
    first, second, column = a + b, c + d, a + c
    ways = [
        math.comb(first, cell) * math.comb(second, column - cell)
        for cell in range(max(0, column - second), min(first, column) + 1)
    ]
    here = math.comb(first, a) * math.comb(second, c)
    expected = Fraction(sum(way for way in ways if way <= here), math.comb(first + second, column))
    assert test_independence(table).exact_p_value == pytest.approx(float(expected), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("margins", [(10**6, 3 * 10**6, 2 * 10**5), (7 * 10**5, 3 * 10**5, 9 * 10**5)])
def test_tables_that_are_left_out_are_less_likely_than_any_float(margins: tuple[int, int, int]) -> None:
    first, second, column = margins
    low, high = _likely_cells(*margins)
    cell = stats.hypergeom(first + second, first, column)
    assert high - low == 2 * math.ceil(40 * cell.std() + 600)
    assert (low + high) / 2 == pytest.approx(cell.mean(), abs=1)
    assert max(cell.logpmf(low - 1), cell.logpmf(high + 1)) < math.log(5e-324)
