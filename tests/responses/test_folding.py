"""Folding moves responses into counts and changes nothing that anybody can count."""

import itertools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Count, Sum
from django.db.models.functions import Coalesce
from django.test import Client

from surveys.answering.services import collecting
from surveys.answering.services.collecting import Outcome
from surveys.common.selectors import definition_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import CellCount, FoldedPart, Invitation, PatternCount, Response, State, Survey, storing
from surveys.releases.selectors.doors import answer_count
from surveys.responses.selectors import snapshot as snapshots
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.responses.selectors.tally import (
    Cells,
    forget_cells,
    fresh_tally_of,
    response_count,
    response_totals,
    standing_of,
    tally_of,
)
from surveys.responses.services import cells, folding, ordering, steps
from surveys.responses.services.cells import KeptCells
from surveys.responses.services.folding import fold
from surveys.responses.services.steps import Steps
from surveys.results.figures.overview import results_of
from surveys.sharing.services import invite, new_batch
from tests.factories import fill, make_open, one_of, send, spent_count, yes_no

pytestmark = pytest.mark.django_db


@pytest.fixture
def survey() -> Survey:
    """A survey with reports of every sort: groups, modes, missing answers, equal ones."""
    survey = make_open(yes_no(), one_of(), server_mode_allowed=True, minimum_n=5)
    group = add_group(survey=survey, name="Monday")
    for reports in ("10", "12", "-1", "10", "01", "10"):
        send(survey, reports)
        send(survey, reports, group=group)
    send(survey, "10", mode="own_coin")
    send(survey, "10", mode="server")
    return survey


def _seen(survey: Survey) -> tuple[object, ...]:
    """Everything that reads return."""
    definition = definition_of(survey)
    return (
        *_tallied(survey),
        response_count(survey),
        response_totals([survey])[survey.pk][0],
        [answer_count(survey, asked) for asked in definition.questions],
        results_of(definition, snapshot_of(survey, definition), method="wilson", confidence_level=0.95),
    )


def _tallied(survey: Survey) -> tuple[object, ...]:
    tally = fresh_tally_of(survey, items=2)
    return tally.patterns.tolist(), tally.counts.tolist(), tally.groups.tolist(), tally.modes, tally.n_by_mode()


def test_folding_changes_no_result_of_a_closed_survey(survey: Survey) -> None:
    Survey.objects.filter(pk=survey.pk).update(state=State.CLOSED)
    survey.refresh_from_db()
    before = _seen(survey)
    assert fold(survey=survey, everything=True) == 14
    assert Response.objects.count() == 0
    assert _seen(survey) == before


def test_folded_and_new_responses_are_counted_together(survey: Survey) -> None:
    fold(survey=survey, everything=True)
    for reports in ("10", "10", "02"):
        send(survey, reports)
    unfolded = _tallied(survey)
    assert response_count(survey) == 17
    fold(survey=survey, everything=True)
    assert _tallied(survey) == unfolded
    assert fold(survey=survey, everything=True) == 0


def test_a_pattern_is_one_row_for_each_group_and_mode(survey: Survey) -> None:
    fold(survey=survey, everything=True)
    fill(survey, {"10": 5})
    counts = PatternCount.objects.filter(survey=survey, reports="10").values_list("group__name", "mode", "count")
    assert set(counts) == {(None, "device", 8), ("Monday", "device", 3), (None, "own_coin", 1), (None, "server", 1)}


def test_the_sums_kept_beside_the_patterns_are_their_sums(survey: Survey) -> None:
    for reports in ("10", "00", "11", "12"):
        fold(survey=survey, everything=True)
        patterns = PatternCount.objects.filter(survey=survey)
        sums = patterns.values_list("group", "mode").annotate(total=Sum("count"), patterns=Count("pk"))
        assert set(sums) == set(FoldedPart.objects.values_list("group", "mode", "count", "patterns"))
        assert standing_of(survey).patterns == patterns.count()
        send(survey, reports)


def test_every_arrival_changes_the_version_before_between_and_after_folds(survey: Survey) -> None:
    versions = []
    for _ in range(4):
        for _ in range(5):
            send(survey, "10")
            versions.append((tally_of(survey, items=2).version, tally_of(survey, items=2).n))
        fold(survey=survey)
        versions.append((tally_of(survey, items=2).version, tally_of(survey, items=2).n))
    assert len({version for version, _ in versions}) >= 20
    # A version stands for one n, whatever was folded in between.
    assert len({n for _, n in versions}) == 20
    assert [n for _, n in versions] == sorted(n for _, n in versions)
    by_version = dict(versions)
    assert all(by_version[version] == n for version, n in versions)


