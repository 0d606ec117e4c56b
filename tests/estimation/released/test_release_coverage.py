"""The page says how often the intervals of these releases hold, and they hold as often as they say."""

import pytest

from tests.estimation.coverage_tables import PAGE
from tests.estimation.released.release_coverage import (
    DISTRIBUTIONS,
    GROUPS,
    held_by_distribution,
    held_by_groups,
    table_of_distributions,
    table_of_groups,
)

LEAST = 0.93
"""More than four standard deviations of .005 of 2,000 releases below .95."""


@pytest.mark.studies
def test_the_page_has_the_tables_that_simulation_finds_again() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert table_of_distributions() in page
    assert table_of_groups() in page


@pytest.mark.studies
@pytest.mark.parametrize("case", DISTRIBUTIONS)
def test_no_interval_of_a_distribution_holds_less_often_than_it_says(case: object) -> None:
    assert min(held_by_distribution(case)[:4]) >= 0.95 - 4 * 0.005  # type: ignore[arg-type]


@pytest.mark.studies
@pytest.mark.parametrize("case", GROUPS)
def test_intervals_by_group_hold_about_as_often_as_they_say(case: object) -> None:
    assert min(held_by_groups(case)[:4]) >= LEAST  # type: ignore[arg-type]
