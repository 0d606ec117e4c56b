"""Long work goes by short steps, between which others get their turn."""

import gc

import pytest
from django.db import connection, transaction

from surveys.course.services import close_survey, seal_survey
from surveys.models import Survey
from surveys.responses.services import steps
from surveys.responses.services.steps import FEWEST, GOOD, MOST, OvertakenError, Steps, rows_of_next
from tests.factories import make_open


@pytest.mark.parametrize(
    ("rows", "done", "seconds", "following"),
    [
        (4_000, 4_000, GOOD, 4_000),
        (4_000, 4_000, 1.25 * GOOD, 3_200),
        # One that was held up is followed by a short one: the next may be held up as well.
        (4_000, 4_000, 10 * GOOD, 400),
        (1_500, 1_500, 100 * GOOD, FEWEST),
        # From there on they grow little by little.
        (FEWEST, FEWEST, GOOD / 100, 3 * FEWEST // 2),
        (1_000, 1_000, GOOD / 1.25, 1_250),
        (8_000, 8_000, GOOD / 100, MOST),
        (1_000, 1_000, 0.0, 1_500),
        # A few rows at once say nothing of many,
        (2_000, 10, GOOD / 100, 2_000),
        # unless these few took long.
        (2_000, 1_000, 2 * GOOD, 500),
        # A batch that must not be smaller may have been larger than was wanted.
        (1_000, 5_000, 2 * GOOD, 2_500),
        (1_000, 5_000, GOOD / 2, 7_500),
    ],
)
def test_a_step_follows_the_time_that_the_last_one_took(rows: int, done: int, seconds: float, following: int) -> None:
    assert rows_of_next(rows, done, seconds) == following


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a transaction was open, for each pause; each step takes as long as two good ones."""
    in_transaction: list[bool] = []
    clock = iter(range(10**6))
    monkeypatch.setattr(steps.time, "monotonic", lambda: next(clock) * 2 * GOOD)
    monkeypatch.setattr(steps.time, "sleep", lambda _seconds: in_transaction.append(connection.in_atomic_block))
    return in_transaction


def _three_steps(survey: Survey) -> None:
    going = Steps(survey)
    for _ in range(3):
        with going.next():
            pass


def test_others_get_their_turn_between_two_steps(transactional_db: None, pauses: list[bool]) -> None:
    survey = make_open()
    _three_steps(survey)
    assert pauses == ([False] * 2 if connection.vendor == "sqlite" else [])
    with transaction.atomic():
        # Nobody gets in before its end.
        _three_steps(survey)
    assert len(pauses) < 3


def _journal() -> int:
    """Return from how many pages on a commit moves SQLite's journal into the file; 0 is never."""
    if connection.vendor != "sqlite":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_autocheckpoint")
        return int(cursor.fetchone()[0])


def test_what_need_not_be_done_in_a_step_waits_for_its_end(transactional_db: None) -> None:
    as_always = _journal()
    with Steps(make_open()).next():
        assert not gc.isenabled()
        assert _journal() == 0
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), Steps(make_open()).next():
        _ = 1 / 0
    assert gc.isenabled()
    assert _journal() == as_always


@pytest.mark.django_db
def test_no_step_is_made_of_a_survey_that_somebody_has_sealed_meanwhile() -> None:
    going = Steps(close_survey(survey=make_open()))
    with going.next():
        pass
    seal_survey(survey=Survey.objects.get())
    with pytest.raises(OvertakenError), going.next():
        pass