def test_closing_folds_what_there_is() -> None:
    survey = make_open()
    send(survey, "1")
    close_survey(survey=survey)
    assert (Response.objects.count(), PatternCount.objects.get().count, spent_count()) == (0, 1, 1)


def test_a_resend_after_a_fold_stores_nothing_and_is_answered_kindly(survey: Survey) -> None:
    nonce = collecting.new_nonce()
    send(survey, "10", nonce=nonce)
    fold(survey=survey, everything=True)
    for reports in ("10", "01"):
        assert send(survey, reports, nonce=nonce) is Outcome.KEPT
    assert response_count(survey) == 15


def test_another_surveys_responses_are_left_alone(survey: Survey) -> None:
    other = make_open(minimum_n=5)
    fill(other, {"1": 7})
    send(other, "0")
    before = fresh_tally_of(other, items=1).counts.tolist()
    fold(survey=survey, everything=True)
    assert Response.objects.filter(survey=other).count() == 1
    assert fresh_tally_of(other, items=1).counts.tolist() == before


def test_a_capped_survey_counts_what_was_folded() -> None:
    survey = make_open(response_cap=7, minimum_n=5)
    fill(survey, {"1": 5})
    send(survey, "1")
    send(survey, "0")
    with pytest.raises(collecting.SurveyFull):
        send(survey, "1")
    assert response_count(survey) == 7


def test_counts_are_written_in_an_order_of_their_own(survey: Survey) -> None:
    fold(survey=survey, everything=True)
    fill(survey, {"00": 5})
    # Rows of the second fold do not stand behind those of the first: all were written anew.
    without_order = Coalesce("group_id", 0), "mode", "reports"
    rows = PatternCount.objects.all()
    assert list(rows.order_by("pk")) == list(rows.order_by(*without_order))
    parts = FoldedPart.objects.all()
    assert list(parts.order_by("pk")) == list(parts.order_by(*without_order[:2]))


def test_arrivals_and_resends_during_folds_are_neither_lost_nor_doubled(transactional_db: None) -> None:
    survey = make_open(minimum_n=5)
    definition = definition_of(survey)
    survey = Survey.objects.get(pk=survey.pk)
    sent, senders = 40, 4
    errors: list[BaseException] = []
    finished = threading.Event()

    def submit() -> None:
        try:
            for _ in range(sent):
                nonce = collecting.new_nonce()
                # Three times each: a resend may meet its first copy before, during or after a fold.
                for _ in range(3):
                    collecting.collect(survey=survey, definition=definition, mode="device", nonce=nonce, reports="1")
        except BaseException as error:  # noqa: BLE001 - reported below
            errors.append(error)
        finally:
            connection.close()

    def keep_folding() -> None:
        try:
            while not finished.is_set():
                fold(survey=survey)
                finished.wait(0.005)
        except BaseException as error:  # noqa: BLE001 - reported below
            errors.append(error)
        finally:
            connection.close()

    counted: list[int] = []

    def keep_counting() -> None:
        try:
            while not finished.is_set():
                counted.append(response_count(survey))
                counted.append(fresh_tally_of(survey, items=1).n)
                finished.wait(0.002)
        finally:
            connection.close()

    threads = [threading.Thread(target=submit) for _ in range(senders)]
    others = [threading.Thread(target=keep_folding) for _ in range(2)] + [threading.Thread(target=keep_counting)]
    for thread in (*threads, *others):
        thread.start()
    for thread in threads:
        thread.join()
    finished.set()
    for thread in others:
        thread.join()
    assert errors == []
    # What a reader sees never goes down: no row is missed or read twice while it moves.
    assert counted == sorted(counted)
    assert response_count(survey) == sent * senders
    assert PatternCount.objects.count() == 1
    assert spent_count() + Response.objects.count() == sent * senders
    assert spent_count() > 0


def _elsewhere(act: Callable[[], object]) -> object:
    """Do this on the connection of a thread that is used for nothing else, and return what came of it."""
    try:
        return act()
    except collecting.SubmissionRefused as refused:
        return type(refused)
    finally:
        connection.close()


