"""While more answers may come, figures change by batches: no two looks differ by fewer responses than the minimum."""

import contextlib
import itertools
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from surveys.common import services
from surveys.common.selectors import definition_of
from surveys.common.totals import ResponseTotals, standing_of
from surveys.course.services import close_survey
from surveys.drafts.services.groups import add_group
from surveys.models import Group, Response, Survey
from surveys.responses.selectors import snapshot as snapshots
from surveys.responses.selectors.snapshot import Snapshot, snapshot_of
from surveys.responses.services import folding
from surveys.responses.services.folding import fold, smallest_batch
from tests.factories import fill, make_open, send, settle, store, yes_no

pytestmark = pytest.mark.django_db

MINIMUM = 5


def _answered(number: int) -> Survey:
    """Return a survey with so many answers that wait to be counted."""
    survey = make_open(minimum_n=MINIMUM)
    store(survey, {"1": number})
    return Survey.objects.get(pk=survey.pk)


def _look(survey: Survey) -> Snapshot:
    """Count what is due, and look at the figures as a page does."""
    settle(survey)
    return snapshot_of(survey, definition_of(survey))


def _looks(seed: int, *, groups: int, answers: int) -> tuple[list[Snapshot], Snapshot]:
    """Let people answer in random groups, look now and then, close; return the looks and the one after closing."""
    chance = np.random.default_rng(seed)
    survey = make_open(yes_no(), minimum_n=MINIMUM)
    rooms: list[Group | None] = [None, *(add_group(survey=survey, name=f"Room {room}") for room in range(groups))]
    looks = [_look(survey)]
    for _ in range(answers):
        send(survey, "01-"[chance.integers(3)], group=rooms[chance.integers(len(rooms))])
        if chance.random() < 0.4:
            looks.append(_look(survey))
    looks.append(_look(survey))
    closed = close_survey(survey=survey)
    return looks, _look(closed)


def _too_close(looks: list[Snapshot], last: Snapshot) -> list[tuple[str, int, int]]:
    """Return where two looks, one after the other, differ by somebody but by fewer than the minimum.

    What had nobody shows nothing yet; it may begin with any number, which is small until it may be shown.
    """
    sizes = [{"all": look.n, **{f"group {key}": n for key, n in look.n_by_group.items()}} for look in (*looks, last)]
    return [
        (part, before[part], after[part])
        for before, after in itertools.pairwise(sizes)
        for part in before
        if before[part] and 0 < after[part] - before[part] < MINIMUM
    ]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("groups", [0, 2])
def test_no_two_looks_differ_by_fewer_than_the_minimum(seed: int, groups: int) -> None:
    looks, last = _looks(seed, groups=groups, answers=60)
    assert _too_close(looks, last) == []
    # The rule is no excuse for showing nothing: looks follow what came, but for two batches of each group.
    assert len({look.n for look in looks}) > 2
    assert looks[-1].n > 60 - 2 * MINIMUM * (groups + 1)
    assert (last.n, last.received) == (60, 60)


def test_folding_all_that_came_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: what is folded leaves nobody behind."""
    monkeypatch.setattr(folding, "smallest_batch", lambda _minimum_n, _folded: 1)
    assert _too_close(*_looks(1, groups=2, answers=60))


def test_figures_of_all_that_came_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: results are drawn from every response at once."""
    monkeypatch.setattr(snapshots, "responses_in_figures", lambda _survey, standing: standing.received)
    assert _too_close(*_looks(1, groups=0, answers=60))


