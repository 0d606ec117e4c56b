"""Long work in short steps, each a transaction of its own: nobody waits for longer than one of them takes.

SQLite lets one writer in at a time, and gives no turns: who waits looks again now and then, and would find the next
step under way each time. So a process that has kept others waiting leaves a pause. What need not be done while
they wait is put off till then.
"""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from surveys.models import State, Survey

# Rows: of the first step, while nobody knows how fast the machine is, and of any.
FIRST, FEWEST, MOST = 500, 400, 8_000
# Seconds that a step should take: less than half of the tenth of a second that nobody is to wait longer than, as others
# may want the processor in one step that left it alone in the last.
GOOD = 0.04
# Seconds of work after which a pause is due, and of the pause: who has waited for up to an eighth of a second looks
# again that soon.
PAUSE_AFTER, PAUSE = 0.02, 0.026
# Pages in SQLite's journal from which a commit moves them into the file, as it is set by default.
_PAGES_IN_JOURNAL = 1_000

# Of a short step, building this query would take an eighth.
_STATE = "SELECT state FROM surveys_survey WHERE id = %s"
# Of these nothing is written any more; None is a survey that is gone.
_FINAL = {(State.SEALED,), (State.PURGED,), None}


class OvertakenError(Exception):
    """Somebody has sealed, purged or discarded the survey between two steps: there is nothing left to do."""


class Steps:
    """Transactions one after the other, into which no other fold of a survey can come; respondents go on answering.

    `rows` is how many the next may take, by how long those before it took; each says in `done` how many it did.
    """

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._held = 0.0
        self.rows, self.done = FIRST, 0

    @contextmanager
    def next(self) -> Iterator[CursorWrapper]:
        """Make the next step, after a pause if one is due, and measure it; waiting for others is no part of it."""
        if self._held > PAUSE_AFTER and _takes_turns():
            _set("wal_checkpoint(PASSIVE)")
            time.sleep(PAUSE)
            self._held = 0.0
        self.done = 0
        with _undisturbed(), transaction.atomic(), connection.cursor() as cursor:
            locking = " FOR NO KEY UPDATE" if connection.vendor == "postgresql" else ""
            cursor.execute(_STATE + locking, [self._survey.pk])
            if cursor.fetchone() in _FINAL:
                raise OvertakenError
            begin = time.monotonic()
            yield cursor
        seconds = time.monotonic() - begin
        self._held += seconds
        if self.done:
            self.rows = rows_of_next(self.rows, self.done, seconds)

    def begin_anew(self) -> None:
        """Know nothing of what the rows of other work cost."""
        self.rows = FIRST


def _takes_turns() -> bool:
    """Whether others may get in between two steps, and could not get in during one."""
    return connection.vendor == "sqlite" and not connection.in_atomic_block


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off collecting garbage, which may take a tenth of a second, and moving SQLite's journal into its file."""
    takes_turns, collecting = _takes_turns(), gc.isenabled()
    gc.disable()
    try:
        if takes_turns:
            _set("wal_autocheckpoint=0")
        yield
    finally:
        if collecting:
            gc.enable()
        if takes_turns:
            _set(f"wal_autocheckpoint={_PAGES_IN_JOURNAL}")


def _set(pragma: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {pragma}")
        cursor.fetchall()


def rows_of_next(rows: int, done: int, seconds: float) -> int:
    """Return how many rows the next step may take, where one of `rows` did so many in so many seconds.

    Fewer at once where that was long, and more little by little where it was short: a busy machine is slow by turns.
    """
    if done < rows and seconds < GOOD:
        # Few rows say nothing of many.
        return rows
    wanted = int(done * GOOD / seconds) if seconds > 0 else MOST
    return max(FEWEST, min(MOST, wanted, 3 * max(rows, done) // 2))