def _while_uncommitted(act: Callable[[], object], meanwhile: Callable[[], object]) -> object:
    """Begin `act` in a transaction, start `meanwhile` elsewhere, commit only then, and return what came of it."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            act()
            waiting = pool.submit(_elsewhere, meanwhile)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
        return waiting.result()


def _opened(**fields: object) -> Survey:
    return Survey.objects.get(pk=make_open(minimum_n=5, **fields).pk)


def test_a_resend_that_waited_for_a_fold_is_not_stored_again(transactional_db: None) -> None:
    survey, nonce = _opened(), collecting.new_nonce()
    send(survey, "1", nonce=nonce)
    outcome = _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "1", nonce=nonce))
    assert (outcome, response_count(survey)) == (Outcome.KEPT, 1)


if connection.vendor == "postgresql":

    def test_a_resend_that_looks_for_its_nonce_only_before_it_waits_is_stored_again(
        transactional_db: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The planted fault: the function without its last look."""
        look = "POSITION(SUBSTR(nonce, 3) IN f.hashes) > 0"
        assert look in storing._CREATE
        monkeypatch.setattr(storing, "_CREATE", storing._CREATE.replace(look, "false"))
        with connection.schema_editor() as editor:
            storing.install(None, editor)
        survey, nonce = _opened(), collecting.new_nonce()
        send(survey, "1", nonce=nonce)
        _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "1", nonce=nonce))
        assert response_count(survey) == 2

    def test_nobody_waits_for_a_fold(transactional_db: None) -> None:
        survey = _opened()
        send(survey, "1")
        with transaction.atomic():
            fold(survey=survey, everything=True)
            with ThreadPoolExecutor(1) as elsewhere:
                assert elsewhere.submit(_elsewhere, lambda: send(survey, "0")).result(timeout=5) is Outcome.ACCEPTED
        assert (response_count(survey), PatternCount.objects.get().count) == (2, 1)

else:

    def test_a_submission_that_waited_for_a_fold_is_stored(transactional_db: None) -> None:
        survey = _opened()
        send(survey, "1")
        outcome = _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "0"))
        assert (outcome, response_count(survey)) == (Outcome.ACCEPTED, 2)


def test_an_invitation_that_waited_for_a_fold_is_spent(transactional_db: None) -> None:
    survey = _opened(by_invitation=True)
    first, second = invite(survey=survey, number=2, batch=new_batch()).tokens
    send(survey, "1", token=first)
    outcome = _while_uncommitted(lambda: fold(survey=survey, everything=True), lambda: send(survey, "0", token=second))
    assert (outcome, response_count(survey)) == (Outcome.ACCEPTED, 2)
    assert Invitation.objects.filter(spent=True).count() == 2


def test_a_submission_that_waited_for_the_close_is_refused(transactional_db: None) -> None:
    survey = _opened()
    send(survey, "1")
    outcome = _while_uncommitted(lambda: close_survey(survey=survey), lambda: send(survey, "0"))
    assert (outcome, response_count(survey)) == (collecting.NotCollecting, 1)


