"""A fold goes by steps, so that nobody waits for long: each is a batch of its own in a transaction of its own."""

import itertools
from collections.abc import Callable

import pytest
from django.utils import timezone

from surveys.common.selectors import definition_of
from surveys.common.totals import response_count, standing_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import CellCount, PatternCount, Response, Survey
from surveys.responses.services import cells, folding, ordering
from surveys.responses.services.cells import KeptCells
from surveys.responses.services.folding import fold
from surveys.responses.services.steps import Steps
from surveys.upkeep.services import housekeeping
from tests.factories import make_open, send, store, yes_no
from tests.responses.conftest import is_in_order, keep_cells, stored_cells, sums_are_kept

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]


def _long_queue() -> Survey:
    """Return a survey with many answers in two groups, some folded before, and all of them different patterns."""
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(6)), minimum_n=5)
    monday = add_group(survey=survey, name="Monday")
    for number in range(64):
        send(survey, f"{number:06b}", group=monday if number % 3 else None)
        if number == 20:
            fold(survey=survey)
    return survey


def _kill(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], step: tuple[object, str] = (KeptCells, "finish")
) -> None:
    """Do this up to a step, where it is killed."""
    with monkeypatch.context() as killed:
        killed.setattr(*step, None)
        with pytest.raises(TypeError):
            act()


@pytest.mark.parametrize("everything", [True, False])
def test_steps_move_what_one_step_would_and_leave_the_same_order(everything: bool) -> None:
    survey = _long_queue()
    waiting = Response.objects.count()
    moved = fold(survey=survey, everything=everything)
    assert moved == waiting - Response.objects.count()
    assert (Response.objects.count() == 0) == everything
    assert sum(PatternCount.objects.values_list("count", flat=True)) + Response.objects.count() == 64
    assert is_in_order()
    assert sums_are_kept()


def test_each_step_is_a_batch_that_may_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _long_queue()
    looks = [standing_of(survey)]
    move = folding._move

    def looked_at_afterwards(*arguments: object) -> int:
        moved = move(*arguments)  # type: ignore[arg-type]
        looks.append(standing_of(survey))
        return moved

    monkeypatch.setattr(folding, "_move", looked_at_afterwards)
    fold(survey=survey)
    assert len(looks) > 3
    grown = [
        (look.n_by_group.get(group, 0) - before.n_by_group.get(group, 0), look.waiting_by_group[group])
        for before, look in itertools.pairwise(looks)
        for group in look.waiting_by_group
    ]
    assert [(more, left) for more, left in grown if 0 < more < 5 or left < 5] == []


def test_a_fold_that_was_interrupted_is_finished_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _long_queue()
    keep_cells(monkeypatch)
    _kill(monkeypatch, lambda: fold(survey=survey))
    assert response_count(survey) == 64
    assert not CellCount.objects.exists()
    fold(survey=survey, everything=True)
    kept = stored_cells()
    cells.write_anew(survey, definition_of(survey), Steps(survey))
    assert (kept, sum(count for *_, first, second, _codes, count in kept if first == second == 0)) == (
        stored_cells(),
        64,
    )


def _left_behind(monkeypatch: pytest.MonkeyPatch) -> Survey:
    """Return a survey whose last fold was killed when it had moved everything and put nothing in order."""
    survey = _long_queue()
    _kill(monkeypatch, lambda: fold(survey=survey))
    assert not is_in_order()
    assert not standing_of(survey).in_order
    return survey


@pytest.mark.parametrize(
    "come",
    [
        lambda survey: fold(survey=survey),
        lambda _survey: list(housekeeping.tick(timezone.now())),
        lambda survey: close_survey(survey=survey),
    ],
    ids=["a fold", "housekeeping", "the close"],
)
def test_what_a_killed_fold_left_behind_is_put_in_order_by_whoever_comes_next(
    come: Callable[[Survey], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = _left_behind(monkeypatch)
    waiting = Response.objects.count()
    come(survey)
    assert is_in_order()
    assert standing_of(survey).in_order
    assert Response.objects.count() in {0, waiting}
    assert response_count(survey) == 64


def test_a_close_that_was_killed_is_finished_by_housekeeping(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _long_queue()
    _kill(monkeypatch, lambda: close_survey(survey=survey), step=(folding, "write_in_order"))
    assert not is_in_order()
    assert Survey.objects.get(pk=survey.pk).partition is None
    list(housekeeping.tick(timezone.now()))
    assert is_in_order()
    assert standing_of(survey).in_order
    assert Survey.objects.get(pk=survey.pk).partition is not None


def test_patterns_of_another_fold_that_came_in_between_do_not_count_as_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = _long_queue()
    write = ordering._write_rows

    def meanwhile(*_arguments: object) -> None:
        """Somebody else moves what is left, and is killed before anything is in order."""
        _kill(monkeypatch, lambda: fold(survey=survey, everything=True))

    survey.by_invitation = True  # there are none
    monkeypatch.setattr(ordering, "_write_rows", meanwhile)
    fold(survey=survey)
    assert not standing_of(survey).in_order
    monkeypatch.setattr(ordering, "_write_rows", write)
    fold(survey=survey)
    assert standing_of(survey).in_order


def test_each_step_goes_on_where_the_last_one_has_ended_and_the_last_look_finds_who_came_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = make_open(minimum_n=5)
    store(survey, {"1": 40})
    taken: list[list[bytes]] = []
    there = sorted(bytes(nonce) for nonce in Response.objects.values_list("nonce_hash", flat=True))
    take, late = folding._take, bytes(15) + b"\x01"

    def noted(*arguments: object) -> list[tuple[str, str, bytes]]:
        rows = take(*arguments)  # type: ignore[arg-type]
        taken.append(sorted(bytes(nonce) for *_, nonce in rows))
        if len(taken) == 6:
            Response.objects.create(survey=survey, mode="device", reports="0", nonce_hash=late)
        return rows

    monkeypatch.setattr(folding, "_take", noted)
    monkeypatch.setattr(folding.secrets, "token_bytes", bytes)
    assert fold(survey=survey, everything=True) == 41
    assert [nonce for step in taken for nonce in step] == [*there, late]
    assert not Response.objects.exists()
