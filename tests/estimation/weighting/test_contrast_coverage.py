"""Intervals of weighted contrasts and regressions hold where the sample has clusters and strata."""

import pytest

from tests.estimation.coverage_tables import PAGE
from tests.estimation.weighting.contrast_coverage import CLUSTERS, STUDIES, coverage, table


@pytest.mark.parametrize("name", STUDIES)
def test_a_few_samples_already_tell_the_estimates_apart_from_nonsense(name: str) -> None:
    # Of 40 intervals that hold in .9 of samples, 24 or fewer hold in fewer than 1 of a million studies.
    assert coverage(name, CLUSTERS[0], 40)[0] > 24 / 40


@pytest.mark.studies
def test_the_table_of_the_page_is_found_again() -> None:
    written = table()
    assert written in PAGE.read_text(encoding="utf-8")
    held = [float(line.split("|")[3]) for line in written.splitlines()[2:]]
    # .92 is more than five standard deviations of .0049 below .95.
    assert min(held) > 0.92
