import numpy as np
import pytest

from surveys.estimation.intervals.binomial import METHODS
from surveys.privacy.designs import crosswise, forced_response, warner
from tests.estimation.coverage_tables import (
    CASES,
    FAIR,
    FINE,
    FORCED,
    K_ARY,
    KUK,
    PAGE,
    PREVALENCES,
    SIZES,
    TEXT,
    TRIANGULAR,
    Case,
    coverages,
    general_rows,
    methods_of,
    probabilities_of,
    row,
    rows,
    tenth_rows,
)

pytestmark = pytest.mark.slow
BINOMIAL_CASES = [FAIR, FORCED, TRIANGULAR, K_ARY]


def table_of(case: Case) -> list[str]:
    """The rows of a case's table in docs/coverage.md."""
    lines = PAGE.read_text(encoding="utf-8").split(f"### {case.title}\n", 1)[1].strip().split("\n\n")[0].splitlines()
    return lines[2:]


@pytest.mark.parametrize("case", BINOMIAL_CASES, ids=lambda case: case.title)
@pytest.mark.parametrize("method", METHODS)
def test_the_page_says_what_is_computed(case: Case, method: str) -> None:
    assert [str(row(case, n, method)) for n in SIZES] == [line for line in table_of(case) if f"| {method} |" in line]


@pytest.mark.parametrize("case", [FAIR, FORCED, TRIANGULAR, KUK], ids=lambda case: case.title)
def test_the_page_says_what_is_computed_by_the_slow_methods_too(case: Case) -> None:
    computed = [str(one) for one in rows(case, SIZES[:2]) if one.method not in METHODS or case is KUK]
    slow = [line for line in table_of(case) if not any(f"| {name} |" in line for name in METHODS) or case is KUK]
    assert computed == slow[: len(computed)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_the_page_has_all_methods_at_all_sizes(case: Case) -> None:
    expected = [f"| {n} | {method} |" for n in SIZES for method in methods_of(case)]
    assert [line[: len(start)] for line, start in zip(table_of(case), expected, strict=True)] == expected


def test_the_page_has_the_text_of_the_script() -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in TEXT.splitlines() if "{" not in line and line not in page] == []


def test_samples_left_out_would_hardly_matter() -> None:
    assert probabilities_of(KUK, 1000, PREVALENCES).sum(axis=1).min() > 1 - 1e-5
    assert probabilities_of(KUK, 30, PREVALENCES).sum(axis=1) == pytest.approx(np.ones(6))


def test_wilson_covers_where_wald_does_not() -> None:
    # Thirty students; chance forces 5% to Yes and 5% to No; 1% have done it.
    (wilson,), (wald,) = (coverages(FORCED, 30, method, [0.01]) for method in ("wilson", "wald"))
    assert wilson == pytest.approx(0.970, abs=5e-4)
    assert wald == pytest.approx(0.837, abs=5e-4)
    words = PAGE.read_text(encoding="utf-8").split()
    assert "Wilson covers .970, Wald .837." in " ".join(words)


@pytest.mark.parametrize("case", BINOMIAL_CASES, ids=lambda case: case.title)
@pytest.mark.parametrize("n", [10, 30, 100])
def test_clopper_pearson_never_covers_less_than_it_says(n: int, case: Case) -> None:
    assert min(coverages(case, n, "clopper_pearson", FINE)) >= 0.95


def test_walds_interval_hardly_ever_holds_a_share_next_to_one_that_makes_all_reports_equal() -> None:
    assert coverages(TRIANGULAR, 10, "wald", [0.995]) == pytest.approx([0.037], abs=5e-4)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "wald"])
@pytest.mark.parametrize("case", BINOMIAL_CASES, ids=lambda case: case.title)
def test_the_others_cover_about_what_they_say_and_wald_does_not(case: Case, method: str) -> None:
    covered = coverages(case, 30, method, FINE)
    assert np.mean(covered) > 0.945
    assert min(covered) > 0.83
    assert min(coverages(FORCED, 30, "wald", FINE)) < 0.81


def test_an_interval_that_lies_outside_holds_no_share_but_0_and_1() -> None:
    coverage = row(FAIR, 30, "wilson")
    assert coverage.outside[0] > 0.01
    # Whatever was outside is part of the misses.
    assert coverage.outside[1] <= 1 - coverage.coverage[1]


def test_designs_with_one_matrix_share_a_table() -> None:
    assert warner("3/4").matrix == forced_response().matrix
    assert crosswise("1/4").matrix == warner("3/4").matrix[::-1]


@pytest.mark.parametrize("case", BINOMIAL_CASES, ids=lambda case: case.title)
def test_the_page_says_how_often_intervals_hold_one_in_ten(case: Case) -> None:
    assert set(tenth_rows(case)) <= set(PAGE.read_text(encoding="utf-8").splitlines())


def test_the_page_says_how_often_intervals_of_a_general_matrix_hold_with_few_answers() -> None:
    lines = general_rows(10)
    assert set(lines) <= set(PAGE.read_text(encoding="utf-8").splitlines())
    covered = [float(cell.split(" · ")[0]) for cell in lines[0].split("|")[3:-1]]
    assert min(covered) < 0.95
