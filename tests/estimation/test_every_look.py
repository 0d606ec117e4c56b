"""Intervals for every look miss in at most one survey of twenty that is watched to the end; others in one of four."""

import numpy as np
import pytest

from surveys.estimation.intervals.general import likely_loss
from surveys.estimation.intervals.reported import lost_likelihood
from surveys.estimation.intervals.sequence import SEQUENCE
from tests.estimation.coverage_tables import PAGE
from tests.estimation.every_look import CLASSES, EVERY_BATCH, ONE_LOOK, Watched, exact_table, simulated_table, watched

EACH = pytest.mark.parametrize("one", watched(), ids=lambda one: one.name)


def test_the_page_says_how_often_some_confidence_sequence_misses_and_how_much_wider_it_is() -> None:
    assert exact_table() in PAGE.read_text(encoding="utf-8")


@EACH
def test_what_is_lost_by_the_truth_is_what_the_interval_asks(one: Watched) -> None:
    counts = np.random.default_rng(3).multinomial(60, one.reports, 20)
    if one.ends == (0.0, 1.0):
        likely = np.log1p(np.linspace(0, 1, 2_001)[:, np.newaxis] * one.weights) @ counts.T
        best = likely.max(axis=0) - np.log1p(one.true * one.weights) @ counts.T
    else:
        best = np.array([lost_likelihood(row, one.weights) for row in counts])
    assert one.lost(counts) == pytest.approx(best, abs=1e-4)


def test_a_class_is_missed_where_one_of_its_looks_is() -> None:
    """The twin of the study: with the loss of one look many more are missed, in 2,000 classes already."""
    missed = watched()[0].missed(EVERY_BATCH[:20], 2_000)
    assert missed[SEQUENCE] < 0.05
    assert missed[ONE_LOOK] > 0.15
    assert likely_loss(400, 0.95, SEQUENCE) > 3 * likely_loss(400, 0.95, ONE_LOOK)


@pytest.mark.studies
def test_of_twenty_thousand_classes_hardly_any_is_ever_missed() -> None:
    """And the table of the page is found again, as the seed is fixed."""
    for one in watched():
        missed = one.missed(EVERY_BATCH, CLASSES)
        assert missed[SEQUENCE] < 0.05
        assert 0.18 < missed[ONE_LOOK] < 0.40
    assert simulated_table() in PAGE.read_text(encoding="utf-8")
