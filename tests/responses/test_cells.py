"""Counts of items and of pairs, kept beside very many patterns, are those that counting anew would give."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db.backends.utils import CursorWrapper

from surveys.common import caches
from surveys.common.selectors import definition_of
from surveys.models import Survey
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import Cells
from surveys.responses.services import cells
from surveys.responses.services.cells import KeptCells
from surveys.responses.services.folding import fold
from surveys.responses.services.steps import Steps
from tests.factories import send
from tests.responses.conftest import keep_cells, stored_cells

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("small_steps")
def test_many_cells_are_written_some_at_a_time_and_nobody_takes_a_part_for_the_whole(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_cells(monkeypatch)
    definition = definition_of(survey)
    fold(survey=survey, everything=True)
    at_once = stored_cells()
    monkeypatch.setattr(cells, "_FEW", 0)
    sources: list[tuple[str, int]] = []
    step = Steps.next

    @contextmanager
    def looked_at_before(self: Steps) -> Iterator[CursorWrapper]:
        caches.clear()
        look = snapshot_of(survey, definition)
        sources.append((type(look._source).__name__, look.on(0, 1).n))
        with step(self) as cursor:
            yield cursor

    with monkeypatch.context() as watched:
        watched.setattr(Steps, "next", looked_at_before)
        cells.write_anew(survey, definition, Steps(survey))
    assert {n for _, n in sources} == {14}
    assert {name for name, _ in sources[1:]} == {"Tally"}
    assert len(sources) > 3
    assert stored_cells() == at_once
    assert isinstance(snapshot_of(survey, definition)._source, Cells)


def test_cells_are_added_to_and_not_counted_anew(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_cells(monkeypatch)
    fold(survey=survey, everything=True)
    for reports in ("10", "02", "-1", "00"):
        send(survey, reports)
    with monkeypatch.context() as counted_anew:
        counted_anew.setattr(cells, "write_anew", None)
        fold(survey=survey, everything=True)
    added = stored_cells()
    cells.write_anew(survey, definition_of(survey), Steps(survey))
    assert added == stored_cells()


@pytest.mark.parametrize("between", [False, True])
def test_a_first_fold_counts_cells_as_it_goes_unless_another_comes_in_between(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, *, between: bool
) -> None:
    keep_cells(monkeypatch)
    anew: list[bool] = []
    write, finish = cells.write_anew, KeptCells.finish

    def others_fold(kept: KeptCells, steps: Steps) -> None:
        if between and not anew:
            anew.append(False)
            send(survey, "11")
            fold(survey=survey, everything=True)
        finish(kept, steps)

    monkeypatch.setattr(cells, "write_anew", lambda *arguments: (anew.append(True), write(*arguments)))
    monkeypatch.setattr(KeptCells, "finish", others_fold)
    fold(survey=survey, everything=True)
    assert (True in anew) == between
    counted = stored_cells()
    write(survey, definition_of(survey), Steps(survey))
    assert counted == stored_cells()
    assert counted
