"""An interval of an open survey is 95% for one look, and not for many."""

import numpy as np
import pytest

from surveys.privacy.designs import direct
from surveys.responses.services.folding import smallest_batch
from tests.estimation.coverage_tables import PAGE
from tests.estimation.looks import CASES, RESPONSES, batch_of, counted_at, held_by, missed_once, table


def test_the_page_says_how_often_some_interval_of_many_looks_misses() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "design", "share"), CASES)
def test_ten_looks_miss_in_about_one_survey_of_five_and_one_when_it_is_closed_in_one_of_twenty(
    name: str, design: object, share: float
) -> None:
    assert name
    assert 0.18 < missed_once(design, share, counted_at(10)) < 0.22
    assert 0.04 < missed_once(design, share, [RESPONSES]) < 0.06


def test_looks_are_as_far_apart_as_pages_count() -> None:
    often = counted_at(RESPONSES)
    assert often == list(range(10, 400, 10))
    assert set(counted_at(10)) <= set(often)
    assert all(
        batch_of(least, n) == smallest_batch(least, n) for least in (5, 10, 50) for n in (0, 400, 9_999, 300_000)
    )
    # Beyond a thousand a batch is a hundredth of those counted.
    assert np.diff(counted_at(5_000, 5_000))[-1] == 48


def test_the_chance_is_that_of_classes_drawn_one_by_one() -> None:
    """20,000 classes of 400: .2 is found to .0028, and seven times that is never missed by chance (1e-12)."""
    generator, counted = np.random.default_rng(12), counted_at(10)
    steps = np.diff([0, *counted])
    yes = generator.binomial(steps, 0.3, (20_000, len(steps))).cumsum(axis=1)
    held = np.column_stack([held_by(direct(), n, 0.3)[yes[:, place]] for place, n in enumerate(counted)])
    missed = 1 - held.all(axis=1).mean()
    assert missed == pytest.approx(missed_once(direct(), 0.3, counted), abs=0.02)
    # The twin: looks taken one by one are missed as seldom as the interval says.
    assert (1 - held.mean(axis=0)).max() < 0.07
