"""Intervals of a random intercept hold where there is none, and where there is one."""

import pytest

from tests.estimation.coverage_tables import PAGE
from tests.estimation.regression.mixed_coverage import FOUND, SAMPLES, SETTINGS, Coverage, Setting, table


def test_the_page_has_the_table() -> None:
    assert len(FOUND) == len(SETTINGS)
    assert table() in PAGE.read_text(encoding="utf-8")


def test_the_probabilities_of_all_patterns_sum_to_1() -> None:
    assert [setting.probabilities().sum() for setting in SETTINGS] == pytest.approx([1.0] * len(SETTINGS))


@pytest.mark.studies
@pytest.mark.parametrize(("setting", "found"), list(zip(SETTINGS, FOUND, strict=True)), ids=str)
def test_intervals_hold_as_often_as_the_page_says(setting: Setting, found: str) -> None:
    """95% of 2,000 samples have a standard deviation of .005: .935 is three of them below."""
    coverage = Coverage.of(setting, SAMPLES)
    assert str(coverage) == found
    assert coverage.sigma > 0.935
    assert 0.935 < coverage.coefficient < 0.975
    # Where nothing is in common it is found to be so: half of all estimates are 0, and one in twenty is rejected.
    if setting.sigma == 0:
        assert coverage.rejected < 0.065
        assert 0.4 < coverage.at_0 < 0.65
