"""What stands in a row, what is withheld from it, and that the order of rows is chance."""

from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.exporting import selectors as rows_module
from surveys.exporting.selectors import BLOCK, WITHHELD, ExportRows, rows_of, shuffle_rows, withhold_small_parts
from surveys.models import Group, Survey
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import MISSING
from tests.factories import fill, make_open, one_of, yes_no

_MINIMUM = 5
_ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from([0, 1, MISSING]), st.sampled_from([0, MISSING])),
    min_size=1,
    max_size=60,
)


def _columns(rows: list[tuple[int, int, int, int]]) -> tuple[npt.NDArray[Any], ...]:
    table = np.array(rows)
    counts = np.ones(len(rows), dtype=np.int64)
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2:].astype(np.uint8), counts


def _coarsened(rows: list[tuple[int, int, int, int]]) -> tuple[npt.NDArray[Any], ...]:
    """Groups and modes as `rows_of` gives them."""
    groups, modes, patterns, counts = _columns(rows)
    groups = withhold_small_parts(groups, patterns, counts, _MINIMUM)
    for group in np.unique(groups):
        inside = groups == group
        modes[inside] = withhold_small_parts(modes[inside], patterns[inside], counts[inside], _MINIMUM)
    return groups, modes, patterns


def _smallest_parts(rows: list[tuple[int, int, int, int]]) -> list[int]:
    """The sizes of all parts that columns of a file single out, in responses and in answers to each item.

    A part is a value of a column, a combination of two, or all rows but those. What too few answered at all is not
    the parts' doing.
    """
    groups, modes, patterns = _coarsened(rows)
    everybody = np.ones(len(rows), dtype=bool)
    parts = [groups == value for value in np.unique(groups)] + [modes == value for value in np.unique(modes)]
    parts += [(groups == group) & (modes == mode) for group in np.unique(groups) for mode in np.unique(modes)]
    parts += [~part for part in parts]
    sizes = []
    for answering in (everybody, *(column != MISSING for column in patterns.T)):
        if answering.sum() >= _MINIMUM:
            sizes += [int((part & answering).sum()) for part in parts]
    return [size for size in sizes if size]


@pytest.mark.uncounted
@given(_ROWS)
def test_no_part_that_a_file_tells_apart_is_below_the_minimum(rows: list[tuple[int, int, int, int]]) -> None:
    sizes = _smallest_parts([row for row in rows if len(rows) >= _MINIMUM] or rows * _MINIMUM)
    assert min(sizes) >= _MINIMUM


def test_a_rule_that_looks_at_each_part_alone_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def each_alone(countings: list[dict[int, int]], minimum_n: int) -> frozenset[int]:
        return frozenset(key for key, size in countings[0].items() if size >= minimum_n)

    rows = [(1, 0, 0, 0)] * 20 + [(2, 0, 0, 0)] * 2
    assert min(_smallest_parts(rows)) >= _MINIMUM
    monkeypatch.setattr(rows_module, "separable_parts", each_alone)
    assert min(_smallest_parts(rows)) < _MINIMUM


def _rows(survey: Survey) -> ExportRows:
    definition = definition_of(survey)
    return rows_of(snapshot_of(survey, definition), definition)


@pytest.mark.django_db
def test_rows_with_groups_and_modes_are_given_when_no_more_answers_come() -> None:
    survey = make_open(one_of())
    north = Group.objects.create(survey=survey, slug="north", name="North")
    fill(survey, {"0": 20, "2": 10}, group=north)
    fill(survey, {"1": 15}, mode="own_coin")
    with pytest.raises(ValueError, match="responses"):
        _rows(survey)
    closed = _rows(close_survey(survey=survey))
    assert set(closed.groups.tolist()) == {0, north.pk}
    assert Counter(dict(zip(closed.modes.tolist(), closed.counts.tolist(), strict=True))).keys() == {0, 1}
    assert closed.n == 45


@pytest.mark.django_db
def test_a_group_in_which_too_few_answered_one_question_is_withheld() -> None:
    survey = make_open(yes_no("First?"), yes_no("Second?"))
    groups = [Group.objects.create(survey=survey, slug=slug, name=slug) for slug in ("north", "south", "west")]
    fill(survey, {"11": 30}, group=groups[0])
    fill(survey, {"10": 30}, group=groups[1])
    fill(survey, {"1-": 20, "01": 3}, group=groups[2])
    rows = _rows(close_survey(survey=survey))
    # With the three answers of the west, those of another group are hidden: the rest would give them away.
    assert len(set(rows.groups.tolist()) - {WITHHELD}) == 1
    assert rows.counts[rows.groups == WITHHELD].sum() == 53


@pytest.mark.django_db
def test_a_question_that_too_few_answered_is_empty() -> None:
    survey = make_open(yes_no("First?"), yes_no("Second?"))
    fill(survey, {"1-": 20, "01": 9})
    rows = _rows(close_survey(survey=survey))
    assert (rows.patterns[:, 1] == MISSING).all()
    assert sorted(rows.counts.tolist()) == [9, 20]


@pytest.mark.django_db
def test_below_the_minimum_there_are_no_rows() -> None:
    survey = make_open(yes_no())
    fill(survey, {"1": 9})
    with pytest.raises(ValueError, match=r"\b9\b.*\b10\b"):
        _rows(close_survey(survey=survey))


@given(st.lists(st.integers(1, 9_000), min_size=1, max_size=6))
def test_every_row_comes_as_often_as_it_was_counted(counts: list[int]) -> None:
    order = np.concatenate(list(shuffle_rows(np.array(counts))))
    assert np.bincount(order, minlength=len(counts)).tolist() == counts


def test_pieces_are_small_however_many_rows_there_are() -> None:
    assert max(map(len, shuffle_rows(np.array([100_000, 7])))) <= BLOCK
    assert max(map(len, shuffle_rows(np.ones(50_000, dtype=np.int64)))) <= BLOCK


@pytest.mark.parametrize("piece", [1, 2, 8])
def test_all_orders_are_equally_likely(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pearson's χ² over the 12 orders of four rows, two of them alike; a false alarm in a million."""
    monkeypatch.setattr(rows_module, "BLOCK", piece)
    generator = np.random.default_rng(5)
    drawn = Counter(
        tuple(np.concatenate(list(shuffle_rows(np.array([2, 1, 1]), generator))).tolist()) for _ in range(12_000)
    )
    orders = set(permutations([0, 0, 1, 2]))
    assert drawn.keys() == orders
    assert sum((count - 1_000) ** 2 / 1_000 for count in drawn.values()) < 48.6


def test_two_downloads_have_different_orders() -> None:
    counts = np.array([200, 200])
    first, second = (np.concatenate(list(shuffle_rows(counts))).tolist() for _ in range(2))
    assert first != second
    assert Counter(first) == Counter(second)