def test_a_fold_that_removes_what_it_has_not_counted_is_undone(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: some of what is removed was not counted."""
    count = folding._counts_by_mode
    monkeypatch.setattr(folding, "_counts_by_mode", lambda rows: {"device": count(rows)["device"]})
    before = _tallied(survey)
    with pytest.raises(RuntimeError, match="counted 12 responses, kept 14 nonces, removed 14 rows"):
        fold(survey=survey, everything=True)
    assert (_tallied(survey), Response.objects.count()) == (before, 14)


def test_the_command_folds_one_survey_or_all_that_have_enough(survey: Survey) -> None:
    few = make_open(minimum_n=5)
    for survey_with, number in ((few, 9), (survey, 2)):
        for _ in range(number):
            send(survey_with, "1" if survey_with == few else "10")
    out = StringIO()
    call_command("fold", stdout=out)
    assert out.getvalue() == f"{survey.code}: 5 responses folded, 11 waiting.\n"
    out = StringIO()
    call_command("fold", few.code.lower(), stdout=out)
    assert out.getvalue() == f"{few.code}: 0 responses folded, 9 waiting.\n"


def test_the_command_names_a_code_that_nobody_has() -> None:
    with pytest.raises(CommandError, match="no survey with the code NOSUCH"):
        call_command("fold", "NOSUCH")


# A fold goes by steps, so that nobody waits for long: each is a batch of its own in a transaction of its own.


@pytest.fixture
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST", "FEWEST", "MOST"):
        monkeypatch.setattr(steps, name, 7)


def _long_queue() -> Survey:
    """Return a survey with many answers in two groups, some folded before, and all of them different patterns."""
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(6)), minimum_n=5)
    monday = add_group(survey=survey, name="Monday")
    for number in range(64):
        send(survey, f"{number:06b}", group=monday if number % 3 else None)
        if number == 20:
            fold(survey=survey)
    return survey


@pytest.mark.usefixtures("_small_steps")
@pytest.mark.parametrize("everything", [True, False])
def test_steps_move_what_one_step_would_and_leave_the_same_order(everything: bool) -> None:
    survey = _long_queue()
    waiting = Response.objects.count()
    moved = fold(survey=survey, everything=everything)
    assert moved == waiting - Response.objects.count()
    assert (Response.objects.count() == 0) == everything
    assert sum(PatternCount.objects.values_list("count", flat=True)) + Response.objects.count() == 64
    in_order = Coalesce("group_id", 0), "mode", "reports"
    assert list(PatternCount.objects.order_by("pk")) == list(PatternCount.objects.order_by(*in_order))
    sums = PatternCount.objects.values_list("group", "mode").annotate(total=Sum("count"), patterns=Count("pk"))
    assert set(sums) == set(FoldedPart.objects.values_list("group", "mode", "count", "patterns"))


@pytest.mark.usefixtures("_small_steps")
def test_each_step_is_a_batch_that_may_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _long_queue()
    looks = [standing_of(survey)]
    move = folding._move

    def looked_at_afterwards(*told: object) -> int:
        moved = move(*told)  # type: ignore[arg-type]
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


@pytest.mark.usefixtures("_small_steps")
def test_a_fold_that_was_interrupted_is_finished_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _long_queue()
    monkeypatch.setattr(cells, "MOST_PATTERNS", 0)
    monkeypatch.setattr(cells, "possible_cells", lambda _reports, _groups: 0)
    with monkeypatch.context() as killed:
        killed.setattr(KeptCells, "finish", None)
        with pytest.raises(TypeError):
            fold(survey=survey)
    assert response_count(survey) == 64
    assert not CellCount.objects.exists()
    fold(survey=survey, everything=True)
    kept = _cells()
    cells.write_anew(survey, definition_of(survey), Steps(survey))
    assert (kept, sum(count for *_, first, second, _codes, count in kept if first == second == 0)) == (_cells(), 64)


def _is_in_order() -> bool:
    in_order = Coalesce("group_id", 0), "mode", "reports"
    return list(PatternCount.objects.order_by("pk")) == list(PatternCount.objects.order_by(*in_order))


def _left_behind(monkeypatch: pytest.MonkeyPatch) -> Survey:
    """Return a survey whose last fold was killed when it had moved everything and put nothing in order."""
    survey = _long_queue()
    with monkeypatch.context() as killed:
        killed.setattr(KeptCells, "finish", None)
        with pytest.raises(TypeError):
            fold(survey=survey)
    assert not _is_in_order()
    assert not standing_of(survey).in_order
    return survey


def _look_at_results(survey: Survey) -> None:
    client = Client()
    client.force_login(survey.owner)
    assert client.get(f"/surveys/{survey.code}/results/").status_code == 200


@pytest.mark.usefixtures("_small_steps")
@pytest.mark.parametrize(
    "come",
    [
        lambda survey: fold(survey=survey),
        lambda _survey: call_command("fold", stdout=StringIO()),
        _look_at_results,
        lambda survey: close_survey(survey=survey),
    ],
    ids=["a fold", "the command", "a page", "the close"],
)
def test_what_a_killed_fold_left_behind_is_put_in_order_by_whoever_comes_next(
    come: Callable[[Survey], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = _left_behind(monkeypatch)
    waiting = Response.objects.count()
    come(survey)
    assert _is_in_order()
    assert standing_of(survey).in_order
    assert Response.objects.count() in {0, waiting}
    assert response_count(survey) == 64


@pytest.mark.usefixtures("_small_steps")
def test_a_close_that_was_killed_is_finished_by_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = _long_queue()
    with monkeypatch.context() as killed:
        killed.setattr(folding, "write_in_order", None)
        with pytest.raises(TypeError):
            close_survey(survey=survey)
    assert not _is_in_order()
    _look_at_results(survey)
    assert _is_in_order()
    assert standing_of(survey).in_order


@pytest.mark.usefixtures("_small_steps")
def test_patterns_of_another_fold_that_came_in_between_are_not_said_to_be_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = _long_queue()
    write = ordering._write_invitations

    def meanwhile(*told: object) -> None:
        """Somebody else moves what is left, and is killed before anything is in order."""
        with monkeypatch.context() as killed:
            killed.setattr(KeptCells, "finish", None)
            with pytest.raises(TypeError):
                fold(survey=survey, everything=True)

    survey.by_invitation = True  # there are none
    monkeypatch.setattr(ordering, "_write_invitations", meanwhile)
    fold(survey=survey)
    assert not standing_of(survey).in_order
    monkeypatch.setattr(ordering, "_write_invitations", write)
    fold(survey=survey)
    assert standing_of(survey).in_order


@pytest.mark.usefixtures("_small_steps")
def test_each_step_goes_on_where_the_last_one_has_ended_and_the_last_look_finds_who_came_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = make_open(minimum_n=5)
    for _ in range(40):
        send(survey, "1")
    taken: list[list[bytes]] = []
    there = sorted(bytes(nonce) for nonce in Response.objects.values_list("nonce_hash", flat=True))
    take, late = folding._take, bytes(15) + b"\x01"

    def noted(*told: object) -> list[tuple[str, str, bytes]]:
        rows = take(*told)  # type: ignore[arg-type]
        taken.append(sorted(bytes(nonce) for *_, nonce in rows))
        if len(taken) == 6:
            Response.objects.create(survey=survey, mode="device", reports="0", nonce_hash=late)
        return rows

    monkeypatch.setattr(folding, "_take", noted)
    monkeypatch.setattr(folding.secrets, "token_bytes", bytes)
    assert fold(survey=survey, everything=True) == 41
    assert [nonce for step in taken for nonce in step] == [*there, late]
    assert not Response.objects.exists()


@pytest.mark.usefixtures("_small_steps")
def test_many_cells_are_written_some_at_a_time_and_nobody_takes_a_part_for_the_whole(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (cells, snapshots):
        monkeypatch.setattr(module, "MOST_PATTERNS", 0)
    monkeypatch.setattr(cells, "possible_cells", lambda _reports, _groups: 0)
    definition = definition_of(survey)
    fold(survey=survey, everything=True)
    at_once = _cells()
    monkeypatch.setattr(cells, "_FEW", 0)
    sources: list[tuple[str, int]] = []
    step = Steps.next

    @contextmanager
    def looked_at_before(self: Steps) -> Iterator[CursorWrapper]:
        forget_cells()
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
    assert _cells() == at_once
    assert isinstance(snapshot_of(survey, definition)._source, Cells)


def test_cells_are_added_to_and_not_counted_anew(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "MOST_PATTERNS", 0)
    monkeypatch.setattr(cells, "possible_cells", lambda _reports, _groups: 0)
    fold(survey=survey, everything=True)
    for reports in ("10", "02", "-1", "00"):
        send(survey, reports)
    with monkeypatch.context() as counted_anew:
        counted_anew.setattr(cells, "write_anew", None)
        fold(survey=survey, everything=True)
    added = _cells()
    cells.write_anew(survey, definition_of(survey), Steps(survey))
    assert added == _cells()


@pytest.mark.parametrize("between", [False, True])
def test_a_first_fold_counts_cells_as_it_goes_unless_another_comes_in_between(
    survey: Survey, monkeypatch: pytest.MonkeyPatch, *, between: bool
) -> None:
    monkeypatch.setattr(cells, "MOST_PATTERNS", 0)
    monkeypatch.setattr(cells, "possible_cells", lambda _reports, _groups: 0)
    anew: list[bool] = []
    write, finish = cells.write_anew, cells.KeptCells.finish

    def others_fold(kept: cells.KeptCells, steps: Steps) -> None:
        if between and not anew:
            anew.append(False)
            send(survey, "11")
            fold(survey=survey, everything=True)
        finish(kept, steps)

    monkeypatch.setattr(cells, "write_anew", lambda *told: (anew.append(True), write(*told)))
    monkeypatch.setattr(cells.KeptCells, "finish", others_fold)
    fold(survey=survey, everything=True)
    assert (True in anew) == between
    counted = _cells()
    write(survey, definition_of(survey), Steps(survey))
    assert counted == _cells()
    assert counted


def _cells() -> list[tuple[object, ...]]:
    columns = ("group_id", "first", "second", "codes", "count")
    return list(CellCount.objects.order_by(Coalesce("group_id", 0), *columns[1:]).values_list(*columns))