def test_leaving_one_behind_is_caught_at_the_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: batches are large enough, but one person alone is left for the close."""

    def all_but_one(_survey: Survey, standing: ResponseTotals) -> list[folding._Batch]:
        waiting = standing.waiting_by_group.get(0, 0)
        return [folding._Batch(None, waiting - 1, 1)] if waiting > 2 * MINIMUM else []

    monkeypatch.setattr(folding, "_due", all_but_one)
    survey = _answered(20)
    look = _look(survey)
    assert _too_close([look], _look(close_survey(survey=survey))) == [("all", 19, 20), ("group 0", 19, 20)]


def test_each_group_is_folded_by_itself() -> None:
    survey = make_open(minimum_n=MINIMUM)
    monday, tuesday = (add_group(survey=survey, name=name) for name in ("Monday", "Tuesday"))
    for group, number in ((None, 12), (monday, 9), (tuesday, 10)):
        store(survey, {"1": number}, group=group)
    assert fold(survey=survey) == 12
    assert standing_of(survey).waiting_by_group == {0: 5, monday.pk: 9, tuesday.pk: 5}
    assert snapshot_of(survey, definition_of(survey)).n_by_group == {0: 7, tuesday.pk: 5}
    assert fold(survey=survey) == 0


@pytest.mark.parametrize(("number", "folded"), [(4, 0), (9, 0), (10, 5), (11, 6), (40, 35)])
def test_as_many_as_the_minimum_are_left_behind(number: int, folded: int) -> None:
    survey = _answered(number)
    assert fold(survey=survey) == folded
    assert Response.objects.count() == number - folded
    assert fold(survey=survey) == 0
    assert fold(survey=survey, everything=True) == number - folded


def test_a_batch_grows_with_its_group_up_to_a_limit() -> None:
    assert [smallest_batch(10, folded) for folded in (0, 999, 5_000, 10**6, 10**9)] == [10, 10, 50, 5_000, 5_000]
    assert smallest_batch(100_000, 10**9) == 100_000


def test_a_survey_with_many_patterns_waits_for_a_tenth_of_them() -> None:
    survey = make_open(*(yes_no(f"Question {number}?") for number in range(8)), minimum_n=MINIMUM)
    fill(survey, {f"{number:08b}": 1 for number in range(200)})
    store(survey, {f"{number:08b}": 1 for number in range(24)})
    assert fold(survey=survey) == 0
    send(survey, "11111111")
    assert fold(survey=survey) == 20


@contextlib.contextmanager
def _another_writer() -> Iterator[None]:
    """Let somebody else hold SQLite's only write lock."""
    with contextlib.closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        yield


def _waits_as_long_as_ever() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        return bool(cursor.fetchone() == (1000 * services.LONG,))


@pytest.mark.sqlite
@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("name", ["survey-figures", "survey-results"])
def test_a_writer_who_stays_keeps_no_page_waiting(name: str, client: Client) -> None:
    survey = Survey.objects.get(pk=make_open(minimum_n=MINIMUM).pk)
    fill(survey, {"1": 20})
    store(survey, {"1": 20})
    client.force_login(survey.owner)
    address = reverse(name, args=[survey.code])
    with _another_writer():
        begin = time.monotonic()
        assert client.get(address).status_code == 200
        assert time.monotonic() - begin < services.LONG / 4
    assert Response.objects.count() == 20


@pytest.mark.sqlite
@pytest.mark.usefixtures("transactional_db")
def test_a_reader_who_stays_keeps_no_fold_waiting() -> None:
    survey = _answered(20)
    journal = Path(f"{connection.settings_dict['NAME']}-wal")
    with contextlib.closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM surveys_response").fetchall()
        begin = time.monotonic()
        assert _look(survey).n == 15
        assert time.monotonic() - begin < 5
        assert journal.stat().st_size > 0
    store(survey, {"1": 10})
    # The next fold finds nobody and empties it; from then on everything waits as patiently as ever.
    assert _look(survey).n == 25
    assert journal.stat().st_size == 0
    assert _waits_as_long_as_ever()


@pytest.mark.usefixtures("transactional_db")
def test_no_answer_folds_the_others() -> None:
    survey = make_open(minimum_n=MINIMUM)
    for _ in range(5 * MINIMUM):
        send(survey, "1")
    assert Response.objects.count() == 5 * MINIMUM


def test_one_more_answer_is_counted_at_once_and_shown_with_its_batch(client: Client) -> None:
    survey = make_open(yes_no(leave_out="no"), minimum_n=MINIMUM)
    client.force_login(survey.owner)
    address = reverse("survey-figures", args=[survey.code])
    fill(survey, {"1": 10, "0": 10})
    seen = []
    for _ in range(11):
        settle(survey)
        assert client.get(address).status_code == 200
        definition = definition_of(survey)
        look = snapshot_of(survey, definition)
        seen.append((look.n, look.received))
        send(survey, "1")
    assert [received for _, received in seen] == list(range(20, 31))
    assert [n for n, _ in seen] == [20] * 10 + [25]
